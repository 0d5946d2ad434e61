"""Where a walk that goes on loses time, noted on its thread, drawn and listed as it walks. Nothing here touches bpy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ....navcore.crowd.heat.heat import Heat
    from ....navcore.crowd.heat.heat_recorder import HeatRecorder
    from ....navcore.crowd.heat.narrow_places import Chokepoint
    from ....navcore.navquery.query_filter import QueryFilter
    from ....navcore.questions.nav_query import NavQuery
    from ....navcore.views.picture import Picture

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
_BLOCK = 0.5  # seconds that are noted together
_ANEW = 1.0  # seconds of the walk between two maps
_LONGEST = 1200  # blocks that are kept for who asks later: ten minutes


class ShownHeat(NamedTuple):
    """What is drawn and listed."""

    what: str  # a field of `Heat`
    picture: Picture
    chokepoints: tuple[Chokepoint, ...]
    mean_time_lost: float  # seconds


class HeatOfWalk:
    """Notes a walk; makes a map of it, and anew every second, as soon as somebody asks for one."""

    def __init__(self, query: NavQuery, speed: float, height: float, chosen: QueryFilter) -> None:
        self.wanted = ""  # the field of `Heat` that is shown; the main thread says which
        self.shown: ShownHeat | None = None
        self._asked = query, speed, height, chosen
        self._recorder: HeatRecorder | None = None
        self._blocks: list[tuple[F32, float, F64]] = []  # frames, seconds between them, ends
        self._frames: list[F32] = []
        self._began, self._now, self._made = 0.0, 0.0, -_ANEW

    def note(self, seconds: float, positions: F32, end: Sequence[float]) -> None:
        """Where all are after so many seconds, on their way to this end."""
        came = bool(self._frames) and len(self._frames[0]) != len(positions)
        if came:
            self._close(end)
        if came or not self._frames:
            self._frames, self._began = [positions], seconds
        elif seconds > self._now:
            self._frames.append(positions)
        self._now = seconds
        if seconds - self._began >= _BLOCK:
            self._close(end)
            self._frames, self._began = [positions], seconds

    def _close(self, end: Sequence[float]) -> None:
        """What was noted since the last time is one block."""
        if len(self._frames) > 1:
            ends = np.tile(np.array(end, np.float64), (len(self._frames[0]), 1))
            between = (self._now - self._began) / (len(self._frames) - 1)
            self._blocks.append((np.stack(self._frames, axis=1), between, ends))
            del self._blocks[: len(self._blocks) - _LONGEST]

    def update(self) -> None:
        """Make the map that is wanted, if there is a newer one."""
        what, shown = self.wanted, self.shown
        if not what or not (self._blocks or self._recorder):
            self.shown = None
            return
        if shown is not None and shown.what == what and self._now - self._made < _ANEW:
            return
        if self._blocks or shown is None or shown.what != what:
            self.shown, self._made = shown_heat(self._recorded().heat(), what), self._now

    def _recorded(self) -> HeatRecorder:
        """All that was noted so far."""
        from ....navcore.crowd.heat.heat_recorder import HeatRecorder

        query, speed, height, chosen = self._asked
        self._recorder = self._recorder or HeatRecorder(query, speed=speed, height=height, filter=chosen)
        for block in self._blocks:
            self._recorder.add(*block)
        self._blocks = []
        return self._recorder


def shown_heat(heat: Heat, what: str) -> ShownHeat:
    """Squares over the ground where agents walked, and a ring around each place that held them up."""
    from ....navcore.views.heat_faces import heat_faces

    return ShownHeat(what, heat_faces(heat, what), heat.chokepoints, heat.mean_time_lost)
