"""The build on a thread: progress, cancelling, errors, and the end of Blender."""

from __future__ import annotations

import ast
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.blender.builds.stepped_operator import FINE, add_city
from tests.blender.conftest import ROOT
from tests.blender.scenes import add_plane

ADDON = ROOT / "navmesh_addon"


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_bytes())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(node.module or "").split(".")[0], *(alias.name for alias in node.names)}
    return names


def imports_when_loaded(path: Path) -> set[Path]:
    """The add-on's own files that a file imports, now or later; not those that only type checkers see."""
    tree = ast.parse(path.read_bytes())
    hidden = {
        inner
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for inner in ast.walk(block)
    }
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level and node not in hidden:
            home = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            found |= {home.with_suffix(".py"), *(home / f"{alias.name}.py" for alias in node.names)}
    return {file for file in found if file.is_file() and file.is_relative_to(ADDON)}


def test_threads_are_started_in_files_that_never_name_bpy() -> None:
    """Nor does any file that these import, whatever way."""
    names = {"threading", "concurrent", "Job", "OneWorker"}
    starts = [path for path in sorted(ADDON.rglob("*.py")) if names_in(path) & names]
    known = {
        "background.py", "compare_job.py", "cover_job.py", "latest_comparison.py", "live_level.py",
        "navmesh_pictures.py", "obstacle_cache.py", "question_thread.py", "run_builds.py", "section_job.py",
        "shown_reason.py", "stage_worker.py", "walk_job.py", "walk_without_link.py", "world_look.py",
    }  # fmt: skip
    assert {path.name for path in starts} == known
    reached, new = set(), {*starts, ADDON / "builds/finished_navmeshes.py", ADDON / "gather/gathered_level.py"}
    new |= {ADDON / "live/live_level.py"}  # what these threads are given to do
    while new:
        reached |= new
        new = set().union(*map(imports_when_loaded, new)) - reached
    assert {"intent_check.py", "live_level.py", "request_and_result.py"} <= {path.name for path in reached}
    for path in reached:
        assert not names_in(path) & {"bpy", "bmesh", "gpu", "mathutils"}, path.name


def test_a_build_on_a_thread(bpy: Any, addon: Any, start: Any) -> None:
    add_plane(bpy)
    stepped = start()
    assert stepped.answer == {"RUNNING_MODAL"} and addon("builds.active_build").current() is not None
    assert stepped.event("MOUSEMOVE") == {"PASS_THROUGH"}
    assert stepped.run() == {"FINISHED"}, stepped.reports
    assert bpy.data.objects["Navmesh"].data.polygons
    assert addon("builds.active_build").current() is None and stepped.timers == 0
    assert stepped.reports[-1][0] == "INFO"


def test_ticks_take_no_time(bpy: Any, start: Any) -> None:
    """While it builds, the main thread does next to nothing."""
    add_city(bpy)
    stepped = start(values={"cell_size": 0.1, "cell_height": 0.1})
    longest, until = 0.0, time.monotonic() + 60
    while time.monotonic() < until:
        begin = time.thread_time()
        running = stepped.operator._running.thread.running
        if not running:
            break
        stepped.event()
        longest = max(longest, time.thread_time() - begin)
        time.sleep(0.01)
    assert stepped.run() == {"FINISHED"}, stepped.reports
    print(f"longest tick {longest * 1000:.1f} ms")
    assert longest < 0.02


def test_escape_ends_it_at_once(bpy: Any, addon: Any, start: Any) -> None:
    add_city(bpy)
    stepped = start(values=FINE)
    time.sleep(0.1)
    begin = time.process_time()
    assert stepped.event("ESC", "PRESS") == {"CANCELLED"}
    assert time.process_time() - begin < 0.25
    assert "cancelled" in stepped.reports[-1][1]
    assert addon("builds.active_build").current() is None and stepped.timers == 0
    assert "Navmesh" not in bpy.data.collections and len(bpy.context.scene.navmesh.setups) == 0


def test_the_cancel_operator(bpy: Any, start: Any) -> None:
    add_city(bpy)
    assert not bpy.ops.navmesh.cancel.poll()
    stepped = start(values=FINE)
    assert bpy.ops.navmesh.cancel() == {"FINISHED"}
    assert stepped.event() == {"CANCELLED"}


def test_a_second_build_is_refused_while_one_runs(bpy: Any, start: Any) -> None:
    add_city(bpy)
    stepped = start(values=FINE)
    with pytest.raises(RuntimeError, match="being built already"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    second = start()
    assert second.answer == {"CANCELLED"} and "already" in second.reports[0][1]
    stepped.event("ESC", "PRESS")


def test_a_build_right_after_a_cancelled_one(bpy: Any, start: Any) -> None:
    add_city(bpy)
    start(values=FINE).event("ESC", "PRESS")
    assert start(values={"cell_size": 0.5}).run() == {"FINISHED"}


def test_a_refused_build_says_so_and_changes_nothing(bpy: Any, start: Any) -> None:
    add_plane(bpy, at=(0, 0, 0))
    stepped = start(values={"agent_max_slope": 0.0})  # nothing walkable: found out on the thread
    assert stepped.run() == {"CANCELLED"}
    assert stepped.reports[-1][0] == "ERROR" and "Navmesh" not in bpy.data.collections


def test_nothing_is_written_while_a_render_runs(bpy: Any, addon: Any, start: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    stepped = start()
    busy = SimpleNamespace(is_job_running=lambda kind: kind == "RENDER")
    moment = addon("good_moment")
    real = moment.bpy
    monkeypatch.setattr(moment, "bpy", SimpleNamespace(app=busy))
    stepped.operator._running.thread._thread.join(60)
    assert stepped.event() == {"PASS_THROUGH"} and "Navmesh" not in bpy.data.collections
    monkeypatch.setattr(moment, "bpy", real)
    assert stepped.run() == {"FINISHED"}, stepped.reports


def test_an_error_that_should_not_be_is_a_sentence_too(bpy: Any, addon: Any, start: Any, monkeypatch: Any) -> None:
    add_plane(bpy)

    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(addon("objects.write_navmeshes"), "write_back", broken)
    stepped = start()
    assert stepped.run() == {"CANCELLED"}
    assert "ZeroDivisionError" in stepped.reports[-1][1] and stepped.timers == 0


def test_blender_quits_meanwhile(tmp_path: Path) -> None:
    """A process that ends while it builds ends soon, with its own exit status."""
    script = f"""
import importlib, sys
import bpy
sys.path.insert(0, {str(ROOT)!r})
from tests import scenes as levels
from tests.blender.conftest import MODULE, known_to
from tests.blender.scenes import add_mesh
from pathlib import Path
known_to(bpy, Path({str(tmp_path)!r})).enable(MODULE, default_set=False)
active_build = importlib.import_module(MODULE + ".navmesh_addon.builds.active_build")
requests = importlib.import_module(MODULE + ".navmesh_addon.builds.make_requests")
vertices, triangles = levels.city(3)
add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)
wanted = requests.Overrides(sources=lambda s: s._replace(scope="VISIBLE"), values={FINE!r})
active_build.start(requests.make_requests(bpy.context, wanted), bpy.context.scene)
import time; time.sleep(0.5)
print("RUNNING", active_build.current().running, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert "RUNNING True" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
