"""“Out of date”: also after a file was opened again, after undo, and for what came after the build."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane, new_collection


@pytest.fixture
def built(bpy: Any) -> Any:
    """A level with a bit of everything, its navmesh, and the ground."""
    ground = add_plane(bpy)
    ground.modifiers.new("Thick", "SOLIDIFY")
    lake = add_cube(bpy, "Lake", (4, 4, 0))
    lake.navmesh.use, lake.navmesh.area = "VOLUME", 1
    start = add_empty(bpy, "Start", (1, 1, 0))
    start.navmesh.use, start.navmesh.link_end = "LINK", add_empty(bpy, "End", (3, 1, 0))
    for k in range(3):
        add_cube(bpy, f"Rock {k}", (-6 + 2 * k, -5, 1)).rotation_euler = (0.1, 0.2, k)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return ground


def save_and_open(bpy: Any, path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))


def test_a_file_opened_again_is_up_to_date(bpy: Any, addon: Any, built: Any, why: Any, tmp_path: Path) -> None:  # noqa: ARG001
    assert why() == ""
    save_and_open(bpy, tmp_path / "level.blend")
    scene = bpy.context.scene.session_uid
    assert addon("builds.finished_navmeshes").known(scene) == []
    assert why() == ""
    assert len(addon("builds.finished_navmeshes").known(scene)) == 1, "nobody looked"
    bpy.data.objects["Rock 1"].location.x += 1
    assert "level" in why(), "it is watched from now on"


@pytest.mark.parametrize(
    "what", ["moved", "edited", "deleted", "marked", "modifier", "added", "link", "setting", "area"]
)
def test_a_change_before_saving_is_not_forgotten(bpy: Any, built: Any, why: Any, tmp_path: Path, what: str) -> None:
    if what == "moved":
        built.location.z += 0.1
    elif what == "edited":
        built.data.vertices[0].co.x -= 1
        built.data.update()
    elif what == "deleted":
        bpy.data.objects.remove(bpy.data.objects["Rock 2"])
    elif what == "marked":
        bpy.data.objects["Rock 0"].navmesh.area = 3
    elif what == "modifier":
        built.modifiers["Thick"].thickness = 3
        built.modifiers["Thick"].offset = 1
    elif what == "added":
        add_cube(bpy, "Wall")
    elif what == "link":
        bpy.data.objects["End"].location.x += 2
    elif what == "setting":
        bpy.context.scene.navmesh.setups[0].agent_radius = 0.9
    else:
        bpy.ops.navmesh.area_types_edit()
        bpy.context.scene.navmesh.area_types[1].cost = 3.0
    what_changed = {"setting": "a setting", "area": "an area type"}.get(what, "the level")
    assert why() == f"Out of date: {what_changed} changed"
    save_and_open(bpy, tmp_path / "level.blend")
    assert why() == f"Out of date: {what_changed} changed"
    bpy.ops.navmesh.build()
    assert why() == ""
    save_and_open(bpy, tmp_path / "level.blend")
    assert why() == ""


def test_a_library_that_changed_while_the_file_was_closed(bpy: Any, why: Any, tmp_path: Path) -> None:
    library, level = str(tmp_path / "library.blend"), tmp_path / "level.blend"
    ground = add_plane(bpy, collection=new_collection(bpy, "Kit"))
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    with bpy.data.libraries.load(library, link=True) as (_, wanted):
        wanted.collections = ["Kit"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.ops.navmesh.build()
    bpy.ops.wm.save_as_mainfile(filepath=str(level))
    bpy.ops.wm.open_mainfile(filepath=library)
    ground = bpy.data.objects["Ground"]
    ground.location.x = 3
    bpy.ops.wm.save_mainfile()
    bpy.ops.wm.open_mainfile(filepath=str(level))
    assert why() == "Out of date: the level changed"


def test_what_does_not_belong_to_the_level_changes_nothing(bpy: Any, built: Any, why: Any, tmp_path: Path) -> None:  # noqa: ARG001
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    bpy.context.scene.collection.objects.link(lamp)
    add_cube(bpy, "Box-noimp")
    assert why() == ""
    lamp.location.x = 4
    bpy.data.materials.new("Paint").diffuse_color = (1, 0, 0, 1)
    assert why() == ""
    save_and_open(bpy, tmp_path / "level.blend")
    assert why() == ""


def test_hiding_and_showing(bpy: Any, built: Any, why: Any) -> None:  # noqa: ARG001
    """What is hidden is not used: the navmesh is out of date, until it is shown again."""
    bpy.data.objects["Rock 0"].hide_set(True)
    assert "level" in why()
    bpy.data.objects["Rock 0"].hide_set(False)
    assert why() == ""


def test_undo_makes_it_up_to_date_again(bpy: Any, addon: Any, built: Any, why: Any) -> None:
    built.location.x += 1
    assert "level" in why()
    built.location.x -= 1
    assert "level" in why(), "nobody looks again at every change"
    addon("watch.blender_handlers")._after_undo(bpy.context.scene)
    assert why() == ""


def test_another_frame_is_another_level_and_the_first_one_is_the_same_again(bpy: Any, built: Any, why: Any) -> None:
    """Nothing told of frames: saved and opened again, the file said something else. Moved, and given another shape."""
    scene, cube = bpy.context.scene, bpy.data.objects["Rock 0"]
    key = built.shape_key_add(name="Basis") and built.shape_key_add(name="Up")
    key.data[0].co.z += 1
    for frame, value in ((1, 0.0), (20, 0.0), (30, 1.0)):
        cube.location.x = -6 + (frame == 20)
        cube.keyframe_insert("location", frame=frame)
        key.value = value
        key.keyframe_insert("value", frame=frame)
    scene.frame_set(1)
    bpy.ops.navmesh.build()
    assert why() == ""
    for frame in (20, 30):
        scene.frame_set(frame)
        assert why() == "Out of date: the level changed", frame
        scene.frame_set(1)
        assert why() == "", frame


def test_another_view_layer_may_show_another_level(bpy: Any, built: Any, addon: Any) -> None:  # noqa: ARG001
    scene, rock = bpy.context.scene, bpy.data.objects["Rock 0"]
    layer = scene.view_layers.new("Without")
    setup, navmesh, outdated = (
        scene.navmesh.setups[0],
        bpy.data.objects["Navmesh"],
        addon("watch.out_of_date").out_of_date,
    )
    rock.hide_set(True, view_layer=layer)
    assert outdated(navmesh, setup) == ""
    with bpy.context.temp_override(view_layer=layer):
        assert outdated(navmesh, setup) == "Out of date: the level changed"
    assert outdated(navmesh, setup) == ""


def test_a_full_copy_of_a_scene_has_a_level_of_its_own(bpy: Any, built: Any, addon: Any) -> None:  # noqa: ARG001
    """Both navmeshes are of one build: what was known of it in the first scene was said in the copy."""
    first, outdated = bpy.context.scene, addon("watch.out_of_date").out_of_date
    bpy.ops.scene.new(type="FULL_COPY")
    copy = next(scene for scene in bpy.data.scenes if scene != first)
    navmeshes = [
        next(one for one in scene.objects if one.get("navmesh_role") == "polygon_mesh") for scene in (first, copy)
    ]
    assert navmeshes[0] != navmeshes[1] and navmeshes[0]["navmesh_build"] == navmeshes[1]["navmesh_build"]

    def said() -> str:
        with bpy.context.temp_override(scene=copy, view_layer=copy.view_layers[0]):
            bpy.context.view_layer.update()
            return str(outdated(navmeshes[1], copy.navmesh.setups[0]))

    assert said() == ""
    bpy.data.objects["Rock 0.001"].location.x += 1
    assert said() == "Out of date: the level changed"


def test_a_level_that_is_the_same_in_another_unit_is_drawn_in_another_place(bpy: Any, addon: Any, why: Any) -> None:
    """As after *Unit Scale* 0.01 and objects that were scaled by hundred: in metres nothing has changed."""
    ground = add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    setup, scene = bpy.context.scene.navmesh.setups[0], bpy.context.scene
    settings = json.loads(bpy.data.objects["Navmesh"]["navmesh_settings"])
    scene.unit_settings.scale_length = 0.5
    setup.set_metres(**settings)
    assert why() == "Out of date: a setting changed"
    ground.scale = (2, 2, 2)
    addon("builds.finished_navmeshes").clear()
    assert why() == "Out of date: the level changed"
    bpy.ops.navmesh.rebuild()
    assert why() == "" and bpy.data.objects["Navmesh"].dimensions.x > 36


def test_a_large_level_is_not_gathered_again_while_somebody_works(
    bpy: Any, addon: Any, built: Any, why: Any, monkeypatch: Any
) -> None:
    """It is taken for changed instead."""
    watch = addon("watch.out_of_date")
    monkeypatch.setattr(watch, "MAX_TRIANGLES", 3)
    monkeypatch.setattr(addon("gather.gather_scene"), "gather", None)  # calling it would raise
    assert why() == ""
    bpy.data.objects["Rock 0"].navmesh.area = 3
    assert "level" in why()
    assert built is not None


def test_sources_that_are_gone(bpy: Any, built: Any, why: Any, tmp_path: Path) -> None:
    built.select_set(True)
    bpy.ops.navmesh.build(scope="SELECTED")
    for object_ in [
        object_ for object_ in bpy.data.objects if object_.type == "MESH" and not object_.name.startswith("Nav")
    ]:
        bpy.data.objects.remove(object_)
    save_and_open(bpy, tmp_path / "level.blend")
    assert "level" in why()


def test_navmeshes_without_a_fingerprint_are_left_in_peace(bpy: Any, built: Any, why: Any, tmp_path: Path) -> None:
    """Files of the first version have none."""
    del bpy.data.objects["Navmesh"]["navmesh_fingerprint"]
    built.location.x += 1
    save_and_open(bpy, tmp_path / "level.blend")
    assert why() == ""


def test_the_timer_looks_at_one_navmesh_a_time(bpy: Any, addon: Any, built: Any, tmp_path: Path) -> None:  # noqa: ARG001
    """With a window, drawing asks for it and a timer does it."""
    bpy.ops.navmesh.setup_add(name="Second")
    bpy.context.scene.navmesh.setups[1].scope = "VISIBLE"
    bpy.ops.navmesh.build(all_setups=True)
    save_and_open(bpy, tmp_path / "level.blend")
    watch, finished_navmeshes = addon("watch.out_of_date"), addon("builds.finished_navmeshes")
    scene = bpy.context.scene.session_uid
    assert watch._compare_next() == 0.0 and len(finished_navmeshes.known(scene)) == 1
    assert watch._compare_next() is None and len(finished_navmeshes.known(scene)) == 2
    assert watch._compare_next() is None and finished_navmeshes.stale(scene) == []


def test_fingerprints(addon: Any, bpy: Any) -> None:
    """Any change of anything that is gathered changes them; the order of objects does not."""
    add_plane(bpy)
    add_cube(bpy, "Rock")
    gathered = addon("gather.gathered_level")
    given = addon("gather.gather_scene").gather(bpy.context, addon("stored.setup_properties").Sources("VISIBLE"))
    same = gathered.fingerprint(given)
    first, second = given.parts
    assert gathered.fingerprint(given._replace(parts=(second, first))) == same
    moved = given.vertices.copy()
    moved[-1, 1] += 1e-4
    assert gathered.fingerprint(given._replace(vertices=moved)) != same
    assert gathered.fingerprint(given._replace(bounds=(0, 0, 0, 1, 1, 1))) != same
    assert gathered.fingerprint(given._replace(volumes=({"area": 1},))) != same
    assert gathered.fingerprint(given._replace(links=({"id": 1},))) != same
    assert gathered.fingerprint(given._replace(parts=(first._replace(name="Other"), second))) == same, "a name is none"
