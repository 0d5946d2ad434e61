"""Coverage-guided fuzzing of all that reads foreign bytes: `python3 dev.py fuzz [TARGET …] --seconds N`.

Each target runs in a process of its own, with the kernels as plain Python so that their branches count as well. Inputs
that reached something new stay in `out/fuzz/TARGET/` and are where the next run begins. A find is kept there too, with
its name: make it a literal test, then mend it.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SLOWEST = 10.0  # seconds of computing for one input; beyond it, it hangs
MOST_MEMORY = 4096  # MiB: the fuzzer's own records of what was reached grow to 2 GB
LONGEST = 1 << 16  # bytes of one input


class Tally(NamedTuple):
    """What one target's run came to."""

    target: str
    runs: int
    cpu_seconds: float
    peak_mb: int
    finds: list[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("targets", nargs="*", help="default: all")
    parser.add_argument("--seconds", type=int, default=60, help="for each target")
    parser.add_argument("--folder", type=Path, default=ROOT / "out" / "fuzz")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        fuzz(arguments.targets[0], arguments.seconds, arguments.folder)
    known = target_names()
    wrong = sorted(set(arguments.targets) - set(known))
    if wrong:
        parser.error(f"no target named {', '.join(wrong)}; known are {', '.join(known)}")
    print(f"{'target':<10} {'executions':>12} {'CPU':>8} {'a second':>9} {'memory':>8}  finds")
    tallies = []
    for name in arguments.targets or known:
        tallies.append(run(name, arguments.seconds, arguments.folder))
        remember(tallies[-1], arguments.folder / "tallies.csv")
    for tally in tallies:
        for find in tally.finds:
            print(f"FOUND {tally.target}: {find}")
    tell(arguments.folder / "tallies.csv")
    return 1 if any(tally.finds for tally in tallies) else 0


def target_names() -> list[str]:
    sys.path[:0] = [str(ROOT)]
    from tests.soak.targets import TARGETS

    return list(TARGETS)


def remember(tally: Tally, path: Path) -> None:
    with path.open("a") as file:
        file.write(f"{tally.target},{tally.runs},{tally.cpu_seconds:.1f}\n")


def tell(path: Path) -> None:
    """What all runs with this folder came to."""
    rows = [line.split(",") for line in path.read_text().splitlines()]
    print("In all so far:")
    for name in sorted({row[0] for row in rows}):
        runs = sum(int(row[1]) for row in rows if row[0] == name)
        hours = sum(float(row[2]) for row in rows if row[0] == name) / 3600
        print(f"{name:<10} {runs:>12,} executions {hours:>6.2f} CPU-hours")


def run(target: str, seconds: int, folder: Path) -> Tally:
    """One target in its own process, and what libFuzzer says of it."""
    home = folder / target
    home.mkdir(parents=True, exist_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    log = home / "log.txt"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "TMPDIR": str(home), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "tests.soak.fuzz", target, "--inside", "--seconds", str(seconds)]
    with log.open("wb") as output:
        done = subprocess.run(
            [*command, "--folder", str(folder)], cwd=home, env=environment, stdout=output, stderr=subprocess.STDOUT
        )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = log.read_text(errors="replace")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    counts = re.findall(r"^#(\d+)", told, re.M) + re.findall(r"number_of_executed_units: (\d+)", told)
    peak = max([int(mb) for mb in re.findall(r"rss: (\d+)Mb", told) + re.findall(r"peak_rss_mb: (\d+)", told)] or [0])
    finds = [str(path) for path in sorted(home.glob("find-*"))]
    if done.returncode and not finds:
        finds = [f"ended with status {done.returncode}: {log}"]
    tally = Tally(target, max(map(int, counts), default=0), cpu, peak, finds)
    rate = tally.runs / max(cpu, 1e-9)
    print(f"{target:<10} {tally.runs:>12,} {cpu:>7.0f}s {rate:>9,.0f} {peak:>5} MB  {len(finds)}", flush=True)
    return tally


def fuzz(name: str, seconds: int, folder: Path) -> None:
    """Never returns: libFuzzer ends the process."""
    import atheris

    with atheris.instrument_imports(include=["navcore"]):
        from tests.soak.targets import TARGETS, refuses_or_reads
    target, home = TARGETS[name], folder / name
    corpus = home / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    words = home / "words.txt"
    words.write_text("".join(f'"{word}"\n' for word in target.words))
    options = {
        "max_total_time": seconds, "report_slow_units": 1 << 20, "timeout": 1 << 20,
        "rss_limit_mb": MOST_MEMORY, "max_len": LONGEST,
        "artifact_prefix": f"{home}/find-", "print_final_stats": 1, "dict": words, "use_value_profile": 1,
    }  # fmt: skip
    flags = [f"-{key}={value}" for key, value in options.items()]

    def one(content: bytes) -> None:
        signal.setitimer(signal.ITIMER_VIRTUAL, SLOWEST)
        refuses_or_reads(target, content)

    signal.signal(signal.SIGVTALRM, _hangs)  # not the fuzzer's own alarm: that one counts while others compute

    atheris.Setup([sys.argv[0], *flags, str(corpus)], one)
    atheris.Fuzz()


def _hangs(*_: object) -> None:
    raise AssertionError(f"no answer after {SLOWEST:g} s of computing")


if __name__ == "__main__":
    raise SystemExit(main())
