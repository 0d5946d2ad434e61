"""Found links in the viewport: ribbons in their colors, one rejected by a click, an end dragged, and built again."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from driver import Hands, Steps, say
from links.link_steps import KINDS, build, colors_of, drag, ends, on_screen, open_the_list, reset_view, rows
from mathutils import Vector

PIXELS = 150  # of a color, at least, where ribbons of it are seen
LABEL = 140  # pixels from the cross to the name of a link
FAR = 0.4  # metres: an end that was dragged has moved at least so far


def scenario() -> Steps:
    hands = Hands()
    open_the_list()
    make_level()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from build()
    assert len(rows().ids), "no link was found"
    say(f"found {len(rows().ids)} links")
    yield from colors(hands)
    yield from reject_by_click(hands)
    yield from drag_an_end(hands)
    yield from again(hands)


def colors(hands: Hands) -> Steps:
    """What is drawn is drawn by the switch, and of the colors that the list's icons have."""
    stored = bpy.context.scene.navmesh
    stored.draw_links = False
    yield from hands.move(driver.middle(driver.region("UI")))
    driver.viewport().tag_redraw()  # a script's change draws nothing
    yield 0.5
    without = colors_of(driver.screenshot("found-links-1-off"))
    stored.draw_links = True
    for color, kind in (("orange", "drop"), ("green", "jump")):
        bpy.context.scene.navmesh.active_link = next(k for k, one in enumerate(rows().kinds) if KINDS[one] != kind)
        reset_view()
        yield 1
        shown = colors_of(driver.screenshot(f"found-links-2-{color}"))
        say(f"pixels: {dict(without)}, with links {dict(shown)}")
        assert shown[color] > without[color] + PIXELS, color


def reject_by_click(hands: Hands) -> Steps:
    """The cross of a line; then it is drawn faintly, and the panel says that the navmesh is out of date."""
    before = len(rows().ids)
    place = yield from hands.find_button("navmesh.reject_link", across=0.795)
    where = driver.viewport().spaces.active.region_3d.view_location.copy()
    yield from hands.click((place[0] - LABEL, place[1]))
    yield 0.7
    assert (driver.viewport().spaces.active.region_3d.view_location - where).length > FAR, "a click shows the link"
    driver.screenshot("found-links-3-shown")
    reset_view()
    yield 0.5
    yield from hands.click(place)
    yield 0.7
    assert len(rows().ids) == before - 1, "the click rejected one"
    bpy.context.scene.navmesh.draw_rejected = True
    driver.viewport().tag_redraw()
    yield 1
    driver.screenshot("found-links-3-rejected")
    yield from hands.undo()
    assert len(rows().ids) == before, "and undo brings it back"
    yield from hands.click(place)
    yield 0.7
    assert len(rows().ids) == before - 1


def drag_an_end(hands: Hands) -> Steps:
    """By its handle, along the floor: the other end stays."""
    row = next(k for k in range(len(rows().ids)) if KINDS[rows().kinds[k]] == "jump")
    assert bpy.ops.navmesh.move_link("EXEC_DEFAULT", True, link=row) == {"FINISHED"}  # a step, as a click makes one
    yield 1
    driver.screenshot("found-links-4-handles")
    start, end = ends(row)
    aside = Vector((0.0, 1.5 if end.y < 0 else -1.5, 0.0))
    yield from drag(hands, on_screen(end + Vector((0, 0, 0.4))), on_screen(end + aside))
    assert list(rows().states) == [2 if k == row else 0 for k in range(len(rows().ids))], list(rows().states)
    now, moved = ends(row)
    assert (moved - end).length > FAR and (now - start).length < 0.01, (start, end, now, moved)
    driver.screenshot("found-links-5-dragged")
    yield from hands.undo()
    assert (ends(row)[1] - end).length < 0.01, "undo brings the end back"
    yield from drag(hands, on_screen(end + Vector((0, 0, 0.4))), on_screen(end + aside))
    assert (ends(row)[1] - end).length > FAR


def again(hands: Hands) -> Steps:
    """The rejected one stays away, the moved one where it was dragged to."""
    moved = next(k for k in range(len(rows().ids)) if rows().states[k] == 2)
    number, where, count = rows().ids[moved], ends(moved)[1], len(rows().ids)
    yield from build()
    row = list(rows().ids).index(number)
    assert (ends(row)[1] - where).length < 0.01 and rows().states[row] == 2
    assert len(rows().ids) <= count, "nothing came back"
    yield from hands.move(driver.middle(driver.region("UI")))
    yield 0.5
    driver.screenshot("found-links-6-again")
    for _ in range(3):
        yield from hands.undo()
    driver.screenshot("found-links-7-undone")


def make_level() -> None:
    """Two floors with a gap of a metre between them, and a terrace that agents can drop from."""
    levels.clear()
    levels.add_box("West", (-6.0, 0, -0.5), (5.5, 7, 0.5))
    levels.add_box("East", (6.0, 0, -0.5), (5.5, 7, 0.5))
    levels.add_box("Terrace", (9.0, 0, 0.5), (2.5, 7, 1.0))
    draft = bpy.context.scene.navmesh.draft
    draft.generate_links, draft.scope = True, "VISIBLE"
    reset_view()
    bpy.ops.ed.undo_push(message="Level")


driver.run(scenario)
