"""What test_install.py lets a fresh Blender do: `in_blender.py STEP RESULT.json [argument]`.

Every process starts with factory preferences, so all but the first enable the extension as Blender's start does.
(Reading the saved preferences would do it, too, but bpy 4.2 crashes there, with or without us.)
"""

import importlib
import importlib.util
import json
import os
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy

MODULE = "bl_ext.user_default.navmesh"
_MODULES = (  # of Python's own: what a start is measured by
    *("argparse", "configparser", "difflib", "doctest", "ftplib", "imaplib", "mailbox", "optparse", "pickletools"),
    *("pydoc", "smtplib", "tarfile"),
)


def install(path: str) -> dict[str, Any]:
    """Install from disk and enable. The operator is FINISHED even when it failed: only the state tells."""
    bpy.ops.extensions.package_install_files(filepath=path, repo="user_default", enable_on_install=True)
    return {"enabled": is_enabled(), "operators": operators(), "numba": "numba" in sys.modules}


def start() -> dict[str, Any]:
    """What enabling costs a Blender that starts: import and register(), without Blender's own bookkeeping.

    In processor time, and as often as what Python takes, before and after it, to load some modules of its own: on a
    busy machine all of it takes longer.
    """
    load_modules()  # what these import is not loaded again
    measure = _processor_time(load_modules)
    before, known = time.process_time(), set(sys.modules)
    extension = importlib.import_module(MODULE)
    extension.register()
    seconds = time.process_time() - before
    loaded = sorted({"numba", "llvmlite", "numpy"} & (set(sys.modules) - known))
    measure = (measure + _processor_time(load_modules)) / 2
    extension.unregister()
    return {"seconds": seconds, "measures": seconds / measure, "loaded": loaded}


def load_modules() -> None:
    """Some eight milliseconds of what a start is made of: files are found, read and run."""
    for name in _MODULES:
        spec = importlib.util.find_spec(name)
        assert spec is not None and spec.loader is not None, name
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


def _processor_time(work: Callable[[], object]) -> float:
    """The least of three runs."""
    taken = []
    for _ in range(3):
        before = time.process_time()
        work()
        taken.append(time.process_time() - before)
    return min(taken)


def build() -> dict[str, Any]:
    """Build on a plane of 20 m."""
    enable()
    make_plane()
    result = bpy.ops.navmesh.build()
    import numba

    made = {mesh.name: len(mesh.polygons) for mesh in bpy.data.meshes if mesh.name != "Ground"}
    told = {"numba": numba.__file__, "version": numba.__version__}
    return {"result": sorted(result), "meshes": made, "kernels": kernels(), **told}


def build_file(path: str) -> dict[str, Any]:
    """Build on the level in an .obj file; how long a person waits for it."""
    enable()
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.wm.obj_import(filepath=path)
    began = time.perf_counter()
    result = bpy.ops.navmesh.build(cell_size=0.3)  # with one value given, the others are navcore's, too
    seconds = time.perf_counter() - began
    polygons = len(bpy.data.objects["Navmesh"].data.polygons)
    return {"result": sorted(result), "seconds": seconds, "polygons": polygons, "kernels": kernels()}


def build_without_numba() -> dict[str, Any]:
    """The same where this Python found no wheel for itself."""
    enable()
    make_plane()
    objects = len(bpy.data.objects)
    try:
        bpy.ops.navmesh.build()
    except RuntimeError as refused:
        return {"error": str(refused), "unchanged": len(bpy.data.objects) == objects}
    return {"error": None}


def disable() -> dict[str, Any]:
    """Enable, build and disable: what is different from a Blender that never knew us."""
    untouched = traces()
    enable()
    enabled = traces()
    bpy.ops.preferences.addon_disable(module=MODULE)
    left = {kind: sorted(set(after) - set(untouched[kind])) for kind, after in traces().items()}
    return {"was_enabled": enabled != untouched, "left": left, "enabled": is_enabled()}


def remove() -> dict[str, Any]:
    enable()
    repositories = bpy.context.preferences.extensions.repos
    index = [repository.module for repository in repositories].index("user_default")
    bpy.ops.extensions.package_uninstall(repo_index=index, pkg_id="navmesh")
    return {"enabled": is_enabled(), "operators": operators()}


def remove_in_use() -> dict[str, Any]:
    """Build, then remove what is in use, where a system keeps such files: as Windows does, with whatever is loaded."""
    build()
    unlink = os.unlink

    def keep_what_is_loaded(path: Any, *arguments: Any, **named: Any) -> None:
        if str(path).endswith((".so", ".pyd", ".dll")):
            raise PermissionError(13, "The process cannot access the file because it is being used", str(path))
        unlink(path, *arguments, **named)

    os.unlink = os.remove = keep_what_is_loaded
    return remove()


