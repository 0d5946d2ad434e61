"""A level of 5,000 objects is gathered while the window answers; Esc ends that, and what changes meanwhile counts."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Heartbeat, Steps, clock, say

OPERATOR = "NAVMESH_OT_build"
COUNT = 5000
LARGEST_GAP = 0.25  # seconds, while it is gathered, where the software-drawn window alone takes
DRAWING = 0.15  # this; where drawing takes longer, as on a busy machine, so much is added and no more
ADDON = "bl_ext.user_default.navmesh.navmesh_addon"


def scenario() -> Steps:
    hands, heart = Hands(), Heartbeat()
    levels.make_crates(COUNT)
    yield 2
    yield from driver.open_sidebar(hands, "Navmesh")
    yield from escape(hands, heart)
    yield from gather(hands, heart)
    yield from change_meanwhile(hands)


def escape(hands: Hands, heart: Heartbeat) -> Steps:
    """Nothing is left of it, on the screen neither."""
    yield from click_build(hands)
    yield from driver.wait(lambda: counts()[0] > COUNT // 20, "the first objects")
    assert counts()[0] < COUNT // 2, "it takes too little time to see anything: make the objects larger"
    driver.screenshot("11-gathering")
    since = clock()
    yield from hands.key("ESC")
    yield from driver.wait(lambda: not driver.running(OPERATOR), "Esc to end it", 5)
    took, gap = clock() - since, heart.largest_gap(since)
    say(f"Esc while gathering: idle after {took:.2f} s, the window was away for {gap:.2f} s at most")
    yield 0.5
    driver.screenshot("12-gathering-cancelled")
    assert driver.working_threads() == [] and stage() == "" and "Navmesh" not in bpy.data.objects
    assert took <= LARGEST_GAP + gap


def gather(hands: Hands, heart: Heartbeat) -> Steps:
    """To the end. The gap counts from the click to the thread."""
    idle = yield from driver.idle_gap(heart)
    since, texts = clock(), set()
    yield from click_build(hands)
    while stage() == "gathering":
        texts.add(shown_text())
        yield driver.BEAT
    gap = heart.largest_gap(since)
    say(f"drawing alone: largest gap {idle:.3f} s")
    say(f"gathering {COUNT:,} objects: {clock() - since:.2f} s, largest gap {gap:.3f} s, {len(texts)} texts")
    assert gap <= LARGEST_GAP + max(0.0, idle - DRAWING) and len(texts) > 3, texts
    gathered = sys.modules[f"{ADDON}.builds.active_build"].current().requests[0].gathered
    assert len(gathered.used) == COUNT and len(gathered.triangles) == COUNT * levels.CRATE_TRIANGLES
    say(f"of which gathering itself took {gathered.seconds:.2f} s")
    driver.screenshot("13-gathered")
    yield from end(hands)


def change_meanwhile(hands: Hands) -> Steps:
    """One crate goes while others are looked at: what is built is the level without it."""
    yield from click_build(hands)
    yield from driver.wait(lambda: counts()[0] > COUNT // 10, "some objects")
    before = counts()[0]
    bpy.data.objects.remove(bpy.data.objects[f"Crate {COUNT // 20}"])
    yield from driver.wait(lambda: counts()[0] < before, "it to begin anew", 5)
    yield from driver.wait(lambda: stage() != "gathering", "the level", 60)
    gathered = sys.modules[f"{ADDON}.builds.active_build"].current().requests[0].gathered
    assert len(gathered.used) == COUNT - 1
    say("changed meanwhile: gathered anew")
    yield from end(hands)


# -------------------------------------------------------------------------- parts


def click_build(hands: Hands) -> Steps:
    place = yield from hands.find_button("navmesh.build")
    hands.place = place
    hands.event("LEFTMOUSE", "PRESS")
    hands.event("LEFTMOUSE", "RELEASE")
    yield from driver.wait(lambda: driver.running(OPERATOR), "the click to start a build", 5)


def end(hands: Hands) -> Steps:
    """What is built of it is no matter here."""
    yield from hands.key("ESC")
    yield from driver.wait(lambda: not driver.running(OPERATOR), "Esc to end the build", 20)


def stage() -> str:
    work = sys.modules[f"{ADDON}.builds.active_build"].current()
    return "" if work is None else str(work.stage)


def counts() -> tuple[int, int]:
    work = sys.modules[f"{ADDON}.builds.active_build"].current()
    return work.counts if stage() == "gathering" else (0, 0)


def shown_text() -> str:
    return str(sys.modules[f"{ADDON}.interface.progress_display"].shown().text)


driver.run(scenario)
