"""The panel with real clicks: one button that does not move, what it says, colors, areas of faces; and undo of each."""

import subprocess
import sys
from collections.abc import Generator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bmesh
import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say

ADDON = label_room.ADDON


def scenario() -> Steps:
    hands = Hands()
    make_level()
    label_room.unfold()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from one_button(hands)
    yield from what_is_out_of_date(hands)
    yield from colors(hands)
    yield from areas_of_faces(hands)
    yield from build_in_edit_mode(hands)
    yield from labels(hands)


def one_button(hands: Hands) -> Steps:
    """It builds, becomes Rebuild and stays where it is, whatever comes below it."""
    at_once = yield from find_button(hands, "navmesh.build")
    yield from hands.move(driver.middle(driver.region()))
    yield 1.5  # hints come
    driver.screenshot("panel-1-new")
    place = yield from find_button(hands, "navmesh.build")
    assert place == at_once, f"the button moved from {at_once} to {place} when hints came"
    yield from click_and_build(hands, place)
    yield from hands.move(driver.middle(driver.region()))
    driver.screenshot("panel-2-built")
    after = yield from find_button(hands, "navmesh.rebuild")
    assert after == place, f"Build stood at {place}, Rebuild stands at {after}"
    yield from hands.move((driver.region("UI").x + panel_width() - 12, place[1]))
    yield from hands.key("LEFTMOUSE")
    yield 0.5
    driver.screenshot("panel-3-menu")
    yield from hands.key("ESC")
    say(f"Build and Rebuild at {place}")


def what_is_out_of_date(hands: Hands) -> Steps:
    """An object is moved with the mouse, and put back by Ctrl+Z."""
    yield from driver.wait(lambda: state() == "", "the navmesh to be up to date")
    center = driver.middle(driver.region())
    yield from hands.move(center)
    yield from hands.key("G")
    yield from hands.move((center[0] + 60, center[1]))
    yield from hands.key("LEFTMOUSE")
    yield from driver.wait(lambda: state() == "Out of date: the level changed", "the panel to say so", 10)
    yield 0.7
    driver.screenshot("panel-4-moved")
    yield from find_button(hands, "navmesh.rebuild")
    yield from undo(hands)
    yield from driver.wait(lambda: state() == "", "the navmesh to be up to date again", 10)
    driver.screenshot("panel-5-moved-back")


def colors(hands: Hands) -> Steps:
    """Another choice under Color By is seen at once; undo brings the old colors back, and redo the new ones."""
    yield from show_from_above()
    before = shown("panel-6-by-area")
    materials = [material.name for material in bpy.data.materials]
    yield from driver.show_tab("TEST")
    x, y = yield from find_property(hands, "color_by")
    yield 0.5  # the sidebar may still be scrolling
    yield from hands.click((x, y - 5))  # not on the rim of the field
    yield 0.4
    driver.screenshot("panel-7-color-by")
    yield from hands.key("I")  # the letter that is underlined in Island
    yield from driver.wait(lambda: bpy.context.scene.navmesh.color_by == "ISLAND", "Color By to be Island", 5)
    yield from hands.move(driver.middle(driver.region()))
    yield 0.5
    by_island = shown("panel-8-by-island")
    assert different(before, by_island), (before, by_island)
    yield from undo(hands)
    assert bpy.context.scene.navmesh.color_by == "AREA"
    assert not different(before, shown("panel-9-undone"))
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 0.7
    assert bpy.context.scene.navmesh.color_by == "ISLAND" and not different(by_island, shown("panel-10-redone"))
    bpy.context.scene.navmesh.color_by = "REGION"  # as a script does, without a step of its own
    yield 0.5
    yield from undo(hands)
    yield from undo(hands)
    assert {object_.name for object_ in bpy.context.scene.objects} == {"Ground", "Island"}, "the build was undone"
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 0.7
    assert not different(before, shown("panel-11-built-again"))
    assert [material.name for material in bpy.data.materials] == materials, "those of islands come when they are shown"
    say(f"colors: {before} by area, {by_island} by island")


