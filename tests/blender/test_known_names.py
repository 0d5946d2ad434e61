"""Names that scripts and saved files use stay: operators, menus, panels and properties of versions before.

`known_names.txt` has one a line; those of properties begin with a point.
"""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any

KNOWN = (Path(__file__).parent / "known_names.txt").read_text(encoding="utf-8").split()


def test_operators_menus_and_panels_are_there(bpy: Any, addon: Any) -> None:
    known = [name for name in KNOWN if not name.startswith(".")]
    registered = {
        cls.bl_idname
        for module in map(addon, addon("registration").MODULES)
        for cls in addon("registration").classes_of(module)
        if hasattr(cls, "bl_idname")
    }
    assert len(known) > 90 and [name for name in known if name not in registered and not is_tool(addon, name)] == []
    assert all(hasattr(bpy.types, name) for name in known if "_PT_" in name or "_MT_" in name)


def is_tool(addon: Any, name: str) -> bool:
    """Tools are registered in a window alone; the preferences are known by the extension's own name."""
    return name == addon("ask.drawn_answer").TOOL


def test_properties_are_there(addon: Any) -> None:
    owners = [
        cls for module in map(addon, addon("registration").MODULES) for cls in addon("registration").classes_of(module)
    ]
    names = {name for cls in owners for base in cls.__mro__ for name in inspect.get_annotations(base)}
    known = [name.removeprefix(".") for name in KNOWN if name.startswith(".")]
    assert len(known) > 60 and [name for name in known if name not in names] == []
