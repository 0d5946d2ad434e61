"""The points that stand for a wide link where a format has only points: Detour's files, scenes, queries and crowds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..scene import Link

LEAST_RADIUS = 0.02  # metres; corners may lie a hair beside the ground, and no radius may be 0
MOST_POINTS = 1000  # of one link, however small the spacing

_Corners = Sequence[Sequence[float]]


def wide_link_points(
    corners: _Corners, spacing: float, *, bidirectional: bool, area: int, flags: int, number: int
) -> tuple[Link, ...]:
    """One point for each `spacing` metres of its width, from left to right, and one at least. No Recast ancestor.

    `corners` and the rest are those of a `WideLink`, `number` its id. The points share the width evenly: each stands in
    the middle of its part, and its radius reaches to both sides of it. So radii never reach beyond the link, and leave
    nothing of its narrower end out.
    """
    start_left, start_right, end_left, end_right = corners
    width = width_of(corners)
    count = max(1, math.floor(min(width / spacing, MOST_POINTS)))
    radius = _single(max(width / count / 2, LEAST_RADIUS))
    parts = [(index + 0.5) / count for index in range(count)]
    return tuple(
        Link(
            start=_between(start_left, start_right, part), end=_between(end_left, end_right, part), radius=radius,
            bidirectional=bidirectional, area=area, flags=flags, id=number,
        )
        for part in parts
    )  # fmt: skip


def width_of(corners: _Corners) -> float:
    """How wide a link is, in metres seen from above: the narrower of its two ends."""
    start_left, start_right, end_left, end_right = corners
    return min(_from_above(start_left, start_right), _from_above(end_left, end_right))


def _from_above(one: Sequence[float], other: Sequence[float]) -> float:
    return math.hypot(other[0] - one[0], other[2] - one[2])


def _between(left: Sequence[float], right: Sequence[float], part: float) -> tuple[float, float, float]:
    x, y, z = (_single(float(a) + (float(b) - float(a)) * part) for a, b in zip(left, right, strict=True))
    return x, y, z


def _single(value: float) -> float:
    """The fewest digits that 32 bits tell apart: so it comes back from every format, those of 32-bit numbers too."""
    return float(str(np.float32(value)))
