"""Where agents set out that were told to stand in each other: beside each other, as near as there is ground."""

from __future__ import annotations

import numpy as np

from ..errors import BadInput
from ..navquery.query_filter import QueryFilter
from ..questions.nav_query import NavQuery
from ..types import F32, F64, I64, U32
from .agents import Agents
from .states import NO_WAY

_LEAVE = 0.005  # metres that two may stand in each other: contacts part them
_APART = 1.02  # of both radii between places that are tried
_RINGS = 24  # of places around a start that are tried
_TOLD = 8  # agents that a message names


def moved_starts(query: NavQuery, old: Agents, new: Agents, chosen: QueryFilter, height: float) -> tuple[I64, F32]:
    """Which of the new agents set out elsewhere, and where: the first who comes stands where it was told to.

    Raises BadInput where there is no ground for all.
    """
    rows, places, without = places_beside(query, old, new, chosen, height)
    if len(without):
        raise BadInput(
            f"There is no ground for agents {_named((without + len(old.state)).tolist())}: they would stand in others, "
            f"and within {_RINGS} rings around their starts no place is free. Add fewer agents, or let them start "
            "elsewhere.", "NO_ROOM",
        )  # fmt: skip
    return rows, places


def places_beside(
    query: NavQuery, old: Agents, new: Agents, chosen: QueryFilter, height: float
) -> tuple[I64, F32, I64]:  # fmt: skip
    """Which of the new agents would stand in others; where there is room for them; and for whom there is none."""
    heeded = old.state != NO_WAY
    taken = _Taken(max(float(old.radius.max(initial=0)), float(new.radius.max(initial=0))), height)
    for place, radius in zip(old.place[heeded].tolist(), old.radius[heeded].tolist(), strict=True):
        taken.add(place, radius)
    rows, places, without = [], [], []
    for row in np.flatnonzero(new.state != NO_WAY).tolist():
        place, radius = new.position[row].tolist(), float(new.radius[row])
        if not taken.is_free(place, radius, _LEAVE):
            found = _beside(query, new.position[row], radius, chosen, taken)
            if found is None:
                without.append(row)
                continue
            rows.append(row)
            places.append(found)
            place = found.tolist()
        taken.add(place, radius)
    return np.array(rows, np.int64), np.array(places, np.float32).reshape(-1, 3), np.array(without, np.int64)


class _Taken:
    """Places where somebody stands, by cell."""

    def __init__(self, widest: float, height: float) -> None:
        self._cell, self._height = max(2 * widest, 0.01), height
        self._by_cell: dict[tuple[int, int], list[tuple[float, float, float, float]]] = {}

    def add(self, place: list[float], radius: float) -> None:
        x, y, z = place
        self._by_cell.setdefault((int(x // self._cell), int(z // self._cell)), []).append((x, y, z, radius))

    def is_free(self, place: list[float], radius: float, leave: float = 0.0) -> bool:
        x, y, z = place
        column, row = int(x // self._cell), int(z // self._cell)
        for i in range(column - 1, column + 2):
            for j in range(row - 1, row + 2):
                for a, b, c, other in self._by_cell.get((i, j), ()):
                    if abs(b - y) < self._height and np.hypot(a - x, c - z) < radius + other - leave:
                        return False
        return True


def _beside(query: NavQuery, start: F32, radius: float, chosen: QueryFilter, taken: _Taken) -> F32 | None:
    """The nearest free place that one can walk to straight from a start."""
    near = query.nearest(start, filter=chosen)
    if near.references[0] == 0:
        return None
    lattice = lattice_of(2 * _APART * radius)
    for first in range(0, len(lattice), 128):
        wanted = (start + lattice[first : first + 128]).astype(np.float32)
        free = np.array([taken.is_free(place, radius) for place in wanted.tolist()], bool)
        if not free.any():
            continue
        starts = np.repeat(near.points, int(free.sum()), axis=0)
        rays = query.raycast(
            np.repeat(near.references, len(starts)), starts, wanted[free], chosen, max_polygons=None
        )  # fmt: skip
        seen = rays.parts > 1
        if not seen.any():
            continue
        for place, last in zip(wanted[free][seen], _last(rays.offsets, rays.references)[seen], strict=True):
            ground: F32 = query.closest_points(np.array([last]), place[None]).points[0]
            if taken.is_free(ground.tolist(), radius):
                return ground
    return None


def _last(offsets: I64, references: U32) -> U32:
    """The last reference of each row."""
    return references[np.maximum(offsets[1:] - 1, 0)]


def lattice_of(apart: float) -> F64:
    """(., 3) triangles around the origin, level, the nearest first."""
    row, column = (part.ravel() for part in np.mgrid[-_RINGS : _RINGS + 1, -_RINGS : _RINGS + 1])
    places = np.column_stack([column + row / 2, np.zeros(len(row)), row * np.sqrt(0.75)])
    distance = np.round(np.linalg.norm(places, axis=1), 6)
    order = np.lexsort((np.round(np.arctan2(places[:, 2], places[:, 0]), 6), distance))
    order = order[(distance[order] > 0) & (distance[order] <= _RINGS * np.sqrt(0.75))]
    return np.asarray(places[order] * apart, np.float64)


def _named(numbers: list[int]) -> str:
    """Numbers in a sentence, not too many of them."""
    told = ", ".join(str(number) for number in numbers[:_TOLD])
    return told if len(numbers) <= _TOLD else f"{told} and {len(numbers) - _TOLD} more"
