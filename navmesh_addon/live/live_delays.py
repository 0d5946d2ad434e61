"""The delays of live mode: after a change until it looks, finishes and writes; and the times from which they count."""

from __future__ import annotations

from ..sliced_work import QUIET

# All in seconds.
DELAY_AFTER_CHANGE = QUIET  # until it looks at what changed
DELAY_IN_DRAG = 0.25  # at least, between two looks while something is dragged
DELAY_UNTIL_FINISHED = 0.4  # of rest, until the whole navmesh is put together
DELAY_UNTIL_WRITTEN = 1.0  # of rest, until the mesh objects are written
DELAY_OF_SETTINGS = 0.2  # between two looks at the settings, of which nobody says that they changed
TICK_BUSY, TICK_REST, TICK_IDLE = 0.02, 0.1, 0.25  # until the next tick: working, something is awaited, nothing is


class Times:
    """When things happened to a navmesh that is followed, on the clock of `time.monotonic`."""

    def __init__(self) -> None:
        self.last_change = 0.0
        self.announced = 0.0  # when the change came that is being followed; 0 for none
        self.of_last_update = 0.0  # seconds that it took
        self.ready_after: list[float] = []  # seconds from a change to the pictures of its tiles, the last few
        self.shown_after: list[float] = []  # and until Blender's main loop took them: it may be drawing

    def changed(self, now: float) -> None:
        """Something did."""
        self.last_change = now
        self.announced = self.announced or now

    def updated(self, seconds: float, ended: float, now: float) -> None:
        """What was announced is built."""
        self.of_last_update = seconds
        if self.announced:
            self.ready_after = [*self.ready_after[-99:], ended - self.announced]
            self.shown_after = [*self.shown_after[-99:], now - self.announced]
        self.announced = 0.0
