"""A seed off the navmesh is told with its reason, and ends nothing."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Seed, Settings, build_navmesh, prune_navmesh
from navcore.types import Geometry
from tests import scenes

SPAWN = (1.5, 0.0, 1.5)


def with_box(*more: scenes.Mesh) -> scenes.Mesh:
    """A floor of 20 × 20 m, and what stands on it."""
    return scenes.join([scenes.box(0, -1, 0, 20, 1, 20), *more])


def ramp(degrees: float, low: float = 0.0) -> scenes.Mesh:
    """A slope of 12 m along z that begins at x = 8 and is 4 m long on the ground."""
    high = low + 4 * math.tan(math.radians(degrees))
    corners = np.array([[8, low, 4], [8, low, 16], [12, high, 16], [12, high, 4]], np.float32)
    return corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def told(mesh: scenes.Mesh, point: Any, areas: Any = None, with_level: bool = True, **settings: Any) -> list[str]:
    """The warnings of pruning by a seed that stands, and by one at `point`."""
    navmesh = build_navmesh(*mesh, Settings(**settings), areas=areas)
    level = Geometry(*mesh, np.empty(0, np.uint8) if areas is None else areas) if with_level else None
    warnings = prune_navmesh(navmesh, [SPAWN, Seed(point=point, name="Lost")], level).report.warnings
    warnings = [warning for warning in warnings if warning.code != "FACES_DOWN"]  # which the build has said already
    assert {warning.code for warning in warnings} == {"SEED_OFF_NAVMESH"}
    assert [warning.place for warning in warnings] == [point]
    return [warning.message for warning in warnings]


CORRIDOR = [scenes.box(6, 0, z, 8, 3, 0.9) for z in (8.1, 10)]  # a meter between them
RAFTER = scenes.box(6, 1.2, 6, 8, 4, 8)
ROOF = scenes.box(6, 2.8, 6, 8, 0.2, 8)
PEDESTAL = scenes.box(9, 0, 9, 2.0, 3, 2.0)
STOOL = scenes.box(9.5, 0, 9.5, 1.0, 3, 1.0)


@pytest.mark.parametrize(
    ("mesh", "point", "words"),
    [
        (with_box(), (90.0, 0.0, 10.0), ["nothing above or below it", "the nearest navmesh is 70.80 m aside. Move"]),
        (with_box(), (10.0, 7.5, 10.0), ["7.50 m above the ground", "more than 2 m", "Move it to the ground"]),
        (with_box(), (10.0, -7.0, 10.0), ["7.00 m below the ground"]),
        (with_box(ramp(60)), (10.0, 3.4, 10.0), ["is 60.0° steep (Max Slope 45°)"]),
        (with_box(RAFTER), (10.0, 0.0, 10.0), ["the ceiling is 1.20 m above the ground (Agent Height 2 m)"]),
        (with_box(*CORRIDOR), (10.0, 0.0, 9.5), ["a wall or an obstacle is 0.50 m away (Agent Radius 0.6 m)"]),
        (with_box(STOOL), (10.0, 3.0, 10.0), ["the ground ends within", "(Agent Radius 0.6 m)"]),
        (with_box(PEDESTAL), (10.0, 3.0, 10.0), ["nothing is wrong", "Region Min Size (8 × 8 cells)"]),
    ],
    ids=["nothing", "too high", "too low", "steep", "ceiling", "wall", "edge", "small"],
)
def test_the_reason_is_told(mesh: scenes.Mesh, point: Any, words: list[str]) -> None:
    [message] = told(mesh, point)
    assert message.startswith("Seed “Lost” stands on no navmesh: ")
    assert all(word in message for word in words), message


def test_ground_that_looks_down() -> None:
    vertices, triangles = scenes.flat(4)
    flipped = vertices + np.array([30, 0, 0], np.float32), np.ascontiguousarray(triangles[:, ::-1])
    [message] = told(scenes.join([with_box(), flipped]), (32.0, 0.0, 2.0))
    assert "look down. Flip their normals" in message


def test_ground_that_is_marked_not_walkable() -> None:
    mesh = scenes.join([with_box(), scenes.box(30, -1, 0, 8, 1, 8)])
    areas = np.where(mesh[0][mesh[1]][:, :, 0].min(axis=1) >= 30, 0, 63).astype(np.uint8)
    [message] = told(mesh, (34.0, 0.0, 4.0), areas)
    assert "marked as not walkable" in message


def test_a_reason_is_not_the_first_wall_in_sight() -> None:
    """A wall two meters away takes nothing from the seed; a slope that agents walk is no wall either."""
    beside = with_box(scenes.box(13, 0, 4, 1, 3, 12), PEDESTAL)
    assert "wall" not in told(beside, (10.0, 3.0, 10.0))[0]
    hill = {"agent_max_climb": 0.2, "cell_size": 0.1, "agent_radius": 0.3, "region_min_size": 120}
    [message] = told(with_box(ramp(44, low=6)), (10.0, 8.0, 10.0), **hill)
    assert "wall" not in message and "smaller than Region Min Size" in message
    [message] = told(with_box(ramp(44, low=6)), (10.0, 8.0, 10.0), agent_max_climb=0.2)
    assert "rises by 0.29 m within a cell, more than the climb of 0.2 m" in message


def test_without_the_triangles_only_the_distance_is_told() -> None:
    [message] = told(with_box(*CORRIDOR), (10.0, 0.0, 9.5), with_level=False)
    assert "the nearest navmesh is 2.00 m aside. Move it" in message and "wall" not in message
    [message] = told(with_box(), (10.0, 7.5, 10.0), with_level=False)
    assert "the nearest navmesh is 7.30 m lower" in message


@pytest.mark.parametrize("tile_size", [0, 16])
def test_where_no_seed_stands_everything_is_left(tile_size: int) -> None:
    mesh = with_box(PEDESTAL)
    navmesh: NavMesh = build_navmesh(*mesh, Settings(tile_size=tile_size))
    pruned = prune_navmesh(navmesh, [(90, 0, 0), (95, 0, 0)], Geometry(*mesh, np.empty(0, np.uint8)))
    assert all(a is b for a, b in zip(pruned.tiles, navmesh.tiles, strict=True))
    assert pruned.report.counts == {**navmesh.report.counts, "pruned_polygons": 0}
    messages = [warning.message for warning in pruned.report.warnings]
    assert len(messages) == 3 and "nothing was left out" in messages[-1]


def test_many_lost_seeds_are_not_a_wall_of_text() -> None:
    navmesh = build_navmesh(*with_box())
    messages = [
        w.message for w in prune_navmesh(navmesh, [SPAWN, *[(90.0 + k, 0.0, 0.0) for k in range(9)]]).report.warnings
    ]
    assert len(messages) == 6 and messages[-1] == "4 more of the seeds stand on no navmesh. Move them to ground."


def test_a_seed_on_ground_that_was_pruned_before() -> None:
    mesh = with_box(scenes.box(4, 0, 4, 6, 3, 6))
    pruned = prune_navmesh(build_navmesh(*mesh), [SPAWN])
    [warning] = prune_navmesh(pruned, [SPAWN, (7.0, 3.0, 7.0)], Geometry(*mesh, np.empty(0, np.uint8))).report.warnings
    assert "left out before, as unreachable" in warning.message
