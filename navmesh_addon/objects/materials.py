"""Materials of the navmesh: one for each area type, some colors for regions, islands and polygons, some for heat maps.
All are see-through.

A mesh has these, whatever its setup. The tint of a setup lies over them: slots of its objects hold materials of their
own, so that the viewport shows the tint, and the mesh's materials still say the areas. Heat maps are not tinted, as
their legend says what a color means.
"""

from __future__ import annotations

from typing import Any

import bpy

from .. import events
from ..blender_types import mesh_of, not_none
from ..stored.area_types import AreaRow, area_color, area_name
from ..stored.object_properties import PLAIN, ROLE
from ..stored.setup_names_and_tints import tint_of
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import find_setup
from .color_legend import AREA, HEAT, Color, heat_color, palette_color
from .navmesh_objects import navmesh_objects

_KEY = "navmesh_material"
_OF = " of "  # between the tag of a material and the identity of the setup that tints it
_ALPHA = 0.45
_PART = 0.5  # of the tint in a color that has a meaning


def material_for(scene: bpy.types.Scene, rows: tuple[AreaRow, ...], kind: str, key: int) -> bpy.types.Material:
    """The material of an area id, or of a color's number: found again as somebody may have changed it, or made."""
    if kind == AREA:
        name, color, tag = f"Navmesh {area_name(scene, key)}", area_color(rows, key), f"area {key}"
    elif kind == HEAT:
        name, color, tag = f"Navmesh Heat {key + 1}", heat_color(key), f"heat {key}"
    else:
        name, color, tag = f"Navmesh Color {key + 1}", palette_color(key), f"color {key}"
    return _find(tag) or _new_material(name, tag, color)


def color_area(area: int, color: Color) -> None:
    """An area type got another color: show it at once."""
    tag = f"area {area}"
    if material := _find(tag):
        _set_color(material, color)
        for tinted in [m for m in bpy.data.materials if str(m.get(_KEY, "")).startswith(tag + _OF)]:
            setup = _setup(str(tinted[_KEY]).partition(_OF)[2])
            if setup is not None and (tint := tint_of(setup)):
                _set_color(tinted, _tinted(material, tint))


def tint_again(uid: str) -> None:
    """A setup got another tint: show it at once."""
    if (setup := _setup(uid)) is not None:
        for object_ in navmesh_objects(setup.id_data, uid).values():
            tint_object(object_, setup)


def tint_object(object_: bpy.types.Object, setup: NavmeshSetup) -> None:
    """Lay the setup's tint over the materials of a mesh; those that somebody put there stay as they are."""
    tint, tinted_before = tint_of(setup), tinted_slots(object_)
    for number in tinted_before:
        object_.material_slots[number].link = "DATA"
    if tint is None:
        if tinted_before:
            object_.color = (1.0, 1.0, 1.0, 1.0)
        return
    for slot, material in zip(object_.material_slots, mesh_of(object_).materials, strict=True):
        tag = "" if material is None else str(material.get(_KEY, ""))
        if slot.link == "OBJECT" or material is None or not tag or tag.startswith("heat "):
            continue
        tinted = _find(f"{tag}{_OF}{setup.uid}")
        if tinted is None:
            tinted = material.copy()
            tinted.name, tinted[_KEY] = f"{material.name} ({setup.name})", f"{tag}{_OF}{setup.uid}"
        _set_color(tinted, _tinted(material, tint))
        slot.link, slot.material = "OBJECT", tinted
    object_.color = (*tint, _ALPHA)  # where the viewport shows objects' colors


def tinted_slots(object_: bpy.types.Object) -> list[int]:
    """The material slots of an object that show the tint of its setup."""
    return [
        number
        for number, slot in enumerate(object_.material_slots)
        if slot.link == "OBJECT" and slot.material is not None and _OF in str(slot.material.get(_KEY, ""))
    ]


def _tinted(material: bpy.types.Material, tint: Color) -> Color:
    """Plain ground has the tint; what means something else keeps half of its own color."""
    if material.get(_KEY) == f"area {PLAIN}":
        return tint
    own = material.diffuse_color
    return tuple(own[k] + _PART * (tint[k] - own[k]) for k in range(3))  # type: ignore[return-value] # three of them


def _setup(uid: str) -> NavmeshSetup | None:
    return next(filter(None, (find_setup(scene, uid) for scene in bpy.data.scenes)), None)


def _find(tag: str) -> bpy.types.Material | None:
    return next((m for m in bpy.data.materials if m.get(_KEY) == tag and m.library is None), None)


def _new_material(name: str, tag: str, color: Color) -> bpy.types.Material:
    material = bpy.data.materials.new(name)
    material[_KEY], material[ROLE] = tag, "material"
    if material.node_tree is None:
        material.use_nodes = True
    material.surface_render_method = "BLENDED"
    material.use_backface_culling = False
    _set_color(material, color)
    return material


def _set_color(material: bpy.types.Material, color: Color) -> None:
    material.diffuse_color = (*color, _ALPHA)
    for node in not_none(material.node_tree).nodes:
        if isinstance(node, bpy.types.ShaderNodeBsdfPrincipled):
            inputs: Any = node.inputs  # the stubs know sockets of one color or number as any sockets
            inputs["Base Color"].default_value = (*color, 1.0)
            inputs["Roughness"].default_value = 0.8
            inputs["Alpha"].default_value = _ALPHA


def register() -> None:
    events.area_color_changed.subscribe(color_area)
    events.setup_tint_changed.subscribe(tint_again)


def unregister() -> None:
    events.area_color_changed.unsubscribe(color_area)
    events.setup_tint_changed.unsubscribe(tint_again)
