"""What lives.py lets a Blender with a window do: `blender --python life_steps.py -- STEP [argument]`."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import bpy
import driver
import levels
from driver import Hands, Heartbeat, Steps, clock, say

OPERATOR = "NAVMESH_OT_build"


def start() -> Steps:
    """A build that is under way, and said to be."""
    levels.make_hills()
    yield 1
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT", cell_size=levels.FINE) == {"RUNNING_MODAL"}
    yield 0.3
    assert driver.running(OPERATOR) and driver.working_threads()
    say("RUNNING")


def first(path: str) -> Steps:
    """The first build of a session: from the button to the navmesh, and how the window answered meanwhile."""
    levels.import_level(path)
    yield 1
    yield from driver.open_sidebar(Hands(), "Navmesh")
    heart, since = Heartbeat(), clock()
    with driver.in_viewport():
        assert bpy.ops.navmesh.build("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield from driver.wait(lambda: not driver.running(OPERATOR), "the first build", 900)
    seconds, gap = clock() - since, heart.largest_gap(since)
    yield 0.5
    kernels = sys.modules["bl_ext.user_default.navmesh.navcore.kernels.kernel_store"].STORE.tally
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    say(f"FIRST {seconds:.2f} {gap:.2f} {len(kernels.compiled)} {len(kernels.loaded)} {polygons}")
    # Whoever builds goes on for longer than the compiler; it ends with Blender, and the next one would begin anew.
    starter = sys.modules["bl_ext.user_default.navmesh.navcore.compile_ahead.starter"]
    yield from driver.wait(lambda: not ((now := starter.current()) and now.holds_up()), "the compiler", 300)
    with driver.in_viewport():
        bpy.ops.wm.quit_blender()
    yield 60
    raise AssertionError("Blender did not quit")


def build() -> Steps:
    """To the end, then quit as a person does who has saved."""
    yield from start()
    yield from driver.wait(lambda: not driver.running(OPERATOR), "the build", 900)
    yield 0.5
    say(f"BUILT {len(bpy.data.objects['Navmesh'].data.polygons)}")
    with driver.in_viewport():
        bpy.ops.wm.quit_blender()
    yield 60
    raise AssertionError("Blender did not quit")


def close() -> Steps:
    """Close the only window while it builds."""
    yield from start()
    bpy.context.preferences.view.use_save_prompt = False
    with driver.in_viewport():
        bpy.ops.wm.window_close()
    yield 60
    raise AssertionError("Blender did not quit")


def save(path: str) -> Steps:
    """The level as a file."""
    levels.make_hills()
    yield 0.5
    bpy.ops.wm.save_as_mainfile(filepath=path)


def chosen() -> Callable[[], Steps]:
    step, *arguments = sys.argv[sys.argv.index("--") + 1 :]
    return lambda: globals()[step](*arguments)


driver.run(chosen())
