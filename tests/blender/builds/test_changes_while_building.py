"""The level, the navmesh, the scene or the whole file change while a build runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.blender.builds.stepped_operator import FINE, add_city, threads
from tests.blender.conftest import MODULE
from tests.blender.scenes import add_plane


def test_sources_are_deleted_and_renamed_meanwhile(bpy: Any, start: Any) -> None:
    ground = add_plane(bpy)
    stepped = start()
    ground.name = "Something Else"
    bpy.data.objects.remove(ground)
    bpy.data.meshes.remove(bpy.data.meshes["Ground"])
    assert stepped.run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons


@pytest.mark.parametrize("how", ["object moved", "mesh edited", "area set", "object added", "other object moved"])
def test_the_level_changes_meanwhile(bpy: Any, addon: Any, start: Any, how: str) -> None:
    """The result is that of the level as it was, and the panel says so."""
    ground, other = add_plane(bpy), add_plane(bpy, "Other", at=(0, 0, 50))
    other.navmesh.use = "EXCLUDE"
    stepped = start()
    if how == "object moved":
        ground.location.x = 1
    elif how == "mesh edited":
        ground.data.vertices[0].co.x -= 1
        ground.data.update()
    elif how == "area set":
        ground.navmesh.area = 2
    elif how == "object added":
        add_plane(bpy, "New", at=(30, 0, 0))
    else:
        other.location.x = 3
    bpy.context.view_layer.update()
    assert stepped.run() == {"FINISHED"}
    setup = bpy.context.scene.navmesh.setups[0]
    why = addon("interface.panels.build_panel").out_of_date(bpy.data.objects["Navmesh"], setup)
    assert why == ("" if how == "other object moved" else "Out of date: the level changed")


def test_undo_meanwhile(bpy: Any, addon: Any, start: Any) -> None:
    """Three steps back: references into the old scene are dead, and nothing of ours holds one."""
    add_plane(bpy)
    for message in ("Ground", "First", "Second", "Third"):
        bpy.ops.ed.undo_push(message=message)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(message, None))
    bpy.ops.ed.undo_push(message="Last")
    stepped = start()
    for _ in range(3):
        assert bpy.ops.ed.undo() == {"FINISHED"}
    assert "Third" not in bpy.data.objects and addon("builds.active_build").current() is not None
    stepped.context.scene, stepped.context.view_layer = bpy.context.scene, bpy.context.view_layer
    assert stepped.run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons and stepped.timers == 0
    assert [kind for kind, _ in stepped.reports] == ["INFO"], "one message"


@pytest.mark.parametrize("how", ["delete", "rename", "unlink", "delete collection", "other type"])
def test_targets_change_meanwhile(bpy: Any, start: Any, how: str) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    object_ = bpy.data.objects["Navmesh"]
    stepped = start()
    if how == "delete":
        bpy.data.objects.remove(object_)
    elif how == "rename":
        object_.name = "Renamed"
    elif how == "unlink":
        bpy.data.collections["Navmesh"].objects.unlink(object_)
    elif how == "delete collection":
        bpy.data.collections.remove(bpy.data.collections["Navmesh"])
    else:
        object_.data = object_.data.copy()
    assert stepped.run() == {"FINISHED"}
    home = bpy.data.collections["Navmesh"]
    assert home in bpy.context.scene.collection.children_recursive
    found = [o for o in bpy.context.scene.objects if o.get("navmesh_role") == "polygon_mesh"]
    assert len(found) == 1 and found[0].data.polygons
    assert (found[0].name == "Renamed") == (how == "rename")


def test_the_scene_is_switched_meanwhile(bpy: Any, start: Any) -> None:
    add_plane(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    stepped = start()
    bpy.context.window.scene = other
    assert stepped.run() == {"FINISHED"}
    assert "Navmesh" in [c.name for c in first.collection.children]
    assert len(other.collection.children) == 0


def test_the_scene_is_deleted_meanwhile(bpy: Any, start: Any) -> None:
    add_plane(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    stepped = start()
    bpy.context.window.scene = other
    bpy.data.scenes.remove(first)
    assert stepped.run() == {"CANCELLED"}
    assert "is gone" in stepped.reports[-1][1] and len(other.collection.children) == 0


@pytest.mark.parametrize("how", ["new", "open", "revert"])
def test_another_file_is_loaded_meanwhile(bpy: Any, addon: Any, start: Any, how: str, tmp_path: Path) -> None:
    add_city(bpy)
    path = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    stepped = start(values=FINE)
    if how == "new":
        bpy.ops.wm.read_homefile(use_empty=True)
    elif how == "open":
        bpy.ops.wm.open_mainfile(filepath=path)
    else:
        bpy.ops.wm.revert_mainfile()
    assert addon("builds.active_build").current() is None
    stepped.context.workspace = None  # Blender calls `cancel` with the context of the new file
    stepped.operator.cancel(stepped.context)
    assert stepped.timers == 0 and "Navmesh" not in bpy.data.collections


def test_files_are_loaded_again_and_again(bpy: Any, addon: Any, start: Any) -> None:
    for _ in range(20):
        add_city(bpy, 1)
        start(values=FINE)
        bpy.ops.wm.read_homefile(use_empty=True)
    assert addon("builds.active_build").shut_down()


def test_the_extension_is_disabled_meanwhile(bpy: Any, start: Any) -> None:
    import importlib

    addon_utils = importlib.import_module("addon_utils")
    for _ in range(5):
        add_city(bpy, 1)
        start(values=FINE)
        addon_utils.disable(MODULE, default_set=False)
        assert threads() == []
        assert not hasattr(bpy.types, "NAVMESH_OT_build") and not hasattr(bpy.types.Scene, "navmesh")
        addon_utils.enable(MODULE, default_set=False)
    add_plane(bpy)
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
