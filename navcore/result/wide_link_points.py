"""The points that stand for a wide link where a format has only points: Detour's files, scenes, queries and crowds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..scene import Link
from ..types import F64

MIN_RADIUS = 0.02  # metres; corners may lie a hair beside the ground, and no radius may be 0
MAX_POINTS = 1000  # of one link, however small the spacing

_POWERS, _LARGE = 10.0 ** np.arange(9)[:, None], 2.0**23  # of decimals, and numbers that are found without str()

_FourCorners = Sequence[Sequence[float]]


class LinkValues(NamedTuple):
    """What a wide link hands on to its points."""

    bidirectional: bool
    area: int
    flags: int
    number: int


def wide_link_points(
    corners: _FourCorners, spacing: float, *, bidirectional: bool, area: int, flags: int, number: int
) -> tuple[Link, ...]:
    """One point for each `spacing` metres of its width, from left to right, and one at least. No Recast ancestor.

    `corners` and the rest are those of a `WideLink`, `number` its id. The points share the width evenly: each stands in
    the middle of its part, and its radius reaches to both sides of it. So radii never reach beyond the link, and leave
    nothing of its narrower end out.
    """
    return many_wide_link_points([(corners, LinkValues(bidirectional, area, flags, number))], spacing)[0]


def many_wide_link_points(
    links: Sequence[tuple[_FourCorners, LinkValues]], spacing: float, make: Callable[..., Link] = Link
) -> list[tuple[Link, ...]]:
    """The points of many links, as `wide_link_points` has those of each. `make` makes each of all its fields."""
    widths = [width_of(corners) for corners, _ in links]
    counts = [max(1, math.floor(min(width / spacing, MAX_POINTS))) for width in widths]
    radii = [max(width / count / 2, MIN_RADIUS) for width, count in zip(widths, counts, strict=True)]
    each = np.array(counts, np.int64)
    owner = np.repeat(np.arange(len(each)), each)
    part = (np.arange(len(owner)) - (np.cumsum(each) - each)[owner] + 0.5) / each[owner]
    corners = np.array([corners for corners, _ in links], np.float64).reshape(-1, 2, 2, 3)[owner]
    ends = corners[:, :, 0] + (corners[:, :, 1] - corners[:, :, 0]) * part[:, None, None]
    numbers = iter(_singles(np.column_stack([ends.reshape(-1, 6), np.array(radii)[owner]])).tolist())
    return [
        tuple(_link(make, next(numbers), values) for _ in range(count))
        for count, (_, values) in zip(counts, links, strict=True)
    ]


def _link(make: Callable[..., Link], numbers: Sequence[float], values: LinkValues) -> Link:
    x, y, z, end_x, end_y, end_z, radius = numbers
    return make(
        start=(x, y, z), end=(end_x, end_y, end_z), radius=radius, bidirectional=values.bidirectional,
        area=values.area, flags=values.flags, id=values.number, name="",
    )  # fmt: skip


def width_of(corners: _FourCorners) -> float:
    """How wide a link is, in metres seen from above: the narrower of its two ends."""
    start_left, start_right, end_left, end_right = corners
    return min(_from_above(start_left, start_right), _from_above(end_left, end_right))


def _from_above(one: Sequence[float], other: Sequence[float]) -> float:
    return math.hypot(other[0] - one[0], other[2] - one[2])


def _singles(values: F64) -> F64:
    """The fewest digits that 32 bits tell apart: so they come back from every format, those of 32-bit numbers too.

    What str() says of 32-bit numbers, for many at once: of all numbers of decimals, the least with which the number
    comes back. Up to `_LARGE` that many decimals are exact in 64 bits.
    """
    single = values.astype(np.float32).ravel()
    wide = single.astype(np.float64)
    rounded = np.rint(wide * _POWERS) / _POWERS
    comes_back = (rounded.astype(np.float32) == single) & (np.abs(wide) < _LARGE)
    least = comes_back.argmax(axis=0)
    shortest = rounded[least, np.arange(len(wide))]
    for number in np.flatnonzero(~comes_back[least, np.arange(len(wide))]).tolist():
        shortest[number] = float(str(single[number]))
    return shortest.reshape(values.shape)
