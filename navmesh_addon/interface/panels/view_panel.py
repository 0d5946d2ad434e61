"""The panel on what the viewport shows of the stages: the view, what of it, and what its colors mean."""

from __future__ import annotations

import bpy

from ...ask.hiding import current_cover
from ...blender_types import layout_of, not_none, scene_of
from ...objects.navmesh_objects import active_navmesh
from ...stored.setups import scene_properties
from ...stored.view_properties import FORMS, LEVELED, TEST, form_of
from ...views import stage_view
from ...views.stage_scrubber import draw_scrubber
from ..questions.cover_operators import draw_cover_buttons
from .object_panel import draw_with_obstacles
from .settings_panels import draw_color_by
from .sidebar_panel import MAX_LINES, PopoverPanel, SidebarPanel, draw_named, draw_text, room

# --- What is drawn of navmeshes: a part of Blender's popover of overlays, and a key.

_SWITCHES = (
    "draw_surface", "draw_edges", "draw_walls", "draw_vertices", "draw_links", "draw_helpers", "draw_x_ray",
)  # fmt: skip


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


DRAWN_IN = {} if bpy.app.background else {"VIEW3D_PT_overlay": _draw}


class NAVMESH_PT_drawn(PopoverPanel, bpy.types.Panel):
    """What is drawn of navmeshes"""

    bl_idname = "NAVMESH_PT_drawn"
    bl_label = "Navmesh"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        draw_switches(layout, scene)
        layout.separator()
        draw_cover_buttons(layout)
        if said := current_cover.said(scene):
            draw_text(layout, said, self.room(), "INFO")


class NAVMESH_PT_view(SidebarPanel, bpy.types.Panel):
    """What is shown: the finished navmesh or a stage of its build, and in which colors"""

    bl_idname = "NAVMESH_PT_view"
    bl_label = "View"
    bl_order = 5  # below what asks: a view has as many lines as it needs
    tab = TEST

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        stored = scene_properties(scene)
        row = layout.row(align=True)
        stages = row.row(align=True)
        stages.enabled = active_navmesh(scene) is not None
        draw_scrubber(stages, scene)
        draw_with_obstacles(row, scene)
        row.popover("NAVMESH_PT_drawn", text="", icon="OVERLAY")
        draw_color_by(layout, context)
        if stored.view == "NONE" or not stages.enabled:
            return
        column = layout.column(align=True)
        if stored.view in FORMS:
            draw_named(column, stored, form_of(stored.view))
        if stored.view in LEVELED:
            draw_named(column, stored, "view_level")
        column.prop(stored, "view_tile_only")
        for switch, height in (("view_cut_below", "view_lowest"), ("view_cut_above", "view_highest")):
            row = layout.row(align=True)
            row.prop(stored, switch)
            part = row.row(align=True)
            part.enabled = getattr(stored, switch)
            part.prop(stored, height, text="")
        _draw_text(layout, room(context))


def _draw_text(layout: bpy.types.UILayout, points: float) -> None:
    """The legend's text and notes: their colors stand in the viewport."""
    column, one = layout.column(align=True), stage_view.shown()
    if stage_view.state.said:
        draw_text(column, stage_view.state.said, points, "INFO")
    if one is None or one.made.picture is None:
        return
    for row in one.made.picture.legend[:MAX_LINES]:
        column.label(text=f"{row.label}: {row.count:,}" if row.count else row.label)
    for note in one.made.picture.notes:
        draw_text(column, note, points)
