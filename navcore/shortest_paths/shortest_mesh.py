"""What the search for the shortest path walks on: polygons with every edge, whole or a piece, and what lies across.

Made for what one filter lets pass; what it keeps out is wall. Neighbors come from the navmesh, never from positions:
floors may lie above each other.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND, INSIDE
from ..geometry.arrays import flatten, join, numbers_in_ranges
from ..geometry.polygon_rings import next_corners
from ..jit import inlined, kernel
from ..navquery.query_mesh import BORDER, PolygonRows, QueryMesh
from ..types import F32, F64, I32, I64, AnyBool, AnyInt, Bools, Records
from .shortest_lattice import Lattice, LatticePoint, cross, lattice_of, steps_between

# A vertex: where it is in steps of the lattice, and where a shortest path can turn, at a wall's corner that stands out,
# the wall's vertices beside it.
VERTEX = np.dtype((np.record, [(name, np.int32) for name in ("x", "z", "wall_behind", "wall_ahead")]))
# Where an edge begins, the next around its polygon, the polygon, the edge across, another copy of this edge with
# something else across (tiles may meet twice), and whether a dead end lies across.
_EDGE = ("vertex", "following", "polygon", "across", "also", "dead_end")
EDGE = np.dtype((np.record, [(name, np.int32) for name in _EDGE]))
# A polygon's edges and jumps; its number and the end of the numbers of what is reached through it alone; polygons of
# one island are connected, perhaps one way only.
_POLYGON_64, _POLYGON_32 = ("first_edge", "end_edge", "first_jump", "end_jump"), ("number", "end_number", "island", "_")
POLYGON = np.dtype((np.record, [(n, np.int64) for n in _POLYGON_64] + [(n, np.int32) for n in _POLYGON_32]))
# A jump over an off-mesh link, one way: the link's polygon, from which to which, where it begins (the vertex after that
# is where it lands), and how long it is in metres.
_JUMP = ("link", "start", "end", "vertex")
JUMP = np.dtype((np.record, [(n, np.int32) for n in _JUMP] + [("length", np.float64)]))
_NOTHING = -1
_MAX_CORNERS = 6
_STRAIGHT, _WHOLE_TURN = np.pi - 1e-9, 2 * np.pi - 1e-9
_START, _END = 0, 1  # of a link: its corners, and the edges by which it is joined to the ground
_SHIFT, _OFFSET = 32, 1 << 31
_CLOSE = 100  # edges lie on one line within a hundredth of a cell
_NEVER = 1 << 20  # neighbors of what is no dead end, whatever lies around
_NEAR = 2  # steps around a spot in which one inside of its polygon is looked for


class ShortestMesh(NamedTuple):
    """V vertices, E edges, P polygons, J jumps (an off-mesh link, one way)."""

    vertices: Records  # (V,) the last 2 J are where jumps begin and end
    places: F32  # (V, 3) metres
    edges: Records  # (E,) polygon after polygon; copies lie behind
    polygons: Records  # (P,)
    jumps: Records  # (J,) sorted by where they begin
    prices: F64  # (J,) in steps of ground, as a question has it
    copies: int


def shortest_mesh(mesh: QueryMesh, include: int, exclude: int) -> tuple[ShortestMesh, Lattice]:
    """The mesh of what a filter lets pass."""
    passing = _passing(mesh.polygons, include, exclude)
    ground = passing & (mesh.polygons["kind"] == GROUND)
    corners = np.where(ground, mesh.polygons["corners"], 0).astype(np.int32)
    lattice = lattice_of(mesh, np.arange(_MAX_CORNERS) < corners[:, None])
    spots = lattice.of_corners(mesh.outline)
    shared = _shared_edges(mesh, spots, ground, lattice.cell)
    edges, spot, place, first, across = _edges(mesh, spots, corners, shared)
    edges["vertex"], kept = _welded(edges, across)
    walls = _turning(edges, across, spot, len(kept))
    jumps, ends = _jumps_of(mesh, passing, ground)
    jumps["vertex"] = len(kept) + 2 * np.arange(len(jumps))
    vertices = np.full(len(kept) + 2 * len(jumps), _NOTHING, VERTEX)
    vertices["x"], vertices["z"] = np.concatenate([spot[kept], lattice.of(ends)]).T
    vertices["wall_behind"][: len(kept)], vertices["wall_ahead"][: len(kept)] = walls.T
    polygons = np.zeros(len(corners), POLYGON)
    polygons["first_edge"], polygons["end_edge"] = first[:-1], first[1:]
    first_jump = np.searchsorted(jumps["start"], np.arange(len(corners) + 1))
    polygons["first_jump"], polygons["end_jump"] = first_jump[:-1], first_jump[1:]
    copies, edges = len(edges), _with_copies(edges, across)
    _join_islands(edges, jumps, polygons)
    _mark_dead_ends(edges, jumps, polygons)
    _settle(vertices, edges, polygons, jumps)
    places = np.concatenate([place[kept], ends]).astype(np.float32)
    return ShortestMesh(vertices, places, edges, polygons, jumps, np.zeros(len(jumps)), len(edges) - copies), lattice


def _passing(polygons: PolygonRows, include: int, exclude: int) -> Bools:
    passing: Bools = (polygons["flags"] & include != 0) & (polygons["flags"] & exclude == 0)
    return passing


def _edges(
    mesh: QueryMesh, spots: I32, corners: I32, shared: SharedEdges
) -> tuple[Records, I64, F64, I64, tuple[I64, I64]]:
    """Edges in the order of polygons, where each begins, the first of each polygon, and which lie across from which."""
    cut, along = _cuts_of(shared, spots, corners)
    polygon = np.repeat(np.arange(len(corners)), corners)
    whole = polygon * _MAX_CORNERS + numbers_in_ranges(np.zeros(len(corners), np.int64), corners)
    a, b = _ends_of(spots, corners, cut)
    axis = np.abs(b - a).argmax(axis=1)
    rows = np.arange(len(cut))
    part = (along - a[rows, axis]) / np.where(len(cut), b[rows, axis] - a[rows, axis], 1)
    inside = a + np.rint((b - a) * part[:, None]).astype(np.int64)
    inside[rows, axis] = along
    low, high = _ends_in_metres(mesh.outline, corners, cut)
    names = np.concatenate([whole, cut])
    order = np.lexsort((np.concatenate([np.zeros(len(whole)), part]), names))
    number = whole % _MAX_CORNERS
    spot = np.concatenate([spots[polygon, number].astype(np.int64), inside])[order]
    place = np.concatenate([mesh.outline[polygon, number], low + (high - low) * part[:, None]])[order]
    owner = (names // _MAX_CORNERS)[order]
    first = np.searchsorted(owner, np.arange(len(corners) + 1)).astype(np.int64)
    edges = np.full(len(owner), _NOTHING, EDGE)
    edges["following"], edges["polygon"], edges["dead_end"] = next_corners(first), owner, 0
    return edges, spot, place, first, _across(mesh, spots, corners, shared, edges, spot, names[order])


def _ends_in_metres(outline: F32, corners: I32, edges: I64) -> tuple[F64, F64]:
    polygon, number = edges // _MAX_CORNERS, edges % _MAX_CORNERS
    following = np.where(number + 1 < corners[polygon], number + 1, 0)
    return outline[polygon, number].astype(np.float64), outline[polygon, following].astype(np.float64)


def _across(
    mesh: QueryMesh, spots: I32, corners: I32, shared: SharedEdges, edges: Records, spot: I64, names: I64
) -> tuple[I64, I64]:
    """SharedEdges of edges, from and to: inside tiles first, then over their borders in the order of links."""
    begins = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]])[: len(names)])
    number_of = np.full(len(corners) * _MAX_CORNERS, _NOTHING, np.int64)
    number_of[names[begins]] = begins
    polygon, number = names[begins] // _MAX_CORNERS, names[begins] % _MAX_CORNERS
    neighbor = mesh.neighbors[polygon, number].astype(np.int64)
    inner = neighbor >= 0
    inner[inner] = corners[neighbor[inner]] > 0
    here = np.repeat(names[begins][inner], _MAX_CORNERS)
    target = np.repeat(neighbor[inner], _MAX_CORNERS)
    edge = np.tile(np.arange(_MAX_CORNERS), int(inner.sum()))
    there = target * _MAX_CORNERS + edge
    a, b = _ends_of(spots, corners, here)
    c, d = _ends_of(spots, corners, there)
    fits = (edge < corners[target]) & (mesh.neighbors[target, edge] == here // _MAX_CORNERS)
    fits &= (a == d).all(axis=1) & (b == c).all(axis=1)
    _, once = np.unique(here[fits], return_index=True)
    inside = number_of[here[fits][once]], number_of[there[fits][once]]
    over = _over_borders(shared, edges, spot, names)
    return np.concatenate([inside[0], over[0]]), np.concatenate([inside[1], over[1]])


def _over_borders(shared: SharedEdges, edges: Records, spot: I64, names: I64) -> tuple[I64, I64]:
    """Pieces of edges on both sides of a border that are the same."""
    pieces = np.flatnonzero(np.isin(names, np.concatenate([shared.here, shared.there])))
    a, b = spot[pieces], spot[edges["following"][pieces]]
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    ends = np.concatenate([np.take_along_axis(a, axis, 1), np.take_along_axis(b, axis, 1)], axis=1)
    keys, far = _key_of(names[pieces], ends.min(axis=1)), ends.max(axis=1)
    order = np.argsort(keys)
    pieces, keys, far = pieces[order], keys[order], far[order]
    first = np.searchsorted(keys, _key_of(shared.here, shared.low), "left")
    last = np.searchsorted(keys, _key_of(shared.here, shared.high), "left")
    here = numbers_in_ranges(first, last - first)
    wanted = keys[here] + np.repeat((shared.there - shared.here) << 32, last - first)
    there = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
    same = (keys[there] == wanted) & (far[there] == far[here])
    return pieces[here[same]], pieces[there[same]]


def _welded(edges: Records, across: tuple[I64, I64]) -> tuple[I32, I64]:
    """The vertex at which each edge begins, and for each vertex an edge that begins there."""
    parents = np.arange(len(edges), dtype=np.int32)
    _weld(edges, *across, parents)
    kept, vertex = np.unique(parents, return_inverse=True)
    return vertex.astype(np.int32), kept.astype(np.int64)


@kernel
def _weld(edges: Records, here: I64, there: I64, parents: I32) -> None:
    """Corners at both ends of edges that lie across from each other are one."""
    for k in range(len(here)):
        a, b = np.int32(here[k]), np.int32(there[k])
        join(parents, a, edges[b].following)
        join(parents, edges[a].following, b)
    flatten(parents)


def _turning(edges: Records, across: tuple[I64, I64], spot: I64, count: int) -> I32:
    """For vertices at walls around which the ground goes by more than half a turn those beside it along the wall.

    Where several walls meet, and where floors wind around a vertex like stairs, so that a path may turn there by more
    than half a turn, it is the vertex itself twice. _NOTHING where no shortest path turns.
    """
    passable = np.zeros(len(edges), bool)
    both = np.isin(across[0] * len(edges) + across[1], across[1] * len(edges) + across[0])
    passable[across[0][both]] = True
    vertex, following = edges["vertex"], edges["following"]
    ahead, behind = vertex[~passable], vertex[following[~passable]]
    walls = np.full((count, 2), _NOTHING, np.int32)
    walls[ahead, 0], walls[behind, 1] = behind, ahead
    simple = (np.bincount(ahead, minlength=count) == 1) & (np.bincount(behind, minlength=count) == 1)
    several = (walls >= 0).any(axis=1) & ~simple
    walls[several] = np.flatnonzero(several)[:, None]
    after = (spot[following] - spot).astype(np.float64)
    before = np.empty_like(after)
    before[following] = -after
    cross = np.abs(after[:, 0] * before[:, 1] - after[:, 1] * before[:, 0])
    angles = np.arctan2(cross, (after * before).sum(axis=1))
    around = np.bincount(vertex, angles, minlength=count)
    winds = (walls >= 0).any(axis=1) & (around > _WHOLE_TURN)
    walls[winds] = np.flatnonzero(winds)[:, None]
    walls[around <= _STRAIGHT] = _NOTHING
    return walls


def _with_copies(edges: Records, across: tuple[I64, I64]) -> Records:
    """What lies across each edge; where that is more than one, copies of the edge have the others."""
    here, there = across
    _, once = np.unique(here, return_index=True)
    edges["across"][here[once]] = there[once]
    more = np.setdiff1d(np.arange(len(here)), once)
    copies = edges[here[more]].copy()
    copies["across"] = there[more]
    edges = np.concatenate([edges, copies]).view(EDGE)  # joined, they forget what they are in Python
    for copy, edge in zip(range(len(edges) - len(copies), len(edges)), here[more].tolist(), strict=True):
        edges[copy].also = edges[edge].also
        edges[edge].also = copy
    return edges


@kernel
def _join_islands(edges: Records, jumps: Records, polygons: Records) -> None:
    parents = np.arange(len(polygons)).astype(np.int32)
    for edge in range(len(edges)):
        if edges[edge].across >= 0:
            join(parents, edges[edge].polygon, edges[edges[edge].across].polygon)
    for jump in range(len(jumps)):
        join(parents, jumps[jump].start, jumps[jump].end)
    flatten(parents)
    for polygon in range(len(polygons)):
        polygons[polygon].island = parents[polygon]


# Jumps over off-mesh links


def _jumps_of(mesh: QueryMesh, passing: Bools, ground: Bools) -> tuple[Records, F32]:
    """Jumps over links that pass, between ground that does, and both ends of each one after the other.

    A link within one polygon shortens nothing.
    """
    rows, ends = [], []
    entries = set(zip(_link_owners(mesh).tolist(), mesh.links["target"].tolist(), strict=True))
    for link in np.flatnonzero(passing & (mesh.polygons["kind"] != GROUND)).tolist():
        joined = mesh.links[mesh.polygons["first_link"][link] : mesh.polygons["end_link"][link]]
        starts, landings = (
            [target for target in joined["target"][joined["edge"] == end].tolist() if ground[target]]
            for end in (_START, _END)
        )
        for one in starts:
            for other in landings:
                for here, there, turn in ((one, other, [_START, _END]), (other, one, [_END, _START])):
                    if here != there and (here, link) in entries:
                        rows.append((link, here, there, _NOTHING, 0))
                        ends.append(mesh.outline[link, turn])
    jumps, places = np.array(rows, JUMP), np.array(ends, np.float32).reshape(-1, 2, 3)
    order = np.argsort(jumps["start"], kind="stable")
    jumps, places = jumps[order], places[order]
    jumps["length"] = np.sqrt(((places[:, 1].astype(np.float64) - places[:, 0]) ** 2).sum(axis=1))
    return jumps, places.reshape(-1, 3)


# Where tiles meet


class SharedEdges(NamedTuple):
    """Edges of two tiles that share a part, as links say; an edge is polygon · 6 + number."""

    here: I64
    there: I64
    low: I64  # the part, along the edge
    high: I64


def _link_owners(mesh: QueryMesh) -> I64:
    """The polygon of each link."""
    return np.repeat(np.arange(len(mesh.polygons)), mesh.polygons["end_link"] - mesh.polygons["first_link"])


def _key_of(edges: I64, along: I64) -> I64:
    """One number for a place on an edge; those of an edge follow each other."""
    return (edges << _SHIFT) + along + _OFFSET


def _ends_of(spots: I32, corners: I32, edges: I64) -> tuple[I64, I64]:
    """Both ends of edges."""
    polygon, number = edges // _MAX_CORNERS, edges % _MAX_CORNERS
    following = np.where(number + 1 < corners[polygon], number + 1, 0)
    return spots[polygon, number].astype(np.int64), spots[polygon, following].astype(np.int64)


def _shared_edges(mesh: QueryMesh, spots: I32, ground: Bools, cell: int) -> SharedEdges:
    """What links across tile borders join, in the order of links."""
    owner, links = _link_owners(mesh), mesh.links
    border = np.flatnonzero((links["side"] != INSIDE) & ground[owner] & ground[links["target"]])
    border = border[links["edge"][border] < _MAX_CORNERS]
    here = np.repeat(owner[border] * _MAX_CORNERS + links["edge"][border], _MAX_CORNERS)
    number = np.tile(np.arange(_MAX_CORNERS), len(border))
    target = np.repeat(links["target"][border].astype(np.int64), _MAX_CORNERS)
    there = target * _MAX_CORNERS + number
    corners = mesh.polygons["corners"]
    a, b = _ends_of(spots, corners, here)
    c, d = _ends_of(spots, corners, there)
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    along = [np.take_along_axis(end, axis, 1)[:, 0] for end in (a, b, c, d)]
    aside = [np.take_along_axis(end, 1 - axis, 1)[:, 0] for end in (a, b, c, d)]
    low = np.maximum(np.minimum(along[0], along[1]), np.minimum(along[2], along[3]))
    high = np.minimum(np.maximum(along[0], along[1]), np.maximum(along[2], along[3]))
    on_line = np.max([np.abs(other - aside[0]) for other in aside[1:]], axis=0) <= max(cell // _CLOSE, 1)
    fits = (number < corners[target]) & (mesh.neighbors[target, number] == BORDER) & (low < high) & on_line
    fits &= (along[1] > along[0]) != (along[3] > along[2])
    return SharedEdges(here[fits], there[fits], low[fits], high[fits])


def _cuts_of(shared: SharedEdges, spots: I32, corners: I32) -> tuple[I64, I64]:
    """The edges that are cut and where along them, sorted; what cuts one edge of a pair cuts the other, too."""
    turned = shared._replace(here=shared.there, there=shared.here)
    both = SharedEdges(*(np.concatenate([a, b]) for a, b in zip(shared, turned, strict=True)))
    a, b = _ends_of(spots, corners, both.here)
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    ends = np.concatenate([np.take_along_axis(a, axis, 1), np.take_along_axis(b, axis, 1)], axis=1)
    inside_low, inside_high = both.low > ends.min(axis=1), both.high < ends.max(axis=1)
    cuts = np.unique(
        np.concatenate(
            [
                _key_of(both.here[inside_low], both.low[inside_low]),
                _key_of(both.here[inside_high], both.high[inside_high]),
            ]
        )
    )
    while True:
        first = np.searchsorted(cuts, _key_of(both.here, both.low), "right")
        last = np.searchsorted(cuts, _key_of(both.here, both.high), "left")
        count = np.maximum(last - first, 0)
        carried = numbers_in_ranges(first, count)
        along = (cuts[carried] & ((1 << _SHIFT) - 1)) - _OFFSET
        more = np.union1d(cuts, _key_of(np.repeat(both.there, count), along))
        if len(more) == len(cuts):
            return cuts >> _SHIFT, (cuts & ((1 << _SHIFT) - 1)) - _OFFSET
        cuts = more


# Dead ends


@kernel
def _mark_dead_ends(edges: Records, jumps: Records, polygons: Records) -> None:
    """Mark the edges that lead into ground that has one way in, and number polygons so that what is inside follows.

    A search looks there only for what lies inside. Dead ends are peeled off from their tips; polygons where jumps
    begin, and those with an edge that leads one way, are not.
    """
    ways = np.zeros(len(polygons), np.int32)
    for edge in range(len(edges)):
        across, polygon = edges[edge].across, edges[edge].polygon
        if across >= 0:
            ways[polygon] += 1
            if edges[across].across != edge or edges[edge].also >= 0:  # edges with copies count as leading one way
                ways[polygon] = ways[edges[across].polygon] = _NEVER
    for jump in range(len(jumps)):
        ways[jumps[jump].start] = _NEVER
    order, outside = np.empty(len(polygons), np.int32), np.full(len(polygons), -1, np.int32)
    inside = np.zeros(len(polygons), np.uint8)
    count = 0
    for tip in range(len(polygons)):
        if ways[tip] == 1:
            order[count] = tip
            inside[tip] = 1
            count += 1
    done = 0
    while done < count:
        polygon = order[done]
        done += 1
        for edge in range(polygons[polygon].first_edge, polygons[polygon].end_edge):
            across = edges[edge].across
            other = edges[across].polygon if across >= 0 else polygon
            if across < 0 or outside[other] == polygon:
                continue
            outside[polygon] = other
            edges[across].dead_end = 1
            ways[other] -= 1
            if ways[other] == 1 and inside[other] == 0:
                order[count] = other
                inside[other] = 1
                count += 1
    _number(order[:count], outside, polygons)


@kernel
def _number(tips_first: I32, outside: I32, polygons: Records) -> None:
    """First number and end of each polygon and what lies inside it."""
    size = np.ones(len(outside), np.int32)
    for k in range(len(tips_first)):
        polygon = tips_first[k]
        if outside[polygon] >= 0:
            size[outside[polygon]] += size[polygon]
    free = np.empty(len(outside), np.int32)
    total = np.int32(0)
    for polygon in range(len(outside)):
        if outside[polygon] < 0:
            polygons[polygon].number, polygons[polygon].end_number = total, total + size[polygon]
            free[polygon] = total + 1
            total += size[polygon]
    for k in range(len(tips_first) - 1, -1, -1):
        polygon = tips_first[k]
        around = outside[polygon]
        if around >= 0:
            polygons[polygon].number, polygons[polygon].end_number = free[around], free[around] + size[polygon]
            free[around] += size[polygon]
            free[polygon] = polygons[polygon].number + 1


# Inside of polygons


@inlined
def spot_of(vertices: Records, vertex: AnyInt) -> LatticePoint:
    return LatticePoint(np.int64(vertices[vertex].x), np.int64(vertices[vertex].z))


@kernel
def inside(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> LatticePoint:
    """A spot of the polygon that has these edges; where it is outside by rounding, the one nearby that is not."""
    if _holds(vertices, edges, first, end, spot):
        return spot
    best, smallest = spot, 2 * _NEAR * _NEAR + 1
    for dx in range(-_NEAR, _NEAR + 1):
        for dz in range(-_NEAR, _NEAR + 1):
            other = LatticePoint(spot.x + dx, spot.z + dz)
            if dx * dx + dz * dz < smallest and _holds(vertices, edges, first, end, other):
                best, smallest = other, dx * dx + dz * dz
    if smallest > 2 * _NEAR * _NEAR:  # a polygon without an inside
        best = spot_of(vertices, _nearest_corner(vertices, edges, first, end, spot))
    return best


@inlined
def _holds(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> AnyBool:
    """Whether a spot lies inside a polygon or on its outline."""
    for edge in range(first, end):
        a, b = edges[edge].vertex, edges[edges[edge].following].vertex
        if cross(spot_of(vertices, a), spot_of(vertices, b), spot) < 0:
            return False
    return True


@kernel
def _nearest_corner(vertices: Records, edges: Records, first: AnyInt, end: AnyInt, spot: LatticePoint) -> np.int32:
    nearest, smallest = edges[first].vertex, np.inf
    for edge in range(first, end):
        corner = edges[edge].vertex
        away = steps_between(spot, spot_of(vertices, corner))
        if away < smallest:
            nearest, smallest = corner, away
    return nearest


@kernel
def _settle(vertices: Records, edges: Records, polygons: Records, jumps: Records) -> None:
    """Move both ends of jumps inside of their polygons."""
    for jump in range(len(jumps)):
        for k in range(2):
            end, vertex = jumps[jump].start if k == 0 else jumps[jump].end, jumps[jump].vertex + k
            polygon, spot = polygons[end], spot_of(vertices, vertex)
            spot = inside(vertices, edges, polygon.first_edge, polygon.end_edge, spot)
            vertices[vertex].x, vertices[vertex].z = spot.x, spot.z
