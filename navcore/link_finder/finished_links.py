"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..result.wide_link_points import LinkValues, many_wide_link_points, wide_link_points
from ..result.wide_links import KINDS, Point, WideLink
from ..scene import MOST_ID, Link
from ..settings import Settings
from ..types import F64, I64
from .rules import DROP
from .wide import CHAIN, CORNERS, KIND

_PER_METRE = 64  # to which corners are rounded: exact in float32
_CORNERS_IN_NAME = -12 * 8  # bytes: the last of what a link is known by

MadeLinks = Mapping[bytes, tuple[int, WideLink]]  # links by what they are made from, and the ids that they ask for
_Row = tuple[int, int, int, tuple[tuple[Point, ...], LinkValues]]  # its number, its tile, and what it is made from


def finished_links(
    links: F64, tiles: I64, origin: F64, settings: Settings, taken: set[int], before: MadeLinks | None = None
) -> tuple[list[WideLink], MadeLinks]:
    """The links of all rows (., 14), whose tiles are (., 2), in their order; ids that are `taken` are not given.

    Those that were made `before`, with the same settings, are taken over.
    """
    corners = np.round((links[:, CORNERS:CHAIN].reshape(-1, 4, 3) + origin) * _PER_METRE).astype(np.int64)
    kinds, before = links[:, KIND].astype(np.int64), before or {}
    keys = np.column_stack([tiles, kinds, corners.reshape(-1, 12)]).astype("<i8")
    of_kind = [(getattr(settings, f"link_{kind}_area"), getattr(settings, f"link_{kind}_flags")) for kind in KINDS]
    taken, made, wanted_ids, to_make = set(taken), dict[int, WideLink](), list[int](), list[_Row]()
    whole, size = keys.tobytes(), keys.shape[1] * keys.itemsize
    names = [whole[at : at + size] for at in range(0, len(whole), size)]
    flat, kind_of = (corners.reshape(-1, 12) / _PER_METRE).tolist(), kinds.tolist()
    for row, (kind, x, y) in enumerate(zip(kind_of, *tiles.T.tolist(), strict=True)):
        wanted, wide = before.get(names[row]) or (_id_of(kind, names[row]), None)
        number = wanted
        while number in taken or number == 0:
            number = number + 1 & MOST_ID
        taken.add(number)
        wanted_ids.append(wanted)
        if wide is not None and wide.id == number:
            made[row] = wide
        else:
            area, flags = of_kind[kind]
            values = LinkValues(kind != DROP, area, flags, number)
            quad = flat[row]
            to_make.append((row, x, y, ((*zip(quad[::3], quad[1::3], quad[2::3], strict=True),), values)))
    points = many_wide_link_points([named for *_, named in to_make], settings.link_spacing, Link.unchecked)
    for (row, x, y, ((a, b, c, d), values)), own in zip(to_make, points, strict=True):
        made[row] = WideLink(
            kind=KINDS[kind_of[row]], corners=(a, b, c, d), bidirectional=values.bidirectional, area=values.area,
            flags=values.flags, id=values.number, points=own, tile=(x, y),
        )  # fmt: skip
    in_rows = [made[row] for row in range(len(links))]
    known = {name: (wanted, wide) for name, wanted, wide in zip(names, wanted_ids, in_rows, strict=True)}
    return in_rows, known


def in_order(links: F64, tiles: I64) -> I64:
    """The numbers of the rows, sorted by tile, kind and place."""
    places = np.round(links[:, CORNERS:CHAIN] * _PER_METRE)
    return np.lexsort([*places.T[::-1], links[:, KIND], tiles[:, 0], tiles[:, 1]])


def _id_of(kind: int, name: bytes) -> int:
    """A number from the kind and the rounded corners, so that it stays from build to build."""
    digest = hashlib.blake2b(bytes([kind]) + name[_CORNERS_IN_NAME:], digest_size=4).digest()
    return int.from_bytes(digest, "little")


def with_points(wide: WideLink, settings: Settings) -> WideLink:
    """The same link with the points that stand for it: one every `link_spacing`, at least one."""
    points = wide_link_points(
        wide.corners, settings.link_spacing,
        bidirectional=wide.bidirectional, area=wide.area, flags=wide.flags, number=wide.id,
    )  # fmt: skip
    return replace(wide, points=points)