def areas_of_faces(hands: Hands) -> Steps:
    """In edit mode, by the menu that a right click opens."""
    ground = bpy.data.objects["Ground"]
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("TAB")
    yield from driver.wait(lambda: bpy.context.mode == "EDIT_MESH", "edit mode", 5)
    bpy.ops.mesh.select_mode(type="FACE")
    yield from hands.key("A")
    yield 0.5
    driver.screenshot("panel-12-edit-mode")
    yield from choose_in_menu(hands, downs=4)  # Clear, Not Walkable, Walkable, Water
    yield from driver.wait(lambda: areas(ground) == [1], "the face to be water", 5)
    yield 0.5
    driver.screenshot("panel-13-assigned")
    yield from undo(hands)
    assert areas(ground) == [], areas(ground)
    yield from hands.key("Z", ctrl=True, shift=True)
    yield from driver.wait(lambda: areas(ground) == [1], "the face to be water again", 5)


def choose_in_menu(hands: Hands, downs: int) -> Steps:
    """The last entry of the context menu is ours; in it so many entries down."""
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("RIGHTMOUSE")
    yield 0.5
    yield from hands.key("UP_ARROW")
    yield from hands.key("RIGHT_ARROW")
    yield 0.5
    driver.screenshot("panel-12-menu")
    for _ in range(downs - 1):
        yield from hands.key("DOWN_ARROW")
    yield from hands.key("RET")
    yield 0.3


def build_in_edit_mode(hands: Hands) -> Steps:
    """The mesh as it is edited is built from; edit mode goes on."""
    yield from driver.show_tab("BUILD")
    yield from scroll_up(hands)
    place = yield from find_button(hands, "navmesh.rebuild")
    yield from click_and_build(hands, place)
    assert bpy.context.mode == "EDIT_MESH"
    assert navmesh_areas() == {1}
    driver.screenshot("panel-14-built-in-edit-mode")
    yield from undo(hands)
    faces = areas(bpy.data.objects["Ground"])
    say(f"after Ctrl+Z in edit mode: areas {navmesh_areas()} of the navmesh, {faces} of the faces")
    yield from hands.key("TAB")
    yield from driver.wait(lambda: bpy.context.mode == "OBJECT", "object mode", 5)


def labels(hands: Hands) -> Steps:
    """No text of ours is cut off where the sidebar is as wide as usual; look at the pictures, too."""
    bpy.ops.navmesh.setup_add(name="Ogre")
    bpy.ops.navmesh.area_types_edit()
    bpy.context.scene.navmesh.active = 0
    for use in ("LINK", "VOLUME", "AUTO"):
        bpy.context.object.navmesh.use = use
        nothing_is_cut(f"object as {use}")
    yield 1
    yield from hands.move(driver.middle(driver.region("UI")))
    for number in range(4):
        driver.screenshot(f"panel-15-unfolded-{number + 1}")
        for _ in range(8):
            hands.event("WHEELDOWNMOUSE", "PRESS")
            yield 0.05
        yield 0.7
    bpy.context.scene.navmesh.draft.scope = "SELECTED"
    bpy.context.scene.navmesh.active = 1
    bpy.ops.object.select_all(action="DESELECT")
    yield from scroll_up(hands)
    yield 1.5  # hints come, with icons before their sentences
    driver.screenshot("panel-16-not-built")
    nothing_is_cut("setup that was not built")


# -------------------------------------------------------------------------- parts


def nothing_is_cut(what: str) -> None:
    with bpy.context.temp_override(window=driver.window(), area=driver.viewport(), region=driver.region("UI")):
        room = sys.modules[f"{ADDON}.interface.panels.sidebar_panel"].room(bpy.context)
        texts = label_room.texts_of_panels(room)
    say(f"{what}: {len(texts)} texts in {room:.0f} points")
    assert len(texts) > 60, "nothing was drawn"
    named = label_room.Place()
    named.split(0.4).label("Leave Out Names")
    assert label_room.cut([label_room.Text("", *text) for text in named.texts(room)]), "it was cut in this room"
    cut = label_room.cut(texts)
    assert not cut, cut


def click_and_build(hands: Hands, place: tuple[int, int]) -> Steps:
    """A small level may be built before anybody sees that it is."""
    before = build_of_navmesh()
    yield from hands.click(place)
    yield from driver.wait(lambda: build_of_navmesh() != before, "the build", 900)
    yield 1


