"""`navcore.settings` as Blender properties, by one loop: setups and the operator have them under the same names.

Blender keeps lengths in its own units (metres, unless the scene's unit scale says otherwise), angles in radians and all
numbers in float32; here they become metres, degrees and the numbers that were typed, and nowhere else. No property has
a hard limit: Blender would clamp in silence what navcore refuses by name.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import Field
from typing import Any, cast

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty

from ...navcore.settings import DEGREES, METRE, Settings, setting_info, settings_fields

SettingValue = bool | int | float | str
Property = object  # what bpy.props makes; the stubs say nothing
NAMES = tuple(field.name for field in settings_fields())
_SMALLEST = {"cell_size": 0.02, "cell_height": 0.01, "agent_height": 0.1}  # where sliders stop: not at "above 0"
_LARGEST = {METRE: 100.0}


def title(name: str) -> str:
    """`agent_max_climb` → "Max Climb" under the heading "Agent"."""
    group = setting_info(name).group.lower().rstrip("s")
    if name == "generate_links":
        return "Find Links"
    words = name.removeprefix("filter_").replace("_", " ").title()
    return (
        words.removeprefix(f"{group.title()} ")
        if group in ("agent", "detail", "link") and name != "detail_mesh"
        else words
    )


def tooltip(name: str) -> str:
    """What the setting does, its unit, and what Recast calls it."""
    info = setting_info(name)
    parts = [info.help, f"In {info.unit}." if info.unit not in ("", METRE, DEGREES) else ""]
    return " ".join(p for p in [*parts, f"Recast: {info.recast}" if info.recast else ""] if p).rstrip(".")


def setting_properties(usual: Mapping[str, SettingValue] | None = None, **common: Any) -> dict[str, Property]:
    """One Blender property for each setting, by name. What `usual` says nothing of begins as navcore has it."""
    return {
        field.name: _property(field, (usual or {}).get(field.name, cast("SettingValue", field.default)), common)
        for field in settings_fields()
    }


def _property(field: Field[SettingValue], usual: SettingValue, common: dict[str, Any]) -> Property:
    info = setting_info(field.name)
    default = cast("float", usual)
    about = {"name": title(field.name), "description": tooltip(field.name), "default": default, **common}
    if field.type == "bool":
        return BoolProperty(**about)
    if field.type == "str":
        return EnumProperty(items=[(c, c.title(), f"{c.title()} partitioning") for c in info.choices], **about)
    high = info.high if math.isfinite(info.high) else _LARGEST.get(info.unit, 1000.0)
    if field.type == "int":
        return IntProperty(soft_min=int(info.low), soft_max=int(high), **about)
    low = _SMALLEST.get(field.name, info.low)
    if info.unit == DEGREES:
        about["default"] = math.radians(default)
        return FloatProperty(soft_min=math.radians(low), soft_max=math.radians(high), subtype="ANGLE", **about)
    unit = {"unit": "LENGTH", "precision": 3} if info.unit == METRE else {"precision": 2}
    return FloatProperty(soft_min=low, soft_max=high, step=5, **unit, **about)


def rounded(value: float) -> float:
    """The number that was typed: float32 keeps 0.3 as 0.300000012."""
    return float(f"{value:.6g}")


def from_blender(name: str, value: SettingValue, metres_per_unit: float) -> SettingValue:
    """A property's value as the setting has it."""
    if isinstance(value, (bool, str, int)):
        return value
    unit = setting_info(name).unit
    if unit == DEGREES:
        # No slope is steeper than π/2 radians: a larger number is a script's that wrote degrees.
        return rounded(math.degrees(value) if value < math.pi / 2 + 1e-6 else value)
    return rounded(value * metres_per_unit if unit == METRE else value)


def to_blender(name: str, value: SettingValue, metres_per_unit: float) -> SettingValue:
    """A setting's value as the property has it: in round numbers where these say the same, which a foot or an inch has
    not for most of them."""
    unit = setting_info(name).unit
    if unit == DEGREES:
        return math.radians(cast("float", value))
    if unit != METRE:
        return value
    exact = cast("float", value) / metres_per_unit
    said = rounded(exact)
    return said if rounded(said * metres_per_unit) == rounded(cast("float", value)) else exact


def read_values(group: bpy.types.bpy_struct, metres_per_unit: float) -> dict[str, SettingValue]:
    """All settings of a PropertyGroup, by name, unchecked. What nobody has set is as declared, in metres."""
    return {
        name: from_blender(name, getattr(group, name), metres_per_unit if group.is_property_set(name) else 1.0)
        for name in NAMES
    }


def read_settings(group: bpy.types.bpy_struct, metres_per_unit: float) -> Settings:
    """All settings of a PropertyGroup. Raises BadSettings."""
    values: dict[str, Any] = {**read_values(group, metres_per_unit)}  # each of its field's own type
    return Settings(**values)


def write_values(group: bpy.types.bpy_struct, values: Mapping[str, SettingValue], metres_per_unit: float) -> None:
    """Set some settings of a PropertyGroup or an operator; the other ones stay."""
    for name, value in values.items():
        setattr(group, name, to_blender(name, value, metres_per_unit))
