"""Materials of the navmesh: one for each area type, and a few colors for regions and islands. See-through."""

from __future__ import annotations

import colorsys
from typing import Any

import bpy

from .. import events
from ..blender_types import known
from ..stored.area_types import AreaRow, area_color, area_name
from ..stored.object_properties import ROLE

PALETTE = 12
_KEY = "navmesh_material"
_ALPHA = 0.45


def material_for(scene: bpy.types.Scene, rows: tuple[AreaRow, ...], color_by: str, key: int) -> bpy.types.Material:
    """The material of an area id, or of a color's number: found again as somebody may have changed it, or made."""
    if color_by == "AREA":
        name, color, tag = f"Navmesh {area_name(scene, key)}", area_color(rows, key), f"area {key}"
    else:
        name, color, tag = f"Navmesh Color {key + 1}", palette_color(key), f"color {key}"
    return _find(tag) or _new_material(name, tag, color)


def color_area(area: int, color: tuple[float, float, float]) -> None:
    """An area type got another color: show it at once."""
    if material := _find(f"area {area}"):
        _set_color(material, color)


def _find(tag: str) -> bpy.types.Material | None:
    return next((m for m in bpy.data.materials if m.get(_KEY) == tag and m.library is None), None)


def palette_color(number: int) -> tuple[float, float, float]:
    """Hues that lie far apart for numbers that follow each other."""
    return colorsys.hsv_to_rgb((0.55 + number * 0.618034) % 1.0, 0.75, 0.8)


def _new_material(name: str, tag: str, color: tuple[float, float, float]) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material[_KEY], material[ROLE] = tag, "material"
    if material.node_tree is None:
        material.use_nodes = True
    material.surface_render_method = "BLENDED"
    material.use_backface_culling = False
    _set_color(material, color)
    return material


def _set_color(material: bpy.types.Material, color: tuple[float, float, float]) -> None:
    material.diffuse_color = (*color, _ALPHA)
    for node in known(material.node_tree).nodes:
        if isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
            inputs: Any = node.inputs  # the stubs know sockets of one color or number as any sockets
            inputs["Base Color"].default_value = (*color, 1.0)
            inputs["Roughness"].default_value = 0.8
            inputs["Alpha"].default_value = _ALPHA


def register() -> None:
    events.area_color_changed.subscribe(color_area)


def unregister() -> None:
    events.area_color_changed.unsubscribe(color_area)
