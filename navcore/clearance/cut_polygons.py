"""Polygons cut along gaps into bays, and the passages between bays, of which those over gaps have a width.

Cuts of a polygon do not cross, so they lie in each other like brackets along its border: each has a bay on its inner
side, and what is in no bracket is the polygon's first bay. That is decided by the order along the border alone.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND
from ..jit import borrowing, inlined, kernel
from ..navquery.query_mesh import LinkRows, PolygonRows
from ..types import F64, I32, I64, AnyInt, Records
from .gaps import Gaps
from .polygon_borders import PolygonBorders
from .wall_sight import cross, new_view, wall_distance

NO_GAP = -1
# The bay in which a passage begins, the one to which it leads, and over which gap; how wide it is, and where: x, z.
_BAYS, _PLACE = ("begin", "bay", "gap", "spare"), ("width", "x", "z")
PASSAGE = np.dtype((np.record, [(n, np.int32) for n in _BAYS] + [(n, np.float64) for n in _PLACE]))


class CutPolygons(NamedTuple):
    """B bays of P polygons, and W passages between them."""

    first: I64  # (P + 1,) the bays of each polygon
    polygons: I32  # (B,) the polygon of each
    cut_first: I64  # (P + 1,) the cuts of each polygon; cut k of it leads to its bay k + 1
    cuts: Records  # (M,) sorted
    gaps: Records  # (G,)
    passage_first: I64  # (B + 1,) the passages that begin in each bay
    passages: Records  # (W,)


def cut_polygons(borders: PolygonBorders, gaps: Gaps, corners: F64, facts: PolygonRows, links: LinkRows) -> CutPolygons:
    """Put the pieces together."""
    order = np.lexsort((gaps.cuts["gap"], -gaps.cuts["high"], gaps.cuts["low"], gaps.cuts["polygon"]))
    cuts, count, none = gaps.cuts[order], len(facts), np.zeros(0, np.int64)
    cut_first = np.searchsorted(cuts["polygon"], np.arange(count + 1)).astype(np.int64)
    first = cut_first + np.arange(count + 1)
    polygons = np.repeat(np.arange(count, dtype=np.int32), np.diff(first))
    bays = CutPolygons(first, polygons, cut_first, cuts, gaps.gaps, none, np.zeros(0, PASSAGE))
    crossings = gaps.crossings[np.lexsort((gaps.crossings["part"], gaps.crossings["piece"]))]
    crossed_first = np.searchsorted(crossings["piece"], np.arange(len(borders.pieces) + 1)).astype(np.int64)
    over = [
        _over_gaps(bays),
        _over_portals(borders, bays, crossed_first, crossings),
        _over_links(borders, bays, corners, facts, links),
    ]
    passages = np.concatenate(over).view(PASSAGE)
    passages = passages[np.argsort(passages["begin"], kind="stable")]
    passage_first = np.searchsorted(passages["begin"], np.arange(len(polygons) + 1)).astype(np.int64)
    return bays._replace(passage_first=passage_first, passages=passages)


@inlined
def _note(passage: np.record, begin: AnyInt, end: AnyInt, gap: AnyInt, width: float, x: float, z: float) -> None:
    passage.begin, passage.bay, passage.gap, passage.spare = begin, end, gap, 0
    passage.width, passage.x, passage.z = width, x, z


@kernel
def _over_gaps(bays: CutPolygons) -> Records:
    """There and back across each cut."""
    found = np.empty(2 * len(bays.cuts), PASSAGE)
    for cut in range(len(bays.cuts)):
        own = bays.cuts[cut]
        inner = bays.first[own.polygon] + 1 + cut - bays.cut_first[own.polygon]
        outer = bays.first[own.polygon]
        for other in range(bays.cut_first[own.polygon], cut):
            if bays.cuts[other].low <= own.low and own.high <= bays.cuts[other].high:
                outer = bays.first[own.polygon] + 1 + other - bays.cut_first[own.polygon]
        gap = bays.gaps[own.gap]
        dx, dz = gap.bx - gap.ax, gap.bz - gap.az
        width, x, z = np.sqrt(dx * dx + dz * dz) / 2, (gap.ax + gap.bx) / 2, (gap.az + gap.bz) / 2
        _note(found[2 * cut], inner, outer, own.gap, width, x, z)
        _note(found[2 * cut + 1], outer, inner, own.gap, width, x, z)
    return found


@borrowing
def _bay_on(bays: CutPolygons, polygon: AnyInt, place: float) -> np.int64:
    """The bay at a place on a polygon's border: that of the innermost cut around it."""
    found = bays.first[polygon]
    for cut in range(bays.cut_first[polygon], bays.cut_first[polygon + 1]):
        if bays.cuts[cut].low < place < bays.cuts[cut].high:
            found = bays.first[polygon] + 1 + cut - bays.cut_first[polygon]
    return found


