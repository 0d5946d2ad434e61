"""Every stage called by itself on flat ground, without those before it: so the kernels of a usual build are compiled.

What a stage works on is made here by NumPy. compile_ahead/usual_kernels.py calls these, in pieces that several
processes share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.grid import bounds_of
from ..settings import Settings
from ..stages.areas import erode_walkable_area
from ..stages.compact import build_compact_heightfield
from ..stages.contours import JoinedBefore, build_contours, with_holes_joined
from ..stages.detail import build_detail_mesh
from ..stages.distance import build_distance_field
from ..stages.filters import filter_ledge_spans, filter_low_hanging_obstacles, filter_walkable_low_height_spans
from ..stages.polygons import PolygonMemory, build_polygon_mesh
from ..stages.rasterize import rasterize_triangles
from ..stages.regions import build_regions, count_removed, overlapping_regions
from ..stages.walkable import classify_triangles
from ..threads import Workers
from ..types import (
    F32,
    I32,
    NO_INDEX,
    WALKABLE,
    CompactHeightfield,
    Contours,
    DetailMesh,
    DistanceField,
    Grid,
    Heightfield,
    PolygonMesh,
    Regions,
)
from .build_limits import forecast
from .checked_input import CheckedLevel, checked_geometry
from .odd_input import InputLook
from .recipe import recipe_of
from .validate import PolygonSources, inspect, inspect_detail

_CELLS = 210  # along a side: so many that threads share what they share in a level of an artist's first steps
_MANY = 40  # squares along a side
_SETTINGS = Settings()
_RECIPE = recipe_of(_SETTINGS)
_VOXELS = _RECIPE.voxels


class FlatGround(NamedTuple):
    """FlatGround ground, at every stage of a build."""

    grid: Grid
    vertices: F32
    triangles: I32
    solid: Heightfield
    compact: CompactHeightfield
    distance: DistanceField
    regions: Regions
    contours: Contours
    mesh: PolygonMesh
    detail: DetailMesh


def flat_ground(cells: int = _CELLS) -> FlatGround:
    """All of it from a handful of numbers."""
    size, count = np.float32(cells) * _VOXELS.cell_size, cells * cells
    low, high = np.zeros(3, np.float32), np.array([size, 1, size], np.float32)
    grid = Grid(cells, cells, 0, low, high, _VOXELS.cell_size, _VOXELS.cell_height)
    first, number = np.arange(count + 1, dtype=np.int32), np.arange(count, dtype=np.int32)
    area, height = np.full(count, WALKABLE, np.uint8), np.ones(count, np.uint16)
    x, z = number % cells, number // cells
    edge = (2 * np.minimum(np.minimum(x, cells - 1 - x), np.minimum(z, cells - 1 - z))).astype(np.uint16)
    neighbors = np.stack(
        [
            np.where(x > 0, number - 1, -1), np.where(z < cells - 1, number + cells, -1),
            np.where(x < cells - 1, number + 1, -1), np.where(z > 0, number - cells, -1),
        ],
        axis=1,
    ).astype(np.int32)  # fmt: skip
    clearance = np.full(count, 255, np.uint8)
    ring = np.array([[0, 1, 0, 0], [0, 1, cells, 0], [cells, 1, cells, 0], [cells, 1, 0, 0]], np.int32)
    ends, one, none = np.array([0, 4], np.int32), np.ones(1, np.uint16), NO_INDEX
    polygon = np.array([[0, 1, 2, 3, none, none]], np.uint16)
    vertices, no_neighbors = ring[:, :3].astype(np.uint16), np.full_like(polygon, none)
    mesh = PolygonMesh(vertices, polygon, no_neighbors, one, area[:1], 2, _VOXELS.edge_max_error_vx, grid)
    places = (ring[:, :3] * (_VOXELS.cell_size, _VOXELS.cell_height, _VOXELS.cell_size)).astype(np.float32)
    return FlatGround(
        grid,
        places,
        np.array([[0, 1, 2], [0, 2, 3]], np.int32),
        Heightfield(cells, cells, first, np.zeros(count, np.uint16), height, area),
        CompactHeightfield(cells, cells, first, height, clearance, neighbors, area),
        DistanceField(edge, int(edge.max())),
        Regions(height, 1),
        Contours(ends, ring, ends, ring, one, area[:1]),
        mesh,
        DetailMesh(np.array([[0, 4, 0, 2]], np.uint32), places, np.array([[0, 1, 2, 5], [0, 2, 3, 20]], np.uint8)),
    )


def check_input(flat: FlatGround, workers: Workers) -> None:
    """Stage 1, and what comes before it."""
    geometry = checked_geometry(flat.vertices, flat.triangles, None)
    bounds_of(geometry.vertices)
    forecast(flat.grid, classify_triangles(geometry, _SETTINGS.agent_max_slope, workers))


def look_at_input(flat: FlatGround, _: Workers) -> None:
    """What is odd about what comes in: half of the ground, below another floor, is turned over."""
    points, triangles = flat.vertices, flat.triangles
    half = np.concatenate([triangles[:1], triangles[1:, [0, 2, 1]]])
    raised = points + np.array([0, 3, 0], np.float32)
    sheets = np.concatenate([half, triangles[1:] + len(points)]).astype(np.int32)
    level = CheckedLevel(checked_geometry(np.concatenate([points, raised]), sheets, None))
    assert InputLook(level, _SETTINGS).warnings


def rasterize(flat: FlatGround, workers: Workers) -> None:
    """Stage 2."""
    area = np.full(len(flat.triangles), WALKABLE, np.uint8)
    rasterize_triangles(flat.grid, flat.vertices, flat.triangles, area, _VOXELS.climb_vx, workers)


def open_ground(flat: FlatGround, workers: Workers) -> None:
    """Stages 3 to 5."""
    solid = filter_low_hanging_obstacles(flat.solid, _VOXELS.climb_vx, workers)
    solid = filter_ledge_spans(solid, _VOXELS.height_vx, _VOXELS.climb_vx, workers)
    solid = filter_walkable_low_height_spans(solid, _VOXELS.height_vx, workers)
    compact = build_compact_heightfield(solid, _VOXELS.height_vx, _VOXELS.climb_vx, workers)
    erode_walkable_area(compact, _VOXELS.radius_vx, workers)


def measure_distance(flat: FlatGround, workers: Workers) -> None:
    """Stage 6."""
    build_distance_field(flat.compact, workers)


def divide(flat: FlatGround, workers: Workers) -> None:
    """Stage 7."""
    areas_vx = _RECIPE.polygons.region_areas_vx
    regions = build_regions(flat.compact, flat.distance, _SETTINGS.partition, 0, *areas_vx, workers)
    overlapping_regions(flat.compact, regions)
    count_removed(flat.compact, regions.region, workers.progress.cancelled)


def outline(flat: FlatGround, workers: Workers) -> None:
    """Stage 8."""
    splitting, error = _RECIPE.polygons.splitting, _VOXELS.edge_max_error_vx
    build_contours(flat.grid, flat.compact, flat.regions, error, splitting, workers)


def make_polygons(flat: FlatGround, workers: Workers) -> None:
    """Stage 9."""
    sides, error = _RECIPE.polygons.corners_per_polygon, _VOXELS.edge_max_error_vx
    build_polygon_mesh(flat.grid, flat.contours, sides, error, workers)


def make_many_polygons(flat: FlatGround, workers: Workers) -> None:
    """The same of so many outlines that threads share them."""
    square = np.array([[0, 1, 0, 0], [0, 1, 4, 0], [4, 1, 4, 0], [4, 1, 0, 0]], np.int32)
    places = np.zeros((_MANY * _MANY, 1, 4), np.int32)
    places[:, 0, [0, 2]] = 5 * np.indices((_MANY, _MANY)).reshape(2, -1).T
    points = (places + square).reshape(-1, 4)
    ends = np.arange(0, len(points) + 1, 4, dtype=np.int32)
    region = np.arange(1, _MANY * _MANY + 1, dtype=np.uint16)
    contours = Contours(ends, points, ends, points, region, np.full(len(region), WALKABLE, np.uint8))
    make_polygons(flat._replace(contours=contours), workers)


def outline_again(grid: Grid, workers: Workers) -> None:
    """Stages 8 and 9 as mending goes through them a second time, of a square with a hole in it."""
    square = np.array([[0, 1, 0, 0], [0, 1, 6, 0], [6, 1, 6, 0], [6, 1, 0, 0]], np.int32)
    hole = np.array([[2, 1, 2, 0], [4, 1, 2, 0], [4, 1, 4, 0], [2, 1, 4, 0]], np.int32)
    ends, points, memory = np.array([0, 4, 8], np.int32), np.concatenate([square, hole]), PolygonMemory()
    holed = Contours(ends, points, ends, points, np.ones(2, np.uint16), np.full(2, WALKABLE, np.uint8))
    for _ in range(2):
        joined = with_holes_joined(grid, holed, workers, None, JoinedBefore(holed, holed))
        build_polygon_mesh(grid, joined, _RECIPE.polygons.corners_per_polygon, np.float32(1), workers, memory=memory)


def check_meshes(flat: FlatGround, _: Workers) -> None:
    """What must hold of polygons and detail."""
    sources = PolygonSources(flat.compact, flat.regions, flat.contours)
    inspect(flat.mesh, None, sources, _VOXELS.climb_vx)
    inspect_detail(flat.mesh, flat.detail, _VOXELS.climb_vx)


def make_detail(flat: FlatGround, workers: Workers) -> None:
    """Stage 10."""
    sampling = _VOXELS.detail_sample_distance, _VOXELS.detail_sample_max_error
    build_detail_mesh(flat.mesh, flat.compact, flat.regions, *sampling, workers)
