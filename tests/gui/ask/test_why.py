"""“Why not here?” with a real mouse: Alt-click on a ledge, the place shown, a preview, the change; what goes wrong."""

import json
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

LEDGE = (3.12, 0, 0.6)  # on the block, beside its rim
SOME = 40  # pixels at least of what is drawn


def scenario() -> Steps:
    hands = Hands()
    make_level()
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.wm.tool_set_by_id(name="navmesh.test") == {"FINISHED"}
    yield from driver.open_sidebar(hands, "Navmesh", "TEST")
    yield 1
    before = count(driver.screenshot("why-1-before"))
    yield from alt_click(hands, LEDGE)
    answer = json.loads(bpy.context.scene.navmesh.why_answer)
    say(answer["sentence"])
    assert answer["code"] == "LEDGE" and answer["object"] and answer["setting"] == "agent_max_climb", answer
    shown = count(driver.screenshot("why-2-shown"))
    say(f"pixels of the place: {before} before, {shown} after")
    assert shown["red"] > before["red"] + SOME
    yield from preview(hands, shown)
    yield from change(hands, answer, shown)
    yield from what_goes_wrong(hands)


def make_level() -> None:
    """A floor with a block that is too high to step on."""
    levels.clear()
    levels.add_box("Ground", (0, 0, -0.5), (10, 10, 0.5))
    levels.add_box("Block", (6.08, 0, 0.1), (3, 4, 0.5))
    bpy.ops.object.select_all(action="DESELECT")
    view = driver.viewport().spaces.active.region_3d
    view.view_rotation, view.view_perspective = (1, 0, 0, 0), "ORTHO"  # from above: a click is where it looks
    view.view_location, view.view_distance = (6, 0, 0), 16


def alt_click(hands: Hands, place: object) -> Steps:
    yield from hands.move(on_screen(place))
    yield 0.3
    yield from hands.key("LEFTMOUSE", alt=True)
    yield 1


def preview(hands: Hands, before: dict[str, int]) -> Steps:
    found = yield from hands.find_button("navmesh.preview_change(", across=0.695)
    yield from hands.click(found)
    shown = driver.ours("ask.drawn_reason").shown_in
    yield from driver.wait(lambda: shown(bpy.context.scene).preview() is not None, "the preview", 300)
    yield from hands.move(driver.middle(driver.region()))
    yield 1
    now = count(driver.screenshot("why-3-preview"))
    say(f"{shown(bpy.context.scene).preview().sentence}; pixels of new ground: {now['green'] - before['green']}")
    assert now["green"] > before["green"] + 10 * SOME


def change(hands: Hands, answer: dict[str, object], shown: dict[str, int]) -> Steps:
    """The button beside it, a build, and the place is another one."""
    found = yield from hands.find_button("navmesh.set_settings(", across=0.3)
    yield from hands.click(found)
    yield 0.5
    assert abs(bpy.context.scene.navmesh.setups[0].agent_max_climb - answer["suggested"]) < 1e-6
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 0.5
    gone = count(driver.screenshot("why-4-built"))
    assert gone["red"] < shown["red"] - SOME, "the answer is of the old navmesh"
    yield from alt_click(hands, LEDGE)
    after = json.loads(bpy.context.scene.navmesh.why_answer)
    driver.screenshot("why-5-walkable")
    say(f"after the change: {after['sentence']}")
    assert after["walkable"], after


def what_goes_wrong(hands: Hands) -> Steps:
    """A click beside everything, a level that has changed, a navmesh that is deleted."""
    text = bpy.context.scene.navmesh.why_answer
    yield from alt_click(hands, (11.3, 3, 0))
    assert bpy.context.scene.navmesh.why_answer == text
    bpy.data.objects["Block"].location.y = 3
    bpy.ops.ed.undo_push(message="Move")
    yield 1
    yield from alt_click(hands, (0, -5, 0))
    assert json.loads(bpy.context.scene.navmesh.why_answer)["code"] == "STALE"
    for name in ("Navmesh", "Navmesh Detail"):
        bpy.data.objects.remove(bpy.data.objects[name])
    yield from alt_click(hands, (0, -5, 0))
    assert json.loads(bpy.context.scene.navmesh.why_answer)["code"] == "NOTHING_TO_ASK"
    driver.screenshot("why-6-gone")


def on_screen(point: object) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
    return round(place.x + at.x), round(place.y + at.y)


def count(picture: Path) -> dict[str, int]:
    """Pixels of the viewport, sidebar left out, that are red as culprits and green as new ground are drawn."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    width, place = driver.window().width, driver.region()
    wide = place.width - driver.region("UI").width
    rows = range(driver.window().height - place.y - place.height + 120, driver.window().height - place.y)
    found = {"red": 0, "green": 0}
    for row in rows:
        line = pixels[3 * (width * row + place.x) : 3 * (width * row + place.x + wide)]
        for r, g, b in zip(line[::3], line[1::3], line[2::3], strict=True):
            found["red"] += r > 200 and g < 100 and b < 90
            found["green"] += g > r + 60 and g > b + 40
    return found


driver.run(scenario)
