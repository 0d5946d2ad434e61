"""`blender --command navmesh build level.glb …`: levels of other programs, through Blender's own importers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_mesh, add_plane, save

EXPORTERS: dict[str, tuple[str, dict[str, Any]]] = {
    "glb": ("export_scene.gltf", {"export_format": "GLB"}),
    "gltf": ("export_scene.gltf", {"export_format": "GLTF_SEPARATE"}),
    "fbx": ("export_scene.fbx", {}),
    "obj": ("wm.obj_export", {}),
    "ply": ("wm.ply_export", {}),
    "stl": ("wm.stl_export", {}),
    "usd": ("wm.usd_export", {}),
    "usda": ("wm.usd_export", {}),
    "usdc": ("wm.usd_export", {}),
    "usdz": ("wm.usd_export", {}),
    "abc": ("wm.alembic_export", {}),
}
"""Ending → who writes it."""
WORDS = ["--cell-size", "0.25", "--agent-radius", "0.5"]


@pytest.fixture
def command(addon: Any) -> Any:
    """The command with words and paths."""
    main = addon("command.blender_command").main
    return lambda *words: main([str(word) for word in words])


@pytest.fixture
def level(bpy: Any) -> Any:
    """Ground, a block on it, and a hut that stands mirrored; its size is no whole number of cells."""
    add_plane(bpy)
    add_cube(bpy, "Block", (3, 2, 1))
    hut = add_mesh(bpy, "Hut", [(0, 0, 0), (2, 0, 1), (2, 3, 1), (0, 3, 0)], [(0, 1, 2, 3)])
    hut.location, hut.scale = (-3, -4, 0.5), (-1, 1, 1)
    bpy.context.view_layer.update()
    return bpy


def export(bpy: Any, path: Path, more: Mapping[str, str] = {}) -> Path:
    operator, options = EXPORTERS[path.suffix[1:]]
    group, name = operator.split(".")
    assert getattr(getattr(bpy.ops, group), name)(filepath=str(path), **options, **more) == {"FINISHED"}
    return path


def ground(path: Path) -> dict[str, Any]:
    """What a report says of the walkable ground."""
    report = json.loads(path.read_text())
    assert report["ok"], report
    found: dict[str, Any] = report["ground"]
    return found


@pytest.mark.parametrize("ending", EXPORTERS)
def test_an_exported_level_has_the_navmesh_of_its_scene(level: Any, command: Any, tmp_path: Path, ending: str) -> None:
    if ending in ("ply", "stl"):  # Blender's exporters of these turn a mirrored mesh inside out
        level.data.objects["Hut"].scale.x = 1
    exported = export(level, tmp_path / f"level.{ending}")
    scene = save(level, tmp_path / "scene.blend")
    words = [*WORDS, "-o", tmp_path / "{file}.bin", "--report", tmp_path / "{file}.json"]
    assert command("build", scene, exported, *words) == 0
    as_built, as_imported = ground(tmp_path / "scene.json"), ground(tmp_path / "level.json")
    assert as_imported["square_metres"] == pytest.approx(as_built["square_metres"], rel=1e-3)
    assert as_imported["islands"] == as_built["islands"]
    assert (tmp_path / "level.bin").stat().st_size > 500


@pytest.mark.parametrize("ending", ["glb", "obj"])
def test_it_is_the_same_bytes_where_the_format_holds_every_number(
    level: Any, command: Any, tmp_path: Path, ending: str
) -> None:
    level.data.objects.remove(level.data.objects["Hut"])
    exported = export(level, tmp_path / f"level.{ending}")
    scene = save(level, tmp_path / "scene.blend")
    assert command("build", scene, exported, *WORDS, "-o", tmp_path / "{file}.bin") == 0
    assert (tmp_path / "level.bin").read_bytes() == (tmp_path / "scene.bin").read_bytes()


def test_navcore_reads_the_same_level_from_what_blender_exports(
    level: Any, command: Any, addon: Any, tmp_path: Path
) -> None:
    """glTF is read in two ways: by Blender's importer, and by navcore itself."""
    exported = export(level, tmp_path / "level.glb")
    assert command("build", exported, *WORDS, "--report", tmp_path / "blender.json") == 0
    navcore = addon("__main__", package="navcore").main
    assert (
        navcore(["build", str(exported), *WORDS, "-o", str(tmp_path / "n.bin"), "--report", f"{tmp_path}/n.json"]) == 0
    )
    by_blender, by_navcore = ground(tmp_path / "blender.json"), ground(tmp_path / "n.json")
    assert by_navcore["square_metres"] == pytest.approx(by_blender["square_metres"], rel=1e-3)


