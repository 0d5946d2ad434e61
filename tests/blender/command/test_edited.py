"""`blender --command navmesh build` where a navmesh in the file was edited: asked, kept, taken over, thrown away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_plane, save


@pytest.fixture
def command(addon: Any) -> Any:
    """The command with words and paths."""
    main = addon("command.blender_command").main
    return lambda *words: main([str(word) for word in words])


@pytest.fixture
def level(bpy: Any, tmp_path: Path) -> Path:
    """Two grounds, of one of which the navmesh was deleted by hand; it has two setups."""
    add_plane(bpy)
    add_plane(bpy, "Away", 6.0, (30, 0, 0))
    bpy.ops.navmesh.setup_add(name="Human")
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    bpy.ops.navmesh.setup_add(name="Other")
    bpy.context.scene.navmesh.active = 0
    bpy.ops.navmesh.build()
    import bmesh

    mesh = bpy.data.objects["Navmesh Human"].data
    editing = bmesh.new()
    editing.from_mesh(mesh)
    gone = [face for face in editing.faces if face.calc_center_median().x > 15]
    assert gone
    bmesh.ops.delete(editing, geom=gone, context="FACES")
    editing.to_mesh(mesh)
    editing.free()
    return save(bpy, tmp_path / "level.blend")


def islands(path: Path) -> Any:
    return json.loads(path.read_text())["ground"]["islands"]


@pytest.mark.parametrize(
    ("answer", "found", "uses"),
    [("keep", 1, {"BLOCK"}), ("take-over", 1, {"NAVMESH"}), ("throw-away", 2, set())],
)
def test_an_answer_is_heeded_and_saved(
    bpy: Any, command: Any, level: Path, tmp_path: Path, answer: str, found: int, uses: set[str]
) -> None:
    out, report = tmp_path / "out.blend", tmp_path / "report.json"
    words = ["-o", tmp_path / "level.bin", "-o", out, "--report", report]
    assert command("build", level, "--setup", "Human", "--edited", answer, *words) == 0
    assert islands(report) == found
    before = (tmp_path / "level.bin").read_bytes()
    assert command("build", out, "--setup", "Human", *words[:2], "--report", report) == 0, "nothing more is asked"
    assert islands(report) == found and (tmp_path / "level.bin").read_bytes() == before
    kinds = {"BLOCK", "AREA", "PATCH", "KEEP", "NAVMESH"}
    assert {one.navmesh.use for one in bpy.data.objects} & kinds == uses


@pytest.mark.parametrize("kind", ["bin", "blend"])
def test_without_an_answer_it_is_an_error_that_names_the_option(
    command: Any, level: Path, tmp_path: Path, capfd: Any, kind: str
) -> None:
    out, before = tmp_path / f"out.{kind}", level.read_bytes()
    assert command("build", level, "-o", out) == 1
    said = capfd.readouterr().err
    assert "EDITED_NAVMESH" in said and "--edited keep" in said and "--edited take-over" in said
    assert not out.exists() and level.read_bytes() == before
    assert command("build", level, "--setup", "Other", "-o", out) == 0, "another setup's navmesh was not edited"
