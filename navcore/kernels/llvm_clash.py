"""Refuse Numba where loading it would end the process: to be asked before the first import of Numba.

A program may hold an LLVM already: Mesa's graphics drivers bring one into every window. On Linux, llvmlite before 0.46
takes that one's functions for its own, and crashes; later ones are linked so that they find their own first.
"""

from __future__ import annotations

import ctypes
import re
import sys

import llvmlite

OLDEST_SAFE = (0, 46)


def refuse_llvm_clash() -> None:
    """Raise ImportError, with the way out, where llvmlite would take another LLVM for its own."""
    version = tuple(int(number) for number in re.findall(r"\d+", llvmlite.__version__)[:2])
    if sys.platform.startswith("linux") and version < OLDEST_SAFE and hasattr(ctypes.CDLL(None), "LLVMContextCreate"):
        raise ImportError(
            f"this program holds another LLVM (graphics drivers bring one), which llvmlite {llvmlite.__version__} "
            "crashes beside. Install llvmlite 0.46 or newer for this Python, with Numba 0.63 or newer."
        )
