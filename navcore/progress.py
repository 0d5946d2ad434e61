"""What a running build tells its caller: stage names, timings, percent; and how the caller stops it."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from .errors import Cancelled
from .types import U8

ProgressReport = Callable[[str, float], object]


class Progress:
    """Reports (stage, fraction done) and carries the cancel flag. Recast: rcContext.

    `cancel()` may be called from any thread or signal handler. Kernels that must run in one piece are handed
    `cancelled` and poll it.
    """

    def __init__(self, report: ProgressReport | None = None, cancelled: U8 | None = None) -> None:
        self.cancelled: U8 = np.zeros(1, np.uint8) if cancelled is None else cancelled
        self.seconds: dict[str, float] = {}
        self.beats, self.now = 0, ""  # how often the build came on, and to which stage it came last
        self._report = report
        self._stages = 0
        self._expected = 1

    def begin(self, stages: int) -> None:
        """A build of so many stages begins: clear what the last one left."""
        self.seconds = {}
        self._stages, self._expected = 0, max(stages, 1)

    def report(self, stage: str, fraction: float) -> None:
        """Tell the caller where the build is."""
        self.beats, self.now = self.beats + 1, stage
        if self._report is not None:
            self._report(stage, min(fraction, 1.0))

    def cancel(self) -> None:
        self.cancelled[0] = 1

    def check(self) -> None:
        """Raise Cancelled if the caller has asked to stop."""
        if self.cancelled[0]:
            raise Cancelled

    def stage(self, name: str) -> _Stage:
        """Use as `with progress.stage("rasterize"):` to time a stage and report it."""
        return _Stage(self, name)

    def _begin_stage(self, name: str) -> None:
        self.check()
        self.report(name, self._stages / self._expected)

    def _end_stage(self, name: str, seconds: float) -> None:
        self.seconds[name] = self.seconds.get(name, 0.0) + seconds
        self._stages += 1

    def done(self) -> None:
        self.report("done", 1.0)


class _Stage:
    """One stage while it runs. (A class: a generator would cost three times as much for every stage of every tile.)"""

    __slots__ = ("_began", "_name", "_progress")

    def __init__(self, progress: Progress, name: str) -> None:
        self._progress, self._name = progress, name

    def __enter__(self) -> None:
        self._progress._begin_stage(self._name)
        self._began = time.perf_counter()

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._progress._end_stage(self._name, time.perf_counter() - self._began)
