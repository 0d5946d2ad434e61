"""The tool Navmesh Edit with a real mouse: a doorway is blocked by clicks, a path is painted, a border is shaped; then
random hands: `run.py VERSION test_edit_tool --minutes=10`. No edit is ever lost, and no traceback is ever written."""

import json
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bmesh
import bpy
import driver
import levels
from bpy_extras import view3d_utils
from driver import Hands, Steps, say
from random_hands import BUILD_SECONDS, Act, RandomActs, pushed, somewhere, tool

SEED, MINUTES = int(driver.given("seed", 7)), 0.5
EDITS = ("BLOCK", "AREA", "KEEP", "PATCH")
WEST, EAST = (-8.0, 0.0, 0.0), (8.0, 0.0, 0.0)
FILE = "edit-tool.blend"
chance = random.Random(SEED)


def scenario() -> Steps:
    hands, errors = Hands(), driver.Console()
    make_doorway()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "MARK")
    yield from build()
    bpy.ops.wm.save_as_mainfile(filepath=str(driver.PICTURES / FILE), copy=True)
    tool("navmesh.edit")
    yield 0.5
    yield from block_the_doorway(hands)
    yield from paint_a_path(hands)
    yield from shape_a_border(hands)
    assert "Traceback" not in errors.text
    yield from random_hands(hands, errors)
    (driver.PICTURES / FILE).unlink()


def make_doorway() -> None:
    """Two rooms, and a wall between them with a gap."""
    levels.clear()
    levels.add_box("Ground", (0, 0, -0.5), (12, 8, 0.5))
    for name, y in (("North", 5.0), ("South", -5.0)):
        levels.add_box(name, (0, y, 1), (0.5, 3.5, 1))
    draft = bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    space = driver.viewport().spaces.active
    space.region_3d.view_perspective, space.region_3d.view_rotation = "ORTHO", (1, 0, 0, 0)
    space.region_3d.view_distance, space.region_3d.view_location = 34, (4, 0, 0)
    bpy.ops.ed.undo_push(message="Level")


def build() -> Steps:
    with driver.in_viewport():
        bpy.ops.navmesh.build("INVOKE_DEFAULT")
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", BUILD_SECONDS)
    yield 0.3


def block_the_doorway(hands: Hands) -> Steps:
    """Polygons in it are clicked, X blocks them, and nobody comes through; one undo brings them back."""
    assert way() == "complete"
    first = True
    for y in (-1.0, 0.0, 1.0):
        yield from hands.move(seen_at((0.0, y, 0.0)))
        face = under(hands)
        if face >= 0 and face not in picked():
            yield from hands.key("LEFTMOUSE", shift=not first)
            first = False
        yield 0.3
    chosen = picked()
    assert chosen, "polygons are picked by clicks"
    say(f"{len(chosen)} polygons of the doorway are picked")
    driver.screenshot("edit-tool-1-picked")
    yield from hands.key("X")
    yield 0.5
    assert [one.navmesh.use for one in edits()] == ["BLOCK"] and not picked()
    yield from build()
    assert way() == "partial", "the doorway is blocked"
    driver.screenshot("edit-tool-2-blocked")
    yield from hands.undo()
    yield from hands.undo()
    yield from driver.wait(lambda: not edits(), "undo takes the edit back")
    yield from build()
    assert way() == "complete"


def paint_a_path(hands: Hands) -> Steps:
    """A road through the doorway, and a hole in a block."""
    stored = bpy.context.scene.navmesh
    stored.edit_brush, stored.edit_area, stored.edit_radius = "AREA", 2, 1.0
    yield from drag(hands, [(-9.0, 3.0), (-4.0, 0.0), (4.0, 0.0), (9.0, -3.0)])
    assert [one.navmesh.use for one in edits()] == ["AREA"]
    yield from build()
    road = ground(2)
    say(f"the road has {road:.1f} m²")
    assert 24 < road < 60
    driver.screenshot("edit-tool-3-painted")
    stored.edit_brush = "BLOCK"
    yield from drag(hands, [(6.0, -7.0), (6.0, 7.0)])
    yield from build()
    assert way() == "partial"
    stored.edit_brush = "UNBLOCK"
    yield from drag(hands, [(4.0, 0.0), (8.5, 0.0)])
    yield from build()
    assert way() == "complete", "the block has a gap"
    stored.edit_brush = "SELECT"
    driver.screenshot("edit-tool-4-unblocked")


