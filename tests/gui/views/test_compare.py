"""What changed, in the viewport: red where a crate stands, green where it stood, gray where ground was lifted."""

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
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps, say
from mathutils import Vector

HERE, THERE = (-5.0, 0.0), (5.0, 0.0)  # where the crate stood, and where it stands
RISE = 0.3  # metres by which a slab is lifted: an agent still steps onto it
AROUND = 40  # pixels to each side of a place


def scenario() -> Steps:
    hands = Hands()
    label_room.unfold("NAVMESH_PT_compare")
    crate, slab = make_level()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "TEST")
    yield from build()
    crate.location.x, slab.location.z = THERE[0], slab.location.z + RISE
    bpy.ops.ed.undo_push(message="Moved")
    yield from build()
    show_no_navmesh()
    yield 0.5
    without = colors_at(driver.screenshot("compare-1-without"))
    yield from compare()
    shown = colors_at(driver.screenshot("compare-2-shown"))
    say(f"pixels around both places and on the slab, without {without}, with {shown}")
    found = json.loads(bpy.context.scene.navmesh.compare_answer)
    say(f"added {found['added']:.1f} m², removed {found['removed']:.1f} m², moved {found['moved']:.1f} m²")
    assert found["added"] > 5 and found["removed"] > 5 and found["moved"] > 5
    most = {"here": "green", "there": "red", "slab": "gray"}
    for place, color in most.items():
        more = {name: shown[place][name] - without[place][name] for name in ("green", "red", "gray")}
        assert more[color] > 300 and more[color] == max(more.values()), (place, more)
    yield from hands.scroll_down()
    driver.screenshot("compare-3-panel")
    yield from hands.find_button("navmesh.compare_look")
    yield from places_and_old_pictures(hands, crate, without)


def places_and_old_pictures(hands: Hands, crate: bpy.types.Object, without: dict[str, Counter[str]]) -> Steps:
    """A click looks at a place; a level that changed is said; undo and clearing leave nothing."""
    view = driver.viewport().spaces.active.region_3d
    before = view.view_location.copy(), view.view_distance
    yield from hands.key("LEFTMOUSE")
    yield 0.5
    driver.screenshot("compare-4-place")
    places = json.loads(bpy.context.scene.navmesh.compare_answer)["places"]
    assert min((view.view_location - Vector(place[:3])).length for place in places) < 1e-3
    view.view_location, view.view_distance = before
    crate.location.y += 1
    yield 1.5
    driver.screenshot("compare-5-out-of-date")
    crate.location.y -= 1
    yield 1
    yield from hands.undo()
    yield from hands.undo()
    yield 0.5
    undone = colors_at(driver.screenshot("compare-6-undone"))
    assert undone["here"]["green"] < 100, "of a build that was undone, no picture is left"
    yield from hands.key("Z", ctrl=True, shift=True)
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 1
    assert bpy.ops.navmesh.compare_clear() == {"FINISHED"}
    yield 0.5
    assert colors_at(driver.screenshot("compare-7-cleared"))["there"]["red"] <= without["there"]["red"] + 20


def make_level() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A floor of 24 by 16 m with a crate and a flat slab."""
    levels.clear()
    levels.add_box("Floor", (0, 0, -0.5), (12, 8, 0.5))
    crate = levels.add_box("Crate", (*HERE, 0.75), (1.5, 1.5, 0.75))
    slab = levels.add_box("Slab", (0, -5, -0.1), (3, 1.5, 0.2))
    draft = bpy.context.scene.navmesh.draft
    draft.scope, draft.cell_size, draft.cell_height = "VISIBLE", 0.2, 0.1
    view = driver.viewport().spaces.active.region_3d
    view.view_distance, view.view_location = 24, (0, 0, 0)
    bpy.ops.object.select_all(action="DESELECT")
    bpy.ops.ed.undo_push(message="Level")
    return crate, slab


def build() -> Steps:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 0.5


def show_no_navmesh() -> None:
    """Its objects: what is drawn over the viewport alone is looked at."""
    for object_ in bpy.data.objects:
        if object_.name.startswith("Navmesh"):
            object_.hide_set(True)


def compare() -> Steps:
    """On the thread."""
    with driver.in_viewport():
        assert bpy.ops.navmesh.compare("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_compare"), "the comparison", 300)
    yield 1


def colors_at(picture: Path) -> dict[str, Counter[str]]:
    """Green, red and gray pixels around the places where the crate stood and stands, and on the slab."""
    found = {}
    for name, point in (("here", (*HERE, 0.2)), ("there", (*THERE, 0.2)), ("slab", (0, -5, 0.4))):
        place = driver.region()
        x, y = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
        left, top = int(place.x + x) - AROUND, driver.window().height - int(place.y + y) - AROUND
        size = 2 * AROUND
        crop = ["convert", str(picture), "-crop", f"{size}x{size}+{left}+{top}", "+repage", "rgb:-"]
        pixels = subprocess.run(crop, check=True, capture_output=True).stdout
        found[name] = Counter(map(color_of, zip(pixels[::3], pixels[1::3], pixels[2::3], strict=True)))
    return found


def color_of(pixel: tuple[int, int, int]) -> str:
    r, g, b = pixel
    if g > r + 40 and g > b + 40:
        return "green"
    if r > g + 40 and r > b + 40:
        return "red"
    return "gray" if max(pixel) - min(pixel) < 12 and min(pixel) > 195 else "other"  # lighter than the level


driver.run(scenario)
