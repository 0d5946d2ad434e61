"""Building on many machines: a Dask cluster as an executor, and what to say when workers die. No scheduler of our own.

`distributed` is optional; it is imported when a cluster is asked for, not before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any, Protocol

from .errors import BadInput, NavmeshError

_ADDRESS = re.compile(r"((tcp|tls|ws|wss)://)?([^\s/:\[\]]+|\[[0-9a-fA-F:.]+\]):\d{1,5}")
_RETRIES = 2  # of a job that fails on one machine, for want of memory say, and may not on another
_LOOKS = 0.2  # seconds between looks at the connection
_MOST_NAMES = 8  # tiles named in one message


class Placed(Protocol):
    """A job that belongs to a tile."""

    @property
    def x(self) -> int: ...
    @property
    def y(self) -> int: ...


@contextmanager
def dask_executor(address: str, timeout: float = 10.0) -> Iterator[Executor]:
    """An executor over the workers of the Dask scheduler at `address`, for `build_navmesh(…, executor=…)`.

    The cluster builds the tiles of lost workers again, and gives up on one that took its scheduler's `allowed-failures`
    workers with it. Its workers need this package in the same version.
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
    with client:
        watched = _Watched(client)
        try:
            yield watched
        finally:
            watched.shutdown()


class _Watched(Executor):
    """A client's executor whose jobs fail when the scheduler is gone; distributed would leave them waiting forever."""

    def __init__(self, client: Any) -> None:
        self._client, self._executor = client, client.get_executor(pure=False, retries=_RETRIES)
        self._waiting: set[Future[Any]] = set()
        self._ended = Event()
        self._watch = Thread(target=self._look, name="navmesh-cluster", daemon=True)
        self._watch.start()

    def submit(self, work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(work, *args, **kwargs)
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        self._ended.set()
        if wait:
            self._watch.join()
        if cancel_futures:
            self._break()

    def _look(self) -> None:
        while not self._ended.wait(_LOOKS):
            if not self._reachable():
                self._break()

    def _reachable(self) -> bool:
        return bool(self._client.status == "running")

    def _break(self) -> None:
        for future in list(self._waiting):
            with suppress(InvalidStateError):  # done meanwhile
                future.set_exception(BrokenExecutor("the connection to the scheduler is lost"))


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


def worker_lost(jobs: Sequence[Placed]) -> NavmeshError:
    """The error that names the tiles which died with their workers."""
    names = [f"({job.x}, {job.y})" for job in jobs[:_MOST_NAMES]]
    more = f" and {len(jobs) - len(names):,} more" if len(jobs) > len(names) else ""
    return NavmeshError(
        f"Lost tiles {', '.join(names)}{more}: the workers that were to build them died, or their scheduler did. "
        "Often memory ran out: lower tile_size or use fewer workers.",
        "WORKER_LOST",
    )