def shape_a_border(hands: Hands) -> Steps:
    """Polygons become a patch in edit mode, whose outer corners are moved out over the edge of the level."""
    yield from hands.move(seen_at((-10.0, -6.0, 0.0)))
    yield from hands.key("LEFTMOUSE")
    yield 0.3
    before, outside = ground(), min(vertex.co.x for vertex in navmesh().data.vertices)
    assert picked()
    yield from hands.key("E")
    yield 0.7
    assert bpy.context.mode == "EDIT_MESH" and bpy.context.object.navmesh.use == "PATCH"
    editing = bmesh.from_edit_mesh(bpy.context.object.data)
    lowest = min((bpy.context.object.matrix_world @ vertex.co).x for vertex in editing.verts)
    for vertex in editing.verts:
        vertex.select = (bpy.context.object.matrix_world @ vertex.co).x < lowest + 0.5
    editing.select_flush_mode()
    bmesh.update_edit_mesh(bpy.context.object.data)
    yield from hands.key("G")
    yield from hands.key("X")
    yield from hands.write("-")
    yield from hands.write("0")
    yield from hands.write(".")
    yield from hands.write("4")
    yield from hands.key("RET")
    yield 0.3
    driver.screenshot("edit-tool-5-shaped")
    yield from hands.key("TAB")
    yield 0.7
    assert bpy.context.mode == "OBJECT"
    yield from build()
    say(f"ground {before:.1f} m² before, {ground():.1f} m² after; border {outside:.2f} m before")
    assert min(vertex.co.x for vertex in navmesh().data.vertices) < outside - 0.2
    driver.screenshot("edit-tool-6-border")


# -------------------------------------------------------------------------- random hands


def random_hands(hands: Hands, errors: driver.Console) -> Steps:
    acts = RandomActs(ACTS, chance, MINUTES)
    while acts.go_on():
        before, act = len(edits()), acts.choose()
        yield from act(hands)
        yield chance.choice((0.02, 0.1))
        assert "Traceback" not in errors.text, acts.when()
        assert act in LOSING or len(edits()) >= before, f"an edit is lost {acts.when()}"
        if acts.is_checked():
            yield from two_builds_are_one(acts.when())
    say(f"{len(edits())} edits at the end; {acts.told()}")
    driver.screenshot("edit-tool-7-end")


def two_builds_are_one(when: str) -> Steps:
    """What is built twice is the same, and heeds as many edits."""
    if len(edits()) > 40:  # builds would take long
        for one in edits()[::2]:
            bpy.data.objects.remove(one)
        pushed("Fewer")
    contents = []
    for _ in range(2):
        yield from build()
        mesh = navmesh().data
        contents.append((len(mesh.polygons), [tuple(vertex.co) for vertex in mesh.vertices]))
    assert contents[0] == contents[1], when
    tool("navmesh.edit")


def click(hands: Hands) -> Steps:
    yield from hands.move(somewhere(chance))
    yield from hands.key("LEFTMOUSE", **chance.choice(({}, {"shift": True}, {"alt": True})))


def sweep(hands: Hands) -> Steps:
    """A box or a stroke, which may be given up."""
    bpy.context.scene.navmesh.edit_brush = chance.choice(("SELECT", "AREA", "BLOCK", "UNBLOCK"))
    bpy.context.scene.navmesh.edit_area = chance.randint(1, 4)
    yield from hands.move(somewhere(chance))
    hands.event("LEFTMOUSE", "PRESS", **chance.choice(({}, {"shift": True})))
    for _ in range(chance.randint(1, 5)):
        yield from hands.move(somewhere(chance))
    if chance.random() < 0.2:
        yield from hands.key(chance.choice(("ESC", "RIGHTMOUSE")))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.05
    bpy.context.scene.navmesh.edit_brush = "SELECT"


def key(hands: Hands) -> Steps:
    yield from hands.move(somewhere(chance))
    for name in chance.choice((("L",), ("X",), ("K",), ("L", "X"), ("L", "K"), ("ESC",))):
        yield from hands.key(name)


