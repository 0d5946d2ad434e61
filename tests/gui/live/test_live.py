"""Live mode while somebody works: drags, copies, deletes, undoes, renders, plays, saves and opens again."""

import sys
import tempfile
from pathlib import Path
from statistics import quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
import numpy as np
from driver import Hands, Steps, say
from live_checks import at_rest, mode, now, same_as_a_build, state

DRAG, MOVES, UNDOES = 10.0, 20, 20  # seconds, and how often
PIECE, TILES = 0, 32


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    bpy.ops.object.camera_add(location=(0, -30, 20), rotation=(1.0, 0, 0))
    bpy.context.scene.camera = bpy.context.object
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE", tile_size=TILES) == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.navmesh.live() == {"FINISHED"}
    yield from at_rest("following for the first time")
    driver.screenshot("live-following")
    yield from drag(hands)
    yield from single_moves()
    yield from copies_and_deletes()
    yield from undo_and_redo(hands)
    yield from render()
    yield from playback(hands)
    yield from one_piece()
    yield from save_and_open()
    yield from switched_off()


def choose(name: str) -> bpy.types.Object:
    for object_ in bpy.context.view_layer.objects:
        object_.select_set(object_.name == name)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]
    return bpy.data.objects[name]


def drag(hands: Hands) -> Steps:
    """The key G and the mouse, for ten seconds: tiles are shown meanwhile, nothing is written, nothing starves."""
    choose("Pillar 2")
    yield 1.5
    stamp, shown = bpy.data.objects["Navmesh"].data["navmesh_stamp"], len(now().times.shown_after)
    x, y = driver.middle(driver.region())
    yield from hands.move((x, y))
    yield from hands.key("G")
    yield 0.2
    assert driver.running("TRANSFORM_OT_translate")
    began, step, pictured = driver.clock(), 0, 0
    while driver.clock() - began < DRAG:
        step += 1
        hands.place = (x + int(120 * np.sin(step / 15)), y + int(60 * np.cos(step / 11)))
        hands.event("MOUSEMOVE", "NOTHING")
        yield 0.05
        pictured = max(pictured, len(now().pictures))
        if step == 6:
            driver.screenshot("live-dragging")
    assert driver.running("TRANSFORM_OT_translate"), "the drag was ended by somebody else"
    assert bpy.data.objects["Navmesh"].data["navmesh_stamp"] == stamp, "written in the middle of a drag"
    updates = len(now().times.shown_after) - shown
    say(f"drag of {DRAG:.0f} s: {step} mouse moves, {updates} updates shown, up to {pictured} tiles, {slices()}")
    assert updates >= 5 and pictured
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.1
    hands.event("LEFTMOUSE", "RELEASE")
    assert state() != "Live: following"
    yield from at_rest("after the drag")
    driver.screenshot("live-after-drag")
    assert bpy.data.objects["Navmesh"].data["navmesh_stamp"] != stamp


def slices() -> str:
    return f"longest slice {1000 * max(now().looking.slices, default=0):.1f} ms"


def single_moves() -> Steps:
    """From a move to the tiles that can be drawn. Without smoothed edges, for which Blender draws again and again."""
    bpy.context.preferences.system.viewport_aa = "OFF"
    yield 0.5
    for k in range(MOVES):
        bpy.data.objects["Pillar 1"].location.x += 0.4 * (-1) ** k
        bpy.ops.ed.undo_push(message="Move")
        count = len(now().times.shown_after)
        yield from driver.wait(lambda count=count: len(now().times.shown_after) > count, "the tiles of a move")
    debounce = driver.ours("live.live_delays").DELAY_AFTER_CHANGE
    for what, seconds in ("ready", now().times.ready_after), ("taken by the main loop", now().times.shown_after):
        cuts = quantiles([value - debounce for value in seconds[-MOVES:]], n=20)
        say(f"{MOVES} moves, {what} after the debounce: p50 {cuts[9]:.3f} s, p95 {cuts[18]:.3f} s, {slices()}")
    yield from at_rest("after moves")


def copies_and_deletes() -> Steps:
    choose("Pillar 3")
    with driver.in_viewport():
        bpy.ops.object.duplicate_move(TRANSFORM_OT_translate={"value": (1.5, -3, 0)})
    yield from at_rest("a copy")
    with driver.in_viewport():
        bpy.ops.object.delete()
    yield from at_rest("deleted again")
    bpy.ops.ed.undo_push(message="Deleted")
    say("copied and deleted: as a full build")


