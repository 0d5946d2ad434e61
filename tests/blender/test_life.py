"""The job and everything that can happen while it runs. In background mode no modal operator runs, so the operator's
own `modal` is stepped by hand here; tests/gui does the same in a real window."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import scenes as levels
from tests.blender.conftest import MODULE, ROOT
from tests.blender.scenes import add_mesh, add_plane

ADDON = ROOT / "navmesh_addon"
HEAVY = ("numpy", "numba", "llvmlite", "argparse", "concurrent.futures", "difflib", "multiprocessing")


# ------------------------------------------------------------------- house rules


def names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_bytes())
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {(node.module or "").split(".")[0], *(alias.name for alias in node.names)}
    return names


def siblings_of(path: Path) -> set[str]:
    """The add-on's own modules that a file imports."""
    nodes = [n for n in ast.walk(ast.parse(path.read_bytes())) if isinstance(n, ast.ImportFrom) and n.level == 1]
    return {name for n in nodes for name in ([n.module] if n.module else [alias.name for alias in n.names])}


def test_threads_are_started_in_files_that_never_name_bpy() -> None:
    assert [p.name for p in sorted(ADDON.rglob("*.py")) if "threading" in names_in(p)] == ["job.py", "meanwhile.py"]
    for name in ("job.py", "meanwhile.py", "gathered.py", "results.py", "preparation.py"):
        found = names_in(ADDON / name)
        assert not found & {"bpy", "bmesh", "gpu", "mathutils"}, name
        ours = siblings_of(ADDON / name)
        assert ours <= {"job", "meanwhile", "gathered", "results", "preparation"}, (
            f"{name} imports what may touch bpy: {ours}"
        )


def test_enabling_loads_nothing_heavy(tmp_path: Path) -> None:
    """Blender waits for us when it starts: NumPy must wait for the first look at a level, Numba for the first build."""
    script = f"""
import importlib, sys
import bpy
from pathlib import Path
sys.path.insert(0, {str(ROOT)!r})
from tests.blender.conftest import MODULE, lay_out
folder = str(lay_out(Path({str(tmp_path)!r})))
bpy.context.preferences.extensions.repos.new(name="navdev", module="navdev", custom_directory=folder)
addon_utils = importlib.import_module("addon_utils")
for name in {HEAVY!r}:  # Blender itself may have loaded it: from here on, whoever imports it fails
    sys.modules[name] = None
addon_utils.enable(MODULE, default_set=False)
assert hasattr(bpy.types, "NAVMESH_OT_build")
loaded = sorted(name.rpartition(MODULE + ".")[2] for name in sys.modules if name.startswith(MODULE + ".navcore"))
addon_utils.disable(MODULE, default_set=False)
assert not hasattr(bpy.types, "NAVMESH_OT_build") and not hasattr(bpy.types.Scene, "navmesh")
print("LOADED", *loaded)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    loaded = set(done.stdout.split("LOADED")[1].split())
    light = {"build", "build.limits", "build.limits.memory_and_time_forecast"}
    light |= {"errors", "geometry", "geometry.grid_limits", "settings"}
    assert loaded <= {"navcore"} | {f"navcore.{name}" for name in light}, loaded


# ---------------------------------------------------------------- a stepped modal


class Stepped:
    """The operator that builds, with Blender's part played by the test."""

    def __init__(self, bpy: Any, addon: Any, **wanted: Any) -> None:
        operators, session = addon("interface.build_operators"), addon("build.running_build")
        self.reports: list[tuple[str, str]] = []
        stepped = self

        class Operator(operators.Building):
            def make_requests(self, context: Any) -> Any:
                take = wanted.get("sources") or (lambda stored: stored._replace(scope="VISIBLE"))
                return session.make_requests(context, session.Wanted(sources=take, values=wanted.get("values", {})))

            def report(self, kinds: set[str], text: str) -> None:
                stepped.reports.append((next(iter(kinds)), text))

        self.operator = Operator()
        self.timers = 0
        wm = SimpleNamespace(
            event_timer_add=self._add, event_timer_remove=self._remove, modal_handler_add=lambda _: None,
            progress_begin=lambda *_: None, progress_update=lambda _: None, progress_end=lambda: None,
        )  # fmt: skip
        self.context = SimpleNamespace(
            window_manager=wm, window=object(), workspace=bpy.context.workspace, scene=bpy.context.scene,
            view_layer=bpy.context.view_layer, evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
        )  # fmt: skip
        monkey = operators.bpy
        operators.bpy = SimpleNamespace(**{n: getattr(monkey, n) for n in ("types", "data", "ops")}, app=FakeApp)
        try:
            self.answer = self.operator.invoke(self.context, None)
        finally:
            operators.bpy = monkey

    def _add(self, *_: Any, **__: Any) -> object:
        self.timers += 1
        return object()

    def _remove(self, _: object) -> None:
        self.timers -= 1

    def event(self, kind: str = "TIMER", value: str = "NOTHING") -> set[str]:
        self.answer = self.operator.modal(self.context, SimpleNamespace(type=kind, value=value))
        return self.answer

    def run(self, seconds: float = 400.0) -> set[str]:
        until = time.monotonic() + seconds
        while self.event() == {"PASS_THROUGH"}:
            assert time.monotonic() < until, "the build does not end"
            time.sleep(0.005)
        return self.answer


