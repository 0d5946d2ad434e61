"""Building on many machines: a Dask cluster as an executor, and what to say when workers die. No scheduler of our own.

`distributed` is optional; it is imported when a cluster is asked for, not before.
"""

from __future__ import annotations

import gc
import re
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from ...errors import BadInput, NavmeshError
from ...geometry.tile_key import TileKey
from ...progress import Progress
from .tile_jobs import opened_there, unpacked

_ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_RETRIES = 2  # of a job that fails on one machine, for want of memory say, and may not on another
_LOOKS = 0.2  # seconds between looks at the connection
_COUNTS = 1.0  # seconds between counts of the workers
_PATIENCE = 60.0  # seconds without any worker
_AHEAD_EACH, _FEWEST_AHEAD = 3, 8  # jobs for every thread of the workers that are handed over before one is taken back
_UNKNOWN = 10  # threads of an executor that does not say how many it has
_MAX_NAMES = 8  # tiles named in one message
_CONNECTION_LOST = "the connection to the scheduler is lost"


@contextmanager
def dask_executor(
    address: str, timeout: float = 10.0, *, patience: float = _PATIENCE, progress: Progress | None = None
) -> Iterator[Executor]:
    """An executor over the workers of the Dask scheduler at `address`, for `build_navmesh(…, executor=…)`.

    The cluster builds the tiles of lost workers again, and gives up on one that took its scheduler's `allowed-failures`
    workers with it. Its workers need this package in the same version; another one is refused by name. While there is
    no worker, `progress` says so; after `patience` seconds the build is given up.
    """
    try:
        from distributed import Client
    except ImportError:
        raise NavmeshError(
            "Building on a Dask cluster needs the package 'distributed'. Install it: pip install distributed.",
            "DASK_MISSING",
        ) from None
    if not _ADDRESS.fullmatch(address):  # asked before, as distributed can stall on what is no address
        raise _unreachable(address, "not an address")
    try:
        client = Client(address, timeout=timeout, set_as_default=False)
    except (OSError, ValueError) as reason:
        raise _unreachable(address, (str(reason).splitlines() or [type(reason).__name__])[0].rstrip(". ")) from None
    with client, _loaded_set_aside(), _watched(client, patience, progress) as executor:
        yield executor


@contextmanager
def _loaded_set_aside() -> Iterator[None]:
    """Keep what is loaded by now out of Python's search for garbage, unless somebody has done so already.

    Those are a hundred thousand objects, most of them Dask's, that stay; each look at them all took as long as handing
    a thousand tiles over.
    """
    if gc.get_freeze_count() > 0:
        yield
        return
    gc.collect(1)  # what is young and garbage already need not stay
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def guarded(executor: Executor, progress: Progress) -> Iterator[Executor]:
    """`executor`, but one that a Dask client made of itself is watched like that of `dask_executor`."""
    if type(executor).__module__ != "distributed.cfexecutor":
        yield executor
        return
    with _watched(executor._client, _PATIENCE, progress) as watched:  # type: ignore[attr-defined]
        yield watched


def threads_of(executor: Executor) -> int:
    """How many jobs it does at a time, as far as one can know."""
    return executor.size if isinstance(executor, _Watched) else int(getattr(executor, "_max_workers", 0)) or _UNKNOWN


def jobs_ahead(executor: Executor) -> int:
    """How many jobs to hand over before the first is taken back: enough for every worker while one job takes long."""
    return max(_FEWEST_AHEAD, _AHEAD_EACH * threads_of(executor))


@contextmanager
def _watched(client: Any, patience: float, progress: Progress | None) -> Iterator[Executor]:
    watched = _Watched(client, patience, progress)
    try:
        yield watched
    finally:
        watched.shutdown()


