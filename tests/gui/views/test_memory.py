"""A thousand switches of views and of the drawn navmesh, builds, undos and loaded files: memory does not grow, and no
picture stays of a navmesh that is gone."""

import sys
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
import memory
from driver import Hands, Steps, say

SWITCHES, BUILDS, LOADS = 1000, 30, 20
GROWTH = 20 << 20  # bytes
BEAT = 0.03  # seconds for each switch: the viewport is drawn


def scenario() -> Steps:
    hands = Hands()
    memory.check_that_it_counts()
    levels.make_rooms()
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    yield 1
    yield from build()
    yield from switch(200)  # what is loaded once is loaded, and caches are full
    yield from load(3)
    steps_kept = bpy.context.preferences.edit.undo_steps
    for what, first, steps in (
        ("switches", build_and_undo(hands, 5), switch(SWITCHES)),
        # Until Blender keeps as many steps as it may, each takes memory.
        ("builds and undos", build_and_undo(hands, steps_kept), build_and_undo(hands, BUILDS)),
        ("loaded files", load(1), load(LOADS)),
    ):
        yield from first
        before = memory.in_use()
        yield from steps
        yield 1
        grown = memory.in_use() - before
        say(f"{what}: memory grew by {grown / (1 << 20):.1f} MB")
        assert grown < GROWTH, (what, grown)
    yield from nothing_of_what_is_gone()


def switch(times: int) -> Steps:
    """Views, colors, and what is drawn, one after the other."""
    stored, items = bpy.context.scene.navmesh.bl_rna.properties, bpy.context.scene.navmesh
    views = cycle(item.identifier for item in stored["view"].enum_items)
    colors = cycle(item.identifier for item in stored["color_by"].enum_items)
    switches = cycle(("draw_x_ray", "draw_hidden", "draw_vertices", "draw_helpers", "show_navmesh"))
    for number in range(times):
        if number % 3 == 0:
            items.view = next(views)
        elif number % 3 == 1:
            items.color_by = next(colors)
        else:
            name = next(switches)
            setattr(items, name, not getattr(items, name))
        driver.viewport().tag_redraw()
        yield BEAT
    items.view, items.show_navmesh = "NONE", True


def build() -> Steps:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 0.1


def build_and_undo(hands: Hands, times: int) -> Steps:
    for _ in range(times):
        bpy.data.objects["Pillar 2"].location.x += 0.01
        bpy.ops.ed.undo_push(message="Move")
        yield from build()
        bpy.context.scene.navmesh.view = "REGIONS"
        yield 0.2
        yield from hands.undo()


def load(times: int) -> Steps:
    path = str(driver.PICTURES / "memory.blend")
    bpy.context.scene.navmesh.view = "NONE"
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for _ in range(times):
        bpy.ops.wm.open_mainfile(filepath=path, load_ui=False)
        yield 0.2
    Path(path).unlink()


def nothing_of_what_is_gone() -> Steps:
    for name in ("Navmesh", "Navmesh Detail"):
        bpy.data.objects.remove(bpy.data.objects[name])
    for _ in range(150):
        driver.viewport().tag_redraw()
        yield BEAT
    drawn, view = driver.ours("views.drawn_navmeshes"), driver.ours("views.stage_view")
    assert drawn.memory() == 0 and view.shown() is None


driver.run(scenario)
