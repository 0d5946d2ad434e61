"""A level that takes a while is gathered in slices while Blender stays usable."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def slow(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    """A level of fifty objects, of which one slice takes one."""
    add_plane(bpy)
    for k in range(49):
        add_cube(bpy, f"Cube {k}", (5 * k, 0, 0))
    operators = addon("interface.build_operators")
    monkeypatch.setattr(operators, "_AT_ONCE", 0.0)
    monkeypatch.setattr(operators, "_SLICE", 0.0)


def built_from(bpy: Any) -> int:
    import json

    return int(json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["triangles"])


@pytest.mark.usefixtures("slow")
def test_a_level_is_gathered_in_slices(bpy: Any, addon: Any, start: Any) -> None:
    active, display = addon("builds.active_build"), addon("interface.progress_display")
    stepped = start()
    assert stepped.answer == {"RUNNING_MODAL"} and active.current().stage == "gathering"
    texts = []
    while active.current().stage == "gathering":
        assert stepped.event("MOUSEMOVE") == {"PASS_THROUGH"}
        now = display.look(active.current())
        texts.append(f"{now.text} {now.unit}")
        assert stepped.event() == {"PASS_THROUGH"} and stepped.timers == 1
    assert len(texts) > 25 and "Gathering 25 of 50 objects" in texts
    assert stepped.run() == {"FINISHED"}, stepped.reports
    assert built_from(bpy) == 590
    assert active.current() is None and stepped.timers == 0


@pytest.mark.usefixtures("slow")
def test_escape_ends_it_while_it_is_gathered(bpy: Any, addon: Any, start: Any) -> None:
    stepped = start()
    for _ in range(10):
        stepped.event()
    assert stepped.event("ESC", "PRESS") == {"CANCELLED"}
    assert stepped.reports == [("WARNING", "The build was cancelled. Nothing was changed.")]
    assert addon("builds.active_build").current() is None and stepped.timers == 0
    assert "Navmesh" not in bpy.data.objects and len(bpy.context.scene.navmesh.setups) == 0


@pytest.mark.usefixtures("slow")
def test_a_second_build_is_refused_while_the_first_is_gathered(
    bpy: Any, addon: Any, start: Any, monkeypatch: Any
) -> None:
    stepped = start()
    hidden: list[Any] = []
    monkeypatch.setattr(addon("interface.progress_display"), "hide", hidden.append)
    assert start().reports == [("ERROR", "A navmesh is being built already. Cancel it first, or wait.")]
    assert hidden == [] and addon("builds.active_build").current() is not None, "the first goes on"
    monkeypatch.undo()
    with pytest.raises(RuntimeError, match="being built already"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    assert bpy.ops.navmesh.cancel() == {"FINISHED"}
    assert stepped.event() == {"CANCELLED"}


@pytest.mark.usefixtures("slow")
@pytest.mark.parametrize("how", ["removed", "added", "mesh", "mark", "undo"])
def test_what_changes_meanwhile_is_in_the_result(bpy: Any, addon: Any, start: Any, how: str) -> None:
    """It begins anew: no level is built that never was."""
    bpy.ops.ed.undo_push(message="Fifty")
    add_plane(bpy, "New", at=(-50, 0, 0))
    bpy.ops.ed.undo_push(message="One more")
    stepped = start()
    for _ in range(30):
        stepped.event()
    if how == "removed":
        bpy.data.objects.remove(bpy.data.objects["Cube 3"])
    elif how == "added":
        add_plane(bpy, "Newer", at=(-90, 0, 0))
    elif how == "mesh":
        bpy.data.objects["Cube 3"].data.clear_geometry()
    elif how == "mark":
        bpy.data.objects["Cube 3"].navmesh.use = "EXCLUDE"
    else:
        bpy.ops.ed.undo()
        stepped.context.scene, stepped.context.view_layer = bpy.context.scene, bpy.context.view_layer
    stepped.event()
    assert addon("builds.active_build").current().counts[0] < 10, "it did not begin anew"
    assert stepped.run() == {"FINISHED"}
    assert built_from(bpy) == {"added": 594, "undo": 590}.get(how, 580)
    setup = bpy.context.scene.navmesh.setups[0]
    assert addon("watch.out_of_date").out_of_date(bpy.data.objects["Navmesh"], setup) == ""


@pytest.mark.usefixtures("slow")
def test_a_scene_that_never_rests_is_gathered_all_the_same(bpy: Any, start: Any) -> None:
    stepped = start()
    for k in range(30):
        bpy.data.objects["Cube 0"].location.y = k
        stepped.event()
    assert stepped.run() == {"FINISHED"}, stepped.reports
    assert built_from(bpy) == 590


@pytest.mark.usefixtures("slow")
def test_another_frame_is_another_level(bpy: Any, addon: Any, start: Any) -> None:
    cube = bpy.data.objects["Cube 0"]
    for frame, height in ((1, 0.0), (20, 30.0)):
        cube.location.z = height
        cube.keyframe_insert("location", frame=frame)
    bpy.context.scene.frame_set(1)
    stepped = start()
    for _ in range(30):
        stepped.event()
    bpy.context.scene.frame_set(20)
    assert stepped.run() == {"FINISHED"}
    built = addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    assert built.request.gathered.vertices[:, 1].max() == 31


@pytest.mark.usefixtures("slow")
def test_another_scene_is_shown_meanwhile(bpy: Any, addon: Any, start: Any) -> None:
    stepped = start()
    stepped.event()
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    stepped.context.scene, stepped.context.view_layer = other, other.view_layers[0]
    assert stepped.event() == {"CANCELLED"}
    assert stepped.reports[-1][0] == "ERROR" and "Another scene is shown now" in stepped.reports[-1][1]
    assert addon("builds.active_build").current() is None and stepped.timers == 0


@pytest.mark.usefixtures("slow")
def test_a_level_with_nothing_to_build_from(bpy: Any, start: Any) -> None:
    for object_ in bpy.data.objects:
        object_.navmesh.use = "EXCLUDE"
    stepped = start()
    assert stepped.answer == {"RUNNING_MODAL"} and stepped.run() == {"CANCELLED"}
    assert stepped.reports[-1][0] == "ERROR" and "left out on the object" in stepped.reports[-1][1]
    assert stepped.timers == 0


def test_setups_that_build_from_the_same_share_what_is_gathered(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    for _ in range(3):
        bpy.ops.navmesh.setup_add()
        bpy.context.scene.navmesh.setups[-1].scope = "VISIBLE"
    bpy.context.scene.navmesh.setups[2].skip_names = "Nothing*"
    scene = addon("gather.gather_scene")
    gathered = []
    monkeypatch.setattr(scene.Gathering, "_begin", _counted(scene.Gathering._begin, gathered))
    assert bpy.ops.navmesh.build(all_setups=True) == {"FINISHED"}
    assert len(gathered) == 2 and len([o for o in bpy.data.objects if "Detail" in o.name]) == 3


def _counted(method: Any, calls: list[Any]) -> Any:
    def call(*arguments: Any) -> Any:
        calls.append(arguments)
        return method(*arguments)

    return call


def test_a_small_level_is_gathered_at_once(bpy: Any, addon: Any, start: Any) -> None:
    add_plane(bpy)
    stepped = start()
    assert addon("builds.active_build").current().stage != "gathering"
    assert stepped.run() == {"FINISHED"}


def test_a_level_that_is_not_whole_is_built_with_a_warning(bpy: Any, start: Any) -> None:
    """In the window, where somebody sees it: the command refuses it."""
    add_plane(bpy)
    for name in ("Wall", "Other"):
        add_cube(bpy, name).modifiers.new("Arch", "BOOLEAN")
    stepped = start()
    assert stepped.run() == {"FINISHED"}
    kind, text = stepped.reports[-1]
    assert kind == "WARNING" and text.startswith("Built Navmesh") and bpy.data.objects["Navmesh"].data.polygons
    assert "But “Wall” modifier Arch has no object" in text and "1 more: see Last Build" in text


def test_the_report_says_how_long_gathering_took(bpy: Any) -> None:
    import json

    add_plane(bpy)
    began = time.perf_counter()
    bpy.ops.navmesh.build(scope="VISIBLE")
    seconds = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["seconds"]
    assert 0 < seconds["gather"] < time.perf_counter() - began
    assert set(seconds) >= {"total", "stages"}
