"""Small grounds with polygons on them, for the detail mesh: made up, so that each can be as nasty as it likes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from navcore.types import NO_INDEX, WALKABLE, CompactHeightfield, Grid, PolygonMesh, Regions

DX, DZ = (-1, 0, 1, 0), (0, 1, 0, -1)


class Scene(NamedTuple):
    mesh: PolygonMesh
    compact: CompactHeightfield
    regions: Regions
    distance: np.float32
    error: np.float32


def ground(
    layers: list[np.ndarray], regions: list[np.ndarray], climb: int = 1000
) -> tuple[CompactHeightfield, Regions]:
    """(depth, width) heights per layer, bottom to top, −1 for none. Neighbors are the first that can be climbed to."""
    depth, width = layers[0].shape
    spans, first, index = [], [0], {}
    for z in range(depth):
        for x in range(width):
            for layer, height in enumerate(layers):
                if height[z, x] >= 0:
                    index[x, z, layer] = len(spans)
                    spans.append((height[z, x], regions[layer][z, x]))
            first.append(len(spans))
    neighbors = np.full((len(spans), 4), -1, np.int32)
    for (x, z, _), span in index.items():
        for direction in range(4):
            for other in range(len(layers)):
                there = index.get((x + DX[direction], z + DZ[direction], other), -1)
                if there >= 0 and abs(int(spans[there][0]) - int(spans[span][0])) <= climb:
                    neighbors[span, direction] = there
                    break
    floor, region = np.array(spans, np.uint16).reshape(-1, 2).T.copy()
    count = len(spans)
    compact = CompactHeightfield(
        width, depth, np.array(first, np.int32), floor, np.full(count, 255, np.uint8), neighbors,
        np.full(count, WALKABLE, np.uint8),
    )  # fmt: skip
    return compact, Regions(region, int(region.max(initial=0)))


def polygon_mesh(
    polygons: list[list[tuple[int, int, int]]], region: list[int], width: int, depth: int, *, border: int = 0,
    corners: int = 6, cell_size: float = 1.0, cell_height: float = 0.5, origin: tuple[float, float, float] = (0, 0, 0),
    max_edge_error: float = 1.3,
) -> PolygonMesh:  # fmt: skip
    """Polygons from lists of corners (x, y, z); no vertex is shared, as the detail mesh does not mind."""
    vertices = np.array([corner for polygon in polygons for corner in polygon], np.uint16).reshape(-1, 3)
    rows = np.full((len(polygons), corners), NO_INDEX, np.uint16)
    at = 0
    for row, polygon in zip(rows, polygons, strict=True):
        row[: len(polygon)] = np.arange(at, at + len(polygon))
        at += len(polygon)
    low = np.array(origin, np.float32)
    grid = Grid(width, depth, border, low, low + np.float32(100), np.float32(cell_size), np.float32(cell_height))
    return PolygonMesh(
        vertices, rows, np.full_like(rows, NO_INDEX), np.array(region, np.uint16),
        np.full(len(rows), WALKABLE, np.uint8), 2 * len(rows), np.float32(max_edge_error), grid,
    )  # fmt: skip


def convex_polygon(rng: np.random.Generator, width: int, depth: int, most: int) -> list[tuple[int, int]]:
    """Up to `most` corners on the grid, wound like Recast's; sometimes collinear or without any area."""
    kind = rng.integers(0, 8)
    if kind == 0:  # anything at all
        return [(int(x), int(z)) for x, z in rng.integers(0, (width + 1, depth + 1), (rng.integers(3, most + 1), 2))]
    if kind <= 2:  # a rectangle
        x0, x1 = np.sort(rng.integers(0, width + 1, 2))
        z0, z1 = np.sort(rng.integers(0, depth + 1, 2))
        return [(int(x0), int(z0)), (int(x0), int(z1)), (int(x1), int(z1)), (int(x1), int(z0))][: max(3, most)]
    center, half = np.array([width, depth]) / 2, np.array([width, depth]) / 2 * rng.uniform(0.3, 1)
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(3, most + 1)))[::-1]
    points = np.round(center + half * np.stack([np.cos(angles), np.sin(angles)], 1)).astype(int)
    return [(int(x), int(z)) for x, z in np.clip(points, 0, (width, depth))]


