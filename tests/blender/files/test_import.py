"""Navmeshes from files: what was shipped as Blender objects, and back into the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane


@pytest.fixture
def shipped(bpy: Any, tmp_path: Path) -> Any:
    """Files of one navmesh with two areas and a link, and an empty scene to look at them."""

    def export(*endings: str, **settings: Any) -> list[Path]:
        add_plane(bpy)
        lake = add_cube(bpy, "Lake", (5, 5, 0))
        lake.scale, lake.navmesh.use, lake.navmesh.area = (3, 3, 1), "VOLUME", 1
        start, end = add_empty(bpy, "Start", (-8, -8, 0)), add_empty(bpy, "End", (8, -8, 0))
        start.navmesh.use, start.navmesh.link_end = "LINK", end
        bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.25, agent_radius=0.5, **settings)
        paths = [tmp_path / f"shipped{ending}" for ending in endings]
        for path in paths:
            bpy.ops.navmesh.export(filepath=str(path))
        bpy.ops.wm.read_homefile(use_empty=True)
        return paths

    return export


@pytest.mark.parametrize("ending", [".bin", ".json", ".tres"])
@pytest.mark.parametrize("tile_size", [0, 32])
def test_export_import_export_gives_the_same_bytes(
    bpy: Any, shipped: Any, tmp_path: Path, ending: str, tile_size: int
) -> None:
    [path] = shipped(ending, tile_size=tile_size)
    assert bpy.ops.navmesh.import_file(filepath=str(path)) == {"FINISHED"}
    bpy.ops.navmesh.export(filepath=str(tmp_path / f"again{ending}"))
    assert (tmp_path / f"again{ending}").read_bytes() == path.read_bytes()
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "look.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "look.blend"))
    bpy.ops.navmesh.export(filepath=f"//reopened{ending}")
    assert (tmp_path / f"reopened{ending}").read_bytes() == path.read_bytes()


def test_the_way_from_other_files_to_detour_is_the_one_that_is_told(bpy: Any, shipped: Any, tmp_path: Path) -> None:
    [path] = shipped(".json")
    bpy.ops.navmesh.import_file(filepath=str(path))
    with pytest.raises(RuntimeError, match="or Take Over by Hand and Build in Blender"):
        bpy.ops.navmesh.export(filepath=str(tmp_path / "again.bin"))
    assert bpy.ops.navmesh.take_over() == bpy.ops.navmesh.build() == {"FINISHED"}
    assert bpy.ops.navmesh.export(filepath=str(tmp_path / "again.bin")) == {"FINISHED"}


@pytest.mark.parametrize("ending", [".json", ".glb", ".tres", ".tscn"])
def test_names_and_costs_of_areas_come_back(bpy: Any, addon: Any, shipped: Any, ending: str) -> None:
    """Those of the file, whatever the scene that looks at it calls them."""
    bpy.ops.navmesh.area_types_edit()
    row = bpy.context.scene.navmesh.area_types[1]
    row.name, row.cost, row.color = "Swamp", 7.3, (0.25, 0.5, 0.75)
    [path] = shipped(ending)
    assert bpy.ops.navmesh.import_file(filepath=str(path)) == {"FINISHED"}
    object_ = bpy.data.objects["Navmesh shipped"]
    told = {row["area"]: row for row in json.loads(object_["navmesh_area_types"])}
    assert told[1] == {"area": 1, "name": "Swamp", "flags": 2, "cost": 7.3, "color": [0.25, 0.5, 0.75]}
    assert (told[0]["name"], told[0]["cost"]) == ("Walkable", 1.0)
    assert (ending == ".tres") == (5 not in told)  # a mesh alone has no link, and no area of one
    lines = addon("files.import_operator").fact_lines(bpy.context.scene, object_)
    assert [line.endswith(" polygons, cost 7.3") for line in lines if line.startswith("Swamp (1): ")] == [True]


@pytest.mark.parametrize("ending", [".glb", ".tscn"])
def test_a_scene_and_a_gltf_are_the_same_ground(bpy: Any, shipped: Any, ending: str) -> None:
    json_, other = shipped(".json", ending)
    for path in (json_, other):
        bpy.ops.navmesh.import_file(filepath=str(path))
    built, again = (next(o for o in bpy.data.objects if o.get("navmesh_file") == p.name) for p in (json_, other))
    facts, told = (json.loads(object_["navmesh_facts"]) for object_ in (built, again))
    assert [area for area, _, _ in facts["areas"]] == [area for area, _, _ in told["areas"]] == [0, 1]
    for (_, _, metres), (_, _, others) in zip(facts["areas"], told["areas"], strict=True):
        assert others == pytest.approx(metres, abs=0.01)
    for name in ("links", "islands", "agent", "tiles"):
        assert facts[name] == told[name]


@pytest.mark.parametrize("ending", [".bin", ".json"])
def test_an_imported_navmesh_is_what_was_built(bpy: Any, shipped: Any, ending: str) -> None:
    [path] = shipped(ending)
    bpy.ops.navmesh.import_file(filepath=str(path))
    mesh = bpy.data.objects["Navmesh shipped"].data
    areas = [value.value for value in mesh.attributes["navmesh_area"].data]
    flags = [value.value for value in mesh.attributes["navmesh_flags"].data]
    assert set(zip(areas, flags, strict=True)) == {(0, 1), (1, 2)}
    points = np.array([vertex.co for vertex in mesh.vertices])
    assert np.abs(points[:, :2]).max() < 10 and 0 < points[:, 2].max() < 1
    assert all(polygon.normal.z > 0.9 for polygon in mesh.polygons)
    detail = bpy.data.objects["Navmesh shipped Detail"].data
    owners = [value.value for value in detail.attributes["navmesh_polygon"].data]
    assert set(owners) == set(range(len(mesh.polygons)))
    links = bpy.data.objects["Navmesh shipped Links"].data
    assert len(links.edges) == 1 and {round(vertex.co.x) for vertex in links.vertices} == {-8, 8}


def test_settings_and_areas_are_told(bpy: Any, addon: Any, shipped: Any) -> None:
    for path in shipped(".bin", ".json", ".tres"):
        bpy.ops.navmesh.import_file(filepath=str(path))
        object_ = bpy.context.scene.navmesh.collection.objects[-1]
        object_ = next(t for t in bpy.data.objects if t.get("navmesh_file") == path.name)
        facts = json.loads(object_["navmesh_facts"])
        assert facts["polygons"] == len(object_.data.polygons) and facts["islands"] == 1
        lines = "\n".join(addon("files.import_operator").fact_lines(bpy.context.scene, object_))
        assert "1 island, " in lines
        if path.suffix != ".tres":
            assert "radius 0.5 m" in lines and "cells of 0.25 m" in lines and "Water (1): " in lines
            assert sum(metres for _, _, metres in facts["areas"]) == pytest.approx(18.6**2, rel=0.05)


def test_a_single_tile(bpy: Any, addon: Any, shipped: Any, tmp_path: Path) -> None:
    [path] = shipped(".bin", tile_size=32)
    file = addon("reader", "navcore.detour").read_navmesh(path.read_bytes())
    assert len(file.tiles) > 1
    for number in (0, 1):
        (tmp_path / f"tile{number}.bin").write_bytes(bytes(file.tiles[number].data))
    names = [{"name": "tile0.bin"}, {"name": "tile1.bin"}]
    bpy.ops.navmesh.import_file(directory=str(tmp_path), files=names)
    for number in (0, 1):
        object_ = bpy.data.objects[f"Navmesh tile{number}"]
        assert len(object_.data.polygons) == int(file.tiles[number].sections.header["first_connection"][0])
        bpy.ops.navmesh.export(filepath=str(tmp_path / "again.bin"), setup=object_.name)
        assert (tmp_path / "again.bin").read_bytes() == (tmp_path / f"tile{number}.bin").read_bytes()


def test_an_import_is_never_built_from_or_replaced(bpy: Any, shipped: Any) -> None:
    [path] = shipped(".bin")
    bpy.ops.navmesh.import_file(filepath=str(path))
    imported = len(bpy.data.objects["Navmesh shipped"].data.polygons)
    add_plane(bpy, size=6)
    bpy.ops.navmesh.build(scope="VISIBLE")
    assert len(bpy.data.objects["Navmesh shipped"].data.polygons) == imported
    report = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])
    assert report["used"] == ["Ground"]


def test_an_import_cannot_be_rebuilt_or_pruned(bpy: Any, shipped: Any) -> None:
    [path] = shipped(".json")
    bpy.ops.navmesh.import_file(filepath=str(path))
    for operator in (bpy.ops.navmesh.rebuild, bpy.ops.navmesh.prune):
        with pytest.raises(RuntimeError, match=r"“Navmesh shipped” was imported from shipped\.json"):
            operator()


@pytest.mark.parametrize(
    ("name", "content", "text"),
    [
        ("n.bin", b"", "is no navmesh"),
        ("n.bin", b"nothing at all", "neither a Detour navmesh set"),
        ("n.json", b"{", "is not JSON"),
        ("n.json", b"{}", "is no navmesh"),
        ("n.tres", b"[gd_resource]", "NavigationMesh"),
        ("n.obj", b"v 0 0 0", "Navmeshes are read from .bin, .json, .glb, .tres, .tscn"),
        ("n.glb", b"glTF", "ends after 4 bytes"),
        ("n.tscn", b"[gd_scene]", "no NavigationRegion3D"),
        (None, b"", "Could not read"),
    ],
)
def test_what_cannot_be_imported_is_a_sentence(
    bpy: Any, tmp_path: Path, name: str | None, content: bytes, text: str
) -> None:
    path = tmp_path / (name or "missing.bin")
    if name:
        path.write_bytes(content)
    with pytest.raises(RuntimeError, match=text) as error:
        bpy.ops.navmesh.import_file(filepath=str(path))
    assert "Traceback" not in str(error.value)
    assert "Navmesh" not in bpy.data.collections and len(bpy.data.objects) == 0


def test_metres_and_units(bpy: Any, shipped: Any) -> None:
    [path] = shipped(".json")
    bpy.context.scene.unit_settings.scale_length = 0.01
    bpy.ops.navmesh.import_file(filepath=str(path))
    points = [vertex.co.x for vertex in bpy.data.objects["Navmesh shipped"].data.vertices]
    assert 800 < max(points) < 1000 and bpy.data.objects["Navmesh shipped"]["navmesh_metres"] == pytest.approx(0.01)


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn", ".bin", ".tres"])
def test_found_links_come_back(bpy: Any, addon: Any, tmp_path: Path, ending: str) -> None:
    """With corners, kinds, ways, areas and ids; a .bin has only their points, a .tres nothing."""
    for name, place, half in (
        ("West", (-6, 0, -0.5), (5.5, 7, 0.5)), ("East", (6, 0, -0.5), (5.5, 7, 0.5)),
        ("Terrace", (9, 0, 0.5), (2.5, 7, 1)),
    ):  # fmt: skip
        add_cube(bpy, name, place).scale = half
    start, end = add_empty(bpy, "Start", (-10, -5, 0)), add_empty(bpy, "End", (-3, -5, 0))
    start.navmesh.use, start.navmesh.link_end = "LINK", end
    bpy.ops.navmesh.build(scope="VISIBLE", generate_links=True, link_drop_area=7)
    mesh = addon("stored.links_mesh")
    written = mesh.decisions_of(bpy.data.objects["Navmesh"]).shown
    assert set(written.kinds.tolist()) == {0, 1}
    path = tmp_path / f"level{ending}"
    bpy.ops.navmesh.export(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.navmesh.import_file(filepath=str(path))
    polygons = bpy.data.objects["Navmesh level"]
    object_ = mesh.links_object(polygons)
    edges = [o for o in bpy.data.objects if o.get("navmesh_role") == "links"]
    count = sum(len(o.data.edges) for o in edges)
    if ending in (".bin", ".tres"):
        assert object_ is None and (count > 2 if ending == ".bin" else count == 0)
        return
    assert count == 1, "the one that was given"
    assert object_ is not None and object_.hide_render and not object_.hide_viewport
    decisions = mesh.decisions_of(polygons)
    read = decisions.shown
    order = np.argsort(read.ids)[np.argsort(np.argsort(written.ids))]
    for name, before, after in zip(read._fields, written, read.of(order), strict=True):
        assert np.allclose(before, after, atol=1e-5), name
    assert len(decisions.rejected.ids) == 0
    bpy.ops.navmesh.export(filepath=str(tmp_path / "again.json"))
    again = json.loads((tmp_path / "again.json").read_text())["wide_links"]
    assert {one["id"] for one in again} == set(written.ids.tolist()) and all(one["points"] for one in again)


def test_an_imported_navmesh_is_told_of_wherever_it_lies(bpy: Any, shipped: Any, draw: Any) -> None:
    [path] = shipped(".json")
    bpy.ops.navmesh.import_file(filepath=str(path))
    object_ = bpy.data.objects["Navmesh shipped"]
    bpy.context.scene.collection.objects.link(object_)
    object_.users_collection[0].objects.unlink(object_)
    assert bpy.context.scene.navmesh.collection not in object_.users_collection
    assert {"Navmesh shipped", "shipped.json"} <= set(draw("BUILD").texts)
