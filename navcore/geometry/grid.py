"""Bounds → grid: how many columns there are and where they lie. All arithmetic as Recast's, in float32."""

from __future__ import annotations

import math

import numpy as np

from ..build_warning import Point
from ..errors import BadInput, TooLarge
from ..jit import kernel
from ..types import F32, HIGHEST_VX, ArrayLike, Grid
from .grid_limits import MAX_COLUMNS


@kernel
def _bounds_kernel(vertices: F32, low: F32, high: F32) -> None:
    for axis in range(3):
        low[axis] = vertices[0, axis]
        high[axis] = vertices[0, axis]
    for i in range(1, vertices.shape[0]):
        for axis in range(3):
            value = vertices[i, axis]
            if value < low[axis]:
                low[axis] = value
            if value > high[axis]:
                high[axis] = value


def bounds_of(vertices: F32) -> tuple[F32, F32]:
    """The smallest box around (V, 3) vertices. Recast: rcCalcBounds."""
    low, high = np.empty(3, np.float32), np.empty(3, np.float32)
    _bounds_kernel(vertices, low, high)
    return low, high


def solo_grid(low: F32, high: F32, cell_size: np.float32, cell_height: np.float32) -> Grid:
    """The grid of a build in one piece; refused where it would be empty or too large. Recast: rcCalcGridSize."""
    size = [float(high[a]) - float(low[a]) for a in range(3)]
    width, depth = (math.floor(size[a] / float(cell_size) + 0.5) for a in (0, 2))
    if width < 1 or depth < 1:
        raise BadInput(
            f"The bounds are {size[0]:.6g} × {size[2]:.6g} m on the ground, less than one cell of {cell_size:.6g} m. "
            "Is the level flat in x or z (is its up axis y)? Otherwise lower Cell Size.",
            "EMPTY_BOUNDS",
        )
    if width * depth > MAX_COLUMNS:
        # Half a cell of rounding on each axis, so that the suggestion itself is accepted.
        suggested = float(cell_size) * math.sqrt(width * depth / MAX_COLUMNS) * 1.001
        raise TooLarge(
            f"The grid would be {width:,} × {depth:,} cells (limit {MAX_COLUMNS // 1_000_000} million). "
            f"Raise Cell Size to {rounded_up(suggested)} m, use tiles, or select less."
        )
    x, z = (int(np.float32(np.float32(high[a] - low[a]) / cell_size) + np.float32(0.5)) for a in (0, 2))
    return Grid(x, z, 0, low, high, cell_size, cell_height)


def check_precision(grid: Grid) -> None:
    """Refuse a grid so far from the origin that float32 cannot tell neighboring cells apart."""
    for axis, step, name in ((0, grid.cell_size, "x"), (1, grid.cell_height, "y"), (2, grid.cell_size, "z")):
        far = max(abs(float(grid.bounds_min[axis])), abs(float(grid.bounds_max[axis])))
        if float(np.spacing(np.float32(far))) > 0.5 * float(step):
            raise BadInput(
                f"The level lies {far:,.0f} m from the origin along {name}, where coordinates are only exact to "
                f"{np.spacing(np.float32(far)):.3g} m: too coarse for cells of {step:.3g} m. Move it to the origin.",
                "TOO_FAR",
            )


def check_height(top: float, grid: Grid) -> None:
    """Refuse geometry whose highest point is beyond the highest voxel. (Recast clamps it to wrong heights.)"""
    tall = top - float(grid.bounds_min[1])
    if tall / float(grid.cell_height) > HIGHEST_VX:
        raise TooLarge(
            f"The level is {tall:,.6g} m tall, {tall / float(grid.cell_height):,.0f} voxels of "
            f"{grid.cell_height:.6g} m (limit {HIGHEST_VX:,}). "
            f"Raise Cell Height to {rounded_up(tall / (HIGHEST_VX - 1))} m or lower the bounds."
        )


def without_border(grid: Grid) -> Grid:
    """The grid of contours and polygons: the border's columns are gone, heights unchanged."""
    if grid.border == 0:
        return grid
    pad = np.float32(grid.border) * grid.cell_size
    low, high = grid.bounds_min.copy(), grid.bounds_max.copy()
    low[0] += pad
    low[2] += pad
    high[0] -= pad
    high[2] -= pad
    return grid._replace(
        width=grid.width - 2 * grid.border, depth=grid.depth - 2 * grid.border, bounds_min=low, bounds_max=high
    )


def raised(grid: Grid, height_vx: int) -> Grid:
    """The grid of open space, with room for an agent on the highest floor. Recast: rcBuildCompactHeightfield."""
    high = grid.bounds_max.copy()
    high[1] += np.float32(height_vx) * grid.cell_height
    return grid._replace(bounds_max=high)


def place_in_grid(grid: Grid, voxels: ArrayLike) -> Point:
    """Where (x, y, z) in voxels lies, in metres to the millimetre, for people who look for it."""
    low, at = grid.bounds_min.tolist(), np.asarray(voxels, np.float64).tolist()
    wide, tall = float(grid.cell_size), float(grid.cell_height)
    return round(low[0] + at[0] * wide, 3), round(low[1] + at[1] * tall, 3), round(low[2] + at[2] * wide, 3)


def rounded_up(value: float) -> str:
    """A number for a sentence: two significant digits or more, never below `value`."""
    digits = 2 - math.floor(math.log10(value)) - 1
    return f"{math.ceil(value * 10**digits) / 10**digits:.{max(digits, 0)}f}"
