"""The soak: random levels × 3 partitions × in one piece and in tiles. `python3 dev.py soak --levels 10000`

Levels are numbered: `--first 5000 --levels 5000` is the other half, on another machine if you like. What is done lies
in the folder, a file for every 500 levels; started again, the command goes on where it stopped (files of another
version of navcore are done anew). `--level 1234` builds one level, tells how each build ended and keeps its files.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from navcore import Settings
from navcore.builder.checked_input import checked_geometry
from navcore.builder.failure_files import Case, write_case
from navcore.files.atomic_write import write_whole
from navcore.geometry.grid import bounds_of
from navcore.scene import as_volumes
from navcore.version import code_fingerprint

from .builds import BUILDS, build, settings_of
from .levels import level_of

ROOT = Path(__file__).resolve().parents[2]
CHUNK = 500  # levels of one file
HANGS = 60.0  # seconds of computing without a word
WAITS = 600.0  # seconds of anything without a word: somebody waits for somebody
COMPILES = 900.0  # seconds of computing that the first build may take, if all kernels are to be compiled
BAD = ("crashed", "hangs", "violates", "unnamed")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--first", type=int, default=0, help="number of the first level")
    parser.add_argument("--levels", type=int, default=10_000, help="how many")
    parser.add_argument("--seconds", type=float, help="begin nothing new after so long")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "soak")
    parser.add_argument("--level", type=int, help="build this one alone")
    parser.add_argument("--bounds", action="store_true", help="with bounds checks in every kernel; 1.1 times as long")
    arguments = parser.parse_args()
    if arguments.bounds:
        os.environ["NUMBA_BOUNDSCHECK"] = "1"  # for the processes that build
    arguments.folder.mkdir(parents=True, exist_ok=True)
    if arguments.level is not None:
        return show(arguments.level, arguments.folder)
    version = _version() + ("-bounds" if arguments.bounds else "")
    chunks = range(arguments.first, arguments.first + arguments.levels, CHUNK)
    until = time.monotonic() + (arguments.seconds or 1e9)

    def one(first: int) -> None:
        if time.monotonic() < until and _done(_file(arguments.folder, first), version) is None:
            tally = soak(first, min(CHUNK, chunks.stop - first), arguments.folder)
            write_whole(_file(arguments.folder, first), json.dumps({"version": version, **tally}).encode())

    with ThreadPoolExecutor(arguments.workers) as pool:
        list(pool.map(one, chunks))
    return tell([done for first in chunks if (done := _done(_file(arguments.folder, first), version))])


def _version() -> str:
    ours = b"".join((Path(__file__).parent / name).read_bytes() for name in ("levels.py", "builds.py", "invariants.py"))
    return hashlib.sha256(code_fingerprint().encode() + ours).hexdigest()[:16]


def _file(folder: Path, first: int) -> Path:
    return folder / f"{first:08}.json"


def _done(path: Path, version: str) -> dict[str, Any] | None:
    if not path.exists():
        return None
    found: dict[str, Any] = json.loads(path.read_text())
    return found if found["version"] == version else None


def soak(first: int, levels: int, folder: Path) -> dict[str, Any]:
    """Build `levels` levels in a process that may crash or hang; then the next one goes on behind the culprit."""
    at, end = first * BUILDS, (first + levels) * BUILDS
    kinds: Counter[str] = Counter()
    codes: Counter[str] = Counter()
    finds: list[list[Any]] = []
    slowest, peak, seconds = 0.0, 0.0, 0.0
    while at < end:
        with _Worker(at, end, folder) as worker:
            for kind, what, took, memory in worker.outcomes():
                seed, number = divmod(at, BUILDS)
                kinds[kind] += 1
                codes[what] += kind == "refused"
                if kind in (*BAD, "broken"):
                    finds.append([seed, number, kind, what])
                slowest, peak, seconds, at = max(slowest, took), max(peak, memory), seconds + took, at + 1
    return {
        "builds": levels * BUILDS, "kinds": kinds, "codes": +codes, "finds": finds,
        "slowest": slowest, "seconds": seconds, "peak_mb": peak,
    }  # fmt: skip


class _Worker:
    """A process that builds, and what it says, line by line."""

    def __init__(self, at: int, end: int, folder: Path) -> None:
        command = [sys.executable, "-m", "tests.soak.builds", str(at), str(end), str(folder)]
        self._process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._left = end - at

    def __enter__(self) -> _Worker:
        threading.Thread(target=self._read, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def outcomes(self) -> Any:
        """(kind, what, seconds, memory) of each build; the last one may be a crash or a hang."""
        patience = COMPILES
        while self._left:
            word, values = self._word(patience)
            if word in ("hangs", "crashed"):
                yield word, values, patience, 0.0
                return
            if word == "ends":
                self._left, patience = self._left - 1, HANGS
                yield values

    def _word(self, patience: float) -> tuple[str, Any]:
        """The next line, or how the process came to its end."""
        began, computed = time.monotonic(), self._computed()
        while True:
            try:
                line = self._lines.get(timeout=5)
            except queue.Empty:
                waited = time.monotonic() - began
                if self._computed() - computed > patience or waited > max(patience, WAITS):
                    return "hangs", f"no word for {waited:.0f} s"
                continue
            if line is None:
                return "crashed", f"the process ended with status {self._process.wait()}"
            word, *values = json.loads(line)
            return word, values

    def _computed(self) -> float:
        """Seconds of computing so far; where the system does not tell, seconds of any kind."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return time.monotonic()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def tell(tallies: list[dict[str, Any]]) -> int:
    """Print what the soak came to so far."""
    kinds: Counter[str] = sum((Counter(tally["kinds"]) for tally in tallies), Counter())
    codes: Counter[str] = sum((Counter(tally["codes"]) for tally in tallies), Counter())
    builds = sum(tally["builds"] for tally in tallies)
    print(f"{builds:,} builds of {builds // BUILDS:,} levels")
    for kind in ("built", "repaired", "refused", "broken", *BAD):
        print(f"{kinds[kind]:>8,}  {kind}")
    print("refusals: " + ", ".join(f"{code} {count:,}" for code, count in codes.most_common()))
    if tallies:
        slowest, peak = max(t["slowest"] for t in tallies), max(t["peak_mb"] for t in tallies)
        seconds = sum(tally["seconds"] for tally in tallies)
        print(f"{seconds:,.0f} s of CPU, slowest build {slowest:.2f} s, peak memory {peak:,.0f} MB")
    for seed, number, kind, what in (find for tally in tallies for find in tally["finds"]):
        print(f"level {seed}, build {number}: {kind} ({what})")
    return 1 if any(kinds[kind] for kind in BAD) else 0


def show(seed: int, folder: Path) -> int:
    """One level, build by build, and the files that show it again."""
    level, bad = level_of(seed), False
    for number in range(BUILDS):
        settings = settings_of(level, seed, number)
        outcome = build(level, settings, folder)
        bad |= outcome.kind in BAD
        print(f"{number}: {settings['partition']:<10} tiles of {settings['tile_size']:>2}: {' '.join(outcome[:2])}")
        if outcome.kind in BAD:
            geometry = checked_geometry(level.vertices, level.triangles, None)
            box = bounds_of(geometry.vertices)
            case = Case(geometry, Settings.from_mapping(settings), as_volumes(level.volumes), box)
            print(f"   {write_case(case, folder)}")
    return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
