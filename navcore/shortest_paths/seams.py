"""Where tiles meet: edges of either side are cut so that each piece has whole pieces across.

Polygons of two tiles share parts of edges: a corner of one lies somewhere on an edge of the other. Detour keeps the
part that is shared in 255ths of an edge; here it is what both edges really share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import INSIDE
from ..geometry.arrays import numbers_in_ranges
from ..navquery.query_mesh import BORDER, QueryMesh
from ..types import I32, I64

CORNERS_MOST = 6
_SHIFT, _OFFSET = 32, 1 << 31
_CLOSE = 100  # edges lie on one line within a hundredth of a cell


class Pairs(NamedTuple):
    """Edges of two tiles that share a part, as links say; an edge is polygon · 6 + number."""

    here: I64
    there: I64
    low: I64  # the part, along the edge
    high: I64


def link_owners(mesh: QueryMesh) -> I64:
    """The polygon of each link."""
    return np.repeat(np.arange(len(mesh.polygons)), mesh.polygons["end_link"] - mesh.polygons["first_link"])


def key_of(edges: I64, along: I64) -> I64:
    """One number for a place on an edge; those of an edge follow each other."""
    return (edges << _SHIFT) + along + _OFFSET


def ends_of(spots: I32, corners: npt.NDArray[np.int32], edges: I64) -> tuple[I64, I64]:
    """Both ends of edges."""
    polygon, number = edges // CORNERS_MOST, edges % CORNERS_MOST
    following = np.where(number + 1 < corners[polygon], number + 1, 0)
    return spots[polygon, number].astype(np.int64), spots[polygon, following].astype(np.int64)


def pairs_of(mesh: QueryMesh, spots: I32, ground: npt.NDArray[np.bool_], cell: int) -> Pairs:
    """What links across tile borders join, in the order of links."""
    owner, links = link_owners(mesh), mesh.links
    border = np.flatnonzero((links["side"] != INSIDE) & ground[owner] & ground[links["target"]])
    border = border[links["edge"][border] < CORNERS_MOST]
    here = np.repeat(owner[border] * CORNERS_MOST + links["edge"][border], CORNERS_MOST)
    number = np.tile(np.arange(CORNERS_MOST), len(border))
    target = np.repeat(links["target"][border].astype(np.int64), CORNERS_MOST)
    there = target * CORNERS_MOST + number
    corners = mesh.polygons["corners"]
    a, b = ends_of(spots, corners, here)
    c, d = ends_of(spots, corners, there)
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    along = [np.take_along_axis(end, axis, 1)[:, 0] for end in (a, b, c, d)]
    aside = [np.take_along_axis(end, 1 - axis, 1)[:, 0] for end in (a, b, c, d)]
    low = np.maximum(np.minimum(along[0], along[1]), np.minimum(along[2], along[3]))
    high = np.minimum(np.maximum(along[0], along[1]), np.maximum(along[2], along[3]))
    on_line = np.max([np.abs(other - aside[0]) for other in aside[1:]], axis=0) <= max(cell // _CLOSE, 1)
    fits = (number < corners[target]) & (mesh.neighbors[target, number] == BORDER) & (low < high) & on_line
    fits &= (along[1] > along[0]) != (along[3] > along[2])
    return Pairs(here[fits], there[fits], low[fits], high[fits])


def cuts_of(pairs: Pairs, spots: I32, corners: npt.NDArray[np.int32]) -> tuple[I64, I64]:
    """The edges that are cut and where along them, sorted; what cuts one edge of a pair cuts the other, too."""
    both = Pairs(*(np.concatenate([a, b]) for a, b in zip(pairs, _turned(pairs), strict=True)))
    a, b = ends_of(spots, corners, both.here)
    axis = np.abs(b - a).argmax(axis=1)[:, None]
    ends = np.concatenate([np.take_along_axis(a, axis, 1), np.take_along_axis(b, axis, 1)], axis=1)
    inside_low, inside_high = both.low > ends.min(axis=1), both.high < ends.max(axis=1)
    cuts = np.unique(
        np.concatenate(
            [
                key_of(both.here[inside_low], both.low[inside_low]),
                key_of(both.here[inside_high], both.high[inside_high]),
            ]
        )
    )
    while True:
        first = np.searchsorted(cuts, key_of(both.here, both.low), "right")
        last = np.searchsorted(cuts, key_of(both.here, both.high), "left")
        count = np.maximum(last - first, 0)
        carried = numbers_in_ranges(first, count)
        along = (cuts[carried] & ((1 << _SHIFT) - 1)) - _OFFSET
        more = np.union1d(cuts, key_of(np.repeat(both.there, count), along))
        if len(more) == len(cuts):
            return cuts >> _SHIFT, (cuts & ((1 << _SHIFT) - 1)) - _OFFSET
        cuts = more


def _turned(pairs: Pairs) -> Pairs:
    return Pairs(pairs.there, pairs.here, pairs.low, pairs.high)
