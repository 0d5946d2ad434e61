"""Links between the polygons of a set of tiles, written into the tiles' own bytes in Detour's order.

Each polygon has a list of links, and a new one goes to its front. Tiles that are added one after the other, row by
row, leave the order of a fresh build, that of files. A tile that is taken out and put in anew while a game runs leaves
another: its neighbors have their links to it in front. `Linker.remove` and `Linker.add` keep that order, bit for bit
that of Detour at run time, which tile caches have; `link_order.py` brings lists back into the order of a fresh build.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from ..build_warning import Point
from ..geometry.tile_key import TileKey
from ..jit import borrowing, kernel
from ..types import F32, I32, I64, U8, U32, AnyArray, AnyInt
from .byte_layout import EXTERNAL, HALF_TURN, INSIDE, LAST_SIDE, NO_LINK, Sections, header_of, split_sections
from .file_checks import BadFile
from .limits import MOST_CORNERS
from .nearest import nearest_in_tile

if TYPE_CHECKING:
    from .reader import NavmeshFile, TileRecord

# --- Which polygons of two neighboring tiles meet along the border between them: kernels over the tiles' sections.

_MARGIN = np.float32(0.01)  # metres by which edges must overlap at each end, and may lie apart
_TWO = np.float32(2)
POLYGON, EDGE, START, END = 0, 1, 2, 3  # columns of border edges; the last two are vertices
SHARED_LOW, SHARED_HIGH = 0, 1  # columns of `shared`: where along the border two edges meet
_LOW, _LOW_HEIGHT, _HIGH, _HIGH_HEIGHT = 0, 1, 2, 3  # of a slab

_Slab: TypeAlias = tuple[np.float32, np.float32, np.float32, np.float32]


@kernel
def border_edges(tile: Sections, side: AnyInt) -> I32:
    """(., 4) polygon, edge and both vertices of every edge on one side of the tile, in order."""
    neighbors, corners, corner_of = tile.polygons["neighbors"], tile.polygons["corners"], tile.polygons["vertices"]
    sought = np.int32(EXTERNAL) | np.int32(side)
    count = 0
    for polygon in range(tile.header[0]["first_connection"]):
        for edge in range(np.int32(corners[polygon])):
            count += np.int32(neighbors[polygon, edge]) == sought
    edges = np.empty((count, 4), np.int32)
    count = 0
    for polygon in range(tile.header[0]["first_connection"]):
        for edge in range(np.int32(corners[polygon])):
            if np.int32(neighbors[polygon, edge]) == sought:
                edges[count, POLYGON], edges[count, EDGE] = polygon, edge
                edges[count, START] = corner_of[polygon, edge]
                edges[count, END] = corner_of[polygon, edge + 1 if edge + 1 < np.int32(corners[polygon]) else 0]
                count += 1
    return edges


@borrowing
def meeting_polygons(
    tile: Sections, edge: I32, other: Sections, facing: I32, side: AnyInt, climb: np.float32, polygons: I32, shared: F32
) -> int:
    """Find the polygons of the other tile that meet an edge: one for each of the `facing` edges, at most one a polygon.

    Writes as many as there is room for, and from where to where along the border they meet; returns how many there are.
    Recast: dtNavMesh::findConnectingPolys.
    """
    across, along = (0, 2) if side % 4 == 0 else (2, 0)
    here = _slab(tile.vertices, edge, along)
    plane = tile.vertices[edge[START], across]
    count = 0
    last = np.int32(-1)
    for k in range(len(facing)):
        polygon = facing[k, POLYGON]
        if polygon == last or abs(plane - other.vertices[facing[k, START], across]) > _MARGIN:
            continue
        there = _slab(other.vertices, facing[k], along)
        if _overlap(here, there, climb):
            if count < len(polygons):
                polygons[count] = polygon
                shared[count, SHARED_LOW] = max(here[_LOW], there[_LOW])
                shared[count, SHARED_HIGH] = min(here[_HIGH], there[_HIGH])
            count += 1
            last = polygon
    return count


@borrowing
def _slab(vertices: F32, edge: I32, along: int) -> _Slab:
    """Place along the border and height of an edge's nearer end, then of its farther one. Recast: calcSlabEndPoints."""
    a, b = edge[START], edge[END]
    if not vertices[a, along] < vertices[b, along]:
        a, b = b, a
    return vertices[a, along], vertices[a, 1], vertices[b, along], vertices[b, 1]


