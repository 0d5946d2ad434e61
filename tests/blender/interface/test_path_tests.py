"""The list of path tests in the tab Test: its operators, what each row says, and its files."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane

HERE, THERE, SIDE = (-5.0, -5.0, 0.0), (-5.0, 5.0, 0.0), (5.0, -5.0, 0.0)


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor of 20 m with a wall across that ends two metres before one side."""
    add_plane(bpy)
    wall = add_mesh(bpy, "Wall", [(x * 8, y * 0.5, z) for x, y, z in CUBE], CUBE_FACES)
    wall.location = (-2, 0, 1)
    return bpy


def stored(bpy: Any) -> Any:
    return bpy.context.scene.navmesh


def add(bpy: Any, start: Any, end: Any, name: str = "") -> Any:
    stored(bpy).test_start, stored(bpy).test_end = start, end
    assert bpy.ops.navmesh.test_add(name=name) == {"FINISHED"}
    return stored(bpy).tests[-1]


def build(bpy: Any) -> None:
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}


def states(bpy: Any, addon: Any) -> list[str]:
    state_of = addon("interface.panels.tests_panel").state_of
    return [state_of(bpy.context.scene, test).icon for test in stored(bpy).tests]


def test_rows_are_added_moved_and_removed(level: Any) -> None:
    assert not level.ops.navmesh.test_remove.poll() and not level.ops.navmesh.test_move.poll()
    with pytest.raises(RuntimeError, match="Click to set the start"):
        level.ops.navmesh.test_add()
    add(level, HERE, THERE)
    add(level, HERE, SIDE)
    add(level, HERE, SIDE, "to the side")
    assert [test.name for test in stored(level).tests] == ["Path", "Path 2", "to the side"]
    assert stored(level).active_test == 2
    assert level.ops.navmesh.test_move(direction="UP") == {"FINISHED"}
    assert [test.name for test in stored(level).tests] == ["Path", "to the side", "Path 2"]
    assert stored(level).active_test == 1
    stored(level).active_test = 0
    assert level.ops.navmesh.test_move(direction="UP") == {"CANCELLED"}
    assert level.ops.navmesh.test_move(direction="DOWN") == {"FINISHED"}
    assert level.ops.navmesh.test_remove() == {"FINISHED"}
    assert [test.name for test in stored(level).tests] == ["to the side", "Path 2"] and stored(level).active_test == 1


def test_the_chosen_one_is_what_the_tool_asks(level: Any, draw: Any) -> None:
    add(level, HERE, THERE, "a")
    add(level, HERE, SIDE, "b")
    stored(level).active_test = 0
    assert tuple(stored(level).test_end) == THERE
    assert "navmesh.test_set_ends" not in draw().operator_names()
    stored(level).test_end = (5, 5, 0)
    assert "navmesh.test_set_ends" in draw().operator_names(), "the tool shows another path"
    assert level.ops.navmesh.test_set_ends() == {"FINISHED"}
    assert tuple(stored(level).tests[0].end) == (5, 5, 0) and tuple(stored(level).tests[1].end) == SIDE


def test_icons_say_what_became_of_each(level: Any, addon: Any) -> None:
    add(level, HERE, THERE, "around")
    assert states(level, addon) == ["RADIOBUT_OFF"], "there is no navmesh"
    build(level)
    add(level, HERE, (-5, 5, 40), "sky")
    assert states(level, addon) == ["CHECKMARK", "CANCEL"], "a new one is asked for at once"
    level.data.objects["Wall"].scale.x = 1.5
    build(level)
    assert states(level, addon) == ["CANCEL", "CANCEL"]
    stored(level).tests[0].end = (-5, 4, 0)
    assert states(level, addon) == ["RADIOBUT_OFF", "CANCEL"], "another question"
    stored(level).tests[0].name = "renamed"
    stored(level).tests[0].end = THERE
    assert states(level, addon) == ["CANCEL", "CANCEL"]


def test_the_panel_says_why_and_what_would_do(level: Any, draw: Any) -> None:
    add(level, HERE, THERE, "around")
    level.data.objects["Wall"].scale.x = 1.5
    build(level)
    drawn = draw()
    text = drawn.text.replace("\n", " ")
    assert "“around”: The end cannot be reached, " in text and "m are missing. What would do: a link of" in text
    (link,) = (properties for name, properties in drawn.operators if name == "navmesh.add_link")
    level.ops.navmesh.add_link(start=link.start, end=link.end, radius=link.radius)
    build(level)
    assert "“around”: Passed: " in draw().text.replace("\n", " ")


