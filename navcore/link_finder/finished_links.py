"""Found links as navmeshes hold them: named, sorted, and with the points that stand for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..checked_fields import MAX_ID
from ..geometry.tile_key import TileKey
from ..jit import borrowing, kernel
from ..result.wide_link_records import LinkValues, many_wide_link_points, wide_link_points
from ..scene import Link
from ..settings import Settings
from ..types import F64, I32, I64, AnyInt, Bools
from ..wide_links import KINDS, WideLink
from .rules import DROP
from .wide import CHAIN, CORNERS, KIND

_PER_METRE = 64  # to which corners are rounded: exact in float32
_NUMBERS_IN_NAME = 15  # of eight bytes each, by which a link is known: two for its tile, its kind, its corners
_KIND_IN_NAME, _CORNERS_IN_NAME = slice(16, 17), -12 * 8  # bytes: kinds are small, and the lowest byte is first


class LinksOfTile(NamedTuple):
    """The links of a tile, and what they were made of."""

    rows: F64  # (., 14) as they were found
    own: bytes  # of each row, whether it is a link
    names: list[bytes]
    wanted: list[int]  # the ids that they ask for
    links: list[WideLink]


MadeLinks = Mapping[TileKey, LinksOfTile]


def finished_links(
    found: Mapping[TileKey, F64], own: Bools, origin: F64, settings: Settings, taken: set[int],
    before: MadeLinks | None = None,
) -> tuple[list[WideLink], MadeLinks]:  # fmt: skip
    """The links of those of all rows that are `own`, tile by tile; ids that are `taken` are not given.

    Those that were made `before`, with the same settings, are taken over: whole tiles where nothing is new.
    """
    made, marks, at, before = dict[TileKey, LinksOfTile](), own.tobytes(), 0, before or {}
    for place, rows in found.items():
        mine, had = marks[at : at + len(rows)], before.get(place)
        at += len(rows)
        if had is None or had.rows is not rows or had.own != mine:
            had = _links_of_tile(place, rows, mine, (origin, settings), had)
        made[place] = had
    wanted = [*chain.from_iterable([tile.wanted for tile in made.values()])]
    links = [*chain.from_iterable([tile.links for tile in made.values()])]
    numbers = _all_different(wanted, taken)
    if numbers != [wide.id for wide in links]:
        return _with_numbers(made, links, numbers, settings)
    return links, made


def _links_of_tile(
    place: TileKey, rows: F64, own: bytes, how: tuple[F64, Settings], before: LinksOfTile | None
) -> LinksOfTile:
    """The links of a tile with the ids that they ask for, or as they were before."""
    origin, settings = how
    whole = _names_kernel(rows, np.frombuffer(own, np.bool_), place.x, place.y, origin).tobytes()
    size = 8 * _NUMBERS_IN_NAME
    names = [whole[at : at + size] for at in range(0, len(whole), size)]
    known = (
        {} if before is None else dict(zip(before.names, zip(before.wanted, before.links, strict=True), strict=True))
    )
    new = [name for name in names if name not in known]
    numbers = [*map(_id_of, new)]
    known.update(zip(new, zip(numbers, _made(new, numbers, settings), strict=True), strict=True))
    had = [known[name] for name in names]
    return LinksOfTile(rows, own, names, [wanted for wanted, _ in had], [wide for _, wide in had])


@kernel
def _names_kernel(links: F64, own: Bools, x: int, y: int, origin: F64) -> I64:
    """(., 15) what links are known by: their tile, their kind, their corners."""
    names, count = np.empty((own.sum(), _NUMBERS_IN_NAME), np.int64), 0
    for row in range(len(own)):
        if own[row]:
            names[count, 0], names[count, 1], names[count, 2] = x, y, np.int64(links[row, KIND])
            for k in range(CHAIN - CORNERS):
                names[count, 3 + k] = np.int64(np.rint((links[row, CORNERS + k] + origin[k % 3]) * _PER_METRE))
            count += 1
    return names


def _with_numbers(
    made: MadeLinks, links: list[WideLink], numbers: list[int], settings: Settings
) -> tuple[list[WideLink], MadeLinks]:
    """The same links with these ids: several ask for one, or somebody else has it."""
    names = [*chain.from_iterable([tile.names for tile in made.values()])]
    rows = [row for row, wide in enumerate(links) if wide.id != numbers[row]]
    links, other, at = [*links], dict[TileKey, LinksOfTile](), 0
    for row, wide in zip(
        rows, _made([names[row] for row in rows], [numbers[row] for row in rows], settings), strict=True
    ):
        links[row] = wide
    for place, tile in made.items():
        other[place] = tile._replace(links=links[at : at + len(tile.links)])
        at += len(tile.links)
    return links, other


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


@kernel
def in_order(links: F64, owners: I32, places: I64) -> I64:
    """The numbers of rows, sorted by the places (., 3) of their owners, from behind, then by kind and corners.

    Equal rows stay in order. By merging.
    """
    count, width = len(links), places.shape[1]
    rows = np.empty((count, width + 1 + CHAIN - CORNERS))
    for row in range(count):
        for k in range(width):
            rows[row, k] = places[owners[row], width - 1 - k]
        rows[row, width] = links[row, KIND]
        for k in range(CHAIN - CORNERS):
            rows[row, width + 1 + k] = np.rint(links[row, CORNERS + k] * _PER_METRE)
    order, other, run = np.arange(count), np.empty(count, np.int64), 1
    while run < count:
        for begin in range(0, count, 2 * run):
            middle, end = min(begin + run, count), min(begin + 2 * run, count)
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
