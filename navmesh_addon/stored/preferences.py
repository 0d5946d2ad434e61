"""Preferences of the extension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty, IntProperty

from ..blender_types import layout_of, not_none
from ..package_names import EXTENSION


class NavmeshPreferences(bpy.types.AddonPreferences):
    """Edit > Preferences > Add-ons > Navmesh"""

    bl_idname = EXTENSION

    if TYPE_CHECKING:
        first_run: bool
    __annotations__ = {
        "first_run": BoolProperty(
            name="Begin Simply",
            description="Show few rows and an example until the first navmesh is built on this computer",
            default=True,
        ),
        "threads": IntProperty(
            name="Threads", description="Threads to build with; 0 for all cores. The result is the same", min=0, max=256
        ),
        "stage_memory": IntProperty(
            name="Memory for Views (MB)",
            description="What stages that are built again for a view may take, before the oldest are forgotten",
            default=512,
            min=16,
            max=65536,
        ),
        "live_memory": IntProperty(
            name="Memory for Live (MB)",
            description="What Live may keep of a level's triangles. Larger ones are not followed: they say Out of date",
            default=2048,
            min=16,
            max=65536,
        ),
    }

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.use_property_split = True
        layout.prop(self, "first_run")
        layout.prop(self, "threads")
        layout.prop(self, "stage_memory")
        layout.prop(self, "live_memory")
        layout.operator("navmesh.forget_kernels")
        draw_keys(layout, context)


def draw_keys(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """Our keys, where they can be changed: the keymap editor has them among those of the 3D view."""
    config = None if context.window_manager is None else context.window_manager.keyconfigs.user
    keymap = None if config is None else config.keymaps.get("3D View")
    items: list[bpy.types.KeyMapItem] = [] if keymap is None else list(keymap.keymap_items)
    for item in items:
        if item.idname.startswith("navmesh.") or getattr(item.properties, "name", "") == "NAVMESH_MT_pie":
            row = layout.row()
            row.prop(item, "active", text="")
            row.label(text=item.name)
            row.prop(item, "type", text="", full_event=True)


def _kept(name: str, usual: int) -> int:
    """What the preferences say; where they are not there, as usual."""
    addon = not_none(bpy.context.preferences).addons.get(EXTENSION)
    return int(getattr(addon.preferences, name)) if addon is not None and addon.preferences is not None else usual


def threads() -> int | None:
    """How many threads to build with, None for all cores."""
    return _kept("threads", 0) or None


def stage_memory() -> int:
    """Bytes that stages which are built again may take."""
    return _kept("stage_memory", 512) << 20


def live_memory() -> int:
    """Bytes that the triangles of a level that is followed may take."""
    return _kept("live_memory", 2048) << 20


def is_first_run() -> bool:
    """Whether no navmesh was built on this computer yet."""
    return bool(_kept("first_run", 0))


def first_run_is_over() -> None:
    """A navmesh was built, or somebody wants to see everything."""
    if is_first_run():
        preferences = not_none(bpy.context.preferences)
        addon: Any = preferences.addons[EXTENSION]
        addon.preferences.first_run = False
        preferences.is_dirty = True  # so that it is saved, where people let Blender save preferences
