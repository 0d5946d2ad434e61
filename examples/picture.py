"""Render a level in clay with its navmesh over it. Needs bpy, no screen: Cycles on the CPU."""

from __future__ import annotations

import colorsys
import contextlib
import math
import os
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import level
import numpy as np
from mathutils import Vector

WIDTH, HEIGHT = 1280, 800
LIFT = 0.09  # metres: keeps the navmesh clear of the ground it follows
CLAY = {
    "terrain": (0.62, 0.56, 0.47),
    "fort": (0.78, 0.73, 0.66),
    "crossing": (0.76, 0.71, 0.64),
    "chapel": (0.80, 0.75, 0.69),
    "crates": (0.60, 0.38, 0.26),
    "trees": (0.40, 0.45, 0.33),
    "rocks": (0.55, 0.53, 0.51),
}
BACKDROP = (0.80, 0.82, 0.84)


def render(
    parts: dict[str, level.Part], water: level.Part, navmesh: dict[str, Any], target: Path, samples: int
) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for name, part in parts.items():
        add_mesh(name, level.blender_axes(part.vertices), part.triangles, clay(name, CLAY[name]))
    add_mesh("water", level.blender_axes(water.vertices), water.triangles, water_material())
    add_navmesh(navmesh)
    add_backdrop()
    add_light()
    add_camera()
    set_up_cycles(target, samples)
    with muted():
        bpy.ops.render.render(write_still=True)


# --------------------------------------------------------------------- objects


def add_object(name: str, data: Any) -> Any:
    thing = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(thing)
    return thing


def add_mesh(name: str, vertices: Any, faces: Any, material: Any) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices).tolist(), [], np.asarray(faces).tolist())
    mesh.materials.append(material)
    return add_object(name, mesh)


def add_navmesh(navmesh: dict[str, Any]) -> None:
    """The detail mesh as a veil with a hue per polygon, and every polygon's outline as a fine line."""
    detail, polygons = navmesh["detail_mesh"], navmesh["polygon_mesh"]
    vertices = level.blender_axes(np.asarray(detail["vertices"], float)) + np.array([0, 0, LIFT])
    triangles, owner = np.asarray(detail["triangles"]), np.asarray(detail["polygon"])
    veil = add_mesh("navmesh", vertices, triangles, veil_material())
    hues = np.array([hue(p, r, a) for p, (r, a) in enumerate(zip(polygons["regions"], polygons["areas"], strict=True))])
    colors = veil.data.color_attributes.new("hue", "FLOAT_COLOR", "CORNER")
    colors.data.foreach_set("color", np.repeat(hues[owner], 3, 0).astype(np.float32).ravel())
    inner, outer = outlines(vertices, triangles, owner)
    add_lines("inner edges", inner, 0.028, line_material("inner edges", (0.02, 0.16, 0.20)))
    add_lines("outer edges", outer, 0.05, line_material("outer edges", (0.01, 0.09, 0.13)))


def hue(polygon: int, region: int, area: int) -> tuple[float, float, float, float]:
    """Regions differ in hue between teal and blue, polygons a little in brightness; the river stands out."""
    spread = (region * 0.618034) % 1.0
    shade = 0.86 + 0.14 * ((polygon * 0.754878) % 1.0)
    base = 0.70 + 0.04 * spread if area == level.WATER_AREA else 0.455 + 0.135 * spread
    return (*colorsys.hsv_to_rgb(base, 0.82, shade), 1.0)


def outlines(vertices: Any, triangles: Any, owner: Any) -> tuple[list[Any], list[Any]]:
    """Edges on polygon outlines: those between two polygons, and those at the border of the mesh."""
    places = np.round(vertices * 100).astype(np.int64)
    inside: Counter[Any] = Counter()
    ends: dict[Any, Any] = {}
    for triangle, polygon in zip(triangles, owner, strict=True):
        for a, b in zip(triangle, np.roll(triangle, -1), strict=True):
            key = frozenset((tuple(places[a]), tuple(places[b])))
            inside[key, polygon] += 1
            ends[key] = (vertices[a], vertices[b])
    polygons_at = Counter(key for (key, _), times in inside.items() if times == 1)
    inner = [ends[key] for key, times in polygons_at.items() if times > 1]
    outer = [ends[key] for key, times in polygons_at.items() if times == 1]
    return inner, outer


def add_lines(name: str, segments: list[Any], radius: float, material: Any) -> None:
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions = "3D"
    curve.bevel_depth = radius
    curve.bevel_resolution = 0
    curve.use_fill_caps = True
    for start, end in segments:
        spline = curve.splines.new("POLY")
        spline.points.add(1)
        spline.points.foreach_set("co", [*start[:2], start[2] + 0.03, 1.0, *end[:2], end[2] + 0.03, 1.0])
    curve.materials.append(material)
    add_object(name, curve)


