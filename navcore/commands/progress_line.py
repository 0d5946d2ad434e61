"""One line on a terminal that says where a command is, what it compiles, and how long it still takes.

Where standard error is no terminal, as on build machines, there is none: thousands of lines in a log help nobody.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from .console import write_error

_CLEAR = "\r\x1b[K"
_BETWEEN = 0.1  # seconds between two looks of one stage
_KNOWN_AFTER = 2.0  # seconds of a stage from which the rest can be told
_KNOWN_STEPS = 3  # how often it must have come on until then


class ProgressLine:
    """Is called with a stage and the fraction that is done, from any thread."""

    def __init__(self, kernels: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.kernels = kernels  # about as many are called, where that is known
        self._clock = clock
        self._lock = threading.Lock()
        self._stage, self._fraction, self._steps = "", 0.0, 0
        self._since, self._at, self._shown = 0.0, 0.0, 0.0  # when the stage began, with which fraction; last look

    def __call__(self, stage: str, fraction: float) -> None:
        with self._lock:
            now = self._clock()
            if stage == "done":
                self._stage = ""
                self._write("")
                return
            if stage != self._stage or fraction < self._fraction:
                self._stage, self._since, self._at, self._steps, self._shown = stage, now, fraction, 0, 0.0
            elif fraction > self._fraction:
                self._steps += 1
            self._fraction = fraction
            if not self._shown or now - self._shown >= _BETWEEN or fraction >= 1:
                self._shown = now
                self._write(self._where() + self._time_left(now))

    def compiling(self, number: int) -> None:
        """A kernel is being compiled, the one with this number of those that were called."""
        with self._lock:
            known = self.kernels is not None and number <= self.kernels
            of_all = f" of about {self.kernels}" if known else ""
            before = f"{self._where()}, " if self._stage else ""
            self._write(f"{before}compiling {number}{of_all}")
            self._shown = 0.0

    def _where(self) -> str:
        return f"{self._stage} {self._fraction:4.0%}"

    def _time_left(self, now: float) -> str:
        """Known where a stage has come on steadily; the stages of a level in one piece take any time they like."""
        passed, gained = now - self._since, self._fraction - self._at
        if passed < _KNOWN_AFTER or self._steps < _KNOWN_STEPS or gained <= 0:
            return ""
        return f", {_in_words(passed / gained * (1 - self._fraction))} left"

    def _write(self, text: str) -> None:
        write_error(f"{_CLEAR}{text}", end="")


def _in_words(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"


def line_on_terminal(quiet: bool) -> ProgressLine | None:
    """A line where somebody sees it."""
    return ProgressLine() if not quiet and sys.stderr is not None and sys.stderr.isatty() else None