class FakeApp:
    background = False

    @staticmethod
    def is_job_running(_: str) -> bool:
        return False


def threads() -> list[str]:
    return [t.name for t in threading.enumerate() if t.name.startswith("navmesh")]


def add_city(bpy: Any, blocks: int = 3) -> Any:
    vertices, triangles = levels.city(blocks)
    return add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)


@pytest.fixture
def start(bpy: Any, addon: Any) -> Any:
    yield lambda **wanted: Stepped(bpy, addon, **wanted)
    addon("build.running_build").shut_down()
    assert threads() == [], "a thread is left"


FINE = {"cell_size": 0.05, "cell_height": 0.05}  # takes seconds


# ------------------------------------------------------------------------- cases


def test_a_build_on_a_thread(bpy: Any, addon: Any, start: Any) -> None:
    add_plane(bpy)
    stepped = start()
    assert stepped.answer == {"RUNNING_MODAL"} and addon("build.running_build").current() is not None
    assert stepped.event("MOUSEMOVE") == {"PASS_THROUGH"}
    assert stepped.run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons
    assert addon("build.running_build").current() is None and stepped.timers == 0
    assert stepped.reports[-1][0] == "INFO"


def test_ticks_take_no_time(bpy: Any, start: Any) -> None:
    """While it builds, the main thread does next to nothing."""
    add_city(bpy)
    stepped = start(values={"cell_size": 0.1, "cell_height": 0.1})
    longest, until = 0.0, time.monotonic() + 60
    while time.monotonic() < until:
        begin = time.perf_counter()
        running = stepped.operator._job.running
        if not running:
            break
        stepped.event()
        longest = max(longest, time.perf_counter() - begin)
        time.sleep(0.01)
    assert stepped.run() == {"FINISHED"}
    print(f"longest tick {longest * 1000:.1f} ms")
    assert longest < 0.25, "20 ms is the aim; on a busy machine a thread may wait for its turn"


def test_escape_ends_it_at_once(bpy: Any, addon: Any, start: Any) -> None:
    add_city(bpy)
    stepped = start(values=FINE)
    time.sleep(0.1)
    begin = time.perf_counter()
    assert stepped.event("ESC", "PRESS") == {"CANCELLED"}
    assert time.perf_counter() - begin < 0.25
    assert "cancelled" in stepped.reports[-1][1]
    assert addon("build.running_build").current() is None and stepped.timers == 0
    assert "Navmesh" not in bpy.data.collections and len(bpy.context.scene.navmesh.setups) == 0


def test_the_cancel_operator(bpy: Any, start: Any) -> None:
    add_city(bpy)
    assert not bpy.ops.navmesh.cancel.poll()
    stepped = start(values=FINE)
    assert bpy.ops.navmesh.cancel() == {"FINISHED"}
    assert stepped.event() == {"CANCELLED"}


