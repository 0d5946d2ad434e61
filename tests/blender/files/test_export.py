"""Export for every target, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import scenes as levels
from tests.blender.scenes import add_cube, add_mesh, add_plane


@pytest.mark.parametrize("ending", [".bin", ".obj", ".json"])
def test_export_is_what_navcore_writes(bpy: Any, addon: Any, tmp_path: Path, ending: str) -> None:
    vertices, triangles = levels.city(1)
    add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)
    bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.3)
    ours, theirs = tmp_path / f"ours{ending}", tmp_path / f"theirs{ending}"
    assert bpy.ops.navmesh.export(filepath=str(ours)) == {"FINISHED"}
    area_types = addon("stored.area_types").runtime_area_types(bpy.context.scene)
    types = {area: addon("area_types", "navcore").AreaType(*row) for area, *row in area_types}
    navmesh = addon("build_level", "navcore.builder").build_navmesh(vertices, triangles, area_types=types)
    addon("formats", "navcore").write_navmesh(navmesh, theirs)
    assert ours.read_bytes() == theirs.read_bytes()


def test_export_after_the_file_was_opened_again(bpy: Any, addon: Any, tmp_path: Path) -> None:
    """Then the navmesh is built again from what it remembers."""
    add_plane(bpy).select_set(True)
    bpy.ops.navmesh.build(cell_size=0.25)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "before.json"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"]) is None
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.navmesh.export(filepath="//after.json")
    assert (tmp_path / "after.json").read_bytes() == (tmp_path / "before.json").read_bytes()


@pytest.mark.parametrize("moved", [False, True])
def test_a_level_that_changed_since_is_said(bpy: Any, tmp_path: Path, capfd: Any, moved: bool) -> None:
    """What is written is then not what is shown."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    bpy.data.objects["Ground"].name = "Floor"
    bpy.data.objects["Floor"].location.x += 3 * moved
    for name in ("first.json", "second.json"):
        capfd.readouterr()
        bpy.ops.navmesh.export(filepath=str(tmp_path / name))
        assert ("not the one that is shown" in capfd.readouterr().out) == moved
    assert (tmp_path / "first.json").read_bytes() == (tmp_path / "second.json").read_bytes()


