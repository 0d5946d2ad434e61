"""Live mode under random edits: `run.py VERSION test_live_soak --minutes=10 --seed=8`. At every rest the mesh objects
are what a full build gives, Blender goes on, and memory does not grow."""

import gc
import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bmesh
import bpy
import driver
import levels
import memory
from driver import Hands, Steps, say
from live_checks import at_rest, now, same_as_a_build, state

MINUTES, SEED = driver.given("minutes", 1.5), int(driver.given("seed", 7))
RESTS_EVERY, TILES = 12, 32
NOT_FOLLOWED = 200  # edits before: Blender itself takes memory for what is dragged, drawn and undone for the first time
WARM_UP, COUNTED = 50, 1000
GROWTH = 20 << 20  # bytes in so many edits
MOST_COPIES = 4
chance = random.Random(SEED)


def scenario() -> Steps:
    hands = Hands()
    make_level()
    yield 1
    bpy.context.preferences.system.viewport_aa = "OFF"
    yield from driver.open_sidebar(hands, "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE", tile_size=TILES) == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield from hands.move(driver.middle(driver.region()))
    yield from edits_that_are_not_followed(hands)
    with driver.in_viewport():
        assert bpy.ops.navmesh.live() == {"FINISHED"}
    fence_for_undo()
    yield from at_rest("following for the first time")
    began, edits, rests, counted = driver.clock(), 0, 0, []
    done, last = {}, []
    while driver.clock() - began < 60 * MINUTES or edits % RESTS_EVERY:
        edit = chance.choice(EDITS)
        done[edit.__name__] = done.get(edit.__name__, 0) + 1
        last[:] = [*last[-11:], edit.__name__]
        try:
            yield from edit(hands)
        except AssertionError as error:
            raise AssertionError(f"{error} after {edits} edits, the last: {last}") from error
        yield chance.choice((0.02, 0.05, 0.3))
        edits += 1
        if edits % RESTS_EVERY == 0:
            yield from at_rest(f"after {edits} edits, the last: {last}")
            rests += 1
            if edits >= WARM_UP:
                counted.append((edits, memory.in_use()))
            if rests % 5 == 0:
                meshes, objects = len(bpy.data.meshes), len(gc.get_objects())
                sizes = f"{memory.in_use() >> 20} MB in use, {memory.resident() >> 20} in memory"
                say(f"{edits} edits: {sizes}, {meshes} meshes, {objects} objects of Python")
    say(f"{edits} edits, {rests} rests, each as a full build: {done}")
    say(f"longest slice {1000 * max(now().looking.slices, default=0):.1f} ms")
    check_growth(counted)


def edits_that_are_not_followed(hands: Hands) -> Steps:
    memory.check_that_it_counts()
    fence_for_undo()
    before = memory.in_use()
    for _ in range(NOT_FOLLOWED):
        edit = chance.choice(EDITS)
        yield from edit(hands) if edit is not pause else move(hands)
        yield 0.1
    say(
        f"memory grew by {(memory.in_use() - before) / (1 << 20):.1f} MB in {NOT_FOLLOWED} edits that were not followed"
    )


def fence_for_undo() -> None:
    """So that no Ctrl+Z goes back to before now."""
    for number in range(bpy.context.preferences.edit.undo_steps + 1):
        pushed(f"Step {number}")


def check_growth(counted: list[tuple[int, int]]) -> None:
    if len(counted) < 2:
        say("too short to say how memory grows")
        return
    edits, grown = counted[-1][0] - counted[0][0], counted[-1][1] - counted[0][1]
    say(f"memory grew by {grown / (1 << 20):.1f} MB in {edits} edits")
    assert grown < GROWTH * max(edits / COUNTED, 1)


def make_level() -> None:
    """Rooms, of which two pillars share a mesh, one is bevelled, and a stack comes from a collection."""
    levels.make_rooms()
    bpy.data.objects["Pillar 1"].data = bpy.data.objects["Pillar 0"].data
    source = bpy.data.collections.new("Stack")
    crate = levels.add_box("Crate", (0, 0, 0.5), (0.5, 0.5, 0.5))
    bpy.context.scene.collection.objects.unlink(crate)
    source.objects.link(crate)
    for number in range(2):
        empty = bpy.data.objects.new(f"Stack {number}", None)
        empty.instance_type, empty.instance_collection = "COLLECTION", source
        empty.location = (-6 + 6 * number, -5, 0)
        bpy.context.scene.collection.objects.link(empty)
    bpy.ops.ed.undo_push(message="Level")


# ---------------------------------------------------------------- edits: each is one step for Ctrl+Z


def pushed(name: str) -> None:
    bpy.ops.ed.undo_push(message=name)


def any_of(*names: str) -> bpy.types.Object | None:
    there = [one for one in bpy.context.view_layer.objects if one.name.split(".")[0] in names and one.visible_get()]
    return chance.choice(there) if there else None


PILLARS = tuple(f"Pillar {k}" for k in range(5))


def move(_hands: Hands) -> Steps:
    object_ = any_of(*PILLARS, "Stack 0", "Stack 1", "Pond")
    if object_ is not None:
        object_.location.x = chance.uniform(-9, 9)
        object_.location.y = chance.uniform(-6, 6)
        pushed("Move")
    yield 0


def turn_and_scale(_hands: Hands) -> Steps:
    object_ = any_of(*PILLARS)
    if object_ is not None:
        object_.rotation_euler.z = chance.uniform(0, 3)
        object_.scale = [chance.uniform(0.5, 2) for _ in range(3)]
        pushed("Turn")
    yield 0