@borrowing
def _overlap(a: _Slab, b: _Slab, climb: np.float32) -> bool | np.bool_:
    """Whether two slabs overlap and an agent can step from one to the other. Recast: overlapSlabs."""
    low = max(a[_LOW] + _MARGIN, b[_LOW] + _MARGIN)
    high = min(a[_HIGH] - _MARGIN, b[_HIGH] - _MARGIN)
    if low > high:
        return False
    slope_a = (a[_HIGH_HEIGHT] - a[_LOW_HEIGHT]) / (a[_HIGH] - a[_LOW])
    slope_b = (b[_HIGH_HEIGHT] - b[_LOW_HEIGHT]) / (b[_HIGH] - b[_LOW])
    base_a = a[_LOW_HEIGHT] - slope_a * a[_LOW]
    base_b = b[_LOW_HEIGHT] - slope_b * b[_LOW]
    at_low = (slope_b * low + base_b) - (slope_a * low + base_a)
    at_high = (slope_b * high + base_b) - (slope_a * high + base_a)
    if at_low * at_high < _ZERO:
        return True
    step = climb * _TWO
    limit = step * step
    return at_low * at_low <= limit or at_high * at_high <= limit


MOST_MEETING = 4  # polygons of the other tile that one border edge is linked to
_FREE_PAIRS, _PAIRS_PER_BYTE = 50_000_000, 20  # of edges on borders: compared in less than a second
_FREE_LOOKS, _LOOKS_PER_BYTE = 50_000_000, 20  # at nodes and triangles, for the ground under links: likewise
AROUND = ((1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1))  # the sides, 0 … 7
_SIDE_AT = np.array([5, 6, 7, 4, -1, 0, 3, 2, 1], np.int64)  # of what lies at (dx, dy), by (dy + 1) · 3 + dx + 1
_FROM, _TO = np.int64(0), np.int64(3)  # where a connection's two points begin in `points`
_FIRST_CORNER, _SECOND_CORNER = 0, 1  # of a connection's polygon: its start and its end
_BOTH_WAYS = 1  # in a connection's flags
_NO_EDGE = np.uint8(255)  # of a link from the ground to a connection
_HAS_NEIGHBOR = np.uint16(EXTERNAL - 1)
_SOME_EDGES = 256  # there is room for at first
_SCALE = np.float32(255)
_ZERO, _ONE = np.float32(0), np.float32(1)
_NO_LINK = np.uint32(NO_LINK)
_INSIDE = np.uint8(INSIDE)


class LinkedTile(NamedTuple):
    """A tile whose links are being written."""

    data: U8  # its bytes, changed in place
    base: np.uint32  # reference of its first polygon
    free: U32  # (2,) the next unused link, and `base` once more: side by side kernels are given both at once
    connections: int
    key: TileKey
    polygons: int

    @property
    def links_left(self) -> int:
        """How many links are unused; -1 where all are used, and some may be missing."""
        if self.free[0] == NO_LINK:
            return -1
        left: int = _count_unused(self.data, self.free)
        return left


def may_be_linked(one: LinkedTile, other: LinkedTile) -> bool:
    """Whether two tiles beside each other may have links to each other: at a corner only off-mesh links lead across."""
    here, there = one.key, other.key
    return here.x == there.x or here.y == there.y or one.connections > 0 or other.connections > 0


