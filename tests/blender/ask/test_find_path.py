"""Questions to the navmesh in Blender: the operator, in the scene's coordinates and units, and its refusals."""

from __future__ import annotations

import json
import math
from itertools import pairwise
from typing import Any

import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m with a wall across, two metres from one side: the way leads around it."""
    add_plane(bpy)
    wall = add_mesh(bpy, "Wall", [(x * 8, y * 0.5, z) for x, y, z in CUBE], CUBE_FACES)
    wall.location = (-2, 0, 1)
    bpy.ops.navmesh.build(scope="VISIBLE")
    return bpy


def ask(bpy: Any, start: Any, end: Any, mode: str = "PATH") -> dict[str, Any]:
    assert bpy.ops.navmesh.find_path(start=start, end=end, mode=mode) == {"FINISHED"}
    answer: dict[str, Any] = json.loads(bpy.context.scene.navmesh.path_answer)
    return answer


def timeless(answer: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in ("microseconds", "sentence")}


def test_a_way_around_a_wall(level: Any) -> None:
    answer = ask(level, (-5, -5, 0), (-5, 5, 0))
    assert answer["status"] == "complete" and answer["links"] == [] and answer["missing"] < 0.2
    points = answer["points"]
    assert math.dist(points[0], (-5, -5, 0)) < 0.3 and math.dist(points[-1], (-5, 5, 0)) < 0.3
    assert max(x for x, _, _ in points) > 6  # around the end of the wall
    length = sum(math.dist(a, b) for a, b in pairwise(points))
    assert abs(length - answer["length"]) < 0.05 and 24 < length < 30
    assert "polygons" in answer["sentence"] and answer["microseconds"] > 0


@pytest.mark.parametrize(
    ("mode", "status"),
    [("SHORTEST", "complete"), ("MIDPOINTS", "complete"), ("STRAIGHT", "partial"), ("RAYCAST", "partial"),
     ("WALL", "complete"), ("CIRCLE", "complete"), ("REACH", "complete")],
)  # fmt: skip
def test_every_kind_of_question(level: Any, addon: Any, mode: str, status: str) -> None:
    answer = ask(level, (-5, -5, 0), (-5, 5, 0), mode)
    assert answer["status"] == status, answer
    answered = addon("ask.in_blender").answer_in_scene(level.context.scene, mode, (-5, -5, 0), (-5, 5, 0))
    assert len(answered.lines) == len(answered.over) and answered.sentence == answer["sentence"]
    lowest = {"SHORTEST": 24.0, "MIDPOINTS": 24.0, "RAYCAST": 3.0, "WALL": 3.0, "CIRCLE": 9.9}
    if mode in lowest:
        assert lowest[mode] <= answer["length"] <= 1.6 * lowest[mode], answer
    assert (len(answered.missing) > 0) == (status == "partial")


def test_the_shortest_is_not_longer(level: Any) -> None:
    usual, shortest = (ask(level, (-5, -5, 0), (-5, 5, 0), mode)["length"] for mode in ("PATH", "SHORTEST"))
    assert shortest <= usual + 1e-4


def test_a_line_lies_on_the_ground(bpy: Any, addon: Any) -> None:
    """Over a hill it is cut into pieces; a straight line would lead through it."""
    heights = [1.5 * math.exp(-((x - 10) ** 2 + (y - 10) ** 2) / 20) for y in range(21) for x in range(21)]
    corners = [(x - 10, y - 10, heights[y * 21 + x]) for y in range(21) for x in range(21)]
    faces = [(y * 21 + x, y * 21 + x + 1, y * 21 + x + 22, y * 21 + x + 21) for y in range(20) for x in range(20)]
    add_mesh(bpy, "Hill", corners, faces)
    bpy.ops.navmesh.build(scope="VISIBLE")
    answered = addon("ask.in_blender").answer_in_scene(bpy.context.scene, "PATH", (-8, 0, 0), (8, 0, 0))
    middle = [y for x, y, z in answered.lines[:, 0].tolist() if abs(x) < 1]
    assert middle and min(middle) > 1.2
    assert 15.5 < answered.facts["length"] < 17.5 and len(answered.facts["points"]) <= 3


def test_units_of_the_scene(bpy: Any) -> None:
    """Lengths are metres, points are the scene's."""
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    bpy.ops.navmesh.build(scope="VISIBLE")
    answer = ask(bpy, (-500, -500, 0), (-500, 500, 0))
    assert abs(answer["length"] - 10) < 0.1
    assert math.dist(answer["points"][0], (-500, -500, 0)) < 30


