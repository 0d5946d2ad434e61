"""The command in Blender, of levels with doors and obstacles."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.blender.halls import add_box, add_hall, gate
from tests.blender.scenes import save


def hall(bpy: Any, path: Path, crate: float = 5.0, closed: bool = True) -> Path:
    """A hall whose gate must keep everybody out, with a crate, saved; another file is open then."""
    bpy.ops.wm.read_homefile(use_empty=True)
    add_hall(bpy)
    gate(bpy).door_closed = closed
    add_box(bpy, "Crate", (crate - 1, -1, 0), (crate + 1, 1, 2), "OBSTACLE")
    test = bpy.context.scene.navmesh.tests.add()
    test.name, test.start, test.end, test.expect = "shut", (-6, 0, 0), (6, 6, 0), "UNREACHABLE"
    return save(bpy, path)


def test_doors_and_obstacles_are_written(bpy: Any, addon: Any, tmp_path: Path, capfd: Any) -> None:
    command = addon("command.blender_command").main
    path = hall(bpy, tmp_path / "hall.blend")
    cache, plain = tmp_path / "hall.tilecache.bin", tmp_path / "hall.json"
    argv = ["build", str(path), "-o", str(cache), "-o", str(plain), "--check-tests", "--skip-unchanged"]
    assert command(argv) == 1 and not cache.exists()
    assert "TILE_CACHE_TILE_SIZE" in capfd.readouterr().err, "the setup has no tiles"
    argv += ["--tile-size", "32"]
    assert command([*argv, "--dry-run"]) == 0 and not cache.exists() and not plain.exists()
    assert command(argv) == 0
    [door] = json.loads(plain.read_text(encoding="utf-8"))["doors"]
    assert door["name"] == "Gate" and door["is_closed"]
    sidecar = tmp_path / "hall.tilecache.json"
    [item] = json.loads(sidecar.read_text(encoding="utf-8"))["obstacles"]
    assert item == {"kind": "aabb", "min": [4, 0, -1], "max": [6, 2, 1]}
    before = cache.stat().st_mtime_ns
    assert command(argv) == 0 and cache.stat().st_mtime_ns == before, "unchanged"
    hall(bpy, tmp_path / "hall.blend", crate=-5.0)
    assert command(argv) == 0
    assert json.loads(sidecar.read_text(encoding="utf-8"))["obstacles"][0]["min"] == [-6, 0, -1]
    hall(bpy, tmp_path / "hall.blend", closed=False)
    capfd.readouterr()
    assert command(argv) == 3, "the way is open"
    assert "“shut”" in capfd.readouterr().err


def test_obstacles_off_the_level_are_in_the_report_and_fail_gates(
    bpy: Any, addon: Any, tmp_path: Path, capfd: Any
) -> None:
    command, report = addon("command.blender_command").main, tmp_path / "report.json"
    path = hall(bpy, tmp_path / "hall.blend", crate=50.0)
    argv = ["build", str(path), "-o", str(tmp_path / "hall.tilecache.bin"), "--tile-size", "32"]
    assert command([*argv, "--report", str(report)]) == 0
    assert capfd.readouterr().err.count("“Crate” stands on no ground") == 1
    [warning] = json.loads(report.read_text(encoding="utf-8"))["warnings"]
    assert (warning["code"], warning["object"]) == ("OBSTACLE_OFF_LEVEL", "Crate")
    assert command([*argv, "--fail-on", "OBSTACLE_OFF_LEVEL"]) == 3