def test_what_is_out_of_date_and_other_setups_are_said(level: Any, draw: Any) -> None:
    add(level, HERE, THERE, "around")
    build(level)
    level.ops.navmesh.setup_add(name="Giant")
    stored(level).setups[1].agent_radius, stored(level).setups[1].scope = 2.2, "VISIBLE"
    level.ops.navmesh.build(setup="Giant")
    stored(level).active = 0
    text = draw().text.replace("\n", " ")
    assert "“around”: Passed: " in text and "1 fails for “Giant”." in text
    level.data.objects["Wall"].location.x = -3
    level.context.view_layer.update()
    assert "Build again to test what is there now." in draw().text.replace("\n", " ")


def test_another_file_and_an_older_build(level: Any, addon: Any, tmp_path: Any) -> None:
    """A file opened tomorrow tests the same, and knows what passed."""
    add(level, HERE, THERE, "around")
    build(level)
    level.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert states(level, addon) == ["CHECKMARK"]
    assert level.ops.navmesh.check_tests() == {"FINISHED"}
    assert states(level, addon) == ["CHECKMARK"]
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    level.data.objects["Wall"].scale.x = 1.5
    with pytest.raises(RuntimeError, match="was built in another session, and its level"):
        level.ops.navmesh.check_tests()
    level.ops.navmesh.rebuild()
    report = json.loads(level.data.objects["Navmesh"]["navmesh_report"])
    assert "PATH_LOST" in [warning["code"] for warning in report["warnings"]]
    level.data.objects.remove(level.data.objects["Navmesh"])
    assert states(level, addon) == ["RADIOBUT_OFF"], "it is gone"


def test_undo_brings_back_list_and_results(level: Any, addon: Any) -> None:
    add(level, HERE, THERE, "around")
    build(level)
    level.ops.ed.undo_push(message="Built")
    level.ops.navmesh.test_remove()
    level.data.objects["Wall"].scale.x = 1.5
    level.ops.ed.undo_push(message="Removed")
    build(level)
    level.ops.ed.undo_push(message="Built again")
    level.ops.ed.undo()
    level.ops.ed.undo()
    assert states(level, addon) == ["CHECKMARK"]


def test_check_now_asks_without_a_build(level: Any, addon: Any) -> None:
    with pytest.raises(RuntimeError, match="Press Build Navmesh first"):
        level.ops.navmesh.check_tests()
    build(level)
    assert level.ops.navmesh.check_tests() == {"FINISHED"}
    row = stored(level).tests.add()
    row.start, row.end = HERE, THERE
    assert states(level, addon) == ["RADIOBUT_OFF"]
    assert level.ops.navmesh.check_tests() == {"FINISHED"}
    assert states(level, addon) == ["CHECKMARK"]


def test_files_are_those_of_the_command(level: Any, addon: Any, tmp_path: Any) -> None:
    path = str(tmp_path / "tests.json")
    with pytest.raises(RuntimeError, match="no path test to write"):
        level.ops.navmesh.tests_export(filepath=path)
    level.context.scene.unit_settings.scale_length = 0.5
    add(level, HERE, (-5.5, 5, 1), "around")
    assert level.ops.navmesh.tests_export(filepath=path) == {"FINISHED"}
    rows = json.loads((tmp_path / "tests.json").read_text())
    assert rows == {"tests": [{"name": "around", "from": [-2.5, 0, 2.5], "to": [-2.75, 0.5, -2.5]}]}
    assert addon("commands.intent_files", "navcore").read_path_tests(tmp_path / "tests.json")
    assert level.ops.navmesh.tests_import(filepath=path) == {"FINISHED"}
    first, second = ((test.name, test.start[:], test.end[:]) for test in stored(level).tests)
    assert first == second and stored(level).active_test == 1
    (tmp_path / "tests.json").write_text('{"tests": [{"from": 3}]}')
    with pytest.raises(RuntimeError, match="test 1 must be"):
        level.ops.navmesh.tests_import(filepath=path)
    with pytest.raises(RuntimeError, match="could not read"):
        level.ops.navmesh.tests_import(filepath=str(tmp_path / "none.json"))
    for nothing, says in (("", "There is no name. Name a file."), (f"{tmp_path}/", "is a folder. Name a file.")):
        with pytest.raises(RuntimeError, match=says):
            level.ops.navmesh.tests_import(filepath=nothing)
        with pytest.raises(RuntimeError, match=says):
            level.ops.navmesh.import_file(filepath=nothing)