def undo_and_redo(hands: Hands) -> Steps:
    """Ctrl+Z twenty times over changes that were written, then forward again."""
    place = bpy.data.objects["Pillar 4"].location.copy()
    for k in range(UNDOES):
        bpy.data.objects["Pillar 4"].location.x = place.x + 0.2 * (k + 1)
        bpy.ops.ed.undo_push(message=f"Move {k}")
        yield 0.05 if k % 4 else 2.0
    yield from at_rest("before undoing")
    yield from hands.move(driver.middle(driver.region()))
    for _ in range(UNDOES):
        yield from hands.key("Z", ctrl=True)
        yield 0.15
    yield from at_rest("undone")
    assert abs(bpy.data.objects["Pillar 4"].location.x - place.x) < 0.3
    for _ in range(UNDOES // 2):
        yield from hands.key("Z", ctrl=True, shift=True)
        yield 0.1
    yield from at_rest("redone")
    say(f"undo × {UNDOES}, redo × {UNDOES // 2}: as a full build, {slices()}")


def render() -> Steps:
    """F12 while something moves: nothing is looked at, then all of it."""
    scene = bpy.context.scene
    scene.render.resolution_percentage = 20
    scene.render.engine = "CYCLES" if "CYCLES" in engines() else "BLENDER_WORKBENCH"
    if scene.render.engine == "CYCLES":
        scene.cycles.samples, scene.cycles.use_denoising = 64, False  # which Debian's 4.3 is built without
    with driver.in_viewport():
        bpy.ops.render.render("INVOKE_DEFAULT")
    said = set()
    for _ in range(10):
        bpy.data.objects["Pillar 0"].location.y -= 0.05
        yield 0.1
        said.add(state())
    yield from driver.wait(lambda: not bpy.app.is_job_running("RENDER"), "the picture", 120)
    for area in list(bpy.context.window_manager.windows[-1].screen.areas):
        if area.type == "IMAGE_EDITOR" and len(bpy.context.window_manager.windows) > 1:
            with bpy.context.temp_override(window=bpy.context.window_manager.windows[-1]):
                bpy.ops.wm.window_close()
            break
    yield 0.5
    yield from at_rest("after a render")
    bpy.data.objects["Pillar 0"].location.y += 0.3
    bpy.ops.render.render()  # as a script does
    same_as_a_build("before a render by a script")
    say(f"render with {scene.render.engine}: {sorted(said)}")


def engines() -> set[str]:
    return {"CYCLES"} if "cycles" in bpy.context.preferences.addons else set()


def playback(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    with driver.in_viewport():
        bpy.ops.screen.animation_play()
    yield 0.5
    assert "animation" in state(), state()
    bpy.data.objects["Pillar 0"].location.y += 0.5
    yield 1.5
    with driver.in_viewport():
        bpy.ops.screen.animation_cancel(restore_frame=False)
    yield from at_rest("after an animation")
    say("playback: paused, then followed")


def one_piece() -> Steps:
    """The setting alone: a level in one piece is followed in tiles and written whole."""
    bpy.context.scene.navmesh.setups[0].tile_size = PIECE
    bpy.ops.ed.undo_push(message="Tile Size")
    yield 1
    yield from at_rest("one piece")
    bpy.data.objects["Pillar 1"].location.y += 0.7
    yield 0.5
    yield from at_rest("one piece, moved")
    say("one piece: as a full build")


def save_and_open() -> Steps:
    """What was changed right before saving is in the file."""
    path = str(Path(tempfile.mkdtemp()) / "live.blend")
    bpy.data.objects["Pillar 1"].location.x += 1.0
    bpy.context.view_layer.update()
    bpy.ops.wm.save_as_mainfile(filepath=path)
    same_as_a_build("saved at once")
    stamp = bpy.data.objects["Navmesh"].data["navmesh_stamp"]
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.data.objects["Navmesh"].data["navmesh_stamp"] == stamp  # before it is followed and written again
    assert bpy.context.scene.navmesh.live
    yield 1
    yield from at_rest("opened again")
    say("saved and opened: followed on")


def switched_off() -> Steps:
    with driver.in_viewport():
        bpy.ops.navmesh.live()
    yield 0.6
    assert now() is None and state() == ""
    assert "navmesh-live" not in driver.working_threads()
    assert not bpy.app.timers.is_registered(mode().tick)
    say("off: no timer, no thread")


driver.run(scenario)
