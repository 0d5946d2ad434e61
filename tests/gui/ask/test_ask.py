"""The tool Navmesh Test with a real mouse: clicks, drags of both handles, what is drawn, and what goes wrong."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps, say
from mathutils import Vector

YELLOW = 300  # pixels of a path across the viewport, at least
NEAR = 0.9  # metres: what is hit may be the navmesh above the ground


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    driver.viewport().spaces.active.region_3d.view_distance = 28
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.wm.tool_set_by_id(name="navmesh.test") == {"FINISHED"}
    current, scene = driver.ours("ask.current_answer"), bpy.context.scene
    yield 1
    without = yellow_in(driver.screenshot("ask-1-tool"))
    yield from hands.click(on_screen((-9, -6, 0)))
    yield 0.5
    assert near(asked().test_start, (-9, -6, 0)), asked().test_start[:]
    yield from hands.move(on_screen((10, 7, 0)))
    yield from hands.key("LEFTMOUSE", ctrl=True)
    yield from driver.wait(lambda: current.current(scene).answered is not None, "the first answer", 300)
    yield 0.5
    assert near(asked().test_end, (10, 7, 0)), asked().test_end[:]
    drawn = yellow_in(driver.screenshot("ask-2-path"))
    say(f"yellow pixels: {without} without a path, {drawn} with one")
    assert drawn > without + YELLOW
    yield from drag(hands, on_screen(Vector(asked().test_end) + Vector((0, 0, 0.5))), on_screen((10, -7, 0)))
    assert near(asked().test_end, (10, -7, 0)), asked().test_end[:]
    driver.screenshot("ask-3-dragged")
    yield from hands.undo()
    assert near(asked().test_end, (10, 7, 0)), asked().test_end[:]
    for mode in ("SHORTEST", "MIDPOINTS", "STRAIGHT", "RAYCAST", "WALL", "CIRCLE", "REACH"):
        bpy.context.scene.navmesh.test_mode = mode
        driver.viewport().tag_redraw()
        yield 0.5
        shown = yellow_in(driver.screenshot(f"ask-4-{mode.lower()}"))
        say(f"yellow pixels of {mode}: {shown}")
        assert shown > without + 20, mode
    yield from what_goes_wrong(hands, drawn)


def what_goes_wrong(hands: Hands, drawn: int) -> Steps:
    """A click into the sky, a navmesh that is deleted under the tool, and another file."""
    asked().test_mode = "PATH"
    before = tuple(asked().test_start)
    place = driver.region()
    yield from hands.click((place.x + place.width // 2, place.y + place.height - 40))
    yield 0.3
    assert tuple(asked().test_start) == before
    for name in ("Navmesh", "Navmesh Detail"):
        if name in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[name])
    driver.viewport().tag_redraw()
    yield 0.7
    gone = yellow_in(driver.screenshot("ask-5-gone"))
    assert gone < drawn - YELLOW, (gone, drawn)
    yield from hands.undo()
    driver.viewport().tag_redraw()
    yield 0.5


def asked() -> bpy.types.bpy_struct:
    """Found anew each time: undo makes what was found before useless."""
    return bpy.context.scene.navmesh


def drag(hands: Hands, start: tuple[int, int], end: tuple[int, int]) -> Steps:
    yield from hands.move(start)
    yield 0.3
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.1
    for part in range(1, 11):
        yield from hands.move(tuple(round(a + (b - a) * part / 10) for a, b in zip(start, end, strict=True)))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.5


def on_screen(point: object) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
    return round(place.x + at.x), round(place.y + at.y)


def near(found: object, wanted: object) -> bool:
    return (Vector(found) - Vector(wanted)).length < NEAR


def yellow_in(picture: Path) -> int:
    """Pixels of the viewport as yellow as paths are drawn."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    width, place = driver.window().width, driver.region()
    rows = range(driver.window().height - place.y - place.height, driver.window().height - place.y)
    count = 0
    for row in rows:
        line = pixels[3 * (width * row + place.x) : 3 * (width * row + place.x + place.width)]
        count += sum(r > 180 and g > 150 and b < 140 for r, g, b in zip(line[::3], line[1::3], line[2::3], strict=True))
    return count


driver.run(scenario)
