"""Presets, the redo panel and several setups, by clicks: what is chosen, kept, undone, shown and told apart."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say

BUILD = "NAVMESH_OT_build"
NAVMESH = "bl_ext.user_default.navmesh.navmesh_addon"
BELOW = 24  # pixels from a menu's button to its first entry, “Godot 4”
WIDE, COARSER = 1.3, 0.53  # radius of a giant, another cell size
HUMAN, GIANT = ["Navmesh", "Navmesh Detail"], ["Navmesh Agent", "Navmesh Agent Detail"]


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from presets(hands)
    yield from redo_panel(hands)
    yield from another_setup(hands)
    yield from eye_and_solo(hands)


def presets(hands: Hands) -> Steps:
    """Chosen from the menu, and taken back."""
    assert label() == "Human" and round(shown().agent_max_climb, 3) == 0.4
    plus = yield from hands.find_button("navmesh.preset_add()", across=0.78)
    driver.screenshot("s1-presets")
    menu = plus[0] - 100, plus[1]
    yield from hands.click(menu)
    yield 0.7
    driver.screenshot("s2-presets-menu")
    yield from hands.click((menu[0], menu[1] - BELOW))
    yield 0.7
    driver.screenshot("s3-preset-chosen")
    assert label() == "Godot 4" and round(shown().agent_height, 3) == 1.5, label()
    yield from hands.undo()
    driver.screenshot("s4-preset-undone")
    assert label() == "Human" and round(shown().agent_height, 3) == 2.0, label()
    say("presets: one step, and the label follows")


def redo_panel(hands: Hands) -> Steps:
    """A value changed there is the setup's, and the navmesh is what the setup says."""
    place = yield from hands.find_button("navmesh.build")
    yield from hands.click(place)
    yield from driver.wait(lambda: len(navmeshes()) == 2 and not driver.running(BUILD), "the build", 600)
    yield 1
    before = round(shown().cell_size, 5)
    assert out_of_date() == ""
    yield from hands.unfold_redo_panel()
    yield from hands.find_value(str(before))
    bpy.context.window_manager.clipboard = str(COARSER)
    yield from hands.key("V", ctrl=True)
    yield from driver.wait(lambda: navmeshes() and built_with("Navmesh") == COARSER, "the redo panel to build again")
    yield 1
    driver.screenshot("s5-redo-panel")
    assert round(shown().cell_size, 5) == COARSER and out_of_date() == ""
    yield from hands.undo()
    assert navmeshes() == [] and round(shown().cell_size, 5) == before, "one step"
    say("redo panel: the setup has its values")


def another_setup(hands: Hands) -> Steps:
    """It begins as a copy of the first, and its navmesh has another color."""
    shown().scope = "VISIBLE"
    for count in (1, 2):  # the first is what the panel showed before there was a list
        place = yield from hands.find_button("navmesh.setup_add", across=0.765)
        yield from hands.click(place)
        yield from driver.wait(lambda n=count: len(bpy.context.scene.navmesh.setups) == n, f"setup {count}", 5)
        yield from hands.move(driver.middle(driver.region()))
        yield 0.5
    setups = bpy.context.scene.navmesh.setups
    assert [setup.name for setup in setups] == ["Navmesh", "Agent"]
    assert setups[1].scope == "VISIBLE" and label() == "Human"
    setups[1].agent_radius = WIDE
    bpy.ops.ed.undo_push(message="Radius")
    _, y = yield from hands.find_button("navmesh.build")
    arrow = driver.region("UI").x + int(driver.region("UI").width * 0.82), y  # of the menu beside the button
    yield from hands.click(arrow)
    yield 0.5
    driver.screenshot("s6-build-menu")
    yield from hands.key("UP_ARROW")  # the last entry: Build All Setups
    yield from hands.key("RET")
    yield from driver.wait(lambda: len(navmeshes()) == 4 and not driver.running(BUILD), "both builds", 600)
    yield 1
    driver.screenshot("s6-two-agents")
    assert navmeshes(visible=True) == sorted(HUMAN + GIANT)
    say("another setup: a copy")


def eye_and_solo(hands: Hands) -> Steps:
    """Each a click, and each a step of its own; what the outliner hides, the eye shows as hidden."""
    first = bpy.context.scene.navmesh.setups[0].uid
    bpy.context.scene.navmesh.active = 0
    yield 0.5
    eye = yield from hands.find_button(f'navmesh.setup_show(setup="{first}")', across=0.695)
    yield from hands.click(eye)
    yield 0.5
    driver.screenshot("s7-eye-closed")
    assert navmeshes(visible=True) == GIANT
    yield from hands.undo()
    assert navmeshes(visible=True) == sorted(HUMAN + GIANT)
    bpy.ops.navmesh.setup_solo("EXEC_DEFAULT", True, setup=first)  # in the popover of setups
    yield 0.5
    driver.screenshot("s8-solo")
    assert navmeshes(visible=True) == HUMAN
    bpy.ops.navmesh.setup_solo("EXEC_DEFAULT", True, setup=first)
    yield 0.5
    assert navmeshes(visible=True) == sorted(HUMAN + GIANT)
    for name in GIANT:
        bpy.data.objects[name].hide_set(True)
    bpy.ops.ed.undo_push(message="Hide")
    yield 0.5
    driver.screenshot("s9-hidden-by-hand")
    yield from hands.undo()
    assert navmeshes(visible=True) == sorted(HUMAN + GIANT)
    say("eye and solo: one step each")


# -------------------------------------------------------------------------- state


def addon(name: str) -> object:
    return sys.modules[f"{NAVMESH}.{name}"]


def shown() -> object:
    return addon("stored.setups").shown_setup(bpy.context.scene)


def label() -> str:
    """What the panel writes on the menu of presets."""
    preset = addon("stored.agent_presets").preset_of(shown())
    return "Custom" if preset is None else preset.name


def out_of_date(name: str = "Navmesh") -> str:
    return addon("watch.out_of_date").out_of_date(bpy.data.objects[name], shown())


def built_with(name: str) -> float:
    return json.loads(bpy.data.objects[name]["navmesh_settings"])["cell_size"]


def navmeshes(visible: bool = False) -> list[str]:
    found = [o for o in bpy.context.scene.objects if "navmesh_role" in o]
    return sorted(o.name for o in found if not visible or o.visible_get())


driver.run(scenario)