def add_backdrop() -> None:
    """A table under the slab that runs out of sight."""
    far = 600.0
    corners = [(-far, -far, -3.5), (far, -far, -3.5), (far, far, -3.5), (-far, far, -3.5)]
    add_mesh("backdrop", corners, [(0, 1, 2, 3)], clay("backdrop", BACKDROP))


# ------------------------------------------------------------------- materials


def new_material(name: str) -> tuple[Any, Any, Any]:
    """A material with its nodes and the socket that its surface goes into."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes = material.node_tree.nodes
    nodes.clear()
    output = nodes.new("ShaderNodeOutputMaterial")
    return material, material.node_tree, output.inputs["Surface"]


def clay(name: str, color: tuple[float, float, float]) -> Any:
    material, tree, surface = new_material(name)
    shader = tree.nodes.new("ShaderNodeBsdfDiffuse")
    shader.inputs["Color"].default_value = (*color, 1.0)
    shader.inputs["Roughness"].default_value = 0.6
    tree.links.new(shader.outputs[0], surface)
    return material


def mixed(tree: Any, surface: Any, front: Any, opacity: float) -> None:
    """`front` over whatever lies behind it."""
    mix, clear = tree.nodes.new("ShaderNodeMixShader"), tree.nodes.new("ShaderNodeBsdfTransparent")
    mix.inputs[0].default_value = opacity
    tree.links.new(clear.outputs[0], mix.inputs[1])
    tree.links.new(front.outputs[0], mix.inputs[2])
    tree.links.new(mix.outputs[0], surface)


def veil_material() -> Any:
    material, tree, surface = new_material("navmesh")
    color = tree.nodes.new("ShaderNodeVertexColor")
    color.layer_name = "hue"
    diffuse, glow, both = (tree.nodes.new(f"ShaderNode{kind}") for kind in ("BsdfDiffuse", "Emission", "AddShader"))
    glow.inputs["Strength"].default_value = 0.12  # keeps the hue in the shade
    for index, shader in enumerate((diffuse, glow)):
        tree.links.new(color.outputs["Color"], shader.inputs["Color"])
        tree.links.new(shader.outputs[0], both.inputs[index])
    mixed(tree, surface, both, 0.62)
    return material


def water_material() -> Any:
    material, tree, surface = new_material("water")
    shader = tree.nodes.new("ShaderNodeBsdfGlossy")
    shader.inputs["Color"].default_value = (0.55, 0.72, 0.80, 1.0)
    shader.inputs["Roughness"].default_value = 0.15
    mixed(tree, surface, shader, 0.35)
    return material


def line_material(name: str, color: tuple[float, float, float]) -> Any:
    material, tree, surface = new_material(name)
    shader = tree.nodes.new("ShaderNodeEmission")
    shader.inputs["Color"].default_value = (*color, 1.0)
    tree.links.new(shader.outputs[0], surface)
    return material


# ------------------------------------------------------------- light and camera


def add_light() -> None:
    sun = bpy.data.lights.new("sun", "SUN")
    sun.energy, sun.angle, sun.color = 3.6, math.radians(6), (1.0, 0.93, 0.82)
    add_object("sun", sun).rotation_euler = (math.radians(48), math.radians(8), math.radians(-52))
    world = bpy.data.worlds.new("sky")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"]
    background.inputs["Color"].default_value = (0.74, 0.84, 1.0, 1.0)
    background.inputs["Strength"].default_value = 0.38
    bpy.context.scene.world = world


def add_camera() -> None:
    lens = bpy.data.cameras.new("camera")
    lens.lens, lens.clip_end = 49, 1000
    camera = add_object("camera", lens)
    aim = Vector((level.SIZE * 0.485, -level.SIZE * 0.545, 0.0))
    turn, tilt, away = math.radians(24), math.radians(40), 118.0
    camera.location = aim + away * Vector(
        (math.sin(turn) * math.cos(tilt), -math.cos(turn) * math.cos(tilt), math.sin(tilt))
    )
    camera.rotation_euler = (aim - camera.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.camera = camera


def set_up_cycles(target: Path, samples: int) -> None:
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device = "CPU"
    scene.cycles.samples = samples
    scene.cycles.use_denoising = True
    scene.cycles.denoising_prefilter = (
        "FAST"  # guides from few samples are clean already; the accurate way takes thrice as long
    )
    scene.cycles.max_bounces = 3
    scene.cycles.use_light_tree = False  # one sun
    scene.cycles.transparent_max_bounces = 12
    scene.view_settings.view_transform = "AgX"
    scene.view_settings.look = "AgX - Medium High Contrast"
    scene.view_settings.exposure = 0.3
    scene.render.resolution_x, scene.render.resolution_y = WIDTH, HEIGHT
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(target.resolve())


@contextlib.contextmanager
def muted() -> Iterator[None]:
    """Cycles writes a line per tile to standard output, past Python: send the file descriptor away."""
    sys.stdout.flush()
    kept, away = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(away, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(away)
