"""The whole way in one command: make a level in Blender, build its navmesh with the extension, export and render it.

Run through `python3 dev.py demo`. Needs bpy, no screen. `--skip-build` renders again what out/demo/level.blend holds.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

import bpy
import level
import numpy as np
import picture

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser("dev.py demo")
    parser.add_argument("--out", type=Path, default=ROOT / "out/demo")
    parser.add_argument("--samples", type=int, default=12, help="light paths per pixel")
    parser.add_argument("--skip-build", action="store_true")
    options = parser.parse_args(arguments)
    folder: Path = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    seconds: dict[str, float] = {}

    start = time.perf_counter()
    parts = level.level()
    level.write_obj(folder / "level.obj", parts)
    (folder / "scene.json").write_text(json.dumps(level.scene(), indent=1) + "\n", encoding="ascii")
    seconds["make the level"] = time.perf_counter() - start

    if options.skip_build:
        bpy.ops.wm.open_mainfile(filepath=str(folder / "level.blend"))
    else:
        start = time.perf_counter()
        build(folder, parts)
        seconds["build the navmesh"] = time.perf_counter() - start

    start = time.perf_counter()
    picture.render(parts, level.water(), navmesh_in_scene(), folder / "navmesh.png", options.samples)
    seconds["render the picture"] = time.perf_counter() - start
    tell(folder, seconds)
    return 0


# -------------------------------------------------------------------- in Blender


def build(folder: Path, parts: dict[str, level.Part]) -> None:
    """Everything that an artist would do: a scene, the Build button, a few exports, saving."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    navmesh = extension()
    navmesh.register()
    try:
        add_level(parts)
        bpy.ops.navmesh.setup_add()
        bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
        for _ in range(2):  # the first build may compile kernels: the report shall tell of the second
            bpy.ops.navmesh.build()
        report = bpy.data.objects["Navmesh"]["navmesh_report"]
        (folder / "report.json").write_text(json.dumps(json.loads(report), indent=1) + "\n", encoding="utf-8")
        for ending in (".bin", ".glb", ".obj", ".json", ".tres", ".tscn"):
            bpy.ops.navmesh.export(filepath=str(folder / f"navmesh{ending}"))
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / "level.blend"), compress=True)
    finally:
        navmesh.unregister()


def extension() -> ModuleType:
    """This checkout as the package that Blender would load."""
    spec = importlib.util.spec_from_file_location(
        "navmesh", ROOT / "__init__.py", submodule_search_locations=[str(ROOT)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["navmesh"] = module
    spec.loader.exec_module(module)
    return module


def add_level(parts: dict[str, level.Part]) -> None:
    """The level's parts, its water, and its area volumes."""
    home = new_collection("Level")
    for name, part in parts.items():
        thing = add_mesh(home, name, level.blender_axes(part.vertices), part.triangles)
        color(thing, picture.CLAY[name])
    water = level.water()
    thing = add_mesh(home, "water", level.blender_axes(water.vertices), water.triangles)
    thing.navmesh.use = "EXCLUDE"
    color(thing, (0.55, 0.72, 0.80))
    volumes = new_collection("Area Volumes")
    for number, volume in enumerate(level.scene()["volumes"]):
        thing = add_mesh(volumes, f"{'water' if volume['area'] else 'wall'} {number}", *solid(volume))
        thing.display_type, thing.hide_render = "WIRE", True
        thing.navmesh.use, thing.navmesh.area = "VOLUME", volume["area"] or -1


def new_collection(name: str) -> Any:
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    return collection


def add_mesh(home: Any, name: str, vertices: Any, faces: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices).tolist(), [], np.asarray(faces).tolist())
    thing = bpy.data.objects.new(name, mesh)
    home.objects.link(thing)
    return thing


def color(thing: Any, rgb: tuple[float, float, float]) -> None:
    material = bpy.data.materials.new(thing.name)
    material.diffuse_color = (*rgb, 1.0)
    thing.data.materials.append(material)


def solid(volume: dict[str, Any]) -> tuple[Any, Any]:
    """The prism that an area volume of a scene file means."""
    if volume["shape"] == "box":
        (x0, low, z0), (x1, high, z1) = volume["min"], volume["max"]
        outline = [(x0, z0), (x1, z0), (x1, z1), (x0, z1)]
    elif volume["shape"] == "cylinder":
        x, low, z = volume["base"]
        outline, high = level.circle(x, z, volume["radius"], 24).tolist(), low + volume["height"]
    else:
        outline, low, high = volume["points"], volume["min_height"], volume["max_height"]
    points = np.array([(x, y, z) for y in (low, high) for x, z in outline])
    n = len(outline)
    return level.blender_axes(points), [(k, (k + 1) % n, n + (k + 1) % n) for k in range(n)] + [
        (k, n + (k + 1) % n, n + k) for k in range(n)
    ]


def navmesh_in_scene() -> dict[str, Any]:
    """What the picture needs of the navmesh, read from its objects: any script could."""
    polygons, detail = (bpy.data.objects[name].data for name in ("Navmesh", "Navmesh Detail"))
    points = vertices_of(detail)
    return {
        "polygon_mesh": {
            "regions": values_of(polygons, "navmesh_region"),
            "areas": values_of(polygons, "navmesh_area"),
        },
        "detail_mesh": {
            "vertices": np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1).tolist(),
            "triangles": [tuple(polygon.vertices) for polygon in detail.polygons],
            "polygon": values_of(detail, "navmesh_polygon"),
        },
    }


def vertices_of(mesh: Any) -> Any:
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.attributes["position"].data.foreach_get("vector", points)
    return points.reshape(-1, 3)


def values_of(mesh: Any, name: str) -> list[int]:
    values = np.empty(len(mesh.polygons), np.int32)
    mesh.attributes[name].data.foreach_get("value", values)
    return [int(value) for value in values]


# ----------------------------------------------------------------------- telling


def tell(folder: Path, seconds: dict[str, float]) -> None:
    report = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    for step, taken in seconds.items():
        print(f"{taken:8.2f} s  {step}")
    if "build the navmesh" in seconds:
        print(f"            of which, once the kernels are compiled, {report['seconds']['total'] * 1000:.1f} ms:")
        for stage, taken in report["seconds"]["stages"].items():
            print(f"{taken * 1000:12.2f} ms  {stage}")
    counts = report["counts"]
    print(f"{counts['polygons']:,} polygons, {counts['detail_triangles']:,} detail triangles. In {folder}:")
    for path in sorted(folder.iterdir()):
        print(f"  {path.name:14} {path.stat().st_size / 1000:10,.0f} kB")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
