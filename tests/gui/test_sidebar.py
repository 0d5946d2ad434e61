"""The three tabs as a person meets them: few rows, and buttons that stand where they stand, whatever happens."""

import sys
from collections.abc import Generator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say

MOST_ROWS = 18
STEP = 9  # pixels between two looks
COLUMNS = (0.2, 0.8)  # of the sidebar's width
WAYS_OUT = ("navmesh.select_object", "navmesh.set_settings", "wm.url_open")  # they come and go, in a place of theirs
WATCHED = 560  # pixels below its top: what every tab shows before anything is unfolded


def scenario() -> Steps:
    hands = Hands()
    levels.make_rooms()
    bpy.context.preferences.view.show_tooltips = False
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield 2
    yield from each_tab(hands, "fresh")
    yield from nothing_moves(hands)
    yield from each_tab(hands, "built")
    yield from undo_leaves_the_tab(hands)
    yield from pie(hands)
    yield from search(hands)
    yield from light_and_large(hands)


def each_tab(hands: Hands, when: str) -> Steps:
    """Pictures of every tab, and how many rows it has."""
    for tab in ("BUILD", "MARK", "TEST"):
        yield from show(hands, tab)
        driver.screenshot(f"sidebar-{when}-{tab.lower()}")
        with driver.in_sidebar():
            rows = label_room.rows_of_tab()
        say(f"{when}, {tab.title()}: {rows} rows")
        assert rows <= MOST_ROWS, f"{rows} rows in the tab {tab}, {when}"


def show(hands: Hands, tab: str) -> Steps:
    """By a click on it."""
    across = {"BUILD": 0.15, "MARK": 0.45, "TEST": 0.75}[tab]
    place = yield from hands.find_button(f"navmesh.show_tab(tab='{tab}')", across=across)
    yield from hands.click(place)
    yield from driver.wait(lambda: bpy.context.scene.navmesh.tab == tab, f"the tab {tab}", 5)
    yield from hands.move(driver.middle(driver.region()))
    yield 0.7


def nothing_moves(hands: Hands) -> Steps:
    """Through a build, a change, a warning, a refusal and a rename."""
    yield from show(hands, "BUILD")
    before = yield from buttons(hands)
    say(f"{len(before)} buttons: {', '.join(before)}")
    place = before["navmesh.build"]
    yield from hands.click(place)
    yield from driver.wait(lambda: "Navmesh" in bpy.data.objects, "the build", 900)
    yield 1
    before["navmesh.rebuild"] = before.pop("navmesh.build")
    del before["scope"]  # a menu of other sources stands there now
    yield from same(hands, before, "a build")
    bpy.data.objects["Yard"].scale.x = 1.1
    yield 3
    yield from same(hands, before, "a change of the level")
    setup = bpy.context.scene.navmesh.setups[0]
    setup.name = "A name that is much longer than the field which it stands in"
    yield 1
    yield from same(hands, before, "a rename")
    setup.agent_max_climb = 0.15  # less than two cells
    yield 3
    driver.screenshot("sidebar-warned")
    yield from same(hands, before, "a warning")
    setup.cell_size = -1.0
    yield from hands.click(before["navmesh.rebuild"])
    yield 3
    driver.screenshot("sidebar-refused")
    yield from same(hands, before, "a refusal")
    setup.cell_size = 0.16667


def undo_leaves_the_tab(hands: Hands) -> Steps:
    """What was done is undone; which tab is looked at is nobody's step."""
    yield from show(hands, "MARK")
    place = yield from hands.find_button("navmesh.add_helper(kind='SEED'", across=0.15)
    yield from hands.click(place)
    yield 0.7
    assert "Seed" in bpy.data.objects
    driver.screenshot("sidebar-seed")
    yield from show(hands, "TEST")
    yield from hands.undo()
    assert "Seed" not in bpy.data.objects and bpy.context.scene.navmesh.tab == "TEST"
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 0.7
    assert "Seed" in bpy.data.objects and bpy.context.scene.navmesh.tab == "TEST"
    say("undo and redo leave the tab")


