"""Live mode over ten thousand objects: what it costs each update of the scene, at rest, switched off, and per look."""

import sys
import time
from itertools import islice
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Steps, say
from live_checks import mode, now, state

OBJECTS, MOVES = 10_000, 20
AFTERWARDS, RESTS = 3.0, 5.0  # seconds until nothing happens any more, and at rest
MOST_PER_UPDATE = 0.001  # seconds of ours in an update, beside what Blender takes to list what changed


def scenario() -> Steps:
    levels.make_crates(OBJECTS)
    yield 1
    bpy.context.preferences.system.viewport_aa = "OFF"
    yield from driver.open_sidebar(Hands(), "Navmesh")
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running("NAVMESH_OT_build"), "the build", 900)
    updates, ticks = watch(driver.ours("watch.blender_handlers"), "_after_update"), watch(mode(), "tick")
    handlers = bpy.app.handlers.depsgraph_update_post
    handlers.insert(0, list_changes), handlers.append(list_changes)  # whoever is first finds nothing in the cache
    yield from moves(updates, "switched off")
    with driver.in_viewport():
        assert bpy.ops.navmesh.live() == {"FINISHED"}
    yield from rest()
    say(f"{OBJECTS} objects known, longest slice {longest()}")
    yield from moves(updates, "followed")
    seconds = [value - driver.ours("live.live_delays").DELAY_AFTER_CHANGE for value in now().times.ready_after[-MOVES:]]
    cuts = quantiles(seconds, n=20)
    say(f"ready after the debounce: p50 {cuts[9]:.3f} s, p95 {cuts[18]:.3f} s, longest slice {longest()}")
    yield from rest()
    yield AFTERWARDS  # the watch over the level goes through all objects
    yield from rest()
    ticks.clear()
    yield RESTS
    say(f"at rest: {len(ticks)} calls in {RESTS:g} s, {1000 * sum(ticks) / RESTS:.2f} ms a second")
    assert sum(ticks) < 0.01 * RESTS
    now().looking.slices.clear()
    crate = bpy.data.objects["Crate 5000"].copy()
    crate.location.z += 0.5
    bpy.context.scene.collection.objects.link(crate)
    bpy.ops.ed.undo_push(message="Copy")
    yield from rest()
    say(f"after a copy, all of them looked at: longest slice {longest()}")


listing: list[float] = []


def list_changes(_scene: bpy.types.Scene, depsgraph: bpy.types.Depsgraph) -> None:
    """What Blender takes to list one entry that changed: it looks through all it has."""
    began = time.thread_time()
    assert list(islice(depsgraph.updates, 500))
    listing.append(time.thread_time() - began)


def watch(module: object, name: str) -> list[float]:
    """The seconds of this thread that each call of a handler or timer takes from now on."""
    seconds: list[float] = []
    handler = getattr(module, name)

    def timed(*given: object) -> object:
        began = time.thread_time()
        try:
            return handler(*given)
        finally:
            seconds.append(time.thread_time() - began)

    handlers = bpy.app.handlers.depsgraph_update_post
    if handler in handlers:
        handlers[handlers.index(handler)] = timed
    else:
        bpy.app.timers.unregister(handler) if bpy.app.timers.is_registered(handler) else None
        setattr(module, name, timed)
        bpy.app.timers.register(timed, persistent=True)
    return seconds


def moves(updates: list[float], what: str) -> Steps:
    """Move one object a few times."""
    costs, waited = [], []
    for k in range(MOVES):
        updates.clear(), listing.clear()
        bpy.data.objects["Crate 5050"].location.z += 0.5 * (-1) ** k
        began = time.monotonic()
        bpy.ops.ed.undo_push(message="Move")
        yield 0.3
        if now() is not None:
            yield from driver.wait(
                lambda: not now().is_working and not now().times.announced, "the tiles of a move", 60
            )
            waited.append(now().looking.last_look - began - driver.ours("live.live_delays").DELAY_AFTER_CHANGE)
        costs.append((max(updates), max(listing)))
    whole, blenders = (1000 * median(column) for column in zip(*costs, strict=True))
    say(f"{what}: an update of the scene costs {whole:.2f} ms, of which Blender's list {blenders:.2f} ms")
    assert whole < blenders + 1000 * MOST_PER_UPDATE
    if waited:
        say(f"until a look, after the debounce, Blender draws for {median(waited):.3f} s")


def rest() -> Steps:
    yield 0.3
    yield from driver.wait(lambda: now() is not None and now().is_at_rest, f"rest: {state()}", 300)
    assert not now().problem, now().problem


def longest() -> str:
    return f"{1000 * max(now().looking.slices, default=0):.1f} ms"


driver.run(scenario)
