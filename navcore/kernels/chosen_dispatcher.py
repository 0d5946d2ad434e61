"""Functions become kernels: by a dispatcher that keeps what it compiles, or, where Numba is not known, by Numba's own.

A kernel that can't be loaded is compiled, and one that can't be written is compiled again next time: a slower start,
never a failed build.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .llvm_clash import refuse_llvm_clash

refuse_llvm_clash()  # first: where it refuses, importing Numba would end the process

import numba  # noqa: E402
from numba.core import config  # noqa: E402

from .kernel_sources import is_ours, source_of  # noqa: E402
from .kernel_store import STORE  # noqa: E402
from .versions_and_processor import numba_is_known  # noqa: E402

__all__ = ["IS_KEEPING", "compiled", "config"]

_Function = TypeVar("_Function", bound=Callable[..., Any])
_DISPATCHER: Any = None  # None: kernels are Numba's own, compiled in every process
if numba_is_known():
    try:
        from .dispatcher import KernelDispatcher as _DISPATCHER  # noqa: N814
    except (ImportError, AttributeError):
        STORE.why_not_shipped = f"Numba {numba.__version__} has other insides than expected"
else:
    STORE.why_not_shipped = f"Numba {numba.__version__} is not known yet"
IS_KEEPING = _DISPATCHER is not None


def compiled(function: _Function, options: dict[str, Any], *, alone: bool) -> _Function:
    """`function` as a kernel with Numba's `options`. One that is called `alone` is remembered on disk.

    Only kernels of this package are: what others import is not known well enough to see every edit.
    """
    if config.DISABLE_JIT:
        return function
    if _DISPATCHER is None:
        return numba.njit(**{name: value for name, value in options.items() if name != "nopython"})(function)
    return _DISPATCHER(function, dict(options), kept=alone and is_ours(source_of(function.__code__.co_filename)))
