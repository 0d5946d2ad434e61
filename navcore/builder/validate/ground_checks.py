"""Invariants 9, 10, 11, 12 and 14: polygons against the ground they stand for."""

# mypy: disable-error-code="arg-type, assignment, return-value"
# (Python's types can't tell the integers and floats of kernels apart; annotations of kernels are for readers.)
from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ...geometry.arrays import join, root_of
from ...geometry.predicates import area2
from ...jit import borrowing, kernel
from ...stages.polygons import WELD_HEIGHT
from ...types import (
    BORDER_REGION,
    F64,
    I16,
    I32,
    LINK,
    NO_INDEX,
    PORTAL,
    REGION_MASK,
    U8,
    U16,
    U32,
    CompactHeightfield,
    Contours,
    Regions,
    X,
    Y,
    Z,
)
from .invariants import CORNERS, CUT_OFF, LOST, MIXED, OFF_GROUND, SHRUNK, SHUT
from .polygon_checks import MeshShape

# --- Invariant 11: where the ground goes on into the next tile, a portal leads there.
#
# Both tiles of a border see the same ground on both of its sides, so what each of them keeps for itself is the same way
# through. (Edges on a border where the ground ends are portals too, in Recast's data; nothing is behind them.)

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
    cells = np.empty((_count_portal_cells(vertices, polygons, neighbors), 2), np.int32)
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
def _count_portal_cells(vertices: U16, polygons: U16, neighbors: U16) -> int:
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


_WORST = 0.1  # of the ground's area that polygons may miss or add, beyond what simplified edges explain
_CELLS, _COVERED, _RIM = 0, 1, 2  # columns of sums
POLL_EVERY = 1 << 18  # spans between two looks at the cancel flag


class PolygonSources(NamedTuple):
    """What the polygons were made of."""

    compact: CompactHeightfield
    regions: Regions
    contours: Contours


@kernel
def check_ground(
    shape: MeshShape,
    sources: PolygonSources,
    slack: tuple[int, int, float],
    flags: U32,
    region_flags: U8,
    cancelled: U8,
) -> bool:
    """Set the bits of polygons (P,) and regions (R,) that break an invariant; whether any does.

    `slack`: the tile's border, the agent's step (both vx) and the error of simplified edges. Nothing may go by what is
    found once `cancelled` is set.
    """
    compact, regions, contours = sources
    vertices, polygons, neighbors, polygon_region, _, _ = shape
    border, climb, max_error = slack
    region, count = regions.region.view(np.int16), region_flags.shape[0]
    sums, area_of = np.zeros((count, 3), np.float64), np.zeros(count, np.uint8)
    bad = _count_cells(region, compact.area, sums, area_of, region_flags, cancelled)
    reach = min(2 * climb + WELD_HEIGHT, 0xFFFF)  # a corner is as high as the highest of four floors: two steps
    bad |= _corners(compact, region, vertices, polygons, polygon_region, border, reach, flags)
    _measure(vertices, polygons, neighbors, polygon_region, flags, sums)
    present, parents = np.zeros((2, count), np.uint8), np.empty(polygons.shape[0] + count, np.int32)
    for node in range(parents.shape[0]):
        parents[node] = node
    bad |= _areas(contours.region, polygon_region, sums, max_error, present, region_flags)
    bad |= _connect(shape, contours, present, parents, region_flags)
    if border > 0:
        bad |= check_portals(shape, contours, region_flags)
    return bad


@kernel
def _count_cells(region: I16, area: U8, sums: F64, area_of: U8, region_flags: U8, cancelled: U8) -> bool:
    """Count the cells of every region; all must be of one area. Stops if cancelled (long runs are cut)."""
    bad, span = False, 0
    while span < region.shape[0] and cancelled[0] == 0:
        own, begin, end = region[span], span, min(span + POLL_EVERY, region.shape[0])
        if own <= 0:
            span += 1
            continue
        if area_of[own] == 0:
            area_of[own] = area[span]
        expected, mixed = area_of[own], False
        while span < end and region[span] == own:
            mixed |= area[span] != expected
            span += 1
        sums[own, _CELLS] += span - begin
        if mixed:
            region_flags[own] |= MIXED
            bad = True
    return bad


@kernel
def _corners(
    compact: CompactHeightfield, region: I16, vertices: U16, polygons: U16, polygon_region: U16, border: int,
    reach: int, flags: U32,
) -> bool:  # fmt: skip
    """Each corner must touch a cell of its polygon's region, at about its height."""
    bad = False
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & CORNERS != 0:
            continue
        own = np.int32(polygon_region[polygon])
        for i in range(polygons.shape[1]):
            vertex = polygons[polygon, i]
            if vertex == NO_INDEX:
                break
            x, y, z = np.int32(vertices[vertex, X]), np.int32(vertices[vertex, Y]), np.int32(vertices[vertex, Z])
            x, z = x + border, z + border
            if not _is_near_ground(compact, region, own, x, y, z, reach):
                flags[polygon] |= OFF_GROUND
                bad = True
                break
    return bad


