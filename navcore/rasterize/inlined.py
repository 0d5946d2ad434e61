"""@inlined: a kernel's helper that the compiler must copy into its callers.

Rasterization calls its helpers once a triangle, row or span, with a dozen arguments: as calls they cost 1.5 times the
whole stage. (Numba's own `inline="always"` works before optimization and made such loops slower.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

_Function = TypeVar("_Function", bound=Callable[..., Any])


def inlined(function: _Function) -> _Function:
    """Compile as `@kernel` does, as part of every caller; such helpers need no cache of their own."""
    return numba.njit(nogil=True, error_model="numpy", forceinline=True)(function)
