"""Areas of faces, given in edit mode, where artists select faces."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


def edit(bpy: Any, *objects: Any) -> None:
    for object_ in objects:
        object_.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_mode(type="FACE")


def select_top(*objects: Any) -> None:
    """Of each cube the face that looks up."""
    import bmesh  # it is found after bpy

    for object_ in objects:
        editing = bmesh.from_edit_mesh(object_.data)
        for face in editing.faces:
            face.select_set(face.normal.z > 0.9)
        bmesh.update_edit_mesh(object_.data)


def areas(object_: Any) -> list[int]:
    object_.update_from_editmode()
    attribute = object_.data.attributes.get("navmesh_area")
    if attribute is None:
        return []
    import bmesh

    bm = bmesh.from_edit_mesh(object_.data)
    layer = bm.faces.layers.int["navmesh_area"]
    return sorted(face[layer] for face in bm.faces)


def test_selected_faces_get_an_area_and_lose_it_again(bpy: Any) -> None:
    first, second = (add_cube(bpy, f"Cube {k}", (5 * k, 0, 0)) for k in range(2))
    edit(bpy, first, second)
    select_top(first, second)
    assert bpy.ops.navmesh.assign_area(area=2) == {"FINISHED"}
    assert areas(first) == areas(second) == [0, 0, 0, 0, 0, 2]
    assert bpy.ops.navmesh.assign_area(area=-1) == {"FINISHED"}
    assert areas(first) == [-1, 0, 0, 0, 0, 0]
    assert bpy.ops.navmesh.assign_area(area=0) == {"FINISHED"}
    assert areas(first) == areas(second) == [0] * 6
    bpy.ops.object.mode_set(mode="OBJECT")
    attribute = first.data.attributes["navmesh_area"]
    assert (attribute.domain, attribute.data_type) == ("FACE", "INT")


def test_only_objects_with_selected_faces_get_the_attribute(bpy: Any) -> None:
    first, second = (add_cube(bpy, f"Cube {k}", (5 * k, 0, 0)) for k in range(2))
    edit(bpy, first, second)
    bpy.ops.mesh.select_all(action="DESELECT")
    assert bpy.ops.navmesh.assign_area(area=2) == {"CANCELLED"}
    select_top(first)
    assert bpy.ops.navmesh.assign_area(area=0) == {"FINISHED"}
    assert areas(first) == [], "clearing makes no attribute"
    assert bpy.ops.navmesh.assign_area(area=2) == {"FINISHED"}
    assert areas(first) == [0, 0, 0, 0, 0, 2] and areas(second) == []
    bpy.ops.object.mode_set(mode="OBJECT")


def test_an_attribute_of_another_kind_is_left_alone(bpy: Any) -> None:
    cube = add_cube(bpy)
    cube.data.attributes.new("navmesh_area", "FLOAT", "POINT")
    edit(bpy, cube)
    bpy.ops.mesh.select_all(action="SELECT")
    with pytest.raises(RuntimeError, match="“Cube” has an attribute navmesh_area with float values of points"):
        bpy.ops.navmesh.assign_area(area=2)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [a.name for a in cube.data.attributes if "navmesh" in a.name] == ["navmesh_area"]


def test_a_build_in_edit_mode_uses_the_mesh_as_it_is_edited(bpy: Any) -> None:
    """Its shape, and the areas that were just assigned; the edit mode stays."""
    ground = add_plane(bpy)
    edit(bpy, ground)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.transform.translate(value=(0, 0, 5))
    bpy.ops.navmesh.assign_area(area=1)
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    assert bpy.context.mode == "EDIT_MESH"
    mesh = bpy.data.objects["Navmesh"].data
    assert {value.value for value in mesh.attributes["navmesh_area"].data} == {1}
    assert min(vertex.co.z for vertex in mesh.vertices) > 4.9
    bpy.ops.navmesh.assign_area(area=2)
    bpy.ops.navmesh.rebuild()
    assert {value.value for value in mesh.attributes["navmesh_area"].data} == {2}
    bpy.ops.object.mode_set(mode="OBJECT")


def test_assigning_makes_the_navmesh_out_of_date(bpy: Any, addon: Any) -> None:
    ground = add_plane(bpy)
    edit(bpy, ground)
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.navmesh.build()
    bpy.context.view_layer.update()

    def why() -> str:
        navmesh, setup = bpy.data.objects["Navmesh"], bpy.context.scene.navmesh.setups[0]
        return str(addon("watch.out_of_date").out_of_date(navmesh, setup))

    assert why() == ""
    bpy.ops.navmesh.assign_area(area=1)
    bpy.context.view_layer.update()
    assert why() == "Out of date: the level changed"
    bpy.ops.object.mode_set(mode="OBJECT")