class Linker:
    """Tiles that are there, by place. Recast: dtNavMesh, as far as addTile and removeTile see it.

    `work` is how many nodes and triangles may be looked at for the ground under connections. Below 0 it was more, and
    the links are not right. Without a number there is no end to it: for tiles of our own.
    """

    def __init__(self, work: int = 2**62, most_layers: int = 32) -> None:
        self._most_layers = most_layers  # at one place that are looked at; Detour looks at 32
        self.work = np.array([work], np.int64)
        self.unlinked = 0  # pairs of polygons that meet at a border edge which is full
        self.unlinked_at: Point | None = None  # the middle of the first tile border with such an edge
        self._tiles: dict[tuple[int, int], list[LinkedTile]] = {}

    def add(self, data: U8, reference: int) -> LinkedTile:
        """Link a tile with itself and with those around it. Recast: dtNavMesh::addTile."""
        header = header_of(data)[0]
        x, y, layer = int(header["x"]), int(header["y"]), int(header["layer"])
        counts = int(header["connections"]), TileKey(x, y, layer), int(header["polygons"])
        free = np.array([0, reference], np.uint32)
        tile = LinkedTile(data, free[1], free, *counts)
        _link_inside(data, tile.base, tile.free)
        if tile.connections:
            _link_starts(data, tile.base, tile.free, self.work)
            self._land(tile, tile, -1)
        here = self._tiles.setdefault((x, y), [])
        for other in here[: self._most_layers]:
            self._join_layers(tile, other)
        for side, (dx, dy) in enumerate(AROUND):
            for other in self._tiles.get((x + dx, y + dy), ())[: self._most_layers]:
                self._join(tile, other, side)
        here.insert(0, tile)
        return tile

    def remove(self, tile: LinkedTile) -> None:
        """Take a tile out that was added, and all links to it; the other links stay as they are.

        What ended on it is attached to nothing, and stays where its ground was. Recast: dtNavMesh::removeTile.
        """
        x, y, _ = tile.key
        here = [other for other in self._tiles.get((x, y), ()) if other is not tile]
        if len(here) == len(self._tiles.get((x, y), ())):
            raise ValueError(f"tile {tile.key} is not among those that were added")
        self._tiles[x, y] = here
        for other in self.around(tile.key):
            if may_be_linked(tile, other):
                _unlink(other.data, other.free, tile.base, tile.polygons)

    def at(self, key: TileKey) -> LinkedTile | None:
        """The tile of this key, if there is one. Recast: dtNavMesh::getTileAt."""
        return next((tile for tile in self._tiles.get(key.place, ()) if tile.key == key), None)

    def at_places(self, x: int, y: int, steps: Iterable[tuple[int, int]]) -> list[Sequence[LinkedTile]]:
        """The tiles of the places so many columns and rows beside one, at each the last that came first. Recast:
        dtNavMesh::getTilesAt.
        """
        tiles = self._tiles
        return [tiles.get((x + dx, y + dy), ()) for dx, dy in steps]

    def around(self, key: TileKey) -> Iterator[LinkedTile]:
        """The other tiles at its place, then those on its sides 0 … 7; at each place the one that came last first."""
        for dx, dy in ((0, 0), *AROUND):
            for tile in self._tiles.get((key.x + dx, key.y + dy), ()):
                if tile.key != key:
                    yield tile

    def forget(self, x: int, y: int) -> None:
        """Drop the tiles at a place: none that is added later lies next to it."""
        self._tiles.pop((x, y), None)

    def _join_layers(self, tile: LinkedTile, other: LinkedTile) -> None:
        """Layers of one place meet within it, where one goes on from the other."""
        self._count(_link_layers(tile.data, tile.free, other.data, other.base), tile.data, -1)
        self._count(_link_layers(other.data, other.free, tile.data, tile.base), tile.data, -1)
        self._land(tile, other, -1)
        self._land(other, tile, -1)

    def _join(self, tile: LinkedTile, other: LinkedTile, side: int) -> None:
        back = (side + HALF_TURN) & LAST_SIDE
        if side % 2 == 0:  # tiles that touch at a corner only share no edge
            unlinked = _link_borders(tile.data, tile.free, other.data, other.base, side)
            unlinked += _link_borders(other.data, other.free, tile.data, tile.base, back)
            self._count(unlinked, tile.data, side)
        self._land(tile, other, side)
        self._land(other, tile, back)

    def _count(self, unlinked: int, data: U8, side: int) -> None:
        if unlinked and self.unlinked == 0:
            self.unlinked_at = _middle_of_border(data, side)
        self.unlinked += unlinked

    def _land(self, tile: LinkedTile, owner: LinkedTile, side: int) -> None:
        """Link what of `owner` ends in `tile`. Seen from `tile`, `owner` lies on `side`; -1: at the same place."""
        if owner.connections:
            _link_ends(tile.data, tile.base, tile.free, owner.data, owner.base, owner.free, side, self.work)


