"""The drawn navmesh: lines in perspective and in flat views, X-ray, the surface where mesh objects are hidden, and
nothing where the navmesh is gone."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say

PIXELS = 1000  # that lines over the whole of the viewport change, at least
SURFACE = 50_000  # that the ground changes
NOISE = 200  # that Blender's own smoothing of edges changes from one drawing to the next; a line is hundreds


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    view = driver.viewport().spaces.active.region_3d
    view.view_distance = 25
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    bpy.ops.object.select_all(action="DESELECT")
    yield 0.5
    for name, projection in (("perspective", "PERSP"), ("flat", "ORTHO")):
        view.view_perspective = projection
        without = yield from shot(f"outlines-{name}-off", show_navmesh=False)
        lines = yield from shot(f"outlines-{name}", show_navmesh=True)
        say(f"pixels that lines change, {name}: {changed(without, lines)}")
        assert changed(without, lines) > PIXELS
    view.view_perspective = "PERSP"
    yield from without_mesh_objects()
    yield from by_key(hands)
    yield from gone()


def without_mesh_objects() -> Steps:
    """The picture stays where it is asked for, and is gone where it is not."""
    shown = yield from shot("drawn-1-objects")
    objects = [bpy.data.objects[name] for name in ("Navmesh", "Navmesh Detail")]
    for object_ in objects:
        object_.hide_set(True)
    hidden = yield from shot("drawn-2-hidden")
    drawn = yield from shot("drawn-3-drawn", draw_hidden=True)
    say(f"hidden changes {changed(shown, hidden)} pixels, drawing it all the same brings {changed(hidden, drawn)} back")
    assert changed(shown, hidden) > SURFACE and changed(hidden, drawn) > SURFACE
    x_ray = yield from shot("drawn-4-x-ray", draw_x_ray=True)
    assert changed(drawn, x_ray, by=6) > PIXELS  # what pillars hide shines through them, weaker
    helpers = yield from shot("drawn-5-helpers", draw_x_ray=False, draw_helpers=True, draw_vertices=True)
    assert changed(drawn, helpers) > PIXELS / 5  # a box's edges and posts are thin
    faded = yield from shot("drawn-6-faded", draw_helpers=False, draw_vertices=False, draw_fade=20.0)
    assert changed(drawn, faded) > SURFACE / 2
    yield from shot("drawn-7-all", draw_fade=0.0)
    for object_ in objects:
        object_.hide_set(False)


def by_key(hands: Hands) -> Steps:
    """Ctrl Alt N over the viewport."""
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("N", ctrl=True, alt=True)
    yield 0.3
    assert not bpy.context.scene.navmesh.show_navmesh
    yield from hands.key("N", ctrl=True, alt=True)
    yield 0.3
    assert bpy.context.scene.navmesh.show_navmesh


def gone() -> Steps:
    """Deleted objects leave no picture, and a disabled extension leaves nothing that draws."""
    bpy.context.scene.navmesh.draw_hidden = True
    for name in ("Navmesh", "Navmesh Detail"):
        bpy.data.objects.remove(bpy.data.objects[name])
    bpy.data.objects["Pond"].hide_set(True)  # an area's outline is there before any navmesh is
    empty = yield from shot("drawn-8-gone")
    off = yield from shot("drawn-9-off", show_navmesh=False)
    assert changed(empty, off) < NOISE, changed(empty, off)


def shot(name: str, **switches: object) -> Steps:
    for switch, value in switches.items():
        setattr(bpy.context.scene.navmesh, switch, value)
    driver.viewport().tag_redraw()
    yield 1
    return pixels_of(driver.screenshot(name))


def changed(one: bytes, other: bytes, by: int = 20) -> int:
    return sum(abs(a - b) > by for a, b in zip(one[::3], other[::3], strict=True))


def pixels_of(picture: Path) -> bytes:
    """What the viewport shows, without the sidebar, whose panels fill while one looks."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    width, height = driver.window().width, driver.window().height
    rows = range(height // 8, height * 3 // 4)
    return b"".join(pixels[3 * width * row : 3 * (width * row + width * 3 // 5)] for row in rows)


driver.run(scenario)
