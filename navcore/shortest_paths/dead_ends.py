"""Dead ends: ground that has one way in. A search looks there only for what lies inside."""

from __future__ import annotations

import numpy as np

from ..jit import kernel
from ..types import I32, I64

POLYGON, ACROSS, ALSO, DEAD_END = 2, 3, 4, 5

_NEVER = 1 << 20  # neighbors of what is no dead end, whatever lies around


@kernel
def marked_dead_ends(edges: I32, first: I64, kept: I32, polygons: int) -> I32:
    """Marks the edges that lead into dead ends. Returns for each polygon its number and the end of those inside.

    Dead ends are peeled off from their tips; polygons in `kept`, and those with an edge that leads one way, are not.
    """
    ways = np.zeros(polygons, np.int32)
    for edge in range(len(edges)):
        across = edges[edge, ACROSS]
        if across >= 0:
            ways[edges[edge, POLYGON]] += 1
            if not _leads_back(edges, across, edge):
                ways[edges[edge, POLYGON]] = ways[edges[across, POLYGON]] = _NEVER
    for k in range(len(kept)):
        ways[kept[k]] = _NEVER
    order, outside = np.empty(polygons, np.int32), np.full(polygons, -1, np.int32)
    inside = np.zeros(polygons, np.uint8)
    count = 0
    for polygon in range(polygons):
        if ways[polygon] == 1:
            order[count] = polygon
            inside[polygon] = 1
            count += 1
    done = 0
    while done < count:
        polygon = order[done]
        done += 1
        for edge in range(first[polygon], first[polygon + 1]):
            across = edges[edge, ACROSS]
            other = edges[across, POLYGON] if across >= 0 else polygon
            if across < 0 or outside[other] == polygon:
                continue
            outside[polygon] = other
            edges[across, DEAD_END] = 1
            ways[other] -= 1
            if ways[other] == 1 and inside[other] == 0:
                order[count] = other
                inside[other] = 1
                count += 1
    return _numbered(order[:count], outside)


@kernel
def _leads_back(edges: I32, across: int, edge: int) -> bool:
    """Whether an edge's across is the edge itself; edges with copies count as leading one way."""
    return edges[across, ACROSS] == edge and edges[edge, ALSO] < 0


@kernel
def _numbered(tips_first: I32, outside: I32) -> I32:
    """First number and end of each polygon and what lies inside it."""
    size = np.ones(len(outside), np.int32)
    for k in range(len(tips_first)):
        polygon = tips_first[k]
        if outside[polygon] >= 0:
            size[outside[polygon]] += size[polygon]
    nested = np.empty((len(outside), 2), np.int32)
    free = np.empty(len(outside), np.int32)
    total = np.int32(0)
    for polygon in range(len(outside)):
        if outside[polygon] < 0:
            nested[polygon, 0], nested[polygon, 1] = total, total + size[polygon]
            free[polygon] = total + 1
            total += size[polygon]
    for k in range(len(tips_first) - 1, -1, -1):
        polygon = tips_first[k]
        around = outside[polygon]
        if around >= 0:
            nested[polygon, 0], nested[polygon, 1] = free[around], free[around] + size[polygon]
            free[around] += size[polygon]
            free[polygon] = nested[polygon, 0] + 1
    return nested
