"""Running jobs of some tiles each on an executor, and taking their results back in the order of the jobs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, Future, wait
from typing import Generic, NamedTuple, Protocol, TypeVar

from ...errors import NavmeshError
from ...geometry.tile_key import TileKey
from ...progress import Progress
from .dask_cluster import executor_failed, is_lost, worker_lost
from .job_parcels import not_opened

_PATIENCE = 0.1  # seconds between looks at the cancel flag, which other processes don't see
_MAX_READY = 64  # results that were there without a job and wait for their turn


class Job(Protocol):
    """Some tiles that one worker is to build."""

    @property
    def places(self) -> Sequence[TileKey]: ...
    def alone(self: _Job) -> Sequence[_Job]:
        """The same tiles, each as a job of its own."""
        ...


_Job = TypeVar("_Job", bound=Job)
_Result = TypeVar("_Result")


class Ready(NamedTuple, Generic[_Result]):
    """In the place of a job: its results, which are there already."""

    results: list[_Result]


class _Waiting(NamedTuple, Generic[_Job, _Result]):
    """A job that was handed over; None: there was nothing to do."""

    job: _Job | None
    future: Future[list[_Result]]


def in_order(
    work: Callable[[_Job], list[_Result]],
    jobs: Iterable[_Job | Ready[_Result]],
    executor: Executor,
    ahead: Callable[[Executor], int],
    progress: Progress,
) -> Iterator[list[_Result]]:
    """Run `work` on every job, `ahead(executor)` at a time, and yield the results of each in the order of the jobs.

    Jobs are made only when there is room for them and results are dropped as soon as they are taken, so that memory
    does not grow with the number of tiles. Tiles that were lost with their workers are tried again, each by itself.
    """
    waiting: deque[_Waiting[_Job, _Result]] = deque()
    ready = 0
    try:
        for job in jobs:
            progress.check()
            waiting.append(
                _Waiting(None, _there(job.results))
                if isinstance(job, Ready)
                else _Waiting(job, _submitted(work, job, executor))
            )
            ready += isinstance(job, Ready)
            while waiting and (
                waiting[0].job is None or len(waiting) - ready >= ahead(executor) or ready >= _MAX_READY
            ):
                ready -= waiting[0].job is None
                yield _first_results(work, waiting, executor, progress)
        while waiting:
            yield _first_results(work, waiting, executor, progress)
    finally:
        for _, future in waiting:
            future.cancel()


def _there(results: list[_Result]) -> Future[list[_Result]]:
    future: Future[list[_Result]] = Future()
    future.set_result(results)
    return future


def _submitted(work: Callable[[_Job], list[_Result]], job: _Job, executor: Executor) -> Future[list[_Result]]:
    try:
        return executor.submit(work, job)
    except Exception as reason:  # noqa: BLE001 - executors that are gone raise what they like; it is told below
        future: Future[list[_Result]] = Future()
        future.set_exception(reason)
        return future


def _first_results(
    work: Callable[[_Job], list[_Result]],
    waiting: deque[_Waiting[_Job, _Result]],
    executor: Executor,
    progress: Progress,
) -> list[_Result]:
    """Wait for the job handed over first; where it fails, the error is ours and names all tiles that went with it."""
    job, future = waiting[0]
    _wait_for(future, progress)
    if job is not None and is_lost(future):
        results = _tried_alone(work, job, waiting, executor, progress)
        waiting.popleft()
        return results
    _raise_failure(waiting)
    waiting.popleft()
    return future.result()


def _tried_alone(
    work: Callable[[_Job], list[_Result]],
    job: _Job,
    waiting: deque[_Waiting[_Job, _Result]],
    executor: Executor,
    progress: Progress,
) -> list[_Result]:
    """The results of a lost job, its tiles built one after the other while nothing else runs.

    So the tile that takes workers with it is named, and none of those that only ran beside it.
    """
    for _, other in waiting:
        _wait_for(other, progress)
    results: list[_Result] = []
    for single in job.alone():
        progress.check()
        try:
            future = executor.submit(work, single)
        except Exception as reason:  # executors that are gone raise what they like
            raise worker_lost(_places(other for other in waiting if is_lost(other.future))) from reason
        try:
            _wait_for(future, progress)
        finally:
            future.cancel()
        trial = [_Waiting(single, future)]
        if is_lost(future):
            raise worker_lost(_places(trial)) from _reason(future)
        _raise_failure(trial)
        results += future.result()
    return results


def _wait_for(future: Future[list[_Result]], progress: Progress) -> None:
    progress.check()
    while not future.done():
        wait([future], _PATIENCE)
        progress.check()


def _raise_failure(waiting: Sequence[_Waiting[_Job, _Result]]) -> None:
    """If the first job has failed, raise why; an executor's own error names all tiles that it failed for."""
    reason = _reason(waiting[0].future)
    if isinstance(reason, Exception) and not isinstance(reason, NavmeshError):
        failed = [other for other in waiting if type(_reason(other.future)) is type(reason)]
        raise (not_opened(reason) or executor_failed(_places(failed), reason)) from reason


def _places(waiting: Iterable[_Waiting[_Job, _Result]]) -> list[TileKey]:
    return [place for job, _ in waiting if job is not None for place in job.places]


def _reason(future: Future[list[_Result]]) -> BaseException | None:
    """Why a job failed, as far as that is known."""
    return future.exception() if future.done() and not future.cancelled() else None
