"""@kernel, @inlined and @borrowing: the only place that knows Numba's flags. Here one says where kernels are kept.

`kernels/` does the keeping. A kernel that can't be loaded is compiled, and one that can't be written is compiled again
next time: a slower start, never a failed build.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, ParamSpec, TypeVar

from .kernels.llvm_clash import refuse_llvm_clash

refuse_llvm_clash()  # first: where it refuses, importing Numba would end the process

import numba  # noqa: E402
from numba.core import config  # noqa: E402

from .kernels.kernel_sources import is_ours, source_of  # noqa: E402
from .kernels.kernel_store import STORE  # noqa: E402
from .kernels.versions_and_processor import numba_is_known  # noqa: E402

_Function = TypeVar("_Function", bound=Callable[..., Any])
_Given = ParamSpec("_Given")
_Built = TypeVar("_Built")
ColdBuild = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any]], Any]
_cold_build: list[ColdBuild] = []  # at most one
_OPTIONS = {"nopython": True, "boundscheck": None, "nogil": True, "error_model": "numpy"}
_DISPATCHER: Any = None  # None: kernels are Numba's own, compiled in every process
if numba_is_known():
    try:
        from .kernels.dispatcher import KernelDispatcher as _DISPATCHER  # noqa: N814
    except (ImportError, AttributeError):
        STORE.why_not_shipped = f"Numba {numba.__version__} has other insides than expected"
else:
    STORE.why_not_shipped = f"Numba {numba.__version__} is not known yet"


class KernelCounts(NamedTuple):
    """How many kernels this process has compiled and loaded so far (not counting those that only kernels call).

    And how often Python stood in for one.
    """

    compiled: int
    loaded: int
    interpreted: int  # as reports call it


def keep_kernels_in(folder: Path | None) -> None:
    """Choose the user's folder of compiled kernels; None: keep nothing on disk. Call before the first build."""
    STORE.keep_in(folder)


def why_kernels_are_not_kept() -> str:
    """Into which folder kernels that were compiled could not be written, and why; nothing where all is well."""
    return STORE.why_not_kept if STORE.tally.compiled else ""


def tell_compiling(listener: Callable[[int], object] | None) -> None:
    """Call `listener` before each kernel that has to be compiled, with its number among those that were called since.

    It is called on the thread that compiles, which holds the compiler's lock: it must be quick and call no kernel.
    """
    before = _called()
    STORE.before_compiling = None if listener is None else lambda: listener(_called() - before + 1)


def _called() -> int:
    return len(STORE.tally.compiled) + len(STORE.tally.loaded)


def kernel_folder() -> Path | None:
    """The user's folder of compiled kernels; None where none are kept there."""
    return None if _DISPATCHER is None or config.DISABLE_JIT else STORE.folder()


def why_no_kernel_folder() -> str:
    """Why there is none."""
    if _DISPATCHER is None:
        return STORE.why_not_shipped
    return "NUMBA_DISABLE_JIT is set" if config.DISABLE_JIT else STORE.why_not_kept or "nobody wants them to be"


def let_build_cold(way: ColdBuild | None) -> None:
    """Choose who calls builds of this process, knowing what to do where kernels are not compiled yet; None: nobody."""
    _cold_build[:] = [] if way is None else [way]


def builds(function: Callable[_Given, _Built]) -> Callable[_Given, _Built]:
    """`function` builds from its arguments alone, so that it can be begun again; `let_build_cold` says who calls it."""

    @functools.wraps(function)
    def call(*arguments: _Given.args, **names: _Given.kwargs) -> _Built:
        if not _cold_build:
            return function(*arguments, **names)
        built: _Built = _cold_build[0](function, arguments, names)
        return built

    return call


def has_shipped_kernels() -> bool:
    """Whether there are compiled kernels beside the sources that fit here."""
    return STORE.has_shipped()


def kernel_counts() -> KernelCounts:
    """What became of the kernels that were called."""
    return KernelCounts(*(len(names) for names in (STORE.tally.compiled, STORE.tally.loaded, STORE.tally.stood_in)))


def kernels_since(before: KernelCounts) -> dict[str, Any]:
    """For a report: how many kernels were compiled and loaded since then, and why the shipped ones were not used."""
    counts = [now - then for now, then in zip(kernel_counts(), before, strict=True)]
    why = STORE.why_not_shipped if any(counts) else ""  # another process may have compiled what is loaded
    return {**dict(zip(KernelCounts._fields, counts, strict=True)), "why_compiled": why}


def kernel(function: _Function) -> _Function:
    """Compile `function` on first call: no GIL, IEEE division, no fast-math, and remembered on disk.

    Only kernels of this package are remembered: what others import is not known well enough to see every edit.
    """
    return _compiled(function, _OPTIONS, kept=is_ours(source_of(function.__code__.co_filename)))


def inlined(function: _Function) -> _Function:
    """Compile a kernel's helper as a part of every caller; it is not kept by itself.

    For helpers that are called once a triangle, row or span with a dozen arguments: as calls they cost 1.5 times the
    whole of rasterization. (Numba's own `inline="always"` works before optimization and made such loops slower.)
    """
    return _compiled(function, {**_OPTIONS, "forceinline": True}, kept=False)


def borrowing(function: _Function) -> _Function:
    """Compile a kernel's helper that makes no arrays as a part of every caller, without counting who holds arrays.

    All arrays of all bundles that are handed over are counted otherwise, at every call: 0.1 to 0.4 µs for a dozen of
    them, more than most helpers take for the rest.
    """
    return _compiled(function, {**_OPTIONS, "forceinline": True, "_nrt": False}, kept=False)


def _compiled(function: _Function, options: dict[str, Any], *, kept: bool) -> _Function:
    if config.DISABLE_JIT:
        return function
    if _DISPATCHER is None:
        return numba.njit(**{name: value for name, value in options.items() if name != "nopython"})(function)
    return _DISPATCHER(function, dict(options), kept=kept)
