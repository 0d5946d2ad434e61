"""Stages 2 to 5 over a window of a grid: every column that lies deep enough in it comes out as in the whole grid.

The window's columns are those of the grid itself, with the same bounds and thus the same float32 arithmetic: rows are
rasterized as a band of the grid, and what lies beside the window is cut away. A ledge looks one column far, links
another one, erosion as far as the agent's radius, smoothing one more.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..geometry.grid import raised
from ..scene import Volume
from ..stages.areas import touching
from ..stages.rasterize import rasterize_rows, rasterize_triangles
from ..stages.rasterize.grid_frame import DONE, frame_of
from ..threads import Workers
from ..types import Geometry, Grid, Heightfield
from .pipeline import marked_ground, open_ground
from .recipe import Recipe

_MARGIN = 3  # columns beyond the agent's radius: a ledge, a link, and whether a span is an edge at all


class Window(NamedTuple):
    """Columns x0:x1 and rows z0:z1 of a grid."""

    x0: int
    x1: int
    z0: int
    z1: int


def window_around(grid: Grid, x: int, z: int, recipe: Recipe) -> Window:
    """The window in which the column at (x, z) comes out as in the whole grid."""
    half = recipe.voxels.radius_vx + _MARGIN + recipe.settings.median_filter
    return Window(max(x - half, 0), min(x + half + 1, grid.width), max(z - half, 0), min(z + half + 1, grid.depth))


def ground_in_window(
    grid: Grid, geometry: Geometry, recipe: Recipe, volumes: Sequence[Volume], window: Window, workers: Workers
) -> dict[str, Any]:
    """The bundles of stages 2 to 5 by the names that `keep` knows them by; `geometry` is what touches the window."""
    stages: dict[str, Any] = {}
    keep = stages.__setitem__
    compact, _ = open_ground(partial(solid_in_window, grid, geometry, recipe, window, workers), recipe, workers, keep)
    volumes = touching(grid, volumes)
    median_filter, corner = recipe.settings.median_filter, (window.x0, window.z0)
    if median_filter or volumes:
        above = raised(grid, recipe.voxels.height_vx)
        compact = marked_ground(above, compact, median_filter, volumes, workers, keep, corner)
    keep("ground", compact)
    return stages


def solid_in_window(grid: Grid, geometry: Geometry, recipe: Recipe, window: Window, workers: Workers) -> Heightfield:
    """Stage 2 in a window."""
    frame = frame_of(grid, recipe.voxels.climb_vx)
    cancelled = workers.progress.cancelled
    status, (first, bottom, top, area) = rasterize_rows(frame, geometry, cancelled, window.z0, window.z1)
    if status != DONE:  # refused, in the words of a build
        rasterize_triangles(grid, *geometry, recipe.voxels.climb_vx, workers)
    width, depth = window.x1 - window.x0, window.z1 - window.z0
    begins = np.add.outer(np.arange(depth) * grid.width, np.arange(window.x0, window.x1)).ravel()
    counts = first[begins + 1] - first[begins]
    ends = np.cumsum(counts)
    chosen = np.repeat(first[begins] - (ends - counts), counts) + np.arange(int(ends[-1]))
    inside = np.concatenate([np.zeros(1, np.int32), ends.astype(np.int32)])
    return Heightfield(width, depth, inside, bottom[chosen], top[chosen], area[chosen])
