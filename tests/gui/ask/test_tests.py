"""Path tests and places with real clicks: a wall that moves, and a build that says which one fails, and why."""

import sys
from collections.abc import Generator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import label_room
import levels
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Steps, say
from mathutils import Vector

OPEN = ("NAVMESH_PT_build", "NAVMESH_PT_ask", "NAVMESH_PT_tests", "NAVMESH_PT_places")
FOLDED = {"DEFAULT_CLOSED"}
HERE, ACROSS, ALONG = (-8, -5, 0), (-8, 5, 0), (8, -5, 0)
TABS = 45  # pixels of the sidebar that its tabs take


def scenario() -> Steps:
    hands = Hands()
    make_level()
    show_some_panels()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "TEST")
    driver.region("UI").tag_redraw()
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    with driver.in_viewport():
        assert bpy.ops.wm.tool_set_by_id(name="navmesh.test") == {"FINISHED"}
    yield 1
    beside = yield from two_tests(hands)
    yield from choose_in_the_list(hands, beside)
    yield from a_wall_moves(hands)
    yield from a_place(hands)


def make_level() -> None:
    """A yard that a wall divides, and a door that stands beside its way through."""
    levels.clear()
    ground = levels.add_box("Yard", (0, 0, -0.5), (12, 9, 0.5))
    levels.add_box("Wall", (-4, 0, 1), (8, 0.5, 1))
    levels.add_box("Door", (8, 7.5, 1), (4, 0.5, 1))
    bpy.context.view_layer.objects.active = ground
    view = driver.viewport().spaces.active.region_3d
    view.view_distance, view.view_location = 34, (0, 0, 0)
    bpy.ops.ed.undo_push(message="Level")


def show_some_panels() -> None:
    """What is looked at here is open, and no other panel of the sidebar is there, so that it need not be scrolled."""
    classes = label_room.panels()
    for cls in reversed(classes):
        bpy.utils.unregister_class(cls)
    for cls in classes:
        if cls.bl_region_type != "UI" or cls.bl_idname in OPEN:
            cls.bl_options = cls.bl_options - FOLDED if cls.bl_idname in OPEN else getattr(cls, "bl_options", set())
            bpy.utils.register_class(cls)


def two_tests(hands: Hands) -> Generator[float, None, tuple[int, int]]:
    """Returns where the button is that adds one, beside the first row of the list."""
    yield from hands.click(on_screen(HERE))
    yield from hands.move(on_screen(ACROSS))
    yield from hands.key("LEFTMOUSE", ctrl=True)
    yield 0.5
    plus = yield from hands.find_button("navmesh.test_add", across=beside_the_list())
    yield from hands.click(plus)
    yield 0.5
    assert len(asked().tests) == 1 and states() == ["CHECKMARK"], states()
    driver.screenshot("tests-1-one")
    yield from hands.undo()
    assert len(asked().tests) == 0, "Ctrl+Z takes it away"
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 0.7
    yield from hands.move(on_screen(ALONG))
    yield from hands.key("LEFTMOUSE", ctrl=True)
    yield 0.5
    yield from hands.click(plus)
    yield 0.5
    assert len(asked().tests) == 2 and states() == ["CHECKMARK"] * 2, states()
    driver.screenshot("tests-2-two")
    return plus


def choose_in_the_list(hands: Hands, beside: tuple[int, int]) -> Steps:
    """A click on the first row: the tool asks for it."""
    assert near(asked().test_end, ALONG)
    place = driver.region("UI")
    yield from hands.click_row((place.x + (place.width - TABS) // 2, beside[1]))
    yield 0.7
    assert asked().active_test == 0 and near(asked().test_end, ACROSS), (asked().active_test, asked().test_end[:])
    driver.screenshot("tests-3-chosen")


def a_wall_moves(hands: Hands) -> Steps:
    bpy.ops.object.select_all(action="DESELECT")
    door = bpy.data.objects["Door"]
    door.select_set(True)
    bpy.context.view_layer.objects.active = door
    yield from hands.move(driver.middle(driver.region()))
    for key in ("G", "Y"):
        yield from hands.key(key)
    yield from hands.write("-7.5")
    yield from hands.key("RET")
    yield 0.7
    assert abs(bpy.data.objects["Door"].location.y) < 0.01, bpy.data.objects["Door"].location[:]
    yield 1.5
    driver.screenshot("tests-4-moved")
    before = build_of_navmesh()
    yield from driver.show_tab("BUILD")
    yield from hands.click((yield from hands.find_button("navmesh.rebuild")))
    yield from driver.show_tab("TEST")
    yield from driver.wait(lambda: build_of_navmesh() != before, "the build", 900)
    yield 1
    yield from hands.move(driver.middle(driver.region()))
    yield 0.5
    driver.screenshot("tests-5-fails")
    assert states() == ["CANCEL", "CHECKMARK"], states()
    why = driver.ours("interface.panels.tests_panel").state_of(bpy.context.scene, asked().tests[0]).sentence
    say(why)
    assert "m are missing" in why and "a link of" in why


def a_place(hands: Hands) -> Steps:
    """One in the wall: the build names it, and a click on its name looks at it."""
    bpy.context.scene.cursor.location = (-4, 0, 0.2)
    yield from hands.scroll_down()
    yield from hands.click((yield from hands.find_button("navmesh.place_add")))
    yield 0.5
    before = build_of_navmesh()
    with driver.in_viewport():
        assert bpy.ops.navmesh.rebuild("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: build_of_navmesh() != before, "the build", 900)
    yield 1
    yield from hands.scroll_down()
    look = yield from hands.find_button("navmesh.look_at")
    driver.screenshot("tests-6-place")
    yield from hands.click(look)
    yield 0.7
    view = driver.viewport().spaces.active.region_3d
    assert near(view.view_location, (-4, 0, 0.2)), view.view_location[:]
    driver.screenshot("tests-7-looked-at")


# -------------------------------------------------------------------------- parts


def asked() -> bpy.types.bpy_struct:
    """Found anew each time: undo makes what was found before useless."""
    return bpy.context.scene.navmesh


def states() -> list[str]:
    state_of = driver.ours("interface.panels.tests_panel").state_of
    return [state_of(bpy.context.scene, test).icon for test in asked().tests]


def build_of_navmesh() -> str:
    return str(bpy.data.objects["Navmesh"]["navmesh_build"])


def beside_the_list() -> float:
    """The part of the sidebar's width where the buttons beside a list are."""
    width = driver.region("UI").width
    return (width - TABS) / width


def on_screen(point: object) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
    return round(place.x + at.x), round(place.y + at.y)


def near(found: object, wanted: object) -> bool:
    return (Vector(found) - Vector(wanted)).length < 0.9


driver.run(scenario)
