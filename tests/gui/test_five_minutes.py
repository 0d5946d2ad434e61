"""The first five minutes as the guide tells them, with a real mouse, from the first run on; its six pictures."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import label_room
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps, say
from mathutils import Vector

FIRST_ROWS = 10  # at most, of a panel on its first day
VOLUME = (33.0, -52.0, 8.0)  # above open ground before the chapel
CRATE = (41.7, -39.0, 1.1)  # on top of one, which is smaller than an agent


def scenario() -> Steps:
    hands = Hands()
    for object_ in list(bpy.data.objects):
        bpy.data.objects.remove(object_)
    begin_anew()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield 1.5
    yield from first_run(hands)
    yield from build(hands, "navmesh.build")
    yield from picture(hands, "five-2-built")
    yield from mark(hands)
    yield from test(hands)
    yield from why(hands)
    yield from export(hands)


def begin_anew() -> None:
    """As after installing."""
    for name, addon in bpy.context.preferences.addons.items():
        if name.endswith(".navmesh"):
            addon.preferences.first_run = True


def first_run(hands: Hands) -> Steps:
    with driver.in_sidebar():
        rows = label_room.rows_of_tab()
    say(f"first run: {rows} rows")
    assert rows <= FIRST_ROWS
    driver.screenshot("five-1-first-run")
    place = yield from hands.find_button("navmesh.example_level")
    yield from hands.click(place)
    yield from driver.wait(lambda: "Example Level" in bpy.data.collections, "the example", 20)
    look_at_level()
    yield 2


def build(hands: Hands, operator: str) -> Steps:
    yield from driver.show_tab("BUILD")
    before = build_of_navmesh()
    yield from hands.click((yield from hands.find_button(operator)))
    yield from driver.wait(lambda: build_of_navmesh() != before, "the build", 900)
    yield 2


def mark(hands: Hands) -> Steps:
    """A volume of grass before the chapel, made longer by its handle; then the ground is grass."""
    yield from driver.show_tab("MARK")
    bpy.context.scene.cursor.location = VOLUME
    bpy.context.scene.navmesh.active_area_type = 4
    yield 0.5
    place = yield from hands.find_button("navmesh.add_helper(kind='VOLUME'", across=0.15)
    yield from hands.click(place)
    yield 1
    volume = bpy.context.object
    name = volume.name  # undo makes the object another
    assert volume.name.startswith("Area Volume") and volume.navmesh.area == 4 and volume.display_type == "WIRE"
    view = driver.viewport().spaces.active.region_3d
    view.view_location, view.view_distance = volume.location, 26
    yield 1.5
    handles = driver.ours("interface.helpers.box_handles")
    before = handles.side_of(volume, 0, True)
    yield from drag(hands, before.middle + 1.2 * before.outward, before.middle + 3.2 * before.outward)
    yield 1
    after = handles.side_of(bpy.context.object, 0, True)
    moved = (after.middle - before.middle).dot(before.outward)
    say(f"the side was dragged by {moved:.2f} m")
    assert 1 < moved < 3.5 and (after.across - before.across).length < 1e-3
    yield from hands.undo()
    assert (handles.side_of(bpy.data.objects[name], 0, True).middle - before.middle).length < 1e-3, "one step"
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 1
    yield from picture(hands, "five-3-marked")
    look_at_level()
    yield from build(hands, "navmesh.rebuild")
    found = {value.value for value in bpy.data.objects["Navmesh"].data.attributes["navmesh_area"].data}
    assert found == {0, 1, 4}, found


def test(hands: Hands) -> Steps:
    yield from driver.show_tab("TEST")
    yield from hands.click((yield from hands.find_button("wm.tool_set_by_id")))
    yield 1
    stored = bpy.context.scene.navmesh
    button = yield from hands.find_button("navmesh.find_path", across=0.765)
    yield from hands.click(button)
    yield 2
    answer = json.loads(stored.path_answer)
    say(answer["sentence"])
    assert answer["status"] == "complete"
    yield from picture(hands, "five-4-tested")


def why(hands: Hands) -> Steps:
    yield from hands.move(on_screen(Vector(CRATE)))
    yield 0.3
    yield from hands.key("LEFTMOUSE", alt=True)
    yield 2
    answer = json.loads(bpy.context.scene.navmesh.why_answer)
    say(answer["sentence"])
    assert "is part of the navmesh" not in answer["sentence"]
    yield from picture(hands, "five-5-why")


def export(hands: Hands) -> Steps:
    """The menu of targets; Esc closes it."""
    yield from driver.show_tab("BUILD")
    _, y = yield from hands.find_button("navmesh.prune", across=0.6)
    place = driver.region("UI")
    yield from hands.click((place.x + int(place.width * 0.15), y))
    yield 1
    driver.screenshot("five-6-export")
    yield from hands.key("ESC")
    yield 0.5


# -------------------------------------------------------------------------- parts


def picture(hands: Hands, name: str) -> Steps:
    """With the mouse aside."""
    place = driver.region()
    yield from hands.move((place.x + 120, place.y + 40))
    yield 1.5
    driver.screenshot(name)


def look_at_level() -> None:
    space = driver.viewport().spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.color_type = "MATERIAL"
    space.region_3d.view_location, space.region_3d.view_distance = (34, -34, 0), 66


def drag(hands: Hands, start: Vector, end: Vector) -> Steps:
    yield from hands.move(on_screen(start))
    yield 0.5
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.3
    first, last = on_screen(start), on_screen(end)
    for part in range(1, 9):
        yield from hands.move(tuple(round(a + (b - a) * part / 8) for a, b in zip(first, last, strict=True)))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.7


def on_screen(point: Vector) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, point)
    return round(place.x + at.x), round(place.y + at.y)


def build_of_navmesh() -> str:
    navmesh = bpy.data.objects.get("Navmesh")
    return "" if navmesh is None else str(navmesh["navmesh_build"])


driver.run(scenario)
