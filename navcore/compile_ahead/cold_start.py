"""Builds where not all kernels are compiled yet: other processes compile beside them, and share what they do.

A build is tried with the kernels that are there. Where one is missing, processes are started and it is begun again: it
compiles what it comes to, unless another process does already. On a small level it compiles no further than what goes
through every column, and Python stands in for all else, also in the next build and program, until all is there. Where
it can do all that is missing, processes are started only if it takes long: they would take its time, and would be gone
with a command before they had compiled anything.
Few tiles are built stage by stage where the kernel for whole tiles is missing: that one is for many.

Questions and links are compiled here, and beside it by processes that begin with what this one comes to last
(`asked_kernels`).
"""

from __future__ import annotations

import atexit
import contextlib
import inspect
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..builder.cold_builds import let_build_cold, stage_by_stage
from ..errors import Cancelled
from ..kernels.kept_kernels import has_shipped_kernels, kernel_folder
from ..kernels.kernel_store import STORE
from ..kernels.plain_python import NotByPython, NotKept, Way, only_kept, standing_in
from ..level_source import LevelSource
from ..progress import Progress, ProgressReport
from ..settings import Settings
from ..types import F32
from . import starter
from .processes import ASKED, LINKS, NEEDED, QUESTIONS, USUAL, wanted
from .said_meanwhile import log_meanwhile
from .usual_kernels import has_few_tiles, is_small
from .waiting import without_all_kernels

_SOON = 1.5  # seconds that a build by Python goes on without help: on a small level it takes one
_LOOKS = 0.05  # seconds between looks at whether the caller has cancelled
_FEW_TRIANGLES = 20_000  # Python looks at so many in a second
_Made = TypeVar("_Made")
_by_python: list[bool] = []  # whether Python stood in for a build
_begun: dict[tuple[int, str], object] = {}  # processes that have started others, and for what: none does it twice
_later: list[threading.Timer] = []  # what starts them soon, if a build is not over by then
_OF_QUESTIONS = ".navquery."  # modules that only questions need


class _Level(NamedTuple):
    """What tells how large a level is."""

    triangles: int
    vertices: F32
    settings: Settings
    bounds: Sequence[float] | None


def watch_builds() -> None:
    """From now on, let other processes compile where builds of this one need what is not compiled, and say so."""
    log_meanwhile()
    let_build_cold(_build)
    STORE.at_missing = _help


def _help(module: str) -> None:
    """A kernel is about to be compiled here."""
    if _OF_QUESTIONS in f"{module}.":
        begin_for_questions()
    elif _later:
        begin()


def begin_for_questions(_module: str = "") -> None:
    """Somebody asks, and a kernel is missing: so are others."""
    begin(QUESTIONS)


def begin(task: str = USUAL) -> bool:
    """Whether other processes compile; they are started where that is sensible."""
    for timer in _later[:]:
        timer.cancel()
    _later.clear()
    if starter.current() is not None:
        return True
    folder, own = _folder_to_fill(task), object()
    if folder is None or _begun.setdefault((os.getpid(), task), own) is not own:  # another thread does
        return False
    if task in ASKED:
        return starter.begin_asked(folder, task, spared=1) is not None
    return starter.begin(folder, whole=False, manner=starter.Manner(spared=1)) is not None


def _begin_soon() -> bool:
    """The same, when something has to be compiled here, or in a moment: the build may be over by then."""
    if _later or starter.current() is not None:
        return True
    folder = _folder_to_fill(USUAL)
    if folder is None or not starter.would_begin(folder, USUAL):
        return False
    timer = threading.Timer(_SOON, begin)
    timer.daemon = True
    _later.append(timer)
    timer.start()
    atexit.register(_end, timer)
    return True


def _end(timer: threading.Timer) -> None:
    """No process is started any more, and one that just was ends with this one."""
    timer.cancel()
    timer.join()
    starter.stop()


def _folder_to_fill(task: str) -> Path | None:
    """Where other processes would put kernels; None where none are to be started."""
    folder = kernel_folder()
    if (os.getpid(), task) in _begun or has_shipped_kernels() or _is_one_of_many() or _is_alone():
        return None
    return folder


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
    if names.get("on_tile") is not None:
        return _hand_over(function, arguments, names)
    with contextlib.suppress(NotKept), only_kept():
        return function(*arguments, **names)
    return _begun_again(partial(function, *arguments), names, _level_of(function, arguments, names))


