"""`--check-tests`, `--test` and `--must-reach` of the command in Blender: paths and places of scenes and of files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import CUBE, CUBE_FACES, add_mesh, add_plane, save

HERE, THERE = (-5.0, -5.0, 0.0), (-5.0, 5.0, 0.0)


def level(bpy: Any, path: Path, open_way: bool, place: Any = (0, 5, 0)) -> Path:
    """A floor with a wall across and a test around it, saved; another file is open then."""
    add_plane(bpy)
    wall = add_mesh(bpy, "Wall", [(x * 8, y * 0.5, z) for x, y, z in CUBE], CUBE_FACES)
    wall.location, wall.scale.x = (-2, 0, 1), 1.0 if open_way else 1.5
    test = bpy.context.scene.navmesh.tests.add()
    test.name, test.start, test.end = "around", HERE, THERE
    bpy.context.scene.cursor.location = place
    bpy.ops.navmesh.place_add(name="Flag")
    return save(bpy, path)


@pytest.fixture
def command(addon: Any) -> Any:
    return addon("command.blender_command").main


def test_the_scene_s_own_tests_are_a_gate_where_asked_for(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    path, report, out = level(bpy, tmp_path / "a.blend", False), tmp_path / "r.json", tmp_path / "n.bin"
    argv = ["build", str(path), "-o", str(out), "--report", str(report)]
    assert command(argv) == 0, "nobody asked"
    content = json.loads(report.read_text())
    assert [(row["name"], row["ok"], row["origin"]) for row in content["tests"]] == [("around", False, "scene")]
    assert content["tests"][0]["from"] == [-5, 0, 5] and content["gates"] == []
    out.unlink()
    capfd.readouterr()
    assert command([*argv, "--check-tests"]) == 3 and not out.exists()
    said = capfd.readouterr().err
    assert "GATE_FAILED: 1 of 1 tested paths are not there. “around”: The end cannot be reached, " in said
    gates = json.loads(report.read_text())["gates"]
    assert [(gate["gate"], gate["ok"]) for gate in gates] == [("tests", False), ("must_reach", True)]


def test_all_is_there(bpy: Any, command: Any, tmp_path: Path) -> None:
    path, report, out = level(bpy, tmp_path / "a.blend", True), tmp_path / "r.json", tmp_path / "n.bin"
    argv = ["build", str(path), "-o", str(out), "--report", str(report), "--check-tests", "--skip-unchanged"]
    assert command(argv) == 0
    assert [gate["message"] for gate in json.loads(report.read_text())["gates"]] == [
        "All 1 tested paths are there.", "All 1 places can be reached.",
    ]  # fmt: skip
    assert command(argv) == 0 and json.loads(report.read_text())["unchanged"]


def test_a_place_that_is_not_walkable_fails(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    path = level(bpy, tmp_path / "a.blend", True, place=(0, 5, 30))
    assert command(["build", str(path), "--dry-run", "--check-tests"]) == 3
    assert "GATE_FAILED: 1 of 1 places that must be walkable are not. Flag: " in capfd.readouterr().err


def test_a_scene_without_tests_cannot_pass_them(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    add_plane(bpy)
    path = save(bpy, tmp_path / "a.blend")
    assert command(["build", str(path), "--dry-run", "--check-tests"]) == 3
    assert "The scene holds no path test and no place that must be walkable." in capfd.readouterr().err


def test_another_test_is_a_change(bpy: Any, command: Any, tmp_path: Path) -> None:
    path, report = level(bpy, tmp_path / "a.blend", True), tmp_path / "r.json"
    argv = ["build", str(path), "-o", str(tmp_path / "n.bin"), "--report", str(report), "--skip-unchanged"]
    assert command(argv) == 0
    bpy.ops.wm.open_mainfile(filepath=str(path))
    bpy.context.scene.navmesh.tests[0].end = (5, -5, 0)
    bpy.ops.wm.save_mainfile()
    assert command(argv) == 0 and "unchanged" not in json.loads(report.read_text())


def test_files_are_metres_and_y_up(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    """Beside the scene's own, which are Blender's coordinates; either of them is said by its name."""
    path, report = level(bpy, tmp_path / "a.blend", False), tmp_path / "r.json"
    rows = [
        {"name": "along", "from": [-5, 0, 5], "to": [5, 0, 5]},
        {"name": "across", "from": [-5, 0, 5], "to": [-5, 0, -5]},
    ]
    (tmp_path / "t.json").write_text(json.dumps({"tests": rows}))
    (tmp_path / "p.json").write_text(json.dumps({"points": [{"name": "Roof", "point": [0, 40, 0]}]}))
    files = ["--test", str(tmp_path / "t.json"), "--must-reach", str(tmp_path / "p.json")]
    assert command(["build", str(path), "-o", str(tmp_path / "n.bin"), "--report", str(report), *files]) == 3
    said = capfd.readouterr().err
    assert "1 of 2 tested paths are not there. “across”: " in said and "1 of 1 places" in said and "Roof: " in said
    content = json.loads(report.read_text())
    assert [(row["name"], row["ok"], row["origin"]) for row in content["tests"]] == [
        ("along", True, "file"), ("across", False, "file"), ("around", False, "scene"),
    ]  # fmt: skip
    assert [(row["origin"], row["name"]) for row in content["must_reach"]] == [("file", "Roof"), ("scene", "Flag")]


def test_what_was_lost_since_the_saved_build_is_a_warning(bpy: Any, command: Any, tmp_path: Path, capfd: Any) -> None:
    """`--fail-on` sees it; a file with its navmesh knows what was there."""
    path, out = level(bpy, tmp_path / "a.blend", True), tmp_path / "with.blend"
    assert command(["build", str(path), "-o", str(out)]) == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    bpy.data.objects["Wall"].scale.x = 1.5
    bpy.ops.wm.save_mainfile()
    capfd.readouterr()
    assert command(["build", str(out), "--dry-run"]) == 0
    assert "warning: PATH_LOST: The path “around” was there before this build." in capfd.readouterr().err
    assert command(["build", str(out), "--dry-run", "--fail-on", "PATH_LOST"]) == 3
