"""What is built for a question is built once, and only around the place that is asked about."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import numpy as np
import pytest

from navcore import BoxVolume, LevelSource, Settings, WhyHere
from navcore.reasons import asked_level
from navcore.reasons.asked_level import AskedLevel, boxes_of
from tests import scenes

from .judge import different_windows

PLACE, OTHER, SKY = (12.0, 0.0, 12.0), (20.0, 0.0, 8.0), (12.0, 9.0, 12.0)


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The grid of each piece that is built from now on."""
    grids: list[Any] = []
    build = asked_level.build_piece

    def counted(grid: Any, *rest: Any) -> Any:
        grids.append(grid)
        return build(grid, *rest)

    monkeypatch.setattr(asked_level, "build_piece", counted)
    return grids


def test_the_whole_is_built_with_the_first_place_that_needs_it_and_never_again(built: list[Any]) -> None:
    level = WhyHere(*scenes.flat(30))
    assert level.ask(SKY).code == "NOTHING_HERE" and not built, "what is near tells that"
    assert level.ask(PLACE).walkable and len(built) == 1
    assert level.ask(OTHER).walkable and level.ask(PLACE).walkable and len(built) == 1


def test_what_was_prepared_is_not_built_by_a_question(built: list[Any]) -> None:
    level = WhyHere(*scenes.flat(30))
    level.prepare()
    assert len(built) == 1
    assert level.ask(PLACE).walkable and level.ask(OTHER).walkable and len(built) == 1
    level.prepare()
    assert len(built) == 1


def test_tiles_are_built_as_they_are_asked_about(built: list[Any]) -> None:
    level = WhyHere(*scenes.flat(30), Settings(tile_size=32))
    level.prepare()
    assert not built
    assert level.ask(PLACE).walkable and len(built) == 1


def test_who_asks_while_it_is_prepared_waits_for_that(monkeypatch: pytest.MonkeyPatch, built: list[Any]) -> None:
    level, began, go = WhyHere(*scenes.flat(30)), Event(), Event()
    counted = asked_level.build_piece

    def slow(*given: Any) -> Any:
        began.set()
        go.wait()
        return counted(*given)

    monkeypatch.setattr(asked_level, "build_piece", slow)
    with ThreadPoolExecutor(2) as threads:
        prepared = threads.submit(level.prepare)
        began.wait()
        asked = threads.submit(level.ask, PLACE)
        meanwhile, early = level.ask(SKY), asked.done()
        go.set()
        prepared.result()
        assert asked.result().walkable and len(built) == 1 and not early
    assert meanwhile.code == "NOTHING_HERE", "what needs no polygons is answered meanwhile"


def test_at_the_corner_of_a_tile_only_the_triangles_around_are_looked_at() -> None:
    mesh, settings = scenes.terrain(120), Settings(tile_size=32)
    level = WhyHere(*mesh, settings)._level
    side = 32 * settings.cell_size
    corners = [level.spot(side * i + 0.01, side * j + 0.01) for i in (0, 1, 2) for j in (0, 1, 2)]
    chosen = [len(level.ground(spot)[1]) for spot in corners if spot is not None]
    assert len(chosen) == 9 and max(chosen) < 0.1 * len(mesh[1]), chosen


@pytest.mark.parametrize("settings", [Settings(), Settings(tile_size=24)])
def test_windows_at_the_edge_of_bounds_that_cut_the_level_are_what_the_whole_grid_has_there(settings: Settings) -> None:
    bounds = [3.05, -30, 4.1, 15.17, 30, 17.3]
    assert different_windows(scenes.city(2), settings, bounds=bounds) == []
    assert different_windows(scenes.terrain(80, rise=0.05), settings, bounds=bounds) == []


def test_a_level_without_triangles_near_a_place_is_no_error() -> None:
    vertices, triangles = scenes.flat(8)
    far = scenes.join([(vertices, triangles), (vertices + np.float32([60, 0, 60]), triangles)])
    geometry = WhyHere(*far)._level.geometry
    level = AskedLevel(geometry, boxes_of(geometry), Settings(), (), None, 1)
    spot = level.spot(34, 34)
    assert spot is not None and len(level.ground(spot)[1]) == 0
    assert WhyHere(*far).ask((34, 0, 34)).code == "NOTHING_HERE"


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda level: pickle.loads(pickle.dumps(level))])
def test_a_copy_says_the_same_and_takes_no_builds_along(copied: Callable[[WhyHere], WhyHere], built: list[Any]) -> None:
    """To other processes it goes as the level that it is."""
    finer = BoxVolume(min=(18, 0, 6), max=(22, 0, 10), resolution=0.5)
    source = LevelSource(*scenes.flat(30), volumes=[finer], seeds=[PLACE], sizes=[("rat", 0.2, 0.6), ("ogre", 1.2, 3)])
    level = WhyHere(source, settings=Settings(tile_size=32))
    answers = [level.ask(place) for place in (PLACE, OTHER, SKY)]
    count = len(built)
    other = copied(level)
    assert [other.ask(place) for place in (PLACE, OTHER, SKY)] == answers
    assert len(built) == 2 * count
    assert level.ask_for_each_size(PLACE) == other.ask_for_each_size(PLACE)