def test_flags_of_the_scene_reach_the_file(bpy: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    lake = add_cube(bpy, "Lake")
    lake.scale, lake.navmesh.use, lake.navmesh.area = (4, 4, 1), "VOLUME", 7
    bpy.ops.navmesh.area_type_add()
    row = bpy.context.scene.navmesh.area_types[-1]
    assert row.area == 7
    row.flags = 99
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.export(filepath=str(tmp_path / "n.json"))
    mesh = json.loads((tmp_path / "n.json").read_text())["polygon_mesh"]
    assert set(zip(mesh["areas"], mesh["flags"], strict=True)) == {(0, 1), (7, 99)}


def test_costs_and_colors_of_the_scene_reach_the_file(bpy: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    lake = add_cube(bpy, "Lake")
    lake.scale, lake.navmesh.use, lake.navmesh.area = (4, 4, 1), "VOLUME", 1
    bpy.ops.navmesh.area_types_edit()
    row = bpy.context.scene.navmesh.area_types[1]
    row.cost, row.color = 2.6, (0.2, 0.4, 0.6)
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.export(filepath=str(tmp_path / "n.json"))
    exported = json.loads((tmp_path / "n.json").read_text())
    assert exported["area_types"]["1"] == {"name": "Water", "flags": 2, "cost": 2.6, "color": [0.2, 0.4, 0.6]}
    bpy.ops.navmesh.export(filepath=str(tmp_path / "n.tscn"))
    assert "travel_cost = 2.6" in (tmp_path / "n.tscn").read_text()
    said = bpy.data.objects["Navmesh"]["navmesh_report"]
    assert "LOST_IN_EXPORT" not in said


TARGETS = ("detour", "gltf", "pathfinding", "godot", "godot-scene", "obj", "json", "recastdemo")


@pytest.mark.parametrize("target", TARGETS)
def test_export_for(bpy: Any, addon: Any, tmp_path: Path, target: str) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.25, cell_height=0.25)
    ending = addon("target_names", "navcore.formats").TARGET_NAMES[TARGETS.index(target)].ending
    ours, theirs = tmp_path / "a" / f"n{ending}", tmp_path / "b" / f"n{ending}"
    for path in (ours, theirs):
        path.parent.mkdir()
    assert bpy.ops.navmesh.export(filepath=str(ours), target=target) == {"FINISHED"}
    assert ours.stat().st_size > 60
    if target != "recastdemo":
        built = addon("objects.built_from").finished_navmesh(bpy.context)
        addon("formats", "navcore").write_navmesh(built.navmesh, theirs, target)
        assert ours.read_bytes() == theirs.read_bytes()


def test_the_menu_has_every_target(bpy: Any, addon: Any) -> None:
    known = addon("formats", "navcore").targets()
    shown = list(bpy.ops.navmesh.export.get_rna_type().properties["target"].enum_items)[1:]  # the first is By Ending
    assert [item.identifier for item in shown] == [*known, "TILE_CACHE"]
    endings = {**{name: target.ending for name, target in known.items()}, "TILE_CACHE": ".tilecache.bin"}
    for item in shown:
        text, _, ending = item.description.rpartition(" (")
        assert ending == f"{endings[item.identifier]})" and len(text) <= 80


def test_a_recastdemo_case_holds_the_level(bpy: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    lake = add_cube(bpy, "Lake")
    lake.scale, lake.navmesh.use, lake.navmesh.area = (4, 4, 1), "VOLUME", 1
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.navmesh.export(filepath=str(tmp_path / "case.gset"))
    assert (tmp_path / "case.gset").read_text().startswith("f case-level.obj\n")
    assert (tmp_path / "case.gset").read_text().count("\nv ") == 1
    assert (tmp_path / "case-level.obj").read_text().count("\nf ") == 2


def test_the_target_brings_its_ending(bpy: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    with pytest.raises(RuntimeError, match=r"files for Godot mesh end in \.tres"):
        bpy.ops.navmesh.export(filepath=str(tmp_path / "n.bin"), target="godot")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("{tmp}/navmesh.xyz", "unknown ending"),
        ("//navmesh.bin", "never saved"),
        ("{tmp}/no/n.bin", "folder does not exist"),
    ],
)
def test_export_refuses_by_name(bpy: Any, tmp_path: Path, path: str, text: str) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    with pytest.raises(RuntimeError, match=text):
        bpy.ops.navmesh.export(filepath=path.format(tmp=tmp_path))
    assert list(tmp_path.iterdir()) == []


def test_paths_in_a_foreign_file_lead_nowhere(bpy: Any, tmp_path: Path) -> None:
    """Whatever names a file holds: opening and building write nothing, an export writes where it was told."""
    out = tmp_path / "level/deep/out"
    out.mkdir(parents=True)
    outside = "../../outside"
    plane = add_plane(bpy)
    bpy.ops.navmesh.setup_add(name=outside)
    bpy.ops.navmesh.build(scope="VISIBLE", setup=outside)
    bpy.ops.navmesh.export(filepath=str(out / "shipped.json"))
    bpy.ops.navmesh.import_file(filepath=str(out / "shipped.json"))
    (out / "shipped.json").unlink()
    bpy.context.scene.navmesh.setups[0].name = plane.name = bpy.data.collections["Navmesh"].name = outside
    for object_ in list(bpy.data.objects):
        for key in [key for key in object_.keys() if isinstance(object_[key], str) and object_[key][:1] not in "{["]:  # noqa: SIM118
            if key not in ("navmesh_setup", "navmesh_role"):
                object_[key] = f"//{outside}"
        object_["filepath"] = f"//{outside}.bin"
    bpy.ops.wm.save_as_mainfile(filepath=str(out / "foreign.blend"))
    before = sorted(tmp_path.rglob("*"))
    bpy.ops.wm.open_mainfile(filepath=str(out / "foreign.blend"))
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.rebuild() == {"FINISHED"}
    imported = next(object_ for object_ in bpy.data.objects if "navmesh_content" in object_ and object_.type == "MESH")
    with pytest.raises(RuntimeError):
        bpy.ops.navmesh.export(filepath=str(out / "imported.json"), setup=imported.name)
    assert sorted(tmp_path.rglob("*")) == before
    assert bpy.ops.navmesh.export(filepath="//case.gset", setup=outside) == {"FINISHED"}
    assert sorted(set(tmp_path.rglob("*")) - set(before)) == [out / "case-level.obj", out / "case.gset"]
    assert "outside" not in (out / "case.gset").read_text()


def test_export_without_a_navmesh(bpy: Any, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no navmesh"):
        bpy.ops.navmesh.export(filepath=str(tmp_path / "n.bin"))
