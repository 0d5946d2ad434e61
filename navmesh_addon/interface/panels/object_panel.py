"""The panels on what an object, its material and its collection are for: in the sidebar, and in its properties."""

from __future__ import annotations

import bpy

from ...blender_types import layout_of, not_none, scene_of
from ...operator_types import PanelPart, RowList
from ...stored.area_types import NavmeshAreaType, area_name, area_rows
from ...stored.object_properties import PLAIN, marks_of
from ...stored.setups import scene_properties
from .sidebar_panel import SidebarPanel, draw_named, draw_text, named_line, room


class _ObjectPanel(PanelPart):
    """What the panels in the sidebar and in the properties of an object both draw."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        object_, scene = not_none(context.object), scene_of(context)
        if context.mode == "EDIT_MESH":
            named_line(layout, "Selected Faces").menu("NAVMESH_MT_area_of_faces", text="Assign Area")
        marks = marks_of(object_)
        draw_named(layout, marks, "use")
        if marks.use == "LINK":
            _draw_link(layout, object_, scene)
        elif marks.use not in ("BOUNDS", "EXCLUDE", "SEED"):
            _draw_area(layout, "Object Area", "NAVMESH_MT_area_of_object", scene, marks.area)
            material = object_.active_material
            if material is not None:
                _draw_area(layout, "Material Area", "NAVMESH_MT_area_of_material", scene, marks_of(material).area)
        if context.collection is not None and context.collection != scene.collection:
            box, marks_there = layout.column(), marks_of(context.collection)
            draw_text(box, f"Collection “{context.collection.name}”", room(context))
            box.prop(marks_there, "exclude")
            _draw_area(box, "Collection Area", "NAVMESH_MT_area_of_collection", scene, marks_there.area)


def _draw_link(layout: bpy.types.UILayout, object_: bpy.types.Object, scene: bpy.types.Scene) -> None:
    marks = marks_of(object_)
    if object_.type != "CURVE":
        draw_named(layout, marks, "link_end")
    draw_named(layout, marks, "link_radius")
    layout.prop(marks, "link_bidirectional")
    for name in ("link_flags", "link_id"):
        draw_named(layout, marks, name)
    _draw_area(layout, "Area", "NAVMESH_MT_area_of_link", scene, marks.link_area)


def _draw_area(layout: bpy.types.UILayout, label: str, menu: str, scene: bpy.types.Scene, area: int) -> None:
    named_line(layout, label).menu(menu, text=area_name(scene, area))


class NAVMESH_PT_object(SidebarPanel, _ObjectPanel, bpy.types.Panel):
    """What the active object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object"
    bl_label = "Object"


class NAVMESH_PT_object_properties(_ObjectPanel, bpy.types.Panel):
    """What the object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object_properties"
    bl_label = "Navmesh"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"
    bl_options = {"DEFAULT_CLOSED"}


# --- The panel with the list of area types.


class NAVMESH_UL_area_types(RowList, bpy.types.UIList):
    """Area types"""

    bl_idname = "NAVMESH_UL_area_types"

    def draw_row(self, _context: bpy.types.Context, layout: bpy.types.UILayout, item: NavmeshAreaType) -> None:
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


CLASSES = (NAVMESH_PT_object, NAVMESH_PT_object_properties, NAVMESH_UL_area_types, NAVMESH_PT_area_types)
