"""Work in turns: the thread that asks and its helpers each take the next job; results come in the order of the jobs."""

from __future__ import annotations

import _thread
from collections import deque
from collections.abc import Callable, Generator, Iterable
from itertools import islice
from typing import Generic, TypeVar, cast

from .kernels.plain_python import way_here
from .threads import Share, handed_over

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")
_AHEAD = 4  # jobs for each thread that are made before the first of them is through


class _Turn(Generic[_Job, _Result]):
    """One job, and what comes of it."""

    __slots__ = ("_ended", "_failure", "_result", "job")

    def __init__(self, job: _Job) -> None:
        self.job = job
        self._result: _Result | None = None
        self._failure: BaseException | None = None
        self._ended = _thread.allocate_lock()
        self._ended.acquire()

    def take(self, work: Callable[[_Job], _Result]) -> None:
        try:
            self._result = work(self.job)
        except BaseException as reason:  # noqa: BLE001 - it is raised where the result is asked for
            self._failure = reason
        self._ended.release()

    def is_through(self) -> bool:
        return not self._ended.locked()

    def result(self) -> _Result:
        """Wait for it; raises what the work has raised."""
        self._ended.acquire()
        if self._failure is not None:
            raise self._failure
        return cast("_Result", self._result)


def in_turns(work: Callable[[_Job], _Result], jobs: Iterable[_Job], threads: int) -> Generator[_Result, None, None]:
    """Call `work` for every job on so many threads, the calling one included; yield the results in the order of jobs.

    Jobs are made on the calling thread, a few ahead, and results are dropped as soon as they are taken, so that memory
    does not grow with their number. When this ends, however it does, no helper is at work any more.
    """
    waiting: deque[_Turn[_Job, _Result]] = deque()
    untaken: deque[_Turn[_Job, _Result]] = deque()
    left = iter(jobs)

    def take_turns() -> None:
        while True:
            try:
                turn = untaken.popleft()
            except IndexError:
                return
            turn.take(work)

    shares: list[Share] = []
    try:
        while True:
            made = [_Turn[_Job, _Result](job) for job in islice(left, _AHEAD * threads - len(waiting))]
            waiting.extend(made)
            untaken.extend(made)
            if not waiting:
                return
            shares = [share for share in shares if not share.is_through()]
            wanted = min(threads - 1 - len(shares), len(untaken) - 1)
            shares += [share for share in (Share(take_turns, way_here()) for _ in range(wanted)) if handed_over(share)]
            while not waiting[0].is_through():
                try:
                    turn = untaken.popleft()
                except IndexError:
                    break  # a helper has it
                turn.take(work)
            yield waiting.popleft().result()
    finally:
        untaken.clear()
        for share in shares:
            share.finish()