def test_a_second_build_is_refused_while_one_runs(bpy: Any, start: Any) -> None:
    add_city(bpy)
    stepped = start(values=FINE)
    with pytest.raises(RuntimeError, match="being built already"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    second = start()
    assert second.answer == {"CANCELLED"} and "already" in second.reports[0][1]
    stepped.event("ESC", "PRESS")


def test_a_build_right_after_a_cancelled_one(bpy: Any, start: Any) -> None:
    add_city(bpy)
    start(values=FINE).event("ESC", "PRESS")
    assert start(values={"cell_size": 0.5}).run() == {"FINISHED"}


def test_a_refused_build_says_so_and_changes_nothing(bpy: Any, start: Any) -> None:
    add_plane(bpy, at=(0, 0, 0))
    stepped = start(values={"agent_max_slope": 0.0})  # nothing walkable: found out on the thread
    assert stepped.run() == {"CANCELLED"}
    assert stepped.reports[-1][0] == "ERROR" and "Navmesh" not in bpy.data.collections


def test_sources_are_deleted_and_renamed_meanwhile(bpy: Any, start: Any) -> None:
    ground = add_plane(bpy)
    stepped = start()
    ground.name = "Something Else"
    bpy.data.objects.remove(ground)
    bpy.data.meshes.remove(bpy.data.meshes["Ground"])
    assert stepped.run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons


@pytest.mark.parametrize("how", ["object moved", "mesh edited", "area set", "object added", "other object moved"])
def test_the_level_changes_meanwhile(bpy: Any, addon: Any, start: Any, how: str) -> None:
    """The result is that of the level as it was, and the panel says so."""
    ground, other = add_plane(bpy), add_plane(bpy, "Other", at=(0, 0, 50))
    other.navmesh.use = "EXCLUDE"
    stepped = start()
    if how == "object moved":
        ground.location.x = 1
    elif how == "mesh edited":
        ground.data.vertices[0].co.x -= 1
        ground.data.update()
    elif how == "area set":
        ground.navmesh.area = 2
    elif how == "object added":
        add_plane(bpy, "New", at=(30, 0, 0))
    else:
        other.location.x = 3
    bpy.context.view_layer.update()
    assert stepped.run() == {"FINISHED"}
    setup = bpy.context.scene.navmesh.setups[0]
    why = addon("interface.panels").out_of_date(bpy.data.objects["Navmesh"], setup)
    assert why == ("" if how == "other object moved" else "Out of date: the level changed")


def test_undo_meanwhile(bpy: Any, addon: Any, start: Any) -> None:
    """Three steps back: references into the old scene are dead, and nothing of ours holds one."""
    add_plane(bpy)
    for message in ("Ground", "First", "Second", "Third"):
        bpy.ops.ed.undo_push(message=message)
        bpy.context.scene.collection.objects.link(bpy.data.objects.new(message, None))
    bpy.ops.ed.undo_push(message="Last")
    stepped = start()
    for _ in range(3):
        assert bpy.ops.ed.undo() == {"FINISHED"}
    assert "Third" not in bpy.data.objects and addon("build.running_build").current() is not None
    stepped.context.scene, stepped.context.view_layer = bpy.context.scene, bpy.context.view_layer
    assert stepped.run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons and stepped.timers == 0
    assert [kind for kind, _ in stepped.reports] == ["INFO"], "one message"


@pytest.mark.parametrize("how", ["delete", "rename", "unlink", "delete collection", "other type"])
def test_targets_change_meanwhile(bpy: Any, start: Any, how: str) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    thing = bpy.data.objects["Navmesh"]
    stepped = start()
    if how == "delete":
        bpy.data.objects.remove(thing)
    elif how == "rename":
        thing.name = "Renamed"
    elif how == "unlink":
        bpy.data.collections["Navmesh"].objects.unlink(thing)
    elif how == "delete collection":
        bpy.data.collections.remove(bpy.data.collections["Navmesh"])
    else:
        thing.data = thing.data.copy()
    assert stepped.run() == {"FINISHED"}
    home = bpy.data.collections["Navmesh"]
    assert home in bpy.context.scene.collection.children_recursive
    found = [o for o in bpy.context.scene.objects if o.get("navmesh_role") == "polygon_mesh"]
    assert len(found) == 1 and found[0].data.polygons
    assert (found[0].name == "Renamed") == (how == "rename")


def test_the_scene_is_switched_meanwhile(bpy: Any, start: Any) -> None:
    add_plane(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    stepped = start()
    bpy.context.window.scene = other
    assert stepped.run() == {"FINISHED"}
    assert "Navmesh" in [c.name for c in first.collection.children]
    assert len(other.collection.children) == 0


def test_the_scene_is_deleted_meanwhile(bpy: Any, start: Any) -> None:
    add_plane(bpy)
    first, other = bpy.context.scene, bpy.data.scenes.new("Other")
    stepped = start()
    bpy.context.window.scene = other
    bpy.data.scenes.remove(first)
    assert stepped.run() == {"CANCELLED"}
    assert "is gone" in stepped.reports[-1][1] and len(other.collection.children) == 0


@pytest.mark.parametrize("how", ["new", "open", "revert"])
def test_another_file_is_loaded_meanwhile(bpy: Any, addon: Any, start: Any, how: str, tmp_path: Path) -> None:
    add_city(bpy)
    path = str(tmp_path / "level.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    stepped = start(values=FINE)
    if how == "new":
        bpy.ops.wm.read_homefile(use_empty=True)
    elif how == "open":
        bpy.ops.wm.open_mainfile(filepath=path)
    else:
        bpy.ops.wm.revert_mainfile()
    assert addon("build.running_build").current() is None
    stepped.context.workspace = None  # Blender calls `cancel` with the context of the new file
    stepped.operator.cancel(stepped.context)
    assert stepped.timers == 0 and "Navmesh" not in bpy.data.collections


def test_files_are_loaded_again_and_again(bpy: Any, addon: Any, start: Any) -> None:
    for _ in range(20):
        add_city(bpy, 1)
        start(values=FINE)
        bpy.ops.wm.read_homefile(use_empty=True)
    assert addon("build.running_build").shut_down()


def test_the_extension_is_disabled_meanwhile(bpy: Any, start: Any) -> None:
    import importlib

    addon_utils = importlib.import_module("addon_utils")
    for _ in range(5):
        add_city(bpy, 1)
        start(values=FINE)
        addon_utils.disable(MODULE, default_set=False)
        assert threads() == []
        assert not hasattr(bpy.types, "NAVMESH_OT_build") and not hasattr(bpy.types.Scene, "navmesh")
        addon_utils.enable(MODULE, default_set=False)
    add_plane(bpy)
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}


def test_enabled_and_disabled_many_times(bpy: Any) -> None:
    import importlib

    addon_utils = importlib.import_module("addon_utils")
    handlers = [list(group) for group in (bpy.app.handlers.load_pre, bpy.app.handlers.load_post)]
    for _ in range(30):
        addon_utils.disable(MODULE, default_set=False)
        addon_utils.enable(MODULE, default_set=False)
    now = [list(group) for group in (bpy.app.handlers.load_pre, bpy.app.handlers.load_post)]
    assert [len(group) for group in now] == [len(group) for group in handlers]


def test_nothing_is_written_while_a_render_runs(bpy: Any, addon: Any, start: Any, monkeypatch: Any) -> None:
    add_plane(bpy)
    stepped = start()
    busy = SimpleNamespace(is_job_running=lambda kind: kind == "RENDER", background=True)
    operators = addon("interface.build_operators")
    real = operators.bpy
    monkeypatch.setattr(operators, "bpy", SimpleNamespace(app=busy))
    stepped.operator._job._thread.join(60)
    assert stepped.event() == {"PASS_THROUGH"} and "Navmesh" not in bpy.data.collections
    monkeypatch.setattr(operators, "bpy", real)
    assert stepped.run() == {"FINISHED"}


def test_an_error_that_should_not_be_is_a_sentence_too(bpy: Any, addon: Any, start: Any, monkeypatch: Any) -> None:
    add_plane(bpy)

    def broken(*_: Any) -> None:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(addon("interface.build_operators"), "write_back", broken)
    stepped = start()
    assert stepped.run() == {"CANCELLED"}
    assert "ZeroDivisionError" in stepped.reports[-1][1] and stepped.timers == 0


def test_blender_quits_meanwhile(tmp_path: Path) -> None:
    """A process that ends while it builds ends soon, with its own exit status."""
    script = f"""
import importlib, sys
import bpy
sys.path.insert(0, {str(ROOT)!r})
from tests import scenes as levels
from tests.blender.conftest import MODULE, lay_out
from tests.blender.scenes import add_mesh
from pathlib import Path
folder = str(lay_out(Path({str(tmp_path)!r})))
bpy.context.preferences.extensions.repos.new(name="navdev", module="navdev", custom_directory=folder)
importlib.import_module("addon_utils").enable(MODULE, default_set=False)
session = importlib.import_module(MODULE + ".navmesh_addon.build.running_build")
vertices, triangles = levels.city(3)
add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)
wanted = session.Wanted(sources=lambda s: s._replace(scope="VISIBLE"), values={FINE!r})
session.start(session.make_requests(bpy.context, wanted), bpy.context.scene)
import time; time.sleep(0.5)
print("RUNNING", session.current().running, flush=True)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert "RUNNING True" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Traceback" not in done.stderr


# ------------------------------------------------------------------- out of date


def test_out_of_date_when_the_level_changes(bpy: Any, addon: Any) -> None:
    ground = add_plane(bpy)
    add_plane(bpy, "Elsewhere", at=(0, 0, 50)).navmesh.use = "EXCLUDE"
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    ui = addon("interface.panels")

    def why() -> str:
        bpy.context.view_layer.update()
        return ui.out_of_date(bpy.data.objects["Navmesh"], setup)

    assert why() == ""
    bpy.data.objects["Elsewhere"].location.x += 1
    assert why() == ""
    setup.agent_radius = 0.9
    assert "setting" in why()
    setup.agent_radius = 0.6
    assert why() == ""
    ground.location.x += 1
    assert "level" in why()
    bpy.ops.navmesh.build()
    assert why() == ""
    ground.data.vertices[0].co.x -= 5
    ground.data.update()
    assert "level" in why()
    bpy.ops.navmesh.build()
    bpy.data.objects.remove(ground)
    assert "level" in why()
