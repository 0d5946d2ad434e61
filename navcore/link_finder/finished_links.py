"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
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


MadeLinks = Mapping[bytes, tuple[int, WideLink]]  # links by what they are made from, and the ids that they ask for


def finished_links(
    links: F64, tiles: I64, origin: F64, settings: Settings, taken: set[int], before: MadeLinks | None = None
) -> tuple[list[WideLink], MadeLinks]:
    """The links of all rows (., 14), whose tiles are (., 2), in their order; ids that are `taken` are not given.

    Those that were made `before`, with the same settings, are taken over.
    """
    corners = np.round((links[:, CORNERS:CHAIN].reshape(-1, 4, 3) + origin) * _PER_METRE).astype(np.int64)
    kinds, before = links[:, KIND].astype(np.int64), before or {}
    keys = np.column_stack([tiles, kinds, corners.reshape(-1, 12)])
    taken, made, known = set(taken), list[WideLink](), dict[bytes, tuple[int, WideLink]]()
    for row, kind in enumerate(kinds.tolist()):
        key = keys[row].tobytes()
        wanted, wide = before.get(key) or (_id_of(kind, corners[row]), None)
        number = wanted
        while number in taken or number == 0:
            number = number + 1 & MOST_ID
        taken.add(number)
        if wide is None or wide.id != number:
            points = [_point(corner) for corner in (corners[row] / _PER_METRE).tolist()]
            x, y = tiles[row].tolist()
            wide = _wide_link(kind, points, number, (x, y), settings)
        made.append(wide)
        known[key] = wanted, wide
    return made, known


def in_order(links: F64, tiles: I64) -> I64:
    """The numbers of the rows, sorted by tile, kind and place."""
    places = np.round(links[:, CORNERS:CHAIN] * _PER_METRE)
    return np.lexsort([*places.T[::-1], links[:, KIND], tiles[:, 0], tiles[:, 1]])


def _point(values: Iterable[float]) -> Point:
    x, y, z = values
    return x, y, z


def _id_of(kind: int, corners: I64) -> int:
    """A number from the kind and the rounded corners, so that it stays from build to build."""
    digest = hashlib.blake2b(bytes([kind]) + corners.astype("<i8").tobytes(), digest_size=4).digest()
    return int.from_bytes(digest, "little")


def _wide_link(kind: int, corners: list[Point], number: int, tile: tuple[int, int], settings: Settings) -> WideLink:
    name = KINDS[kind]
    wide = WideLink(
        kind=name,
        corners=(corners[0], corners[1], corners[2], corners[3]),
        bidirectional=kind != DROP,
        area=getattr(settings, f"link_{name}_area"),
        flags=getattr(settings, f"link_{name}_flags"),
        id=number,
        points=(),
        tile=tile,
    )
    return with_points(wide, settings)


def with_points(wide: WideLink, settings: Settings) -> WideLink:
    """The same link with the points that stand for it: one every `link_spacing`, at least one."""
    points = wide_link_points(
        wide.corners, settings.link_spacing,
        bidirectional=wide.bidirectional, area=wide.area, flags=wide.flags, number=wide.id,
    )  # fmt: skip
    return replace(wide, points=points)
