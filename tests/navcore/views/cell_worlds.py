"""Pieces of a few cells, from lists of spans and through the real stages, and pictures taken apart again."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from navcore.settings import Settings
from navcore.stages.areas import erode_walkable_area
from navcore.stages.compact import build_compact_heightfield
from navcore.stages.distance import build_distance_field
from navcore.stages.filters import (
    filter_ledge_spans,
    filter_low_hanging_obstacles,
    filter_walkable_low_height_spans,
)
from navcore.stages.regions import build_regions
from navcore.threads import Workers
from navcore.types import Grid, Heightfield
from navcore.views.cell_frame import CellFrame, Cells
from navcore.views.picture import ViewedPiece
from tests.navcore.stages.solid_worlds import Span, solid

SETTINGS = Settings(
    cell_size=1.0, cell_height=0.5, agent_height=2.0, agent_max_climb=1.0, agent_radius=0.0, region_min_size=0,
    partition="monotone",  # which has regions of any size; those of the watershed are three cells wide
)  # fmt: skip
NO_TRIANGLES = np.zeros((0, 3, 3), np.float32)
Color = tuple[int, ...]
Flat = dict[tuple[int, int, int], Color]  # color by column x, column z, height
Sides = dict[tuple[str, int, int, int], Color]  # by what it looks along, the plane it lies in, place along it, layer


def piece_of(
    width: int, columns: list[list[Span]], settings: Settings = SETTINGS, triangles: Any = NO_TRIANGLES, **stages: Any
) -> ViewedPiece:
    """The piece that is made of these spans; `stages` are put in place of what the stages made."""
    return piece_from(solid(width, columns), settings, triangles, **stages)


def piece_from(
    matter: Heightfield, settings: Settings = SETTINGS, triangles: Any = NO_TRIANGLES, **other: Any
) -> ViewedPiece:
    voxels, stages = settings.in_voxels(), {}
    high = np.array([matter.width * voxels.cell_size, 20, matter.depth * voxels.cell_size], np.float32)
    stages["grid"] = Grid(
        matter.width, matter.depth, 0, np.zeros(3, np.float32), high, voxels.cell_size, voxels.cell_height
    )
    with Workers(1) as workers:
        stages["rasterized"] = matter
        stages["low_hanging"] = filter_low_hanging_obstacles(matter, voxels.climb_vx, workers)
        stages["ledges"] = filter_ledge_spans(stages["low_hanging"], voxels.height_vx, voxels.climb_vx, workers)
        stages["low_height"] = filter_walkable_low_height_spans(stages["ledges"], voxels.height_vx, workers)
        stages["compact"] = build_compact_heightfield(stages["low_height"], voxels.height_vx, voxels.climb_vx, workers)
        stages["eroded"] = erode_walkable_area(stages["compact"], voxels.radius_vx, workers)
        stages["distance"] = build_distance_field(stages["eroded"], workers)
        sizes = voxels.region_min_area_vx, voxels.region_merge_area_vx
        stages["regions"] = build_regions(stages["eroded"], stages["distance"], settings.partition, 0, *sizes, workers)
    navmesh = SimpleNamespace(settings=settings, tile_grid=None, stages=stages)
    return ViewedPiece(cast(Any, navmesh), {**stages, **other}, np.asarray(triangles, np.float32), None)


def floor(width: int, depth: int, top: int = 1) -> list[list[Span]]:
    return [[(top - 1, top, 63)] for _ in range(width * depth)]


def unit_frame(cells: Cells) -> CellFrame:
    """One metre for a cell and for a voxel, from the origin on."""
    return CellFrame(np.zeros(3), 1.0, 1.0, cells.width, cells.depth, cells.margin, -1, 1 << 17)


def taken_apart(corners: Any, colors: Any, frame: CellFrame) -> tuple[Flat, Sides]:
    """Every face as faces of one cell, in cells and voxels; none may be there twice."""
    flat: Flat = {}
    sides: Sides = {}
    scale = np.array([frame.cell_size, frame.cell_height, frame.cell_size])
    places = (np.asarray(corners, np.float64) - frame.origin) / scale
    assert np.allclose(places, np.round(places), atol=1e-3)
    for face, color in zip(np.round(places).astype(int), np.asarray(colors).tolist(), strict=True):
        low, high = face.min(axis=0).tolist(), face.max(axis=0).tolist()
        if low[1] == high[1]:
            cells = [(x, z, low[1]) for x in range(low[0], high[0]) for z in range(low[2], high[2])]
            assert not set(cells) & set(flat)
            flat.update(dict.fromkeys(cells, tuple(color)))
            continue
        along, plane, place = ("x", 0, 2) if low[0] == high[0] else ("z", 2, 0)
        assert low[plane] == high[plane] and len({tuple(corner) for corner in face.tolist()}) == 4
        parts = [(along, low[plane], at, y) for at in range(low[place], high[place]) for y in range(low[1], high[1])]
        assert not set(parts) & set(sides)
        sides.update(dict.fromkeys(parts, tuple(color)))
    return flat, sides
