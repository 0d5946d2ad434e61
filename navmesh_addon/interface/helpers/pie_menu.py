"""The commonest acts: around the mouse by a key, and in Object > Navmesh, by which F3 finds them in people's words."""

from __future__ import annotations

import bpy

from ...blender_types import Icon, layout_of, scene_of
from ...objects.navmesh_objects import navmesh_of_setup
from ...operator_types import Acting
from ...redraw import redraw_views
from ...stored.setups import scene_properties, shown_setup


class NAVMESH_OT_toggle_overlay(Acting, bpy.types.Operator):
    """Draw navmeshes over the viewport, or draw nothing of them"""

    bl_idname = "navmesh.toggle_overlay"
    bl_label = "Show or Hide Navmesh Overlay"
    bl_options = {"REGISTER"}

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        stored.show_navmesh = not stored.show_navmesh
        redraw_views()


class NAVMESH_MT_pie(bpy.types.Menu):
    """What is done most with a navmesh"""

    bl_idname = "NAVMESH_MT_pie"
    bl_label = "Navmesh Pie"

    def draw(self, context: bpy.types.Context) -> None:
        """West, east, south, north, then the corners from the north-west."""
        pie, scene = layout_of(self).menu_pie(), scene_of(context)
        stored = scene_properties(scene)
        _draw_build(pie, scene)
        tools = pie.column(align=True)
        _draw_tool(tools, "Test Navmesh", "navmesh.test", "MOD_DYNAMICPAINT")
        _draw_tool(tools, "Edit Navmesh", "navmesh.edit", "EDITMODE_HLT")
        pie.menu("NAVMESH_MT_add", text="Add", icon="ADD")
        _draw_why(pie, scene, "Why Not at Cursor?")
        pie.operator("navmesh.live", text="Live", icon="REC", depress=stored.live)
        pie.operator("navmesh.compare", text="Compare", icon="MOD_BOOLEAN")
        pie.menu("NAVMESH_MT_area_of_object", text="Area of Object", icon="BRUSH_DATA")
        pie.operator("navmesh.toggle_overlay", text="Overlay", icon="OVERLAY", depress=stored.show_navmesh)


def _draw_build(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Build, or build again."""
    layout.operator_context = "INVOKE_DEFAULT"
    is_built = navmesh_of_setup(scene, shown_setup(scene)) is not None
    icon: Icon = "FILE_REFRESH" if is_built else "MOD_REMESH"
    layout.operator("navmesh.rebuild" if is_built else "navmesh.build", icon=icon)


def _draw_tool(layout: bpy.types.UILayout, text: str, tool: str, icon: Icon) -> None:
    layout.operator("wm.tool_set_by_id", text=text, icon=icon).name = tool


def _draw_why(layout: bpy.types.UILayout, scene: bpy.types.Scene, text: str) -> None:
    """At the 3D cursor: the mouse is over the menu."""
    column = layout.column()
    column.operator_context = "EXEC_DEFAULT"
    column.operator("navmesh.why", text=text, icon="QUESTION").location = scene.cursor.location


class NAVMESH_MT_navmesh(bpy.types.Menu):
    """All that is done with a navmesh. The words are those that people type"""

    bl_idname = "NAVMESH_MT_navmesh"
    bl_label = "Navmesh"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        stored = scene_properties(scene)
        _draw_build(layout, scene)
        layout.operator("navmesh.live", text="Live Navmesh", icon="REC")
        _draw_why(layout, scene, "Why No Navmesh at the 3D Cursor?")
        _draw_tool(layout, "Test Navmesh", "navmesh.test", "MOD_DYNAMICPAINT")
        button = layout.operator("navmesh.find_path", text="Find Path on Navmesh", icon="VIEWZOOM")
        button.start, button.end, button.mode = stored.test_start, stored.test_end, stored.test_mode
        layout.operator("navmesh.walk", text="Walk on Navmesh", icon="PLAY")
        layout.operator("navmesh.find_cover")
        layout.operator("navmesh.cover_empties")
        layout.separator()
        _draw_tool(layout, "Edit Navmesh by Hand", "navmesh.edit", "EDITMODE_HLT")
        layout.operator("navmesh.edit_polygons", text="Block Navmesh Polygons", icon="CANCEL").kind = "BLOCK"
        layout.menu("NAVMESH_MT_area_of_polygons", text="Paint Area of Navmesh Polygons", icon="BRUSH_DATA")
        layout.operator("navmesh.edit_polygons", text="Keep Navmesh Island", icon="PINNED").kind = "KEEP"
        button = layout.operator("navmesh.edit_polygons", text="Edit Shape of Navmesh Polygons", icon="EDITMODE_HLT")
        button.kind = "PATCH"
        layout.separator()
        layout.menu("NAVMESH_MT_export", text="Export Navmesh", icon="EXPORT")
        layout.operator("navmesh.show_page", icon="URL")
        layout.operator("navmesh.import_file", text="Import Navmesh", icon="IMPORT")
        layout.operator("navmesh.compare", text="Compare Navmeshes", icon="MOD_BOOLEAN")
        layout.separator()
        layout.operator("navmesh.check", text="Check Level for Navmesh", icon="VIEWZOOM")
        layout.operator("navmesh.prune", text="Remove Unreachable Navmesh")
        layout.operator("navmesh.setup_add", text="Add Navmesh Setup for an Agent", icon="ADD")
        layout.operator("navmesh.snap_link_ends", text="Snap Link Ends to Navmesh", icon="SNAP_ON")
        layout.operator("navmesh.toggle_overlay", icon="OVERLAY")
        layout.operator("navmesh.with_obstacles", text="Show Navmesh With Obstacles", icon="MESH_CUBE")
        layout.separator()
        layout.operator("navmesh.example_level", text="Navmesh Example Level", icon="WORLD")


def _draw_in_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(menu).menu(NAVMESH_MT_navmesh.bl_idname)


DRAWN_IN = {"VIEW3D_MT_object": _draw_in_menu}
KEYS = (
    ("wm.call_menu_pie", "N", {"shift": True, "alt": True}, ("name", NAVMESH_MT_pie.bl_idname)),
    ("navmesh.toggle_overlay", "N", {"ctrl": True, "alt": True}, None),
)
