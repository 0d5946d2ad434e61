"""Compile the kernels that are shipped: for this platform, Python and Numba, and any processor of 2009 or later.

`bake.py` compiles into navcore/compiled/, under the name that navcore looks for: a checkout, a wheel and a zip read the
same file. What is there and was made from the same sources is taken over, kernel by kernel; with `--anew`, nothing is,
and equal sources give equal bytes. `dev.py package` and `dev.py wheel` run it once per environment. The packs of other
platforms are made on those.

It is done in waves of groups, each group in a process of its own, as many side by side as there are processors
(`waves` in navcore/compile_ahead/every_kernel.py). Each wave loads what those before it have compiled, parts of kernels
included, which are left out at the end. The groups are always the same, and so are the bytes; `--processes` says how
many work at a time.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from navcore.kernels.pack_file import PackFile

ROOT = Path(__file__).resolve().parents[1]
_MEANT = "NAVMESH_BAKING"
_MOST = 8  # processes: each takes half a gigabyte, and there are hardly more groups in a wave


def main(argv: list[str]) -> int:
    chosen = arguments_of(argv)
    sys.path.insert(0, str(ROOT))
    if os.environ.get(_MEANT) is None:
        return in_a_process_for_the_baseline(argv)
    if chosen.group is not None:
        wave, group = chosen.group
        return bake_group(wave, group, Path(chosen.earlier), Path(chosen.out))
    return bake(chosen.anew, chosen.processes)


def arguments_of(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("bake.py", description="Compile the kernels that are shipped.")
    parser.add_argument("--anew", action="store_true", help="take nothing over from an earlier pack")
    parser.add_argument("--processes", type=int, default=min(processors(), _MOST), help="at work side by side")
    parser.add_argument("--group", type=int, nargs=2, metavar=("WAVE", "NUMBER"), help=argparse.SUPPRESS)
    parser.add_argument("--earlier", help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
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
    # Without the second setting the code would still use all that this machine's processor can do.
    ours = ("NUMBA_", "NAVMESH_SHIPPED_KERNELS")  # each wave loads what those before it have compiled
    env = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    env |= {"NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", _MEANT: "1"}
    return subprocess.run([sys.executable, __file__, *argv], env=env).returncode


def bake(anew: bool, processes: int) -> int:
    """Have every kernel called and write what was compiled."""
    from navcore.compile_ahead.every_kernel import waves
    from navcore.kernels.pack_file import BadPack, read_pack
    from navcore.kernels.shipped_pack import SHIPPED, open_pack, pack_name

    path = SHIPPED / pack_name()
    try:
        if open_pack(path).current and not anew:
            print(f"bake: {path.name} is made from these sources", flush=True)
            return 0
        why = "from other sources" if not anew else "anew"
    except BadPack as reason:
        why = str(reason)
    print(f"bake: {path.name} ({why}); minutes of compiling, by {processes} processes side by side", flush=True)
    began = time.perf_counter()
    SHIPPED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SHIPPED) as aside:
        earlier = Path(aside) / "none" if anew else SHIPPED
        planned = waves()
        for wave, groups in enumerate(planned):
            earlier = in_groups(wave, len(groups), processes, earlier, Path(aside), last=wave == len(planned) - 1)
        (earlier / path.name).replace(path)
    seconds, count = time.perf_counter() - began, len(read_pack(path).entries)
    print(f"bake: {path.name}, {count} kernels in {seconds:.0f} s, {path.stat().st_size / 1e6:.1f} MB")
    return 0


def in_groups(wave: int, groups: int, processes: int, earlier: Path, aside: Path, *, last: bool = False) -> Path:
    """The folder with a pack of what a wave compiled and of what was there before.

    The last wave asks for everything: what it does not ask for is no longer there.
    """
    from navcore.kernels.pack_file import read_pack
    from navcore.kernels.shipped_pack import pack_name

    outs = [aside / f"wave {wave} group {group}" for group in range(groups)]

    def run(group: int) -> int:
        words = ["--group", str(wave), str(group), "--earlier", str(earlier), "--out", str(outs[group])]
        return subprocess.run([sys.executable, __file__, *words]).returncode

    with ThreadPoolExecutor(max(processes, 1)) as side_by_side:
        failed = [status for status in side_by_side.map(run, range(groups)) if status]
    if failed:
        raise SystemExit(f"bake: a process ended with status {failed[0]}.")
    whole = aside / f"wave {wave}"
    packs = [read_pack(out / pack_name()) for out in outs]
    before = [read_pack(earlier / pack_name())] if wave and not last else []
    write_joined(whole, [*before, *packs])
    return whole


def write_joined(folder: Path, packs: Sequence[PackFile]) -> None:
    """One pack of all: what several have compiled is taken from the first."""
    from navcore.kernels.pack_file import pack_bytes
    from navcore.kernels.shipped_pack import pack_name

    entries = dict(packs[-1].entries)
    for pack in reversed(packs):
        entries.update(pack.entries)
    folder.mkdir()
    (folder / pack_name()).write_bytes(pack_bytes(packs[-1]._replace(entries=entries)))


def bake_group(wave: int, group: int, earlier: Path, out: Path) -> int:
    """Call the kernels of one group."""
    from navcore.compile_ahead.every_kernel import waves
    from navcore.kernels.kept_kernels import kernel_counts
    from navcore.kernels.pack_file import pack_bytes
    from navcore.kernels.pack_recording import recorded
    from navcore.kernels.shipped_pack import BASELINES, pack_for_here, pack_name

    planned = waves()

    def work() -> None:
        for step in planned[wave][group]:
            step()

    number = sum(map(len, planned[:wave])) + group
    entries = recorded(work, earlier, number, parts=wave < len(planned) - 1)
    out.mkdir()
    baseline = BASELINES[platform.machine().lower()]
    (out / pack_name()).write_bytes(pack_bytes(pack_for_here(entries, baseline)))
    counts, seconds = kernel_counts(), time.process_time()
    print(f"bake: wave {wave} group {group}: {counts.compiled} kernels, {seconds:.0f} s of a processor", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
