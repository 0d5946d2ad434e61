"""@kernel, @inlined and @borrowing: the only place that knows Numba's flags. `kernels/` compiles, and keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .kernels.chosen_dispatcher import compiled
from .kernels.plain_python import stands_in_for

__all__ = ["borrowing", "inlined", "kernel", "stands_in_for"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy"}


def kernel(function: _Function) -> _Function:
    """Compile `function` on first call: no GIL, IEEE division, no fast-math, and remembered on disk."""
    return compiled(function, _OPTIONS, alone=True)


def inlined(function: _Function) -> _Function:
    """Compile a kernel's helper as a part of every caller; it is not kept by itself.

    For helpers that are called once a triangle, row or span with a dozen arguments: as calls they cost 1.5 times the
    whole of rasterization. (Numba's own `inline="always"` works before optimization and made such loops slower.)
    """
    return compiled(function, {**_OPTIONS, "forceinline": True}, alone=False)


def borrowing(function: _Function) -> _Function:
    """Compile a kernel's helper that makes no arrays as a part of every caller, without counting who holds arrays.

    All arrays of all bundles that are handed over are counted otherwise, at every call: 0.1 to 0.4 µs for a dozen of
    them, more than most helpers take for the rest.
    """
    return compiled(function, {**_OPTIONS, "forceinline": True, "_nrt": False}, alone=False)