def build_of_navmesh() -> str:
    navmesh = bpy.data.objects.get("Navmesh")
    return "" if navmesh is None else str(navmesh["navmesh_build"])


def undo(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("Z", ctrl=True)
    yield 0.8


def panel_width() -> int:
    """Of the sidebar, without its tabs."""
    return driver.region("UI").width - round(40 * bpy.context.preferences.system.ui_scale)


def find_button(hands: Hands, operator: str) -> Generator[float, None, tuple[int, int]]:
    """With the mouse coming from elsewhere: the button that it left counts as the one under it for a while."""
    yield from hands.move(driver.middle(driver.region()))
    yield 0.3
    return (yield from hands.find_button(operator))


def scroll_up(hands: Hands) -> Steps:
    yield from hands.move(driver.middle(driver.region("UI")))
    for _ in range(60):
        hands.event("WHEELUPMOUSE", "PRESS")
        yield 0.02
    yield 1


def find_property(hands: Hands, name: str) -> Generator[float, None, tuple[int, int]]:
    """Sweep down the fields of the sidebar until the mouse is over this one, scrolling where it has to."""
    place, board = driver.region("UI"), bpy.context.window_manager
    for _ in range(6):
        for y in range(place.y + place.height - 10, place.y, -8):
            yield from hands.move((place.x + panel_width() * 3 // 4, y))
            board.clipboard = ""
            with bpy.context.temp_override(window=driver.window(), area=driver.viewport(), region=place):
                if bpy.ops.ui.copy_data_path_button.poll():
                    bpy.ops.ui.copy_data_path_button()
            if board.clipboard.endswith(name):
                return hands.place
        for _ in range(10):
            hands.event("WHEELDOWNMOUSE", "PRESS")
            yield 0.05
        yield 0.5
    raise AssertionError(f"no field of {name} in the sidebar")


def setup() -> bpy.types.PropertyGroup:
    return bpy.context.scene.navmesh.setups[0]


def state() -> str:
    """What the panel says that the navmesh is out of date by."""
    return str(sys.modules[f"{ADDON}.watch.out_of_date"].out_of_date(bpy.data.objects["Navmesh"], setup()))


def areas(object_: bpy.types.Object) -> list[int]:
    """Of the faces of a mesh that is being edited."""
    editing = bmesh.from_edit_mesh(object_.data)
    layer = editing.faces.layers.int.get("navmesh_area")
    return [] if layer is None else sorted(face[layer] for face in editing.faces)


def navmesh_areas() -> set[int]:
    return {value.value for value in bpy.data.objects["Navmesh"].data.attributes["navmesh_area"].data}


def show_from_above() -> Steps:
    with driver.in_viewport():
        bpy.ops.object.select_all(action="SELECT")
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_selected()
    yield 1.5


def shown(name: str) -> list[tuple[int, int, int]]:
    """The colors in the middle of the left and of the right half of the viewport, where the two islands lie."""
    place, picture = driver.region(), driver.screenshot(name)
    y = driver.window().height - place.y - place.height // 2 - 30
    return [pixel(picture, place.x + place.width * part // 16, y) for part in (5, 10)]


def pixel(picture: Path, x: int, y: int) -> tuple[int, int, int]:
    """The color around a place: of nine by nine pixels."""
    command = ["convert", str(picture), "-crop", f"9x9+{x - 4}+{y - 4}", "-resize", "1x1!", "-depth", "8", "rgb:-"]
    return tuple(subprocess.run(command, check=True, capture_output=True).stdout[:3])


def different(one: list[tuple[int, int, int]], other: list[tuple[int, int, int]]) -> bool:
    return max(abs(a - b) for p, q in zip(one, other, strict=True) for a, b in zip(p, q, strict=True)) > 12


def make_level() -> None:
    """Two small squares side by side, the left one active: Python itself builds them where kernels are not compiled."""
    levels.clear()
    for name, x in (("Island", 6), ("Ground", -6)):
        bpy.ops.mesh.primitive_plane_add(size=8, location=(x, 0, 0))
        bpy.context.object.name = name
    for object_ in bpy.data.objects:
        object_.select_set(True)
    bpy.ops.ed.undo_push(message="Level")


driver.run(scenario)
