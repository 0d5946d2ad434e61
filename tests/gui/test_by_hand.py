"""Editing by hand, with a real mouse: a bridge is blocked, a ramp is added, and the navmesh is taken over."""

import json
import sys
from itertools import pairwise
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say

BRIDGE = 50.0  # x of the middle of the bridge over the river
SIDE = 1.5  # metres from the middle of what is blocked
ENDS = (-8.0, 0.0, 0.0), (8.0, 0.0, 0.0)
PLANK = [[-3.0, -0.3, 0.0], [3.0, -0.3, 0.0], [3.0, 0.3, 0.0], [-3.0, 0.3, 0.0]]


def scenario() -> Steps:
    hands = Hands()
    for object_ in list(bpy.data.objects):
        bpy.data.objects.remove(object_)
    label_room.unfold("NAVMESH_PT_edits")
    bpy.ops.navmesh.example_level()
    bpy.ops.ed.undo_push(message="Level")
    look((34, -34, 0), 66)
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "MARK")
    yield from build()
    yield from add_with_the_button(hands)
    yield from block(hands)
    yield from take_over(hands)
    yield from patch(hands)


def build(anew: bool = False) -> Steps:
    before = str(bpy.data.objects["Navmesh"]["navmesh_build"]) if "Navmesh" in bpy.data.objects else ""
    with driver.in_viewport():
        (bpy.ops.navmesh.build if anew or not before else bpy.ops.navmesh.rebuild)("INVOKE_DEFAULT")
    yield from driver.wait(
        lambda: "Navmesh" in bpy.data.objects and str(bpy.data.objects["Navmesh"]["navmesh_build"]) != before,
        "the build",
        900,
    )
    yield 2


def add_with_the_button(hands: Hands) -> Steps:
    """One click adds an edit, and one step takes it back."""
    bpy.context.scene.cursor.location = (33.0, -52.0, 8.0)
    yield from hands.click((yield from hands.find_button("navmesh.add_helper(kind='BLOCK'", across=0.12)))
    yield 1
    added = bpy.context.object
    assert added is not None and added.navmesh.use == "BLOCK"
    assert [one.name for one in added.users_collection] == ["Navmesh Edits"]
    name = added.name
    yield from hands.undo()
    assert name not in bpy.data.objects
    say("a block was added and undone")


def block(hands: Hands) -> Steps:
    """The way over the bridge ends before the block, and goes on when that is hidden."""
    scene = bpy.context.scene.navmesh
    way = find_path(scene.test_start, scene.test_end)
    assert way["status"] == "complete"
    x, y, z = nearest(way["points"], BRIDGE)
    outline = [[x - SIDE, y - SIDE], [x + SIDE, y - SIDE], [x + SIDE, y + SIDE], [x - SIDE, y + SIDE]]
    bpy.ops.navmesh.add_edit(
        "EXEC_DEFAULT", True, kind="BLOCK", outline=json.dumps(outline), min_height=z - 2, max_height=z + 2,
        name="Broken Bridge",
    )  # fmt: skip
    yield from build()
    closed = find_path(scene.test_start, scene.test_end)
    say(f"over the bridge: {way['sentence']}; blocked: {closed['sentence']}")
    assert closed["status"] == "partial" or closed["cost"] > way["cost"] + 5, "through the water"
    look((55, -36, 0), 34)
    with driver.in_viewport():
        bpy.ops.wm.tool_set_by_id(name="navmesh.test")
    bpy.data.objects["Broken Bridge"].select_set(True)
    yield from picture(hands, "hand-1-block")
    with driver.in_viewport():
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
    with driver.in_viewport():
        bpy.data.objects["Broken Bridge"].hide_set(True)
    yield from build()
    assert find_path(scene.test_start, scene.test_end)["status"] == "complete"
    bpy.data.objects["Broken Bridge"].hide_set(False)


def patch(hands: Hands) -> Steps:
    """A plank of one's own, narrower than any agent could use, leads over a gap."""
    levels.clear()
    for name, x in (("West", -6.0), ("East", 6.0)):
        levels.add_box(name, (x, 0, -1), (4, 4, 1))
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    bpy.ops.ed.undo_push(message="Level")
    yield 1
    yield from build(anew=True)
    before = find_path(*ENDS)
    assert before["status"] == "partial"
    bpy.ops.navmesh.add_edit("EXEC_DEFAULT", True, kind="PATCH", outline=json.dumps(PLANK), name="Plank")
    look((0, 0, 0), 22)
    yield from build()
    after = find_path(*ENDS)
    say(f"over the gap: {before['sentence']}; by the plank: {after['sentence']}")
    assert after["status"] == "complete"
    yield from picture(hands, "hand-2-patch")


def take_over(hands: Hands) -> Steps:
    """The navmesh becomes a mesh of one's own, which is edited as any; a build makes the navmesh of its faces."""
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    bpy.ops.navmesh.take_over("EXEC_DEFAULT", True)
    own = bpy.context.object
    assert own.navmesh.use == "NAVMESH" and len(own.data.polygons) == polygons
    yield from hands.move(driver.middle(driver.region()))
    with driver.in_viewport():
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="DESELECT")
    yield 1
    look((34, -34, 0), 66)
    yield from picture(hands, "hand-3-taken-over")
    with driver.in_viewport():
        bpy.ops.object.mode_set(mode="OBJECT")
    yield from build()
    made = json.loads(bpy.data.objects["Navmesh"]["navmesh_report"])
    say(f"{polygons} polygons were taken over; {made['conversion']['kept']} faces were kept")
    assert made["conversion"]["dropped"] == []


# -------------------------------------------------------------------------- parts


def find_path(start: tuple[float, float, float], end: tuple[float, float, float]) -> dict[str, object]:
    with driver.in_viewport():
        bpy.ops.navmesh.find_path("EXEC_DEFAULT", start=start, end=end, mode="PATH")
    return json.loads(bpy.context.scene.navmesh.path_answer)


def nearest(points: list[list[float]], wanted: float) -> tuple[float, float, float]:
    """Where the way crosses this x, in Blender's coordinates."""
    for (x0, y0, z0), (x1, y1, z1) in pairwise(points):
        if min(x0, x1) <= wanted <= max(x0, x1) and x0 != x1:
            part = (wanted - x0) / (x1 - x0)
            return wanted, y0 + part * (y1 - y0), z0 + part * (z1 - z0)
    raise AssertionError(f"the way does not cross x = {wanted}: {points}")


def look(place: tuple[float, float, float], distance: float) -> None:
    space = driver.viewport().spaces.active
    space.overlay.show_floor = space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.color_type = "MATERIAL"
    space.region_3d.view_location, space.region_3d.view_distance = place, distance


def picture(hands: Hands, name: str) -> Steps:
    """With the mouse aside."""
    place = driver.region()
    yield from hands.move((place.x + 120, place.y + 40))
    yield 1.5
    driver.screenshot(name)


driver.run(scenario)
