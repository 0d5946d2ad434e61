"""Doors in Blender: objects, what a build makes of them, path tests by their states, Live, files."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.blender.halls import add_box, add_hall, flags, gate
from tests.blender.scenes import add_empty, add_instance, add_plane, new_collection

WEST, EAST = (-6.0, 0.0, 0.0), (6.0, 0.0, 0.0)


@pytest.fixture
def hall(bpy: Any) -> Any:
    add_hall(bpy)
    return bpy


@pytest.fixture
def gather(bpy: Any, addon: Any) -> Any:
    """gather()"""

    def run() -> Any:
        bpy.context.view_layer.update()
        sources = addon("stored.setup_properties").Sources(scope="VISIBLE")
        return addon("gather.gather_scene").gather(bpy.context, sources)

    return run


def stored(bpy: Any) -> Any:
    return bpy.context.scene.navmesh


def build(bpy: Any, **values: Any) -> Any:
    assert bpy.ops.navmesh.build(scope="VISIBLE", **values) == {"FINISHED"}
    return bpy.data.objects["Navmesh"]


def built(bpy: Any, addon: Any) -> Any:
    return addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])


def add_test(bpy: Any, name: str = "through") -> Any:
    stored(bpy).test_start, stored(bpy).test_end = WEST, EAST
    assert bpy.ops.navmesh.test_add(name=name) == {"FINISHED"}
    return stored(bpy).tests[-1]


def states(bpy: Any, addon: Any) -> list[str]:
    state_of = addon("interface.panels.tests_panel").state_of
    return [state_of(bpy.context.scene, test).icon for test in stored(bpy).tests]


def path_is_there(bpy: Any) -> bool:
    bpy.ops.navmesh.find_path(start=WEST, end=EAST)
    return bool(json.loads(stored(bpy).path_answer)["status"] == "complete")


# --- what is gathered


def test_a_door_is_a_volume_with_a_name_and_states(hall: Any, gather: Any) -> None:
    [door] = [volume for volume in gather().volumes if "door" in volume]
    assert (door["door"], door["closed"], door["ability"]) == ("Gate", False, 0)
    assert "area" not in door, "its ground keeps its own"
    gate(hall).door_name, gate(hall).door_closed, gate(hall).door_asks = "main", True, "DOORS"
    gate(hall).area = 3
    [door] = [volume for volume in gather().volumes if "door" in volume]
    assert (door["door"], door["closed"], door["ability"], door["area"]) == ("main", True, 4, 3)
    assert gather().used == ["Ground"], "it is no part of the level"


def test_what_cannot_be_is_told(hall: Any, gather: Any) -> None:
    gate(hall).area = -1
    assert [note.code for note in gather().notes] == ["BAD_MARKER"]
    gate(hall).area = 0
    other = add_box(hall, "Wing", (2, 2, -1), (4, 4, 3), "DOOR")
    other.navmesh.door_name = "Gate"
    assert not gather().notes, "both wings of one door"
    other.navmesh.door_closed = True
    [note] = gather().notes
    assert note.code == "BAD_MARKER" and "another state" in note.message


def test_each_instance_is_a_door_of_its_own(bpy: Any, gather: Any) -> None:
    add_plane(bpy)
    kit = new_collection(bpy, "House")
    add_box(bpy, "Gate", (-0.5, -2, -1), (0.5, 2, 3), "DOOR", kit)
    bpy.context.view_layer.layer_collection.children["House"].exclude = True
    for name, x in (("First", -5), ("Second", 5)):
        add_instance(bpy, name, kit, (x, 0, 0))
    assert sorted(volume["door"] for volume in gather().volumes) == ["First/Gate", "Second/Gate"]


# --- what a build makes of it


@pytest.mark.parametrize("tile_size", [0, 32])
def test_a_closed_door_has_no_flags_and_lets_nobody_pass(hall: Any, addon: Any, tile_size: int) -> None:
    build(hall, tile_size=tile_size)
    [row] = built(hall, addon).navmesh.doors
    assert row.name == "Gate" and row.polygons and not row.is_closed
    assert flags(hall) == [1] and path_is_there(hall)
    gate(hall).door_closed = True
    build(hall, tile_size=tile_size)
    assert flags(hall) == [0, 1] and not path_is_there(hall)
    gate(hall).door_closed, gate(hall).door_asks = False, "DOORS"
    build(hall, tile_size=tile_size)
    assert flags(hall) == [1, 4]


def test_its_state_makes_a_navmesh_out_of_date(hall: Any, addon: Any) -> None:
    build(hall)
    why = addon("watch.out_of_date").out_of_date
    object_, setup = hall.data.objects["Navmesh"], stored(hall).setups[0]
    assert not why(object_, setup)
    gate(hall).door_closed = True
    assert why(object_, setup)
    gate(hall).door_closed = False
    assert not why(object_, setup)


def test_files_carry_doors(hall: Any, tmp_path: Any) -> None:
    gate(hall).door_closed = True
    build(hall)
    path = tmp_path / "hall.navmesh.json"
    assert hall.ops.navmesh.export(filepath=str(path), target="json") == {"FINISHED"}
    [door] = json.loads(path.read_text(encoding="utf-8"))["doors"]
    assert door["name"] == "Gate" and door["is_closed"] and door["polygons"]


def test_state_is_undone(hall: Any) -> None:
    hall.ops.ed.undo_push(message="before")
    gate(hall).door_closed = True
    hall.ops.ed.undo_push(message="closed")
    hall.ops.ed.undo()
    assert not gate(hall).door_closed


# --- path tests


def test_path_tests_say_states_of_doors(hall: Any, addon: Any) -> None:
    add_test(hall, "as it is")
    add_test(hall, "shut")
    assert hall.ops.navmesh.test_door(name="Gate", state="CLOSED") == {"FINISHED"}
    stored(hall).tests[1].expect = "UNREACHABLE"
    add_test(hall, "wrong")
    hall.ops.navmesh.test_door(name="Gate", state="CLOSED")
    build(hall)
    assert states(hall, addon) == ["CHECKMARK", "CHECKMARK", "CANCEL"]
    assert flags(hall) == [1], "the navmesh is as the scene says"
    hall.ops.navmesh.test_door(name="Gate", state="OPEN")
    assert states(hall, addon) == ["CHECKMARK"] * 3, "asked at once, without a build"
    gate(hall).door_closed = True
    build(hall)
    assert states(hall, addon) == ["CANCEL", "CHECKMARK", "CHECKMARK"]
    hall.ops.navmesh.test_door(name="Gate", state="AS_IT_IS")
    assert len(stored(hall).tests[2].doors) == 0 and states(hall, addon)[2] == "CANCEL"


def test_a_test_of_a_door_that_is_gone_fails_and_no_build_does(hall: Any, addon: Any) -> None:
    test = add_test(hall)
    hall.ops.navmesh.test_door(name="Gate", state="OPEN")
    hall.data.objects["Gate"].name = "Portal"
    build(hall)
    assert states(hall, addon) == ["CANCEL"]
    state = addon("interface.panels.tests_panel").state_of(hall.context.scene, test)
    assert "no door “Gate”" in state.sentence and "Portal" in state.sentence


def test_a_way_that_must_not_be_there_is_told_when_it_comes(hall: Any) -> None:
    add_test(hall)
    stored(hall).tests[0].expect = "UNREACHABLE"
    gate(hall).door_closed = True
    build(hall)
    gate(hall).door_closed = False
    report = json.loads(build(hall)["navmesh_report"])
    [lost] = [warning["message"] for warning in report["warnings"] if warning["code"] == "PATH_LOST"]
    assert lost.startswith("The path test “through” held before this build. The end can be reached in ")


def test_files_of_path_tests(hall: Any, tmp_path: Any) -> None:
    add_test(hall)
    hall.ops.navmesh.test_door(name="Gate", state="CLOSED")
    stored(hall).tests[0].expect = "UNREACHABLE"
    path = tmp_path / "tests.json"
    assert hall.ops.navmesh.tests_export(filepath=str(path), what="TESTS") == {"FINISHED"}
    [row] = json.loads(path.read_text(encoding="utf-8"))["tests"]
    assert row["doors"] == {"Gate": "closed"} and row["expect"] == "unreachable"
    stored(hall).tests.clear()
    assert hall.ops.navmesh.tests_import(filepath=str(path), what="TESTS") == {"FINISHED"}
    [test] = stored(hall).tests
    assert (test.expect, [(door.name, door.state) for door in test.doors]) == ("UNREACHABLE", [("Gate", "CLOSED")])


def test_the_script_of_the_page(hall: Any, addon: Any) -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/guide/doors.md").read_text(encoding="utf-8")
    _, script = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    hall.data.objects.remove(hall.data.objects["Gate"])
    stored(hall).test_start, stored(hall).test_end = WEST, EAST
    exec(compile(script, "doors.md", "exec"), {"bpy": hall})
    hall.context.object.scale.y = 2.5
    build(hall)
    assert states(hall, addon) == ["CHECKMARK"] and flags(hall) == [0, 1]


def test_the_panel_shows_all_doors(hall: Any, addon: Any) -> None:
    test = add_test(hall)
    hall.ops.navmesh.test_door(name="Old", state="OPEN")
    assert addon("interface.panels.tests_panel")._door_names(hall.context.scene, test) == ["Gate", "Old"]


# --- what is drawn


def test_a_closed_door_is_red_and_crossed(hall: Any, addon: Any) -> None:
    marks, object_ = addon("views.drawn_marks"), hall.data.objects["Gate"]
    assert object_.display_type == "WIRE", "an outline, not a grey solid"
    rows = addon("stored.area_types").area_rows(hall.context.scene)
    hall.context.view_layer.update()
    is_open = marks.look_of(object_, rows)
    lines = len(marks.picture_of(object_, is_open[0], 1.0).lines)
    gate(hall).door_closed = True
    closed = marks.look_of(object_, rows)
    assert is_open != closed and is_open[0][1] > is_open[0][0] and closed[0][0] > closed[0][1]
    assert len(marks.picture_of(object_, closed[0], 1.0).lines) == lines + 12, "two more on each of six sides"
    empty = add_empty(hall, "Small")
    empty.navmesh.use, empty.navmesh.door_closed = "DOOR", True
    assert marks.picture_of(empty, closed[0], 1.0).lines.shape[0] > 0


def test_helpers_show_doors_as_they_were_built(hall: Any, addon: Any) -> None:
    pictures = addon("views.navmesh_pictures")
    build(hall)
    volumes = built(hall, addon).request.gathered.volumes
    colors = {tuple(c) for c in pictures.helper_picture(volumes, None, (), (0.5, 2.0), {}).line_colors.tolist()}
    assert (90, 220, 90, 255) in colors


# --- questions without a build


def status_of_tool(bpy: Any, addon: Any) -> str:
    """What the tool Navmesh Test draws."""
    stored(bpy).test_start, stored(bpy).test_end = WEST, EAST
    return str(addon("ask.current_answer").current(bpy.context.scene).answered.facts["status"])


@pytest.mark.parametrize("closed", [False, True])
def test_questions_take_doors_as_they_are_drawn(hall: Any, addon: Any, closed: bool) -> None:
    gate(hall).door_closed = closed
    before = build(hall)["navmesh_build"]
    words = {False: "complete", True: "partial"}
    for state in (closed, not closed, closed, not closed):
        gate(hall).door_closed = state
        assert path_is_there(hall) != state and status_of_tool(hall, addon) == words[state]
    assert hall.data.objects["Navmesh"]["navmesh_build"] == before, "nothing was built"
    assert flags(hall) == ([0, 1] if closed else [1]), "the navmesh is as it was built"
    build(hall)
    assert path_is_there(hall) == closed and status_of_tool(hall, addon) == words[not closed]


def test_walks_and_checks_take_doors_as_they_are_drawn(hall: Any, addon: Any) -> None:
    add_test(hall)
    build(hall)
    query = addon("ask.asked_navmesh").asked_navmesh(hall.context.scene)
    gate(hall).door_closed = True
    assert states(hall, addon) == ["CHECKMARK"], "nobody has asked again"
    hall.ops.navmesh.check_tests()
    assert states(hall, addon) == ["CANCEL"]
    closed = addon("ask.asked_navmesh").asked_navmesh(hall.context.scene)
    assert [one.find_path((-6, 0, 0), (6, 0, 0)).status.name for one in (query, closed)] == ["COMPLETE", "PARTIAL"], (
        "who walks already goes on with doors as they were"
    )
    assert addon("ask.asked_navmesh").asked_navmesh(hall.context.scene) is closed
    gate(hall).door_closed = False
    assert addon("ask.asked_navmesh").asked_navmesh(hall.context.scene) is query


def test_questions_take_doors_of_instances_and_wings_as_they_are_drawn(bpy: Any, addon: Any) -> None:
    add_hall(bpy)
    bpy.data.objects.remove(bpy.data.objects["Gate"])
    kit = new_collection(bpy, "House")
    for name, low, high in (("Left", -2, 0), ("Right", 0, 2)):
        add_box(bpy, name, (-0.5, low, -1), (0.5, high, 3), "DOOR", kit).navmesh.door_name = "main"
    bpy.context.view_layer.layer_collection.children["House"].exclude = True
    add_instance(bpy, "Here", kit)
    build(bpy)
    assert [row.name for row in built(bpy, addon).navmesh.doors] == ["Here/main"] and path_is_there(bpy)
    left, right = (bpy.data.objects[name].navmesh for name in ("Left", "Right"))
    left.door_closed = right.door_closed = True
    assert not path_is_there(bpy)
    left.door_closed = right.door_closed = False
    assert path_is_there(bpy)
    left.door_closed = right.door_closed = True
    bpy.data.objects["Left"].name = "Other"
    assert not path_is_there(bpy), "the wing that is still known says it"


@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("tile_size", [0, 32])
def test_what_a_link_saves_heeds_doors_as_they_are_drawn(hall: Any, addon: Any, closed: bool, tile_size: int) -> None:
    """As questions do: a link past a door is the only way while that is closed."""
    words = {False: "It saves nothing: walking there is 12.0 m", True: "No other way: 12.0 m by the link"}

    def said() -> str:
        return str(addon("ask.link_saving").saved_by_link(hall.context.scene, WEST, EAST))

    gate(hall).door_closed = closed
    build(hall, tile_size=tile_size)
    for state in (closed, not closed, closed, not closed):
        gate(hall).door_closed = state
        assert said().startswith(words[state])
    build(hall, tile_size=tile_size)
    assert said().startswith(words[not closed])
    gate(hall).door_closed = closed
    assert said().startswith(words[closed])


def test_a_door_that_is_gone_or_none_any_more_stays_as_it_was_built(hall: Any) -> None:
    gate(hall).door_closed = True
    build(hall)
    gate(hall).door_closed = False
    hall.data.objects["Gate"].navmesh.use = "AUTO"
    assert not path_is_there(hall)
    hall.data.objects.remove(hall.data.objects["Gate"])
    assert not path_is_there(hall)


def test_a_door_without_ground_is_no_hindrance(hall: Any) -> None:
    box = add_box(hall, "Aside", (20, 20, -1), (22, 22, 3), "DOOR")
    build(hall)
    box.navmesh.door_closed = True
    assert path_is_there(hall)
