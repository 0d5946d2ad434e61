"""Preferences of the extension."""

from __future__ import annotations

import bpy
from bpy.props import IntProperty

from ..blender_types import known, layout_of
from ..package_names import EXTENSION


class NavmeshPreferences(bpy.types.AddonPreferences):
    """Edit > Preferences > Add-ons > Navmesh"""

    bl_idname = EXTENSION

    __annotations__ = {
        "threads": IntProperty(
            name="Threads", description="Threads to build with; 0 for all cores. The result is the same", min=0, max=256
        ),
    }

    def draw(self, _context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.use_property_split = True
        layout.prop(self, "threads")
        layout.operator("navmesh.forget_kernels")


CLASSES = (NavmeshPreferences,)


def threads() -> int | None:
    """How many threads to build with, None for all cores."""
    addon = known(bpy.context.preferences).addons.get(EXTENSION)
    return (addon.preferences.threads or None) if addon is not None and addon.preferences is not None else None
