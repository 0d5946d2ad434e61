"""A build that computes for far longer than anything of its size takes is stopped, and reported as an error of ours.

Time is counted in seconds of computing, not of the clock: a busy machine or one that sleeps is no hang.
"""

from __future__ import annotations

import _thread
import time
from types import TracebackType

from ...errors import NavmeshError
from ...progress import Progress

LEAST_SECONDS = 300.0  # of one stage, or one tile, and thread: compiling all kernels takes a minute
SECONDS_PER_COLUMN = 1e-4  # a hundred times what a column takes
_PATIENCE = 1.0  # seconds between looks


class StageHangs(NavmeshError):
    """A stage does not come to an end."""

    code = "STAGE_HANGS"


class HangGuard:
    """Use as a context manager around a build: it sets the cancel flag, and `check` says why."""

    def __init__(self, progress: Progress, threads: int) -> None:
        self._progress, self._threads = progress, threads
        self._limit = LEAST_SECONDS * threads
        self._running = _thread.allocate_lock()  # held while the build runs
        self._stuck = ""

    def allow(self, columns: int) -> None:
        """Large grids may take longer."""
        self._limit = (LEAST_SECONDS + columns * SECONDS_PER_COLUMN) * self._threads

    def check(self) -> None:
        """Raise StageHangs if it was the guard who stopped the build."""
        if self._stuck:
            raise StageHangs(
                f"The stage {self._stuck!r} did not come to an end within {self._limit:,.0f} seconds of computing, far "
                "beyond what a level of this size takes, and was stopped. Change Cell Size a little or use tiles."
            )

    def __enter__(self) -> HangGuard:
        # (Starting a threading.Thread and joining it took a hundredth of a small build.)
        self._running.acquire()
        _thread.start_new_thread(self._watch, ())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.release()  # wakes the thread, which ends

    def _watch(self) -> None:
        beats, since = -1, 0.0
        # (Before the first stage begins there is nothing to name, and nothing that could hang.)
        while not self._running.acquire(timeout=_PATIENCE):
            if self._progress.beats != beats:
                beats, since = self._progress.beats, time.process_time()
            elif self._progress.now and time.process_time() - since > self._limit:
                self._stuck = self._progress.now
                self._progress.cancel()
                return