@pytest.mark.parametrize("ending", ["glb", "obj", "stl", "ply", "fbx", "usdc"])
@pytest.mark.parametrize("up", ["z", "-x", "-z"])
def test_a_file_with_another_axis_up_is_turned_and_scaled(
    level: Any, command: Any, addon: Any, tmp_path: Path, ending: str, up: str
) -> None:
    """The level is laid on its side and made large before it is exported: the flags bring its navmesh back."""
    level.data.objects.remove(level.data.objects["Hut"])
    scene = save(level, tmp_path / "scene.blend")
    level.ops.wm.open_mainfile(filepath=str(scene))
    lay_aside(level, addon, up, 100.0)
    y_up = {"forward_axis": "NEGATIVE_Z", "up_axis": "Y"} if ending in ("stl", "ply") else {}  # Blender's are z up
    exported = export(level, tmp_path / f"level.{ending}", y_up)
    words = [*WORDS, "-o", tmp_path / "{file}.bin", "--report", tmp_path / "{file}.json"]
    assert command("build", scene, *words) == 0
    assert command("build", exported, *words, "--up", up, "--unit", "mm", "--scale", "10") == 0
    as_built, as_turned = ground(tmp_path / "scene.json"), ground(tmp_path / "level.json")
    assert as_turned["square_metres"] == pytest.approx(as_built["square_metres"], rel=5e-3)
    boxes = [bounds_of(addon, tmp_path / f"{name}.bin") for name in ("scene", "level")]
    assert boxes[1] == pytest.approx(boxes[0], abs=0.01)


def lay_aside(bpy: Any, addon: Any, up: str, factor: float) -> None:
    """Turn everything so that this axis of a file is up, and make it larger."""
    import mathutils

    rows = addon("formats.file_axes", package="navcore").FileAxes(up).rows()
    turn = mathutils.Matrix(addon("axes").turned_in_blender(rows).tolist()).to_4x4()
    above = bpy.data.objects.new("Above", None)
    bpy.context.scene.collection.objects.link(above)
    for object_ in list(bpy.context.scene.objects):
        if object_ != above:
            object_.parent = above
    above.matrix_world = turn.inverted() @ mathutils.Matrix.Scale(factor, 4)
    bpy.context.view_layer.update()


def bounds_of(addon: Any, path: Path) -> list[float]:
    vertices = addon("formats", package="navcore").read_navmesh_file(path).vertices
    return [*vertices.min(axis=0).tolist(), *vertices.max(axis=0).tolist()]


