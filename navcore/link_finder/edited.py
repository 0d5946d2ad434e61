"""What somebody decided about links: those that were rejected stay away, those that are kept are looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning, Point
from ..jit import kernel
from ..settings import Settings
from ..surroundings.solid_matter import Matter, nearest_floor
from ..surroundings.walkable_ground import Ground, polygon_at
from ..types import F64, AnyInt, Bools
from ..wide_links import KINDS, WideLink, called
from .arcs import Position, distance_from_above, is_clear, ledge_distance
from .doubles import distance_to
from .finished_links import with_points
from .rules import DROP, JUMP, LinkRules
from .wide import CHAIN, CORNERS, KIND

_NEAREST = 0.5  # metres, or two cells where that is more
# Cells that ground may begin beside an end: outlines are simplified anew wherever something near changes, by up to
# edge_max_error, and corners of links are rounded. Where a link was found, the next build is to find its ground.
_BESIDE, _AROUND = 1.5, 8
FINE, _BLOCKED, _NOWHERE = 0, 1, 2


def without_those_near(links: F64, origin: F64, others: Sequence[WideLink], rules: LinkRules, any_kind: bool) -> Bools:
    """Which of the links (., 14) have an end that is not near the same end of any of the others."""
    left = np.ones(len(links), bool)
    corners = links[:, CORNERS:CHAIN].reshape(-1, 4, 3)
    near = max(_NEAREST, 2 * rules.cell)
    for other in others:
        quad, kind = np.array(other.corners, np.float64) - origin, KINDS.index(other.kind)
        low, high = quad.min(axis=0) - near, quad.max(axis=0) + near
        close = ((corners.max(axis=1) >= low) & (corners.min(axis=1) <= high)).all(axis=1)
        for row in np.flatnonzero(left & close & (any_kind | (links[:, KIND] == kind))):
            left[row] = not _is_near(corners[row], quad, near, kind != DROP and links[row, KIND] != DROP)
    return left


@kernel
def _is_near(one: F64, other: F64, near: float, both_ways: bool) -> bool:
    """Whether the middles of one's ends lie near the other's ends, or the other way round."""
    for turned in range(2 if both_ways else 1):
        start, end = (2, 0) if turned else (0, 2)
        if (
            distance_to((one[0] + one[1]) / 2, other[start], other[start + 1]) <= near
            and distance_to((one[2] + one[3]) / 2, other[end], other[end + 1]) <= near
        ):
            return True
        if (
            distance_to((other[start] + other[start + 1]) / 2, one[0], one[1]) <= near
            and distance_to((other[end] + other[end + 1]) / 2, one[2], one[3]) <= near
        ):
            return True
    return False


class KeptState(NamedTuple):
    """What became of a link that is kept: a state, and how far along its width something is wrong."""

    state: int
    part: float


NOWHERE = KeptState(_NOWHERE, 0.0)


def state_of_kept(wide: WideLink, matter: Matter, rules: LinkRules, ground: Ground, origin: F64) -> KeptState:
    """Whether agents can still take a link."""
    quad = np.array(wide.corners, np.float64) - origin
    return KeptState(*_state_of(matter, rules, ground, KINDS.index(wide.kind), quad, wide.bidirectional))


def checked_kept(
    kept: Sequence[WideLink], states: Sequence[KeptState], origin: F64, settings: Settings
) -> tuple[list[WideLink], list[BuildWarning]]:
    """The links that are kept, with their points, and what is wrong with them. One that ends nowhere has no points."""
    links, warnings = [], []
    for wide, (state, part) in zip(kept, states, strict=True):
        links.append(replace(wide, points=()) if state == _NOWHERE else with_points(wide, settings))
        if state != FINE:
            quad = np.array(wide.corners, np.float64) - origin
            x, y, z = (np.round(quad[0] + (quad[1] - quad[0]) * part + origin, 3)).tolist()
            place: Point = x, y, z
            warnings.append(_warning(state, called(wide), place))
    return links, warnings


def _warning(state: int, which: str, place: Point) -> BuildWarning:
    if state == _BLOCKED:
        text = f"{which} can no longer be taken: something stands in its way. Move it or delete it."
        return BuildWarning("LINK_BLOCKED", text, place)
    text = f"{which} has an end without walkable ground. Move it or delete it."
    return BuildWarning("LINK_ENDS_NOWHERE", text, place)


@kernel
def _state_of(
    matter: Matter, rules: LinkRules, ground: Ground, kind: AnyInt, quad: F64, both_ways: bool
) -> tuple[int, float]:  # fmt: skip
    """Whether a link can be taken along all of its width; where not, how far along the width that is."""
    width = np.sqrt((quad[1, 0] - quad[0, 0]) ** 2 + (quad[1, 2] - quad[0, 2]) ** 2)
    steps, ends = max(int(np.ceil(width / rules.step)), 1), np.empty((2, 3))
    for m in range(steps + 1):
        for side in range(2):
            x, y, z = quad[2 * side] + (quad[2 * side + 1] - quad[2 * side]) * (m / steps)
            within = rules.climb + rules.voxel
            floor = nearest_floor(matter, x, z, y, within, rules.height)
            if np.isnan(floor) or not _has_ground_near(ground, x, floor, z, within, _BESIDE * rules.cell):
                return _NOWHERE, m / steps
            ends[side, 0], ends[side, 1], ends[side, 2] = x, floor, z
        upper = 1 if kind != JUMP and ends[1, 1] > ends[0, 1] else 0  # a climb may be drawn from below
        if not _gets_there(matter, rules, ends[upper], ends[1 - upper]):
            return _BLOCKED, m / steps
        if kind == JUMP and both_ways and not _gets_there(matter, rules, ends[1], ends[0]):
            return _BLOCKED, m / steps
    return FINE, 0.0


@kernel
def _has_ground_near(ground: Ground, x: float, y: float, z: float, within: float, aside: float) -> bool:
    """Whether there is a polygon at a place, or no farther than so many metres beside it."""
    if polygon_at(ground, x, y, z, within) >= 0:
        return True
    for k in range(_AROUND):
        angle = 2 * np.pi * k / _AROUND
        for part in (0.25, 1.0):
            away = part * aside
            if polygon_at(ground, x + away * np.cos(angle), y, z + away * np.sin(angle), within) >= 0:
                return True
    return False


@kernel
def _gets_there(matter: Matter, rules: LinkRules, start: F64, end: F64) -> bool:
    """Whether an agent gets there without touching anything, whatever rules say of how far and how high."""
    a, b = Position(start[0], start[1], start[2]), Position(end[0], end[1], end[2])
    distance = max(distance_from_above(a, b), 1e-9)
    ledge = max(ledge_distance(matter, rules, a, (b.x - a.x) / distance, (b.z - a.z) / distance), 0.0)
    level = b.y < a.y and distance <= ledge + rules.level_reach + 1e-6
    return is_clear(matter, rules, a, b, ledge, level)
