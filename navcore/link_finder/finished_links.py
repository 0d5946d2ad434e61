"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from ..result.wide_link_points import wide_link_points
from ..result.wide_links import KINDS, Point, WideLink
from ..scene import MOST_ID
from ..settings import Settings
from ..types import F64, I64
from .rules import DROP
from .wide import CHAIN, CORNERS, KIND

_PER_METRE = 64  # to which corners are rounded: exact in float32


def finished_links(links: F64, tiles: I64, origin: F64, settings: Settings, taken: set[int]) -> list[WideLink]:
    """The links of all rows (., 14), whose tiles are (., 2), in their order; ids that are `taken` are not given."""
    corners = np.round((links[:, CORNERS:CHAIN].reshape(-1, 4, 3) + origin) * _PER_METRE).astype(np.int64)
    kinds = links[:, KIND].astype(np.int64)
    made, taken = [], set(taken)
    for row in range(len(links)):
        number = _id_of(int(kinds[row]), corners[row], taken)
        taken.add(number)
        points = [_point(corner) for corner in (corners[row] / _PER_METRE).tolist()]
        x, y = tiles[row].tolist()
        made.append(_wide_link(int(kinds[row]), points, number, (x, y), settings))
    return made


def in_order(links: F64, tiles: I64) -> I64:
    """The numbers of the rows, sorted by tile, kind and place."""
    places = np.round(links[:, CORNERS:CHAIN] * _PER_METRE)
    return np.lexsort([*places.T[::-1], links[:, KIND], tiles[:, 0], tiles[:, 1]])


def _point(values: Iterable[float]) -> Point:
    x, y, z = values
    return x, y, z


def _id_of(kind: int, corners: I64, taken: set[int]) -> int:
    """A number from the kind and the rounded corners, so that it stays from build to build; never 0."""
    digest = hashlib.blake2b(bytes([kind]) + corners.astype("<i8").tobytes(), digest_size=4).digest()
    number = int.from_bytes(digest, "little")
    while number in taken or number == 0:
        number = number + 1 & MOST_ID
    return number


def _wide_link(kind: int, corners: list[Point], number: int, tile: tuple[int, int], settings: Settings) -> WideLink:
    name = KINDS[kind]
    quad, both_ways = (corners[0], corners[1], corners[2], corners[3]), kind != DROP
    area, flags = getattr(settings, f"link_{name}_area"), getattr(settings, f"link_{name}_flags")
    points = wide_link_points(
        quad, settings.link_spacing, bidirectional=both_ways, area=area, flags=flags, number=number
    )
    return WideLink(
        kind=name, corners=quad, bidirectional=both_ways, area=area, flags=flags, id=number, points=points, tile=tile
    )


def with_points(wide: WideLink, settings: Settings) -> WideLink:
    """The same link with the points that stand for it: one every `link_spacing`, at least one."""
    points = wide_link_points(
        wide.corners, settings.link_spacing,
        bidirectional=wide.bidirectional, area=wide.area, flags=wide.flags, number=wide.id,
    )  # fmt: skip
    return replace(wide, points=points)
