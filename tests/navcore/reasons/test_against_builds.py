"""Reasons at random points agree with the stages of full builds, and windows with whole grids."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from navcore import BoxVolume, ConvexVolume, CylinderVolume, Settings, WhyHere
from navcore.builder.ground_window import ground_in_window, window_around
from navcore.builder.recipe import recipe_of
from navcore.scene import as_volumes
from navcore.threads import Workers
from navcore.types import Geometry
from tests import scenes

from .judge import built, judged, on_surface

VOLUMES = [
    BoxVolume(min=(3.1, -1, 3.3), max=(9.7, 9, 8.2), area=0),
    CylinderVolume(base=(14.2, -1, 12.4), radius=2.3, height=9, area=5),
    ConvexVolume(points=((1.2, 14.1), (7.3, 12.2), (6.1, 19.7)), min_height=-1, max_height=9, area=0),
]
LEVELS = {
    "city": scenes.city(2),
    "stairs": scenes.stairs(),
    "soup": scenes.snapped_soup(),
    "hills": scenes.terrain(80, rise=0.2),
    "slabs": scenes.join([scenes.slabs(3), scenes.flat(15.0)]),
    "tower": scenes.tower(4),
}
WAYS: dict[str, tuple[Settings, list[Any]]] = {
    "solo": (Settings(), []),
    "tiled": (Settings(tile_size=24, agent_radius=0.4), []),
    "marked": (Settings(median_filter=True), VOLUMES),
    "tiled, marked": (Settings(tile_size=16, median_filter=True, partition="monotone"), VOLUMES),
    "small": (Settings(agent_radius=0.0, agent_height=1.0, agent_max_climb=0.3, partition="layers"), []),
    "bare": (Settings(filter_ledge_spans=False, filter_low_hanging_obstacles=False, region_min_size=3), []),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEVELS)
def test_reasons_agree_with_the_stages_of_a_build(name: str, way: str) -> None:
    mesh, (settings, volumes) = LEVELS[name], WAYS[way]
    navmesh = built(mesh, settings, volumes=volumes)
    level = WhyHere(*mesh, settings, volumes=volumes)
    judgements, wrong = Counter[str](), []
    for point in on_surface(mesh, 200, seed=11):
        lost = judged(navmesh, point)
        if lost is None:
            continue
        reason = level.ask(point.tolist())
        judgements[reason.code] += 1
        if reason.code not in lost.codes or reason.walkable != (reason.code == "WALKABLE"):
            wrong.append((point.tolist(), reason.code, lost.codes))
    assert not wrong and judgements.total() >= 100, judgements


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEVELS)
def test_windows_are_what_the_whole_grid_has_there(name: str, way: str) -> None:
    mesh, (settings, volumes) = LEVELS[name], WAYS[way]
    navmesh = built(mesh, settings, volumes=volumes)
    recipe, rng = recipe_of(settings), np.random.default_rng(5)
    tiles = [navmesh.stages] if navmesh.tile_grid is None else list(navmesh.stages.values())
    with Workers(1) as workers:
        for stages in [tiles[i] for i in rng.integers(0, len(tiles), 4)]:
            grid, level = stages["grid"], Geometry(*mesh, np.empty(0, np.uint8))
            area = _areas(level, settings, workers)
            for x, z in zip(rng.integers(0, grid.width, 8), rng.integers(0, grid.depth, 8), strict=True):
                window = window_around(grid, int(x), int(z), recipe)
                ours = ground_in_window(grid, level._replace(area=area), recipe, as_volumes(volumes), window, workers)
                inside = (x - window.x0) + (z - window.z0) * (window.x1 - window.x0)
                for stage in set(ours) & set(stages):
                    assert _column(ours[stage], int(inside)) == _column(stages[stage], int(x + z * grid.width)), stage


def _areas(level: Geometry, settings: Settings, workers: Workers) -> Any:
    from navcore.builder.pipeline import mark_ground

    return mark_ground(level, settings, workers).area


def _column(bundle: Any, number: int) -> list[list[int]]:
    spans = slice(bundle.first[number], bundle.first[number + 1])
    names = ("bottom", "top", "area") if hasattr(bundle, "bottom") else ("floor", "clearance", "area")
    return [getattr(bundle, name)[spans].tolist() for name in names]