def _hand_over(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """Tiles are handed over once. Those of a small level are kept until all are built: it may be begun again."""
    level, caller = _level_of(function, arguments, names), _Caller(names.get("progress"))
    if not callable(names["on_tile"]) or level is None or not is_small(*level[1:], tiled=True):
        folder = kernel_folder()
        _ = folder is not None and wanted(folder, NEEDED) and begin()
        return function(*arguments, **names)
    tiles: list[tuple[Any, ...]] = []

    def build(**names: Any) -> Any:
        tiles.clear()
        return function(*arguments, **{**names, "on_tile": lambda *tile: tiles.append(tile)})

    kept = {name: value for name, value in names.items() if name != "on_tile"}
    try:
        with only_kept():
            built = build(**kept)
    except NotKept:
        built = _begun_again(build, kept, level)
    for tile in tiles:
        if caller.cancelled:
            raise Cancelled
        names["on_tile"](*tile)
    return built


def _begun_again(build: Callable[..., Any], names: dict[str, Any], level: _Level | None) -> Any:
    """What `build` returns, now that a kernel is missing."""
    if level is not None and has_few_tiles(*level[1:]):
        with stage_by_stage():
            with contextlib.suppress(NotKept), only_kept():  # it was the one for whole tiles
                return build(**names)
            return _helped(build, names, level)
    return _helped(build, names, level)


def _helped(build: Callable[..., Any], names: dict[str, Any], level: _Level | None) -> Any:
    if level is None or not is_small(*level[1:], tiled=True):
        _ = _begin_for_links(level) or begin()
    elif _begin_for_links(level) or _begin_soon():
        return _build_by_python(build, names, few=level.triangles <= _FEW_TRIANGLES)
    return build(**names)


def _begin_for_links(level: _Level | None) -> bool:
    return level is not None and level.settings.generate_links and begin(LINKS)


def _build_by_python(build: Callable[..., Any], names: dict[str, Any], *, few: bool) -> Any:
    """The same, where Python stands in for what works on little, unless the kernels are there before the navmesh is."""
    caller = _Caller(names.get("progress"))

    def make(progress: Progress) -> Any:
        return build(**{**names, "progress": progress})

    try:
        with caller.heard():
            way = Way.STAND_IN_FEW if few else Way.STAND_IN_LATE
            built = without_all_kernels(make, caller.begin(), starter.current(), way)
        _by_python[:] = [True]
        return built
    except (NotByPython, Cancelled):
        if caller.cancelled:
            raise Cancelled from None
    return build(**names)


def writes_later(vertices: F32, settings: Settings, bounds: Sequence[float] | None) -> bool:
    """Whether tiles are better written when all are built: Python can begin that again, and not each tile's."""
    folder = kernel_folder()
    if folder is None or has_shipped_kernels() or not is_small(vertices, settings, bounds, tiled=True):
        return False
    return wanted(folder, USUAL)


def work_on_little(work: Callable[[], _Made]) -> _Made:
    """What `work` does with a small level, and can begin again: Python stands in where it did for the build."""
    if _by_python and (_later or starter.current() is not None):
        with contextlib.suppress(NotByPython), standing_in():
            return work()
    return work()


def _level_of(function: Callable[..., Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> _Level | None:
    """A level that is built; None where a part of it is built, elsewhere, or nothing that can be built."""
    given = inspect.signature(function).bind(*arguments, **names).arguments
    if "navmesh" in given or given.get("executor") is not None:
        return None
    level, settings = given["vertices"], given.get("settings") or Settings()
    if not isinstance(level, LevelSource):
        level = LevelSource(level, given.get("triangles", ()), bounds=given.get("bounds"))
    vertices = np.asarray(level.vertices)
    if vertices.ndim != 2 or vertices.shape[1] != 3 or vertices.dtype.kind not in "fiu":
        return None
    triangles = np.size(level.triangles) // 3
    return _Level(triangles, vertices, settings, level.bounds) if isinstance(settings, Settings) else None


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
