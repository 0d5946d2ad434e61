"""Edits of a navmesh's own mesh are never accepted in silence; what scripts add to it is no edit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def navmesh(bpy: Any) -> Any:
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return bpy.data.objects["Navmesh"]


def delete_a_face(navmesh: Any) -> None:
    import bmesh  # which is there once Blender is

    editing = bmesh.new()
    editing.from_mesh(navmesh.data)
    editing.faces.ensure_lookup_table()
    bmesh.ops.delete(editing, geom=editing.faces[:1], context="FACES")
    editing.to_mesh(navmesh.data)
    editing.free()


def move_a_corner(navmesh: Any) -> None:
    navmesh.data.vertices[0].co.x += 0.25


def paint(navmesh: Any) -> None:
    navmesh.data.attributes["navmesh_area"].data[0].value = 3


EDITS = [delete_a_face, move_a_corner, paint]


def is_edited(addon: Any, navmesh: Any) -> bool:
    return bool(addon("objects.hand_edits").is_edited(navmesh))


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_not_exported_in_silence(bpy: Any, addon: Any, navmesh: Any, tmp_path: Path, edit: Any) -> None:
    edit(navmesh)
    assert is_edited(addon, navmesh)
    with pytest.raises(RuntimeError, match="“Navmesh” was edited by hand"):
        bpy.ops.navmesh.export(filepath=str(tmp_path / "navmesh.bin"))
    assert not (tmp_path / "navmesh.bin").exists()


@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("operator", ["build", "rebuild"])
def test_no_build_takes_its_place_unasked(bpy: Any, addon: Any, navmesh: Any, edit: Any, operator: str) -> None:
    edit(navmesh)
    faces, build = len(navmesh.data.polygons), navmesh["navmesh_build"]
    for given in ({}, {"edited": "ASK"}):
        with pytest.raises(RuntimeError, match=r"edited by hand.*edited='THROW_AWAY'"):
            getattr(bpy.ops.navmesh, operator)(**given)
    assert len(navmesh.data.polygons) == faces and navmesh["navmesh_build"] == build and is_edited(addon, navmesh)
    assert getattr(bpy.ops.navmesh, operator)(edited="THROW_AWAY") == {"FINISHED"}
    assert not is_edited(addon, navmesh) and navmesh["navmesh_build"] != build
    assert getattr(bpy.ops.navmesh, operator)() == {"FINISHED"}, "the answer is not remembered, and not needed"


def test_an_edited_detail_mesh_counts_too(bpy: Any, navmesh: Any) -> None:  # noqa: ARG001
    move_a_corner(bpy.data.objects["Navmesh Detail"])
    with pytest.raises(RuntimeError, match="“Navmesh Detail” was edited by hand"):
        bpy.ops.navmesh.rebuild()


def test_pruning_by_hand_does_not_take_its_place(bpy: Any, navmesh: Any) -> None:
    add_plane(bpy, "Away", size=6, at=(0, 40, 0))
    bpy.ops.navmesh.rebuild()
    bpy.ops.navmesh.keep_island(island=0)
    move_a_corner(navmesh)
    with pytest.raises(RuntimeError, match="was edited by hand"):
        bpy.ops.navmesh.prune()


def test_what_scripts_add_is_no_edit(bpy: Any, addon: Any, navmesh: Any, tmp_path: Path) -> None:
    mesh = navmesh.data
    mesh.attributes.new("mine", "FLOAT", "FACE")
    mesh.materials.append(bpy.data.materials.new("Mine"))
    for polygon in mesh.polygons:
        polygon.material_index, polygon.use_smooth = 0, True
    navmesh.modifiers.new("Mine", "SOLIDIFY")
    navmesh["mine"] = mesh["mine"] = 7
    mesh.name = "Mine"
    mesh.update()
    mesh.validate()
    assert not is_edited(addon, navmesh)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "navmesh.bin"))
    assert bpy.ops.navmesh.rebuild() == {"FINISHED"}


def test_looking_in_edit_mode_is_no_edit(bpy: Any, addon: Any, navmesh: Any) -> None:
    navmesh.hide_select = False
    bpy.context.view_layer.objects.active = navmesh
    bpy.ops.object.mode_set(mode="EDIT")
    assert not is_edited(addon, navmesh)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not is_edited(addon, navmesh)


def test_undo_makes_it_unedited(bpy: Any, addon: Any, navmesh: Any) -> None:
    bpy.ops.ed.undo_push(message="before")
    move_a_corner(navmesh)
    bpy.ops.ed.undo_push(message="moved")
    bpy.ops.ed.undo()
    import bpy as again

    assert not is_edited(addon, again.data.objects["Navmesh"])
    again.ops.ed.redo()
    assert is_edited(addon, again.data.objects["Navmesh"])


def test_a_saved_file_knows_it_and_older_files_go_on(bpy: Any, addon: Any, navmesh: Any, tmp_path: Path) -> None:
    move_a_corner(navmesh)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    navmesh = bpy.data.objects["Navmesh"]
    assert is_edited(addon, navmesh)
    del navmesh.data["navmesh_digest"]  # as an older version left it
    assert not is_edited(addon, navmesh) and bpy.ops.navmesh.rebuild() == {"FINISHED"}
    assert not is_edited(addon, navmesh)


def test_painting_on_a_navmesh_is_refused(bpy: Any, navmesh: Any) -> None:
    navmesh.hide_select = False
    bpy.context.view_layer.objects.active = navmesh
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    with pytest.raises(RuntimeError, match="is a navmesh that was built"):
        bpy.ops.navmesh.assign_area(area=3)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert not any(value.value == 3 for value in navmesh.data.attributes["navmesh_area"].data)


def test_live_does_not_write_over_it(bpy: Any, addon: Any, navmesh: Any) -> None:
    scene, live = bpy.context.scene, addon("live.followed_navmesh")
    targets = live.targets_of(scene, scene.navmesh.setups[0].uid)
    assert live.why_not_written(targets, True) == ""
    move_a_corner(navmesh)
    assert live.why_not_written(targets, True).startswith("“Navmesh” was edited by hand")


def test_an_imported_navmesh_is_one_too(bpy: Any, addon: Any, navmesh: Any, tmp_path: Path) -> None:
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.json"))
    before = set(bpy.data.objects)
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.json"))
    (imported,) = [one for one in set(bpy.data.objects) - before if one.get("navmesh_role") == "polygon_mesh"]
    assert not is_edited(addon, imported)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "again.json"), setup=imported.name)
    paint(imported)
    with pytest.raises(RuntimeError, match="was edited by hand"):
        bpy.ops.navmesh.export(filepath=str(tmp_path / "again.json"), setup=imported.name)
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8")) and not is_edited(addon, navmesh)


# --- kept as edits


def ground(navmesh: Any, area: int | None = None) -> float:
    areas = [value.value for value in navmesh.data.attributes["navmesh_area"].data]
    faces = [face.area for face, own in zip(navmesh.data.polygons, areas, strict=True) if area in (None, own)]
    return float(sum(faces))


def uses(bpy: Any) -> list[str]:
    kinds = ("BLOCK", "AREA", "PATCH", "NAVMESH")
    return sorted(object_.navmesh.use for object_ in bpy.data.objects if object_.navmesh.use in kinds)


def delete_the_largest(navmesh: Any) -> None:
    import bmesh

    editing = bmesh.new()
    editing.from_mesh(navmesh.data)
    bmesh.ops.delete(editing, geom=[max(editing.faces, key=lambda face: face.calc_area())], context="FACES")
    editing.to_mesh(navmesh.data)
    editing.free()


@pytest.fixture
def rooms(bpy: Any) -> Any:
    """A navmesh of several faces."""
    add_plane(bpy)
    for k in range(4):
        pillar = add_cube(bpy, f"Pillar {k}", (-6 + 4 * k, 3 - 2 * k, 1))
        pillar.scale = (0.5, 0.5, 1)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return bpy.data.objects["Navmesh"]


@pytest.mark.parametrize("operator", ["build", "rebuild"])
def test_a_deleted_face_is_blocked(bpy: Any, addon: Any, rooms: Any, operator: str) -> None:
    whole = ground(rooms)
    delete_the_largest(rooms)
    left = ground(rooms)
    assert getattr(bpy.ops.navmesh, operator)(edited="KEEP") == {"FINISHED"}
    assert uses(bpy) == ["BLOCK"] and not is_edited(addon, rooms)
    assert whole - left > 20 and ground(rooms) == pytest.approx(left, abs=0.1 * (whole - left))
    after = ground(rooms)
    assert getattr(bpy.ops.navmesh, operator)() == {"FINISHED"} and ground(rooms) == after
    assert uses(bpy) == ["BLOCK"], "a second build asks nothing and makes nothing"
    (block,) = [object_ for object_ in bpy.data.objects if object_.navmesh.use == "BLOCK"]
    assert block.navmesh.edit_setup == bpy.context.scene.navmesh.setups[0].uid
    bpy.data.objects.remove(block)
    bpy.ops.navmesh.build()
    assert ground(rooms) == pytest.approx(whole, abs=0.01)


def test_a_painted_face_is_an_area(bpy: Any, rooms: Any) -> None:
    paint(rooms)
    wanted = ground(rooms, 3)
    bpy.ops.navmesh.build(edited="KEEP")
    assert uses(bpy) == ["AREA"] and ground(rooms, 3) == pytest.approx(wanted, rel=0.15)


def test_a_moved_corner_is_a_patch(bpy: Any, rooms: Any) -> None:
    """Both ways: out over ground that was none, and back in."""
    outer = min(range(len(rooms.data.vertices)), key=lambda k: sum(rooms.data.vertices[k].co[:2]))
    for step, more in ((0.6, True), (-2.0, False)):
        before = ground(rooms)
        rooms.data.vertices[outer].co.x -= step
        rooms.data.vertices[outer].co.y -= step
        rooms.data.update()
        wanted = ground(rooms)
        assert (wanted > before) == more
        assert bpy.ops.navmesh.build(edited="KEEP") == {"FINISHED"}
        assert "PATCH" in uses(bpy) and ground(rooms) == pytest.approx(wanted, abs=0.6 * abs(wanted - before) + 1.5)
        outer = min(range(len(rooms.data.vertices)), key=lambda k: sum(rooms.data.vertices[k].co[:2]))


@pytest.mark.parametrize("lift", [0.4, 1.4, 3.0])
def test_nothing_stays_beside_a_face_that_was_lifted(bpy: Any, rooms: Any, lift: float) -> None:
    """Less than a climb, more than that, and more than the agent is tall: the old place of all faces is gone."""
    add_plane(bpy, "Away", 8.0, (20, 0, 0))
    add_cube(bpy, "Tower", (-8, -8, 3)).scale.z = 3  # patches lie within the bounds of the level
    bpy.ops.navmesh.build()
    away = [vertex for vertex in rooms.data.vertices if vertex.co.x > 15]
    before = [vertex.co.z for vertex in away]
    for vertex in away:
        vertex.co.z += lift
        vertex.co.x = 20 + 0.3 * (vertex.co.x - 20)
    rooms.data.update()
    assert bpy.ops.navmesh.build(edited="KEEP") == {"FINISHED"}
    heights = [vertex.co.z for vertex in rooms.data.vertices if vertex.co.x > 15]
    assert heights and min(heights) > min(before) + lift - 0.3 and max(heights) < max(before) + lift + 0.3


def test_taken_over_by_a_build(bpy: Any, rooms: Any) -> None:
    delete_the_largest(rooms)
    left = ground(rooms)
    assert bpy.ops.navmesh.build(edited="TAKE_OVER") == {"FINISHED"}
    navmesh = bpy.data.objects["Navmesh"]
    assert uses(bpy) == ["NAVMESH"] and ground(navmesh) == pytest.approx(left, abs=0.1)
    assert bpy.ops.navmesh.build() == {"FINISHED"} and ground(navmesh) == pytest.approx(left, abs=0.1)


@pytest.mark.parametrize("imported", [False, True], ids=["built", "imported"])
@pytest.mark.parametrize("of_roof", [False, True], ids=["elsewhere", "of a roof"])
def test_faces_that_were_edited_before_they_were_taken_over_are_checked(
    bpy: Any, tmp_path: Path, imported: bool, of_roof: bool
) -> None:
    """Floors may lie closer than the agent is tall as long as they are as built, also in another session."""
    add_plane(bpy)
    add_plane(bpy, "Away", 8.0, (30, 0, 0))
    add_cube(bpy, at=(0, 0, 3.5)).scale = (3, 3, 1)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    bpy.context.scene.navmesh.setups[0].agent_height = 5.0
    navmesh = bpy.data.objects["Navmesh"]
    if imported:
        bpy.ops.navmesh.export(filepath=str(tmp_path / "level.json"))
        before = set(bpy.data.objects)
        bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.json"))
        (navmesh,) = [one for one in set(bpy.data.objects) - before if one.get("navmesh_role") == "polygon_mesh"]
    corners = navmesh.data.vertices
    corner = max(corners, key=lambda vertex: vertex.co.z if of_roof else vertex.co.x)
    corner.co.z += 0.1
    name = navmesh.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "edited.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "edited.blend"))
    if not of_roof:
        bpy.ops.navmesh.take_over(navmesh=name)
        assert bpy.ops.navmesh.build() == {"FINISHED"}
        return
    if imported:  # which no build takes over by itself
        bpy.ops.navmesh.take_over(navmesh=name)
    with pytest.raises(RuntimeError, match="over each other with less room"):
        bpy.ops.navmesh.build(edited="TAKE_OVER")


def test_two_setups_keep_each_its_own(bpy: Any, addon: Any, rooms: Any) -> None:
    bpy.ops.navmesh.setup_add()
    bpy.ops.navmesh.build(all_setups=True)
    one, two = bpy.context.scene.navmesh.setups
    other = addon("objects.navmesh_objects").navmesh_of_setup(bpy.context.scene, two)
    whole = ground(other)
    delete_the_largest(rooms)
    bpy.ops.navmesh.build(all_setups=True, edited="KEEP")
    assert ground(other) == pytest.approx(whole, abs=0.01) and ground(rooms) < whole - 20
    assert one.uid != two.uid


def test_what_is_no_edit_of_ground_is_refused(bpy: Any, addon: Any, rooms: Any, tmp_path: Path) -> None:
    """A detail mesh, and a level that is another one since the file was saved: nothing is overwritten."""
    move_a_corner(bpy.data.objects["Navmesh Detail"])
    with pytest.raises(RuntimeError, match="heights alone are no edits"):
        bpy.ops.navmesh.build(edited="KEEP")
    with pytest.raises(RuntimeError, match="an own mesh has no detail mesh"):
        bpy.ops.navmesh.build(edited="TAKE_OVER")
    bpy.ops.navmesh.build(edited="THROW_AWAY")
    delete_the_largest(rooms)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    navmesh, ground_object = bpy.data.objects["Navmesh"], bpy.data.objects["Ground"]
    faces = len(navmesh.data.polygons)
    ground_object.scale.x = 0.8
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="cannot be told from that"):
        bpy.ops.navmesh.build(edited="KEEP")
    assert len(navmesh.data.polygons) == faces and is_edited(addon, navmesh) and not uses(bpy)
    ground_object.scale.x = 1
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.build(edited="KEEP") == {"FINISHED"} and uses(bpy) == ["BLOCK"], "in another session, too"


def test_all_of_a_flat_level_kept_as_edits(bpy: Any, navmesh: Any) -> None:
    """Its patch lay above all of the level, where nothing was ground: “Every floor is narrower than an agent”."""
    square_metres = sum(face.area for face in navmesh.data.polygons)
    for vertex in navmesh.data.vertices:
        vertex.co.x *= 1.02
    navmesh.data.update()
    assert bpy.ops.navmesh.rebuild(edited="KEEP") == {"FINISHED"}
    assert sum(face.area for face in navmesh.data.polygons) == pytest.approx(1.02 * square_metres, rel=0.02), (
        "to a cell"
    )


def test_what_is_being_edited_is_not_kept_yet(bpy: Any, navmesh: Any) -> None:
    """It ended with a KeyError."""
    navmesh.hide_select = False
    bpy.context.view_layer.objects.active = navmesh
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    with pytest.raises(RuntimeError, match=r"“Navmesh” is being edited\. Leave its edit mode first"):
        bpy.ops.navmesh.rebuild(edited="KEEP")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.navmesh.rebuild(edited="KEEP") == {"FINISHED"}
