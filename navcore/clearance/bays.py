"""Bays: polygons cut along gaps, and the ways between them, of which those over gaps have a width.

Cuts of a polygon do not cross, so they lie in each other like brackets along its rim: each has a bay on its inner side,
and what is in no bracket is the polygon's first bay. That is decided by the order along the rim alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND
from ..jit import inlined, kernel
from ..navquery.query_mesh import LinkRows, PolygonRows
from ..types import F64, I32, I64, AnyInt
from .gaps import CUT_POLYGON, FORWARD, GAP, Gaps
from .rims import Rims
from .sight import cross, new_view, wall_distance

# Columns of `ways`.
BAY, OVER = range(2)  # where a way leads, and over which gap; -1: over none
# Columns of `numbers`: how wide it is, and where it lies: x, z.
WIDTH = 0
NO_GAP = -1


class Bays(NamedTuple):
    """B bays of P polygons, and W ways between them."""

    first: I64  # (P + 1,) the bays of each polygon
    polygons: I32  # (B,) the polygon of each
    cut_first: I64  # (P + 1,) the cuts of each polygon; cut k of it leads to its bay k + 1
    cuts: I32  # (M, 3) sorted
    places: F64  # (M, 2)
    lines: F64  # (G, 4) of the gaps, cells
    way_first: I64  # (B + 1,) the ways that begin in each bay
    ways: I32  # (W, 2)
    numbers: F64  # (W, 3)


def bays_of(rims: Rims, gaps: Gaps, corners: F64, facts: PolygonRows, links: LinkRows) -> Bays:
    """Put the pieces together."""
    order = np.lexsort((gaps.cuts[:, GAP], -gaps.places[:, 1], gaps.places[:, 0], gaps.cuts[:, CUT_POLYGON]))
    cuts, places = gaps.cuts[order], gaps.places[order]
    count = len(facts)
    cut_first = np.searchsorted(cuts[:, CUT_POLYGON], np.arange(count + 1)).astype(np.int64)
    first = cut_first + np.arange(count + 1)
    polygons = np.repeat(np.arange(count, dtype=np.int32), np.diff(first))
    none = np.zeros(0, np.int64)
    bays = Bays(
        first, polygons, cut_first, cuts, places, gaps.lines, none, np.zeros((0, 2), np.int32), np.zeros((0, 3))
    )
    crossed_order = np.lexsort((gaps.parts, gaps.crossed))
    crossed, parts = gaps.crossed[crossed_order], gaps.parts[crossed_order]
    crossed_first = np.searchsorted(crossed, np.arange(len(rims.across) + 1)).astype(np.int64)
    over = [
        _over_gaps(bays),
        _over_portals(rims, bays, crossed_first, parts),
        _over_links(rims, bays, corners, facts, links),
    ]
    begins, ends, numbers = (np.concatenate([part[k] for part in over]) for k in range(3))
    sorting = np.argsort(begins, kind="stable")
    way_first = np.searchsorted(begins[sorting], np.arange(len(polygons) + 1)).astype(np.int64)
    return bays._replace(way_first=way_first, ways=ends[sorting], numbers=numbers[sorting])


Ways = tuple[I32, I32, F64]  # where each begins; as `ways`; as `numbers`


@kernel
def _over_gaps(bays: Bays) -> Ways:
    """There and back across each cut."""
    count = len(bays.cuts)
    begins, ends, numbers = np.empty(2 * count, np.int32), np.empty((2 * count, 2), np.int32), np.empty((2 * count, 3))
    for cut in range(count):
        polygon, gap = bays.cuts[cut, CUT_POLYGON], bays.cuts[cut, GAP]
        inner = bays.first[polygon] + 1 + cut - bays.cut_first[polygon]
        outer = bays.first[polygon]
        for other in range(bays.cut_first[polygon], cut):
            if bays.places[other, 0] <= bays.places[cut, 0] and bays.places[cut, 1] <= bays.places[other, 1]:
                outer = bays.first[polygon] + 1 + other - bays.cut_first[polygon]
        ax, az, bx, bz = bays.lines[gap, 0], bays.lines[gap, 1], bays.lines[gap, 2], bays.lines[gap, 3]
        for side in range(2):
            k = 2 * cut + side
            begins[k] = inner if side == 0 else outer
            ends[k, BAY], ends[k, OVER] = outer if side == 0 else inner, gap
            numbers[k, WIDTH] = np.sqrt((bx - ax) * (bx - ax) + (bz - az) * (bz - az)) / 2
            numbers[k, 1], numbers[k, 2] = (ax + bx) / 2, (az + bz) / 2
    return begins, ends, numbers


@kernel
def bay_of(bays: Bays, polygon: AnyInt, place: float) -> int:
    """The bay at a place on a polygon's rim: that of the innermost cut around it."""
    found = bays.first[polygon]
    for cut in range(bays.cut_first[polygon], bays.cut_first[polygon + 1]):
        if bays.places[cut, 0] < place < bays.places[cut, 1]:
            found = bays.first[polygon] + 1 + cut - bays.cut_first[polygon]
    return found


