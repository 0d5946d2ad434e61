"""Color By shows other colors at once, and makes the materials of what it shows and of nothing else."""

from __future__ import annotations

import itertools
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
    return bpy.context.scene.navmesh


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
    kinds = [[block.name for block in group] for group in (bpy.data.meshes, bpy.data.objects)]
    assert {material.name for material in bpy.data.materials if material.get("navmesh_material")} == {
        "Navmesh Walkable",
        "Navmesh Water",
    }, "those of Color By, and no others"
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
    assert kinds == [[block.name for block in group] for group in (bpy.data.meshes, bpy.data.objects)]
    assert not any("Heat" in material.name for material in bpy.data.materials)
    materials = len(bpy.data.materials)
    level.color_by = "ISLAND"
    level.color_by = "AREA"
    assert len(bpy.data.materials) == materials, "made once"
    assert object_["navmesh_build"] == build


def test_colors_are_those_that_a_build_would_give(bpy: Any, level: Any) -> None:
    level.color_by = "REGION"
    changed = shown(bpy), shown(bpy, "Navmesh Detail")
    bpy.ops.navmesh.rebuild()
    assert (shown(bpy), shown(bpy, "Navmesh Detail")) == changed


def test_all_navmeshes_of_the_scene_change_and_those_of_another_do_not(bpy: Any, level: Any) -> None:
    bpy.ops.navmesh.setup_add(name="Ogre")
    level.setups[1].scope = "VISIBLE"
    bpy.ops.navmesh.build()
    other = bpy.data.scenes.new("Other")
    before = shown(bpy)
    other.navmesh.color_by = "ISLAND"
    assert shown(bpy) == before
    level.color_by = "ISLAND"
    for name in ("Navmesh", "Navmesh Ogre", "Navmesh Ogre Detail"):
        assert {material.partition(" (")[0].startswith("Navmesh Color") for material in shown(bpy, name)} == {True}


HEAT = ("CLEARANCE", "COST", "SLOPE")


@pytest.mark.parametrize("color_by", HEAT)
def test_heat_maps_show_what_the_legend_says(bpy: Any, addon: Any, level: Any, color_by: str) -> None:
    colors = addon("objects.face_colors")
    level.color_by = color_by
    blocks = len(bpy.data.materials), len(bpy.data.meshes)
    level.color_by = "AREA"
    level.color_by = color_by
    object_ = bpy.data.objects["Navmesh"]
    assert {name.startswith("Navmesh Heat") for name in shown(bpy)} == {True}
    owner = values(bpy.data.objects["Navmesh Detail"], "navmesh_polygon")
    assert shown(bpy, "Navmesh Detail") == [shown(bpy)[polygon] for polygon in owner.tolist()]
    legend = colors.legend(bpy.context.scene)
    assert legend.without == []
    told = {row.label: row.polygons for row in legend.rows if row.polygons}
    measured: dict[str, int] = {}
    for value in reals(object_, f"navmesh_{color_by.lower()}").tolist():
        label = LABELS[color_by](value)
        measured[label] = measured.get(label, 0) + 1
    assert told == measured
    for row in legend.rows:
        if row.polygons:
            assert tuple(legend.materials[row.number].diffuse_color)[:3] == pytest.approx(row.color, abs=1e-5)
    assert blocks == (len(bpy.data.materials), len(bpy.data.meshes)), "made once"


LABELS = {
    "CLEARANCE": lambda v: next(
        (f"{low:g} to {high:g} m" for low, high in itertools.pairwise(ENDS) if low <= v < high),
        "12 m and more" if v > 1 else "under 0.25 m",
    ),
    "COST": lambda v: {1.0: "1 to 1.25", 10.0: "10 to 20"}[v],
    "SLOPE": lambda v: "under 5°" if v < 5 else "more",
}
ENDS = (0.25, 0.5, 0.75, 1, 1.5, 2, 3, 4, 6, 8, 12)


def reals(object_: Any, name: str) -> Any:
    found = np.zeros(len(object_.data.polygons), np.float32)
    object_.data.attributes[name].data.foreach_get("value", found)
    return found


def test_attributes_for_geometry_nodes(bpy: Any, level: Any) -> None:  # noqa: ARG001 - built
    mesh = bpy.data.objects["Navmesh"].data
    kinds = {a.name: (a.data_type, a.domain) for a in mesh.attributes if a.name.startswith("navmesh_")}
    assert kinds == {
        **{f"navmesh_{name}": ("INT", "FACE") for name in ("area", "region", "flags", "island")},
        **{f"navmesh_{name}": ("FLOAT", "FACE") for name in ("clearance", "cost", "slope")},
    }
    object_ = bpy.data.objects["Navmesh"]
    cost, area = reals(object_, "navmesh_cost"), values(object_, "navmesh_area")
    assert set(cost[area == 1].tolist()) == {10.0} and set(cost[area == 0].tolist()) == {1.0}
    assert reals(object_, "navmesh_slope") == pytest.approx(0, abs=0.1)
    far = np.array([polygon.center.x for polygon in mesh.polygons]) > 50
    assert reals(object_, "navmesh_clearance")[far].max() == pytest.approx(10, rel=0.15), "a square of 20 m"