def pie(hands: Hands) -> Steps:
    """Around the mouse by Shift Alt N; Ctrl Alt N hides what is drawn, and shows it again."""
    yield from hands.move(driver.middle(driver.region()))
    hands.event("N", "PRESS", shift=True, alt=True)  # held: let go of late, it closes again
    yield 1
    driver.screenshot("sidebar-pie")
    yield from hands.key("ESC")
    hands.event("N", "RELEASE")
    yield 0.5
    for wanted in (False, True):
        yield from hands.key("N", ctrl=True, alt=True)
        yield from driver.wait(lambda w=wanted: bpy.context.scene.navmesh.show_navmesh == w, "the overlay", 5)
    say("both keys")


def search(hands: Hands) -> Steps:
    """F3 and a word: a picture of what comes first."""
    for word in ("navmesh", "rebuild", "why no"):
        yield from hands.move(driver.middle(driver.region()))
        yield from hands.key("F3")
        yield 0.5
        for letter in word:
            hands.event("SPACE" if letter == " " else letter.upper(), "PRESS", unicode=letter)
            yield 0.05
            hands.event("SPACE" if letter == " " else letter.upper(), "RELEASE")
            yield 0.05
        yield 1
        driver.screenshot(f"sidebar-search-{word.replace(' ', '-')}")
        yield from hands.key("ESC")
        yield from hands.key("ESC")
        yield 0.3


def light_and_large(hands: Hands) -> Steps:
    """Pictures in Blender's light theme, and where the interface is drawn twice as large."""
    bpy.ops.script.execute_preset(filepath=str(light_theme()), menu_idname="USERPREF_MT_interface_theme_presets")
    for tab in ("BUILD", "MARK", "TEST"):
        yield from show(hands, tab)
        driver.screenshot(f"sidebar-light-{tab.lower()}")
    bpy.context.preferences.view.ui_scale = 2.0
    yield 2
    assert driver.ours("views.gpu_layers").line_weight(2.0) >= 3.0, "lines are as wide as the interface is large"
    driver.screenshot("sidebar-large")
    bpy.context.preferences.view.ui_scale = 1.0


def light_theme() -> Path:
    """Where Blender keeps it."""
    paths = [Path(folder) / "Blender_Light.xml" for folder in bpy.utils.preset_paths("interface_theme")]
    return next(path for path in paths if path.is_file())


def same(hands: Hands, before: dict[str, tuple[int, int]], after: str) -> Steps:
    now = yield from buttons(hands)
    moved = {name: (place, now.get(name)) for name, place in before.items() if now.get(name) != place}
    assert not moved, f"after {after} moved: {moved}"
    say(f"nothing has moved after {after}")


def buttons(hands: Hands) -> Generator[float, None, dict[str, tuple[int, int]]]:
    """Where each operator's topmost button is first met, in every column."""
    yield from hands.move(driver.middle(driver.region()))
    yield 0.3
    place, found = driver.region("UI"), {}
    top = place.y + place.height - 6
    for across in COLUMNS:
        x = place.x + int(place.width * across)
        for y in range(top, max(place.y, top - WATCHED), -STEP):
            command = yield from hands.command_at((x, y))
            name = command.removeprefix("bpy.ops.").partition("(")[0] or property_here()
            if name and name not in WAYS_OUT:
                found.setdefault(name, (x, y))
    return found


def property_here() -> str:
    """The data path of the field under the mouse."""
    board = bpy.context.window_manager
    board.clipboard = ""
    with driver.in_sidebar():
        if bpy.ops.ui.copy_data_path_button.poll():
            bpy.ops.ui.copy_data_path_button()
    return str(board.clipboard).rpartition(".")[2]


driver.run(scenario)
