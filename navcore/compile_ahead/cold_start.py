"""The first builds where nobody has compiled kernels yet: other processes compile beside them, and share what they do.

A build is tried with the kernels that are there. Where one is missing, processes are started and it is begun again: it
compiles what it comes to, unless another process does already. On a small level it compiles no further than what goes
through every column, and Python stands in for all else. That is for the very first build: the next compiles the rest.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from ..builder.cold_builds import let_build_cold
from ..errors import Cancelled
from ..kernels.kept_kernels import has_shipped_kernels, kernel_folder
from ..kernels.plain_python import NotByPython, NotKept, Way, only_kept, standing_in
from ..level_source import LevelSource
from ..progress import Progress, ProgressReport
from ..settings import Settings
from . import starter
from .processes import NEEDED, wanted
from .usual_kernels import is_small
from .waiting import without_all_kernels

_LOOKS = 0.05  # seconds between looks at whether the caller has cancelled
_Made = TypeVar("_Made")
_by_python: list[bool] = []  # whether Python stood in for a build
_begun: list[int] = []  # processes that have started others: none does it twice


def watch_builds() -> None:
    """From now on, let other processes compile where builds of this one need what is not compiled."""
    let_build_cold(_build)


def begin() -> bool:
    """Whether other processes compile; they are started where that is sensible."""
    if starter.current() is not None:
        return True
    folder = kernel_folder()
    if folder is None or os.getpid() in _begun or has_shipped_kernels() or _is_one_of_many() or _is_alone():
        return False
    _begun.append(os.getpid())
    return starter.begin(folder, whole=False, manner=starter.Manner(spared=1)) is not None


def _is_alone() -> bool:
    """On one core nobody can help, unless somebody says so."""
    return starter.cores() == 1 and not os.environ.get(starter.VARIABLE)


def _is_one_of_many() -> bool:
    """Whether this is a worker of a pool or a cluster: each compiles for all, none starts processes of its own.

    Asked of modules that are loaded in every such worker.
    """
    pool, cluster = sys.modules.get("multiprocessing.process"), sys.modules.get("distributed.worker")
    if pool is not None and pool.parent_process() is not None:
        return True
    return getattr(getattr(cluster, "thread_state", None), "key", None) is not None


def _build(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """What `function` returns, which is called once or several times."""
    folder = kernel_folder()
    if names.get("on_tile") is not None:  # tiles are handed over only once
        _ = folder is not None and wanted(folder, NEEDED) and begin()
        return function(*arguments, **names)
    try:
        with only_kept():
            return function(*arguments, **names)
    except NotKept as missing:
        if not begin() or missing.is_late or not _is_small(inspect.signature(function).bind(*arguments, **names)):
            return function(*arguments, **names)
    return _build_by_python(function, arguments, names)


def _build_by_python(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """The same, where Python stands in for what works on little, unless the kernels are there before the navmesh is."""
    caller, compiler = _Caller(names.get("progress")), starter.current()

    def make(progress: Progress) -> Any:
        return function(*arguments, **{**names, "progress": progress})

    if compiler is not None:
        try:
            with caller.heard():
                built = without_all_kernels(make, caller.begin(), compiler, Way.STAND_IN_LATE)
            _by_python[:] = [True]
            return built
        except (NotByPython, Cancelled):
            if caller.cancelled:
                raise Cancelled from None
    return function(*arguments, **names)


def work_on_little(work: Callable[[], _Made]) -> _Made:
    """What `work` does with a small level, and can begin again: Python stands in where it did for the build."""
    if _by_python and starter.current() is not None:
        with contextlib.suppress(NotByPython), standing_in():
            return work()
    return work()


def _is_small(given: inspect.BoundArguments) -> bool:
    names = given.arguments
    if "navmesh" in names:
        return False
    level = names["vertices"]
    if not isinstance(level, LevelSource):
        level = LevelSource(level, (), bounds=names.get("bounds"))
    return is_small(np.asarray(level.vertices), names.get("settings") or Settings(), level.bounds)


class _Caller:
    """Who has called the build: hears how far it is, and may cancel it."""

    def __init__(self, watch: Progress | ProgressReport | None) -> None:
        self._watch = watch
        self._progress: Progress | None = None

    @property
    def cancelled(self) -> bool:
        return isinstance(self._watch, Progress) and bool(self._watch.cancelled[0])

    def begin(self) -> Progress:
        """For a build that may be stopped without the caller's doing."""
        self._progress = Progress(self._watch.report if isinstance(self._watch, Progress) else self._watch)
        return self._progress

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """While this lasts, the caller's cancelling stops what was begun last."""
        ended = threading.Event()

        def listen() -> None:
            while not ended.wait(_LOOKS):
                if self.cancelled and self._progress is not None:
                    self._progress.cancel()

        listening = threading.Thread(target=listen, daemon=True)
        listening.start()
        try:
            yield
        finally:
            ended.set()
            listening.join()
