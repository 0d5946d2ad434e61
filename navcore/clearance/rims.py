"""The rims of ground polygons: walls, and what leads to other polygons, one piece after the other.

Seen from above, in cells from the origin of the navmesh, turned so that polygons go around counter-clockwise. Corners
that lie on the lattice of cells become whole numbers, others those of a finer lattice: then which side of a line a
corner lies on is exact, and corners of neighboring tiles are the same. A place on a rim is the number of an edge and
the part of the way along it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import GROUND, INSIDE
from ..jit import inlined, kernel
from ..navquery.query_mesh import (
    BORDER,
    LinkRows,
    PolygonRows,
    QueryMesh,
)
from ..types import F64, I32, I64, AnyInt

NO_PIECE = -1
_OFF_LATTICE = 0.02  # cells: what is farther from the lattice was not built on it
_STEPS = 1024  # of a finer lattice in a cell, for what was not
_SHORTEST = 1e-6  # part of an edge


class Rims(NamedTuple):
    """The K pieces of P polygons."""

    first: I64  # (P + 1,) where the pieces of each polygon begin; connections have none
    ends: F64  # (K, 4) x and z of where each begins and ends, the polygon on its left
    along: F64  # (K, 2) the same as places on the rim
    across: I32  # (K,) the polygon there, -1: a wall
    twins: I32  # (K,) the same piece as that polygon has it
    owners: I32  # (K,) the polygon of each


class Lattice(NamedTuple):
    """From metres to cells, and back."""

    origin_x: float
    origin_z: float
    cell: float  # metres
    turned: float  # -1 where z counts the other way

    def in_cells(self, points: npt.NDArray[Any]) -> F64:
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


def rims_of(mesh: QueryMesh) -> tuple[Rims, Lattice, F64]:
    """The rims, their lattice, and the corners (P, 6, 2) in cells."""
    scale = float(mesh.tiles["cells_per_metre"][0]) if len(mesh.tiles) else 1.0
    cell = 1 / scale if np.isfinite(scale) and scale > 0 else 1.0
    lattice = Lattice(float(mesh.tiling.origin_x), float(mesh.tiling.origin_z), cell, 1.0)
    corners = lattice.in_cells(mesh.outline)
    ground = mesh.polygons["kind"] == GROUND
    if _turns_clockwise(corners[ground], mesh.polygons["corners"][ground]):
        lattice = lattice._replace(turned=-1.0)
        corners[..., 1] *= -1
    used = ground[:, None] & (np.arange(6) < mesh.polygons["corners"][:, None])
    on_lattice = np.abs(corners - np.round(corners))[used].max(initial=0) < _OFF_LATTICE
    steps = 1 if on_lattice else _STEPS
    corners[used] = np.round(corners[used] * steps) / steps + 0.0  # no negative zeros
    return _rims(corners, mesh.neighbors, mesh.polygons, mesh.links), lattice, corners


def _turns_clockwise(corners: F64, count: I32) -> bool:
    """Whether most ground goes around its polygons so."""
    index = np.arange(6)
    following = np.where(index + 1 < count[:, None], index + 1, 0)
    there = np.take_along_axis(corners, following[..., None], axis=1)
    cross = corners[..., 0] * there[..., 1] - corners[..., 1] * there[..., 0]
    return bool(np.where(index < count[:, None], cross, 0).sum() < 0)


@kernel
def _rims(corners: F64, neighbors: I32, polygons: PolygonRows, links: LinkRows) -> Rims:
    """All pieces, polygon after polygon, in the order of the edges."""
    count = len(polygons)
    room = 16 + 8 * count + 2 * len(links)  # pieces and the walls between them
    ends, along = np.empty((room, 4)), np.empty((room, 2))
    across, owners = np.empty(room, np.int32), np.empty(room, np.int32)
    first = np.zeros(count + 1, np.int64)
    n = 0
    for polygon in range(count):
        first[polygon] = n
        if polygons[polygon].kind != GROUND:
            continue
        for edge in range(polygons[polygon].corners):
            if neighbors[polygon, edge] == BORDER:
                n = _border_pieces(corners, polygons, links, polygon, edge, ends, along, across, owners, n)
            else:
                a, b = _edge(corners, polygons, polygon, edge)
                n = _add(ends, along, across, owners, n, polygon, edge, 0.0, 1.0, a, b, neighbors[polygon, edge])
    first[count] = n
    twins = np.full(n, NO_PIECE, np.int32)
    for piece in range(n):
        twins[piece] = _twin(first, ends, across, owners, piece)
    for piece in range(n):
        if twins[piece] == NO_PIECE:
            across[piece] = -1  # what does not lead back is a wall
    return Rims(first, ends[:n].copy(), along[:n].copy(), across[:n].copy(), twins, owners[:n].copy())


@inlined
def _edge(
    corners: F64, polygons: PolygonRows, polygon: AnyInt, edge: AnyInt
) -> tuple[tuple[float, float], tuple[float, float]]:
    following = edge + 1 if edge + 1 < polygons[polygon].corners else 0
    a = corners[polygon, edge, 0], corners[polygon, edge, 1]
    return a, (corners[polygon, following, 0], corners[polygon, following, 1])


@inlined
def _add(
    ends: F64, along: F64, across: I32, owners: I32, n: int, polygon: AnyInt, edge: AnyInt, low: float, high: float,
    a: tuple[float, float], b: tuple[float, float], there: AnyInt,
) -> int:  # fmt: skip
    ends[n, 0], ends[n, 1], ends[n, 2], ends[n, 3] = a[0], a[1], b[0], b[1]
    along[n, 0], along[n, 1] = edge + low, edge + high
    across[n], owners[n] = there if there >= 0 else -1, polygon
    return n + 1


@kernel
def _border_pieces(
    corners: F64, polygons: PolygonRows, links: LinkRows, polygon: AnyInt, edge: AnyInt, ends: F64, along: F64,
    across: I32, owners: I32, n: int,
) -> int:  # fmt: skip
    """The pieces of an edge on a tile's border: what it shares with polygons beyond, and walls between.

    What is shared is worked out anew: links have it in 255 steps only.
    """
    a, b = _edge(corners, polygons, polygon, edge)
    begun = n
    for link in range(polygons[polygon].first_link, polygons[polygon].end_link):
        there = links[link].target
        if links[link].edge != edge or links[link].side == INSIDE or polygons[there].kind != GROUND:
            continue
        shared, low, high, c, d = _shared(corners, polygons, links, polygon, there, a, b)
        if shared:
            n = _add(ends, along, across, owners, n, polygon, edge, low, high, c, d, there)
    for k in range(begun + 1, n):  # few: by where they begin
        j = k
        while j > begun and along[j - 1, 0] > along[j, 0]:
            _swap(ends, along, across, j)
            j -= 1
    portals = n
    done, here = edge + 0.0, a
    for k in range(begun, portals):
        if along[k, 0] > done + _SHORTEST:
            c = ends[k, 0], ends[k, 1]
            n = _add(ends, along, across, owners, n, polygon, edge, done - edge, along[k, 0] - edge, here, c, -1)
        if along[k, 1] > done:
            done, here = along[k, 1], (ends[k, 2], ends[k, 3])
    if done + _SHORTEST < edge + 1:
        n = _add(ends, along, across, owners, n, polygon, edge, done - edge, 1.0, here, b, -1)
    for k in range(portals, n):  # walls to where they belong
        j = k
        while j > begun and along[j - 1, 0] > along[j, 0]:
            _swap(ends, along, across, j)
            j -= 1
    return n


@inlined
def _swap(ends: F64, along: F64, across: I32, piece: int) -> None:
    """Exchange a piece with the one before."""
    for column in range(4):
        ends[piece - 1, column], ends[piece, column] = ends[piece, column], ends[piece - 1, column]
    for column in range(2):
        along[piece - 1, column], along[piece, column] = along[piece, column], along[piece - 1, column]
    across[piece - 1], across[piece] = across[piece], across[piece - 1]


@kernel
def _shared(
    corners: F64, polygons: PolygonRows, links: LinkRows, polygon: AnyInt, there: AnyInt, a: tuple[float, float],
    b: tuple[float, float],
) -> tuple[bool, float, float, tuple[float, float], tuple[float, float]]:  # fmt: skip
    """What edge a → b shares with an edge of a polygon of another tile that links back: parts of the way, and ends."""
    ux, uz = b[0] - a[0], b[1] - a[1]
    length2 = ux * ux + uz * uz
    for link in range(polygons[there].first_link, polygons[there].end_link):
        if links[link].target != polygon or links[link].side == INSIDE or not length2 > 0:
            continue
        d, c = _edge(corners, polygons, there, links[link].edge)  # it goes the other way
        low = ((c[0] - a[0]) * ux + (c[1] - a[1]) * uz) / length2
        high = ((d[0] - a[0]) * ux + (d[1] - a[1]) * uz) / length2
        begin = a if low <= 0 else c
        end = b if high >= 1 else d
        low, high = max(low, 0.0), min(high, 1.0)
        if high > low + _SHORTEST:
            return True, low, high, begin, end
    return False, 0.0, 0.0, a, b


@kernel
def _twin(first: I64, ends: F64, across: I32, owners: I32, piece: int) -> int:
    """The piece of the polygon across that goes from the end to the begin of this one."""
    there = across[piece]
    if there < 0:
        return NO_PIECE
    for other in range(first[there], first[there + 1]):
        off = 0.0
        for column in range(4):
            off = max(off, abs(ends[other, column] - ends[piece, (column + 2) % 4]))
        if across[other] == owners[piece] and off < _OFF_LATTICE:
            return other
    return NO_PIECE
