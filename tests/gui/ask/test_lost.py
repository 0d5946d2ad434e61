"""The tool in a window while navmesh, level and scene go away under its start and end: sentences in the status bar."""

import sys
from collections.abc import Generator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps, say
from mathutils import Vector

HERE, THERE = (-9, -6, 0), (10, 7, 0)


def scenario() -> Steps:
    hands, errors = Hands(), driver.Console()
    levels.make_rooms()
    driver.viewport().spaces.active.region_3d.view_distance = 28
    bpy.ops.ed.undo_push(message="Level")
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.wm.tool_set_by_id(name="navmesh.test") == {"FINISHED"}
    yield 1
    yield from hands.click(on_screen(HERE))
    yield from hands.move(on_screen(THERE))
    yield from hands.key("LEFTMOUSE", ctrl=True)
    assert "searched)" in (yield from status(hands))
    yield from into_the_sky(hands)
    yield from what_changes(hands)
    yield from what_goes(hands)
    driver.screenshot("lost-end")
    assert "Traceback" not in errors.text, errors.text


def into_the_sky(hands: Hands) -> Steps:
    """A click, a Ctrl-click and an Alt-click: nothing moves."""
    place, before = driver.region(), (tuple(asked().test_start), tuple(asked().test_end))
    sky = place.x + place.width // 2, place.y + place.height - 40
    for modifiers in ({}, {"ctrl": True}, {"alt": True}):
        yield from hands.move(sky)
        yield from hands.key("LEFTMOUSE", **modifiers)
        yield 0.3
    assert (tuple(asked().test_start), tuple(asked().test_end)) == before
    driver.screenshot("lost-sky")


def what_changes(hands: Hands) -> Steps:
    """Another name, a level that has changed, another scene and back."""
    bpy.data.objects["Navmesh"].name = "Walkable Ground"
    assert "searched)" in (yield from status(hands))
    ground = max(levels_objects(), key=lambda one: one.dimensions.x)
    ground.location.z -= 0.5
    yield from driver.wait(lambda: "(Out of date: the level changed)" in now(), "word of the change")
    driver.screenshot("lost-changed")
    first = bpy.context.scene
    driver.window().scene = bpy.data.scenes.new("Other")
    other = yield from status(hands)
    assert "Click to set the start" in other, other
    driver.window().scene = first
    assert "searched)" in (yield from status(hands))


def what_goes(hands: Hands) -> Steps:
    """The navmesh is deleted, and undone."""
    for object_ in [one for one in bpy.data.objects if "navmesh_role" in one or one.name == "Walkable Ground"]:
        bpy.data.objects.remove(object_)
    bpy.ops.ed.undo_push(message="Delete")
    gone = yield from status(hands)
    assert "Press Build Navmesh first" in gone, gone
    driver.screenshot("lost-deleted")
    for _ in range(6):
        yield from hands.undo()
        yield from status(hands)
    assert [one for one in bpy.data.objects if one.type == "MESH"], "the level is still there"


def levels_objects() -> list[bpy.types.Object]:
    return [one for one in bpy.data.objects if one.type == "MESH" and "navmesh_role" not in one]


def status(hands: Hands) -> Generator[float, None, str]:
    """What the status bar says once everything was drawn again."""
    yield from hands.move(driver.middle(driver.region()))
    driver.viewport().tag_redraw()
    yield 0.5
    say(now())
    return now()


def now() -> str:
    return str(driver.ours("ask.drawn_answer").status(bpy.context.scene))


def asked() -> bpy.types.bpy_struct:
    """Found anew each time: undo makes what was found before useless."""
    return bpy.context.scene.navmesh


def on_screen(point: object) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
    return round(place.x + at.x), round(place.y + at.y)


driver.run(scenario)
