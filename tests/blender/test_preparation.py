"""Preparing kernels in the background, as Blender sees it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from navcore.settings import Settings
from tests.blender.conftest import ROOT
from tests.blender.scenes import add_plane

TELLS = "import sys, time; print('{line}'); sys.stdout.flush(); time.sleep({seconds})"


@pytest.fixture
def preparation(addon: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The module; whatever it starts is ended."""
    module = addon("build.compile_after_install")
    monkeypatch.setattr(module, "_SCRIPT", TELLS.format(line="0.250 compiling", seconds=60))
    yield module
    module.stop()


def told(started: Any) -> None:
    until = time.monotonic() + 30
    while not started.fraction and time.monotonic() < until:
        time.sleep(0.02)


def test_it_starts_tells_and_stops(preparation: Any, tmp_path: Path) -> None:
    started = preparation.begin(tmp_path)
    told(started)
    assert preparation.current() is started
    assert (started.fraction, started.compiles, started.holds_up()) == (0.25, True, True)
    aside = Path(started._aside)
    preparation.stop()
    assert preparation.current() is None and not started.running and not aside.exists()


@pytest.mark.parametrize(
    ("line", "seen", "small", "large"),
    [
        ("0.100 compiling", True, True, True),
        ("0.300 ground", True, False, True),
        ("0.500 ready", True, False, False),
        ("0.500 loading", False, True, True),
        ("0.500 loaded", False, False, False),
        ("0.5", False, False, False),
    ],
)
def test_builds_wait_only_for_what_they_need(
    preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str, seen: bool, small: bool, large: bool
) -> None:
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line=line, seconds=60))
    started = preparation.begin(tmp_path)
    told(started)
    assert (started.compiles, started.holds_up(small=True), started.holds_up()) == (seen, small, large)


def test_nobody_waits_while_shipped_kernels_are_looked_at(
    preparation: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line="0.500 loading", seconds=60))
    monkeypatch.setattr(addon("jit", "navcore"), "has_shipped_kernels", lambda: True)
    started = preparation.begin(tmp_path)
    told(started)
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
    monkeypatch.setattr(preparation, "_SCRIPT", TELLS.format(line="0.250 compiling", seconds="0); sys.exit(3"))
    started = preparation.begin(tmp_path)
    assert started._process.wait(30) == 3
    assert not started.holds_up() and preparation.current() is None


def test_a_build_waits_and_can_be_cancelled_meanwhile(preparation: Any, addon: Any, tmp_path: Path) -> None:
    BuildThread, Means = addon("build.build_thread").BuildThread, addon("build.request_and_result").Means  # noqa: N806
    told(preparation.begin(tmp_path))
    level = SimpleNamespace(vertices=[], bounds=None)
    waiting = BuildThread([SimpleNamespace(prune=False, settings=Settings(), gathered=level)], Means())
    thread = threading.Thread(target=waiting._run)
    thread.start()
    until = time.monotonic() + 30
    while waiting.stage != "compiling" and time.monotonic() < until:
        time.sleep(0.02)
    assert (waiting.stage, waiting.fraction) == ("compiling", 0.25)
    waiting.cancel()
    thread.join(5)
    assert not thread.is_alive()
    assert type(waiting.error).__name__ == "Cancelled"


class Build:
    """Stands in for one: what it was given, and whether Python itself would have run kernels that are not compiled."""

    def __init__(self, interpreting: Any, progress: Any = None) -> None:
        self.begun: list[Any] = []
        self.by_python: list[bool] = []
        self.fails: Exception | None = None
        self.until_stopped = False
        self._interpreting, self._progress = interpreting, progress

    def begin(self) -> Any:
        self.begun.append(self._progress.Progress() if self._progress else None)
        return self.begun[-1]

    def make(self, progress: Any) -> str:
        self.by_python.append(self._interpreting.is_interpreting())
        if self.fails and self.by_python[-1]:
            raise self.fails
        until = time.monotonic() + 30
        while self.until_stopped and self.by_python[-1] and time.monotonic() < until:
            progress.check()
            time.sleep(0.01)
        return "made"


@pytest.fixture
def built(addon: Any) -> Build:
    return Build(addon("plain_python", "navcore.kernels"), addon("progress", "navcore"))


def compiling(preparation: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, then: str = "time.sleep(60)") -> Any:
    script = f"import sys, time; print('0.3 ground'); sys.stdout.flush(); {then}"
    monkeypatch.setattr(preparation, "_SCRIPT", script)
    started = preparation.begin(tmp_path)
    told(started)
    return started