def _middle_of_border(data: U8, side: int) -> Point:
    """The middle of one side of a tile, in metres; of the tile itself where the side is -1."""
    header = header_of(data)[0]
    low, high = header["bounds_min"].astype(np.float64), header["bounds_max"].astype(np.float64)
    middle = (low + high) / 2
    if side >= 0:
        axis = 0 if side % HALF_TURN == 0 else 2
        middle[axis] = high[axis] if side < HALF_TURN else low[axis]
    x, y, z = np.round(middle, 3).tolist()
    return x, y, z


def linked_tiles(file: NavmeshFile) -> list[U8]:
    """The bytes of each tile of a checked file with new links, in the order of the file.

    Raises BadFile where tiles have so many edges on their borders that comparing them would take minutes, or so many
    connections over so much ground that finding where they end would.
    """
    _check_work(file)
    limit = _FREE_LOOKS + _LOOKS_PER_BYTE * file.size
    linker, linked = Linker(limit), []
    for tile in file.tiles:
        data = tile.data.copy()
        linker.add(data, tile.reference)
        if linker.work[0] < 0:
            count = sum(int(each.sections.header[0]["connections"]) for each in file.tiles)
            raise BadFile(
                f"To find the ground under its {count:,} off-mesh links, more than {limit:,} polygons and triangles "
                "would have to be looked at.",
                "TOO_MANY_LINKS",
            )
        linked.append(data)
    return linked


def _check_work(file: NavmeshFile) -> None:
    """Every edge on a border is compared with all those across: no sound level has more than a few hundred."""
    edges: dict[tuple[int, int], I64] = {}
    for tile in file.tiles:
        here = edges.setdefault((tile.x, tile.y), np.zeros(len(AROUND), np.int64))
        here += _edges_by_side(tile)
    pairs = sum(
        int(here[side] * there[side + HALF_TURN & LAST_SIDE])
        for (x, y), here in edges.items()
        for side, (dx, dy) in enumerate(AROUND)
        for place in {(x, y), (x + dx, y + dy)}  # layers of one place are compared, too
        if (there := edges.get(place)) is not None
    )
    limit = _FREE_PAIRS + _PAIRS_PER_BYTE * file.size
    if pairs > limit:
        raise BadFile(
            f"Along its tile borders {pairs:,} pairs of edges would have to be compared (limit {limit:,}).",
            "TOO_MANY_BORDER_EDGES",
        )


def _edges_by_side(tile: TileRecord) -> I64:
    """(8,) how many edges of a tile lie on each of its sides."""
    ground = tile.sections.polygons[: tile.sections.header[0]["first_connection"]]
    neighbors = ground["neighbors"][np.arange(MOST_CORNERS) < ground["corners"][:, None]]
    return np.bincount(neighbors[neighbors >= EXTERNAL] & LAST_SIDE, minlength=len(AROUND))


@kernel
def _link_inside(data: U8, base: np.uint32, free: U32) -> None:
    """Every link unused; then links across the edges inside the tile. Recast: connectIntLinks."""
    _link_inside_of(split_sections(data), base, free)


