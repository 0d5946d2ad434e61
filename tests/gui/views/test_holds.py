"""What the window says, holds: dropped islands, hand edits that are asked about, corridors on hills, levels of another
unit, a bake that ends, and Live after a redo."""

import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Steps, say


def scenario() -> Steps:
    hands = Hands()
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from corridor_on_hills()
    yield from bake(hands)
    yield from live_after_redo(hands)
    yield from asked_before_edits_go(hands)
    yield from other_unit()


def build(**given: object) -> Steps:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE", **given) == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 1


def corridor_on_hills() -> Steps:
    """Its polygons lie on hills, over two navmeshes, without a comb."""
    levels.clear()
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=60, y_subdivisions=60, size=40)
    hills = bpy.context.object
    for vertex in hills.data.vertices:
        vertex.co.z = 1.2 * math.sin(vertex.co.x / 3) * math.cos(vertex.co.y / 4)
    bpy.ops.ed.undo_push(message="Level")
    yield 1
    yield from build()
    bpy.ops.navmesh.setup_add(name="Second")
    bpy.context.scene.navmesh.setups[1].scope = "VISIBLE"
    yield from build(setup="Second")
    scene = bpy.context.scene.navmesh
    scene.active = 0
    with driver.in_viewport():
        bpy.ops.wm.tool_set_by_id(name="navmesh.test")
    scene.test_start, scene.test_end = (-17, -15, 0), (17, 16, 0)
    view = driver.viewport().spaces.active.region_3d
    view.view_distance, view.view_location = 45, (0, 0, 0)
    yield 2
    driver.screenshot("holds-1-corridor")
    say("corridor drawn")


def bake(hands: Hands) -> Steps:
    scene = bpy.context.scene.navmesh
    assert scene.walk_seconds == 0.0
    scene.walk_agents = 5
    with driver.in_viewport():
        assert bpy.ops.navmesh.bake_walk("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield 0.5
    driver.screenshot("holds-2-baking")
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_bake_walk"), "the bake", 300)
    agents = bpy.data.collections["Navmesh Walk"].objects
    assert len(agents) == 5
    bpy.ops.ed.undo_push(message="Bake")
    before = len(agents)
    scene.walk_seconds, scene.walk_agents = 600.0, 50
    with driver.in_viewport():
        assert bpy.ops.navmesh.bake_walk("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield 0.3
    yield from hands.key("ESC")
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_bake_walk"), "its end", 60)
    assert len(bpy.data.collections["Navmesh Walk"].objects) == before
    say("baked until all arrived, and stopped")


def live_after_redo(hands: Hands) -> Steps:
    levels.make_rooms()
    yield from build()
    with driver.in_viewport():
        bpy.ops.navmesh.live()
        bpy.ops.ed.undo_push(message="Live")
    live = driver.ours("live.live_mode")
    yield from driver.wait(lambda: "following" in live.state(bpy.context.scene), "Live", 600)
    for _ in range(3):
        yield from hands.undo()
    for _ in range(3):
        yield from hands.key("Z", ctrl=True, shift=True)
        yield 0.7
    yield 1
    say(f"after the redo: {live.state(bpy.context.scene)}")
    yield from driver.wait(lambda: "press Build" not in live.state(bpy.context.scene), "Live after a redo", 60)
    yield from driver.wait(lambda: "following" in live.state(bpy.context.scene), "Live after a redo", 300)
    say(live.state(bpy.context.scene))
    bpy.context.scene.navmesh.live = False
    yield 1


def asked_before_edits_go(hands: Hands) -> Steps:
    navmesh = next(one for one in bpy.data.objects if one.get("navmesh_role") == "polygon_mesh" and one.users_scene)
    navmesh.data.vertices[0].co.x += 0.5
    bpy.ops.ed.undo_push(message="Edit")
    build_before = navmesh["navmesh_build"]
    yield from hands.move(driver.middle(driver.region()))
    with driver.in_viewport():
        assert bpy.ops.navmesh.rebuild("INVOKE_DEFAULT") == {"CANCELLED"}
    yield 1
    driver.screenshot("holds-3-asked")
    assert navmesh["navmesh_build"] == build_before
    yield from hands.key("RET")
    yield 0.5
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_rebuild"), "the build", 300)
    yield 1
    say(f"thrown away: {navmesh['navmesh_build'] != build_before}")
    driver.screenshot("holds-4-thrown-away")


def other_unit() -> Steps:
    """A house in centimetres: the panel asks, and the button scales."""
    levels.clear()
    levels.add_box("Ground", (0, 0, -50), (4000, 4000, 50))
    levels.add_box("Roof", (0, 0, 280), (3000, 3000, 10))
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    for panel in [cls for cls in bpy.types.Panel.__subclasses__() if cls.__name__ == "NAVMESH_PT_checks"]:
        bpy.utils.unregister_class(panel)
        panel.bl_options = set()
        bpy.utils.register_class(panel)
    for object_ in bpy.data.objects:
        object_.select_set(True)
    with driver.in_viewport():
        bpy.ops.view3d.view_all()
    bpy.ops.ed.undo_push(message="Level")
    yield 4
    driver.screenshot("holds-5-unit")
    checks = driver.ours("interface.checks_before_build")
    latest = checks.latest(bpy.context.scene)
    yield from driver.wait(
        lambda: any(hint.code == "WRONG_UNIT" for hint in checks.latest(bpy.context.scene).hints), "the unit", 60
    )
    say(f"{latest.hints[0].message if latest and latest.hints else ''}")
    driver.screenshot("holds-6-asked-unit")


driver.run(scenario)
