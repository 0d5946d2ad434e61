"""What a hint says, and what its buttons do: data, so that whoever draws it need not know what it is about."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from ....navcore.settings import DEGREES, METRE, setting_info
from ...stored.setting_properties import SettingValue, title


class Fix(NamedTuple):
    """One button: an operator of Blender's or ours, and what it is given."""

    label: str
    operator: str
    arguments: tuple[tuple[str, str], ...] = ()


class Hint(NamedTuple):
    """One line for people; `name` is the object that it is about, `fixes` do what the message advises."""

    code: str
    message: str
    name: str = ""
    fixes: tuple[Fix, ...] = ()


WRONG_UNIT = "WRONG_UNIT"
_SCALE = re.compile(r"Scale it by (\d[\d.e-]*\d|\d)")
ADD_GROUND = Fix("Add Ground Plane", "navmesh.add_ground")
BUILD_FROM_VISIBLE = Fix("Build from Everything Visible", "navmesh.build_from_visible")


def set_settings(values: Mapping[str, SettingValue], label: str = "") -> Fix:
    """Gives settings of the setup these values, in metres and degrees."""
    said = ", ".join(value_of(name, value, " to") for name, value in values.items())
    return Fix(label or f"Set {said}", "navmesh.set_settings", (("changes", json.dumps(values)),))


def value_of(name: str, value: SettingValue, to: str = "") -> str:
    """A setting and its value as people read them."""
    if isinstance(value, (bool, str)):
        return f"{title(name)}{to} {value}"
    unit = {METRE: " m", DEGREES: "°"}.get(setting_info(name).unit, "")
    return f"{title(name)}{to} {value:g}{unit}"


def scale_level(factor: float) -> Fix:
    """The level is built so many times as large."""
    return Fix(f"Scale {factor:g}", "navmesh.set_scale", (("scale", f"{factor:g}"),))


def fixes_of_warning(code: str, message: str) -> tuple[Fix, ...]:
    """What can be done at once about what a build has to say."""
    found = _SCALE.search(message) if code == WRONG_UNIT or "seems to be in" in message else None
    return (scale_level(float(found[1])),) if found is not None else ()


def on_object(label: str, operator: str, name: str) -> Fix:
    """An operator that is told its object by name."""
    return Fix(label, operator, (("name", name),))


def leave_out(name: str) -> Fix:
    """The object is no longer used."""
    return on_object("Leave Out", "navmesh.leave_out", name)


def fixes_of_note(code: str, name: str) -> tuple[Fix, ...]:
    """What can be done at once about what gathering found. (What only its maker can mend has no button.)"""
    if code == "FLIPPED":
        return (on_object("Flip Normals", "navmesh.flip_normals", name),)
    if code == "ODD_ATTRIBUTE":
        return (on_object("Convert Attribute", "navmesh.convert_area_attribute", name),)
    if code == "HELPER":
        return (on_object("Build It", "navmesh.use_always", name),)
    if code in ("ZERO_SCALE", "BAD_MARKER"):
        return (leave_out(name),)
    return ()
