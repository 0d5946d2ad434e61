"""A door that is closed and opened under Live, and a crate that is dragged with obstacles shown, by a real mouse."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say

ENDS = (-6.0, 0.0, 0.0), (6.0, 0.0, 0.0)


def scenario() -> Steps:
    hands = Hands()
    make_hall()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "MARK")
    yield from add_door(hands)
    with driver.in_viewport():
        bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE")
    yield from driver.wait(lambda: "Navmesh" in bpy.data.objects, "the build", 900)
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "its end", 900)
    yield 1
    yield from open_and_close(hands)
    yield from drag_a_crate(hands)


def make_hall() -> None:
    """A floor, and a wall with a gap in its middle."""
    levels.clear()
    levels.add_box("Floor", (0, 0, -0.5), (10, 8, 0.5))
    for name, y in (("South Wall", -5.0), ("North Wall", 5.0)):
        levels.add_box(name, (0, y, 1.5), (0.4, 3, 1.5))
    eye = driver.viewport().spaces.active.region_3d
    eye.view_location, eye.view_distance = (0, 0, 0), 26
    bpy.ops.ed.undo_push(message="Hall")


def add_door(hands: Hands) -> Steps:
    """The button in *Mark*; then it is given its place, as with S and G."""
    bpy.context.scene.cursor.location = (0, 0, 0)
    yield from hands.click((yield from hands.find_button("navmesh.add_helper(kind='DOOR'", across=0.5)))
    yield 1
    door = bpy.context.object
    assert door is not None and door.navmesh.use == "DOOR", door
    door.name, door.navmesh.door_name = "Gate", "gate"
    door.rotation_euler, door.dimensions = (0, 0, 0), (1.0, 4.0, 3.0)
    bpy.ops.ed.undo_push(message="Door")


def open_and_close(hands: Hands) -> Steps:
    """Closed, nobody gets through; opened again, they do; and Live says so without a build."""
    door = bpy.data.objects["Gate"]
    assert find_path()["status"] == "complete"
    bpy.ops.navmesh.live("INVOKE_DEFAULT")
    yield 3
    yield from picture(hands, "doors-1-open")
    for closed, status in ((True, "partial"), (False, "complete")):
        door.navmesh.door_closed = closed
        bpy.ops.ed.undo_push(message="Door")
        yield from driver.wait(lambda status=status: find_path()["status"] == status, f"closed: {closed}", 300)
        say(f"closed: {closed}, {find_path()['sentence']}")
        yield from picture(hands, f"doors-{'2-closed' if closed else '3-open-again'}")
    yield from hands.undo()
    assert bpy.data.objects["Gate"].navmesh.door_closed
    yield from driver.wait(lambda: find_path()["status"] == "partial", "the undone door", 300)
    yield from hands.undo()
    bpy.ops.navmesh.live("INVOKE_DEFAULT")
    yield 1


def drag_a_crate(hands: Hands) -> Steps:
    """With G, while what is drawn follows; Esc puts it back, and undo takes the crate away."""
    bpy.context.scene.cursor.location = (4, -3, 0)
    yield from hands.click((yield from hands.find_button("navmesh.add_helper(kind='OBSTACLE'", across=0.85)))
    yield 1
    crate = bpy.context.object
    assert crate is not None and crate.navmesh.use == "OBSTACLE"
    crate.name = "Crate"
    before = [len(mesh.polygons) for mesh in bpy.data.meshes]
    bpy.ops.navmesh.with_obstacles("INVOKE_DEFAULT", True)
    shown = driver.ours("live.with_obstacles")
    yield from driver.wait(lambda: shown.state(bpy.context.scene).startswith("1 obstacle"), "the tile cache", 900)
    yield from picture(hands, "doors-4-obstacle")
    first = drawn(shown)
    x, y = driver.middle(driver.region())
    yield from hands.move((x, y))
    yield from hands.key("G")
    followed = 0  # places between the first and the last that were drawn
    for step in range(1, 5):
        yield from hands.move((x + 36 * step, y - 9 * step))
        yield 0.3
        followed += drawn(shown) != first
    say(f"{followed} of 4 moves were followed while the mouse moved on")
    yield from driver.wait(lambda: drawn(shown) != first and is_as_it_stands(shown), "tiles that follow", 300)
    yield 1.5
    driver.screenshot("doors-5-dragged")  # the mouse stays where it is: the crate hangs on it
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.1
    hands.event("LEFTMOUSE", "RELEASE")
    yield 2
    say(f"dragged: {shown.state(bpy.context.scene)}")
    assert [len(mesh.polygons) for mesh in bpy.data.meshes] == before, "no mesh of the file was touched"
    for _ in range(3):
        yield from hands.undo()
    yield 2
    say(f"after undo: {shown.state(bpy.context.scene) or 'without obstacles'}")
    assert "Navmesh" in bpy.data.objects


# -------------------------------------------------------------------------- parts


def drawn(shown: object) -> object:
    """The obstacles that what is drawn was cut for."""
    return shown._shown.value.standing


def is_as_it_stands(shown: object) -> bool:
    """Whether what is drawn is cut for obstacles where they are now."""
    now = shown._shown.value
    return now.job is None and now.standing == now._wanted(bpy.context)


def find_path() -> dict[str, object]:
    with driver.in_viewport():
        bpy.ops.navmesh.find_path("EXEC_DEFAULT", start=ENDS[0], end=ENDS[1], mode="PATH")
    return json.loads(bpy.context.scene.navmesh.path_answer)


def picture(hands: Hands, name: str) -> Steps:
    yield from hands.move((200, 60))
    yield 1.5
    driver.screenshot(name)


driver.run(scenario)
