"""Running the jobs of tiles on an executor, and taking their results back in the order of the jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, wait
from typing import Generic, NamedTuple, TypeVar

from ...errors import NavmeshError
from ...progress import Progress
from .dask_cluster import Placed, executor_failed, is_lost, worker_lost
from .job_parcels import not_opened

_PATIENCE = 0.1  # seconds between looks at the cancel flag, which other processes don't see
_MOST_READY = 256  # results that were there without a job and wait for their turn

_Job = TypeVar("_Job", bound=Placed)
_Result = TypeVar("_Result")


class Ready(NamedTuple, Generic[_Result]):
    """In the place of a job: its result, which is there already."""

    x: int
    y: int
    result: _Result


def in_order(
    work: Callable[[_Job], _Result],
    jobs: Iterable[_Job | Ready[_Result]],
    executor: Executor,
    ahead: Callable[[Executor], int],
    progress: Progress,
) -> Iterator[_Result]:
    """Run `work` on every job, `ahead(executor)` at a time, and yield results in the order of the jobs.

    Jobs are made only when there is room for them and results are dropped as soon as they are taken, so that memory
    does not grow with the number of tiles.
    """
    waiting: deque[tuple[Placed, Future[_Result]]] = deque()
    ready = 0
    try:
        for job in jobs:
            progress.check()
            future = _there(job.result) if isinstance(job, Ready) else _submitted(work, job, executor)
            waiting.append((job, future))
            ready += isinstance(job, Ready)
            while waiting and (
                isinstance(waiting[0][0], Ready) or len(waiting) - ready >= ahead(executor) or ready >= _MOST_READY
            ):
                ready -= isinstance(waiting[0][0], Ready)
                yield _first_result(waiting, progress)
        while waiting:
            yield _first_result(waiting, progress)
    finally:
        for _, future in waiting:
            future.cancel()


def _there(result: _Result) -> Future[_Result]:
    future: Future[_Result] = Future()
    future.set_result(result)
    return future


def _submitted(work: Callable[[_Job], _Result], job: _Job, executor: Executor) -> Future[_Result]:
    try:
        return executor.submit(work, job)
    except Exception as reason:  # noqa: BLE001 - executors that are gone raise what they like; it is told below
        future: Future[_Result] = Future()
        future.set_exception(reason)
        return future


def _first_result(waiting: deque[tuple[Placed, Future[_Result]]], progress: Progress) -> _Result:
    """Wait for the job handed over first; where it fails, the error is ours and names all tiles that went with it."""
    future = waiting[0][1]
    progress.check()
    while not future.done():
        wait([future], _PATIENCE)
        progress.check()
    if is_lost(future):
        raise worker_lost([job for job, other in waiting if is_lost(other)]) from _reason(future)
    reason = future.exception()
    if isinstance(reason, Exception) and not isinstance(reason, NavmeshError):
        failed = [job for job, other in waiting if type(_reason(other)) is type(reason)]
        raise (not_opened(reason) or executor_failed(failed, reason)) from reason
    waiting.popleft()
    return future.result()


def _reason(future: Future[_Result]) -> BaseException | None:
    """Why a job failed, as far as that is known."""
    return future.exception() if future.done() and not future.cancelled() else None