class _Watched(Executor):
    """A client's executor whose jobs fail when nobody can do them; distributed would leave them waiting forever."""

    def __init__(self, client: Any, patience: float, progress: Progress | None) -> None:
        self._client, self._executor = client, client.get_executor(pure=False, retries=_RETRIES)
        self._patience, self._progress = patience, progress
        self._waiting: set[Future[Any]] = set()
        self._ended = Event()
        self.size = 0  # threads of all workers
        self._counted = self._worked = time.monotonic()
        self._count()
        self._watch = Thread(target=self._look, name="navmesh-cluster", daemon=True)
        self._watch.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The future is our own: the client's may not be ended by others."""
        if not self._reachable():
            raise BrokenExecutor(_CONNECTION_LOST)
        if not self._waiting:
            self._worked = time.monotonic()  # nobody has waited for a worker until now
        theirs: Future[Any] = self._executor.submit(*opened_there(work, *args, **kwargs))
        ours: Future[Any] = Future()
        self._waiting.add(ours)
        ours.add_done_callback(self._waiting.discard)
        ours.add_done_callback(lambda _: theirs.cancel())
        theirs.add_done_callback(lambda _: self._heard(theirs, ours))
        return ours

    def _heard(self, theirs: Future[Any], ours: Future[Any]) -> None:
        self._worked = time.monotonic()  # there was a worker, also where it died before it was counted
        _pass_on(theirs, ours)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ended.set()
        if wait:
            self._watch.join(_LOOKS + _COUNTS)
        if cancel_futures:
            self._break(BrokenExecutor("the executor was shut down"))

    def _look(self) -> None:
        while not self._ended.wait(_LOOKS):
            if not self._reachable():
                self._break(BrokenExecutor(_CONNECTION_LOST))
                continue
            if time.monotonic() - self._counted > _COUNTS:
                self._count()
            idle = time.monotonic() - self._worked
            if self.size == 0 and self._waiting and self._progress is not None:
                self._progress.report("waiting for workers", min(idle / self._patience, 1.0))
            if self.size == 0 and idle > self._patience:
                self._break(_no_workers(self._patience))

    def _count(self) -> None:
        """Ask for the number of threads; a scheduler that does not answer is noticed elsewhere."""
        with suppress(OSError, RuntimeError):
            self.size = sum(self._client.nthreads().values())
        self._counted = time.monotonic()
        if self.size or not self._waiting:
            self._worked = self._counted

    def _reachable(self) -> bool:
        return bool(self._client.status == "running")

    def _break(self, reason: Exception) -> None:
        for future in list(self._waiting):
            with suppress(InvalidStateError):  # done meanwhile
                future.set_exception(reason)


def _pass_on(source: Future[Any], target: Future[Any]) -> None:
    """What became of one future becomes of the other, unless it has ended already."""
    if source.cancelled():
        target.cancel()
        return
    reason = source.exception()
    if isinstance(reason, Exception) and not isinstance(reason, (NavmeshError, ImportError)):
        # What a tile runs into becomes an error of ours where it is built, so this is the cluster's: a client that has
        # given up connecting ends its futures with whatever comes of that, a bare ValueError for one.
        lost = BrokenExecutor(f"{type(reason).__name__}: {reason}")
        lost.__cause__ = reason
        reason = lost
    with suppress(InvalidStateError):
        if reason is not None:
            target.set_exception(reason)
        else:
            target.set_result(unpacked(source.result()))


def _no_workers(patience: float) -> NavmeshError:
    return NavmeshError(
        f"The Dask cluster has had no worker for {patience:g} seconds. Start some with 'dask worker' and the "
        "scheduler's address, and look at what they say if they end at once.",
        "DASK_NO_WORKERS",
    )


def _unreachable(address: str, reason: str) -> NavmeshError:
    return BadInput(
        f"There is no Dask scheduler at '{address}' ({reason}). Start one with 'dask scheduler' and give the address "
        "that it prints, such as tcp://127.0.0.1:8786.",
        "DASK_UNREACHABLE",
    )


def is_lost(future: Future[Any]) -> bool:
    """Whether a job ended because its worker did. Executors drop the jobs of a scheduler that is gone."""
    if not future.done():
        return False
    if future.cancelled():
        return True
    reason = future.exception()
    return isinstance(reason, BrokenExecutor) or type(reason).__module__.partition(".")[0] == "distributed"


def worker_lost(places: Sequence[TileKey | str]) -> NavmeshError:
    """The error that names the tiles, or the sections of a world, which died with their workers."""
    return NavmeshError(
        f"Lost {_named(places)}: the workers that were to build them died, or their scheduler did. "
        "Often memory ran out: lower tile_size or use fewer workers.",
        "WORKER_LOST",
    )


def executor_failed(places: Sequence[TileKey | str], reason: Exception) -> NavmeshError:
    """The error for what an executor could not have built, for a reason of its own."""
    return NavmeshError(
        f"The executor did not build {_named(places)}: it raised {type(reason).__name__} ({reason}). Look at what "
        "its workers say, or build without it.",
        "EXECUTOR_FAILED",
    )


def _named(places: Sequence[TileKey | str]) -> str:
    """Tiles by their places, sections by their names."""
    names = [f"“{place}”" if isinstance(place, str) else str(place) for place in places[:_MAX_NAMES]]
    what = "sections" if any(isinstance(place, str) for place in places) else "tiles"
    more = f" and {len(places) - len(names):,} more" if len(places) > len(names) else ""
    return f"{what} {', '.join(names)}{more}"