@borrowing
def _link_inside_of(tile: Sections, base: np.uint32, free: U32) -> None:
    links = tile.links["next"]
    for k in range(len(links)):
        links[k] = np.uint32(k + 1)
    if len(links) > 0:
        links[len(links) - 1] = _NO_LINK
        free[0] = 0
    else:
        free[0] = _NO_LINK
    neighbors, corners = tile.polygons["neighbors"], tile.polygons["corners"]
    for polygon in range(len(corners)):
        tile.polygons["first_link"][polygon] = _NO_LINK
        if polygon >= tile.header[0]["first_connection"]:
            continue
        for edge in range(np.int32(corners[polygon]) - 1, -1, -1):
            neighbor = neighbors[polygon, edge]
            if 0 < neighbor <= _HAS_NEIGHBOR:
                target = base | np.uint32(neighbor - 1)
                _attach(tile, free, polygon, target, np.uint8(edge), _INSIDE, np.uint8(0), np.uint8(0))


@borrowing
def _attach(
    tile: Sections,
    free: U32,
    polygon: int | np.int64,
    target: np.uint32,
    edge: np.uint8,
    side: np.uint8,
    low: np.uint8,
    high: np.uint8,
) -> None:
    """Put a link in front of a polygon's list; where none is left, none is made, as in Detour."""
    k = free[0]
    if k == _NO_LINK:
        return
    links = tile.links
    first = tile.polygons["first_link"]
    free[0] = links["next"][k]
    links["target"][k] = target
    links["edge"][k] = edge
    links["side"][k] = side
    links["low"][k] = low
    links["high"][k] = high
    links["next"][k] = first[polygon]
    first[polygon] = k


@kernel
def _link_borders(data: U8, free: U32, other_data: U8, other_base: np.uint32, side: int) -> int:
    """Links from `data` to the polygons of the other tile along their common border.

    Returns how many more polygons met an edge than it can be linked to. Recast: connectExtLinks.
    """
    tile, other = split_sections(data), split_sections(other_data)
    room = np.empty(MOST_MEETING, np.int32), np.empty((MOST_MEETING, 2), np.float32)
    own = border_edges(tile, side)
    facing = border_edges(other, (side + HALF_TURN) & LAST_SIDE)
    return _link_edges((tile, free, own), (other, facing), other_base, side, room)


@borrowing
def _link_edges(
    here: tuple[Sections, U32, I32], there: tuple[Sections, I32], other_base: np.uint32, side: AnyInt,
    room: tuple[I32, F32],
) -> int:  # fmt: skip
    """Links from the edges of a tile on one side to the polygons beyond them. `room`: for what one edge meets."""
    tile, free, own = here
    other, facing = there
    meeting, shared = room
    climb, missed = other.header[0]["agent_max_climb"], 0
    for k in range(len(own)):
        count = meeting_polygons(tile, own[k], other, facing, side, climb, meeting, shared)
        missed += max(count - MOST_MEETING, 0)
        for c in range(min(count, MOST_MEETING)):
            low, high = _shared_part(tile, own[k], side, shared[c])
            target = other_base | np.uint32(meeting[c])
            _attach(tile, free, np.int64(own[k, POLYGON]), target, np.uint8(own[k, EDGE]), np.uint8(side), low, high)
    return missed


@borrowing
def _shared_part(tile: Sections, edge: I32, side: AnyInt, shared: F32) -> tuple[np.uint8, np.uint8]:
    """Where along its edge a link begins and ends, in 255ths."""
    axis = 2 if side % 4 == 0 else 0
    a, b = tile.vertices[edge[START], axis], tile.vertices[edge[END], axis]
    low, high = (shared[SHARED_LOW] - a) / (b - a), (shared[SHARED_HIGH] - a) / (b - a)
    if low > high:
        low, high = high, low
    return _in_255ths(low), _in_255ths(high)


@borrowing
def _in_255ths(part: np.float32) -> np.uint8:
    part = _ZERO if part < _ZERO else (_ONE if part > _ONE else part)
    return np.uint8(np.int32(np.floor(np.float64(part * _SCALE) + 0.5)))


