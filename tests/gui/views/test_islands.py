"""Islands with real clicks: listed, shown, kept, dropped, joined; heat maps seen in the viewport, with their legend."""

import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import label_room
import levels
from driver import Hands, Steps, say

PANELS = f"{label_room.ADDON}.interface.panels"


def scenario() -> Steps:
    hands = Hands()
    make_level()
    label_room.unfold("NAVMESH_PT_islands")
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh", "MARK")
    bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.ops.ed.undo_push(message="Build")
    yield 1.5
    yield from frame(hands)
    yield from isolate(hands)
    yield from keep_and_undo(hands)
    yield from drop(hands)
    yield from join(hands)
    yield from heat_maps(hands)


def make_level() -> None:
    """Ground with a pond, a block beside it that is too high to climb, and ground far away."""
    levels.clear()
    levels.add_box("Ground", (0, 0, -0.5), (10, 10, 0.5))
    levels.add_box("Block", (13, 0, -0.2), (3, 10, 0.7))
    levels.add_box("Away", (0, 40, -0.5), (4, 4, 0.5))
    pond = levels.add_box("Pond", (-5, -5, 0), (3, 3, 1))
    pond.navmesh.use, pond.navmesh.area = "VOLUME", 1


def button(hands: Hands, operator: str, island: int, across: float) -> Steps:
    """Click on a button of an island's line."""
    yield from hands.move(driver.middle(driver.region()))
    yield 0.3
    place = yield from hands.find_button(f"navmesh.{operator}(", across=across)
    for _ in range(40):
        if f"island={island}" in bpy.context.window_manager.clipboard:
            yield from hands.click(hands.place)
            yield 1
            return
        place = place[0], place[1] - 8
        yield from hands.move(place)
        with bpy.context.temp_override(window=driver.window(), area=driver.viewport(), region=driver.region("UI")):
            if bpy.ops.ui.copy_python_command_button.poll():
                bpy.ops.ui.copy_python_command_button()
    raise AssertionError(f"no button of {operator} for island {island}")


def frame(hands: Hands) -> Steps:
    driver.screenshot("islands-1-listed")
    yield from button(hands, "frame_island", 2, 0.2)
    yield from hands.move(driver.middle(driver.region()))
    yield 1
    driver.screenshot("islands-2-framed")
    view = driver.viewport().spaces.active.region_3d
    assert abs(view.view_location.y - 40) < 1 and view.view_distance < 20, view.view_location
    say("framed")


def isolate(hands: Hands) -> Steps:
    """The others are gone from the picture, and come back."""
    with driver.in_viewport():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
    yield 1
    yield from button(hands, "isolate_island", 1, ISOLATE)
    yield from hands.move(driver.middle(driver.region()))
    yield 1.5
    driver.screenshot("islands-2-isolated")
    assert bpy.context.scene.navmesh.isolated_island == 1 and bpy.data.objects["Navmesh"].hide_get()
    yield from button(hands, "isolate_island", 1, ISOLATE)
    assert bpy.context.scene.navmesh.isolated_island == -1 and not bpy.data.objects["Navmesh"].hide_get()
    say("isolated")


def seeds() -> list[bpy.types.Object]:
    return [object_ for object_ in bpy.context.scene.objects if object_.navmesh.use == "SEED"]


def keep_and_undo(hands: Hands) -> Steps:
    yield from button(hands, "keep_island", 1, KEEP)
    driver.screenshot("islands-3-kept")
    assert len(seeds()) == 1 and abs(seeds()[0].location.x - 13) < 2
    yield from hands.undo()
    assert not seeds()
    yield from hands.undo()  # the build
    yield from hands.key("Z", ctrl=True, shift=True)
    yield 0.7
    assert "Navmesh" in bpy.data.objects
    say("kept, undone")


def drop(hands: Hands) -> Steps:
    yield from button(hands, "drop_island", 2, DROP)
    assert not seeds() and not bpy.context.scene.navmesh.setups[0].prune
    assert [object_.name for object_ in bpy.context.scene.objects if object_.navmesh.use == "DROP"] == ["Drop"]
    driver.screenshot("islands-4-dropped")
    yield from hands.undo()
    assert not [object_ for object_ in bpy.context.scene.objects if object_.navmesh.use == "DROP"]
    say("dropped, undone")


def join(hands: Hands) -> Steps:
    yield from button(hands, "join_island", 1, JOIN)
    yield from hands.move(driver.middle(driver.region()))
    yield 1
    driver.screenshot("islands-5-step")
    yield from button(hands, "join_island", 2, JOIN)
    yield from hands.move(driver.middle(driver.region()))
    yield 1
    driver.screenshot("islands-6-link")
    texts = sys.modules[f"{label_room.ADDON}.interface.island_operators"]._answers.values()
    sentences = " ".join(answer.sentence for answer in texts)
    assert "a step of" in sentences and "a link of" in sentences, sentences
    yield from hands.move(driver.middle(driver.region()))
    place = yield from hands.find_button("navmesh.add_link(", across=0.4)
    yield from hands.click(place)
    yield 1
    assert "Link" in bpy.data.objects
    yield from hands.undo()
    assert "Link" not in bpy.data.objects
    say(sentences)


def heat_maps(hands: Hands) -> Steps:
    """Each choice is another picture in the viewport, and Area the same again; the legend is looked at by a person."""
    with driver.in_viewport():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_all()
    bpy.data.objects["Pond"].hide_set(True)
    bpy.context.preferences.system.viewport_aa = "OFF"  # it smooths edges a bit more with each drawing
    yield from hands.move(driver.middle(driver.region()))
    pictures = {}
    for color_by in ("AREA", "POLYGON", "CLEARANCE", "COST", "SLOPE"):
        bpy.context.scene.navmesh.color_by = color_by
        yield 1.5
        pictures[color_by] = pixels_of_viewport(driver.screenshot(f"islands-7-{color_by.lower()}"))
    bpy.context.scene.navmesh.color_by = "AREA"
    yield 1.5
    again = changed(pictures["AREA"], pixels_of_viewport(driver.screenshot("islands-8-area-again")))
    others = {color_by: changed(pictures["AREA"], picture) for color_by, picture in pictures.items()}
    say(f"changed pixels: {others}; {again} when it is Area again")
    assert again < 50 and all(count > 1000 for color_by, count in others.items() if color_by != "AREA")


def changed(one: list[bytes], other: list[bytes]) -> int:
    """How many pixels are another color."""
    return sum(
        max(abs(a[i + k] - b[i + k]) for k in range(3)) > 8
        for a, b in zip(one, other, strict=True)
        for i in range(0, len(a), 3)
    )


def pixels_of_viewport(picture: Path) -> list[bytes]:
    """Rows of the viewport left of the sidebar."""
    pixels = subprocess.run(["convert", str(picture), "rgb:-"], check=True, capture_output=True).stdout
    window, place = driver.window(), driver.region()
    across = place.width - driver.region("UI").width
    begin = window.height - place.y - place.height
    return [
        pixels[3 * (y * window.width + place.x) : 3 * (y * window.width + place.x + across)]
        for y in range(begin, begin + place.height, 2)
    ]


ISOLATE, KEEP, DROP, JOIN = 0.425, 0.68, 0.75, 0.82  # parts of the sidebar's width

driver.run(scenario)
