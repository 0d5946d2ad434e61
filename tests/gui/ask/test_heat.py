"""A walk's heat and places of cover, drawn in the viewport: while agents walk, of a baked walk, and put away."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Steps, say


def scenario() -> Steps:
    levels.make_rooms()
    for side in (-1, 1):  # a wall with a door of 2 m
        levels.add_box("Wall", (side * 6.5, 0.5, 1), (5.5, 0.2, 1))
    driver.viewport().spaces.active.region_3d.view_distance = 28
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    scene = bpy.context.scene
    scene.navmesh.test_start, scene.navmesh.test_end, scene.navmesh.tab = (-2, -5, 0.1), (2, 6, 0.1), "TEST"
    scene.navmesh.walk_heat = "TIME_LOST"
    bpy.ops.ed.undo_push(message="Way")
    walk = driver.ours("ask.walking.current_walk")
    with driver.in_viewport():
        assert bpy.ops.navmesh.walk_add(count=60) == {"FINISHED"}
    yield from driver.wait(lambda: walk.heat_in(scene) and walk.current().job.frame.seconds > 12, "the walk", 900)
    driver.screenshot("heat-1-walking")
    worst = walk.heat_in(scene).chokepoints[0]
    say(f"{worst.seconds:.0f} s lost by {worst.agents} agents at a door of {worst.width:.2f} m")
    assert abs(worst.at[0]) < 1 and 1 < worst.width < 2
    with driver.in_viewport():
        assert bpy.ops.navmesh.walk_stop() == {"FINISHED"}
    assert walk.heat_in(scene) is None
    with driver.in_viewport():
        assert bpy.ops.navmesh.bake_walk(agents=30) == {"FINISHED"}
    yield 1
    heat = walk.heat_in(scene)
    assert heat is not None and abs(heat.chokepoints[0].at[0]) < 1
    driver.screenshot("heat-2-baked")
    scene.navmesh.walk_heat = "NONE"
    yield 0.5
    assert walk.heat_in(scene) is None
    with driver.in_viewport():
        assert bpy.ops.navmesh.find_cover("INVOKE_DEFAULT") <= {"FINISHED", "RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_find_cover"), "cover", 300)
    yield 2
    driver.screenshot("heat-3-cover")
    with driver.in_viewport():
        assert bpy.ops.navmesh.hide_cover() == {"FINISHED"}
    yield 0.5
    driver.screenshot("heat-4-put-away")


driver.run(scenario)
