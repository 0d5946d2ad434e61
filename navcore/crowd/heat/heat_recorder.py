"""A walk as it goes on, look by look: where agents are on their way, what they lose, and who is held up."""

from __future__ import annotations

import copy
from typing import NamedTuple

import numpy as np

from ...errors import BadInput
from ...geometry.connected_parts import joined_parts
from ...navquery.query_filter import QueryFilter, checked_filter
from ...navquery.status import PathStatus
from ...questions.asked import mesh_of
from ...questions.nav_query import NavQuery
from ...types import F64, I32, I64, ArrayLike, Bools
from ..crowd import EVERYBODY, checked, refuse_far
from ..track import Track
from .ground_columns import GroundColumns
from .heat import Heat, heat_of
from .held_up import HeldUp, Look, looked, nobody, with_more
from .narrow_places import NarrowPlaces, Queue, chokepoints_of, joined_places, narrow_places, still_held

_LOOK = 0.5  # seconds between two looks at how far each has still to go
_STANDS = 0.1  # of its speed: who is slower waits
_MOVED = 0.01  # metres: who has moved less has as far to go as before
_LOWEST_STOREY = 1.0  # metres


class _Agents(NamedTuple):
    """N agents."""

    ends: F64  # (N, 3)
    near: F64  # (N,) metres from its end within which its way is over
    block: F64  # (N,) metres from its end within which others' ends are
    places: F64  # (N, 3) where it was looked at last
    left: F64  # (N,) metres to its end from there; NaN where no way is known
    since: F64  # (N,) seconds since that was known
    lost: F64  # (N,) seconds so far
    is_over: Bools  # its way