@kernel
def _link_layers(data: U8, free: U32, other_data: U8, other_base: np.uint32) -> int:
    """Links from a tile to another layer of its place, across edges where the one layer goes on as the other.

    Returns how many more polygons met an edge than it can be linked to. Recast: connectExtLinks for every side.
    """
    tile, other = split_sections(data), split_sections(other_data)
    room = np.empty(MOST_MEETING, np.int32), np.empty((MOST_MEETING, 2), np.float32), np.empty(4, np.int32)
    facing, first = np.empty((MOST_CORNERS * len(other.polygons), 4), np.int32), np.empty(5, np.int64)
    _sort_borders(other, facing, first)
    return _link_layer((tile, free), (other, facing, first), other_base, room)


@borrowing
def _link_layer(
    here: tuple[Sections, U32], beyond: tuple[Sections, I32, I64], other_base: np.uint32, room: tuple[I32, F32, I32]
) -> int:
    """The same, of tiles that are split already; `beyond` has its edges by their sides, `room` is for one edge, too."""
    tile, free = here
    other, facing, first = beyond
    meeting, shared, edge = room
    climb, missed = other.header[0]["agent_max_climb"], 0
    if first[4] == 0:
        return 0
    neighbors, corners, corner_of = tile.polygons["neighbors"], tile.polygons["corners"], tile.polygons["vertices"]
    for polygon in range(tile.header[0]["first_connection"]):
        for corner in range(np.int32(corners[polygon])):
            across = np.int32(neighbors[polygon, corner])
            if across & EXTERNAL == 0:
                continue
            side = across & LAST_SIDE
            edge[POLYGON], edge[EDGE], edge[START] = polygon, corner, corner_of[polygon, corner]
            edge[END] = corner_of[polygon, corner + 1 if corner + 1 < np.int32(corners[polygon]) else 0]
            back = 2 if side == 0 else 3 if side == 2 else 0 if side == 4 else 1
            there = facing[first[back] : first[back + 1]]
            count = meeting_polygons(tile, edge, other, there, side, climb, meeting, shared)
            missed += max(count - MOST_MEETING, 0)
            for c in range(min(count, MOST_MEETING)):
                low, high = _shared_part(tile, edge, side, shared[c])
                target = other_base | np.uint32(meeting[c])
                _attach(tile, free, np.int64(polygon), target, np.uint8(corner), np.uint8(side), low, high)
    return missed


