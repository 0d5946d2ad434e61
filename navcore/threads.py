"""Helping threads over kernels that release the GIL: jobs on disjoint rows, contours or polygons.

Every stage gives the same bytes for any number of threads: work is cut into bands, results are put together in band
order. Threads never wait for one another inside a kernel, so that none can wait for ever: who asks for something takes
jobs as well, and takes those back that no helper has begun.
"""

from __future__ import annotations

import _thread
import collections
import os
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, TypeVar

from .errors import BadInput
from .kernels.plain_python import go_here, way_here
from .progress import Progress

_Result = TypeVar("_Result")
SMALL = 1 << 18  # columns, spans or points that one kernel works through in some hundredths of a second


class Workers:
    """`count` threads, the calling one included. Use as a context manager."""

    def __init__(self, count: int | None = None, progress: Progress | None = None) -> None:
        if count is not None and count < 1:
            raise BadInput(f"A build needs at least 1 thread, not {count}.")
        self.count = count or _cores()
        self.progress = progress or Progress()
        self.spare: Callable[[], object] | None = None  # work that nobody waits for until the end

    def run(self, kernel: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call `kernel(*job)` for every job; results in the order of the jobs. Cancelling is looked at between jobs."""
        if len(jobs) == 1:  # by far the most frequent: each stage of each tile
            self.progress.check()
            return [kernel(*jobs[0])]
        results: list[Any] = [None] * len(jobs)
        # Each thread takes the next one: a future for every job cost several times as much.
        left = iter(range(len(jobs)))

        def take_turns() -> None:
            try:
                for i in left:
                    self.progress.check()
                    results[i] = kernel(*jobs[i])
            finally:  # where one has failed, no thread begins another
                collections.deque(left, 0)

        together(take_turns, min(self.count, len(jobs)) - 1)
        return results

    def both(self, work: Callable[[], _Result], beside: Callable[[], object] | None) -> _Result:
        """The result of `work`, while a helper calls `beside`; where there is none, that is called afterwards."""
        if beside is None:
            return work()
        result: list[_Result] = []
        self.run(lambda call: call(), [(lambda: result.append(work()),), (beside,)])
        return result[0]

    def alone(self, work: Callable[[], _Result]) -> _Result:
        """The result of `work`, which threads cannot share; a helper does the spare work meanwhile."""
        spare, self.spare = self.spare, None
        return self.both(work, spare)

    def bands(self, length: int, least: int = 1, most: int | None = None) -> list[tuple[int, int]]:
        """Cut 0:length into ranges, one a thread.

        None is shorter than `least` (small work is not worth a thread) nor longer than `most` (so that cancelling is
        seen).
        """
        if self.count == 1 and most is None:
            return [(0, length)]
        pieces = max(1, min(self.count, length // max(least, 1)))
        if most is not None and length > most * pieces:
            pieces = self.count * -(-length // (most * self.count))
        return [(length * i // pieces, length * (i + 1) // pieces) for i in range(pieces)]

    def in_one_call(self, amount: int, shared_from: int = 0) -> bool:
        """Whether a stage is one call of one kernel: so little that cancelling can wait, and for one thread.

        Less than `shared_from` is for one thread wherever there are several. Tiles are built so: Python between small
        kernels took half of a tile's time, and threads take turns at Python. Cancelling is looked at here.
        """
        self.progress.check()
        return amount <= SMALL and (self.count == 1 or amount < shared_from)

    def __enter__(self) -> Workers:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to end: `run` comes back when all threads are done."""


# --- Threads that stay for some seconds after they have helped.
#
# Starting one takes a third of a millisecond, as long as a stage of a small level; waking one a quarter of that.

IDLE_SECONDS = 5.0  # that a helper waits for more to do, then it ends
_idle: list[_Helper] = []  # those that wait: taking one out is what makes it somebody's
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # a forked process has none of them


def together(work: Callable[[], object], helpers: int) -> None:
    """Call `work` here and on so many helpers at once; return when all calls that have begun are at their end.

    Helpers that have not begun when the call here ends are not waited for. Raises what a call raises, first its own.
    """
    shares = [Share(work, way_here()) for _ in range(helpers)]
    begun = sum(map(handed_over, shares))
    try:
        work()
    finally:
        for share in shares[:begun]:
            share.finish()
    for share in shares[:begun]:
        if share.failure is not None:
            raise share.failure


class Share:
    """One call of some work, on a helper, or taken back before it has begun."""

    __slots__ = ("_begun", "_ended", "_way", "_work", "failure")

    def __init__(self, work: Callable[[], object], way: Any) -> None:
        self._work, self._way = work, way
        self._begun, self._ended = _thread.allocate_lock(), _thread.allocate_lock()
        self._ended.acquire()
        self.failure: BaseException | None = None

    def begin(self) -> None:
        """Do the work, unless it has been taken back."""
        if not self._begun.acquire(blocking=False):
            return
        try:
            go_here(self._way)
            self._work()
        except BaseException as reason:  # noqa: BLE001 - it is raised on the thread that asked
            self.failure = reason

    def end(self) -> None:
        """Let go who waits."""
        self._ended.release()

    def is_through(self) -> bool:
        """Whether a helper has come to its end."""
        return not self._ended.locked()

    def finish(self) -> None:
        """Take it back, or wait for its end."""
        if not self._begun.acquire(blocking=False):
            self._ended.acquire()


class _Helper:
    """A thread that waits for shares of work."""

    __slots__ = ("_share", "_wake")

    def __init__(self) -> None:
        self._share: Share | None = None
        self._wake = _thread.allocate_lock()
        self._wake.acquire()
        _thread.start_new_thread(self._serve, ())

    def take(self, share: Share) -> None:
        """Begin with a share; the helper must not be among the idle."""
        self._share = share
        self._wake.release()

    def _serve(self) -> None:
        while self._is_woken():
            share, self._share = self._share, None
            if share is not None:
                share.begin()
                _idle.append(self)  # before its end is told: who asks again finds it here
                share.end()
            del share  # nothing of a build is kept while a helper waits

    def _is_woken(self) -> bool:
        """Whether there is more to do; False when nobody has come for it in time."""
        while not self._wake.acquire(timeout=IDLE_SECONDS):
            try:
                _idle.remove(self)
            except ValueError:  # somebody has just taken it out, and is about to wake it
                continue
            return False
        return True


def handed_over(share: Share) -> bool:
    """Whether a helper could be had for it."""
    try:
        helper = _idle.pop()
    except IndexError:
        try:
            helper = _Helper()
        except RuntimeError:  # the process ends, or may have no more threads: who asks does it alone
            return False
    helper.take(share)
    return True


def _cores() -> int:
    """The cores this process may use (not the machine's: a container may allow fewer)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
