"""Stage 9 once more, where most outlines stay what they were: their polygons are taken over, the others are made.

How an outline is cut into polygons depends on where its corners lie and on which of them are one vertex, not on the
numbers of vertices. So those are given anew, and the polygons of an outline with the same corners get them. What comes
out is what all outlines would come to. No Recast ancestor.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import I32, NO_INDEX, U8, U16, Contours
from .weld import weld_corners

_X, _Z = 0, 2  # columns of points
_NONE, _SEVERAL = -1, -2


class PolygonsBefore(NamedTuple):
    """Polygons without a tile's border, and the outlines that they fill."""

    contours: Contours
    polygons: U16  # (P, N)
    region: U16  # (P,)
    bad: U8  # (K,) 1 for outlines that could not be triangulated
    weld_height_vx: int  # how far apart corners were that became one


class PolygonMemory:
    """What came of outlines, from one call to the next."""

    def __init__(self) -> None:
        self.before: PolygonsBefore | None = None


class Numbers(NamedTuple):
    """Of vertices before and now, in the outline that is looked at."""

    now: I32  # (V before,) the number of each now
    before: I32  # (V,) and back
    seen_before: I32  # (V before,) the last outline that had it
    seen_now: I32  # (V,)


@kernel
def take_over(
    before: PolygonsBefore, contours: Contours, vertex_of: I32, first_row: I32, corners: U16, counts: I32
) -> U8:
    """(K,) 1 for outlines whose polygons are those from before: they are put into `corners`, from `first_row` on.

    `vertex_of` (.,) are the vertices of all points, `counts` (K,) how many polygons each outline has.
    """
    old, region, most = before.contours, contours.region, np.int64(0)
    for k in range(region.shape[0]):
        most = max(most, np.int64(region[k]))
    for k in range(old.region.shape[0]):
        most = max(most, np.int64(old.region[k]))
    twin, alone = _outline_of_each(old, most), _outline_of_each(contours, most)
    begin, end = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64)
    for polygon in range(before.region.shape[0]):
        own = before.region[polygon]
        if end[own] == 0:
            begin[own] = polygon
        end[own] = polygon + 1
    old_vertex_of, room = np.empty(old.points.shape[0], np.int32), np.int64(old.points.shape[0])
    weld_corners(old, room, old_vertex_of, before.weld_height_vx)
    points = contours.points.shape[0]
    numbers = Numbers(
        np.empty(room, np.int32), np.empty(points, np.int32), np.full(room, np.int32(-1)),
        np.full(points, np.int32(-1)),
    )  # fmt: skip
    taken = np.zeros(region.shape[0], np.uint8)
    for k in range(region.shape[0]):
        own = np.int64(region[k])
        if alone[own] != k or twin[own] < 0 or end[own] == 0 or before.bad[twin[own]] != 0:
            continue
        if not _is_same(old, twin[own], old_vertex_of, contours, k, vertex_of, numbers):
            continue
        row = np.int64(first_row[k])
        for polygon in range(begin[own], end[own]):
            for i in range(corners.shape[1]):
                vertex = before.polygons[polygon, i]
                corners[row, i] = vertex if vertex == NO_INDEX else np.uint16(numbers.now[vertex])
            row += 1
        taken[k], counts[k] = 1, end[own] - begin[own]
    return taken


@kernel
def _outline_of_each(contours: Contours, most: np.int64) -> I32:
    """(R,) the one outline with corners that each region has, below 0 where there is none or are several."""
    outline = np.full(most + 1, np.int32(_NONE))
    for k in range(contours.region.shape[0]):
        own = contours.region[k]
        if contours.first[k + 1] - contours.first[k] >= 3:
            outline[own] = k if outline[own] == _NONE else _SEVERAL
    return outline


@kernel
def _is_same(
    old: Contours, twin: np.int32, old_vertex_of: I32, contours: Contours, k: int, vertex_of: I32, numbers: Numbers
) -> bool:
    """Whether an outline has the corners that its twin had, the same ones of which are one vertex."""
    old_begin, begin = np.int64(old.first[twin]), np.int64(contours.first[k])
    size = np.int64(contours.first[k + 1]) - begin
    if np.int64(old.first[twin + 1]) - old_begin != size or old.area[twin] != contours.area[k]:
        return False
    apart = np.int32(0)
    for i in range(size):
        apart |= old.points[old_begin + i, _X] ^ contours.points[begin + i, _X]
        apart |= old.points[old_begin + i, _Z] ^ contours.points[begin + i, _Z]
    if apart != 0:
        return False
    for i in range(size):
        before, now = old_vertex_of[old_begin + i], vertex_of[begin + i]
        if numbers.seen_before[before] != k:
            numbers.seen_before[before], numbers.now[before] = k, now
        if numbers.seen_now[now] != k:
            numbers.seen_now[now], numbers.before[now] = k, before
        if numbers.now[before] != now or numbers.before[now] != before:
            return False
    return True
