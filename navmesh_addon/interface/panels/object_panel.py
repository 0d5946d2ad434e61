"""The panels on what an object, its material and its collection are for: in the sidebar, and in its properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender_types import layout_of, not_none, scene_of
from ...stored.area_types import area_name
from ...stored.object_properties import marks_of
from .sidebar_panel import SidebarPanel, draw_named, named_line
from .wrapped_text import draw_text, room

if TYPE_CHECKING:
    _Panel = bpy.types.Panel
else:
    _Panel = object  # Blender's own class comes last, in the classes that it registers


class _ObjectPanel(_Panel):
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


CLASSES = (NAVMESH_PT_object, NAVMESH_PT_object_properties)
