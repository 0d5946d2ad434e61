"""Views of two million cells: how soon they are there, and how long the window stands still meanwhile."""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Steps, say

CELLS = 1415  # along each side
STILL = 0.25  # seconds for which the window may stand still beyond what drawing alone costs here
VIEWS = ("REASONS", "REGIONS", "COMPACT", "DISTANCE", "WATER", "CONTOURS", "POLYGONS", "VOXELS")


def scenario() -> Steps:
    heart = driver.Heartbeat()
    levels.make_hills()
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    yield 1
    with driver.in_viewport():
        size = levels.SIDE / CELLS
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE", cell_size=size) == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 1
    idle = yield from driver.idle_gap(heart)
    alone = redraw_seconds()
    say(f"drawing the level alone: {alone * 1000:.0f} ms, away for {idle:.2f} s")
    view = driver.ours("views.stage_view")
    for again in (False, True):
        for name in VIEWS:
            yield from measure(name, view, heart, idle, again)
    driver.screenshot("large-views")


def measure(name: str, view: object, heart: driver.Heartbeat, idle: float, again: bool) -> Steps:
    """The second time, kernels are compiled; pictures are made anew."""
    since, asked = driver.clock(), time.perf_counter()
    view.state.pictures.clear()
    bpy.context.scene.navmesh.view = name
    driver.ours("redraw").redraw_views()
    yield from driver.wait(lambda: view.shown() is not None and view.state.wish.view == name, name, 300)
    ready = time.perf_counter() - asked
    yield from driver.wait(lambda: not view.state.uploading, name, 300)
    there, gap = time.perf_counter() - asked, heart.largest_gap(since)
    memory = view.shown().upload.memory() >> 20
    say(f"{name}: ready after {ready:.2f} s, drawn after {there:.2f} s, away for {gap:.2f} s, "
        f"redraw {redraw_seconds() * 1000:.0f} ms, {memory} MB")  # fmt: skip
    faults = driver.ours("views.overlay")._said
    assert not faults, faults
    if again:
        assert gap < STILL + idle, (name, gap, idle)


def redraw_seconds() -> float:
    """Of one drawing of the window."""
    best = 60.0
    for _ in range(3):
        began = time.perf_counter()
        driver.viewport().tag_redraw()
        with driver.in_viewport():
            bpy.ops.wm.redraw_timer(type="DRAW_WIN", iterations=1)
        best = min(best, time.perf_counter() - began)
    return best


driver.run(scenario)
