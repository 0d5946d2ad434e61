"""The tool under random hands: `run.py VERSION test_ask_soak --minutes=10`. Whatever is clicked, dragged, deleted,
undone, renamed or loaded, in any order, there is always a sentence in the status bar, and never a traceback."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Steps, say
from random_hands import BUILD_SECONDS, Act, RandomActs, pushed, somewhere, tool

SEED, MINUTES = int(driver.given("seed", 11)), 1.5
OTHER_TOOL, OTHER_SCENE, FILE = "builtin.select_box", "Other", "ask-soak.blend"
chance = random.Random(SEED)


def scenario() -> Steps:
    hands, errors = Hands(), driver.Console()
    levels.make_rooms()
    bpy.context.preferences.system.viewport_aa = "OFF"
    path = driver.PICTURES / FILE
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from build(hands)
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    tool("navmesh.test")
    acts = RandomActs(ACTS, chance, MINUTES)
    while acts.go_on():
        act = acts.choose()
        yield from act(hands)
        yield chance.choice((0.02, 0.1, 0.4))
        assert "Traceback" not in errors.text, acts.when()
        if acts.is_checked():
            yield from says_something(hands, acts.when())
            yield from begin_anew(hands)
    say(acts.told())
    driver.screenshot("ask-soak-end")
    path.unlink()


def says_something(hands: Hands, when: str) -> Steps:
    """With the tool at hand there is a sentence, which is not an error of ours."""
    yield from to_object_mode(hands)
    tool("navmesh.test")
    yield from hands.move(driver.middle(driver.region()))
    yield 0.3
    said = str(driver.ours("ask.drawn_answer").status(bpy.context.scene))
    assert said and "Error" not in said and "None" not in said, f"{said!r} {when}"


def begin_anew(hands: Hands) -> Steps:
    """Where there is nothing to ask any more, mostly: with the level of before, start and end set."""
    if "no navmesh" in str(driver.ours("ask.drawn_answer").status(bpy.context.scene)) and chance.random() < 0.7:
        bpy.ops.wm.open_mainfile(filepath=str(driver.PICTURES / FILE))
        yield 0.5
        yield from build(hands)
        tool("navmesh.test")
        bpy.context.scene.navmesh.test_start, bpy.context.scene.navmesh.test_end = (-9, -6, 0), (10, 7, 0)
        pushed("Way")


def to_object_mode(hands: Hands) -> Steps:
    """Out of whatever somebody has begun."""
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("ESC")
    with driver.in_viewport():
        if bpy.context.mode != "OBJECT" and bpy.ops.object.mode_set.poll():
            bpy.ops.object.mode_set(mode="OBJECT")
    yield 0.05


# ---------------------------------------------------------------- acts


def click(hands: Hands) -> Steps:
    """The start, the end, or a question: on the ground, in the sky, on a pillar."""
    yield from hands.move(somewhere(chance))
    yield from hands.key("LEFTMOUSE", **chance.choice(({}, {"ctrl": True}, {"alt": True})))


def drag(hands: Hands) -> Steps:
    """From anywhere, or from where a handle was drawn last."""
    yield from hands.move(somewhere(chance))
    hands.event("LEFTMOUSE", "PRESS")
    for _ in range(chance.randint(1, 6)):
        yield from hands.move(somewhere(chance))
    if chance.random() < 0.3:
        yield from hands.key(chance.choice(("ESC", "RIGHTMOUSE")))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0


def walk(hands: Hands) -> Steps:
    """Space, Shift-Space or Esc."""
    yield from hands.move(driver.middle(driver.region()))
    name, modifiers = chance.choice((("SPACE", {}), ("SPACE", {"shift": True}), ("ESC", {})))
    yield from hands.key(name, **modifiers)


def undo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    for _ in range(chance.randint(1, 5)):
        yield from hands.key("Z", ctrl=True, shift=chance.random() < 0.3)


def mode(_hands: Hands) -> Steps:
    stored = bpy.context.scene.navmesh
    modes = stored.bl_rna.properties["test_mode"].enum_items
    stored.test_mode = chance.choice([one.identifier for one in modes])
    yield 0


def switch_tool(_hands: Hands) -> Steps:
    tool(chance.choice((OTHER_TOOL, "navmesh.test", "navmesh.test")))
    yield 0


def sidebar(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("N")


def build(hands: Hands) -> Steps:
    """To its end, or cancelled at once."""
    yield from to_object_mode(hands)
    with driver.in_viewport():
        if not bpy.ops.navmesh.build.poll():
            return
        sizes = chance.choice(({}, {"tile_size": 32}))
        if tried(bpy.ops.navmesh.build, "INVOKE_DEFAULT", scope="VISIBLE", **sizes) != {"RUNNING_MODAL"}:
            return
    if chance.random() < 0.3 and bpy.context.scene.navmesh.is_property_set("test_start"):
        yield from hands.key("ESC")
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", BUILD_SECONDS)


def delete(_hands: Hands) -> Steps:
    """Something of the level or of the navmesh, or a collection with all that is in it."""
    if bpy.context.mode == "OBJECT" and bpy.data.objects:
        if chance.random() < 0.2 and bpy.data.collections:
            bpy.data.collections.remove(chance.choice(bpy.data.collections))
        else:
            bpy.data.objects.remove(chance.choice(bpy.data.objects))
        pushed("Delete")
    yield 0


def rename(_hands: Hands) -> Steps:
    for block in (bpy.data.objects, bpy.data.collections, bpy.data.meshes, bpy.context.scene.navmesh.setups):
        if len(block):
            chance.choice(list(block)).name = f"Name {chance.randint(0, 3)}"
    pushed("Rename")
    yield 0


def move(_hands: Hands) -> Steps:
    """The level, or the navmesh."""
    if bpy.data.objects:
        chance.choice(bpy.data.objects).location.x += chance.uniform(-3, 3)
        pushed("Move")
    yield 0


def setup(_hands: Hands) -> Steps:
    """One more, one less, or another radius."""
    with driver.in_viewport():
        what = chance.choice((bpy.ops.navmesh.setup_add, bpy.ops.navmesh.setup_remove, None))
        if what is not None and what.poll():
            what()
        elif bpy.context.scene.navmesh.setups:
            chance.choice(list(bpy.context.scene.navmesh.setups)).agent_radius = chance.choice((0.3, 0.6, 1.2))
            pushed("Radius")
    yield 0


def scene(_hands: Hands) -> Steps:
    """Another one, which is made or removed, and back."""
    other = bpy.data.scenes.get(OTHER_SCENE)
    if other is None:
        driver.window().scene = bpy.data.scenes.new(OTHER_SCENE)
    elif chance.random() < 0.3:
        bpy.data.scenes.remove(other)
    else:
        driver.window().scene = chance.choice(list(bpy.data.scenes))
    pushed("Scene")
    yield 0.1


def edit_mode(hands: Hands) -> Steps:
    """Of any mesh, the navmesh's as well; the tool is not there then."""
    there = [one for one in bpy.context.view_layer.objects if one.type == "MESH" and one.visible_get()]
    if there and bpy.context.mode == "OBJECT":
        bpy.context.view_layer.objects.active = chance.choice(there)
        with driver.in_viewport():
            bpy.ops.object.mode_set(mode="EDIT")
        yield from click(hands)
        if bpy.context.mode == "EDIT_MESH" and chance.random() < 0.5:
            with driver.in_viewport():
                bpy.ops.mesh.select_all(action="SELECT")
                bpy.ops.mesh.delete(type="FACE")
    yield 0.05
    yield from to_object_mode(hands)