class HeatRecorder:
    """Notes a walk and says, whenever it is asked, where time was lost until then. Pure: it looks at places alone.

    An agent's *time lost* is the time that it has taken beyond what it would have needed alone: the way from where it
    was to where it is now, as far as that brought it nearer to its end, at `speed`. Its way is over within two radii
    of its end, or within the room that all who share this end need; what comes later is not counted.
    """

    def __init__(
        self, query: NavQuery, *, speed: ArrayLike = 1.5, radius: float | None = None, height: float = 2.0,
        cell: float = 0.5, filter: QueryFilter | None = None,
    ) -> None:  # fmt: skip
        """`speed`: metres a second, one for all or one for each agent. `radius`, `height`, `cell`: metres."""
        if not isinstance(query, NavQuery):
            raise BadInput(f"HeatRecorder takes a NavQuery, not {type(query).__name__}.", "WRONG_KIND")
        self._cell, speeds = checked("cell", cell), _numbers("speed", speed)
        if not (speeds.ndim <= 1 and np.isfinite(speeds).all() and (speeds > 0).all()):
            raise BadInput("speed must be above 0: one number for all agents, or one for each.", "WRONG_QUESTION")
        tiles = mesh_of(query)[0].tiles
        self._query, self._speed = query.as_it_is(), speeds
        self._filter = EVERYBODY if filter is None else checked_filter(filter)
        wide = float(tiles["agent_radius"].max(initial=0.01))
        self._radius = wide if radius is None else checked("radius", radius)
        self._columns = GroundColumns(self._cell, max(checked("height", height), _LOWEST_STOREY))
        self._agents = _new_agents(np.zeros((0, 3)), np.zeros((0, 3)))
        self._held: HeldUp = nobody(np.zeros((0, 3)))
        self._found: list[NarrowPlaces] = []
        self._seconds = 0.0

    __copy__ = copy.deepcopy  # a flat copy would share what each changes in place

    def add(self, positions: ArrayLike, seconds: float, ends: ArrayLike) -> None:
        """F frames of N agents, `seconds` apart, each on its way to its end: (N, F, 3) and (N, 3) metres.

        The first frame is where all were at the end of the call before. Who is new comes last; ends may be others.
        """
        frames, there = _numbers("positions", positions), _numbers("ends", ends)
        if frames.ndim != 3 or frames.shape[2] != 3 or not frames.shape[1] or there.shape != (len(frames), 3):
            raise BadInput(
                f"positions must be (N, F, 3), and ends (N, 3); these are {frames.shape} and {there.shape}.",
                "WRONG_QUESTION",
            )
        apart = above_zero("seconds", seconds)
        self._refuse_others(frames, there)
        self._meet(frames[:, 0], there)
        step = max(round(_LOOK / apart), 1)
        for first in range(0, frames.shape[1] - 1, step):
            self._look(frames[:, first : first + step + 1], apart)

    def _refuse_others(self, frames: F64, ends: F64) -> None:
        """Raises BadInput for agents that cannot be told from those before, and for places that are none."""
        known, fast = len(self._agents.ends), self._speed.size
        if len(frames) < known:
            raise BadInput(
                f"positions hold {len(frames):,} agents, and there were {known:,}. Who is gone keeps its row: leave it "
                "where it was last.",
                "WRONG_QUESTION",
            )
        if self._speed.ndim and fast != len(frames):
            raise BadInput(
                f"speed holds {fast:,} numbers, and there are {len(frames):,} agents. Give one number for all, or one "
                "for each.",
                "WRONG_QUESTION",
            )
        refuse_far("positions", frames)
        refuse_far("ends", ends)

    def _meet(self, places: F64, ends: F64) -> None:
        """Take up who is new, and who has another end."""
        known, agents = len(self._agents.ends), self._agents
        if len(places) > known:
            new = places[known:]
            agents = _Agents(
                *(np.concatenate(both) for both in zip(agents, _new_agents(new, ends[known:]), strict=True))
            )
            self._held = with_more(self._held, new)
        turned = np.flatnonzero((agents.ends != ends).any(axis=1) | (np.arange(len(ends)) >= known))
        if len(turned):
            near, block = room_at_ends(ends, self._radius), blocks_of_ends(ends, self._radius)
            self._agents = agents = agents._replace(ends=ends.copy(), near=near, block=block)
            agents.left[turned], agents.since[turned] = self._ways_left(places[turned], ends[turned]), 0
            agents.places[turned] = places[turned]
            agents.is_over[turned] = agents.left[turned] <= agents.near[turned]

    def _ways_left(self, places: F64, ends: F64) -> F64:
        """Metres from each place to its end, as seen from above; NaN where no way leads there."""
        if not len(places):
            return np.zeros(0)
        try:
            paths = self._query.find_paths(places, ends, self._filter, exact=True)
        except BadInput as refused:
            if refused.code != "UNEQUAL_COSTS":
                raise
            paths = self._query.find_paths(places, ends, self._filter, max_nodes=None, max_path=None, max_points=None)
        legs = np.diff(paths.points[:, ::2].astype(np.float64), axis=0, append=0)
        along = np.concatenate([[0.0], np.cumsum(np.hypot(legs[:, 0], legs[:, 1]))])
        last = np.maximum(paths.offsets[1:] - 1, paths.offsets[:-1])
        left: F64 = np.where(paths.status == PathStatus.COMPLETE, along[last] - along[paths.offsets[:-1]], np.nan)
        return left

    def _look(self, frames: F64, seconds: float) -> None:
        """A short time in which all walked: how much of it was lost."""
        agents, now = self._agents, frames[:, -1]
        passed = seconds * (frames.shape[1] - 1)
        self._seconds += passed
        speed = np.broadcast_to(self._speed, len(now))
        agents.since[:] += passed
        left = agents.left.copy()
        moved = np.flatnonzero(~agents.is_over & (np.hypot(*(now - agents.places)[:, ::2].T) > _MOVED))
        left[moved] = self._ways_left(now[moved], agents.ends[moved])
        known = ~np.isnan(left) & ~np.isnan(agents.left)
        counts = ~agents.is_over & ~np.isnan(agents.left)
        lost = np.where(known & counts, agents.since - (agents.left - left) / speed, 0.0)
        agents.lost[:] += lost
        self._note(frames, seconds, lost, speed, counts)
        ended = counts & known & (left <= agents.near)
        hold = looked(self._held, Look(now, left, agents.since, np.where(counts, lost, 0), ended))
        if len(hold.agent):
            self._found.append(narrow_places(self._query, hold, agents.block[hold.agent], self._filter))
        agents.is_over[ended] = True
        agents.left[:] = np.where(known, left, agents.left)
        agents.since[known] = 0
        agents.places[known] = now[known]

    def _note(
        self, frames: F64, seconds: float, lost: F64, speed: F64, counts: Bools
    ) -> None:  # fmt: skip
        """Add to the ground what happened in these frames: agents are in the middle between two of them."""
        steps = frames.shape[1] - 1
        middles = (frames[counts, 1:] + frames[counts, :-1]) / 2
        ways = np.hypot(*np.moveaxis(np.diff(frames[counts], axis=1)[:, :, ::2], 2, 0))
        there = np.full(middles.shape[:2], seconds)
        waited = np.where(ways < _STANDS * seconds * speed[counts, None], there, 0)
        shares = np.repeat(lost[counts] / steps, steps)
        self._columns.add(middles.reshape(-1, 3), there.ravel(), shares, waited.ravel())

    def heat(self) -> Heat:
        """What there is so far."""
        agents, held = self._agents, self._held
        rows = np.flatnonzero(held.is_held & ~agents.is_over)
        queue = Queue(held.place[rows], agents.ends[rows], held.left[rows], held.lost[rows], rows)
        before = joined_places(self._found)
        standing = still_held(self._query, queue, before, self._filter)
        found = joined_places([before, narrow_places(self._query, standing, agents.block[rows], self._filter)])
        lost: F64 = np.maximum(agents.lost, 0)
        return heat_of(self._columns.sums(), self._cell, lost, chokepoints_of(found, float(lost.sum())))


