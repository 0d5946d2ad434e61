"""What triangles make a build expect: how many columns, spans of matter and of open ground they will fill."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import F32, I32, U8, Geometry, Grid
from .memory_and_time_forecast import Forecast

_MOST_FLOORS = 4096  # that a column can have: solid and open voxels take turns


def forecast(grid: Grid, geometry: Geometry) -> Forecast:
    """What triangles, their areas known, will fill a grid with: by the ground that they cover within its bounds."""
    low, high = grid.bounds_min, grid.bounds_max
    covered, walkable = _ground_areas(*geometry, low[0], low[2], high[0], high[2])
    columns, cell = grid.width * grid.depth, float(grid.cell_size) ** 2
    solid = min(covered / cell, columns * _MOST_FLOORS)
    return Forecast(columns, solid, min(walkable / cell, solid), len(geometry.triangles))


def forecast_tiles(tile: Grid, whole: Forecast, count: int) -> Forecast:
    """What `count` tiles that are built at a time deal with, if they lie where the level has as much as on average.

    They are taken to be full of ground: of a level with gaps some tiles have none.
    """
    columns = tile.width * tile.depth * count
    solid, walkable = (columns * max(spans / whole.columns, 1.0) for spans in (whole.solid, whole.open))
    return Forecast(columns, solid, walkable, 0)


@kernel
def _ground_areas(
    vertices: F32, triangles: I32, area: U8, low_x: np.float32, low_z: np.float32, high_x: np.float32,
    high_z: np.float32,
) -> tuple[float, float]:  # fmt: skip
    """The area seen from above of all triangles and of the walkable ones, in square metres.

    Of a triangle that leaves the bounds, the share that its box has within them.
    """
    total, walkable = 0.0, 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, az = float(vertices[a, 0]), float(vertices[a, 2])
        bx, bz = float(vertices[b, 0]), float(vertices[b, 2])
        cx, cz = float(vertices[c, 0]), float(vertices[c, 2])
        ground = abs((bx - ax) * (cz - az) - (bz - az) * (cx - ax)) / 2
        inside = _share(min(ax, min(bx, cx)), max(ax, max(bx, cx)), low_x, high_x) * _share(
            min(az, min(bz, cz)), max(az, max(bz, cz)), low_z, high_z
        )
        total += ground * inside
        if area[t] != 0:
            walkable += ground * inside
    return total, walkable


@kernel
def _share(low: float, high: float, from_: np.float32, to: np.float32) -> float:
    """How much of low … high lies in from … to."""
    if low >= from_ and high <= to:
        return 1.0
    if low > to or high < from_:  # also a wall outside the bounds, whose box has no width to divide by
        return 0.0
    return (min(high, to) - max(low, from_)) / (high - low)  # type: ignore[operator]  # two widths of floats
