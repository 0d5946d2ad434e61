"""The panel with the list of area types."""

from __future__ import annotations

import bpy

from ...blender_types import layout_of, scene_of
from ...stored.area_types import NavmeshAreaType, area_rows
from ...stored.object_properties import PLAIN
from ...stored.setups import NavmeshScene, scene_properties
from .sidebar_panel import SidebarPanel


class NAVMESH_UL_area_types(bpy.types.UIList):
    """Area types"""

    bl_idname = "NAVMESH_UL_area_types"

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _data: NavmeshScene,
        item: NavmeshAreaType,
        _icon: int,
        _owner: NavmeshScene,
        _name: str,
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "color", text="")
        row.prop(item, "name", text="", emboss=False)
        row.label(text=f"{0 if item.area == PLAIN else item.area}")


class NAVMESH_PT_area_types(SidebarPanel, bpy.types.Panel):
    """What area numbers mean"""

    bl_idname = "NAVMESH_PT_area_types"
    bl_label = "Area Types"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        stored = scene_properties(scene_of(context))
        if len(stored.area_types) == 0:
            column = layout.column(align=True)
            for kind in area_rows(scene_of(context)):
                column.label(text=f"{kind.name}: {0 if kind.area == PLAIN else kind.area}, flags {kind.flags}")
            layout.operator("navmesh.area_types_edit", icon="GREASEPENCIL")
            return
        row = layout.row()
        row.template_list("NAVMESH_UL_area_types", "", stored, "area_types", stored, "active_area_type", rows=4)
        buttons = row.column(align=True)
        buttons.operator("navmesh.area_type_add", text="", icon="ADD")
        buttons.operator("navmesh.area_type_remove", text="", icon="REMOVE")
        item = stored.area_types[min(stored.active_area_type, len(stored.area_types) - 1)]
        layout.use_property_split = True
        for name in ("area", "flags", "cost"):
            layout.prop(item, name)


CLASSES = (NAVMESH_UL_area_types, NAVMESH_PT_area_types)
