"""Stage 8: regions → outlines: walked cell by cell, simplified, holes joined to the outline around them.

trace.py walks, simplify.py drops the points that a straight edge can replace, holes.py joins.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..threads import Workers
from ..types import CompactHeightfield, Contours, Grid, Regions
from .holes import merge_holes
from .simplify import simplify_outlines
from .trace import trace_outlines

__all__ = ["build_contours"]


def build_contours(
    grid: Grid,
    compact: CompactHeightfield,
    regions: Regions,
    max_error_vx: np.float32,
    edge_max_length_vx: int,
    tessellate_wall_edges: bool,
    tessellate_area_edges: bool,
    workers: Workers,
    notes: list[str] | None = None,
    sharpen: Callable[[Contours], Contours] | None = None,
) -> Contours:
    """The simplified outlines of all regions, in the order in which their first cells lie in the grid.

    A simplified edge leaves the walked one by `max_error_vx` at most; edges longer than `edge_max_length_vx` (0: off)
    are split along walls, between areas, or both. `notes` receives a sentence about every kind of hole that could not
    be joined. `sharpen` may change simplified outlines before holes are joined. Positions are relative to the grid
    without its border. Recast: rcBuildContours.
    """
    outlines = trace_outlines(compact, regions, workers)
    length_vx = edge_max_length_vx if tessellate_wall_edges or tessellate_area_edges else 0
    splitting = (length_vx, tessellate_wall_edges, tessellate_area_edges)
    contours = simplify_outlines(outlines, max_error_vx, splitting, grid.border, workers)
    return merge_holes(contours if sharpen is None else sharpen(contours), workers, notes)
