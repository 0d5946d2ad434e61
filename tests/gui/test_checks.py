"""What is said before a build: Blender's new file leads somewhere, buttons of hints, and a level of 10,000 objects."""

import importlib
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Heartbeat, Steps, clock, say

ADDON = "bl_ext.user_default.navmesh.navmesh_addon"
BUILD = "NAVMESH_OT_build"
OBJECTS = 10_000
HANDLER = 0.001  # seconds that the handler may take after a click
SLICE = 0.008  # seconds that a slice may take
COARSE = 0.006  # seconds more: where the last step of a slice began
GAP = 0.1  # seconds that the window may be away longer than drawing alone takes


def scenario() -> Steps:
    hands, heart = Hands(), Heartbeat()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from first_run(hands)
    yield from steps_of_few_cells(hands)
    yield from many_objects(hands, heart)


# ---------------------------------------------------------------- Blender's new file


def first_run(hands: Hands) -> Steps:
    """The cube of the new file, the button that everybody presses first, and the one that it leads to."""
    assert [object_.name for object_ in bpy.context.selected_objects] == ["Cube"]
    yield from driver.wait(lambda: "LEVEL_TOO_SMALL" in hints(), "the hint on the cube")
    yield 0.5
    driver.screenshot("checks-1-new-file")
    yield from click(hands, "navmesh.build")
    refused = addon("interface.refused_build")
    yield from driver.wait(lambda: refused.shown(bpy.context.scene) is not None, "the build to be refused", 600)
    yield 0.5
    driver.screenshot("checks-2-refused")
    yield from click(hands, "navmesh.add_ground")
    assert "Ground" in bpy.data.objects and refused.shown(bpy.context.scene) is None
    yield from driver.wait(lambda: "LEVEL_TOO_SMALL" not in hints(), "the hint to go away")
    yield 0.5
    driver.screenshot("checks-3-ground-added")
    yield from click(hands, "navmesh.build")
    yield from driver.wait(lambda: "Navmesh" in bpy.data.objects, "the navmesh", 600)
    yield from driver.wait(lambda: not driver.running(BUILD), "the build to end")
    yield 0.5
    driver.screenshot("checks-4-built")
    yield from undo(hands)
    assert "Navmesh" not in bpy.data.objects and "Ground" in bpy.data.objects
    yield from undo(hands)
    assert "Ground" not in bpy.data.objects, "one Ctrl+Z takes the ground away"


def steps_of_few_cells(hands: Hands) -> Steps:
    """A hint on a setting: its button sets it, and Ctrl+Z takes that back."""
    draft = bpy.context.scene.navmesh.draft
    levels.make_hills()
    draft.agent_max_climb, draft.cell_height = 0.3, 0.2
    bpy.ops.ed.undo_push(message="Climb")
    driver.viewport().tag_redraw()
    yield from driver.wait(lambda: "STEPS_OF_FEW_CELLS" in hints(), "the hint on steps")
    yield 0.5
    driver.screenshot("checks-5-steps")
    yield from click(hands, "navmesh.set_settings")
    assert abs(draft.agent_max_climb - 0.3) < 1e-6 and abs(draft.cell_height - 0.15) < 1e-6
    yield from driver.wait(lambda: "STEPS_OF_FEW_CELLS" not in hints(), "the hint to go away")
    yield 0.5
    driver.screenshot("checks-6-steps-mended")
    yield from undo(hands)
    assert abs(bpy.context.scene.navmesh.draft.cell_height - 0.2) < 1e-6


# ---------------------------------------------------------------- many objects


def many_objects(hands: Hands, heart: Heartbeat) -> Steps:
    """Clicks and surveys in a level of 10,000 objects, with a navmesh that is watched."""
    make_many()
    yield 2
    with driver.in_viewport():
        assert bpy.ops.navmesh.build(scope="COLLECTION", collection="Ground") == {"FINISHED"}
    built = bpy.context.scene.navmesh.setups[0]
    bpy.ops.navmesh.setup_add(name="All")  # what is built already is looked at as it was built
    setup = bpy.context.scene.navmesh.setups[1]
    setup.scope = "VISIBLE"
    driver.region("UI").tag_redraw()
    handler, slices = timed_handler(), timed_slices()
    yield from driver.wait(lambda: looked().startswith(f"{OBJECTS:,} objects"), "the survey of all objects", 60)
    idle = yield from idle_gap(heart)
    yield from survey(heart, setup, slices, idle)
    driver.screenshot("checks-7-many-objects")
    yield from clicks(hands, heart, handler, idle)
    bpy.context.scene.objects["Tile 77"].location.z = 3  # not in the collection that was built
    bpy.context.scene.objects["Floor"].location.z = 1
    out_of_date = addon("watch.out_of_date").out_of_date
    navmesh = bpy.data.objects["Navmesh"]
    yield from driver.wait(lambda: out_of_date(navmesh, built).endswith("level changed"), "the move to be noticed")
    yield 0.5
    driver.screenshot("checks-8-out-of-date")


