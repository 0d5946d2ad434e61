"""Invariant 11: where the ground goes on into the next tile, a portal leads there.

Both tiles of a border see the same ground on both of its sides, so what each of them keeps for itself is the same way
through. (Edges on a border where the ground ends are portals too, in Recast's data; nothing is behind them.)
"""

# mypy: disable-error-code="assignment, return-value"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import BORDER_REGION, I32, LINK, NO_INDEX, PORTAL, REGION_MASK, U8, U16, Contours, X, Z
from .invariants import SHUT
from .polygon_checks import MeshShape

_TOLERATED = 1  # cells at an end of a way that simplified edges may cost
_REGION, _NEXT = 0, 1  # columns of cells


@kernel
def check_portals(shape: MeshShape, contours: Contours, region_flags: U8) -> bool:
    """Set the bits of regions (R,) with a way into the next tile that has no portal; whether any has."""
    vertices, polygons, neighbors, region, _, limits = shape
    width, _, depth, _ = limits
    heads = np.empty((4, max(width, depth)), np.int32)
    for side in range(4):
        heads[side, :] = -1
    cells = np.empty((_count_cells(vertices, polygons, neighbors), 2), np.int32)
    _fill_cells(vertices, polygons, neighbors, region, heads, cells)
    return _check(contours.raw_first, contours.raw, contours.region, width, depth, heads, cells, region_flags)


@kernel
def _portal(vertices: U16, polygons: U16, neighbors: U16, polygon: int, i: int) -> tuple[int, np.int32, np.int32]:
    """(side, lower end, higher end) of a portal edge; a side of −1 for other edges."""
    named = np.int32(neighbors[polygon, i])
    if named == NO_INDEX or named & PORTAL == 0 or polygons[polygon, i] == NO_INDEX:
        return -1, 0, 0
    side = named & 3
    axis = Z if side & 1 == 0 else X
    after = i + 1 if i + 1 < polygons.shape[1] and polygons[polygon, i + 1] != NO_INDEX else 0
    a, b = np.int32(polygons[polygon, i]), np.int32(polygons[polygon, after])
    if vertices[b, axis] < vertices[a, axis]:
        a, b = b, a
    return side, a, b


@kernel
def _count_cells(vertices: U16, polygons: U16, neighbors: U16) -> int:
    count = 0
    for polygon in range(polygons.shape[0]):
        for i in range(polygons.shape[1]):
            side, a, b = _portal(vertices, polygons, neighbors, polygon, i)
            if side >= 0:
                axis = Z if side & 1 == 0 else X
                count += np.int32(vertices[b, axis]) - np.int32(vertices[a, axis])
    return count


@kernel
def _fill_cells(vertices: U16, polygons: U16, neighbors: U16, region: U16, heads: I32, cells: I32) -> None:
    """Chain the cells (region, next) of all portals by side and place."""
    count = 0
    for polygon in range(polygons.shape[0]):
        for i in range(polygons.shape[1]):
            side, a, b = _portal(vertices, polygons, neighbors, polygon, i)
            if side < 0:
                continue
            axis = Z if side & 1 == 0 else X
            for cell in range(np.int32(vertices[a, axis]), np.int32(vertices[b, axis])):
                cells[count, _REGION], cells[count, _NEXT] = region[polygon], heads[side, cell]
                heads[side, cell] = count
                count += 1


@kernel
def _check(
    raw_first: I32, raw: I32, contour_region: U16, width: int, depth: int, heads: I32, cells: I32, region_flags: U8
) -> bool:
    """Follow every outline along the tile's border: each step to ground beyond it needs a portal."""
    bad = False
    for contour in range(contour_region.shape[0]):
        run, own, begin, end = 0, np.int32(contour_region[contour]), raw_first[contour], raw_first[contour + 1]
        for point in range(begin, end):
            if raw[point, LINK] & REGION_MASK & BORDER_REGION == 0:
                run = 0
                continue
            before = point - 1 if point > begin else end - 1
            ax, az, bx, bz = raw[before, X], raw[before, Z], raw[point, X], raw[point, Z]
            side, cell = 0, min(az, bz)
            if ax != bx:
                side, cell = (3 if bz == 0 else 1), min(ax, bx)
            elif bx != 0:
                side = 2
            if (side == 1 and bz != depth) or (side == 2 and bx != width):
                continue
            at = heads[side, cell]
            while at >= 0 and cells[at, _REGION] != own and cells[at, _REGION] != 0:  # 0: several regions
                at = cells[at, _NEXT]
            run = run + 1 if at < 0 else 0
            if run > _TOLERATED:
                region_flags[own] |= SHUT
                bad = True
    return bad