def test_another_unit_since_the_build_moves_no_question(level: Any, tmp_path: Any) -> None:
    """The navmesh is drawn where it was until it is built again: questions went a hundredth of the way."""
    before = ask(level, (-5, -5, 0), (-5, 5, 0))
    level.context.scene.unit_settings.scale_length = 0.01
    assert timeless(ask(level, (-5, -5, 0), (-5, 5, 0))) == timeless(before)
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    with pytest.raises(RuntimeError, match="its level or its links have changed"):
        level.ops.navmesh.find_path(start=(-5, -5, 0), end=(-5, 5, 0))


def test_what_cannot_be_asked_says_what_to_do(bpy: Any) -> None:
    with pytest.raises(RuntimeError, match="Press Build Navmesh first"):
        bpy.ops.navmesh.find_path(start=(0, 0, 0), end=(1, 0, 0))
    assert json.loads(bpy.context.scene.navmesh.path_answer)["code"] == "NOTHING_TO_ASK"


def reopen(bpy: Any, folder: Any) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(folder / "level.blend"))


def test_a_navmesh_of_another_session_can_be_asked(level: Any, addon: Any, tmp_path: Any) -> None:
    """What can be exported can be asked, and answers the same; twice as well as once."""
    before = ask(level, (-5, -5, 0), (-5, 5, 0))
    reopen(level, tmp_path)
    assert addon("builds.finished_navmeshes").find(level.data.objects["Navmesh"]["navmesh_build"]) is None
    for _ in range(2):
        assert timeless(ask(level, (-5, -5, 0), (-5, 5, 0))) == timeless(before)
    assert addon("builds.finished_navmeshes").find(level.data.objects["Navmesh"]["navmesh_build"]) is not None
    assert level.ops.navmesh.why(location=(0, 0, 0)) == {"FINISHED"}
    assert level.ops.navmesh.test_add() == {"FINISHED"}
    assert level.ops.navmesh.check_tests() == {"FINISHED"}


def test_it_is_built_as_it_was_and_not_as_its_setup_says_now(level: Any, tmp_path: Any) -> None:
    before = ask(level, (-5, -5, 0), (-5, 5, 0))
    level.context.scene.navmesh.setups[0].agent_radius = 3.0
    reopen(level, tmp_path)
    assert timeless(ask(level, (-5, -5, 0), (-5, 5, 0))) == timeless(before)


@pytest.mark.parametrize("when", ["before saving", "after opening"])
def test_a_level_that_changed_meanwhile_has_to_be_built_again(level: Any, tmp_path: Any, when: str) -> None:
    """It would answer for another navmesh than the one that is shown."""
    if when == "before saving":
        level.data.objects["Wall"].location.x += 1
    reopen(level, tmp_path)
    if when == "after opening":
        level.data.objects["Wall"].location.x += 1
        level.context.view_layer.update()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="built in another session, and its level"):
            level.ops.navmesh.find_path(start=(-5, -5, 0), end=(-5, 5, 0))
    assert level.ops.navmesh.rebuild() == {"FINISHED"}
    assert ask(level, (-5, -5, 0), (-5, 5, 0))["status"] == "complete"


def test_far_from_the_navmesh(level: Any) -> None:
    assert ask(level, (500, 0, 0), (0, 0, 0))["status"] == "no_start"
    assert ask(level, (-5, -5, 0), (500, 0, 0), "MIDPOINTS")["status"] == "no_end"
    for mode in ("STRAIGHT", "RAYCAST", "WALL", "CIRCLE", "REACH"):
        assert ask(level, (500, 0, 0), (0, 0, 0), mode)["status"] == "no_start"


def test_what_areas_cost_counts(level: Any) -> None:
    """Water beside the wall's end costs ten times as much: the cost says so."""
    before = ask(level, (-5, -5, 0), (-5, 5, 0))
    assert abs(before["cost"] - before["length"]) < 0.1
    pond = add_mesh(level, "Pond", [(x * 2 + 8, y * 3, z) for x, y, z in CUBE], CUBE_FACES)
    pond.navmesh.use, pond.navmesh.area = "VOLUME", 1
    level.ops.navmesh.rebuild()
    after = ask(level, (-5, -5, 0), (-5, 5, 0))
    assert after["cost"] > 2 * before["cost"]