@borrowing
def bay_at(bays: CutPolygons, polygon: AnyInt, x: float, z: float) -> np.int64:
    """The bay of a place in a polygon."""
    found, inside = bays.first[polygon], np.int64(-1)
    for cut in range(bays.cut_first[polygon], bays.cut_first[polygon + 1]):
        own = bays.cuts[cut]
        if inside >= 0 and own.high > bays.cuts[inside].high:
            continue  # not in the bay that was found
        gap = bays.gaps[own.gap]
        side = cross(gap.bx - gap.ax, gap.bz - gap.az, x - gap.ax, z - gap.az)
        if (side < 0) if own.forward == 1 else (side > 0):
            inside = np.int64(cut)
            found = bays.first[polygon] + 1 + cut - bays.cut_first[polygon]
    return found


@kernel
def _over_portals(borders: PolygonBorders, bays: CutPolygons, crossed_first: I64, crossings: Records) -> Records:
    """There and back across each stretch of a portal between gaps."""
    pieces = borders.pieces
    found = np.empty(2 * (len(pieces) + len(crossings)), PASSAGE)
    n = 0
    for number in range(len(pieces)):
        piece = pieces[number]
        if piece.twin < number:  # a wall, or done
            continue
        twin = pieces[piece.twin]
        low = 0.0
        for k in range(crossed_first[number], crossed_first[number + 1] + 1):
            high = crossings[k].part if k < crossed_first[number + 1] else 1.0
            middle = (low + high) / 2
            if low < middle < high:
                here = _bay_on(bays, piece.owner, _along(piece, middle))
                there = _bay_on(bays, twin.owner, _along(twin, 1 - middle))
                x, z = piece.ax + middle * (piece.bx - piece.ax), piece.az + middle * (piece.bz - piece.az)
                _note(found[n], here, there, NO_GAP, np.inf, x, z)
                _note(found[n + 1], there, here, NO_GAP, np.inf, x, z)
                n += 2
            low = high
    return found[:n].copy()


@inlined
def _along(piece: np.record, part: float) -> float:
    return piece.low + (piece.high - piece.low) * part


@kernel
def _over_links(
    borders: PolygonBorders, bays: CutPolygons, corners: F64, facts: PolygonRows, links: LinkRows
) -> Records:
    """Into links and out of them: as wide as there is room around the end where the agent stands."""
    found, view, n = np.empty(2 * len(links), PASSAGE), new_view(), 0
    for connection in range(len(facts)):
        if facts[connection].kind == GROUND:
            continue
        for link in range(facts[connection].first_link, facts[connection].end_link):
            ground, end = links[link].target, links[link].edge
            x, z = corners[connection, end, 0], corners[connection, end, 1]
            view, away = wall_distance(borders, view, ground, x, z, np.inf, 0.0)
            inside, outside = bay_at(bays, ground, x, z), bays.first[connection]
            _note(found[n], outside, inside, NO_GAP, away, x, z)
            n += 1
            if _link_to(facts, links, ground, connection) >= 0:  # else it leads one way
                _note(found[n], inside, outside, NO_GAP, away, x, z)
                n += 1
    return found[:n].copy()


@inlined
def _link_to(polygons: PolygonRows, links: LinkRows, here: int, there: int) -> int:
    """The first link from one polygon to another; -1 where there is none."""
    for link in range(polygons[here].first_link, polygons[here].end_link):
        if links[link].target == there:
            return link
    return -1
