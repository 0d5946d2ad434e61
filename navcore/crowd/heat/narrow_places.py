"""What is narrow where agents were held up: the gap between walls that they got through, or stand before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ...navquery.query_filter import QueryFilter
from ...navquery.status import PathStatus
from ...questions.nav_query import NavQuery
from ...types import F64, I64, Bools
from .held_up import Hold

_TOGETHER, _WIDELY = 1.5, 5.0  # metres: places that are nearer to each other are one; at most, in the open
_SAME_QUEUE, _WIDER = 20.0, 1.5  # metres between two places where one agent was held up, and times as wide
_BESIDE = 1.0  # metres: who stands so near to a way is in the queue along it
_STEP, _FARTHEST = 0.5, 30.0  # metres: along a way, and as far as a queue is followed there
_BREAK, _BEHIND = 3.0, 2.0  # metres: that a queue has no one, and past its head
_LEAST_SECONDS, _LEAST_PART = 1.0, 0.01  # lost at a place, and of all that was lost, for it to be told
_NARROW = 0.5  # of a block of ends: narrower gaps in it or before it count
_MAIN_PART = 0.1  # of all that was lost: a place that others are taken to wait for, too
_MOST = 20  # places


class Chokepoint(NamedTuple):
    """A place that held agents up."""

    at: tuple[float, float, float]  # metres, y up
    width: float  # metres: of the widest agent that gets through, from side to side
    seconds: float  # that agents lost on their way to it and through it
    agents: int  # that lost them

    def to_mapping(self) -> dict[str, Any]:
        """Ready for JSON."""
        at = [round(x, 3) for x in self.at]
        width = round(self.width, 3) if np.isfinite(self.width) else None
        return {"at": at, "width": width, "seconds": round(self.seconds, 2), "agents": self.agents}


class NarrowPlaces(NamedTuple):
    """Of each who was held up: by what."""

    at: F64  # (H, 3)
    width: F64  # (H,) metres
    seconds: F64
    agent: I64
    is_gap: Bools  # it is one between walls

    def of(self, rows: Bools) -> NarrowPlaces:
        """Some of them."""
        return NarrowPlaces(self.at[rows], self.width[rows], self.seconds[rows], self.agent[rows], self.is_gap[rows])


def joined_places(found: Sequence[NarrowPlaces]) -> NarrowPlaces:
    """One after the other."""
    nothing = NarrowPlaces(np.zeros((0, 3)), np.zeros(0), np.zeros(0), np.zeros(0, np.int64), np.zeros(0, bool))
    return NarrowPlaces(*(np.concatenate(parts) for parts in zip(nothing, *found, strict=True)))


def narrow_places(query: NavQuery, hold: Hold, block: F64, chosen: QueryFilter) -> NarrowPlaces:
    """The narrowest gap on each way from before to after; where there is none, where it was held up last.

    `block`: metres before its end in which others' ends are. Who is held up there, and not by a narrow gap, has those
    in its way who have arrived: that is left out.
    """
    at, width, gap = hold.held.copy(), np.full(len(hold.agent), np.nan), np.zeros(len(hold.agent), bool)
    if len(at):
        paths = query.find_paths(hold.before, hold.after, chosen)
        found = query.corridor_clearances(hold.before, hold.after, paths.polygon_offsets, paths.polygons)
        gap = np.isfinite(found.gaps) & np.isfinite(found.gap_points).all(axis=1)
        at[gap], width[gap] = found.gap_points[gap], 2 * found.gaps[gap]
        width[~gap] = _widths_at(query, at[~gap], chosen)
    kept = (hold.left > block) | (gap & (width < block * _NARROW))
    return NarrowPlaces(at, width, hold.seconds, hold.agent, gap).of(kept)


def _widths_at(query: NavQuery, places: F64, chosen: QueryFilter) -> F64:
    """How wide the ground is around places without a gap: as its roomiest place nearby."""
    near = query.nearest(places, filter=chosen)
    widths: F64 = 2.0 * query.polygon_clearances(near.references).clearances.astype(np.float64)
    return widths


class Queue(NamedTuple):
    """Agents that stand now."""

    places: F64  # (H, 3)
    ends: F64  # (H, 3)
    left: F64  # (H,) metres to there
    seconds: F64  # (H,) lost since they were held up
    agent: I64


def still_held(query: NavQuery, queue: Queue, known: NarrowPlaces, chosen: QueryFilter) -> Hold:
    """Agents that stand in a queue, as if each had got through: past the head of the queue on its way.

    Where a place that held many others up lies on its way, its queue reaches as far as there.
    """
    after = queue.places.copy()
    if len(after):
        paths = query.find_paths(after, queue.ends, chosen, max_nodes=None, max_path=None, max_points=None)
        stands = np.unique(_cells(after, np.mgrid[-1:2, -1:2, -1:2].reshape(3, -1).T).ravel())
        main = known.is_gap & (known.seconds >= _MAIN_PART * known.seconds.sum())
        heads = np.unique(_cells(known.at[main], np.mgrid[-1:2, -1:2, -1:2].reshape(3, -1).T).ravel())
        for row in np.flatnonzero(paths.status == PathStatus.COMPLETE).tolist():
            points = paths.points[paths.offsets[row] : paths.offsets[row + 1]].astype(np.float64)
            after[row] = _past_the_head(points, stands, heads)
    return Hold(queue.agent, queue.seconds, queue.places, queue.places, after, queue.left)


def _past_the_head(points: F64, stands: I64, heads: I64) -> F64:
    """The place on a way behind the last one that somebody of the queue stands at, and behind its known head."""
    legs = np.hypot(*np.diff(points, axis=0)[:, ::2].T)
    along = np.concatenate([[0.0], np.cumsum(legs)])
    steps = np.arange(0, min(along[-1], _FARTHEST) + _STEP, _STEP)
    way = np.stack([np.interp(steps, along, points[:, k]) for k in range(3)], axis=1)
    cells = _cells(way, np.zeros((1, 3), np.int64))[:, 0]
    there = np.flatnonzero(np.isin(cells, stands))
    breaks = np.flatnonzero(np.diff(there) > _BREAK / _STEP)
    last = int(there[breaks[0]] if len(breaks) else there[-1]) if len(there) else 0
    last = max(last, *np.flatnonzero(np.isin(cells, heads))[:1].tolist(), 0)
    behind: F64 = way[min(last + round(_BEHIND / _STEP), len(way) - 1)]
    return behind


def _cells(places: F64, around: I64) -> I64:
    """(N, K) numbers of the cells around places."""
    cells = np.floor(places / _BESIDE).astype(np.int64)[:, None] + around + (1 << 20)
    found: I64 = (cells[:, :, 0] << 42) | (cells[:, :, 1] << 21) | cells[:, :, 2]
    return found


def as_queues(found: NarrowPlaces) -> NarrowPlaces:
    """The same, in the order of time, by what each queue stood before.

    Who moves up in a queue is free for a moment, through no gap, and held up again farther on by the same place.
    """
    seconds, following = found.seconds.copy(), dict[int, int]()
    for row in range(len(seconds) - 1, -1, -1):
        agent = int(found.agent[row])
        later = following.get(agent)
        if later is not None and not found.width[row] > _WIDER * found.width[later]:
            if np.linalg.norm(found.at[later] - found.at[row]) <= _SAME_QUEUE:
                seconds[later] += seconds[row]
                seconds[row] = 0
                continue
        following[agent] = row
    return found._replace(seconds=seconds).of(seconds > 0)


def chokepoints_of(found: NarrowPlaces, lost: float) -> tuple[Chokepoint, ...]:
    """Places that are near each other as one, those that most time was lost at first."""
    found = as_queues(found)
    if not len(found.at):
        return ()
    keys, group = np.unique(np.round(found.at / 0.1).astype(np.int64), axis=0, return_inverse=True)
    group, first = group.ravel(), np.zeros(len(keys), np.int64)
    first[group[::-1]] = np.arange(len(group))[::-1]
    seconds, at = np.bincount(group, found.seconds, len(keys)), found.at[first]
    places, free = [], np.ones(len(keys), bool)
    for leader in np.argsort(-seconds, kind="stable").tolist():
        if not free[leader]:
            continue
        wide = np.clip(found.width[first[leader]] / 4, _TOGETHER, _WIDELY)
        near = free & (np.linalg.norm(at - at[leader], axis=1) <= wide)
        free[near] = False
        who = near[group]
        places.append(
            Chokepoint(
                tuple(at[leader].tolist()), float(found.width[first[leader]]), float(seconds[near].sum()),
                len(np.unique(found.agent[who])),
            )
        )  # fmt: skip
    least = max(_LEAST_SECONDS, _LEAST_PART * lost)
    return tuple(sorted((p for p in places if p.seconds >= least), key=lambda p: -p.seconds)[:_MOST])
