"""“Out of date” knows objects by what they are, not by their names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_instance, add_plane, new_collection, save


@pytest.fixture
def level(bpy: Any) -> Any:
    """A level whose collection, mesh and material are named like an object in it."""
    floor = new_collection(bpy, "Floor")
    ground = add_plane(bpy, "Floor", collection=floor)
    ground.data.materials.append(bpy.data.materials.new("Floor"))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return ground


def tag(bpy: Any, *things: Any) -> None:
    """Let Blender list these as changed in shape, as it does with all collections when one gets an object."""
    for thing in things:
        thing.update_tag()
    bpy.context.view_layer.update()


def test_a_collection_named_like_an_object_in_it(bpy: Any, level: Any, why: Any) -> None:
    """Whatever is linked anywhere, Blender says that all collections changed."""
    assert why() == ""
    new_collection(bpy, "Elsewhere").objects.link(bpy.data.objects.new("Nothing", None))
    assert why() == ""
    tag(bpy, bpy.data.collections["Floor"])
    assert why() == ""
    level.location.z += 0.5
    assert "level" in why()


def test_again_after_a_rebuild(bpy: Any, level: Any, why: Any) -> None:
    level.location.z += 0.5
    assert "level" in why()
    for _ in range(2):
        bpy.ops.navmesh.build()
        assert why() == ""


def test_an_instanced_collection_named_like_the_empty(bpy: Any, why: Any) -> None:
    kit = bpy.data.collections.new("Kit")
    add_plane(bpy, "Kit.Floor", collection=kit)
    empty = add_instance(bpy, "Kit", kit)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    assert why() == ""
    tag(bpy, kit)
    assert why() == ""
    empty.location.x += 1
    assert "level" in why()


def test_a_linked_object_of_the_same_name(bpy: Any, why: Any, tmp_path: Path) -> None:
    """A library's object and one of this file may share a name: each is watched for itself."""
    library = tmp_path / "library.blend"
    add_plane(bpy, "Floor", collection=new_collection(bpy, "Floor"))
    bpy.ops.wm.save_as_mainfile(filepath=str(library))
    bpy.ops.wm.read_homefile(use_empty=True)
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.collections = ["Floor"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    assert why() == ""
    other = add_plane(bpy, "Floor", at=(100, 0, 0))
    other.hide_set(True)
    assert why() == ""
    other.location.x += 5
    assert why() == "", "the one that moved is hidden"


@pytest.mark.parametrize("saved", [False, True])
def test_another_name_is_no_other_level(bpy: Any, level: Any, why: Any, tmp_path: Path, saved: bool) -> None:
    level.name = "Ground"
    assert why() == ""
    if saved:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
        level = bpy.data.objects["Ground"]
    assert why() == ""
    add_cube(bpy, "Floor", (300, 0, 0)).hide_set(True)
    assert why() == ""
    level.location.x += 1
    assert "level" in why(), "it is watched under its new name"


def test_a_file_that_remembers_names(bpy: Any, addon: Any, level: Any, why: Any) -> None:
    """Files from before: their fingerprints know the names of objects."""
    navmesh, gathered = bpy.data.objects["Navmesh"], addon("gather.gathered_level")
    given = addon("gather.gather_scene").gather(bpy.context, addon("stored.setup_properties").Sources("VISIBLE"))
    stamp = addon("objects.navmesh_objects").FINGERPRINT
    navmesh[stamp] = gathered.fingerprint(given, named=True)
    addon("builds.finished_navmeshes").doubt([navmesh["navmesh_build"]])
    assert why() == ""
    navmesh[stamp] = "of another level"
    addon("builds.finished_navmeshes").doubt([navmesh["navmesh_build"]])
    assert "level" in why()
    assert level is not None


def used(bpy: Any, addon: Any) -> list[str]:
    return list(addon("objects.built_from").finished_navmesh(bpy.context).request.gathered.used)


def build_of_selected(bpy: Any, *objects: Any) -> None:
    bpy.context.view_layer.update()
    for object_ in objects:
        object_.select_set(True)
    bpy.ops.navmesh.build(scope="SELECTED")


def test_what_was_selected_is_built_from_again_whatever_it_is_called(bpy: Any, addon: Any, why: Any) -> None:
    """It was left out without a word once it had another name, and another object with its name was built from."""
    ground, crate = add_plane(bpy), add_cube(bpy, "Crate", (3, 3, 0.5))
    build_of_selected(bpy, ground, crate)
    crate.name = "Chest"
    assert why() == ""
    add_cube(bpy, "Crate", (-5, -5, 0.5))
    bpy.ops.navmesh.rebuild()
    assert used(bpy, addon) == ["Ground", "Chest"]
    crate.name = "Trunk"
    bpy.context.scene.navmesh.setups[0].scope = "LISTED"
    bpy.ops.navmesh.build()
    assert used(bpy, addon) == ["Ground", "Trunk"]
    bpy.data.objects.remove(crate)
    bpy.ops.navmesh.rebuild()
    assert used(bpy, addon) == ["Ground"]


def test_names_are_followed_in_files(bpy: Any, addon: Any, tmp_path: Path) -> None:
    ground, crate = add_plane(bpy), add_cube(bpy, "Crate", (3, 3, 0.5))
    build_of_selected(bpy, ground, crate)
    crate.name = "Chest"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.data.objects["Chest"].name = "Trunk"
    bpy.ops.navmesh.rebuild()
    assert used(bpy, addon) == ["Ground", "Trunk"]


def test_a_linked_object_is_not_its_namesake(bpy: Any, addon: Any, tmp_path: Path) -> None:
    add_cube(bpy, "Crate", (3, 3, 0.5))
    path = save(bpy, tmp_path / "kit.blend")
    ground, _ = add_plane(bpy), add_cube(bpy, "Crate", (-5, -5, 0.5))
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["Crate"]
    linked = next(one for one in bpy.data.objects if one.library is not None)
    bpy.context.scene.collection.objects.link(linked)
    build_of_selected(bpy, ground, linked)
    bpy.ops.navmesh.rebuild()
    gathered = addon("objects.built_from").finished_navmesh(bpy.context).request.gathered
    assert gathered.listed == (ground.session_uid, linked.session_uid) and len(gathered.triangles) == 14
