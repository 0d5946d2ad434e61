"""Build from the sidebar, watch it, cancel it, build it to the end, change it in the redo panel, rebuild, undo."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Heartbeat, Steps, clock, say

OPERATOR = "NAVMESH_OT_build"
LARGEST_GAP = 1.0  # seconds, where the software-drawn window alone takes
IDLE_GAP = 0.2  # this; where drawing takes longer, as on a busy machine, so much is added and no more
CANCEL_SECONDS = 0.25
LONG = 4.0  # seconds after which a first build is seen to compile


def scenario() -> Steps:
    hands, heart = Hands(), Heartbeat()
    levels.make_hills()
    yield 1
    yield from driver.open_sidebar(hands, "Navmesh")
    assert driver.region("UI").active_panel_category == "Navmesh"
    driver.screenshot("1-sidebar")

    yield from first_build(hands, heart)
    yield from undo(hands)
    yield from cancel(hands, heart)
    yield from second_build(heart)
    yield from rebuild(hands)
    yield from undo(hands, left=2)  # the rebuilding
    yield from undo(hands)
    yield from second_build(heart)
    # Last, because an operator that calls an operator, as a script's undo_redo does, leaves no undo step of its own.
    yield from redo_panel(hands)


def first_build(hands: Hands, heart: Heartbeat) -> Steps:
    """By a click on the panel's button. Where kernels have to be compiled, that takes much longer than building."""
    idle = yield from driver.idle_gap(heart)
    place = yield from hands.find_button("navmesh.build")
    since = clock()
    yield from hands.click(place)
    yield from driver.wait(lambda: driver.running(OPERATOR), "the click to start a build", 5)
    yield from hands.move(driver.middle(driver.region()))
    yield from driver.wait(lambda: not driver.running(OPERATOR) or clock() > since + LONG, "a while", 900)
    if driver.running(OPERATOR):  # taking a picture keeps the window from answering, so it is measured anew
        driver.screenshot("2-first-build")
        yield 0.1
        since = clock()
        yield from driver.wait(lambda: not driver.running(OPERATOR), "the first build", 900)
    answers(heart, since, idle, "first build", turns=2)  # compiling is Python's work, as drawing the panel is
    yield 0.5
    driver.screenshot("3-built")
    assert len(results()) == 2, results()
    assert driver.working_threads() == [], driver.working_threads()


def second_build(heart: Heartbeat) -> Steps:
    """With kernels compiled: how the window answers while it is being built."""
    idle = yield from driver.idle_gap(heart)
    since = clock()
    invoke()
    called = clock() - since
    yield from driver.wait(lambda: not driver.running(OPERATOR), "the build", 300)
    yield 0.5  # until the result has been drawn
    assert len(results()) == 2, results()
    answers(heart, since, idle, f"build (invoke() took {called:.2f} s)")
    yield 2
    driver.screenshot("6-built-again")


def answers(heart: Heartbeat, since: float, idle: float, what: str, turns: int = 1) -> None:
    """The interface kept answering: while a thread built, and before and after it, when the main thread works."""
    during, around = heart.largest_gap(since, building=True), heart.largest_gap(since, building=False)
    say(f"{what}: {clock() - since:.1f} s, largest gap {during:.2f} s while building, {around:.2f} s before and after")
    allowed = turns * (LARGEST_GAP + max(0.0, idle - IDLE_GAP))
    say(f"drawing alone: largest gap {idle:.2f} s, so {allowed:.2f} s are allowed")
    assert during > 0, "nothing was seen of the build: make the level larger"
    assert max(during, around) <= allowed


def cancel(hands: Hands, heart: Heartbeat) -> Steps:
    """By Esc, with the mouse over the viewport. The panel must not keep a percentage."""
    before = scene_state()
    invoke()
    yield 0.5
    assert driver.running(OPERATOR), "the build was over within half a second: make the level larger"
    driver.screenshot("4-running")
    yield 0.5  # taking it kept the window from answering
    since = clock()
    hands.event("ESC", "PRESS")
    hands.event("ESC", "RELEASE")
    yield from driver.wait(lambda: not driver.running(OPERATOR), "Esc to end the build", 5)
    took = clock() - since
    yield from driver.wait(lambda: driver.working_threads() == [], "the thread to end", 10)
    say(f"Esc: idle after {took:.2f} s, thread gone after {clock() - since:.2f} s")
    yield 0.5
    driver.screenshot("5-cancelled")
    assert scene_state() == before
    assert took <= CANCEL_SECONDS + heart.largest_gap(since), "one redraw of the software-drawn window may come between"


def redo_panel(hands: Hands) -> Steps:
    """It shows the settings, and a change there undoes the build and executes it again, at once."""
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("F9")
    yield 0.7
    driver.screenshot("7-redo-panel")
    yield from hands.key("ESC")
    yield 0.3
    before = [bpy.data.objects[name].data.session_uid for name in results()]
    with driver.in_viewport():
        bpy.ops.ed.undo_redo()
    yield 0.5
    assert len(results()) == 2, results()
    assert [bpy.data.objects[name].data.session_uid for name in results()] != before, "nothing was built again"


def rebuild(hands: Hands) -> Steps:
    """By the panel's button: the objects stay."""
    before = {name: bpy.data.objects[name].session_uid for name in results()}
    place = yield from hands.find_button("navmesh.rebuild")
    yield from hands.click(place)
    yield from driver.wait(lambda: driver.running("NAVMESH_OT_rebuild"), "the click to start a rebuild", 5)
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_rebuild"), "the rebuild", 300)
    yield 0.5
    driver.screenshot("8-rebuilt")
    assert {name: bpy.data.objects[name].session_uid for name in results()} == before


def undo(hands: Hands, left: int = 0) -> Steps:
    """One Ctrl+Z takes away everything that one build brought, and nothing else."""
    yield from hands.move(driver.middle(driver.region()))
    yield from hands.key("Z", ctrl=True)
    yield 0.7
    assert len(results()) == left, results()
    assert "Hills" in bpy.data.objects


def invoke() -> None:
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", cell_size=levels.FINE) == {"RUNNING_MODAL"}


def results() -> list[str]:
    """Objects that aren't the level."""
    return sorted(object_.name for object_ in bpy.context.scene.objects if object_.name != "Hills")


def scene_state() -> list[list[str]]:
    data = bpy.data
    return [
        sorted(object_.name for object_ in kind)
        for kind in (data.objects, data.meshes, data.collections, data.materials)
    ]


driver.run(scenario)
