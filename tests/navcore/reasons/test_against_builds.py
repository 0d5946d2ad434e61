"""Reasons at random points agree with the stages of full builds, and windows with whole grids."""

from __future__ import annotations

from typing import Any

import pytest

from navcore import BoxVolume, ConvexVolume, CylinderVolume, Settings, WhyHere
from tests import scenes

from .judge import built, compared, different_windows, judged, on_surface

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
    judgements, wrong = compared(mesh, settings, volumes=volumes)
    assert not wrong and judgements.total() >= 100, judgements


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", LEVELS)
def test_windows_are_what_the_whole_grid_has_there(name: str, way: str) -> None:
    mesh, (settings, volumes) = LEVELS[name], WAYS[way]
    assert different_windows(mesh, settings, volumes=volumes) == []


def test_the_judge_sees_another_reason() -> None:
    """Levels that differ by a wall do not agree."""
    mesh = LEVELS["stairs"]
    other = scenes.join([mesh, scenes.box(4, -1, 0, 1, 9, 20)])
    navmesh, level = built(other, Settings()), WhyHere(*mesh, Settings())
    judgements = [(judged(navmesh, point), point) for point in on_surface(mesh, 60, seed=2)]
    assert any(lost and level.ask(point.tolist()).code not in lost.codes for lost, point in judgements)
