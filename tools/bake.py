"""Compile the kernels that are shipped: for this platform, Python and Numba, and any processor of 2009 or later.

`bake.py` compiles into navcore/compiled/, under the name that navcore looks for: a checkout, a wheel and a zip read the
same file. What is there and was made from the same sources is taken over, kernel by kernel; with `--anew`, nothing is,
and equal sources give equal bytes. `dev.py package` and `dev.py wheel` run it once per environment. The packs of other
platforms are made on those.

It is done by a few processes, as many of them at work as there are processors, in waves (`waves` in
navcore/compile_ahead/every_kernel.py): in each they load what others have compiled in those before, parts of kernels
included, which are left out at the end. What each of them does is always the same, and so are the bytes;
`--processes` says how many work at a time.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from navcore.kernels.pack_file import PackFile

ROOT = Path(__file__).resolve().parents[1]
_MEANT = "NAVMESH_BAKING"
_OTHER_SOURCES = "from other sources"
_DONE = "bake:"  # how a line begins with which a process says that it is through
_QUICK = 0  # of compression: what is only handed on


def main(argv: list[str]) -> int:
    chosen = arguments_of(argv)
    sys.path.insert(0, str(ROOT))
    if os.environ.get(_MEANT) is None:
        return in_a_process_for_the_baseline(argv)
    if chosen.lane is not None:
        return work_in_lane(chosen.lane)
    return bake(chosen.anew, chosen.processes)


def arguments_of(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("bake.py", description="Compile the kernels that are shipped.")
    parser.add_argument("--anew", action="store_true", help="take nothing over from an earlier pack")
    parser.add_argument("--processes", type=int, default=processors(), help="at work side by side")
    parser.add_argument("--lane", type=int, help=argparse.SUPPRESS)
    return parser.parse_args(argv)


def processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_a_process_for_the_baseline(argv: list[str]) -> int:
    """Numba reads for which processor it compiles when it is imported, and Python how it orders sets when it starts."""
    from navcore.kernels.shipped_pack import BASELINES

    baseline = BASELINES.get(platform.machine().lower())
    if baseline is None:
        print(f"bake: no kernels are shipped for {platform.machine()}; they are compiled there.")
        return 0
    # Were the second setting missing, the code would still use all that this machine's processor can do.
    ours = ("NUMBA_", "NAVMESH_SHIPPED_KERNELS")  # each wave loads what those before it have compiled
    env = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    env |= {"NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": baseline.beyond, "PYTHONHASHSEED": "0", _MEANT: "1"}
    return subprocess.run([sys.executable, __file__, *argv], env=env).returncode


def bake(anew: bool, processes: int) -> int:
    """Have every kernel called and write what was compiled."""
    from navcore.compile_ahead.every_kernel import waves
    from navcore.kernels.pack_file import pack_bytes, read_pack
    from navcore.kernels.pack_recording import for_python_alone
    from navcore.kernels.shipped_pack import SHIPPED, pack_name

    path = SHIPPED / pack_name()
    why = why_not_current(path)
    if not why and not anew:
        print(f"bake: {path.name} is made from these sources", flush=True)
        return 0
    anew |= why not in ("", _OTHER_SOURCES)
    print(
        f"bake: {path.name} ({why or 'anew'}); minutes of compiling, by {processes} processes side by side", flush=True
    )
    began = time.perf_counter()
    SHIPPED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SHIPPED) as aside:
        whole = in_waves(waves(), processes, None if anew else path, Path(aside))
        shipped = Path(aside) / path.name
        shipped.write_bytes(pack_bytes(whole._replace(entries=for_python_alone(whole.entries))))
        shipped.replace(path)
    seconds, count = time.perf_counter() - began, len(read_pack(path).entries)
    print(f"bake: {path.name}, {count} kernels in {seconds:.0f} s, {path.stat().st_size / 1e6:.1f} MB")
    return 0


def why_not_current(path: Path) -> str:
    """What is the matter with a pack that there may be; nothing where it is what would be baked."""
    from navcore.kernels.pack_file import BadPack, read_pack
    from navcore.kernels.shipped_pack import BASELINES, open_pack

    try:
        current, made_for = open_pack(path).current, read_pack(path).processor
    except BadPack as reason:
        return str(reason)
    wanted = BASELINES[platform.machine().lower()].in_words
    if made_for != wanted:  # kernels do not say by themselves what they use of a processor
        return f"for {made_for} and not {wanted}"
    return "" if current else _OTHER_SOURCES


def in_waves(planned: Sequence[Sequence[object]], processes: int, before: Path | None, aside: Path) -> PackFile:
    """What all lanes have called, those of a wave side by side. `before`: a pack of which they take what still fits."""
    from navcore.kernels.pack_file import read_pack
    from navcore.kernels.shipped_pack import pack_name

    called: list[PackFile] = []
    known = [] if before is None else [read_pack(before)]
    with ExitStack() as running, ThreadPoolExecutor(max(processes, 1)) as side_by_side:
        lanes = [running.enter_context(Lane(number)) for number in range(len(planned[0]))]
        for wave in range(len(planned)):
            earlier = aside / f"before wave {wave}"
            write_joined(earlier, [*called, *known])
            outs = [aside / f"wave {wave} lane {number}" for number in range(len(lanes))]
            list(side_by_side.map(partial(Lane.work, wave=wave, earlier=earlier), lanes, outs))
            called += [read_pack(out / pack_name()) for out in outs]
    return joined(called)


class Lane:
    """A process that goes through all waves."""

    def __init__(self, number: int) -> None:
        words = [sys.executable, __file__, "--lane", str(number)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self) -> Lane:
        return self

    def work(self, out: Path, *, wave: int, earlier: Path) -> None:
        """Have it do its part of a wave, and leave a pack of what it called in the folder `out`."""
        process = self._process
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([wave, str(earlier), str(out)]), file=process.stdin, flush=True)
        for line in process.stdout:
            print(line, end="", flush=True)
            if line.startswith(_DONE):
                return
        raise SystemExit(f"bake: a process ended with status {process.wait()}.")

    def __exit__(self, *_: object) -> None:
        """It ends when nothing more is to be done."""
        self._process.communicate()


def joined(packs: Sequence[PackFile]) -> PackFile:
    """One pack of all: what several have compiled is taken from the first."""
    entries = {name: entry for pack in reversed(packs) for name, entry in pack.entries.items()}
    return packs[0]._replace(entries=entries)


def write_joined(folder: Path, packs: Sequence[PackFile]) -> None:
    """The same into a file; nothing where there are none."""
    from navcore.kernels.pack_file import pack_bytes
    from navcore.kernels.shipped_pack import pack_name

    folder.mkdir()
    if packs:
        (folder / pack_name()).write_bytes(pack_bytes(joined(packs), level=_QUICK))


def work_in_lane(lane: int) -> int:
    """Call the kernels of one lane, wave by wave as they are asked for."""
    from navcore.compile_ahead.every_kernel import waves
    from navcore.kernels.kept_kernels import kernel_counts
    from navcore.kernels.pack_file import pack_bytes
    from navcore.kernels.pack_recording import Recorder
    from navcore.kernels.shipped_pack import BASELINES, pack_for_here, pack_name

    planned, recorder = waves(), Recorder(lane, parts=True)
    baseline = BASELINES[platform.machine().lower()]
    for line in sys.stdin:
        wave, earlier, out = json.loads(line)
        began, before = time.process_time(), kernel_counts().compiled
        entries = recorder.entries(partial(call_all, planned[wave][lane]), Path(earlier))
        Path(out).mkdir()
        pack = pack_bytes(pack_for_here(entries, baseline), level=_QUICK)
        (Path(out) / pack_name()).write_bytes(pack)
        count, seconds = kernel_counts().compiled - before, time.process_time() - began
        print(f"{_DONE} wave {wave} lane {lane}: {count} kernels, {seconds:.0f} s of a processor", flush=True)
    return 0


def call_all(steps: Sequence[Callable[[], object]]) -> None:
    for step in steps:
        step()


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