@kernel
def replace_linked(
    data: U8, base: np.uint32, near: tuple[U8, I64, U32, I64], gone: tuple[np.uint32, AnyInt, AnyInt], work: I64
) -> tuple[np.uint32, int]:
    """Unlink what lies around a tile that is gone from it, and link the tile that takes its place, if there is one.

    As `Linker.remove` and `Linker.add` do it one by one. `near`: bytes of all tiles, where each begins and how many
    they are, its next unused link and its reference, and which tiles lie around, in the order of `Linker.around`;
    `gone`: first reference and polygons of the tile before, and how many layers of a place are looked at. Returns the
    next unused link and the polygons of the new tile.
    """
    memory, places, numbers, around = near
    gone_base, gone_polygons, most_layers = gone
    free = np.zeros(1, np.uint32)
    if len(data) == 0:
        for row in around if gone_polygons else around[:0]:
            there = split_sections(memory[places[row, 0] : places[row, 0] + places[row, 1]])
            _unlink_from(there, numbers[2 * row : 2 * row + 1], gone_base, gone_polygons)
        return free[0], 0
    tile = split_sections(data)
    x, y, connections = np.int64(tile.header["x"][0]), np.int64(tile.header["y"][0]), tile.header["connections"][0]
    _link_inside_of(tile, base, free)
    if connections:
        _link_starts(data, base, free, work)
        _link_ends(data, base, free, data, base, free, -1, work)
    room = np.empty(MOST_MEETING, np.int32), np.empty((MOST_MEETING, 2), np.float32)
    one_edge = np.empty(4, np.int32)
    edges, first = np.empty((MOST_CORNERS * len(tile.polygons), 4), np.int32), np.empty(5, np.int64)
    _sort_borders(tile, edges, first)
    its_edges, its_first = np.empty((_SOME_EDGES, 4), np.int32), np.empty(5, np.int64)
    layers, last = 0, -2
    for row in around:
        bytes_there = memory[places[row, 0] : places[row, 0] + places[row, 1]]
        its, its_base, other = numbers[2 * row : 2 * row + 1], numbers[2 * row + 1], split_sections(bytes_there)
        if gone_polygons:
            _unlink_from(other, its, gone_base, gone_polygons)
        dx, dy = np.int64(other.header["x"][0]) - x, np.int64(other.header["y"][0]) - y
        side = _SIDE_AT[(dy + 1) * 3 + dx + 1]
        layers, last = layers + 1 if side == last else 1, side
        if layers > most_layers:
            continue
        back = (side + HALF_TURN) & LAST_SIDE if side >= 0 else np.int64(-1)
        if side % 2 == 0 or side < 0:  # tiles that touch at a corner only share no edge
            if len(its_edges) < MOST_CORNERS * len(other.polygons):
                its_edges = np.empty((2 * MOST_CORNERS * len(other.polygons), 4), np.int32)
            _sort_borders(other, its_edges, its_first)
        if side < 0:
            _link_layer((tile, free), (other, its_edges, its_first), its_base, (*room, one_edge))
            _link_layer((other, its), (tile, edges, first), base, (*room, one_edge))
        elif side % 2 == 0:
            own = edges[first[side >> 1] : first[(side >> 1) + 1]]
            facing = its_edges[its_first[back >> 1] : its_first[(back >> 1) + 1]]
            _link_edges((tile, free, own), (other, facing), its_base, side, room)
            _link_edges((other, its, facing), (tile, own), base, back, room)
        if other.header["connections"][0]:
            _link_ends(data, base, free, bytes_there, its_base, its, side, work)
        if connections:
            _link_ends(bytes_there, its_base, its, data, base, free, back, work)
    return free[0], len(tile.polygons)


@borrowing
def _sort_borders(tile: Sections, edges: I32, first: I64) -> None:
    """The edges on the sides 0, 2, 4 and 6 of a tile: side after side, each as `border_edges` has them."""
    neighbors, corners, corner_of = tile.polygons["neighbors"], tile.polygons["corners"], tile.polygons["vertices"]
    ground = tile.header[0]["first_connection"]
    for side in range(5):
        first[side] = 0
    for polygon in range(ground):
        for edge in range(np.int32(corners[polygon])):
            across = np.int32(neighbors[polygon, edge])
            if across >= EXTERNAL and across & ~(EXTERNAL | LAST_SIDE - 1) == 0:
                first[((across & LAST_SIDE) >> 1) + 1] += 1
    for side in range(4):
        first[side + 1] += first[side]
    if first[4] == 0:
        return
    for polygon in range(ground):
        for edge in range(np.int32(corners[polygon])):
            across = np.int32(neighbors[polygon, edge])
            if across >= EXTERNAL and across & ~(EXTERNAL | LAST_SIDE - 1) == 0:
                k = first[(across & LAST_SIDE) >> 1]
                first[(across & LAST_SIDE) >> 1] += 1
                edges[k, POLYGON], edges[k, EDGE], edges[k, START] = polygon, edge, corner_of[polygon, edge]
                edges[k, END] = corner_of[polygon, edge + 1 if edge + 1 < np.int32(corners[polygon]) else 0]
    for side in range(4, 0, -1):
        first[side] = first[side - 1]
    first[0] = 0


@kernel
def _unlink(data: U8, free: U32, base: np.uint32, polygons: int) -> None:
    """Free the links to a tile; the rest of each list keeps its order. Recast: unconnectLinks."""
    _unlink_from(split_sections(data), free, base, polygons)


