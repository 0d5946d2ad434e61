"""Compile the kernels that are shipped: for this platform, Python, Numba and NumPy, and any processor of 2009 or later.

`bake.py` compiles into navcore/compiled/, under the name that navcore looks for: a checkout, a wheel and a zip read the
same file. What is there and was made from the same sources is taken over, kernel by kernel; with `--anew`, nothing is,
and equal sources give equal bytes. `dev.py package` and `dev.py wheel` run it once per environment. The packs of other
platforms are made on those.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_MEANT = "NAVMESH_BAKING"


def main(argv: list[str]) -> int:
    parser = argparse.ArgumentParser("bake.py", description="Compile the kernels that are shipped.")
    parser.add_argument("--anew", action="store_true", help="take nothing over from an earlier pack")
    anew = parser.parse_args(argv).anew
    sys.path.insert(0, str(ROOT))
    if os.environ.get(_MEANT) is None:
        return in_a_process_for_the_baseline(argv)
    return bake(anew)


def in_a_process_for_the_baseline(argv: list[str]) -> int:
    """Numba reads for which processor it compiles when it is imported, and Python how it orders sets when it starts."""
    from navcore.kernels.shipped_pack import BASELINES

    baseline = BASELINES.get(platform.machine().lower())
    if baseline is None:
        print(f"bake: no kernels are shipped for {platform.machine()}; they are compiled there.")
        return 0
    # Without the second setting the code would still use all that this machine's processor can do.
    env = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    env |= {"NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", _MEANT: "1"}
    return subprocess.run([sys.executable, __file__, *argv], env=env).returncode


def bake(anew: bool) -> int:
    """Call every kernel and write what was compiled."""
    from navcore.compile_ahead.every_kernel import compile_every_kernel
    from navcore.kernels.kernel_store import STORE
    from navcore.kernels.pack_file import BadPack, pack_bytes
    from navcore.kernels.pack_recording import recorded
    from navcore.kernels.shipped_pack import BASELINES, SHIPPED, open_pack, pack_for_here, pack_name

    path = SHIPPED / pack_name()
    try:
        if open_pack(path).current and not anew:
            print(f"bake: {path.name} is made from these sources", flush=True)
            return 0
    except BadPack as reason:
        print(f"bake: {path.name} ({reason}); two minutes of compiling", flush=True)
    began = time.perf_counter()
    entries = recorded(compile_every_kernel, None if anew else SHIPPED)
    SHIPPED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=SHIPPED) as aside:
        made = Path(aside) / path.name
        made.write_bytes(pack_bytes(pack_for_here(entries, BASELINES[platform.machine().lower()])))
        made.replace(path)
    compiled, size, seconds = len(STORE.tally.compiled), path.stat().st_size / 1e6, time.perf_counter() - began
    print(f"bake: {path.name}, {len(entries)} kernels, {compiled} of them compiled in {seconds:.0f} s, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
