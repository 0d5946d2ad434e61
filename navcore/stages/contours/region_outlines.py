"""Contours: outlines traced, simplified and joined to their holes, in the order of their first cells."""

from __future__ import annotations

import numpy as np

from ...build_warning import BuildWarning
from ...geometry.grid import place_in_grid, without_border
from ...jit import kernel
from ...threads import Workers
from ...types import I32, U8, U16, CompactHeightfield, Contours, Grid, Regions
from .holes import JoinedBefore, WrongHoles, merge_holes
from .simplify import contours_of_corners, simplify_all, simplify_outlines
from .trace import mark_sides, no_sides, trace_outlines, walk_all

_SHARED_FROM = 80_000  # spans; with fewer, a thread is not worth waking


def build_contours(
    grid: Grid,
    compact: CompactHeightfield,
    regions: Regions,
    max_error_vx: np.float32,
    splitting: tuple[int, bool, bool],
    workers: Workers,
    notes: list[BuildWarning] | None = None,
) -> Contours:
    """The simplified outlines of all regions, in the order in which their first cells lie in the grid.

    A simplified edge leaves the walked one by `max_error_vx` at most; which edges are split, `splitting_of` says.
    `notes` receives a warning about every kind of hole that could not be joined. Positions are relative to the grid
    without its border. Recast: rcBuildContours.
    """
    outlines = simplified_outlines(compact, regions, max_error_vx, splitting, grid.border, workers)
    return with_holes_joined(grid, outlines, workers, notes)


def simplified_outlines(
    compact: CompactHeightfield,
    regions: Regions,
    max_error_vx: np.float32,
    splitting: tuple[int, bool, bool],
    border: int,
    workers: Workers,
) -> Contours:
    """The first half of the stage: every outline and every hole by itself."""
    if not workers.in_one_call(len(compact.floor), _SHARED_FROM):
        return simplify_outlines(trace_outlines(compact, regions, workers), max_error_vx, splitting, border, workers)
    limit, cancelled = max_error_vx * max_error_vx, workers.progress.cancelled
    contours = Contours(*outlines_in_one_call(compact, regions.region, limit, splitting, border, cancelled))
    workers.progress.check()
    return contours


def with_holes_joined(
    grid: Grid, outlines: Contours, workers: Workers, notes: list[BuildWarning] | None = None,
    before: JoinedBefore | None = None,
) -> Contours:  # fmt: skip
    """The second half; with rings from `before` of regions that have not changed."""
    wrong: list[WrongHoles] = []
    merged = merge_holes(outlines, workers, wrong, before)
    if notes is not None:
        inner = without_border(grid)
        places = [place_in_grid(inner, outlines.points[outlines.first[holes.contour], :3]) for holes in wrong]
        notes += [BuildWarning("OUTLINES", holes.said, place) for holes, place in zip(wrong, places, strict=True)]
    return merged


def splitting_of(edge_max_length_vx: int, walls: bool, areas: bool) -> tuple[int, bool, bool]:
    """Which edges are split, as kernels take it: longer than what (0: none), along walls, between areas."""
    return edge_max_length_vx if walls or areas else 0, walls, areas


@kernel
def outlines_in_one_call(
    compact: CompactHeightfield, region: U16, limit: np.float32, splitting: tuple[int, bool, bool], border: int,
    cancelled: U8,
) -> tuple[I32, I32, I32, I32, U16, U8]:  # fmt: skip
    """The arrays of the outlines of all regions, simplified."""
    spans = region.shape[0]
    sides = no_sides(spans)
    foreign, bordered = mark_sides(compact.neighbors, region, sides, 0, spans)
    outlines = walk_all(compact, region, bordered, sides, foreign, cancelled)
    all_corners, counts = np.empty(outlines.points.shape[0], np.int32), np.zeros(outlines.region.shape[0], np.int32)
    simplify_all(outlines, limit, splitting, all_corners, counts, cancelled, 0, counts.shape[0])
    contours = contours_of_corners(outlines, all_corners, counts, border)
    return contours.first, contours.points, contours.raw_first, contours.raw, contours.region, contours.area
