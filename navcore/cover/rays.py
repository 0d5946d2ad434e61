"""Lines through a level's triangles, all in float64: does one meet any, and which triangles lie in a box.

Corners are float32, as those of every level, and rays float64. Then which side of an edge a ray passes has the same
sign for both triangles at that edge, and no ray slips through between them.
"""

from __future__ import annotations

import numpy as np

from ..jit import borrowing, inlined, kernel
from ..types import F64, I32, I64
from .triangle_tree import DEEPEST, NOTHING, WIDE, TriangleTree

_TINY = 1e-300  # in the place of 0, by which nobody divides
_ROUNDED = 1.0 + 1e-13  # boxes are met a little too often, never too rarely


@kernel
def seen_rows(tree: TriangleTree, starts: F64, ends: F64, begin: int, end: int, seen: I64) -> None:
    """Whether nothing is between each start and its end: 1 or 0."""
    tree = TriangleTree(*tree)
    waiting, ways = new_waiting(), np.empty(WIDE)
    for row in range(begin, end):
        a, b = starts[row], ends[row]
        known = np.isfinite(a[0] + a[1] + a[2] + b[0] + b[1] + b[2])
        free = known and not is_blocked(tree, waiting, ways, (a[0], a[1], a[2]), (b[0], b[1], b[2]))
        seen[row] = 1 if free else 0


@inlined
def new_waiting() -> I32:
    """Room for the nodes that wait to be looked at."""
    return np.empty(DEEPEST, np.int32)


@borrowing
def is_blocked(
    tree: TriangleTree, waiting: I32, ways: F64, start: tuple[float, float, float], end: tuple[float, float, float]
) -> bool:  # fmt: skip
    """Whether a triangle lies across the way from start to end: both lie off it, on different sides."""
    if start > end:  # the same for both who look at each other
        start, end = end, start
    x, y, z = start
    dx, dy, dz = end[0] - x, end[1] - y, end[2] - z
    ix, iy, iz = 1 / _not_zero(dx), 1 / _not_zero(dy), 1 / _not_zero(dz)
    boxes, inside = tree.boxes, tree.inside
    waiting[0] = 0
    left = 1
    while left > 0:
        left -= 1
        node = waiting[left]
        touched, longest = 0, -1.0
        for k in range(WIDE):
            x0, x1 = (boxes[node, 0, k] - x) * ix, (boxes[node, 3, k] - x) * ix
            y0, y1 = (boxes[node, 1, k] - y) * iy, (boxes[node, 4, k] - y) * iy
            z0, z1 = (boxes[node, 2, k] - z) * iz, (boxes[node, 5, k] - z) * iz
            first = max(max(min(x0, x1), min(y0, y1)), max(min(z0, z1), 0.0))
            last = min(min(max(x0, x1), max(y0, y1)), min(max(z0, z1), 1.0))
            touched |= (1 << k) if first <= last * _ROUNDED else 0
            ways[k] = last - first
        for k in range(WIDE):
            if touched & (1 << k):
                there = inside[node, k]
                if there < 0:
                    if _meets_block(tree, -1 - there, (x, y, z), (dx, dy, dz)):
                        return True
                elif there != NOTHING:
                    # On top comes where the way is longest, which most likely ends the search.
                    if ways[k] >= longest:
                        waiting[left], longest = there, ways[k]
                    else:
                        waiting[left], waiting[left - 1] = waiting[left - 1], there
                    left += 1
    return False


@inlined
def _not_zero(d: float) -> float:
    return d if abs(d) > _TINY else _TINY


@borrowing
def _meets_block(
    tree: TriangleTree, block: int, start: tuple[float, float, float], way: tuple[float, float, float]
) -> bool:  # fmt: skip
    """Whether one of four triangles is met between the ends of a way. A triangle without area never is."""
    corners, (x, y, z), (dx, dy, dz), met = tree.corners, start, way, 0
    for k in range(WIDE):
        ax, ay, az = corners[block, 0, k] - x, corners[block, 1, k] - y, corners[block, 2, k] - z
        bx, by, bz = corners[block, 3, k] - x, corners[block, 4, k] - y, corners[block, 5, k] - z
        cx, cy, cz = corners[block, 6, k] - x, corners[block, 7, k] - y, corners[block, 8, k] - z
        # Which side of each edge the way passes.
        u = dx * (cy * bz - cz * by) + dy * (cz * bx - cx * bz) + dz * (cx * by - cy * bx)
        v = dx * (ay * cz - az * cy) + dy * (az * cx - ax * cz) + dz * (ax * cy - ay * cx)
        w = dx * (by * az - bz * ay) + dy * (bz * ax - bx * az) + dz * (bx * ay - by * ax)
        # On which side of the triangle both ends lie.
        fx, fy, fz, gx, gy, gz = bx - ax, by - ay, bz - az, cx - ax, cy - ay, cz - az
        nx, ny, nz = fy * gz - fz * gy, fz * gx - fx * gz, fx * gy - fy * gx
        here = nx * ax + ny * ay + nz * az
        there = nx * (ax - dx) + ny * (ay - dy) + nz * (az - dz)
        within = ((u >= 0) & (v >= 0) & (w >= 0)) | ((u <= 0) & (v <= 0) & (w <= 0))
        across = ((here > 0) & (there < 0)) | ((here < 0) & (there > 0))
        met |= within & across
    return met != 0


@kernel
def triangles_in_box(
    tree: TriangleTree, waiting: I32, low: tuple[float, float, float], high: tuple[float, float, float], found: F64
) -> tuple[F64, int]:  # fmt: skip
    """(., 9) the corners of all triangles that may touch a box, in larger room where they need it, and how many."""
    boxes, inside, count, left = tree.boxes, tree.inside, 0, 1
    waiting[0] = 0
    while left > 0:
        left -= 1
        node = waiting[left]
        for k in range(WIDE):
            there = inside[node, k]
            apart = there == NOTHING
            for axis in range(3):
                apart |= boxes[node, axis, k] > high[axis] or boxes[node, 3 + axis, k] < low[axis]
            if apart:
                continue
            if there >= 0:
                waiting[left] = there
                left += 1
                continue
            block = -1 - there
            for each in range(WIDE):
                if tree.numbers[block, each] >= 0:
                    if count == len(found):
                        larger = np.empty((2 * len(found), 9))
                        larger[:count] = found
                        found = larger
                    for number in range(9):
                        found[count, number] = tree.corners[block, number, each]
                    count += 1
    return found, count
