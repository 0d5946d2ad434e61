"""Looking at many objects while somebody works: a timer does it in slices, some time after the last change."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TypeVar

import bpy

from .good_moment import hindrance

QUIET = 0.2  # seconds after the last change until somebody looks at the level
SLICE = 0.007  # seconds after which a slice ends: with its last step it takes half of a frame
GO_ON, PAUSE = False, True  # what steps yield; PAUSE before a step of milliseconds, which gets a slice of its own
_BETWEEN = 0.001  # seconds until the next slice: Blender handles events and draws in between
_BUSY = 0.5  # seconds until we look again whether work is welcome

_Result = TypeVar("_Result")
Slices = Generator[bool, None, _Result]
Steps = Generator[bool, None, None]


def at_once(steps: Slices[_Result]) -> _Result:
    """What comes of work in steps, without a pause."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: _Result = end.value
            return result


class SlicedWork:
    """Work in many small steps. Whenever it is asked for, it begins anew, and what was half done is dropped.

    Steps may hold references into the scene: objects that are removed between two slices raise ReferenceError, and the
    work begins anew. In background mode no timer ever fires: there `finish` does it all at once.
    """

    def __init__(self, begin: Callable[[], Steps], delay: float) -> None:
        self._begin, self._delay = begin, delay
        self._steps: Steps | None = None
        self._begins_anew = False
        self._due = 0.0
        self._timer = self._slice  # one object: Blender knows a timer by its address
        self.asked = False

    def ask(self) -> None:
        """Something changed. Called often, so it does next to nothing."""
        self._due = time.monotonic() + self._delay
        self._begins_anew = True  # the timer drops what is half done: of ten thousand objects that takes a millisecond
        self.asked = True
        if not bpy.app.background and not bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.register(self._timer, first_interval=self._delay)

    def finish(self) -> None:
        """Do at once what was asked for."""
        if self.asked:
            self._steps = None
            at_once(self._begin())
            self.asked = False

    def forget(self) -> None:
        """Another file, or the end."""
        self._steps, self.asked = None, False
        if bpy.app.timers.is_registered(self._timer):
            bpy.app.timers.unregister(self._timer)

    def _slice(self) -> float | None:
        """Called by a timer, outside of drawing."""
        if not self.asked:
            return None
        now = time.monotonic()
        if now < self._due:
            return self._due - now
        is_welcome = hindrance(bpy.context) is None
        if self._begins_anew or not is_welcome:
            self._steps, self._begins_anew = None, False
        if not is_welcome:
            return _BUSY
        until = time.perf_counter() + SLICE
        try:
            self._steps = self._steps or self._begin()
            while time.perf_counter() < until and not next(self._steps):
                pass
        except StopIteration:
            self._steps, self.asked = None, False
            return None
        except ReferenceError:  # what was looked at is gone
            self._steps = None
        return _BETWEEN
