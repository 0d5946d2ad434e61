"""The borders of ground polygons: walls, and what leads to other polygons, one piece after the other.

Seen from above, in cells from the origin of the navmesh, turned so that polygons go around counter-clockwise. Corners
that lie on the lattice of cells become whole numbers, others those of a finer lattice: then which side of a line a
corner lies on is exact, and corners of neighboring tiles are the same. A place on a border is the number of an edge and
the part of the way along it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ..detour.byte_layout import GROUND, INSIDE
from ..jit import borrowing, inlined, kernel
from ..navquery.query_mesh import BORDER, LinkRows, PolygonRows, QueryMesh
from ..types import F64, I32, I64, AnyArray, AnyInt, Records

NO_PIECE = -1
_OFF_LATTICE = 0.02  # cells: what is farther from the lattice was not built on it
_STEPS = 1024  # of a finer lattice in a cell, for what was not
_SHORTEST = 1e-6  # part of an edge
# Where a piece begins and ends, the polygon on its left, and the same as places on the border; the polygon across, -1:
# a wall; the same piece as that polygon has it; the polygon that it belongs to.
_PLACES, _NUMBERS = ("ax", "az", "bx", "bz", "low", "high"), ("across", "twin", "owner", "spare")
PIECE = np.dtype((np.record, [(n, np.float64) for n in _PLACES] + [(n, np.int32) for n in _NUMBERS]))
PlanPoint: TypeAlias = tuple[float, float]  # x and z


class PolygonBorders(NamedTuple):
    """The K pieces of P polygons."""

    first: I64  # (P + 1,) where the pieces of each polygon begin; connections have none
    pieces: Records  # (K,)


class _Ground(NamedTuple):
    """What borders are made of."""

    corners: F64  # (P, 6, 2) cells
    neighbors: I32
    polygons: PolygonRows
    links: LinkRows


class CellLattice(NamedTuple):
    """From metres to cells, and back."""

    origin_x: float
    origin_z: float
    cell: float  # metres
    turned: float  # -1 where z counts the other way

    def in_cells(self, points: AnyArray) -> F64:
        """x and z of points in metres (N, 3)."""
        given = np.asarray(points, np.float64)
        flat = np.stack([(given[..., 0] - self.origin_x), (given[..., 2] - self.origin_z) * self.turned], -1)
        cells: F64 = np.ascontiguousarray(flat / self.cell)
        return cells

    def in_metres(self, places: F64) -> F64:
        """Points at height 0 of places in cells (N, 2)."""
        points = np.zeros((len(places), 3))
        points[:, 0] = places[:, 0] * self.cell + self.origin_x
        points[:, 2] = places[:, 1] * self.turned * self.cell + self.origin_z
        return points


def polygon_borders(mesh: QueryMesh) -> tuple[PolygonBorders, CellLattice, F64]:
    """The borders, their lattice, and the corners (P, 6, 2) in cells."""
    scale = float(mesh.tiles["cells_per_metre"].max()) if len(mesh.tiles) else 1.0
    cell = 1 / scale if np.isfinite(scale) and scale > 0 else 1.0
    lattice = CellLattice(float(mesh.tiling["origin_x"][0]), float(mesh.tiling["origin_z"][0]), cell, 1.0)
    corners = lattice.in_cells(mesh.outline)
    ground = mesh.polygons["kind"] == GROUND
    if _turns_clockwise(corners[ground], mesh.polygons["corners"][ground]):
        lattice = lattice._replace(turned=-1.0)
        corners[..., 1] *= -1
    used = ground[:, None] & (np.arange(6) < mesh.polygons["corners"][:, None])
    on_lattice = np.abs(corners - np.round(corners))[used].max(initial=0) < _OFF_LATTICE
    steps = 1 if on_lattice else _STEPS
    corners[used] = np.round(corners[used] * steps) / steps + 0.0  # no negative zeros
    return _borders(_Ground(corners, mesh.neighbors, mesh.polygons, mesh.links)), lattice, corners


def _turns_clockwise(corners: F64, count: I32) -> bool:
    """Whether most ground goes around its polygons so."""
    index = np.arange(6)
    following = np.where(index + 1 < count[:, None], index + 1, 0)
    there = np.take_along_axis(corners, following[..., None], axis=1)
    cross = corners[..., 0] * there[..., 1] - corners[..., 1] * there[..., 0]
    return bool(np.where(index < count[:, None], cross, 0).sum() < 0)


@kernel
def _borders(ground: _Ground) -> PolygonBorders:
    """All pieces, polygon after polygon, in the order of the edges."""
    polygons, neighbors, count = ground.polygons, ground.neighbors, len(ground.polygons)
    pieces = np.empty(16 + 8 * count + 2 * len(ground.links), PIECE)  # and the walls between them
    first = np.zeros(count + 1, np.int64)
    n = 0
    for polygon in range(count):
        first[polygon] = n
        if polygons[polygon].kind != GROUND:
            continue
        for edge in range(polygons[polygon].corners):
            if neighbors[polygon, edge] == BORDER:
                n = _pieces_on_border(ground, pieces, n, polygon, edge)
            else:
                a, b = _edge(ground, polygon, edge)
                n = _add(pieces, n, polygon, edge + 0.0, edge + 1.0, a, b, neighbors[polygon, edge])
    first[count] = n
    for piece in range(n):
        pieces[piece].twin = _twin(first, pieces, piece)
    for piece in range(n):
        if pieces[piece].twin == NO_PIECE:
            pieces[piece].across = -1  # what does not lead back is a wall
    return PolygonBorders(first, pieces[:n].copy())


@borrowing
def _edge(ground: _Ground, polygon: AnyInt, edge: AnyInt) -> tuple[PlanPoint, PlanPoint]:
    corners, following = ground.corners, edge + 1 if edge + 1 < ground.polygons[polygon].corners else 0
    a = corners[polygon, edge, 0], corners[polygon, edge, 1]
    return a, (corners[polygon, following, 0], corners[polygon, following, 1])


@inlined
def _add(
    pieces: Records, n: int, polygon: AnyInt, low: float, high: float, a: PlanPoint, b: PlanPoint, there: AnyInt
) -> int:  # fmt: skip
    piece = pieces[n]
    piece.ax, piece.az, piece.bx, piece.bz = a[0], a[1], b[0], b[1]
    piece.low, piece.high = low, high
    piece.across, piece.owner, piece.spare = there if there >= 0 else -1, polygon, 0
    return n + 1


@borrowing
def _pieces_on_border(ground: _Ground, pieces: Records, n: int, polygon: AnyInt, edge: AnyInt) -> int:
    """The pieces of an edge on a tile's border: what it shares with polygons beyond, and walls between.

    What is shared is worked out anew: links have it in 255 steps only.
    """
    polygons, links = ground.polygons, ground.links
    a, b = _edge(ground, polygon, edge)
    begun = n
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        there = links[link].target
        if links[link].edge != edge or links[link].side == INSIDE or polygons[there].kind != GROUND:
            continue
        shared, low, high, c, d = _shared(ground, polygon, there, a, b)
        if shared:
            n = _add(pieces, n, polygon, edge + low, edge + high, c, d, there)
    _sort(pieces, begun, begun + 1, n)
    portals = n
    done, here = edge + 0.0, a
    for k in range(begun, portals):
        if pieces[k].low > done + _SHORTEST:
            # So that a place is a whole number and a part, as those of portals are.
            low, high = edge + (done - edge), edge + (pieces[k].low - edge)
            n = _add(pieces, n, polygon, low, high, here, (pieces[k].ax, pieces[k].az), -1)
        if pieces[k].high > done:
            done, here = pieces[k].high, (pieces[k].bx, pieces[k].bz)
    if done + _SHORTEST < edge + 1:
        n = _add(pieces, n, polygon, edge + (done - edge), edge + 1.0, here, b, -1)
    _sort(pieces, begun, portals, n)
    return n


@borrowing
def _sort(pieces: Records, begun: int, first: int, end: int) -> None:
    """Those from `first` on to where they belong among the few from `begun` on: by where they begin."""
    for k in range(first, end):
        j = k
        while j > begun and pieces[j - 1].low > pieces[j].low:
            _swap(pieces, j)
            j -= 1


@borrowing
def _swap(pieces: Records, number: int) -> None:
    """Exchange a piece with the one before."""
    here, before = pieces[number], pieces[number - 1]
    here.ax, here.az, before.ax, before.az = before.ax, before.az, here.ax, here.az
    here.bx, here.bz, before.bx, before.bz = before.bx, before.bz, here.bx, here.bz
    here.low, here.high, before.low, before.high = before.low, before.high, here.low, here.high
    here.across, before.across = before.across, here.across


@borrowing
def _shared(
    ground: _Ground, polygon: AnyInt, there: AnyInt, a: PlanPoint, b: PlanPoint
) -> tuple[bool, float, float, PlanPoint, PlanPoint]:
    """What edge a → b shares with an edge of a polygon of another tile that links back: parts of the way, and ends."""
    links, ux, uz = ground.links, b[0] - a[0], b[1] - a[1]
    length2 = ux * ux + uz * uz
    for link in range(ground.polygons[there].first_link, ground.polygons[there].end_link):
        if links[link].target != polygon or links[link].side == INSIDE or not length2 > 0:
            continue
        d, c = _edge(ground, there, links[link].edge)  # it goes the other way
        low = ((c[0] - a[0]) * ux + (c[1] - a[1]) * uz) / length2
        high = ((d[0] - a[0]) * ux + (d[1] - a[1]) * uz) / length2
        begin = a if low <= 0 else c
        end = b if high >= 1 else d
        low, high = max(low, 0.0), min(high, 1.0)
        if high > low + _SHORTEST:
            return True, low, high, begin, end
    return False, 0.0, 0.0, a, b


@kernel
def _twin(first: I64, pieces: Records, number: int) -> int:
    """The piece of the polygon across that goes from the end to the begin of this one."""
    piece = pieces[number]
    if piece.across < 0:
        return NO_PIECE
    for k in range(first[piece.across], first[piece.across + 1]):
        other = pieces[k]
        off = max(abs(other.ax - piece.bx), abs(other.az - piece.bz))
        off = max(off, max(abs(other.bx - piece.ax), abs(other.bz - piece.az)))
        if other.across == piece.owner and off < _OFF_LATTICE:
            return k
    return NO_PIECE
