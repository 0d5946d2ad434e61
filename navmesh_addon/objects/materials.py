"""Materials of the navmesh: one for each area type, some colors for regions, islands and polygons, some for heat maps.
All are see-through.

A mesh has these, whatever its setup. The tint of a setup lies over them: slots of its objects hold materials of their
own, so that the viewport shows the tint, and the mesh's materials still say the areas. Heat maps are not tinted, as
their legend says what a color means.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from .. import events
from ..blender_types import mesh_of, not_none
from ..stored.area_types import AreaRow, area_color, area_name
from ..stored.object_properties import PLAIN, ROLE
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import find_setup, tint_of
from .navmesh_objects import navmesh_objects

if TYPE_CHECKING:
    from .navmesh_to_arrays import Values

# --- Which color each polygon gets under each choice of Color By, and what the colors of heat maps mean.
#
# The steps of heat maps are fixed, so that one color means the same on every navmesh, today and after the next build.
# Blue is at ease, red is in the way: narrow, dear or steep. Plain Python and NumPy, no bpy.

Color = tuple[float, float, float]

AREA, COLOR, HEAT = "AREA", "COLOR", "HEAT"  # kinds of colors: of area types, of a palette, of a step of a heat map
PALETTE = STEPS = 12
# Where the second step of each heat map begins, and every one after it.
BEGINS = {
    "CLEARANCE": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0),
    "COST": (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0, 20.0, 50.0),
    "SLOPE": (5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0),
}
_UNITS = {"CLEARANCE": " m", "COST": "", "SLOPE": "°"}
_NARROW_IS_RED = ("CLEARANCE",)
_SPREAD = 0x9E3779B1  # of numbers that follow each other over all others (Knuth's multiplicative hashing)


class LegendRow(NamedTuple):
    """What a color of a heat map means."""

    label: str
    color: Color
    polygons: int
    number: int  # of the color


def kind_of(color_by: str) -> str:
    """The kind of colors that a choice shows."""
    if color_by in BEGINS:
        return HEAT
    return AREA if color_by == "AREA" else COLOR


def color_keys(attributes: Mapping[str, Values], color_by: str) -> Values | None:
    """(F,) the number of each polygon's color among those of its kind; None where its value is not known."""
    import numpy as np  # here: Blender's start does not wait for it

    if color_by == "POLYGON":
        number = np.arange(len(next(iter(attributes.values()), ())), dtype=np.uint64)
        return ((number * np.uint64(_SPREAD) >> np.uint64(16)) % np.uint64(PALETTE)).astype(np.int32)
    values = attributes.get(f"navmesh_{color_by.lower()}")
    if values is None:
        return None
    if color_by in BEGINS:
        step = np.searchsorted(np.array(BEGINS[color_by]), values + 1e-5 * np.abs(values), side="right")
        return np.array(_colors_of(color_by), np.int32)[step]
    if color_by == "AREA":
        return np.where(values == 0, PLAIN, values).astype(np.int32)
    return (values % PALETTE).astype(np.int32)


def _colors_of(color_by: str) -> list[int]:
    """The number of the color of each step."""
    colors = list(range(STEPS))
    return colors[::-1] if color_by in _NARROW_IS_RED else colors


def heat_color(number: int) -> Color:
    """From blue over green and yellow to red."""
    return colorsys.hsv_to_rgb(0.64 * (1 - number / (STEPS - 1)), 0.85, 0.8)


def palette_color(number: int) -> Color:
    """Hues that lie far apart for numbers that follow each other."""
    return colorsys.hsv_to_rgb((0.55 + number * 0.618034) % 1.0, 0.75, 0.8)


def legend_rows(color_by: str, counts: Mapping[int, int]) -> list[LegendRow]:
    """The steps of a heat map from the first to the last that polygons have; `counts` by the number of the color."""
    of_step = _colors_of(color_by)
    used = [step for step, color in enumerate(of_step) if counts.get(color)]
    if not used:
        return []
    labels = list(_labels(color_by))
    return [
        LegendRow(labels[step], heat_color(of_step[step]), counts.get(of_step[step], 0), of_step[step])
        for step in range(used[0], used[-1] + 1)
    ]


def _labels(color_by: str) -> Iterator[str]:
    begins, unit = BEGINS[color_by], _UNITS[color_by]
    yield f"under {begins[0]:g}{unit}"
    for low, high in pairwise(begins):
        yield f"{low:g} to {high:g}{unit}"
    yield f"{begins[-1]:g}{unit} and more"


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


SUBSCRIBERS = ((events.area_color_changed, color_area), (events.setup_tint_changed, tint_again))
