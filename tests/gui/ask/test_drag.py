"""Ten seconds of dragging an end of the tested way: how long the main loop is away; and a slow question."""

import math
import sys
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

import bpy
import driver
import levels
from bpy_extras.view3d_utils import location_3d_to_region_2d
from driver import Hands, Heartbeat, Steps, clock, say
from mathutils import Vector

SECONDS = 10.0  # of dragging
GAP, ANSWER = 0.5, 0.1  # seconds: generous, what is measured is said
SLOW = 3.0  # seconds that an answer is made to take; drawing alone takes most of one without a graphics card


def scenario() -> Steps:
    hands = Hands()
    levels.make_hills()
    yield 1
    with driver.in_viewport():
        values = {"scope": "SELECTED", "cell_size": 0.4, "cell_height": 0.2, "tile_size": 24}
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", **values) == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    bpy.data.objects["Hills"].display_type = "BOUNDS"  # drawing it takes most of the time without a graphics card
    bpy.ops.ed.undo_push(message="Bounds")
    current, thread = driver.ours("ask.current_answer"), driver.ours("ask.question_thread")
    with driver.in_viewport():
        assert bpy.ops.wm.tool_set_by_id(name="navmesh.test") == {"FINISHED"}
    yield from hands.move(driver.middle(driver.region()))
    scene = bpy.context.scene
    yield from driver.wait(lambda: "Preparing" not in current.current(scene).sentence, "the navmesh", 300)
    yield from hands.click(on_screen((-40, -30, 0)))
    yield from hands.move(on_screen((30, 20, 0)))
    yield from hands.key("LEFTMOUSE", ctrl=True)
    yield from driver.wait(lambda: answered(current) is not None, "the first answer", 300)
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    heart, answers = Heartbeat(), []
    idle = yield from driver.idle_gap(heart)
    asked = current._ask

    def timed(*facts: object) -> None:
        began = time.perf_counter()
        asked(*facts)
        answers.append(time.perf_counter() - began)

    current._ask = timed
    since = clock()
    yield from drag(hands)
    gaps = sorted(b[0] - a[0] for a, b in pairwise([beat for beat in heart.beats if beat[0] >= since]))
    say(
        f"dragged over {polygons:,} polygons: {len(answers)} answers, {1000 * median(answers):.1f} ms at the median, "
        f"{1000 * max(answers):.1f} ms at most; main loop away {1000 * median(gaps):.1f} ms at the median, "
        f"{1000 * gaps[-1]:.0f} ms at most ({1000 * idle:.0f} ms where it only draws)"
    )
    assert len(answers) > 10 and max(answers) < ANSWER and gaps[-1] < GAP + idle
    current._ask = asked
    driver.screenshot("drag-1-end")
    yield from slow(hands, current, thread, heart)


def drag(hands: Hands) -> Steps:
    """The end's handle in loops over the ground, a mouse event every hundredth of a second."""
    yield from take_handle(hands)
    began = time.perf_counter()
    while (passed := time.perf_counter() - began) < SECONDS:
        hands.place = on_screen((30 + 12 * math.sin(2.1 * passed), 20 + 30 * math.sin(1.3 * passed), 0))
        hands.event("MOUSEMOVE", "NOTHING")
        yield 0.01
    hands.event("LEFTMOUSE", "RELEASE")
    yield 0.5


def take_handle(hands: Hands) -> Steps:
    """Press the mouse on the handle of the end, which stands on the ground as tall as a finger."""
    yield from hands.move(on_screen(bpy.context.scene.navmesh.test_end))
    hands.place = hands.place[0], hands.place[1] + 12
    hands.event("MOUSEMOVE", "NOTHING")
    yield 0.5
    hands.event("LEFTMOUSE", "PRESS")
    yield 0.2


def slow(hands: Hands, current: object, thread: object, heart: Heartbeat) -> Steps:
    """A question that takes long is answered on the thread; the older answer is drawn meanwhile."""
    quick, before = thread._answer, answered(current)

    def slowly(*facts: object) -> object:
        time.sleep(SLOW)
        return quick(*facts)

    thread._answer = slowly
    since = clock()
    yield from take_handle(hands)
    yield from hands.move(on_screen((0, 40, 0)))
    yield SLOW / 2
    assert answered(current) is before, "the older answer is gone"
    gap = heart.largest_gap(since)
    say(f"a question of {SLOW:g} s: the main loop was away for {1000 * gap:.0f} ms at most")
    assert gap < SLOW / 2
    hands.event("LEFTMOUSE", "RELEASE")
    thread._answer = quick
    yield from driver.wait(lambda: answered(current) is not before, "the new answer", 20)
    yield 0.5
    driver.screenshot("drag-2-late")


def answered(current: object) -> object:
    """What is drawn now."""
    return current.current(bpy.context.scene).answered


def on_screen(point: object) -> tuple[int, int]:
    place = driver.region()
    at = location_3d_to_region_2d(place, driver.viewport().spaces.active.region_3d, Vector(point))
    return round(place.x + at.x), round(place.y + at.y)


driver.run(scenario)