def random_heights(rng: np.random.Generator, depth: int, width: int) -> np.ndarray:
    """Flat, sloped, stepped, wavy or noisy ground, with holes now and then."""
    z, x = np.mgrid[0:depth, 0:width]
    kind = rng.integers(0, 6)
    if kind == 0:
        height = np.full((depth, width), rng.integers(0, 40))
    elif kind == 1:
        height = 5 + x * rng.integers(0, 3) + z * rng.integers(0, 3)
    elif kind == 2:
        height = 2 + x // rng.integers(1, 6) * rng.integers(1, 5) + z // rng.integers(1, 6) * rng.integers(0, 3)
    elif kind == 3:
        waves = np.sin(x * rng.uniform(0.1, 1)) + np.sin(z * rng.uniform(0.1, 1) + x * rng.uniform(0, 0.5))
        height = (waves + 2) * rng.uniform(1, 12)
    elif kind == 4:
        height = rng.integers(0, rng.integers(2, 60), (depth, width))
    else:
        height = np.where((x // 3 + z // 3) % 2, 10, 10 + rng.integers(1, 9))
    height = np.array(height, np.int64)
    if rng.random() < 0.4:
        height[rng.random((depth, width)) < rng.choice([0.02, 0.3])] = -1
    return height


def random_scene(seed: int) -> Scene:
    rng = np.random.default_rng(seed)
    border = int(rng.choice([0, 0, 3]))
    width, depth = (int(n) for n in rng.integers(4, 48, 2))
    shape = depth + 2 * border, width + 2 * border
    low = random_heights(rng, *shape)
    layers = [low]
    if rng.random() < 0.3:
        layers.append(np.where(rng.random(shape) < 0.5, np.maximum(low, 0) + 12 + random_heights(rng, *shape), -1))
    x, z = np.arange(shape[1])[None, :], np.arange(shape[0])[:, None]
    regions = [1 + (x // rng.integers(3, 40) + z // rng.integers(3, 40)) % 3 for _ in layers]
    compact, spans = ground(layers, regions, int(rng.choice([1, 4, 1000])))
    corners = int(rng.choice([3, 6, 6, 12]))
    polygons = []
    for _ in range(rng.integers(1, 5)):
        outline = convex_polygon(rng, width, depth, corners)
        known = [max(int(low[min(z + border, shape[0] - 1), min(x + border, shape[1] - 1)]), 0) for x, z in outline]
        polygons.append([(x, y, z) for (x, z), y in zip(outline, known, strict=True)])
    cell_size, cell_height = float(rng.choice([1.0, 0.3, 0.15])), float(rng.choice([0.5, 0.2, 1.0]))
    mesh = polygon_mesh(
        polygons, [int(r) for r in rng.choice([0, 1, 1, 1, 2, 3, 9], len(polygons))], width, depth, border=border,
        corners=corners, cell_size=cell_size, cell_height=cell_height, origin=tuple(rng.uniform(-50, 50, 3)),
        max_edge_error=float(rng.choice([0, 1.3, 3])),
    )  # fmt: skip
    distance = np.float32(cell_size) * np.float32(rng.choice([0.9, 1, 1, 1.5, 2, 3, 6]))
    error = np.float32(cell_height) * np.float32(rng.choice([0, 0.1, 0.1, 0.5, 1]))
    return Scene(mesh, compact, spans, distance, error)


def large_scene(seed: int) -> Scene:
    """Boxes much larger than their polygon, with the region in few places: bands, specks, a disc; storeys and mazes."""
    rng = np.random.default_rng(seed)
    border = int(rng.choice([0, 2]))
    width, depth = (int(n) for n in rng.integers(20, 110, 2))
    shape = depth + 2 * border, width + 2 * border
    layers = [random_heights(rng, *shape)]
    for _ in range(rng.integers(0, 3)):
        above = np.maximum(layers[-1], 0) + 12 + random_heights(rng, *shape)
        layers.append(np.where(rng.random(shape) < rng.choice([0.1, 0.5, 0.9]), above, -1))
    if rng.random() < 0.5:  # blocks without ground
        blocks = np.kron(rng.random((shape[0] // 6 + 1, shape[1] // 6 + 1)) < 0.4, np.ones((6, 6)))
        layers[0] = np.where(blocks[: shape[0], : shape[1]] > 0, -1, layers[0])
    compact, spans = ground(layers, [_sparse_region(rng, shape) for _ in layers], int(rng.choice([1, 1, 4, 1000])))
    polygons = []
    for _ in range(rng.integers(1, 5)):
        outline = convex_polygon(rng, width, depth, 6)
        if rng.random() < 0.5:  # from one end to the other, a few cells wide
            thick = rng.integers(1, 5, 2)
            outline = [(0, 0), (0, int(thick[0])), (width, depth), (width, depth - int(thick[1]))]
            if rng.random() < 0.5:
                outline = [(width - x, z) for x, z in reversed(outline)]
        known = [layers[0][min(z + border, shape[0] - 1), min(x + border, shape[1] - 1)] for x, z in outline]
        polygons.append([(x, max(int(y), 0), z) for (x, z), y in zip(outline, known, strict=True)])
    cell_size, cell_height = float(rng.choice([1.0, 0.3])), float(rng.choice([0.5, 0.2]))
    mesh = polygon_mesh(
        polygons, [int(r) for r in rng.choice([0, 1, 1, 1, 1, 1, 2, 3, 9], len(polygons))], width, depth,
        border=border, cell_size=cell_size, cell_height=cell_height, origin=tuple(rng.uniform(-50, 50, 3)),
        max_edge_error=float(rng.choice([0, 1.3, 3])),
    )  # fmt: skip
    distance = np.float32(cell_size) * np.float32(rng.choice([1, 2, 3, 6, 9]))
    return Scene(mesh, compact, spans, distance, np.float32(cell_height) * np.float32(rng.choice([0, 0.1, 0.5, 1, 3])))


def _sparse_region(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    z, x = np.mgrid[0 : shape[0], 0 : shape[1]]
    kind, other = rng.integers(0, 4), rng.choice([0, 2])
    if kind == 0:
        return np.where(abs(x * rng.uniform(0.3, 1.5) - z * rng.uniform(0.3, 1.5)) < rng.integers(2, 9), 1, other)
    if kind == 1:
        return np.where(rng.random(shape) < rng.choice([0.002, 0.02, 0.2]), 1, other)
    if kind == 2:
        return np.where((x - shape[1] / 2) ** 2 + (z - shape[0] / 2) ** 2 < rng.integers(5, 900), 1, other)
    return 1 + ((x // rng.integers(3, 60)) + (z // rng.integers(3, 60))) % 3
