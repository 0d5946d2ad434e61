"""The grid as the kernels know it, and the statuses that they return."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...types import Grid

# What a kernel returns:
DONE = 0
FULL = 1  # no unused cells: give it more and resume
TOO_TALL = 2  # a span would reach above the highest voxel
TOO_WILD = 3  # rounding has given a polygon more corners than any triangle can have
STOPPED = 4  # cancelled


class RasterFrame(NamedTuple):
    """The grid as single numbers, with the reciprocals that coordinates are multiplied by."""

    width: int
    depth: int
    x: np.float32  # where column 0 begins
    y: np.float32
    z: np.float32
    x_end: np.float32  # the bounds, not the last column's end
    y_end: np.float32
    z_end: np.float32
    cell_size: np.float32
    columns_per_metre: np.float32
    voxels_per_metre: np.float32
    tall: np.float32  # metres
    merge_threshold: int  # vx


def frame_of(grid: Grid, merge_threshold_vx: int) -> RasterFrame:
    """The frame of a grid."""
    one = np.float32(1)
    low, high = grid.bounds_min, grid.bounds_max
    return RasterFrame(
        int(grid.width), int(grid.depth), low[0], low[1], low[2], high[0], high[1], high[2], grid.cell_size,
        one / grid.cell_size, one / grid.cell_height, high[1] - low[1], int(merge_threshold_vx),
    )  # fmt: skip
