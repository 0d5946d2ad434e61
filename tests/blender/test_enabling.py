"""Enabling and disabling the extension."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.blender.conftest import MODULE, ROOT

HEAVY = ("numpy", "numba", "llvmlite", "argparse", "concurrent.futures", "difflib", "multiprocessing")


def test_enabling_loads_nothing_heavy(tmp_path: Path) -> None:
    """Blender waits for us when it starts: NumPy must wait for the first look at a level, Numba for the first build."""
    script = f"""
import importlib, sys
import bpy
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from tests.blender.conftest import MODULE, lay_out
folder = str(lay_out(Path({str(tmp_path)!r})))
bpy.context.preferences.extensions.repos.new(name="navdev", module="navdev", custom_directory=folder)
addon_utils = importlib.import_module("addon_utils")
for name in {HEAVY!r}:  # Blender itself may have loaded it: from here on, whoever imports it fails
    sys.modules[name] = None
addon_utils.enable(MODULE, default_set=False)
assert hasattr(bpy.types, "NAVMESH_OT_build")
loaded = sorted(name.rpartition(MODULE + ".")[2] for name in sys.modules if name.startswith(MODULE + ".navcore"))
addon_utils.disable(MODULE, default_set=False)
assert not hasattr(bpy.types, "NAVMESH_OT_build") and not hasattr(bpy.types.Scene, "navmesh")
print("LOADED", *loaded)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = set(done.stdout.split("LOADED")[1].split())
    light = {"builder", "builder.memory_and_time_forecast"}
    light |= {"errors", "formats", "formats.target_names", "geometry", "geometry.grid_limits", "settings"}
    light |= {"geometry.tile_key", "kernels", "kernels.loaded_to_stay", "resolution"}
    light |= {"compile_ahead", "compile_ahead.processes", "compile_ahead.starter", "compile_ahead.waiting", "files"}
    light |= {"files.locks", "version", "above", "build_warning"}
    assert loaded <= {"navcore"} | {f"navcore.{name}" for name in light}, loaded


def test_enabled_and_disabled_many_times(bpy: Any) -> None:
    import importlib

    addon_utils = importlib.import_module("addon_utils")
    handlers = [list(group) for group in (bpy.app.handlers.load_pre, bpy.app.handlers.load_post)]
    for _ in range(30):
        addon_utils.disable(MODULE, default_set=False)
        addon_utils.enable(MODULE, default_set=False)
    now = [list(group) for group in (bpy.app.handlers.load_pre, bpy.app.handlers.load_post)]
    assert [len(group) for group in now] == [len(group) for group in handlers]


def test_nobody_hears_of_events_once_it_is_disabled(bpy: Any, addon: Any) -> None:
    import importlib

    addon_utils = importlib.import_module("addon_utils")

    def subscribers(events: Any) -> dict[str, int]:
        return {name: len(event) for name, event in vars(events).items() if isinstance(event, events.Event)}

    before = addon("events")
    names = ("level_changed", "mark_changed", "area_color_changed", "color_by_changed", "setup_tint_changed")
    names = (*names, "link_chosen", "scene_updated")
    subscribed = {**dict.fromkeys(names, 1), "objects_changed": 4, "mark_changed": 3}
    subscribed |= {"live_switched": 1, "navmesh_wanted": 1, "obstacles_switched": 1}
    assert subscribers(before) == subscribed
    addon_utils.disable(MODULE, default_set=False)
    assert set(subscribers(before).values()) == {0}
    addon_utils.enable(MODULE, default_set=False)
    assert subscribers(addon("events")) == subscribed
    assert hasattr(bpy.types, "NAVMESH_OT_build")


def test_no_timer_is_left_once_it_is_disabled(bpy: Any, addon: Any) -> None:
    import importlib

    addon_utils, out_of_date = importlib.import_module("addon_utils"), addon("watch.out_of_date")
    bpy.app.timers.register(out_of_date._compare_next, first_interval=60)
    assert bpy.app.timers.is_registered(out_of_date._compare_next)
    addon_utils.disable(MODULE, default_set=False)
    left = bpy.app.timers.is_registered(out_of_date._compare_next)
    addon_utils.enable(MODULE, default_set=False)
    assert not left


def test_subscribers_are_called_in_their_order_and_may_leave(addon: Any) -> None:
    event, heard = addon("events").Event(), []

    def first(fact: int) -> None:
        heard.append(("first", fact))
        event.unsubscribe(first)

    def second(fact: int) -> None:
        heard.append(("second", fact))

    for subscriber in (first, second):
        event.subscribe(subscriber)
    event.happened(1)
    event.happened(2)
    event.unsubscribe(first)  # it no longer is one
    assert heard == [("first", 1), ("second", 1), ("second", 2)]