@kernel
def bay_at(bays: Bays, polygon: AnyInt, x: float, z: float) -> int:
    """The bay of a place in a polygon."""
    found, inside = bays.first[polygon], -1
    for cut in range(bays.cut_first[polygon], bays.cut_first[polygon + 1]):
        if inside >= 0 and bays.places[cut, 1] > bays.places[inside, 1]:
            continue  # not in the bay that was found
        line = bays.lines[bays.cuts[cut, GAP]]
        side = cross(line[2] - line[0], line[3] - line[1], x - line[0], z - line[1])
        if (side < 0) if bays.cuts[cut, FORWARD] == 1 else (side > 0):
            inside = cut
            found = bays.first[polygon] + 1 + cut - bays.cut_first[polygon]
    return found


@kernel
def _over_portals(rims: Rims, bays: Bays, crossed_first: I64, parts: F64) -> Ways:
    """There and back across each stretch of a portal between gaps."""
    room = 2 * (len(rims.across) + len(parts))
    begins, ends, numbers = np.empty(room, np.int32), np.empty((room, 2), np.int32), np.empty((room, 3))
    n = 0
    for piece in range(len(rims.across)):
        twin = rims.twins[piece]
        if twin < piece:  # a wall, or done
            continue
        low = 0.0
        for k in range(crossed_first[piece], crossed_first[piece + 1] + 1):
            high = parts[k] if k < crossed_first[piece + 1] else 1.0
            middle = (low + high) / 2
            if low < middle < high:
                here = bay_of(bays, rims.owners[piece], _along(rims, piece, middle))
                there = bay_of(bays, rims.owners[twin], _along(rims, twin, 1 - middle))
                x = rims.ends[piece, 0] + middle * (rims.ends[piece, 2] - rims.ends[piece, 0])
                z = rims.ends[piece, 1] + middle * (rims.ends[piece, 3] - rims.ends[piece, 1])
                for side in range(2):
                    begins[n], ends[n, BAY], ends[n, OVER] = (
                        (here, there, NO_GAP) if side == 0 else (there, here, NO_GAP)
                    )
                    numbers[n, WIDTH], numbers[n, 1], numbers[n, 2] = np.inf, x, z
                    n += 1
            low = high
    return begins[:n].copy(), ends[:n].copy(), numbers[:n].copy()


@inlined
def _along(rims: Rims, piece: int, part: float) -> float:
    return rims.along[piece, 0] + (rims.along[piece, 1] - rims.along[piece, 0]) * part


@kernel
def _over_links(rims: Rims, bays: Bays, corners: F64, polygons: PolygonRows, links: LinkRows) -> Ways:
    """Into links and out of them: as wide as there is room around the end where the agent stands."""
    room = 2 * len(links)
    begins, ends, numbers = np.empty(room, np.int32), np.empty((room, 2), np.int32), np.empty((room, 3))
    n = 0
    view = new_view()
    for connection in range(len(polygons)):
        if polygons[connection].kind == GROUND:
            continue
        for link in range(polygons[connection].first_link, polygons[connection].end_link):
            ground, end = links[link].target, links[link].edge
            x, z = corners[connection, end, 0], corners[connection, end, 1]
            view, away = wall_distance(rims, view, ground, x, z, np.inf, 0.0)
            bay = bay_at(bays, ground, x, z)
            for side in range(2):
                if side == 1 and _link_to(polygons, links, ground, connection) < 0:
                    continue  # one way
                begins[n] = bays.first[connection] if side == 0 else bay
                ends[n, BAY], ends[n, OVER] = bay if side == 0 else bays.first[connection], NO_GAP
                numbers[n, WIDTH], numbers[n, 1], numbers[n, 2] = away, x, z
                n += 1
    return begins[:n].copy(), ends[:n].copy(), numbers[:n].copy()


@inlined
def _link_to(polygons: PolygonRows, links: LinkRows, here: int, there: int) -> int:
    """The first link from one polygon to another; -1 where there is none."""
    for link in range(polygons[here].first_link, polygons[here].end_link):
        if links[link].target == there:
            return link
    return -1
