"""Free ground around the start, for agents that set out together. Needs no bpy; metres, y up."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ....navcore.navquery.query_filter import QueryFilter
    from ....navcore.questions.nav_query import NavQuery

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
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
