"""Agents walk in the viewport: Space and Shift-Space as keys, 200 of them, what ends a walk, and one that is baked."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Heartbeat, Steps, clock, say

SECONDS = 6.0  # that 200 agents are watched
GAP = 1.0  # seconds: generous, the machine may have no graphics card


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
    bpy.context.scene.navmesh.test_start, bpy.context.scene.navmesh.test_end = (-9, -6, 0.1), (10, 7, 0.1)
    bpy.ops.ed.undo_push(message="Way")
    yield from hands.move(driver.middle(driver.region()))
    walk = driver.ours("ask.walking.current_walk")
    yield from hands.key("SPACE")
    assert walk.current() is not None and not bpy.context.screen.is_animation_playing
    yield from driver.wait(lambda: walk.current().job.frame and seconds(walk) > 4, "the walk", 900)
    driver.screenshot("walk-1-one")
    yield from hands.key("SPACE", shift=True)
    yield from hands.key("SPACE", shift=True)
    yield 1.5
    assert len(walk.current().job.frame.states) == 3
    driver.screenshot("walk-2-three")
    yield from hands.key("ESC")
    assert walk.current() is None
    yield from many(hands, walk)
    yield from what_ends_it(hands, walk)
    yield from baked()


def many(hands: Hands, walk: object) -> Steps:
    """200, and how long the window does not answer meanwhile."""
    heart = Heartbeat()
    idle = yield from driver.idle_gap(heart)
    yield from hands.key("SPACE")
    bpy.ops.navmesh.walk_add(count=199)
    yield from driver.wait(lambda: agents(walk) == 200 and seconds(walk) > 1, "200 agents", 60)
    since, began, draws = clock(), seconds(walk), []
    handle = bpy.types.SpaceView3D.draw_handler_add(lambda: draws.append(clock()), (), "WINDOW", "POST_PIXEL")
    yield SECONDS / 2
    driver.screenshot("walk-3-many")
    yield SECONDS / 2
    bpy.types.SpaceView3D.draw_handler_remove(handle, "WINDOW")
    passed, gap = clock() - since, heart.largest_gap(since)
    say(
        f"200 agents: {len(draws) / passed:.0f} drawings a second, longest gap {1000 * gap:.0f} ms "
        f"({1000 * idle:.0f} ms without agents), {(seconds(walk) - began) / passed:.2f} s of walk a second"
    )
    assert len(draws) > 2 and gap < GAP + 2 * idle
    yield from hands.key("SPACE")
    assert walk.current() is None
    yield 0.5
    driver.screenshot("walk-4-ended")


def what_ends_it(hands: Hands, walk: object) -> Steps:
    """Undo, and a navmesh that is deleted."""
    bpy.context.scene.navmesh.test_end = (10, -7, 0.1)
    bpy.ops.ed.undo_push(message="Another end")
    yield from hands.key("SPACE")
    yield 0.5
    assert walk.current() is not None
    yield from hands.undo()
    assert walk.current() is None
    yield from hands.key("SPACE")
    yield 0.5
    assert walk.current() is not None
    bpy.data.objects.remove(bpy.data.objects["Navmesh"])
    yield 2
    assert walk.current() is None and "its navmesh is gone" in walk.said()
    bpy.ops.ed.undo_push(message="Gone")
    yield from hands.undo()


def baked() -> Steps:
    """As animation, which plays."""
    with driver.in_viewport():
        assert bpy.ops.navmesh.bake_walk(agents=12, seconds=10) == {"FINISHED"}
    bpy.context.scene.frame_set(150)
    yield 1
    assert len(bpy.data.collections["Navmesh Walk"].objects) == 12
    driver.screenshot("walk-5-baked")
    with driver.in_viewport():
        bpy.ops.screen.animation_play()
        yield 2
        bpy.ops.screen.animation_play()
    for _ in range(2):
        with driver.in_viewport():
            bpy.ops.ed.undo()
        yield 0.5
    assert "Navmesh Walk" not in bpy.data.collections


def agents(walk: object) -> int:
    """Who are there: finding them places takes a while."""
    frame = walk.current().job.frame
    return 0 if frame is None else len(frame.states)


def seconds(walk: object) -> float:
    """Of the walk."""
    return walk.current().job.frame.seconds


driver.run(scenario)