def test_a_small_level_is_built_while_the_compiler_goes_on(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    interval = sys.getswitchinterval()
    assert addon("build.waiting_for_kernels").build(built.make, built.begin, True, None) == "made"
    assert built.by_python == [True] and len(built.begun) == 1
    assert not built._interpreting.is_interpreting() and sys.getswitchinterval() == interval


@pytest.mark.parametrize("fails", [False, True])
def test_the_compiler_may_be_first_and_its_numbers_may_be_needed(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, fails: bool
) -> None:
    compiling(
        preparation, monkeypatch, tmp_path, "time.sleep(1); print('0.9 ready'); sys.stdout.flush(); time.sleep(60)"
    )
    built.fails, built.until_stopped = built._interpreting.NotByPython("overflow") if fails else None, not fails
    assert addon("build.waiting_for_kernels").build(built.make, built.begin, True, None) == "made"
    assert built.by_python == [True, False] and len(built.begun) == 2


def test_what_fails_for_its_own_reasons_is_not_tried_twice(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    built.fails = ValueError("the level")
    with pytest.raises(ValueError, match="the level"):
        addon("build.waiting_for_kernels").build(built.make, built.begin, True, None)
    assert built.by_python == [True]


def test_cancelled_while_python_stands_in(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(preparation, monkeypatch, tmp_path)
    built.until_stopped = True
    thread = addon("build.build_thread").BuildThread([None], None)
    threading.Timer(0.3, lambda: (thread.cancel(), built.begun[0].cancel())).start()
    with pytest.raises(addon("errors", "navcore").Cancelled):
        addon("build.waiting_for_kernels").build(built.make, built.begin, True, thread)
    assert built.by_python == [True]


def test_a_large_level_waits_for_everything(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    compiling(
        preparation, monkeypatch, tmp_path, "time.sleep(1); print('0.9 ready'); sys.stdout.flush(); time.sleep(60)"
    )
    began = time.monotonic()
    assert addon("build.waiting_for_kernels").build(built.make, built.begin, False, None) == "made"
    assert built.by_python == [False] and time.monotonic() - began > 0.5


def test_files_are_read_and_written_meanwhile(
    preparation: Any, addon: Any, built: Build, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The interface stands still until then: it must not be for as long as everything is compiled."""
    handle = addon("build.waiting_for_kernels").handle
    assert handle(lambda: built.make(None)) == "made"
    compiling(preparation, monkeypatch, tmp_path)
    assert handle(lambda: built.make(None)) == "made"
    assert built.by_python == [False, True]


SCRIPT_ENDS = """
import importlib, sys
import bpy
from pathlib import Path
root, folder, says = sys.argv[1:]
sys.path.insert(0, root)
from tests.blender.conftest import MODULE, lay_out
lying = str(lay_out(Path(folder) / "repository"))
bpy.context.preferences.extensions.repos.new(name="navdev", module="navdev", custom_directory=lying)
importlib.import_module("addon_utils").enable(MODULE, default_set=False)
preparation = importlib.import_module(f"{MODULE}.navmesh_addon.build.compile_after_install")
preparation._SCRIPT = says
started = preparation.begin(Path(folder), whole=False)
while not started.fraction:
    pass
"""


def test_what_a_script_began_is_finished_before_its_blender_ends(tmp_path: Path) -> None:
    """Or the next Blender would begin anew."""
    says = "import sys, time; print('0.3 ground'); sys.stdout.flush(); time.sleep(2); open(sys.argv[3] + '/end', 'w')"
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
    told(started)
    assert started.running and started.holds_up()
    monkeypatch.setattr(preparation, "_PATIENCE", 0.0)
    assert started.running and not started.holds_up()


@pytest.mark.parametrize(("shipped", "waits"), [(False, True), (True, False)])
def test_a_build_that_everybody_waits_for_has_its_kernels_compiled_by_several_processes(
    bpy: Any, preparation: Any, addon: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shipped: bool, waits: bool
) -> None:
    """Scripts and background Blenders: nothing else goes on there. Not where the zip brought the kernels."""
    tell = "import sys, pathlib; pathlib.Path(sys.argv[3], sys.argv[2]).touch()"
    monkeypatch.setattr(preparation, "_SCRIPT", tell)
    monkeypatch.setattr(addon("jit", "navcore"), "has_shipped_kernels", lambda: shipped)
    monkeypatch.setattr(addon("build.means"), "kernel_folder", lambda: tmp_path)
    add_plane(bpy).select_set(True)
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    assert (tmp_path / "usual").exists() == waits