def test_axes_are_for_what_is_imported(level: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    scene = save(level, tmp_path / "scene.blend")
    for words in (["--up", "z"], ["--up", "y"], ["--unit", "cm"], ["--scale", "2"]):
        assert command("build", scene, "--dry-run", *words) == 1
        assert "BAD_AXES" in (said := capfd.readouterr().err) and "a scene of Blender's" in said


def test_files_that_say_nothing_of_axes_are_as_blender_takes_them_unless_they_are_told(
    level: Any, command: Any, tmp_path: Path
) -> None:
    exported = export(level, tmp_path / "level.stl")
    words = [exported, *WORDS, "--report", tmp_path / "r.json"]
    assert command("build", *words) == 0
    z_up = ground(tmp_path / "r.json")["square_metres"]
    assert command("build", *words, "--up", "z") == 0
    assert ground(tmp_path / "r.json")["square_metres"] == pytest.approx(z_up, rel=1e-3)
    assert command("build", *words, "--scale", "2") == 0
    assert ground(tmp_path / "r.json")["square_metres"] > 3 * z_up


def test_a_level_is_imported_into_nothing_and_saved_with_its_navmesh(level: Any, command: Any, tmp_path: Path) -> None:
    """Neither what was open nor what was built before is in it."""
    exported = export(level, tmp_path / "level.glb")
    level.ops.wm.read_homefile(use_empty=True)
    add_cube(level, "Open")
    assert command("build", exported, exported, *WORDS, "-o", tmp_path / "with {file}.blend") == 1, "one name, twice"
    assert command("build", exported, *WORDS, "-o", tmp_path / "with.blend") == 0
    level.ops.wm.open_mainfile(filepath=str(tmp_path / "with.blend"))
    names = {object_.name for object_ in level.data.objects}
    assert {"Ground", "Block", "Hut", "Navmesh"} <= names and not {"Open", "Ground.001", "Cube", "Camera"} & names


def test_flags_mean_what_they_mean_for_a_blend_file(level: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    exported = export(level, tmp_path / "level.glb")
    assert command("build", exported, "--dry-run", "--collection", "None such") == 1
    assert "NO_COLLECTION" in capfd.readouterr().err
    assert command("build", exported, "--dry-run", "--setup", "Human") == 1
    assert "There is no setup named “Human”" in capfd.readouterr().err
    assert command("build", exported, "--dry-run", "--all-setups") == 0
    assert "the file has no setup. Its agent is 2 m high" in capfd.readouterr().err
    assert command("build", exported, "--dry-run", *WORDS, "--max-islands", 0) == 3
    out = tmp_path / "n.bin"
    for line in ("polygons", "nothing has changed"):
        assert command("build", exported, *WORDS, "-o", out, "--skip-unchanged") == 0
        assert line in capfd.readouterr().out


def test_an_output_does_not_replace_the_level(level: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    exported = export(level, tmp_path / "level.glb")
    content = exported.read_bytes()
    assert command("build", exported, *WORDS, "-o", tmp_path / "{file}.glb") == 1
    assert "level.glb is read" in capfd.readouterr().err and exported.read_bytes() == content


def test_references_of_another_width_are_written_anew(level: Any, command: Any, tmp_path: Path) -> None:
    exported, out = export(level, tmp_path / "level.glb"), tmp_path / "n.bin"
    assert command("build", exported, *WORDS, "-o", out, "--skip-unchanged") == 0
    narrow = out.read_bytes()
    assert command("build", exported, *WORDS, "-o", out, "--skip-unchanged", "--references", 64) == 0
    assert out.read_bytes() != narrow


def test_what_cannot_be_imported_stops_no_other_build(level: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    exported = export(level, tmp_path / "level.glb")
    broken = []
    for ending in ("glb", "gltf", "fbx", "obj", "ply", "stl", "usdc", "abc"):
        broken.append(tmp_path / f"broken.{ending}")
        broken[-1].write_bytes(b"nothing")
    words = ["-o", tmp_path / "{file}.bin", "--report", tmp_path / "r.json"]
    assert command("build", *broken, tmp_path / "none.fbx", exported, *WORDS, *words) == 1
    said = capfd.readouterr().err
    builds = json.loads((tmp_path / "r.json").read_text())["builds"]
    assert [build["ok"] for build in builds] == [False] * 9 + [True], said
    for build in builds[:8]:
        error = build["error"]
        assert error["code"] == "CANNOT_READ" and " could not be imported: " in error["message"]
        assert "Traceback" not in error["message"] and "\n" not in error["message"] and len(error["message"]) < 600
    assert builds[8]["error"]["message"].endswith("there is no such file.")
    assert [path.name for path in tmp_path.glob("*.bin")] == ["level.bin"]


@pytest.mark.parametrize("ending", ["glb", "fbx", "ply", "usdc", "abc"])
def test_a_file_that_was_cut_off_is_refused(level: Any, command: Any, tmp_path: Path, capfd: Any, ending: str) -> None:
    exported = export(level, tmp_path / f"level.{ending}")
    exported.write_bytes(exported.read_bytes()[: exported.stat().st_size * 2 // 3])
    assert command("build", exported, "--dry-run", *WORDS) == 1
    (said,) = [line for line in capfd.readouterr().err.splitlines() if line.startswith("navmesh: ")]
    assert said.startswith(f"navmesh: CANNOT_READ: {exported} could not be imported: ") and said.endswith("as .blend.")


def test_an_alembic_file_that_cannot_be_read(
    level: Any, command: Any, tmp_path: Path, capfd: Any, monkeypatch: Any
) -> None:
    exported = export(level, tmp_path / "level.abc")

    def refuse(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert command("build", exported, "--dry-run") == 1
    assert f"CANNOT_READ: Could not read {exported}: Permission denied." in capfd.readouterr().err


def test_a_level_without_meshes_is_refused(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    (tmp_path / "points.obj").write_text("# nothing\n")
    assert command("build", tmp_path / "points.obj", "--dry-run") == 1
    assert "no mesh came of it" in capfd.readouterr().err
    assert not [object_ for object_ in bpy.data.objects if object_.type == "MESH"]


def test_an_importer_that_is_switched_off_is_enabled_meanwhile(level: Any, command: Any, tmp_path: Path) -> None:
    import addon_utils

    exported = export(level, tmp_path / "level.glb")
    addon_utils.disable("io_scene_gltf2", default_set=False)
    try:
        assert command("build", exported, "--dry-run", *WORDS) == 0
        assert not addon_utils.check("io_scene_gltf2")[1], "and it is switched off again"
    finally:
        addon_utils.enable("io_scene_gltf2", default_set=False)


def test_an_importer_that_cannot_be_enabled_is_named(
    level: Any, command: Any, tmp_path: Path, capfd: Any, monkeypatch: Any
) -> None:
    import addon_utils

    exported = export(level, tmp_path / "level.glb")
    addon_utils.disable("io_scene_gltf2", default_set=False)
    try:
        monkeypatch.setattr(addon_utils, "enable", lambda *_, handle_error, **__: handle_error(ImportError("gone")))
        assert command("build", exported, "--dry-run") == 1
    finally:
        monkeypatch.undo()
        addon_utils.enable("io_scene_gltf2", default_set=False)
    said = capfd.readouterr().err
    assert "NO_IMPORTER" in said and "Blender's add-on io_scene_gltf2, which imports .glb files" in said
    assert "cannot be enabled (gone). Enable it in Preferences" in said


def test_an_ending_that_this_blender_has_no_importer_for(
    addon: Any, command: Any, tmp_path: Path, capfd: Any, monkeypatch: Any
) -> None:
    """Newer Blenders have none for Collada; in older ones it is made up."""
    monkeypatch.setattr(addon("command.level_import"), "_exists", lambda _: False)
    (tmp_path / "level.dae").write_text("<COLLADA/>")
    assert command("build", tmp_path / "level.dae", "--dry-run") == 1
    assert "has no importer for .dae files. Export the level as .glb" in capfd.readouterr().err


def test_the_extension_is_still_there_afterwards(level: Any, command: Any, addon: Any, tmp_path: Path) -> None:
    exported = export(level, tmp_path / "level.ply")
    assert command("build", exported, "--dry-run", *WORDS) == 0
    assert hasattr(level.types, "NAVMESH_OT_build") and hasattr(level.context.scene, "navmesh")
    assert set(addon("command.level_import").ENDINGS) == {f".{ending}" for ending in EXPORTERS} | {".dae"}
