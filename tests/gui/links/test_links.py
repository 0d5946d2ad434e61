"""Links in the viewport: one that is attached at both ends, and a red one with a star where it leads to nothing."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say
from links.link_steps import drag, on_screen
from mathutils import Vector

PIXELS = 300  # of a color, at least, where lines of it are seen


def scenario() -> Steps:
    hands = Hands()
    label_room.unfold("NAVMESH_PT_advanced", "NAVMESH_PT_report")
    make_level()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    [warning] = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])["warnings"]
    assert (warning["code"], warning["object"]) == ("LINK_UNATTACHED", "Ladder"), warning
    bpy.context.scene.navmesh.draw_links = False
    yield 0.5
    without = colors_of(driver.screenshot("links-1-off"))
    bpy.context.scene.navmesh.draw_links = True
    driver.viewport().tag_redraw()
    yield 1
    shown = colors_of(driver.screenshot("links-2-links"))
    say(f"red and yellow pixels: {without}, with links {shown}")
    assert shown["red"] > without["red"] + PIXELS and shown["yellow"] > without["yellow"] + PIXELS, shown
    yield from hands.scroll_down()
    driver.screenshot("links-4-report")
    place = yield from hands.find_button("navmesh.select_object", across=0.2)
    yield from hands.click(place)
    yield 1
    driver.screenshot("links-5-selected")
    assert bpy.context.view_layer.objects.active.name == "Ladder"
    yield from drag_an_end(hands)


def drag_an_end(hands: Hands) -> Steps:
    """By its handle, along the floor: the other end stays, and Ctrl+Z takes it back."""
    for one in bpy.context.selected_objects:
        one.select_set(False)
    bpy.context.view_layer.objects.active = bpy.data.objects["Path"]
    bpy.context.scene.navmesh.move_links = True
    bpy.ops.ed.undo_push(message="Show handles")
    driver.viewport().tag_redraw()
    yield 1
    driver.screenshot("links-6-handles")
    start = bpy.data.objects["Path"].matrix_world.translation.copy()
    end = bpy.data.objects["Path To"].matrix_world.translation.copy()
    yield from drag(hands, on_screen(start + Vector((0, 0, 0.4))), on_screen(start + Vector((1.5, -3, 0))))
    moved = bpy.data.objects["Path"].matrix_world.translation.copy()
    driver.screenshot("links-7-dragged")
    say(f"dragged from {tuple(start)} to {tuple(moved)}")
    assert (moved - start).length > 1 and abs(moved.z) < 0.3, "it goes along the ground"
    assert (bpy.data.objects["Path To"].matrix_world.translation - end).length < 1e-5
    yield from hands.undo()
    assert (bpy.data.objects["Path"].matrix_world.translation - start).length < 1e-5


def make_level() -> None:
    """A floor of 20 m; a link along it, and a ladder that leads from it into the air."""
    levels.clear()
    bpy.ops.mesh.primitive_plane_add(size=20)
    for name, start, end in (("Path", (-6, 4, 0), (6, 4, 0)), ("Ladder", (4, -4, 0), (-4, -4, 5))):
        first, second = (bpy.data.objects.new(text, None) for text in (name, f"{name} To"))
        for empty, place in ((first, start), (second, end)):
            empty.location = place
            bpy.context.scene.collection.objects.link(empty)
        first.navmesh.use, first.navmesh.link_end = "LINK", second
    driver.viewport().spaces.active.region_3d.view_distance = 30
    bpy.ops.ed.undo_push(message="Level")


def colors_of(picture: Path) -> Counter[str]:
    """How many pixels of the screen are as red and as yellow as links are drawn."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    counts: Counter[str] = Counter()
    for r, g, b in zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True):
        counts["red"] += r > 200 and g < 90 and b < 90
        counts["yellow"] += r > 200 and g > 150 and b < 110
    return counts


driver.run(scenario)
