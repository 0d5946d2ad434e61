"""The panel that compares navmeshes. It shows what was found, and computes nothing."""

from __future__ import annotations

import bpy

from ...blender_types import layout_of, scene_of
from ...objects.navmesh_objects import navmesh_objects, polygon_mesh_of
from ...stored.setups import NavmeshScene, find_setup, scene_properties
from ...stored.view_properties import FILE, TEST
from ...views import latest_comparison
from ...views.compared_sides import state_of
from ...views.latest_comparison import Compared
from ...watch.out_of_date import out_of_date
from .sidebar_panel import SidebarPanel, draw_named, draw_text, room

_MAX_PLACES = 8


class NAVMESH_PT_compare(SidebarPanel, bpy.types.Panel):
    """What changed between two navmeshes"""

    bl_idname = "NAVMESH_PT_compare"
    bl_label = "Compare"
    bl_order = 6  # below what was there before a build
    bl_options = {"DEFAULT_CLOSED"}
    tab = TEST

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        """A navmesh; or a result, whose navmeshes may be gone."""
        scene = scene_of(context)
        return any(navmesh_objects(scene)) or latest_comparison.shown(scene.session_uid) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored, points = layout_of(self), scene_properties(scene_of(context)), room(context)
        column = layout.column(align=True)
        for side in "ab":
            draw_named(column, stored, f"compare_{side}", 0.2)
            if getattr(stored, f"compare_{side}") == FILE:
                column.prop(stored, f"compare_file_{side}", text="")
        row = layout.row(align=True)
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("navmesh.compare", icon="MOD_BOOLEAN")
        compared = latest_comparison.shown(scene_of(context).session_uid)
        if compared is not None:
            row.operator("navmesh.compare_clear", text="", icon="X")
        if latest_comparison.running() is not None:
            draw_text(layout, "Comparing. Esc stops it", points)
        elif compared is not None:
            _draw_result(layout, scene_of(context), stored, compared, points)


def _draw_result(
    layout: bpy.types.UILayout, scene: bpy.types.Scene, stored: NavmeshScene, compared: Compared, points: float
) -> None:
    first, second = compared.sides
    column = layout.column(align=True)
    draw_text(column, f"From {first.name} to {second.name}", points)
    if why_not := _why_not(scene, compared):
        draw_text(column, why_not, points, "ERROR")
    found = compared.found
    if not found.places:
        draw_text(column, f"No difference, looked at in cells of {found.cell:g} m", points, "CHECKMARK")
        return
    for row in compared.picture.legend:
        draw_text(column, row.label, points)
    layout.prop(stored, "compare_x_ray")
    column = layout.column(align=True)
    for number, place in enumerate(found.places[:_MAX_PLACES]):
        text = f"{place.kind.capitalize()} {place.square_metres:,.1f} m²"
        column.operator("navmesh.compare_look", text=text, icon="VIEWZOOM").place = number
    if len(found.places) > _MAX_PLACES:
        column.label(text=f"… and {len(found.places) - _MAX_PLACES:,} smaller places")


def _why_not(scene: bpy.types.Scene, compared: Compared) -> str:
    """What has to be known of the result: its navmeshes may be gone, replaced or out of date."""
    if said := state_of(scene, compared).why_not:
        return said
    for side in compared.sides:
        setup = find_setup(scene, side.setup) if side.setup else None
        object_ = polygon_mesh_of(scene, side.setup) if side.setup else None
        if setup is not None and object_ is not None and (why := out_of_date(object_, setup)):
            return f"{side.name}: {why}"
    return ""