def _new_agents(places: F64, ends: F64) -> _Agents:
    near, block, left, since, lost = (np.zeros(len(places)) for _ in range(5))
    return _Agents(ends.copy(), near, block, places.copy(), left, since, lost, np.zeros(len(places), bool))


# --- Ends of agents beside each other: how near is near enough, and where only those who have arrived are in the way.

_ROOM = 1.2  # radii for each agent that shares an end, times the root of how many they are
_BESIDE = 4.0  # radii: ends that are so near to each other are one block
_LEAST = 0.01  # metres
_AROUND = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) > (0, 0)]


def above_zero(name: str, value: float) -> float:
    """A finite number above 0. Raises BadInput."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = np.nan
    if not 0 < number < np.inf:
        raise BadInput(f"{name} is {value!r}. Give a finite number above 0.", "WRONG_QUESTION")
    return number


def _numbers(name: str, given: ArrayLike) -> F64:
    try:
        return np.asarray(given, np.float64)
    except (TypeError, ValueError):
        raise BadInput(f"{name} are not numbers.", "WRONG_QUESTION") from None


def room_at_ends(ends: F64, radius: float) -> F64:
    """Metres from each end within which a way is over: two radii, or the room that all who share the end need."""
    cells = np.round(ends / max(2 * radius, _LEAST)).astype(np.int64)
    _, group, sharing = np.unique(cells, axis=0, return_inverse=True, return_counts=True)
    several = sharing[group.ravel()]
    room: F64 = radius * (2 + np.where(several > 1, _ROOM * np.sqrt(several), 0))
    return room


def blocks_of_ends(ends: F64, radius: float) -> F64:
    """How long the block is, from corner to corner, that each end stands in with others beside it; 0 for one alone."""
    if not len(ends):
        return np.zeros(0)
    cells, cell = np.unique(np.floor(ends[:, ::2] / max(_BESIDE * radius, _LEAST)).astype(np.int64), axis=0,
                            return_inverse=True)  # fmt: skip
    block = _blocks(cells)[cell.ravel()]
    count = int(block.max()) + 1
    low, high = np.full((count, 2), np.inf), np.full((count, 2), -np.inf)
    np.minimum.at(low, block, ends[:, ::2])
    np.maximum.at(high, block, ends[:, ::2])
    length: F64 = np.hypot(*(high - low).T)[block]
    return length


def _blocks(cells: I64) -> I32:
    """The block of each cell: cells hang together, corners too."""
    keys = (cells[:, 0] << 32) + cells[:, 1]  # in order, as the cells are
    pairs = []
    for i, j in _AROUND:
        wanted = keys + (i << 32) + j
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        there = np.flatnonzero(keys[at] == wanted)
        pairs.append(np.stack([there, at[there]], axis=1))
    one, other = np.concatenate(pairs).T
    return joined_parts(len(cells), one, other)


def walk_heat(
    query: NavQuery, track: Track, ends: ArrayLike, *, speed: ArrayLike = 1.5, radius: float | None = None,
    height: float = 2.0, cell: float = 0.5, filter: QueryFilter | None = None,
) -> Heat:  # fmt: skip
    """Where the agents of a track lost time on their way to their ends, and what held them up.

    `speed`: what they walk where nobody is in their way, metres a second, one for all or one for each. `radius`, by
    which an end is reached: that of the navmesh's agent, unless given. `height`: theirs, by which floors are told
    apart. `cell`: metres. Only `positions` and `frames_per_second` of the track are looked at, so that it may come
    from any other crowd.
    """
    recorder = HeatRecorder(query, speed=speed, radius=radius, height=height, cell=cell, filter=filter)
    recorder.add(track.positions, 1 / above_zero("frames_per_second", track.frames_per_second), ends)
    return recorder.heat()
