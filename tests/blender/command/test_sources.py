"""What the command builds from: setups by name, what is visible, and levels that are not whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane, save


@pytest.fixture
def command(addon: Any) -> Any:
    """The command with words and paths."""
    main = addon("command.blender_command").main
    return lambda *words: main([str(word) for word in words])


def warnings_in(path: Path) -> list[tuple[str, str]]:
    return [(warning["code"], warning.get("object", "")) for warning in json.loads(path.read_text())["warnings"]]


# ---------------------------------------------------------------------- missing


@pytest.fixture
def broken(bpy: Any, tmp_path: Path) -> Path:
    """A level whose crate is linked from a library that is gone, and with a modifier that has nothing to cut with."""
    add_cube(bpy, "Crate")
    save(bpy, tmp_path / "kit.blend")
    add_plane(bpy)
    add_cube(bpy, "Wall", (5, 0, 0)).modifiers.new("Arch", "BOOLEAN")
    with bpy.data.libraries.load(str(tmp_path / "kit.blend"), link=True) as (_, wanted):
        wanted.objects = ["Crate"]
    bpy.context.scene.collection.objects.link(bpy.data.objects["Crate"])
    level = save(bpy, tmp_path / "level.blend")
    (tmp_path / "kit.blend").unlink()
    return level


def test_a_level_that_is_not_whole_is_refused(command: Any, broken: Path, tmp_path: Path, capfd: Any) -> None:
    out, report = tmp_path / "n.bin", tmp_path / "r.json"
    assert command("build", broken, "-o", out, "--report", report) == 1
    said = capfd.readouterr().err
    assert "navmesh: MISSING_SOURCES: " in said and "--allow-missing" in said
    assert "MISSING_LIBRARY: “Crate” needs the library" in said and "kit.blend, which is missing" in said
    assert "MODIFIER_FAILED: “Wall” modifier Arch has no object" in said
    assert not out.exists() and json.loads(report.read_text())["error"]["code"] == "MISSING_SOURCES"


def test_a_level_that_is_not_whole_is_built_where_that_is_allowed(
    command: Any, broken: Path, tmp_path: Path, capfd: Any
) -> None:
    words = ["build", broken, "-o", tmp_path / "n.bin", "--report", tmp_path / "r.json", "--allow-missing"]
    assert command(*words) == 0
    assert warnings_in(tmp_path / "r.json") == [("MISSING_LIBRARY", "Crate"), ("MODIFIER_FAILED", "Wall")]
    assert command(*words, "--fail-on", "MISSING_LIBRARY") == 3
    assert "MISSING_LIBRARY: “Crate”: needs" in capfd.readouterr().err
    assert command(*words, "--fail-on", "MISSING_DATA") == 0


def test_another_file_and_other_setups_go_on(bpy: Any, command: Any, broken: Path, tmp_path: Path) -> None:
    add_plane(bpy)
    sound = save(bpy, tmp_path / "sound.blend")
    assert command("build", broken, sound, "-o", tmp_path / "{file}.bin") == 1
    assert [path.name for path in tmp_path.glob("*.bin")] == ["sound.bin"]


# ----------------------------------------------------------------------- setups


@pytest.mark.parametrize("stored", [(), ("Human", "Giant")])
def test_a_setup_that_is_not_there_is_refused(
    bpy: Any, command: Any, tmp_path: Path, capfd: Any, stored: tuple[str, ...]
) -> None:
    add_plane(bpy)
    for name in stored:
        bpy.ops.navmesh.setup_add(name=name)
    there = "There are: Human, Giant." if stored else "The scene “Scene” has none"
    for operator in (bpy.ops.navmesh.build, bpy.ops.navmesh.rebuild):
        with pytest.raises(RuntimeError, match=f"no setup named “Dwarf”. {there}"):
            operator(setup="Dwarf")
    assert "Navmesh" not in bpy.data.objects
    level = save(bpy, tmp_path / "level.blend")
    assert command("build", level, "--setup", "Dwarf", "-o", tmp_path / "n.bin") == 1
    assert f"NO_SETUP: There is no setup named “Dwarf”. {there}" in capfd.readouterr().err
    assert not (tmp_path / "n.bin").exists()


# ---------------------------------------------------------------------- visible


@pytest.mark.parametrize("setup", ["", "SELECTED", "VISIBLE", "COLLECTION"])
def test_a_script_builds_what_the_command_builds(bpy: Any, command: Any, tmp_path: Path, setup: str) -> None:
    """Of one file, to the last byte: as its setup says; and what is selected in it is chance."""
    add_plane(bpy)
    add_cube(bpy, "Selected", (4, 0, 0)).select_set(True)
    inner = bpy.data.collections.new("Inner")
    bpy.context.scene.collection.children.link(inner)
    add_cube(bpy, "Inside", (0, 4, 0), inner).scale = (3, 3, 1)
    if setup:
        bpy.ops.navmesh.setup_add()
        bpy.context.scene.navmesh.setups[0].scope = setup
        bpy.context.scene.navmesh.setups[0].collection = inner
    level = save(bpy, tmp_path / "level.blend")
    assert command("build", level, "-o", tmp_path / "command.bin") == 0
    bpy.ops.wm.open_mainfile(filepath=str(level))
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    assert bpy.ops.navmesh.export(filepath=str(tmp_path / "script.bin")) == {"FINISHED"}
    assert (tmp_path / "script.bin").read_bytes() == (tmp_path / "command.bin").read_bytes()
    report = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])
    assert sorted(report["used"]) == (["Inside"] if setup == "COLLECTION" else ["Ground", "Inside", "Selected"])


def test_a_script_that_asks_for_the_selection_gets_it(bpy: Any) -> None:
    add_plane(bpy)
    add_plane(bpy, "Selected", at=(40, 0, 0)).select_set(True)
    assert bpy.ops.navmesh.build(scope="SELECTED") == {"FINISHED"}
    assert json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["used"] == ["Selected"]


# -------------------------------------------------------------------- unchanged


def test_looking_whether_something_has_changed_gathers_once(
    bpy: Any, addon: Any, command: Any, tmp_path: Path, monkeypatch: Any
) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.setup_add()
    level = save(bpy, tmp_path / "level.blend")
    gathering = addon("gather.gather_scene").Gathering
    begin, begun = gathering._begin, []

    def counted(self: Any, context: Any) -> Any:
        begun.append(self)
        return begin(self, context)

    monkeypatch.setattr(gathering, "_begin", counted)
    for _ in range(2):
        assert command("build", level, "-o", tmp_path / "n.bin", "--skip-unchanged") == 0
    assert len(begun) == 2
