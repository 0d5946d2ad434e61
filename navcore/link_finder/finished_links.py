"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..build_warning import Point
from ..checked_fields import MAX_ID
from ..jit import borrowing, kernel
from ..result.wide_link_points import LinkValues, many_wide_link_points, wide_link_points
from ..scene import Link
from ..settings import Settings
from ..types import F64, I64, AnyInt
from ..wide_links import KINDS, WideLink
from .rules import DROP
from .wide import CHAIN, CORNERS, KIND

_PER_METRE = 64  # to which corners are rounded: exact in float32
_NUMBERS_IN_NAME = 15  # of eight bytes each, by which a link is known: two for its tile, its kind, its corners
_KIND_IN_NAME, _CORNERS_IN_NAME = slice(16, 17), -12 * 8  # bytes: kinds are small, and the lowest byte is first

MadeLinks = Mapping[bytes, tuple[int, WideLink]]  # links by what they are made from, and the ids that they ask for


def finished_links(
    links: F64, tiles: I64, origin: F64, settings: Settings, taken: set[int], before: MadeLinks | None = None
) -> tuple[list[WideLink], MadeLinks]:
    """The links of all rows (., 14), whose tiles are (., 2), in their order; ids that are `taken` are not given.

    Those that were made `before`, with the same settings, are taken over.
    """
    if len(links) == 0:
        return [], {}
    corners = np.round((links[:, CORNERS:CHAIN].reshape(-1, 12) + np.tile(origin, 4)) * _PER_METRE).astype(np.int64)
    kinds, before = links[:, KIND].astype(np.int64), before or {}
    keys = np.column_stack([tiles, kinds, corners]).astype("<i8")
    whole, size = keys.tobytes(), keys.shape[1] * keys.itemsize
    names = [whole[at : at + size] for at in range(0, len(whole), size)]
    known = [*map(before.get, names)]
    wanted = [_id_of(name) if one is None else one[0] for name, one in zip(names, known, strict=True)]
    numbers = _all_different(wanted, taken)
    new = [row for row, one in enumerate(known) if one is None or one[1].id != numbers[row]]
    made = _made([names[row] for row in new], [numbers[row] for row in new], settings)
    for row, wide in zip(new, made, strict=True):
        known[row] = (wanted[row], wide)
    rows = [one for one in known if one is not None]
    return [wide for _, wide in rows], dict(zip(names, rows, strict=True))


def _all_different(wanted: list[int], taken: set[int]) -> list[int]:
    """The ids that links get: the wanted ones, but the next one that is free where another has it."""
    if len({*wanted, *taken, 0}) == len(wanted) + len(taken | {0}):
        return wanted
    taken, numbers = {*taken, 0}, list[int]()
    for number in wanted:
        while number in taken:
            number = number + 1 & MAX_ID
        taken.add(number)
        numbers.append(number)
    return numbers


def _made(names: list[bytes], numbers: list[int], settings: Settings) -> list[WideLink]:
    """Links from what they are known by, and their ids."""
    if not names:
        return []
    read = np.frombuffer(b"".join(names), "<i8").reshape(-1, _NUMBERS_IN_NAME)
    of_kind = [(getattr(settings, f"link_{kind}_area"), getattr(settings, f"link_{kind}_flags")) for kind in KINDS]
    kinds, quads, corners = read[:, 2].tolist(), list[tuple[Point, Point, Point, Point]](), read[:, 3:] / _PER_METRE
    for x, y, z, x1, y1, z1, x2, y2, z2, x3, y3, z3 in corners.tolist():
        quads.append(((x, y, z), (x1, y1, z1), (x2, y2, z2), (x3, y3, z3)))
    values = [
        LinkValues(kind != DROP, area, flags, number)
        for kind, (area, flags), number in zip(kinds, map(of_kind.__getitem__, kinds), numbers, strict=True)
    ]
    points = many_wide_link_points(corners.reshape(-1, 4, 3), values, settings.link_spacing, Link.unchecked)
    return [
        WideLink.unchecked(
            kind=KINDS[kind], corners=quad, bidirectional=one.bidirectional, area=one.area, flags=one.flags,
            id=one.number, points=own, tile=(x, y),
        )
        for kind, quad, one, own, (x, y) in zip(kinds, quads, values, points, read[:, :2].tolist(), strict=True)
    ]  # fmt: skip


def in_order(links: F64, tiles: I64) -> I64:
    """The numbers of the rows, sorted by tile, kind and place."""
    places = np.round(links[:, CORNERS:CHAIN] * _PER_METRE)
    return _in_order_kernel(np.column_stack([tiles[:, ::-1], links[:, KIND], places]))


@kernel
def _in_order_kernel(rows: F64) -> I64:
    """The numbers of rows by their first values, then by those behind; equal rows stay in order. By merging."""
    order, other, run = np.arange(len(rows)), np.empty(len(rows), np.int64), 1
    while run < len(rows):
        for begin in range(0, len(rows), 2 * run):
            middle, end = min(begin + run, len(rows)), min(begin + 2 * run, len(rows))
            left, right = begin, middle
            for place in range(begin, end):
                if left < middle and (right == end or not _comes_before(rows, order[right], order[left])):
                    other[place] = order[left]
                    left += 1
                else:
                    other[place] = order[right]
                    right += 1
        order, other, run = other, order, 2 * run
    return order


@borrowing
def _comes_before(rows: F64, one: AnyInt, other: AnyInt) -> bool:
    for column in range(rows.shape[1]):
        if rows[one, column] != rows[other, column]:
            return rows[one, column] < rows[other, column]
    return False


def _id_of(name: bytes) -> int:
    """A number from the kind and the rounded corners, so that it stays from build to build."""
    digest = hashlib.blake2b(name[_KIND_IN_NAME] + name[_CORNERS_IN_NAME:], digest_size=4).digest()
    return int.from_bytes(digest, "little")


def with_points(wide: WideLink, settings: Settings) -> WideLink:
    """The same link with the points that stand for it: one every `link_spacing`, at least one."""
    points = wide_link_points(
        wide.corners, settings.link_spacing,
        bidirectional=wide.bidirectional, area=wide.area, flags=wide.flags, number=wide.id,
    )  # fmt: skip
    return replace(wide, points=points)