def test_clearance_is_metres_in_a_scene_of_centimetres(bpy: Any) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    add_plane(bpy, size=2000)
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert reals(bpy.data.objects["Navmesh"], "navmesh_clearance").max() == pytest.approx(10, rel=0.15)


def test_polygons_can_be_told_apart(bpy: Any, level: Any) -> None:
    level.color_by = "POLYGON"
    assert {name.startswith("Navmesh Color") for name in shown(bpy)} == {True}
    assert len(set(shown(bpy))) > min(5, len(shown(bpy)) // 2)


def test_what_an_older_version_built_shows_its_areas_and_is_named(bpy: Any, addon: Any, level: Any) -> None:
    mesh = bpy.data.objects["Navmesh"].data
    mesh.attributes.remove(mesh.attributes["navmesh_clearance"])
    by_area = shown(bpy)
    level.color_by = "REGION"
    assert shown(bpy) != by_area
    level.color_by = "CLEARANCE"
    assert shown(bpy) == by_area
    legend = addon("objects.face_colors").legend(bpy.context.scene)
    assert (legend.rows, legend.without) == ([], ["Navmesh"])
    bpy.ops.navmesh.rebuild()
    assert set(shown(bpy)).isdisjoint(by_area)
    assert addon("objects.face_colors").legend(bpy.context.scene).without == []


def test_undo_brings_colors_and_attributes_back(bpy: Any, level: Any) -> None:
    bpy.ops.ed.undo_push(message="built")
    before, clearance = shown(bpy), reals(bpy.data.objects["Navmesh"], "navmesh_clearance").tolist()
    level.color_by = "CLEARANCE"
    bpy.ops.ed.undo_push(message="colored")
    heat = shown(bpy)
    bpy.ops.ed.undo()
    assert bpy.context.scene.navmesh.color_by == "AREA" and shown(bpy) == before
    assert reals(bpy.data.objects["Navmesh"], "navmesh_clearance").tolist() == clearance
    bpy.ops.ed.redo()
    assert bpy.context.scene.navmesh.color_by == "CLEARANCE" and shown(bpy) == heat


def test_a_heat_map_is_not_tinted(bpy: Any, level: Any) -> None:
    level.setups[0].tint = (0.9, 0.1, 0.1)
    level.color_by = "CLEARANCE"
    object_ = bpy.data.objects["Navmesh"]
    for slot in set(values(object_, "material_index").tolist()):
        assert object_.material_slots[slot].link == "DATA"


def test_a_script_that_sets_it_on_a_setup_sets_the_scenes(bpy: Any, level: Any) -> None:
    level.setups[0].color_by = "ISLAND"
    assert level.color_by == "ISLAND"
    assert all(name.startswith("Navmesh Color") for name in shown(bpy))


def test_a_material_of_ones_own_keeps_its_faces(bpy: Any, level: Any) -> None:
    mesh = bpy.data.objects["Navmesh"].data
    mine = bpy.data.materials.new("Mine")
    mesh.materials[[m.name for m in mesh.materials].index("Navmesh Walkable")] = mine
    level.color_by = "ISLAND"
    assert "Mine" not in shown(bpy)
    level.color_by = "AREA"
    bpy.ops.navmesh.rebuild()
    assert set(shown(bpy)) == {"Mine", "Navmesh Water"}


def test_an_imported_navmesh_follows_the_scene(bpy: Any, level: Any, tmp_path: Any) -> None:  # noqa: ARG001 - built
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.json"))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.json"))
    name = next(o.name for o in bpy.data.objects if o.get("navmesh_role") == "polygon_mesh")
    assert len(set(shown(bpy, name))) == 2
    for color_by in ("REGION", *HEAT):
        bpy.context.scene.navmesh.color_by = color_by
        kind = "Color" if color_by == "REGION" else "Heat"
        assert all(material.startswith(f"Navmesh {kind}") for material in shown(bpy, name))
        if color_by == "REGION":
            assert groups(shown(bpy, name)) == groups(values(bpy.data.objects[name], "navmesh_region").tolist())


def test_a_file_of_detours_has_no_costs(bpy: Any, addon: Any, level: Any, tmp_path: Any) -> None:  # noqa: ARG001 - built
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "level.bin"))
    object_ = next(o for o in bpy.data.objects if o.get("navmesh_role") == "polygon_mesh")
    names = set(object_.data.attributes.keys())
    assert "navmesh_cost" not in names and {"navmesh_clearance", "navmesh_slope"} <= names
    bpy.context.scene.navmesh.color_by = "COST"
    assert addon("objects.face_colors").legend(bpy.context.scene).without == [object_.name]


def test_a_navmesh_being_edited_keeps_its_colors(bpy: Any, level: Any) -> None:
    object_ = bpy.data.objects["Navmesh"]
    object_.hide_select = False
    bpy.context.view_layer.objects.active = object_
    object_.select_set(True)
    bpy.ops.object.mode_set(mode="EDIT")
    level.color_by = "ISLAND"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert set(shown(bpy)) == {"Navmesh Walkable", "Navmesh Water"}
