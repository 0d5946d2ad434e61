"""The panel on what the active object, its material and its collection are for."""

from __future__ import annotations

import bpy

from ...blender_types import known, layout_of, scene_of
from ...stored.area_types import area_name
from ...stored.object_properties import marks_of
from .sidebar_panel import SidebarPanel


class NAVMESH_PT_object(SidebarPanel, bpy.types.Panel):
    """What the active object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object"
    bl_label = "Object"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        object_, scene = known(context.object), scene_of(context)
        layout.use_property_split = True
        layout.use_property_decorate = False
        marks = marks_of(object_)
        layout.prop(marks, "use")
        if marks.use == "LINK":
            self._draw_link(layout, object_, scene)
        elif marks.use not in ("BOUNDS", "EXCLUDE", "SEED"):
            _draw_area(layout, "Object", "NAVMESH_MT_area_of_object", scene, marks.area)
            material = object_.active_material
            if material is not None:
                _draw_area(layout, "Material", "NAVMESH_MT_area_of_material", scene, marks_of(material).area)
        if context.collection is not None and context.collection != scene.collection:
            layout.prop(marks_of(context.collection), "exclude", text=f"Leave out {context.collection.name}")
            _draw_area(layout, "Collection", "NAVMESH_MT_area_of_collection", scene, marks_of(context.collection).area)

    def _draw_link(self, layout: bpy.types.UILayout, object_: bpy.types.Object, scene: bpy.types.Scene) -> None:
        if object_.type != "CURVE":
            layout.prop(marks_of(object_), "link_end")
        for name in ("link_radius", "link_bidirectional", "link_flags", "link_id"):
            layout.prop(marks_of(object_), name)
        _draw_area(layout, "Area", "NAVMESH_MT_area_of_link", scene, marks_of(object_).link_area)


def _draw_area(layout: bpy.types.UILayout, label: str, menu: str, scene: bpy.types.Scene, area: int) -> None:
    row = layout.split(factor=0.4)
    row.alignment = "RIGHT"
    row.label(text=f"{label} Area" if label != "Area" else label)
    row.menu(menu, text=area_name(scene, area))


CLASSES = (NAVMESH_PT_object,)
