"""Every view of a stage in the viewport: its colors, its legend, the value under the mouse, and stepping with keys."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Steps, say

PIXELS = 40  # of one color of the legend, at least, where lines are seen; faces have many more
NEAR = 24  # by how much a channel may differ: lines have soft rims, faces may be seen through
FACES = {"SLOPE", "VOXELS", "COMPACT", "REASONS", "DISTANCE", "WATER", "REGIONS"}


def scenario() -> Steps:
    hands, heart = Hands(), driver.Heartbeat()
    levels.make_rooms()
    driver.viewport().spaces.active.region_3d.view_distance = 25
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", scope="VISIBLE") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    yield 0.5
    stage_view = driver.ours("views.stage_view")
    driver.screenshot("views-none")
    for item in bpy.context.scene.navmesh.bl_rna.properties["view"].enum_items:
        name = item.identifier
        if name != "NONE":
            yield from look(name, stage_view, heart)
    yield from value_under_the_mouse(hands)
    yield from step_with_the_wheel(hands)
    yield from cut_away(stage_view)
    yield from bad_input(stage_view)
    yield from nothing_is_left()


def show(name: str, stage_view: object) -> Steps:
    bpy.context.scene.navmesh.view = name
    driver.ours("redraw").redraw_views()
    yield 0.1
    yield from driver.wait(lambda: is_there(stage_view), f"the view {name}", 120)
    yield 0.3


def is_there(stage_view: object) -> bool:
    state = stage_view.state
    return (
        not state.worker.busy and not state.uploading and (stage_view.shown() is not None or state.failed is not None)
    )


def look(name: str, stage_view: object, heart: driver.Heartbeat) -> Steps:
    """A view's colors are seen in the viewport, and nothing failed."""
    since = driver.clock()
    yield from show(name, stage_view)
    gap = heart.largest_gap(since)
    picture = driver.screenshot(f"views-{name.lower()}")
    state, one = stage_view.state, stage_view.shown()
    faults = driver.ours("views.overlay")._said
    assert not faults, faults
    assert state.failed is None, state.failed.error
    legend = one.made.picture.legend
    counts = pixels_of(picture, [row.color for row in legend])
    seen = {row.label: count for row, count in zip(legend, counts, strict=True) if count}
    say(f"{name}: {seen}, away for {gap:.2f} s; {state.said}")
    least = (50 if name in FACES else 1) * PIXELS
    changed = pixels_that_differ(picture, driver.PICTURES / f"{driver.VERSION}-views-none.png")
    say(f"{name}: {changed} pixels differ from the level alone")
    assert changed > least, (name, changed)
    solid = [count for row, count in zip(legend, counts, strict=True) if row.color[3] == 255]
    assert not solid or max(solid) > least, (name, legend, counts)


def raw_pixels(picture: Path) -> bytes:
    return subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout


def pixels_that_differ(picture: Path, other: Path) -> int:
    """How many in the middle of the viewport."""
    width, height = driver.window().width, driver.window().height
    one, two = raw_pixels(picture), raw_pixels(other)
    rows = [
        slice(3 * width * row, 3 * (width * row + width * 3 // 4), 3) for row in range(height // 8, height * 5 // 8)
    ]
    return sum(abs(a - b) > 12 for row in rows for a, b in zip(one[row], two[row], strict=True))


def pixels_of(picture: Path, colors: list[tuple[int, ...]]) -> list[int]:
    """How many pixels in the middle of the viewport have each color: the legend stands at its lower edge."""
    raw = raw_pixels(picture)
    width, height = driver.window().width, driver.window().height
    counts = [0] * len(colors)
    for row in range(height // 8, height * 5 // 8):
        line = raw[3 * width * row : 3 * (width * row + width * 3 // 4)]
        for number, color in enumerate(colors):
            for at in range(0, len(line), 6):
                counts[number] += all(abs(line[at + k] - color[k]) < NEAR for k in range(3))
    return counts


def value_under_the_mouse(hands: Hands) -> Steps:
    yield from show("REGIONS", driver.ours("views.stage_view"))
    place = driver.middle(driver.region())
    yield from hands.move((place[0] + 40, place[1] - 20))
    yield from hands.move(place)
    yield 0.5
    value = driver.ours("views.stage_text").pointer.value
    say(f"under the mouse: {value!r}")
    driver.screenshot("views-value")
    assert value
    assert value in [row.text for row in driver.ours("views.stage_text").rows_of("REGIONS")]


def step_with_the_wheel(hands: Hands) -> Steps:
    """With Ctrl, Shift and Alt; the viewport itself stays where it is."""
    view, before = bpy.context.scene.navmesh, driver.viewport().spaces.active.region_3d.view_matrix.copy()
    view.view = "REGIONS"
    yield from hands.key("WHEELDOWNMOUSE", ctrl=True, shift=True, alt=True)
    yield 0.2
    assert view.view == "CONNECTIONS", view.view
    yield from hands.key("WHEELUPMOUSE", ctrl=True, shift=True, alt=True)
    yield from hands.key("WHEELUPMOUSE", ctrl=True, shift=True, alt=True)
    yield 0.2
    assert view.view == "WATER", view.view
    assert driver.viewport().spaces.active.region_3d.view_matrix == before


def cut_away(stage_view: object) -> Steps:
    """Above the ground there is less to see; and half of the water."""
    stored = bpy.context.scene.navmesh
    yield from show("COMPACT", stage_view)
    whole = sum(row.count for row in stage_view.shown().made.picture.legend)
    stored.view_cut_below, stored.view_lowest = True, 1.0
    yield from show("COMPACT", stage_view)
    part = sum(row.count for row in stage_view.shown().made.picture.legend)
    driver.screenshot("views-cut")
    say(f"open spans: {whole}, higher than a metre: {part}")
    assert 0 < part < whole
    stored.view_cut_below = False
    stored.view_level = 0.4
    yield from show("WATER", stage_view)
    driver.screenshot("views-water-low")
    assert stage_view.shown().made.wish.level == 0.4


def bad_input(stage_view: object) -> Steps:
    """A navmesh that is no longer in memory is said, and its picture goes."""
    driver.ours("builds.finished_navmeshes").clear()
    driver.ours("redraw").redraw_views()
    yield 0.5
    assert stage_view.state.said == stage_view.NOT_IN_MEMORY, stage_view.state.said
    assert stage_view.shown() is None
    driver.screenshot("views-not-in-memory")


def nothing_is_left() -> Steps:
    """No key, handler, timer or thread is left of an extension that is disabled."""
    registration, view = driver.ours("registration"), driver.ours("views.stage_view")
    module = next(
        name for name in [addon.module for addon in bpy.context.preferences.addons] if name.endswith(".navmesh")
    )
    bpy.ops.preferences.addon_disable(module=module)
    yield 0.5
    keymaps = bpy.context.window_manager.keyconfigs.addon.keymaps
    assert not [item for keymap in keymaps for item in keymap.keymap_items if item.idname == "navmesh.view_step"]
    assert not registration._undo and not view.OVERLAY._handles and not hasattr(bpy.types, "NAVMESH_GGT_mouse")
    assert "navmesh-view" not in driver.working_threads()


driver.run(scenario)
