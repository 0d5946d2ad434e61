"""Which versions the environments have: of Blender, Python, NumPy, Numba and the stubs.

Runs on the Python of .venv-tools, 3.9 or newer.
"""

from __future__ import annotations

from typing import NamedTuple


class Blender(NamedTuple):
    python: str
    bpy: str
    numpy: str  # what this Blender ships; bpy's own requirement is too wide to get it


BLENDERS = {
    "4.2": Blender("3.11", "4.2.23", "1.24.3"),
    "4.5": Blender("3.11", "4.5.15", "1.26.4"),
    "5.0": Blender("3.11", "5.0.1", "1.26.4"),
    "5.2": Blender("3.13", "5.2.3", "2.3.4"),
}
# What the extension ships; both pairs accept NumPy 1.24 to 2.3. The newer one is the first that can live beside another
# LLVM in its process (Mesa's drivers hold one), the older one the last with wheels for Macs with Intel processors.
INTEL_MAC = "sys_platform == 'darwin' and platform_machine == 'x86_64'"
ELSEWHERE = "sys_platform != 'darwin' or platform_machine != 'x86_64'"
NUMBA = (
    *(f"{pin}; {ELSEWHERE}" for pin in ("numba==0.63.1", "llvmlite==0.46.0")),
    *(f"{pin}; {INTEL_MAC}" for pin in ("numba==0.62.1", "llvmlite==0.45.1")),
)
# What the wheels bring kernels for: by Python the NumPy they are compiled beside, and the newest Numba. Kernels are
# the same beside every NumPy; older Pythons take the older one, so that each is seen to work.
WHEEL_NUMPY = {"3.11": "1.26.4", "3.12": "1.26.4", "3.13": "2.5.5", "3.14": "2.5.5"}
WHEEL_NUMBA = (
    *(f"{pin}; {ELSEWHERE}" for pin in ("numba==0.68.1", "llvmlite==0.50.0")),
    *(f"{pin}; {INTEL_MAC}" for pin in ("numba==0.62.1", "llvmlite==0.45.1")),
)
STUBS = "fake-bpy-module-4.2==20260730"
CORE_NUMPY = {"3.11": "1.26.4", "3.13": "2.3.4"}
# By default one Blender per Python: the oldest we support, and the newest.
DEFAULT_BLENDERS = ("4.2", "5.2")
# With a window: the ones that Debian carries.
WINDOW_BLENDERS = ("4.3", "5.2")