def drag(hands: Hands) -> Steps:
    """With the key G and the mouse."""
    object_ = any_of(*PILLARS)
    if object_ is None:
        return
    choose(object_)
    x, y = driver.middle(driver.region())
    yield from hands.move((x, y))
    yield from hands.key("G")
    for _ in range(5):
        yield from hands.move((x + chance.randint(-90, 90), y + chance.randint(-60, 60)))
    yield from hands.key(chance.choice(("LEFTMOUSE", "ESC")))


def copy(_hands: Hands) -> Steps:
    """One more, or one of the copies goes."""
    copies = [object_ for object_ in bpy.context.view_layer.objects if ".0" in object_.name]
    if len(copies) < MOST_COPIES:
        object_ = any_of(*PILLARS)
        if object_ is not None:
            choose(object_)
            place = chance.uniform(-3, 3), chance.uniform(-3, 3), 0
            with driver.in_viewport():
                bpy.ops.object.duplicate_move(
                    OBJECT_OT_duplicate={"linked": chance.random() < 0.5}, TRANSFORM_OT_translate={"value": place}
                )
    else:
        choose(chance.choice(copies))
        with driver.in_viewport():
            bpy.ops.object.delete()
    pushed("Copy")
    yield 0


def reshape(_hands: Hands) -> Steps:
    """The points of a mesh, which another object may share."""
    object_ = any_of("Pillar 0", "Pillar 2", "Crate")
    if object_ is not None:
        factor = chance.choice((0.8, 1.25))
        for vertex in object_.data.vertices:
            vertex.co.xy *= factor
            vertex.co.xy = [min(max(value, -1.5), 1.5) for value in vertex.co.xy]
        object_.data.update()
        pushed("Reshape")
    yield 0


def edit_mode(_hands: Hands) -> Steps:
    object_ = any_of("Pillar 2", "Pillar 4")
    if object_ is None:
        return
    choose(object_)
    with driver.in_viewport():
        bpy.ops.object.mode_set(mode="EDIT")
    yield 0.1
    shape = bmesh.from_edit_mesh(bpy.context.edit_object.data)
    lift = chance.uniform(-0.4, 0.4)
    for vertex in shape.verts:
        if vertex.co.z > 0:
            vertex.co.z = min(max(vertex.co.z + lift, 0.1), 2.0)
    bmesh.update_edit_mesh(bpy.context.edit_object.data)
    yield chance.choice((0.1, 0.5))
    with driver.in_viewport():
        bpy.ops.object.mode_set(mode="OBJECT")


def modifier(_hands: Hands) -> Steps:
    object_ = any_of("Pillar 3")
    if object_ is None:
        return
    if not object_.modifiers:
        added = object_.modifiers.new("Row", "ARRAY")
        added.count, added.relative_offset_displace = 2, (1.6, 0, 0)
    elif chance.random() < 0.5:
        object_.modifiers[0].count = chance.randint(1, 4)
    else:
        object_.modifiers.clear()
    pushed("Modifier")
    yield 0


def source(_hands: Hands) -> Steps:
    """What is shown by instancers."""
    bpy.data.objects["Crate"].location.x = chance.uniform(-1, 1)
    pushed("Source")
    yield 0


def hide(_hands: Hands) -> Steps:
    object_ = any_of(*PILLARS)
    if object_ is not None:
        object_.hide_viewport = True
    else:
        object_ = bpy.data.objects["Pillar 0"]
    for other in bpy.data.objects:
        if other is not object_ and other.hide_viewport and other.name.startswith("Pillar"):
            other.hide_viewport = False
    pushed("Hide")
    yield 0


def setting(_hands: Hands) -> Steps:
    setup = bpy.context.scene.navmesh.setups[0]
    setup.agent_radius = chance.choice((0.3, 0.6, 0.9))
    pushed("Radius")
    yield 0


def mark(_hands: Hands) -> Steps:
    object_ = any_of("Pond", "Pillar 4")
    if object_ is not None:
        object_.navmesh.area = chance.choice((0, 1, 2))
        pushed("Area")
    yield 0


def undo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    for _ in range(chance.randint(1, 6)):
        yield from hands.key("Z", ctrl=True)
        yield chance.choice((0, 0.1))


def redo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    for _ in range(chance.randint(1, 4)):
        yield from hands.key("Z", ctrl=True, shift=True)


def save(_hands: Hands) -> Steps:
    """Right before that it is written."""
    path = driver.PICTURES / "live-soak.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    path.unlink()
    if now() is not None and now().is_at_rest:
        same_as_a_build("saved")
    yield 0


def play(_hands: Hands) -> Steps:
    with driver.in_viewport():
        bpy.ops.screen.animation_play()
    yield 0.3
    with driver.in_viewport():
        bpy.ops.screen.animation_cancel(restore_frame=False)


def pause(_hands: Hands) -> Steps:
    stored = bpy.context.scene.navmesh
    stored.live_paused = True
    object_ = any_of(*PILLARS)
    if object_ is not None:
        object_.location.x += 0.3
    yield 0.3
    assert "paused" in state(), state()
    bpy.context.scene.navmesh.live_paused = False
    pushed("Move")  # now, or Ctrl+Z would bring the pause back


def choose(object_: bpy.types.Object) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other is object_)
    bpy.context.view_layer.objects.active = object_


EDITS: tuple[Callable[[Hands], Steps], ...] = (
    move, move, move, turn_and_scale, drag, drag, copy, copy, reshape, edit_mode, modifier, source, hide, setting, mark,
    undo, undo, redo, save, play, pause,
)  # fmt: skip


driver.run(scenario)