def test_places_are_listed_where_they_fail(level: Any, draw: Any, tmp_path: Any) -> None:
    assert "Not tested yet" in draw().text
    level.context.scene.cursor.location = (0, 5, 0)
    assert level.ops.navmesh.place_add(name="Banner") == {"FINISHED"}
    level.context.scene.cursor.location = (-2, 0, 0.2)
    assert level.ops.navmesh.place_add() == {"FINISHED"}
    assert [place.name for place in level.data.collections["Places"].objects] == ["Banner", "Place"]
    build(level)
    drawn = draw()
    text = drawn.text.replace("\n", " ")
    assert "1 of 2 places is not walkable." in text and "Banner" not in text
    (look,) = (properties for name, properties in drawn.operators if name == "navmesh.look_at")
    assert look.location == pytest.approx((-2, 0, 0.2))
    path = str(tmp_path / "places.json")
    level.ops.navmesh.tests_export(filepath=path, what="PLACES")
    content = json.loads((tmp_path / "places.json").read_text())
    assert content["points"][0] == {"name": "Banner", "point": [0, 0, -5]}
    level.data.objects.remove(level.data.objects["Place"])
    assert "It is gone since." in draw().text.replace("\n", " ")
    assert level.ops.navmesh.tests_import(filepath=path, what="PLACES") == {"FINISHED"}
    assert len(level.data.collections["Places"].objects) == 3
    build(level)
    level.data.collections.remove(level.data.collections["Places"])
    assert stored(level).must_reach is None and "1 of 3 places" in draw().text
    build(level)
    assert "Not tested yet" in draw().text


def test_what_is_in_no_scene_is_not_asked_for(level: Any, draw: Any) -> None:
    level.ops.navmesh.place_add(name="Banner")
    home = level.data.collections["Places"]
    level.context.scene.collection.children.unlink(home)
    build(level)
    drawn = draw().text.replace("\n", " ")
    assert "“Places” is not in this scene" in drawn and "Not tested yet" in drawn


def test_recheck_is_for_whoever_builds_tiles(level: Any, addon: Any) -> None:
    """It takes a navmesh that is newer than the build, and says what was there before."""
    add(level, HERE, THERE, "around")
    build(level)
    setup, scene = stored(level).setups[0], level.context.scene
    kept, make = addon("objects.kept_outcome"), addon("builds.make_requests")
    level.data.objects["Wall"].scale.x = 1.5
    (request,) = make.make_requests(level.context, make.Overrides(sources=make.without_selection))
    means = addon("builds.threads_and_kernel_folder").usual_means()
    (newer,) = addon("builds.run_builds").build_all([request._replace(wanted=None)], means)
    assert newer.checked.rows == []
    query = addon("questions.nav_query", "navcore").NavQuery(newer.navmesh)
    checked = kept.recheck(level.context, scene, setup, newer.navmesh, query)
    assert [warning.code for warning in checked.warnings] == ["PATH_LOST"] and states(level, addon) == ["CANCEL"]
    assert "What would do" not in checked.rows[0]["why"], "it is cheap"
    assert kept.recheck(level.context, scene, setup, newer.navmesh).warnings == (), "said once"
    assert kept.recheck(level.context, scene, setup).rows[0]["ok"], "of the build that is in memory"


def test_a_way_that_must_not_be_there_is_not_said_to_be(level: Any, addon: Any) -> None:
    kept, scene = addon("objects.kept_outcome"), level.context.scene
    build(level)
    test = add(level, HERE, THERE, "around")
    checked = kept.recheck(level.context, scene, stored(level).setups[0])
    assert kept.none_fails(checked) == "1 of 1 paths and places is there."
    test.expect = "UNREACHABLE"
    checked = kept.recheck(level.context, scene, stored(level).setups[0])
    assert kept.failures_in_words([checked]).startswith(" But 1 of 1 paths and places is not as wanted: “around”")
    test.end = (0.0, 0.0, 30.0)
    bridge = add_plane(level, "Roof", 4.0, (0, 0, 30))
    bridge.name = "Roof"
    build(level)
    checked = kept.recheck(level.context, scene, stored(level).setups[0])
    assert kept.none_fails(checked) == "1 of 1 paths and places is as wanted."
