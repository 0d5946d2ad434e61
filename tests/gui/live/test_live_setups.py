"""Two agents in live mode: both navmeshes follow one drag, that of the active setup first."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say
from live_checks import at_rest, mode

AGENTS = (("Human", 0.6, 16), ("Giant", 1.2, 32))  # name, radius in metres, cells of a tile
MOVES, UNDOES = 10, 4


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    for name, radius, tile in AGENTS:
        with driver.in_viewport():
            bpy.ops.navmesh.setup_add(name=name)
            given = {"scope": "VISIBLE", "tile_size": tile, "agent_radius": radius}
            assert bpy.ops.navmesh.build("INVOKE_DEFAULT", **given) == {"RUNNING_MODAL"}
        yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.navmesh.live() == {"FINISHED"}
    yield from at_rest("both followed for the first time")
    assert [one.setup for one in mode().following()] == [setup(1).uid, setup(0).uid]
    yield from drag(hands)
    yield from the_active_one_first()
    for _ in range(UNDOES):
        yield from hands.undo()
    yield from at_rest("undone")
    yield from one_less(hands)


def setup(number: int) -> bpy.types.bpy_struct:
    return bpy.context.scene.navmesh.setups[number]


def drag(hands: Hands) -> Steps:
    for object_ in bpy.context.view_layer.objects:
        object_.select_set(object_.name == "Pillar 2")
    bpy.context.view_layer.objects.active = bpy.data.objects["Pillar 2"]
    x, y = driver.middle(driver.region())
    yield from hands.move((x, y))
    yield from hands.key("G")
    for step in range(30):
        yield from hands.move((x + 4 * step, y + 2 * step))
    driver.screenshot("live-setups-dragging")
    yield from hands.key("LEFTMOUSE")
    yield from at_rest("after the drag")
    driver.screenshot("live-setups-after")


def the_active_one_first() -> Steps:
    """Its tiles are there before the other begins."""
    bpy.context.scene.navmesh.active = 0
    order = [setup(0).uid, setup(1).uid]
    yield from driver.wait(lambda: [one.setup for one in mode().following()] == order, "the other order", 30)
    first, second = mode().following()
    for k in range(MOVES):
        shown = len(first.times.shown_after), len(second.times.shown_after)
        bpy.data.objects["Pillar 1"].location.x += 0.5 * (-1) ** k
        bpy.ops.ed.undo_push(message="Move")
        yield from driver.wait(lambda shown=shown: len(first.times.shown_after) > shown[0], "the active one")
        assert len(second.times.shown_after) == shown[1], "the other one was first"
        yield from driver.wait(lambda shown=shown: len(second.times.shown_after) > shown[1], "the other one")
    yield from at_rest("after moves")
    say(
        f"{MOVES} moves: the active setup first; "
        f"longest slice {1000 * max((*first.looking.slices, *second.looking.slices)):.1f} ms"
    )


def one_less(hands: Hands) -> Steps:
    """A navmesh that is deleted is followed no more; with Ctrl+Z it is again."""
    giant = next(object_ for object_ in bpy.data.objects if object_.get("navmesh_setup") == setup(1).uid)
    bpy.data.objects.remove(giant)
    bpy.ops.ed.undo_push(message="Delete")
    yield from driver.wait(lambda: [one.setup for one in mode().following()] == [setup(0).uid], "one less")
    bpy.data.objects["Pillar 3"].location.x += 1
    bpy.ops.ed.undo_push(message="Move")
    yield 1
    yield from hands.undo()
    yield from hands.undo()
    yield from driver.wait(lambda: len([*mode().following()]) == 2, "both again")
    yield from at_rest("both again")


driver.run(scenario)
