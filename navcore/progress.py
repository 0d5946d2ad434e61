"""What a running build tells its caller: stage names, timings, percent; and how the caller stops it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from .errors import Cancelled
from .types import U8

Report = Callable[[str, float], object]


class Progress:
    """Reports (stage, fraction done) and carries the cancel flag. Recast: rcContext.

    `cancel()` may be called from any thread or signal handler. Kernels that must run in one piece are handed `flag` and
    poll it.
    """

    def __init__(self, report: Report | None = None, flag: U8 | None = None) -> None:
        self.flag: U8 = np.zeros(1, np.uint8) if flag is None else flag
        self.seconds: dict[str, float] = {}
        self._report = report
        self._stages = 0
        self._expected = 1

    def begin(self, stages: int) -> None:
        """A build of so many stages begins: clear what the last one left."""
        self.seconds = {}
        self._stages, self._expected = 0, max(stages, 1)

    def report(self, stage: str, fraction: float) -> None:
        """Tell the caller where the build is."""
        if self._report is not None:
            self._report(stage, min(fraction, 1.0))

    def cancel(self) -> None:
        self.flag[0] = 1

    def check(self) -> None:
        """Raise Cancelled if the caller has asked to stop."""
        if self.flag[0]:
            raise Cancelled

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time one stage and report it."""
        self.check()
        self.report(name, self._stages / self._expected)
        began = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - began
        self._stages += 1

    def done(self) -> None:
        self.report("done", 1.0)
