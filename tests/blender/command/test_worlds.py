"""`blender --command navmesh world`: sections that are .blend files, beside such that are meshes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_empty, save
from tests.blender.sections import SIDE, write_world


@pytest.fixture
def world(bpy: Any, tmp_path: Path) -> Path:
    return write_world(bpy, tmp_path)


@pytest.fixture
def command(addon: Any) -> Any:
    """The command with words and paths."""
    main = addon("command.blender_command").main
    return lambda *words: main([str(word) for word in words])


def asked(command: Any, capfd: Any, *words: Any) -> Any:
    """The answer as JSON, behind what Blender says of the files that it reads."""
    capfd.readouterr()
    assert command("world", *words, "--json") == 0
    return json.loads(re.sub(r"(?s).*?^(?=\{)", "", capfd.readouterr().out, count=1, flags=re.M))


def opened(monkeypatch: pytest.MonkeyPatch, addon: Any) -> list[str]:
    """The files that are opened from now on."""
    sections, names = addon("command.world_sections"), list[str]()
    open_level = sections.open_level
    monkeypatch.setattr(sections, "open_level", lambda path: (names.append(path.name), open_level(path)))
    return names


def test_a_world_is_built_from_blend_files(
    addon: Any, command: Any, world: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, names = world.parent / "out", opened(monkeypatch, addon)
    plan = asked(command, capfd, "plan", world, "-o", out)
    assert plan["build"] == 3 and not out.exists() and names == ["west.blend", "middle.blend"]
    assert asked(command, capfd, "build", world, "-o", out)["built"] == 3
    assert command("world", "check", world, "-o", out) == 0
    navmesh = addon("detour.reader", "navcore").read_navmesh(out / "middle.bin")
    areas = {int(polygon["area_and_kind"]) & 63 for tile in navmesh.tiles for polygon in tile.sections.polygons}
    assert areas == {0, 1}
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    names.clear()
    assert asked(command, capfd, "build", world, "-o", out)["built"] == 0 and not names
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_what_changes_is_read_and_built(
    bpy: Any, addon: Any, command: Any, world: Path, capfd: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A library that another file uses, a file that is saved again as it was, and a wall at a border."""
    out = world.parent / "out"
    asked(command, capfd, "build", world, "-o", out)
    names = opened(monkeypatch, addon)
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / "kit.blend"))
    bpy.data.objects["Crate"].location.x = 4
    save(bpy, world.parent / "kit.blend")
    assert asked(command, capfd, "plan", world, "-o", out)["build"] == 1 and names == ["west.blend"]
    names.clear()
    rows = asked(command, capfd, "build", world, "-o", out)["sections"]
    assert [row["name"] for row in rows if row["built"]] == ["west"] and names == ["west.blend"]
    names.clear()
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / "middle.blend"))
    add_empty(bpy, "Nothing to walk on")
    save(bpy, world.parent / "middle.blend")
    assert asked(command, capfd, "build", world, "-o", out)["built"] == 0 and names == ["middle.blend"]
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / "middle.blend"))
    bpy.data.objects["Pillar"].location.x = 2 * SIDE - 1
    save(bpy, world.parent / "middle.blend")
    rows = asked(command, capfd, "build", world, "-o", out)["sections"]
    assert [row["name"] for row in rows if row["built"]] == ["middle", "east"]


def test_what_cannot_be_read_is_named(command: Any, world: Path, capfd: Any) -> None:
    out = world.parent / "out"
    (world.parent / "kit.blend").unlink()
    assert command("world", "build", world, "-o", out) == 1
    said = capfd.readouterr().err
    assert "navmesh: MISSING_SOURCES: Section “west”: " in said and not list(out.glob("*.bin"))
    assert command("world", "build", world, "-o", out, "--allow-missing") == 0
    assert command("world", "build", world, "-o", out) == 1, "what was missing then is missing now"
    (world.parent / "middle.blend").unlink()
    assert command("world", "build", world, "-o", out) == 1
    assert "MESH_MISSING: Section “middle”" in capfd.readouterr().err
    assert command("world", "build", world.parent / "other.json") == 1
    assert command("world", "dance", world) == 2


def test_what_a_world_does_not_take_is_refused(bpy: Any, command: Any, world: Path, capfd: Any) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / "middle.blend"))
    bpy.ops.navmesh.area_types_edit()
    bpy.context.scene.navmesh.area_types[0].cost = 3
    save(bpy, world.parent / "middle.blend")
    bpy.ops.wm.open_mainfile(filepath=str(world.parent / "west.blend"))
    bpy.ops.navmesh.area_types_edit()
    bpy.context.scene.navmesh.area_types[0].cost = 2
    save(bpy, world.parent / "west.blend")
    assert command("world", "build", world) == 1
    assert "SECTION_SETTINGS: Section “middle”: its scene has other area types" in capfd.readouterr().err
    assert not list(world.parent.glob("*.bin"))


def test_a_file_without_ground_is_an_empty_section(bpy: Any, command: Any, world: Path, capfd: Any) -> None:
    save(bpy, world.parent / "middle.blend")
    rows = asked(command, capfd, "build", world, "-o", world.parent / "out")["sections"]
    assert {row["name"]: row["tiles"] for row in rows} == {"west": 1, "middle": 0, "east": 1}
