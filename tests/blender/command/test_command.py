"""`blender --command navmesh build`: one file, exit statuses, refusals."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.blender.conftest import ROOT
from tests.blender.scenes import add_plane


@pytest.fixture
def blend(bpy: Any, tmp_path: Path) -> Path:
    """A saved level, and another file open."""
    add_plane(bpy)
    path = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


@pytest.fixture
def command(addon: Any) -> Any:
    return addon("command.blender_command").main


def test_build_by_command(bpy: Any, command: Any, blend: Path, tmp_path: Path) -> None:
    outputs = [tmp_path / name for name in ("n.bin", "n.json", "with.blend")]
    report, settings = tmp_path / "report.json", tmp_path / "settings.json"
    settings.write_text('{"cell_size": 0.25, "agent_radius": 0.5}')
    flags = [word for path in outputs for word in ("-o", str(path))]
    argv = ["build", str(blend), *flags, "--settings", str(settings), "--cell-size", "0.2", "--report", str(report)]
    assert command(argv) == 0
    content = json.loads(report.read_text())
    assert content["ok"] and content["settings"]["cell_size"] == 0.2 and content["settings"]["agent_radius"] == 0.5
    assert content["counts"]["polygons"] > 0 and content["used_count"] == 1
    assert all(path.stat().st_size > 100 for path in outputs)
    bpy.ops.wm.open_mainfile(filepath=str(outputs[2]))
    assert "Navmesh" in bpy.data.objects


def test_a_file_without_a_setup_is_built_for_a_human_and_that_is_said(
    bpy: Any, command: Any, blend: Path, tmp_path: Path, capfd: Any
) -> None:
    """With a setting given, the others are those of navcore's own command, as ever; a setup needs no word."""
    report = tmp_path / "report.json"
    agents = {}
    for name, flags in (("none", []), ("one", ["--cell-size", "0.3"])):
        assert command(["build", str(blend), *flags, "--report", str(report)]) == 0
        said = "no setup. Its agent is 2 m high, its radius 0.5 m, its climb 0.4 m" in capfd.readouterr().err
        agents[name] = json.loads(report.read_text())["settings"]["agent_max_climb"], said
    assert agents == {"none": (0.4, True), "one": (0.9, False)}
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.ops.navmesh.setup_add()
    bpy.ops.wm.save_mainfile()
    assert command(["build", str(blend), "--dry-run"]) == 0
    assert "no setup" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("argv", "status", "text"),
    [
        (["build"], 2, "required"),
        (["dance"], 2, "invalid choice"),
        (["build", "{blend}", "--dry-run", "--cell-size", "-1"], 1, "BAD_SETTINGS: cell_size"),
        (["build", "{blend}", "--dry-run", "--collection", "None such"], 1, "NO_COLLECTION"),
        (["build", "missing.blend", "--dry-run"], 1, "CANNOT_READ"),
        (["build", "{blend}", "-o", "x.xyz"], 1, "UNKNOWN_FORMAT"),
        (["build", "{blend}", "--dry-run", "--agent-max-slope", "0"], 1, "NOTHING_WALKABLE"),
        (["build", "{blend}", "-o", "x.bin", "--vertices-per-polygon", "7"], 1, "DETOUR_VERTICES_PER_POLYGON"),
        (["build", "{blend}", "-o", "x.bin", "--tile-size", "16", "--cell-size", "0.009"], 1, "TOO_MANY_TILES"),
        (["--help"], 0, ""),
    ],
)
def test_exit_statuses(command: Any, blend: Path, capfd: Any, argv: list[str], status: int, text: str) -> None:
    assert command([word.format(blend=blend) for word in argv]) == status
    assert text in capfd.readouterr().err
    assert not Path("x.bin").exists()


def test_a_failed_command_writes_its_report(command: Any, blend: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.json"
    assert command(["build", str(blend), "--cell-size", "-1", "--report", str(report)]) == 1
    content = json.loads(report.read_text())
    assert not content["ok"] and content["error"]["code"] == "BAD_SETTINGS"


@pytest.mark.parametrize(
    "flags",
    [
        ["--dry-run", "--report", "{blend}"],
        ["--report", "{folder}/{{file}}.blend"],
        ["--settings", "{folder}/s.json", "-o", "{folder}/s.json"],
        ["--settings", "{folder}/s.json", "--report", "{folder}/s.json"],
        ["-o", "{folder}/n.json", "--report", "{folder}/n.json"],
        ["-o", "{folder}/{{file}}.json", "--report", "{folder}/{{setup}}.json", "--setup", "level"],
        ["-o", "{folder}/n.bin", "-o", "{folder}/n.bin"],
    ],
)
def test_nothing_that_is_read_or_written_is_written_over(
    bpy: Any, command: Any, blend: Path, tmp_path: Path, capfd: Any, flags: list[str]
) -> None:
    """A report took the place of its level without a word."""
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    bpy.ops.navmesh.setup_add(name="level")
    bpy.ops.wm.save_mainfile()
    (tmp_path / "s.json").write_text('{"cell_size": 0.25}')
    before = blend.read_bytes()
    assert command(["build", str(blend), *(flag.format(blend=blend, folder=tmp_path) for flag in flags)]) == 1
    assert "SAME_NAME" in capfd.readouterr().err and blend.read_bytes() == before
    assert (tmp_path / "s.json").read_text() == '{"cell_size": 0.25}' and not (tmp_path / "n.json").exists()


def test_what_the_pages_print_is_understood(addon: Any) -> None:
    """One page gave two outputs after one -o, which is no output but another level."""
    blender_command, flags = addon("command.blender_command"), addon("commands.settings_flags", "navcore")
    pages = {
        path: path.read_text(encoding="utf-8").replace("\\\n", " ")
        for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    }
    lines = [
        (path, line.partition(" --command navmesh ")[2])
        for path, text in pages.items()
        for line in text.splitlines()
        if re.match(r"[^`|]*blender\S* --command navmesh ", line)
    ]
    assert len(lines) > 8
    for path, line in lines:
        words = shlex.split(line, comments=True)
        assert blender_command._parser().parse_args(flags.with_axes(words)), (path, line)


def test_a_file_that_is_no_blend(command: Any, tmp_path: Path, capfd: Any) -> None:
    fake = tmp_path / "fake.blend"
    fake.write_text("nothing")
    assert command(["build", str(fake), "--dry-run"]) == 1
    assert "CANNOT_READ" in capfd.readouterr().err


def test_kernels_are_kept_where_the_extension_keeps_them(
    bpy: Any, addon: Any, command: Any, blend: Path, tmp_path: Path, monkeypatch: Any
) -> None:
    """Told before anything with kernels is called, also by what only reads and writes files."""
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    folders: list[Any] = []
    monkeypatch.setattr(addon("builds.run_builds"), "load", folders.append)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "n.bin"))
    assert folders
    folders.clear()
    bpy.ops.navmesh.import_file(filepath=str(tmp_path / "n.bin"))
    assert folders
    folders.clear()
    assert command(["build", str(blend), "--dry-run", "--max-islands", "-1"]) == 1
    assert folders == [addon("builds.threads_and_kernel_folder").kernel_folder()], "before the flags are looked at"
