"""The navmesh in Blender's own glTF export of the level."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.conftest import MODULE
from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def level(bpy: Any) -> Iterator[Any]:
    """A level with two areas and its navmesh; the extension is one that the exporter knows of."""
    entry = bpy.context.preferences.addons.new()
    entry.module = MODULE
    add_plane(bpy)
    lake = add_cube(bpy, "Lake", (5, 5, 0))
    lake.scale, lake.navmesh.use, lake.navmesh.area = (3, 3, 1), "VOLUME", 1
    bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.25)
    yield bpy
    bpy.context.preferences.addons.remove(entry)


def exported(bpy: Any, path: Path, **options: Any) -> dict[str, Any]:
    """The JSON of a .glb, with nodes by name."""
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", **options)
    content = path.read_bytes()
    length = struct.unpack_from("<I", content, 12)[0]
    document: dict[str, Any] = json.loads(content[20 : 20 + length])
    document["node"] = {node["name"]: node for node in document["nodes"]}
    return document


def heights(document: dict[str, Any], node: str) -> tuple[float, float]:
    accessors = [
        document["accessors"][primitive["attributes"]["POSITION"]]
        for primitive in document["meshes"][document["node"][node]["mesh"]]["primitives"]
    ]
    return min(a["min"][1] for a in accessors), max(a["max"][1] for a in accessors)


def test_both_meshes_travel_with_what_is_known_of_them(level: Any, tmp_path: Path) -> None:
    document = exported(level, tmp_path / "level.glb")
    assert {"Ground", "Lake", "Navmesh", "Navmesh Detail"} <= set(document["node"])
    extras = document["node"]["Navmesh"]["extras"]["navmesh"]
    assert extras["settings"]["cell_size"] == 0.25 and extras["mesh"] == "polygon_mesh"
    assert sorted(extras["area_of_material"].values()) == [0, 1]
    names = {material["name"] for material in document["materials"]}
    assert set(extras["area_of_material"]) <= names
    assert {(row["area"], row["flags"], row["cost"]) for row in extras["area_types"]} >= {(0, 1, 1.0), (1, 2, 10.0)}
    assert all(len(row["color"]) == 3 for row in extras["area_types"])


def test_it_lies_where_the_navmesh_is(level: Any, tmp_path: Path) -> None:
    """Also where modifiers are applied: the one that lifts it in the viewport is not."""
    wanted = [v.co.z for v in level.data.objects["Navmesh"].data.vertices]
    for options in ({"export_apply": True}, {"export_apply": False}):
        found = heights(exported(level, tmp_path / "level.glb", **options), "Navmesh")
        assert found == pytest.approx((min(wanted), max(wanted)), abs=1e-6)
    assert all(object_.modifiers[0].show_viewport for object_ in level.data.objects if "navmesh_role" in object_)


def test_for_godot(level: Any, tmp_path: Path) -> None:
    level.context.scene.navmesh.gltf = "GODOT"
    document = exported(level, tmp_path / "level.glb")
    assert set(document["node"]) == {"Ground", "Lake", "Navmesh-navmesh"}


def test_for_hubs(level: Any, tmp_path: Path) -> None:
    level.context.scene.navmesh.gltf = "HUBS"
    document = exported(level, tmp_path / "level.glb")
    node = document["node"]["Navmesh"]
    assert node["extensions"] == {"MOZ_hubs_components": {"nav-mesh": {"__empty": 0}, "visible": {"visible": False}}}
    assert document["extensionsUsed"] == ["MOZ_hubs_components"] and "extensionsRequired" not in document
    assert not any("material" in primitive for primitive in document["meshes"][node["mesh"]]["primitives"])
    assert "Navmesh Detail" not in document["node"]


@pytest.mark.parametrize("whole", [False, True])
def test_left_out(level: Any, tmp_path: Path, whole: bool) -> None:
    """Also where collections become nodes."""
    level.context.scene.navmesh.gltf = "OFF"
    document = exported(level, tmp_path / "level.glb", export_hierarchy_full_collections=whole)
    assert not any("Detail" in name for name in document["node"]) and len(document["meshes"]) == 2
    assert not any("mesh" in node for name, node in document["node"].items() if name not in ("Ground", "Lake"))


def test_nothing_of_ours_leaks_into_extras(level: Any, tmp_path: Path) -> None:
    """Custom properties of an imported navmesh hold its whole file."""
    level.ops.navmesh.export(filepath=str(tmp_path / "n.bin"))
    level.ops.navmesh.import_file(filepath=str(tmp_path / "n.bin"))
    level.data.objects["Navmesh n"]["note"] = "mine"
    document = exported(level, tmp_path / "level.glb", export_extras=True)
    for name in ("Navmesh", "Navmesh Detail", "Navmesh n"):
        assert set(document["node"][name]["extras"]) - {"note"} == {"navmesh"}
    assert document["node"]["Navmesh n"]["extras"]["note"] == "mine"


def test_it_opens_in_a_fresh_blender(level: Any, tmp_path: Path) -> None:
    polygons = level.data.objects["Navmesh"].data
    ground = sum(polygon.area for polygon in polygons.polygons)
    exported(level, tmp_path / "level.glb")
    level.ops.wm.read_homefile(use_empty=True)
    level.ops.import_scene.gltf(filepath=str(tmp_path / "level.glb"))
    mesh = level.data.objects["Navmesh"].data
    assert sum(polygon.area for polygon in mesh.polygons) == pytest.approx(ground, rel=1e-5)
    assert {material.name for material in mesh.materials} == {"Navmesh Walkable", "Navmesh Water"}
    assert np.isfinite([vertex.co[:] for vertex in mesh.vertices]).all()


def test_the_tint_of_a_setup_is_for_the_viewport_alone(level: Any, tmp_path: Path) -> None:
    """Two agents' navmeshes share the materials of areas in the file, and keep their tints in the scene."""
    plain = exported(level, tmp_path / "plain.glb")["materials"]
    level.ops.navmesh.setup_add(name="Giant")
    level.ops.navmesh.build(scope="VISIBLE")
    slots = level.data.objects["Navmesh Giant"].material_slots
    before = [(slot.link, slot.material) for slot in slots]
    document = exported(level, tmp_path / "two.glb")
    assert document["materials"] == plain
    assert set(document["node"]["Navmesh Giant"]["extras"]["navmesh"]["area_of_material"]) == {m["name"] for m in plain}
    assert [(slot.link, slot.material) for slot in slots] == before
    assert {link for link, material in before if "Heat" not in material.name} == {"OBJECT"}
