"""Color By shows other colors at once: a build made a slot for each, and after that only indices change."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """Two islands, one of which has a strip of water."""
    add_plane(bpy)
    pool = add_cube(bpy, "Pool")
    pool.scale, pool.navmesh.use, pool.navmesh.area = (3, 3, 1), "VOLUME", 1
    add_plane(bpy, "Island", at=(100, 0, 0))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    return bpy.context.scene.navmesh.setups[0]


def values(object_: Any, name: str) -> Any:
    found = np.zeros(len(object_.data.polygons), np.int32)
    object_.data.attributes[name].data.foreach_get("value", found)
    return found


def shown(bpy: Any, name: str = "Navmesh") -> list[str]:
    """The material of each polygon."""
    object_ = bpy.data.objects[name]
    return [object_.data.materials[slot].name for slot in values(object_, "material_index").tolist()]


def groups(labels: Any) -> set[frozenset[int]]:
    """Which polygons have the same label."""
    found: dict[Any, set[int]] = {}
    for number, label in enumerate(labels):
        found.setdefault(label, set()).add(number)
    return {frozenset(members) for members in found.values()}


def test_other_colors_are_shown_without_a_build_and_back_again(bpy: Any, level: Any) -> None:
    object_ = bpy.data.objects["Navmesh"]
    kinds = [[block.name for block in group] for group in (bpy.data.materials, bpy.data.meshes, bpy.data.objects)]
    build = object_["navmesh_build"]
    by_area = shown(bpy)
    assert set(by_area) == {"Navmesh Walkable", "Navmesh Water"}
    for color_by in ("REGION", "ISLAND"):
        level.color_by = color_by
        assert groups(shown(bpy)) == groups(values(object_, f"navmesh_{color_by.lower()}").tolist())
        assert all(name.startswith("Navmesh Color") for name in shown(bpy))
        owner = values(bpy.data.objects["Navmesh Detail"], "navmesh_polygon")
        assert shown(bpy, "Navmesh Detail") == [shown(bpy)[polygon] for polygon in owner.tolist()]
    assert len(groups(shown(bpy))) == 2, "two islands"
    level.color_by = "AREA"
    assert shown(bpy) == by_area
    assert kinds == [
        [block.name for block in group] for group in (bpy.data.materials, bpy.data.meshes, bpy.data.objects)
    ]
    assert object_["navmesh_build"] == build


def test_colors_are_those_that_a_build_would_give(bpy: Any, level: Any) -> None:
    level.color_by = "REGION"
    changed = shown(bpy), shown(bpy, "Navmesh Detail")
    bpy.ops.navmesh.rebuild()
    assert (shown(bpy), shown(bpy, "Navmesh Detail")) == changed


def test_only_the_navmesh_of_this_setup_changes(bpy: Any, level: Any) -> None:
    bpy.ops.navmesh.setup_add(name="Ogre")
    ogre = bpy.context.scene.navmesh.setups[1]
    ogre.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    before = shown(bpy)
    ogre.color_by = "ISLAND"
    assert shown(bpy) == before
    assert {name.startswith("Navmesh Color") for name in shown(bpy, "Navmesh Ogre")} == {True}
    level.color_by = "REGION"
    assert shown(bpy) != before


def test_a_material_of_ones_own_keeps_its_faces(bpy: Any, level: Any) -> None:
    mesh = bpy.data.objects["Navmesh"].data
    mine = bpy.data.materials.new("Mine")
    mesh.materials[[m.name for m in mesh.materials].index("Navmesh Walkable")] = mine
    level.color_by = "ISLAND"
    assert "Mine" not in shown(bpy)
    level.color_by = "AREA"
    bpy.ops.navmesh.rebuild()
    assert set(shown(bpy)) == {"Mine", "Navmesh Water"}


def test_an_imported_navmesh_follows_the_draft(bpy: Any, level: Any, tmp_path: Any) -> None:  # noqa: ARG001 - built
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.json"))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.json"))
    name = next(o.name for o in bpy.data.objects if o.get("navmesh_role") == "polygon_mesh")
    assert len(set(shown(bpy, name))) == 2
    bpy.context.scene.navmesh.draft.color_by = "REGION"
    assert groups(shown(bpy, name)) == groups(values(bpy.data.objects[name], "navmesh_region").tolist())


def test_a_navmesh_being_edited_keeps_its_colors(bpy: Any, level: Any) -> None:
    object_ = bpy.data.objects["Navmesh"]
    object_.hide_select = False
    bpy.context.view_layer.objects.active = object_
    object_.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    level.color_by = "ISLAND"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert set(shown(bpy)) == {"Navmesh Walkable", "Navmesh Water"}