def shape(hands: Hands) -> Steps:
    """Edit Shape, corners moved, and out again."""
    yield from click(hands)
    yield from hands.key("E")
    yield 0.2
    if bpy.context.mode == "EDIT_MESH":
        editing = bmesh.from_edit_mesh(bpy.context.object.data)
        for vertex in editing.verts:
            vertex.co.x += chance.uniform(-0.3, 0.3)
        bmesh.update_edit_mesh(bpy.context.object.data)
        with driver.in_viewport():
            bpy.ops.object.mode_set(mode="OBJECT")


def move(_hands: Hands) -> Steps:
    """An edit, or something of the level."""
    one = chance.choice(edits() or list(bpy.data.objects))
    one.location.x += chance.uniform(-1, 1)
    pushed("Move")
    yield 0


def build_again(_hands: Hands) -> Steps:
    yield from build()
    tool("navmesh.edit")


def live(_hands: Hands) -> Steps:
    with driver.in_viewport():
        if bpy.ops.navmesh.live.poll():
            bpy.ops.navmesh.live()
    yield 0.5


def another_tool(_hands: Hands) -> Steps:
    tool("navmesh.test")
    yield 0.1
    tool("navmesh.edit")
    yield 0.1


def undo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    for _ in range(chance.randint(1, 4)):
        yield from hands.key("Z", ctrl=True, shift=chance.random() < 0.4)
    yield 0.2
    tool("navmesh.edit")


def delete(_hands: Hands) -> Steps:
    if edits():
        bpy.data.objects.remove(chance.choice(edits()))
        pushed("Delete")
    yield 0


def load(_hands: Hands) -> Steps:
    if chance.random() < 0.3:
        bpy.ops.wm.open_mainfile(filepath=str(driver.PICTURES / FILE))
        yield 0.5
        tool("navmesh.edit")
    yield 0


ACTS: tuple[Act, ...] = (
    click, click, click, sweep, sweep, sweep, key, key, key, shape, move, build_again, live, another_tool, undo, undo,
    delete, load,
)  # fmt: skip
LOSING = (sweep, undo, delete, load)  # which may take edits away: a stroke unblocks

# -------------------------------------------------------------------------- parts


def navmesh() -> bpy.types.Object:
    return next(one for one in bpy.context.scene.objects if one.get("navmesh_role") == "polygon_mesh")


def edits() -> list[bpy.types.Object]:
    return [one for one in bpy.context.scene.objects if one.navmesh.use in EDITS]


def picked() -> frozenset[int]:
    now = driver.ours("picking.picked_polygons").picked(bpy.context.scene)
    return frozenset() if now is None else now.faces


def ground(area: int | None = None) -> float:
    mesh = navmesh().data
    areas = [value.value for value in mesh.attributes["navmesh_area"].data]
    return sum(face.area for face, own in zip(mesh.polygons, areas, strict=True) if area in (None, own))


def way() -> str:
    """What becomes of the way from west to east."""
    with driver.in_viewport():
        bpy.ops.navmesh.find_path("EXEC_DEFAULT", start=WEST, end=EAST, mode="PATH")
    return str(json.loads(bpy.context.scene.navmesh.path_answer)["status"])


def under(hands: Hands) -> int:
    """The polygon under the mouse."""
    place = driver.region()

    class Event:
        mouse_region_x, mouse_region_y = hands.place[0] - place.x, hands.place[1] - place.y

    with bpy.context.temp_override(
        window=driver.window(),
        area=driver.viewport(),
        region=place,
        region_data=driver.viewport().spaces.active.region_3d,
    ):
        return int(driver.ours("interface.by_hand.pick_operators").face_under_mouse(bpy.context, Event))


def seen_at(place: tuple[float, float, float]) -> tuple[int, int]:
    """The pixel of a place."""
    region, view = driver.region(), driver.viewport().spaces.active.region_3d
    seen = view3d_utils.location_3d_to_region_2d(region, view, place)
    return region.x + round(seen.x), region.y + round(seen.y)


def drag(hands: Hands, places: list[tuple[float, float]]) -> Steps:
    """With the button held, along the ground."""
    yield from hands.move(seen_at((*places[0], 0.0)))
    hands.event("LEFTMOUSE", "PRESS")
    yield from driver.turns()
    for place in places[1:]:
        yield from hands.move(seen_at((*place, 0.0)))
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.5


driver.run(scenario)