@borrowing
def _unlink_from(tile: Sections, free: U32, base: np.uint32, polygons: AnyInt) -> None:
    targets, following, first = tile.links["target"], tile.links["next"], tile.polygons["first_link"]
    for polygon in range(len(first)):
        before, k = _NO_LINK, first[polygon]
        while k != _NO_LINK:
            after = following[k]
            if 0 <= np.int64(targets[k]) - np.int64(base) < polygons:
                if before == _NO_LINK:
                    first[polygon] = after
                else:
                    following[before] = after
                following[k] = free[0]
                free[0] = k
            else:
                before = k
            k = after


@kernel
def _count_unused(data: U8, free: U32) -> int:
    """How many links are in no list."""
    following = split_sections(data).links["next"]
    count, k = 0, free[0]
    while k != _NO_LINK:
        count += 1
        k = following[k]
    return count


@kernel
def _link_starts(data: U8, base: np.uint32, free: U32, work: I64) -> None:
    """Put the start of each connection on the ground and link it both ways. Recast: baseOffMeshLinks."""
    tile = split_sections(data)
    records = tile.connections
    landed = np.empty(3, np.float32)
    for k in range(len(records)):
        polygon = np.int64(records["polygon"][k])
        ground = _landing(data, tile, records, k, _FROM, landed, work)
        if ground < 0:
            continue
        for axis in range(3):
            tile.vertices[tile.polygons["vertices"][polygon, _FIRST_CORNER], axis] = landed[axis]
        none = np.uint8(0)
        _attach(tile, free, polygon, base | np.uint32(ground), np.uint8(_FIRST_CORNER), _INSIDE, none, none)
        _attach(tile, free, np.int64(ground), base | np.uint32(polygon), _NO_EDGE, _INSIDE, none, none)


@kernel
def _link_ends(
    data: U8,
    base: np.uint32,
    free: U32,
    owner_data: U8,
    owner_base: np.uint32,
    owner_free: U32,
    side: AnyInt,
    work: I64,
) -> None:
    """Put the ends of the owner's connections on the ground of `data` and link them. Recast: connectExtOffMeshLinks."""
    tile, owner = split_sections(data), split_sections(owner_data)
    records = owner.connections
    landed = np.empty(3, np.float32)
    none = np.uint8(0)
    there = _INSIDE if side < 0 else np.uint8((side + HALF_TURN) & LAST_SIDE)
    back = _INSIDE if side < 0 else np.uint8(side)
    for k in range(len(records)):
        polygon = np.int64(records["polygon"][k])
        if records["side"][k] != there or owner.polygons["first_link"][polygon] == _NO_LINK:
            continue
        ground = _landing(data, owner, records, k, _TO, landed, work)
        if ground < 0:
            continue
        for axis in range(3):
            owner.vertices[owner.polygons["vertices"][polygon, _SECOND_CORNER], axis] = landed[axis]
        _attach(owner, owner_free, polygon, base | np.uint32(ground), np.uint8(_SECOND_CORNER), there, none, none)
        if records["flags"][k] & _BOTH_WAYS:
            target = owner_base | np.uint32(polygon)
            _attach(tile, free, np.int64(ground), target, _NO_EDGE, back, none, none)


@kernel
def _landing(data: U8, owner: Sections, records: AnyArray, k: int, which: np.int64, landed: F32, work: I64) -> np.int32:
    """The ground polygon of `data` within the radius of a connection's point (_FROM or _TO), or -1."""
    point, half_extents = np.empty(3, np.float32), np.empty(3, np.float32)
    radius = records["radius"][k]
    for axis in range(3):
        point[axis] = records["points"][k, which + axis]
    half_extents[0], half_extents[1], half_extents[2] = radius, owner.header[0]["agent_max_climb"], radius
    ground = nearest_in_tile(data, point, half_extents, landed, work)
    if ground >= 0:
        dx, dz = landed[0] - point[0], landed[2] - point[2]
        if dx * dx + dz * dz > radius * radius:
            return np.int32(-1)
    return ground
