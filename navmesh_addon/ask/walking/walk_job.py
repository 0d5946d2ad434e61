"""Agents walk on a thread of their own, as fast as time passes. Nothing here may touch bpy."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from ...background import Job
from .capsules import trails
from .heat_of_walk import HeatOfWalk

if TYPE_CHECKING:
    from concurrent.futures import Future

    from ....navcore.crowd.crowd import Crowd
    from ....navcore.navquery.query_filter import QueryFilter
    from ....navcore.progress import Progress
    from ....navcore.questions.nav_query import NavQuery
    from ....navcore.views.picture import Picture

Made = TypeVar("Made")
F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
TICK = 1 / 30  # seconds of a step
_LATE = 0.25  # seconds: a thread that is farther behind lets the walk take longer
_TRAIL, _TRAILS = 0.2, 120  # seconds between two points of a trail, and how many points


class WalkOrder(NamedTuple):
    """Who walks: metres, y up."""

    start: Sequence[float]
    end: Sequence[float]
    filter: QueryFilter
    height: float
    speed: float
    seed: int
    most: int  # agents
    size: str = ""  # whose ground they keep to, on a navmesh for several sizes

    def of_size(self, query: NavQuery) -> WalkOrder:
        """With the filter of the size that is asked for. Raises BadInput where there is none of that name."""
        from ..path_questions import filter_for

        return self._replace(
            filter=filter_for(query, self.size, self.filter), size=self.size if query.sizes else ""
        )  # fmt: skip


class Frame(NamedTuple):
    """What is seen of N agents."""

    when: float  # seconds of the clock, when they were there
    before: F32  # (N, 3) where they were a step earlier
    places: F32  # (N, 3)
    headings: F64  # (N,)
    states: U8  # (N,) an `AgentState` each
    seconds: float  # that have passed in the walk
    rests: bool  # nobody walks any more

    def at(self, now: float) -> F32:
        """(N, 3) between the last two steps, so that agents move with every drawing."""
        part = np.float32(min(1.0, max(0.0, (now - self.when) / TICK)))
        return self.before + part * (self.places - self.before)


def on_thread(query: Future[NavQuery], work: Callable[[NavQuery, Progress], Made]) -> Job[Made]:
    """What a walk is computed by as a whole; it may be cancelled."""

    def run(job: Job[Made]) -> Made:
        progress = job.new_progress()
        job.stage = "preparing"
        return work(query.result(), progress)

    return Job("navmesh-bake", run)


class WalkJob(Job[None]):
    """It goes on until it is cancelled; not while kernels are compiled."""

    def __init__(self, query: Future[NavQuery], wanted: WalkOrder, count: int) -> None:
        super().__init__("navmesh-walk", lambda _: self._walk())
        self._query, self._wanted = query, wanted
        self._more, self._wake = deque([count]), threading.Event()
        self.asked = count  # agents, with those who could not be let in
        self.frame: Frame | None = None  # None while kernels are compiled or the navmesh is made ready
        self.radius = 0.0
        self.trails: Picture | None = None
        self.heat: HeatOfWalk | None = None  # likewise
        self._shows_heat = ""
        self.refused = 0  # agents for whom there was no free ground, or who were too many

    @property
    def ends(self) -> tuple[Sequence[float], Sequence[float]]:
        """Where agents set out, and where they walk to."""
        return self._wanted.start, self._wanted.end

    def add(self, count: int) -> None:
        """So many more agents."""
        self._more.append(count)
        self.asked += count
        self._wake.set()

    def follow(self, start: Sequence[float], end: Sequence[float]) -> None:
        """From now on agents walk to this end, those who already do, too; who is added sets out from this start."""
        self._wanted = self._wanted._replace(start=start, end=end)
        self._wake.set()

    def show_heat(self, what: str) -> None:
        """Which field of `Heat` is to be drawn; "" for none."""
        if what != self._shows_heat:
            self._shows_heat = what
            self._wake.set()

    def cancel(self) -> None:
        super().cancel()
        self._wake.set()

    def _walk(self) -> None:
        from ....navcore.crowd.crowd import Crowd
        from ....navcore.crowd.track import is_at_rest

        query = self._query.result()
        wanted = self._wanted = self._wanted.of_size(query)
        crowd = Crowd(
            query, height=wanted.height, max_speed=wanted.speed, seed=wanted.seed, step=TICK, size=wanted.size or None
        )
        self.radius = crowd.radius
        heat = HeatOfWalk(query, self._wanted.speed, self._wanted.height, self._wanted.filter)
        self.heat = heat
        points: deque[F32] = deque(maxlen=_TRAILS)
        end = self._wanted.end
        before, last = time.perf_counter(), -_TRAIL
        while not self.cancelled:
            if end != self._wanted.end:
                end = self._wanted.end
                crowd.redirect(end)
            while self._more:
                self._let_in(query, crowd, self._more.popleft())
            now = time.perf_counter()
            here = crowd.positions
            rests = is_at_rest(crowd)
            if not rests and now - before >= TICK:
                passed = min(_LATE, now - before)
                crowd.step(passed)
                before = now
            heat.note(crowd.seconds, crowd.positions, end)
            self.frame = Frame(now, here, crowd.positions, crowd.headings, crowd.states, crowd.seconds, rests)
            if crowd.seconds - last >= _TRAIL:
                points.append(crowd.positions)
                self.trails, last = trails(points), crowd.seconds
            heat.wanted = self._shows_heat
            heat.update()
            self._wake.wait(1.0 if rests else max(0.001, before + TICK - time.perf_counter()))
            self._wake.clear()
            if rests:
                before = time.perf_counter()

    def _let_in(self, query: NavQuery, crowd: Crowd, count: int) -> None:
        wanted = self._wanted
        room = max(0, min(count, wanted.most - len(crowd)))
        free = free_places(query, wanted.start, room, crowd.radius, wanted.filter, crowd.positions)
        if len(free):
            crowd.add_many(free, np.tile(np.array(wanted.end, np.float32), (len(free), 1)), wanted.filter)
        self.refused += count - len(free)


# --- Free ground around the start, for agents that set out together. Needs no bpy; metres, y up.

_APART = 2.2  # radii between the middles of two
_RINGS = 30  # of places that are looked at around the start
_ASIDE = 0.02  # metres: a place that is farther from the navmesh, as seen from above, is not on it
_HEIGHTS = 2.0  # metres up and down in which a place's ground is looked for


def free_places(
    query: NavQuery, start: Sequence[float], count: int, radius: float, chosen: QueryFilter, taken: F32
) -> F32:
    """(up to `count`, 3) places on ground that can be reached from the start, the nearest first.

    None is nearer than two radii to those in `taken`, nor to another. The first is the start itself, if it is free.
    """
    nearest = query.nearest(start, filter=chosen)
    if nearest.references[0] == 0:
        return np.zeros((0, 3), np.float32)
    wanted = nearest.points[0] + _lattice(_APART * radius)
    found = query.nearest(wanted.astype(np.float32), (max(radius, _ASIDE), _HEIGHTS, max(radius, _ASIDE)), chosen)
    beside = np.abs(found.points - wanted)[:, ::2].max(axis=1)
    reached = query.reachable_from(nearest.references, chosen).references
    good = (found.references != 0) & (beside <= _ASIDE) & np.isin(found.references, reached)
    apart = np.ones(len(wanted), bool)
    for place in taken:
        apart &= np.linalg.norm((found.points - place)[:, ::2], axis=1) >= 2 * radius
    free: F32 = found.points[good & apart][:count]
    return free


def _lattice(apart: float) -> F64:
    """(., 3) a triangular lattice around the origin, level, the nearest first."""
    row, column = (part.ravel() for part in np.mgrid[-_RINGS : _RINGS + 1, -_RINGS : _RINGS + 1])
    places = np.column_stack([column + row / 2, np.zeros(len(row)), row * np.sqrt(0.75)])
    distance = np.round(np.linalg.norm(places, axis=1), 6)
    angle = np.round(np.arctan2(places[:, 2], places[:, 0]), 6)
    order = np.lexsort((angle, distance))
    order = order[distance[order] <= _RINGS * np.sqrt(0.75)]
    return np.asarray(places[order] * apart, np.float64)
