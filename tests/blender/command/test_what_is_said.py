"""`blender --command navmesh build` says what it built, and what is odd about it; signals end it in an orderly way."""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


@pytest.fixture
def level(bpy: Any, tmp_path: Path) -> Path:
    """A saved level with a warning; another file is open."""
    add_plane(bpy)
    add_cube(bpy, "Дверь", (4, 0, 0)).scale = (1, 1, 0)
    path = tmp_path / "level.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


@pytest.fixture
def say(addon: Any, capfd: Any) -> Any:
    """The command's status, and its own lines on standard output and standard error."""

    def run(*words: object) -> tuple[int, list[str], list[str]]:
        capfd.readouterr()
        status = addon("command.blender_command").main(["build", *map(str, words)])
        said = capfd.readouterr()
        return (status, *([line for line in text.splitlines() if "navmesh: " in line] for text in (said.out, said.err)))

    return run


def test_a_success_is_one_line_and_warnings_need_no_report(say: Any, level: Path, tmp_path: Path) -> None:
    status, out, err = say(level, "-o", tmp_path / "n.bin")
    assert status == 0 and len(out) == 1 and len(err) == 2
    line = r"navmesh: level, Navmesh: [\d,]+ polygons?, [\d,.]+ m², \d islands? in [\d.]+ s; 1 warning \(ZERO_SCALE 1\)"
    assert re.fullmatch(line, out[0])
    assert "no setup" in err[0]
    assert err[1].startswith("navmesh: warning: ZERO_SCALE: “Дверь”: is scaled to nothing along an axis. Scale it anew")
    assert say(level, "-o", tmp_path / "n.bin", "--quiet") == (0, [], err)


def test_a_build_that_would_write_nothing_is_wrong_usage(say: Any, level: Path) -> None:
    status, out, err = say(level, "--max-islands", 1)
    assert status == 2 and out == [] and len(err) == 1 and "--dry-run" in err[0]


def test_a_dry_run_writes_nothing_and_passes_the_gates(say: Any, level: Path, tmp_path: Path) -> None:
    words = ["--dry-run", "-o", tmp_path / "n.bin", "-o", tmp_path / "with.blend", "--report", tmp_path / "r.json"]
    status, out, _ = say(level, *words, "--skip-unchanged")
    assert status == 0 and out[0].endswith("; nothing was written (--dry-run)")
    assert say(level, *words, "--fail-on", "ZERO_SCALE")[0] == 3
    assert [path.name for path in tmp_path.iterdir()] == ["level.blend"]


def test_asking_for_the_report_leaves_what_was_built_as_it_is(addon: Any) -> None:
    outcome_type, names = addon("command.outcome").Outcome, addon("command.outcome").Names
    outcome = outcome_type(names("level", "Human"), argparse.Namespace(report=None, last_report=None))
    outcome.report = {"ok": True, "error": None, "ground": None}
    outcome.error = addon("errors").BuilderMissing("No builder.")
    told = outcome.mapping()
    assert not told["ok"] and told["error"]["message"] == "No builder."
    assert outcome.report == {"ok": True, "error": None, "ground": None}


@pytest.mark.skipif(os.name != "posix", reason="signals as POSIX has them")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
def test_a_signal_ends_all_builds(
    bpy: Any, addon: Any, say: Any, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those that have not begun; no part of a file is left."""
    add_plane(bpy, size=400)
    for setup in ("Human", "Giant"):
        bpy.ops.navmesh.setup_add(name=setup)
        bpy.context.scene.navmesh.setups[-1].scope = "VISIBLE"
        bpy.context.scene.navmesh.setups[-1].set_metres(cell_size=0.1)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "large.blend"))
    builder, begun = addon("builds.run_builds"), []
    navmesh = builder._navmesh

    def announced(*arguments: object) -> object:
        begun.append(arguments)
        threading.Thread(target=lambda: (time.sleep(0.3), os.kill(os.getpid(), getattr(signal, name)))).start()
        return navmesh(*arguments)

    monkeypatch.setattr(builder, "_navmesh", announced)
    words = [tmp_path / "large.blend", "--all-setups", "-o", tmp_path / "{setup}.bin", "--report", tmp_path / "r.json"]
    status, out, err = say(*words)
    assert status == 130 and out == [] and any("CANCELLED" in line for line in err) and len(begun) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["large.blend", "r.json"]
    assert json.loads((tmp_path / "r.json").read_text())["builds"][0]["error"]["code"] == "CANCELLED"
