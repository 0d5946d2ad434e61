"""Compiling kernels in the background, as Blender sees it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.blender.builds.preparation import TELLS, wait_for_its_first_line
from tests.blender.conftest import ROOT
from tests.blender.scenes import add_plane


def test_it_starts_tells_and_stops(preparation: Any, tmp_path: Path) -> None:
    started = preparation.begin(tmp_path)
    wait_for_its_first_line(started)
    assert preparation.current() is started
    assert (started.fraction, started.compiles, started.holds_up()) == (0.25, True, True)
    aside = Path(started._aside)
    preparation.stop()
    assert preparation.current() is None and not started.running and not aside.exists()


@pytest.mark.parametrize(
    ("line", "seen", "small", "large"),
    [
        ("0.100 1.00 compiling", True, True, True),
        ("0.300 1.00 ground", True, False, True),
        ("0.500 1.00 ready", True, False, False),
        ("0.500 1.00 loading", False, True, True),
        ("0.500 1.00 loaded", False, False, False),
        ("0.5", False, False, False),
    ],
)
def test_builds_wait_only_for_what_they_need(
    preparation: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
    line: str, seen: bool, small: bool, large: bool,
) -> None:  # fmt: skip
    monkeypatch.setattr(addon("kernels.kept_kernels", "navcore"), "has_shipped_kernels", lambda: False)
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line=line, seconds=60))
    started = preparation.begin(tmp_path)
    wait_for_its_first_line(started)
    assert (started.compiles, started.holds_up(small=True), started.holds_up()) == (seen, small, large)


def test_nobody_waits_while_shipped_kernels_are_looked_at(
    preparation: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line="0.500 1.00 loading", seconds=60))
    monkeypatch.setattr(addon("kernels.kept_kernels", "navcore"), "has_shipped_kernels", lambda: True)
    started = preparation.begin(tmp_path)
    wait_for_its_first_line(started)
    assert not started.holds_up()


def test_a_blender_whose_python_cannot_be_started_builds_all_the_same(
    preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(preparation.sys, "executable", str(tmp_path / "python-missing"))
    monkeypatch.setattr(preparation.tempfile, "tempdir", str(tmp_path))
    assert preparation.begin(tmp_path) is None
    assert not [*tmp_path.iterdir()]


def test_nobody_helps_where_a_usual_build_is_prepared(preparation: Any, addon: Any, tmp_path: Path) -> None:
    prepare = addon("processes", "navcore.compile_ahead")
    prepare.stamp_of(tmp_path, prepare.USUAL).write_text(prepare.stamp())
    assert preparation.begin(tmp_path)._helpers == []


def script(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o700)
    return str(path)


needs_sh = pytest.mark.skipif(os.name != "posix", reason="a script stands in for the program")


@needs_sh
@pytest.mark.parametrize("does", ["exit 0", "exit 3", "echo Blender 4.2.0 compiling; exit 0", "echo Blender; sleep 60"])
def test_a_program_that_is_no_python_holds_nobody_up(
    bpy: Any, preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, does: str
) -> None:
    """Whatever it says and however long it stays: builds go on, and it is ended with the extension."""
    monkeypatch.setattr(preparation.sys, "executable", script(tmp_path, "python", does))
    started = preparation.begin(tmp_path / "kernels")
    if "sleep" in does:
        time.sleep(0.5)
        assert started.running and not started.compiles and not started.holds_up()
    else:
        assert preparation._running[0]._process.wait(30) in (0, 3)
        assert preparation.current() is None
    process = preparation._running[0]._process
    add_plane(bpy).select_set(True)
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    preparation.stop()
    assert process.poll() is not None


@needs_sh
def test_a_blender_that_names_itself_is_not_started_again(
    preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It would open a second window."""
    monkeypatch.setattr(preparation.sys, "executable", script(tmp_path, "blender", f"touch {tmp_path}/started"))
    assert preparation.begin(tmp_path / "kernels") is None
    assert not preparation._running and not (tmp_path / "started").exists()


def test_a_process_that_dies_holds_nobody_up(preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line="0.250 1.00 compiling", seconds="0); sys.exit(3"))
    started = preparation.begin(tmp_path)
    assert started._process.wait(120) == 3
    assert not started.holds_up() and preparation.current() is None


SCRIPT_ENDS = """
import importlib, sys
import bpy
from pathlib import Path
root, folder, says = sys.argv[1:]
sys.path.insert(0, root)
from tests.blender.conftest import MODULE, known_to
known_to(bpy, Path(folder) / "repository").enable(MODULE, default_set=False)
preparation = importlib.import_module(f"{MODULE}.navcore.compile_ahead.starter")
preparation._SCRIPT = says
begin = importlib.import_module(f"{MODULE}.navmesh_addon.builds.run_builds").begin_for_script
started = begin(Path(folder))
while not started.fraction:
    pass
"""


def test_what_a_script_began_is_finished_before_its_blender_ends(tmp_path: Path) -> None:
    """Or the next Blender would begin anew."""
    says = (
        "import sys, time; print('0.3 1.0 ground'); sys.stdout.flush(); time.sleep(2); open(sys.argv[3] + '/end', 'w')"
    )
    command = [sys.executable, "-c", SCRIPT_ENDS, str(ROOT), str(tmp_path), says]
    own = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=own)
    assert "Traceback" not in done.stderr
    assert (tmp_path / "end").exists() and not [*tmp_path.glob("navmesh-*")]


def test_it_is_not_started_again_when_it_is_done(preparation: Any, addon: Any, tmp_path: Path) -> None:
    prepare = addon("processes", "navcore.compile_ahead")
    prepare.stamp_of(tmp_path, prepare.EVERYTHING).write_text(prepare.stamp())
    assert preparation.begin(tmp_path) is None
    assert preparation.begin(tmp_path, whole=False) is None


def test_one_that_says_nothing_any_more_holds_nobody_up(
    preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = preparation.begin(tmp_path, whole=False)
    wait_for_its_first_line(started)
    assert started.running and started.holds_up()
    monkeypatch.setattr(preparation, "_PATIENCE", 0.0)
    assert started.running and started.holds_up()  # it has said something: so late only where it hardly gets a turn
    monkeypatch.setattr(preparation, "_PATIENCE_AT_WORK", 0.0)
    assert started.running and not started.holds_up()


@pytest.mark.parametrize(("shipped", "waits"), [(False, True), (True, False)])
def test_a_build_that_everybody_waits_for_has_its_kernels_compiled_by_several_processes(
    bpy: Any, preparation: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shipped: bool, waits: bool
) -> None:
    """Scripts and background Blenders: nothing else goes on there. Not where the zip brought the kernels."""
    tell = "import sys, pathlib; pathlib.Path(sys.argv[3], sys.argv[2]).touch()"
    monkeypatch.setattr(preparation, "_SCRIPT", tell)
    monkeypatch.setattr(addon("kernels.kept_kernels", "navcore"), "has_shipped_kernels", lambda: shipped)
    monkeypatch.setattr(addon("builds.threads_and_kernel_folder"), "kernel_folder", lambda: tmp_path)
    add_plane(bpy).select_set(True)
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    assert (tmp_path / "usual").exists() == waits
