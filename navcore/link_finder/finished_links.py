"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from ..result.wide_link_points import LinkValues, many_wide_link_points, wide_link_points
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
    of_kind = [(getattr(settings, f"link_{kind}_area"), getattr(settings, f"link_{kind}_flags")) for kind in KINDS]
    named, taken = list[tuple[tuple[Point, ...], LinkValues]](), set(taken)
    quads = (corners / _PER_METRE).tolist()
    for kind, rounded, quad in zip(kinds.tolist(), corners, quads, strict=True):
        number = _id_of(kind, rounded, taken)
        taken.add(number)
        area, flags = of_kind[kind]
        named.append((tuple(map(tuple, quad)), LinkValues(kind != DROP, area, flags, number)))
    points = many_wide_link_points(named, settings.link_spacing)
    return [
        WideLink(
            kind=KINDS[kind], corners=(a, b, c, d), bidirectional=values.bidirectional, area=values.area,
            flags=values.flags, id=values.number, points=own, tile=(x, y),
        )
        for kind, ((a, b, c, d), values), own, (x, y) in zip(kinds.tolist(), named, points, tiles.tolist(), strict=True)
    ]  # fmt: skip


def in_order(links: F64, tiles: I64) -> I64:
    """The numbers of the rows, sorted by tile, kind and place."""
    places = np.round(links[:, CORNERS:CHAIN] * _PER_METRE)
    return np.lexsort([*places.T[::-1], links[:, KIND], tiles[:, 0], tiles[:, 1]])


def _id_of(kind: int, corners: I64, taken: set[int]) -> int:
    """A number from the kind and the rounded corners, so that it stays from build to build; never 0."""
    digest = hashlib.blake2b(bytes([kind]) + corners.astype("<i8").tobytes(), digest_size=4).digest()
    number = int.from_bytes(digest, "little")
    while number in taken or number == 0:
        number = number + 1 & MOST_ID
    return number


def with_points(wide: WideLink, settings: Settings) -> WideLink:
    """The same link with the points that stand for it: one every `link_spacing`, at least one."""
    points = wide_link_points(
        wide.corners, settings.link_spacing,
        bidirectional=wide.bidirectional, area=wide.area, flags=wide.flags, number=wide.id,
    )  # fmt: skip
    return replace(wide, points=points)
