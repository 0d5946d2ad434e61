"""A pool of threads over kernels that release the GIL: jobs on disjoint rows, contours or polygons.

Every stage gives the same bytes for any number of threads: work is cut into bands, results are put together in band
order.
"""

from __future__ import annotations

import collections
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any

from .errors import BadInput
from .kernels.plain_python import go_here, way_here
from .progress import Progress

SMALL = 1 << 18  # columns, spans or points that one kernel works through in some hundredths of a second


class Workers:
    """`count` threads, the calling one included. Use as a context manager."""

    def __init__(self, count: int | None = None, progress: Progress | None = None) -> None:
        if count is not None and count < 1:
            raise BadInput(f"A build needs at least 1 thread, not {count}.")
        self.count = count or _cores()
        self.progress = progress or Progress()
        self._pool = helping_threads(self.count - 1, "navmesh") if self.count > 1 else None

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

        helpers = min(self.count, len(jobs)) - 1
        futures = [self._pool.submit(take_turns) for _ in range(helpers)] if self._pool is not None else []
        take_turns()
        for future in futures:
            if not future.cancel():
                future.result()
        return results

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
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)


def helping_threads(count: int, name: str) -> ThreadPoolExecutor:
    """Threads that run kernels as the calling one does."""
    return ThreadPoolExecutor(count, name, go_here, (way_here(),))


def _cores() -> int:
    """The cores this process may use (not the machine's: a container may allow fewer)."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