def look() -> dict[str, Any]:
    """The next Blender."""
    return {"enabled": is_enabled()}


def update(repository: str) -> dict[str, Any]:
    """Install from a served folder, or what lies there now in place of what came from there."""
    index = synced(repository)
    bpy.ops.extensions.package_install(repo_index=index, pkg_id="navmesh", enable_on_install=True)
    return served()


def upgrade(repository: str) -> dict[str, Any]:
    """Bring up to date what is out of date, as Blender's button does, while it is enabled."""
    synced(repository)
    enable("bl_ext.served.navmesh")
    before = served()["version"]
    bpy.ops.extensions.package_upgrade_all()
    return {"before": before, **served()}


def synced(repository: str) -> int:
    """The number of the repository, after a look at what it has."""
    bpy.context.preferences.system.use_online_access = True  # asked for every repository, though it is on this machine
    repositories = bpy.context.preferences.extensions.repos
    if "served" not in [known.module for known in repositories]:
        repositories.new(name="Served", module="served", remote_url=repository)
    index = [known.module for known in repositories].index("served")
    bpy.ops.extensions.repo_sync(repo_index=index)
    return index


def served() -> dict[str, Any]:
    """What is there of the repository: its operators are FINISHED even where they failed."""
    manifest = Path(bpy.utils.user_resource("EXTENSIONS")) / "served/navmesh/blender_manifest.toml"
    versions = [line.split('"')[1] for line in manifest.read_text().splitlines() if line.startswith("version =")]
    return {"version": versions[0], "enabled": "bl_ext.served.navmesh" in bpy.context.preferences.addons}


# ------------------------------------------------------------------------ helpers


def enable(module: str = MODULE) -> None:
    import addon_utils  # among Blender's scripts, which bpy has to be imported for

    addon_utils.enable(module, default_set=True)


def kernels() -> dict[str, Any]:
    """How many kernels this process compiled and loaded, and why the shipped ones were not used."""
    store = importlib.import_module(f"{MODULE}.navcore.kernels.kernel_store").STORE
    counts = {"compiled": len(store.tally.compiled), "loaded": len(store.tally.loaded)}
    return {**counts, "why_compiled": store.why_not_shipped}


def make_plane() -> None:
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.mesh.primitive_plane_add(size=20)
    bpy.context.object.data.name = "Ground"


def is_enabled() -> bool:
    return MODULE in bpy.context.preferences.addons


def operators() -> list[str]:
    return sorted(dir(bpy.ops.navmesh))


def traces() -> dict[str, list[str]]:
    """Where an add-on leaves things behind."""
    handlers = bpy.app.handlers
    named = {name: getattr(handlers, name) for name in dir(handlers) if isinstance(getattr(handlers, name), list)}
    types = (bpy.types.Scene, bpy.types.Object, bpy.types.Collection, bpy.types.Material, bpy.types.WindowManager)
    return {
        "classes": [cls.__name__ for base in BASES for cls in base.__subclasses__() if cls.is_registered],
        "properties": [f"{kind.__name__}.{name}" for kind in types for name in kind.bl_rna.properties.keys()],  # noqa: SIM118
        "handlers": [f"{name}: {function}" for name, functions in named.items() for function in functions],
        "menus": [f"{name}: {draw}" for name in MENUS for draw in draw_functions(name)],
        "threads": [thread.name for thread in threading.enumerate()],
    }


BASES = (bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.UIList, bpy.types.AddonPreferences)
MENUS = tuple(name for name in dir(bpy.types) if "_MT_" in name or "_HT_" in name or "_PT_" in name)


def draw_functions(name: str) -> list[str]:
    """What add-ons have added. Where any ever has, Blender lists its own function (of bl_ui) as well, and keeps it."""
    draw = getattr(getattr(bpy.types, name, None), "draw", None)
    listed = [(function.__module__, function.__qualname__) for function in getattr(draw, "_draw_funcs", [])]
    return [f"{module}.{function}" for module, function in listed if module.partition(".")[0] != "bl_ui"]


if __name__ == "__main__":
    step, result, *arguments = sys.argv[1:]
    Path(result).write_text(json.dumps(globals()[step](*arguments)))
    if step.startswith(("remove", "upgrade")) and bpy.app.version < (4, 3):
        # Blender 4.2 never lets go of a PropertyGroup that was registered, nor of a property's callback. Uninstalling
        # and upgrading drop our modules, so that their names, bpy among them, are no longer cleared when Python ends:
        # held by those classes' methods, the bpy module isn't closed and crashes in its destructors. (Blender's isn't.)
        sys.stdout.flush()
        os._exit(0)
