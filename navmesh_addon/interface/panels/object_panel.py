"""The panel on what the active object, its material and its collection are for."""

from __future__ import annotations

from typing import Any

import bpy

from ...stored.area_types import area_name
from .sidebar_panel import SidebarPanel


class NAVMESH_PT_object(SidebarPanel, bpy.types.Panel):
    """What the active object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object"
    bl_label = "Object"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        thing, scene = context.object, context.scene
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(thing.navmesh, "use")
        if thing.navmesh.use == "LINK":
            self._draw_link(layout, thing, scene)
        elif thing.navmesh.use not in ("BOUNDS", "EXCLUDE", "SEED"):
            _draw_area(layout, "Object", "NAVMESH_MT_area_of_object", scene, thing.navmesh.area)
            material = thing.active_material
            if material is not None:
                _draw_area(layout, "Material", "NAVMESH_MT_area_of_material", scene, material.navmesh.area)
        if context.collection is not None and context.collection != scene.collection:
            layout.prop(context.collection.navmesh, "exclude", text=f"Leave out {context.collection.name}")
            _draw_area(layout, "Collection", "NAVMESH_MT_area_of_collection", scene, context.collection.navmesh.area)

    def _draw_link(self, layout: Any, thing: Any, scene: Any) -> None:
        if thing.type != "CURVE":
            layout.prop(thing.navmesh, "link_end")
        for name in ("link_radius", "link_bidirectional", "link_flags", "link_id"):
            layout.prop(thing.navmesh, name)
        _draw_area(layout, "Area", "NAVMESH_MT_area_of_link", scene, thing.navmesh.link_area)


def _draw_area(layout: Any, label: str, menu: str, scene: Any, area: int) -> None:
    row = layout.split(factor=0.4)
    row.alignment = "RIGHT"
    row.label(text=f"{label} Area" if label != "Area" else label)
    row.menu(menu, text=area_name(scene, area))


CLASSES = (NAVMESH_PT_object,)
