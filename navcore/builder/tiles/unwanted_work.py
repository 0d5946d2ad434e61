"""Work on a Dask worker that nobody waits for any more: noticed there, and stopped."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from threading import Event, Thread

from ...types import U8

_LOOKS = 0.1  # seconds between looks


class Unwanted(BrokenExecutor):
    """The cluster has taken a job back from its worker; who waits for it nevertheless has lost it."""


@contextmanager
def noticing(cancelled: U8) -> Iterator[None]:
    """Set the cancel flag as soon as the task that runs on this thread is dropped; elsewhere do nothing."""
    dropped = task_dropped()
    if dropped is None:
        yield
        return
    ended = Event()

    def look() -> None:
        while not ended.wait(_LOOKS):
            if dropped():
                cancelled[0] = 1

    watch = Thread(target=look, name="navmesh-unwanted", daemon=True)
    watch.start()
    try:
        yield
    finally:
        ended.set()
        watch.join()


def task_dropped() -> Callable[[], bool] | None:
    """Whether the Dask task of this thread has been dropped, as a question that any thread may ask; None: it is none.

    A cluster lets running tasks run on when their futures are cancelled. Their worker is told all the same.
    """
    if "distributed.worker" not in sys.modules:
        return None
    from distributed import get_worker

    try:
        worker = get_worker()
        key = worker.get_current_task()
    except (ValueError, KeyError):  # a process that knows Dask, but a thread that is no worker's
        return None

    def dropped() -> bool:
        task = worker.state.tasks.get(key)
        return task is None or task.state == "cancelled"

    return dropped
