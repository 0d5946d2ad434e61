"""Links in the order of a fresh build, after one tile was taken out of a set and another put in its place.

In a fresh build tiles are added row by row, and every link goes to the front of its polygon's list. So a list holds
the links to tiles that are added later in front, those to the tile itself at the end, and in between those to tiles
that were there before: in which order decides nothing but which of them Detour looks at first, where all else is equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ..geometry.tile_key import TileKey, row_by_row
from ..jit import kernel
from ..types import I64, U8, U32, AnyBool
from .byte_layout import NO_LINK, split_sections
from .tile_links import AROUND, LinkedTile, Linker, may_be_linked

_NO_LINK = np.uint32(NO_LINK)
# The place of a tile itself, then its sides, in the order in which it is linked to what lies there.
_IN_TURN = ((0, 0), *(AROUND[side] for side in (4, 5, 6, 7, 0, 3, 2, 1)))
_TO = 3  # where a connection's end begins in `points`


def replace_in_order(linker: Linker, key: TileKey, data: U8 | None, reference: int) -> LinkedTile | None:
    """Put a tile in the place of the one with its key, or that away where `data` is None; returns the new one.

    Afterwards the lists of links of all tiles have the order in which a fresh build of all of them has it, row by row,
    and ends of connections that stand on no ground lie where they were put. That holds for tiles none of which has
    run out of links (`LinkedTile.links_left`): there a fresh build leaves out others. No Recast ancestor.
    """
    before = linker.at(key)
    if before is not None:
        linker.remove(before)
        for other in linker.around(key):
            if other.connections:
                _put_ends_back(other.data)
    if data is None:
        return None
    tile = linker.add(data, reference)
    changed = tile.base, tile.polygons
    for other in linker.around(key):
        _sort_links(other.data, *_ranks(linker, other), *changed)
    _sort_links(data, *_ranks(linker, tile), tile.base, 0)
    return tile


def replace_all_in_order(
    linker: Linker, made: Mapping[TileKey, tuple[U8, int] | None]
) -> tuple[dict[TileKey, LinkedTile], dict[TileKey, LinkedTile]]:
    """The same for many tiles at once, at less cost; returns the new ones, and those around them.

    `made` has the bytes and the reference of each, or None where the tile is put away.
    """
    gone = {key: before for key in made if (before := linker.at(key))}
    for before in gone.values():
        linker.remove(before)
    all_around = {key: [*linker.around(key)] for key in made}
    for other in {other.key: other for others in all_around.values() for other in others}.values():
        if other.connections:
            _put_ends_back(other.data)
    new = {key: linker.add(*given) for key, given in made.items() if given is not None}
    around: dict[TileKey, LinkedTile] = {}
    for key, others in all_around.items():
        own = [tile for tile in (gone.get(key), new.get(key)) if tile]
        around.update((other.key, other) for other in others if any(may_be_linked(tile, other) for tile in own))
    for tile in (*new.values(), *around.values()):
        _sort_links(tile.data, *_ranks(linker, tile), tile.base, 0)
    return new, around


def _ranks(linker: Linker, tile: LinkedTile) -> tuple[U32, I64]:
    """References and counts of all tiles that this one can be linked to, in the order in which it is linked to them."""
    x, y, _ = tile.key
    here, *places = linker.at_places(x, y, _IN_TURN)
    if len(here) == 1 and max(map(len, places)) <= 1:  # as nearly everywhere
        return _numbered([tile, *(there[0] for there in places if there)])
    own = row_by_row(tile.key)
    around = [*linker.around(tile.key)]
    side_of = {place: side for side, place in enumerate(AROUND)}

    def when(other: LinkedTile) -> tuple[int, ...]:
        rank = row_by_row(other.key)
        if rank > own:
            return (1, *rank)
        side = side_of.get((other.key.x - tile.key.x, other.key.y - tile.key.y), -1)
        return 0, side, -other.key.layer

    return _numbered([tile, *sorted(around, key=when)])


def _numbered(ordered: Sequence[LinkedTile]) -> tuple[U32, I64]:
    bases = np.concatenate([other.free for other in ordered])[1::2].copy()  # they lie behind the next unused links
    return bases, np.array([other.polygons for other in ordered], np.int64)


@kernel
def _sort_links(data: U8, bases: U32, counts: I64, changed: np.uint32, changed_count: int) -> None:
    """Bring the list of each polygon that has a link to the changed tile (with a count of 0: of all) into order.

    The tile to which a link was made last comes first; links to the same tile keep their order.
    """
    tile = split_sections(data)
    targets, following, first = tile.links["target"], tile.links["next"], tile.polygons["first_link"]
    numbers, ranks = np.empty(len(targets), np.uint32), np.empty(len(targets), np.int64)
    for polygon in range(len(first)):
        count, k = 0, first[polygon]
        wanted: AnyBool = changed_count == 0
        while k != _NO_LINK:
            target = np.int64(targets[k])
            rank = 0
            while rank < len(bases) - 1 and not 0 <= target - np.int64(bases[rank]) < counts[rank]:
                rank += 1
            wanted = wanted or 0 <= target - np.int64(changed) < changed_count
            place = count
            while place > 0 and ranks[place - 1] < rank:
                numbers[place], ranks[place] = numbers[place - 1], ranks[place - 1]
                place -= 1
            numbers[place], ranks[place] = k, rank
            count += 1
            k = following[k]
        if not wanted or count < 2:
            continue
        first[polygon] = numbers[0]
        for place in range(count):
            following[numbers[place]] = numbers[place + 1] if place + 1 < count else _NO_LINK


@kernel
def _put_ends_back(data: U8) -> None:
    """Ends of connections that are attached to nothing lie where they were put, as in a tile that was never linked."""
    tile = split_sections(data)
    records = tile.connections
    for k in range(len(records)):
        polygon = np.int64(records["polygon"][k])
        link = tile.polygons["first_link"][polygon]
        is_attached: AnyBool = False
        while link != _NO_LINK:
            is_attached |= tile.links["edge"][link] == 1
            link = tile.links["next"][link]
        if not is_attached:
            for axis in range(3):
                tile.vertices[tile.polygons["vertices"][polygon, 1], axis] = records["points"][k, _TO + axis]
