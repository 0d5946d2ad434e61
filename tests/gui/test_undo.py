"""Ctrl+Z while a navmesh is built, a change in the redo panel and Ctrl+Z after it, a window closed meanwhile."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
from driver import Hands, Steps, say

OPERATOR = "NAVMESH_OT_build"
SIDE = 100.0  # m
FINE, COARSE, COARSER = 0.02, 0.37, 0.53  # cell sizes: a few seconds of work, next to nothing, and less


def scenario() -> Steps:
    hands = Hands()
    make_ground()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from redo_panel(hands)
    yield from undo_meanwhile(hands)
    yield from close_window_meanwhile()


def redo_panel(hands: Hands) -> Steps:
    """A value is changed in the panel that Blender shows after an operator. It all stays one step."""
    bpy.context.scene.navmesh.draft.cell_size = COARSE
    bpy.ops.ed.undo_push(message="Cell Size")
    place = yield from hands.find_button("navmesh.build")
    yield from hands.click(place)
    yield from driver.wait(lambda: len(results()) == 2 and not driver.running(OPERATOR), "the build", 600)
    yield 1
    assert cell_size() == COARSE
    yield from hands.unfold_redo_panel()
    yield from hands.find_value(str(COARSE))
    bpy.context.window_manager.clipboard = str(COARSER)
    yield from hands.key("V", ctrl=True)
    yield from driver.wait(lambda: len(results()) == 2 and cell_size() == COARSER, "the redo panel to build again")
    yield 0.5
    driver.screenshot("9-redo-panel-changed")
    yield from hands.undo()
    assert results() == [] and "Ground" in bpy.data.objects, "build and change are one step"
    assert len(bpy.context.scene.navmesh.setups) == 0
    assert round(bpy.context.scene.navmesh.draft.cell_size, 6) == COARSE
    say("redo panel: one step")


def undo_meanwhile(hands: Hands) -> Steps:
    """It undoes what was done before; the build goes on, and is a step of its own."""
    with driver.in_viewport():
        bpy.ops.transform.translate(value=(7, 0, 0))
    bpy.ops.ed.undo_push(message="Move")
    yield 0.5
    assert bpy.data.objects["Ground"].location.x == 7
    invoke()
    yield 0.3
    assert driver.running(OPERATOR), "the build was over at once: make it finer"
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("Z", ctrl=True)
    yield from driver.wait(lambda: bpy.data.objects["Ground"].location.x == 0, "the undo", 5)
    assert driver.running(OPERATOR), "a build does not end because something else was undone"
    yield from driver.wait(lambda: not driver.running(OPERATOR), "the build", 120)
    yield 1.5
    driver.screenshot("10-undone-meanwhile")
    assert len(results()) == 2 and driver.working_threads() == []
    object_ = bpy.data.objects["Navmesh"]
    assert max(vertex.co.x for vertex in object_.data.vertices) > SIDE / 2 + 5, "it is that of the level as it was"
    watch = sys.modules["bl_ext.user_default.navmesh.navmesh_addon.watch.out_of_date"]
    setup = bpy.context.scene.navmesh.setups[0]
    yield from driver.wait(lambda: "level" in watch.out_of_date(object_, setup), "the panel to say so")
    yield from hands.undo()
    assert results() == [] and bpy.data.objects["Ground"].location.x == 0
    say("undo while it builds: one step, and out of date before it")


def close_window_meanwhile() -> Steps:
    """The operator goes with its window; nothing is left of it."""
    bpy.ops.wm.window_new()
    yield 1
    second = bpy.context.window_manager.windows[-1]
    area = second.screen.areas[0]
    area.type = "VIEW_3D"
    yield 0.5
    region = next(region for region in area.regions if region.type == "WINDOW")
    with bpy.context.temp_override(window=second, area=area, region=region):
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", cell_size=FINE) == {"RUNNING_MODAL"}
    yield 0.3
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 0.5
    active_build = sys.modules["bl_ext.user_default.navmesh.navmesh_addon.builds.active_build"]
    assert active_build.current() is None and results() == []
    yield from driver.wait(lambda: driver.working_threads() == [], "the thread to end", 30)
    say("window closed while it builds: idle, no thread")


# -------------------------------------------------------------------------- parts


def invoke() -> None:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", cell_size=FINE) == {"RUNNING_MODAL"}


def cell_size() -> float:
    return float(json.loads(bpy.data.objects["Navmesh"]["navmesh_settings"])["cell_size"])


def results() -> list[str]:
    return sorted(object_.name for object_ in bpy.context.scene.objects if object_.name != "Ground")


def make_ground() -> None:
    """A square, selected; nothing else is in the scene."""
    for object_ in list(bpy.data.objects):
        bpy.data.objects.remove(object_)
    half = SIDE / 2
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)], [], [(0, 1, 2, 3)])
    ground = bpy.data.objects.new("Ground", mesh)
    bpy.context.scene.collection.objects.link(ground)
    ground.select_set(True)
    bpy.context.view_layer.objects.active = ground
    bpy.ops.ed.undo_push(message="Level")


driver.run(scenario)
