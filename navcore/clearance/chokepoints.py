"""Which gaps cut ground off for wider agents: a sweep over all radii at once.

Bays are joined from the widest passage between them to the narrowest (Kruskal, 1956). A gap that joins two pieces of
ground is the only one between them that is so wide: agents that are too wide for it stay in one or in the other.
"""

from __future__ import annotations

import numpy as np

from ..geometry.arrays import join, root_of
from ..jit import kernel
from ..types import F64, I32, I64
from .cut_polygons import NO_GAP, CutPolygons, bay_at


def cutting_gaps(bays: CutPolygons, corners: F64, counts: I32) -> tuple[I32, F64]:
    """The passages over such gaps, narrowest first, and the ground on their smaller sides in square cells."""
    order = np.argsort(-bays.passages["width"], kind="stable")
    found, sizes = _cutting_gaps(bays, order, ground_of(bays, corners, counts))
    return found[::-1], sizes[::-1]


@kernel
def ground_of(bays: CutPolygons, corners: F64, counts: I32) -> F64:
    """How much ground each bay has in square cells; a polygon is counted to the bay of its middle."""
    sizes = np.zeros(len(bays.polygons))
    for polygon in range(len(counts)):
        if counts[polygon] < 3:
            continue
        doubled, x, z = 0.0, 0.0, 0.0
        ax, az = corners[polygon, 0, 0], corners[polygon, 0, 1]
        for k in range(counts[polygon]):
            x += corners[polygon, k, 0] / counts[polygon]
            z += corners[polygon, k, 1] / counts[polygon]
            if k >= 2:
                bx, bz = corners[polygon, k - 1, 0] - ax, corners[polygon, k - 1, 1] - az
                cx, cz = corners[polygon, k, 0] - ax, corners[polygon, k, 1] - az
                doubled += bx * cz - bz * cx
        sizes[bay_at(bays, polygon, x, z)] += abs(doubled) / 2
    return sizes


@kernel
def _cutting_gaps(bays: CutPolygons, order: I64, sizes: F64) -> tuple[I32, F64]:
    """The same, widest first; `sizes` are added up."""
    found, cut_off = np.empty(len(sizes), np.int32), np.empty(len(sizes))
    parents = np.arange(len(sizes)).astype(np.int32)
    n = 0
    for k in range(len(order)):
        passage = bays.passages[order[k]]
        a, b = root_of(parents, passage.begin), root_of(parents, passage.bay)
        if a == b:
            continue
        smaller, both = min(sizes[a], sizes[b]), sizes[a] + sizes[b]
        join(parents, a, b)
        sizes[min(a, b)] = both
        if passage.gap != NO_GAP:
            found[n], cut_off[n] = order[k], smaller
            n += 1
    return found[:n].copy(), cut_off[:n].copy()