def tests(_hands: Hands) -> Steps:
    """Named tests and places come, are checked, and go."""
    ours = bpy.ops.navmesh
    with driver.in_viewport():
        act = chance.choice((ours.test_add, ours.test_add, ours.check_tests, ours.test_remove, ours.test_set_ends))
        if bpy.context.mode == "OBJECT" and act.poll():
            tried(act)
    yield 0


def reason(hands: Hands) -> Steps:
    """A question, and what its panel offers."""
    with driver.in_viewport():
        if bpy.context.mode == "OBJECT" and bpy.ops.navmesh.why.poll():
            tried(
                bpy.ops.navmesh.why, location=(chance.uniform(-13, 13), chance.uniform(-10, 10), chance.uniform(-1, 4))
            )
    yield chance.choice((0, 0.5))
    yield from hands.move(driver.middle(driver.region()))
    with driver.in_viewport():
        if bpy.ops.navmesh.forget_reason.poll() and chance.random() < 0.3:
            bpy.ops.navmesh.forget_reason()


def live(_hands: Hands) -> Steps:
    with driver.in_viewport():
        if bpy.ops.navmesh.live.poll():
            tried(bpy.ops.navmesh.live)
    yield 0


def load(hands: Hands) -> Steps:
    """The file as it was after the first build, or a new one."""
    if chance.random() < 0.3:
        yield from to_object_mode(hands)
        if chance.random() < 0.8:
            bpy.ops.wm.open_mainfile(filepath=str(driver.PICTURES / FILE))
        else:
            bpy.ops.wm.read_homefile(app_template="")
        yield 0.5
        tool("navmesh.test")


ACTS: tuple[Act, ...] = (
    click, click, click, click, click, drag, drag, drag, walk, walk, walk, undo, undo, mode, switch_tool, sidebar,
    build, delete, rename, move, move, setup, scene, edit_mode, tests, tests, reason, reason, live, load,
)  # fmt: skip


def tried(operator: Callable[..., object], *how: str, **given: object) -> object:
    """What an operator returns; None where it refuses, which is an error of Blender's and no traceback of ours."""
    try:
        return operator(*how, **given)
    except RuntimeError as refusal:
        if not str(refusal).startswith("Error: ") or "Traceback" in str(refusal):
            raise
        return None


driver.run(scenario)