def survey(heart: Heartbeat, setup: Any, slices: list[float], idle: float) -> Steps:
    """A changed setting asks for another survey, which takes many slices."""
    slices.clear()
    setup.agent_radius = 0.9
    driver.region("UI").tag_redraw()
    since = clock()
    shown = forecast()
    yield from driver.wait(lambda: forecast() is not shown, "another survey", 60)
    gap = heart.largest_gap(since)
    work = sum(slices)
    say(f"survey of {OBJECTS:,} objects: {len(slices)} slices, {work * 1e3:.0f} ms, longest {max(slices) * 1e3:.1f} ms")
    say(f"the window was away for {gap * 1e3:.0f} ms at most; drawing alone {idle * 1e3:.0f} ms")
    assert len(slices) > 3 and max(slices) <= SLICE + COARSE
    assert gap <= idle + GAP


def clicks(hands: Hands, heart: Heartbeat, handler: list[float], idle: float) -> Steps:
    """Select one object after another by clicks into the viewport, without our tab and with it."""
    latency = {}
    for tab in ("View", "Navmesh"):
        driver.region("UI").active_panel_category = tab
        yield 1
        handler.clear()
        since, took = clock(), []
        for k in range(5):
            took.append((yield from click_on_an_object(hands, 40 * k - 80)))
        latency[tab] = sorted(took)[len(took) // 2]
        say(f"click to selection, tab {tab}: {milliseconds(took)}; the handler {milliseconds(handler)}")
        say(f"the window was away for {heart.largest_gap(since) * 1e3:.0f} ms; drawing alone {idle * 1e3:.0f} ms")
        assert handler and sorted(handler)[len(handler) // 2] <= HANDLER, "half of all clicks cost less"
    assert latency["Navmesh"] <= latency["View"] + idle + GAP, "one redraw of the window may come between"


def click_on_an_object(hands: Hands, beside: int) -> Generator[float, None, float]:
    bpy.ops.object.select_all(action="DESELECT")
    yield 0.6
    x, y = driver.middle(driver.region())
    yield from hands.move((x + beside, y))
    began = clock()
    yield from hands.key("LEFTMOUSE")
    yield from driver.wait(lambda: bpy.context.selected_objects, "the click to select something")
    return clock() - began


def milliseconds(seconds: list[float]) -> str:
    ordered = sorted(seconds)
    return f"{ordered[len(ordered) // 2] * 1e3:.2f} ms (median of {len(ordered)}), {ordered[-1] * 1e3:.2f} ms at most"


def make_many() -> None:
    """Tiles in rows, of which one lies in the collection that is built."""
    levels.clear()
    ground = bpy.data.collections.new("Ground")
    bpy.context.scene.collection.children.link(ground)
    mesh = bpy.data.meshes.new("Tile")
    mesh.from_pydata([(0, 0, 0), (2, 0, 0), (2, 2, 0), (0, 2, 0)], [], [(0, 1, 2, 3)])
    large = bpy.data.meshes.new("Floor")
    large.from_pydata([(0, 0, 0), (30, 0, 0), (30, 30, 0), (0, 30, 0)], [], [(0, 1, 2, 3)])
    for k in range(OBJECTS):
        object_ = bpy.data.objects.new(f"Tile {k}" if k else "Floor", mesh if k else large)
        (bpy.context.scene.collection if k else ground).objects.link(object_)
        object_.location = (2 * (k % 100) - 100, 2 * (k // 100) - 100, 0)
    view = driver.viewport().spaces.active.region_3d  # few are drawn: what a click costs is not what drawing costs
    view.view_perspective, view.view_distance, view.view_rotation = "ORTHO", 14, (1, 0, 0, 0)
    bpy.ops.ed.undo_push(message="Level")


def timed_handler() -> list[float]:
    """Seconds that our handler took after each update, in this thread."""
    module, handlers = addon("watch.blender_handlers"), bpy.app.handlers.depsgraph_update_post
    handlers[handlers.index(module._after_update)] = timer_of(module._after_update, seconds := [])
    return seconds


def timed_slices() -> list[float]:
    work = addon("interface.checks_before_build")._survey
    if bpy.app.timers.is_registered(work._timer):
        bpy.app.timers.unregister(work._timer)
    work._timer = timer_of(work._timer, seconds := [])
    work.ask()
    return seconds


def timer_of(function: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    def timed(*arguments: Any) -> Any:
        began = time.thread_time()
        try:
            return function(*arguments)
        finally:
            seconds.append(time.thread_time() - began)

    return timed


def idle_gap(heart: Heartbeat) -> Any:
    """How long drawing alone keeps the window from answering."""
    since = clock()
    for _ in range(6):
        driver.viewport().tag_redraw()
        yield 0.4
    return heart.largest_gap(since)


# ---------------------------------------------------------------- the panel


def addon(name: str) -> Any:
    return importlib.import_module(f"{ADDON}.{name}")


def forecast() -> Any:
    return addon("interface.checks_before_build").latest(bpy.context.scene)


def hints() -> list[str]:
    found = forecast()
    return [hint.code for hint in found.hints] if found is not None else []


def looked() -> str:
    found = forecast()
    return found.looked if found is not None else ""


def click(hands: Hands, operator: str) -> Steps:
    place = yield from hands.find_button(operator)
    yield from hands.click(place)
    yield 0.3


def undo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("Z", ctrl=True)
    yield 0.7


driver.run(scenario)
