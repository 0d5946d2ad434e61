"""Where compiled kernels are kept and whether they are, and how many of them this process compiled and loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from .chosen_dispatcher import IS_KEEPING, config
from .kernel_store import STORE


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
    return STORE.folder() if IS_KEEPING and not config.DISABLE_JIT else None


def why_no_kernel_folder() -> str:
    """Why there is none."""
    if not IS_KEEPING:
        return STORE.why_not_shipped
    return "NUMBA_DISABLE_JIT is set" if config.DISABLE_JIT else STORE.why_not_kept or "nobody wants them to be"


def has_shipped_kernels() -> bool:
    """Whether there are compiled kernels beside the sources that fit here."""
    return STORE.has_shipped()


def is_compiling() -> bool:
    """Whether this process compiles a kernel now."""
    return STORE.is_compiling


def kernel_counts() -> KernelCounts:
    """What became of the kernels that were called."""
    return KernelCounts(*(len(names) for names in (STORE.tally.compiled, STORE.tally.loaded, STORE.tally.stood_in)))


def kernels_since(before: KernelCounts) -> dict[str, Any]:
    """For a report: how many kernels were compiled and loaded since then, and why the shipped ones were not used."""
    counts = [now - then for now, then in zip(kernel_counts(), before, strict=True)]
    why = STORE.why_not_shipped if any(counts) else ""  # another process may have compiled what is loaded
    return {**dict(zip(KernelCounts._fields, counts, strict=True)), "why_compiled": why}