@borrowing
def _is_near_ground(
    compact: CompactHeightfield, region: I16, own: np.int32, x: int, y: np.int32, z: int, reach: int
) -> bool:
    """Is there a cell of the region that touches this corner, no farther up or down than `reach`?"""
    width, depth, first, floor = compact.width, compact.depth, compact.first, compact.floor
    for row in range(max(z - 1, 0), min(z + 1, depth)):
        for column in range(max(x - 1, 0) + row * width, min(x + 1, width) + row * width):
            for span in range(first[column], first[column + 1]):
                if region[span] == own or (own == 0 and region[span] > 0):
                    if abs(np.int32(floor[span]) - y) <= reach:
                        return True
    return False


@kernel
def _measure(vertices: U16, polygons: U16, neighbors: U16, polygon_region: U16, flags: U32, sums: F64) -> None:
    """For every region, the area of its polygons and the length of the edges around them."""
    most = polygons.shape[1]
    for polygon in range(polygons.shape[0]):
        if flags[polygon] & CORNERS != 0:
            continue
        own, size = polygon_region[polygon], 0
        while size < most and polygons[polygon, size] != NO_INDEX:
            size += 1
        x, z = np.int64(vertices[polygons[polygon, 0], X]), np.int64(vertices[polygons[polygon, 0], Z])
        ax, az = np.int64(vertices[polygons[polygon, size - 1], X]), np.int64(vertices[polygons[polygon, size - 1], Z])
        doubled = np.int64(0)
        for i in range(size):
            bx, bz = np.int64(vertices[polygons[polygon, i], X]), np.int64(vertices[polygons[polygon, i], Z])
            doubled -= area2(x, z, ax, az, bx, bz)
            across = neighbors[polygon, i - 1 if i > 0 else size - 1]
            if across >= polygons.shape[0] or polygon_region[across] != own:
                sums[own, _RIM] += math.sqrt(float((bx - ax) * (bx - ax) + (bz - az) * (bz - az)))
            ax, az = bx, bz
        sums[own, _COVERED] += doubled * 0.5


@kernel
def _areas(
    contour_region: U16, polygon_region: U16, sums: F64, max_error: float, present: U8, region_flags: U8
) -> bool:
    """No outlined region without polygons; polygons as large as their ground, but for simplified edges."""
    outlined, has_polygons, bad = present[0], present[1], False
    for contour in range(contour_region.shape[0]):
        outlined[contour_region[contour]] = 1
    for polygon in range(polygon_region.shape[0]):
        has_polygons[polygon_region[polygon]] = 1
    joined = has_polygons[0] != 0  # polygons of several regions: which ones is not known any more
    cells, covered, rim = 0.0, sums[0, _COVERED], sums[0, _RIM]
    for region in range(1, outlined.shape[0]):
        if outlined[region] == 0:
            continue
        if has_polygons[region] == 0 and not joined:
            region_flags[region] |= LOST
            bad = True
        cells, covered, rim = cells + sums[region, _CELLS], covered + sums[region, _COVERED], rim + sums[region, _RIM]
    if not _differs(cells, covered, rim, max_error):
        return bad
    for region in range(1, outlined.shape[0]):
        if outlined[region] != 0:
            if joined or _differs(sums[region, _CELLS], sums[region, _COVERED], sums[region, _RIM], max_error):
                region_flags[region] |= SHRUNK
    return True


@kernel
def _differs(cells: float, covered: float, rim: float, max_error: float) -> bool:
    change = abs(covered - cells)
    return change > _WORST * cells and change > rim * max_error


@kernel
def _connect(shape: MeshShape, contours: Contours, present: U8, parents: I32, region_flags: U8) -> bool:
    """What is connected on the ground must be connected by polygons: each region in itself, and to those it touches.

    `parents` has a node for each polygon, then one for each region: the first polygon seen of it.
    """
    polygons, neighbors, polygon_region = shape.polygons, shape.neighbors, shape.region
    raw_first, raw, contour_region = contours.raw_first, contours.raw, contours.region
    count, most, has_polygons, bad = polygons.shape[0], polygons.shape[1], present[1], False
    for polygon in range(count):
        for i in range(most):
            across = np.int32(neighbors[polygon, i])
            if polygons[polygon, i] == NO_INDEX:
                break
            if across < count:
                join(parents, np.int32(polygon), across)
    for polygon in range(count):
        region, root = count + np.int32(polygon_region[polygon]), root_of(parents, polygon)
        if region == count:
            continue
        if parents[region] == region:
            parents[region] = root
        elif root_of(parents, region) != root:
            region_flags[region - count] |= CUT_OFF
            bad = True
    for contour in range(contour_region.shape[0]):
        own, last = np.int32(contour_region[contour]), 0
        for point in range(raw_first[contour], raw_first[contour + 1]):
            other = raw[point, LINK] & REGION_MASK
            if other == last or other == 0 or other >= has_polygons.shape[0]:
                continue
            last = other
            if has_polygons[own] != 0 and has_polygons[other] != 0:
                if root_of(parents, count + own) != root_of(parents, count + other):
                    region_flags[own] |= CUT_OFF
                    region_flags[other] |= CUT_OFF
                    bad = True
    return bad
