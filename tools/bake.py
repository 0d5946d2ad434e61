"""Compile the kernels that a zip ships: for this platform, this Python and any processor of 2009 or later.

`bake.py` compiles into kernels/, under the name that navcore looks for; what is there and still fits is left alone.
`dev.py package` runs it once per Python. The packs of other platforms are made on those.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "kernels"
_MEANT = "NAVMESH_BAKING"


def main() -> int:
    sys.path.insert(0, str(ROOT))
    if os.environ.get(_MEANT) is None:
        return in_a_process_for_the_baseline()
    return bake()


def in_a_process_for_the_baseline() -> int:
    """Numba reads for which processor it compiles when it is imported, and Python how it orders sets when it starts."""
    from navcore.kernels.shipped_pack import BASELINES

    baseline = BASELINES.get(platform.machine().lower())
    if baseline is None:
        print(f"bake: no kernels are shipped for {platform.machine()}; they are compiled there.")
        return 0
    # Without the second setting the code would still use all that this machine's processor can do.
    env = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    env |= {"NUMBA_CPU_NAME": baseline.name, "NUMBA_CPU_FEATURES": "", "PYTHONHASHSEED": "0", _MEANT: "1"}
    return subprocess.run([sys.executable, __file__], env=env).returncode


def bake() -> int:
    """Call every kernel and write what was compiled."""
    from navcore.compile_ahead.every_kernel import compile_every_kernel
    from navcore.kernels.pack_recording import recorded
    from navcore.kernels.shipped_pack import BASELINES, BadPack, open_pack, pack_bytes, pack_name

    path = FOLDER / pack_name()
    try:
        open_pack(path)
    except BadPack as reason:
        print(f"bake: {path.name} ({reason})", flush=True)
    else:
        return 0
    entries = recorded(compile_every_kernel)
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=FOLDER) as aside:
        made = Path(aside) / path.name
        made.write_bytes(pack_bytes(entries, BASELINES[platform.machine().lower()]))
        made.replace(path)
    print(f"bake: {len(entries)} kernels, {path.stat().st_size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
