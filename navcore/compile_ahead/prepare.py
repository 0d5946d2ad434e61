"""`navcore.prepare`: compiling kernels when there is time for it, as in the layers of a container."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from ..errors import NavmeshError
from ..kernels.kept_kernels import has_shipped_kernels, kernel_counts, kernel_folder, why_no_kernel_folder
from . import starter
from .processes import EVERYTHING, USUAL, compile_here, wanted
from .said_meanwhile import begin_saying

OF_USUAL, OF_EVERYTHING = 72, 103  # kernels that are compiled, give or take some
_LOOKS = 0.1  # seconds
_UNHURRIED = starter.Manner(share_all=True)


class Prepared(NamedTuple):
    """What `prepare` did."""

    compiled: int  # kernels; 0 where nothing was to be done
    folder: Path | None  # where they are kept; None where the ones that are shipped fit here
    seconds: float


def prepare(usual: bool = False, progress: Callable[[int, int], object] | None = None) -> Prepared:
    """Compile every kernel into the user's cache folder, so that no build has to, with several processes.

    With `usual` only what levels with usual settings need, in three quarters of the time. `progress` is called with the
    number of kernels that are compiled, and about how many will be. Where compiled kernels are shipped for this
    computer, or all were compiled before, nothing is done. Raises `NavmeshError` where there is no folder for them.
    """
    began = time.monotonic()
    if has_shipped_kernels():
        return Prepared(0, None, 0.0)
    folder, task = kernel_folder(), USUAL if usual else EVERYTHING
    if folder is None:
        raise NavmeshError(
            f"Compiled kernels cannot be kept: {why_no_kernel_folder()}. Make the folder one that this user alone can "
            "write to, or name another in XDG_CACHE_HOME.",
            "KERNELS_NOT_KEPT",
        )
    if not wanted(folder, task):
        return Prepared(0, folder, 0.0)
    compiled = _by_processes(folder, usual, progress or _silent)
    if wanted(folder, task):  # nothing could be started, or it ended early
        before = kernel_counts().compiled
        compile_here(task, folder)
        compiled += kernel_counts().compiled - before
    return Prepared(compiled, folder, time.monotonic() - began)


def _by_processes(folder: Path, usual: bool, progress: Callable[[int, int], object]) -> int:
    """How many kernels were compiled by others."""
    compiler = starter.begin(folder, whole=not usual, manner=_UNHURRIED)
    begin_saying()
    try:
        while compiler is not None and compiler.running:
            progress(compiler.compiled, OF_USUAL if usual else OF_EVERYTHING)
            time.sleep(_LOOKS)
        return 0 if compiler is None else compiler.compiled
    finally:
        starter.stop()


def _silent(_number: int, _about: int) -> None:
    """Nobody wants to know."""
