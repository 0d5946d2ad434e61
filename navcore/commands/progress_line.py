"""One line on a terminal that says where a command is, what it compiles, and how long it still takes.

Where standard error is no terminal, as on build machines, there is none: thousands of lines in a log help nobody. What
is compiled is told there all the same, by `compile_ahead/said_meanwhile.py`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable

from ..compile_ahead import starter
from ..compile_ahead.usual_kernels import OF_GROUND
from ..kernels.plain_python import is_standing_in
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
        self._compiles: tuple[int, float] | None = None  # the number of the first kernel, and when that was
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
        """A kernel is being compiled, the one with this number of those that were called.

        Where Python stands in for the others on this thread, few have to be.
        """
        with self._lock:
            about = OF_GROUND if is_standing_in() else self.kernels
            known = about is not None and number <= about
            what = f"{number} of about {about} kernels" if known else f"kernel {number}"
            notes = ["first build on this machine"] if starter.current() is not None else []
            notes += self._compiling_left(number, about) if about is not None and known else []
            before = f"{self._where()}, " if self._stage else ""
            after = f" ({'; '.join(notes)})" if notes else ""
            self._write(f"{before}compiling {what}{after}")
            self._shown = 0.0

    def compiled(self, number: int, about: int | None = None) -> None:
        """Other processes have compiled so many kernels, of about so many where that is known."""
        with self._lock:
            known = about is not None and number < about
            what = f"{number + 1} of about {about} kernels" if known else f"kernel {number + 1}"
            left = self._compiling_left(number + 1, about) if about is not None and known else []
            self._write(f"compiling {what}{f' ({left[0]})' if left else ''}")

    def _compiling_left(self, number: int, about: int) -> list[str]:
        """How long the others may take: as long as those before them."""
        now = self._clock()
        if self._compiles is None or number <= self._compiles[0]:
            self._compiles = number, now
        first, began = self._compiles
        if now - began < _KNOWN_AFTER:
            return []
        return [f"about {_in_words((now - began) / (number - first) * (about - number + 1))} left"]

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
