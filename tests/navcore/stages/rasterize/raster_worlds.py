"""Test worlds for rasterization: grids, triangles by their corners, random scenes, hills; and what came of them."""

from __future__ import annotations

import numpy as np

from navcore.stages.rasterize import rasterize_triangles
from navcore.threads import Workers
from navcore.types import WALKABLE, Grid, Heightfield

F = np.float32
GO_ON = np.zeros(1, np.uint8)  # a cancel flag that nobody sets
ARRAYS = ("first", "bottom", "top", "area")


def grid_of(width, depth, low, high, cs, ch) -> Grid:
    return Grid(width, depth, 0, np.array(low, F), np.array(high, F), F(cs), F(ch))


def rasterized(grid, corners, areas=None, threshold=1, threads=1) -> Heightfield:
    """Triangles given by their corners, (T, 3, 3)."""
    vertices = np.ascontiguousarray(np.array(corners, F).reshape(-1, 3))
    triangles = np.arange(len(vertices), dtype=np.int32).reshape(-1, 3)
    area = np.full(len(triangles), WALKABLE, np.uint8) if areas is None else np.array(areas, np.uint8)
    with Workers(threads) as workers:
        return rasterize_triangles(grid, vertices, triangles, area, threshold, workers)


def spans_by_column(field: Heightfield) -> dict[tuple[int, int], list[tuple[int, int, int]]]:
    spans = {}
    for column in range(field.width * field.depth):
        rows = [
            (int(field.bottom[s]), int(field.top[s]), int(field.area[s]))
            for s in range(field.first[column], field.first[column + 1])
        ]
        if rows:
            spans[column % field.width, column // field.width] = rows
    return spans


def same(ours: Heightfield, theirs: Heightfield) -> bool:
    return all(
        getattr(ours, n).dtype == getattr(theirs, n).dtype and np.array_equal(getattr(ours, n), getattr(theirs, n))
        for n in ARRAYS
    )


UNIT = grid_of(4, 4, (0, 0, 0), (4, 4, 4), 1, 0.5)


def random_scene(rng, level=False):
    """Corners on the grid, on tenths, on multiples of the cell size or free; bounds that may cut; any areas.

    `level`: every triangle is a floor, at a height of its own.
    """
    cs, ch = F(rng.choice([0.1, 0.2, 0.3, 0.35, 0.5, 1.0, rng.uniform(0.05, 2)])), F(rng.choice([0.1, 0.2, 0.25, 0.5]))
    width, depth = (int(n) for n in rng.integers(1, 26, 2))
    offset = rng.choice([0, 0, 0.1, rng.uniform(-5, 5), rng.uniform(-1000, 1000), rng.uniform(-1e5, 1e5)], 3)
    offset[1] = rng.choice([0, rng.uniform(-5, 5)])
    low = offset.astype(F)
    size = np.array([width * cs, rng.uniform(0.5, 12), depth * cs])
    count = int(rng.choice([1, 2, 5, 12, 40]))
    reach = rng.choice([0.0, 0.15, 1.5])  # how far triangles stick out of the bounds
    corners = low + (rng.uniform(-reach, 1 + reach, (count, 3, 3))) * size
    if rng.random() < 0.5:  # small triangles
        corners = corners[:, :1] + (corners - corners[:, :1]) * rng.choice([0.02, 0.1, 0.3])
    if rng.random() < 0.3:  # walls
        axis = rng.choice([0, 2])
        corners[:, 1, axis] = corners[:, 0, axis]
        if rng.random() < 0.5:
            corners[:, 2, axis] = corners[:, 0, axis]
    if rng.random() < 0.2:  # without area
        corners[:, 2] = corners[:, rng.integers(0, 2)]
    snap = rng.choice([0, 1, 2, 3, 4])
    exact = rng.random((count, 3, 1)) < rng.choice([0.5, 1.0])
    snapped = corners
    if snap == 1:
        snapped = low + np.round((corners - low) / cs) * cs
    elif snap == 2:
        snapped = np.round(corners * 10) / 10
    elif snap == 3:  # the lines themselves, with Recast's rounding
        k = np.round((corners - low) / cs).astype(F)
        snapped = ((low + (k - F(1)) * cs).astype(F) + cs).astype(F)
    elif snap == 4:
        snapped = np.round(corners / cs) * cs
    corners = np.where(exact, snapped, corners).astype(F)
    if level:
        corners[:, :, 1] = corners[:, :1, 1]
    high = (low + size).astype(F)
    if rng.random() < 0.3:
        low, high = corners.min((0, 1)), corners.max((0, 1))
        width, depth = (max(1, min(60, int((high[a] - low[a]) / cs + F(0.5)))) for a in (0, 2))
    grid = grid_of(width, depth, low, high, cs, ch)
    vertices = np.ascontiguousarray(corners.reshape(-1, 3))
    triangles = np.arange(3 * count, dtype=np.int32).reshape(-1, 3)
    area = rng.choice([0, 1, 63], count) if rng.random() < 0.5 else rng.integers(0, 256, count)
    return grid, vertices, triangles, area.astype(np.uint8), int(rng.integers(0, 8))


def rolling_hills(side):
    k = np.arange(side + 1, dtype=F) * F(0.3)
    x, z = np.meshgrid(k, k)
    y = (4 * np.sin(x / 11) * np.cos(z / 13) + np.sin(x / 3.1 + z / 4.7)).astype(F)
    vertices = np.stack([x, y, z], -1).reshape(-1, 3)
    i = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    one, two = np.stack([i, i + side + 1, i + 1], 1), np.stack([i + 1, i + side + 1, i + side + 2], 1)
    return vertices, np.stack([one, two], 1).reshape(-1, 3).astype(np.int32)
