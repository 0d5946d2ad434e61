"""What is drawn of navmeshes: a part of Blender's popover of overlays, and a key."""

from __future__ import annotations

import bpy

from ..blender_types import not_none
from ..stored.setups import scene_properties

_SWITCHES = (
    "draw_surface", "draw_edges", "draw_walls", "draw_vertices", "draw_links", "draw_helpers", "draw_x_ray",
)  # fmt: skip
_keys: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def _draw(panel: bpy.types.Panel, context: bpy.types.Context) -> None:
    if context.scene is not None:
        draw_switches(not_none(panel.layout), context.scene)


def draw_switches(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """The same in the popover and in the panel."""
    shown = scene_properties(scene)
    layout.label(text="Navmesh")
    column = layout.column()
    column.prop(shown, "show_navmesh")
    column = column.column()
    column.active = shown.show_navmesh
    grid = column.grid_flow(columns=2, even_columns=True, align=True)
    for name in _SWITCHES:
        grid.prop(shown, name)
    column.prop(shown, "draw_hidden")
    column.prop(shown, "draw_fade")


def register() -> None:
    if bpy.app.background:
        return
    bpy.types.VIEW3D_PT_overlay.append(_draw)
    keyconfig = not_none(bpy.context.window_manager).keyconfigs.addon
    if keyconfig is not None:
        keymap = keyconfig.keymaps.new(name="3D View", space_type="VIEW_3D")
        item = keymap.keymap_items.new("wm.context_toggle", "N", "PRESS", ctrl=True, alt=True)  # free in Blender
        item.properties.data_path = "scene.navmesh.show_navmesh"  # type: ignore[union-attr]
        _keys.append((keymap, item))


def unregister() -> None:
    if bpy.app.background:
        return
    while _keys:
        keymap, item = _keys.pop()
        keymap.keymap_items.remove(item)
    bpy.types.VIEW3D_PT_overlay.remove(_draw)
