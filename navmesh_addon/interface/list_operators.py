"""Operators on lists and marks: setups, area types, what objects are for. One verb each, all of them undoable."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ..build.means import kernel_folder
from ..operator_types import Answer
from ..stored.area_types import area_rows, fill, free_area
from ..stored.object_properties import NOT_WALKABLE, PLAIN, UNSET
from ..stored.setups import add_setup

_UNDO: Any = {"REGISTER", "UNDO", "INTERNAL"}


class NAVMESH_OT_setup_add(bpy.types.Operator):
    """Add a setup: settings for one more agent"""

    bl_idname = "navmesh.setup_add"
    bl_label = "Add Setup"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def execute(self, context: Any) -> Answer:
        add_setup(context.scene, self.name)
        return {"FINISHED"}


class NAVMESH_OT_setup_remove(bpy.types.Operator):
    """Remove the setup. Its navmesh stays"""

    bl_idname = "navmesh.setup_remove"
    bl_label = "Remove Setup"
    bl_options = _UNDO

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene is not None and len(context.scene.navmesh.setups) > 0

    def execute(self, context: Any) -> Answer:
        stored = context.scene.navmesh
        number = min(stored.active, len(stored.setups) - 1)
        stored.setups.remove(number)
        stored.active = max(0, number - 1)
        return {"FINISHED"}


class NAVMESH_OT_area_type_add(bpy.types.Operator):
    """Add an area type"""

    bl_idname = "navmesh.area_type_add"
    bl_label = "Add Area Type"
    bl_options = _UNDO

    def execute(self, context: Any) -> Answer:
        stored = context.scene.navmesh
        if len(stored.area_types) == 0:
            fill(context.scene)
        area = free_area(context.scene)
        added = stored.area_types.add()
        added.name, added.area = f"Area {area}", area
        stored.active_area_type = len(stored.area_types) - 1
        return {"FINISHED"}


class NAVMESH_OT_area_type_remove(bpy.types.Operator):
    """Remove the area type. What has its number keeps it"""

    bl_idname = "navmesh.area_type_remove"
    bl_label = "Remove Area Type"
    bl_options = _UNDO

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.scene is not None and len(context.scene.navmesh.area_types) > 0

    def execute(self, context: Any) -> Answer:
        stored = context.scene.navmesh
        stored.area_types.remove(min(stored.active_area_type, len(stored.area_types) - 1))
        stored.active_area_type = max(0, stored.active_area_type - 1)
        return {"FINISHED"}


class NAVMESH_OT_area_types_edit(bpy.types.Operator):
    """Give the scene an area list of its own"""

    bl_idname = "navmesh.area_types_edit"
    bl_label = "Edit Area Types"
    bl_options = _UNDO

    def execute(self, context: Any) -> Answer:
        if len(context.scene.navmesh.area_types) == 0:
            fill(context.scene)
        return {"FINISHED"}


_TARGETS = (
    ("OBJECT", "Objects", ""),
    ("COLLECTION", "Collection", ""),
    ("MATERIAL", "Material", ""),
    ("LINK", "Link", ""),
)


class NAVMESH_OT_set_area(bpy.types.Operator):
    """Set the area type"""

    bl_idname = "navmesh.set_area"
    bl_label = "Set Area Type"
    bl_options = _UNDO

    if TYPE_CHECKING:
        target: str
        area: int
    __annotations__ = {
        "target": EnumProperty(items=_TARGETS, options={"SKIP_SAVE"}),
        "area": IntProperty(min=NOT_WALKABLE, max=PLAIN, options={"SKIP_SAVE"}),
    }

    def execute(self, context: Any) -> Answer:
        if self.target == "MATERIAL" and context.object and context.object.active_material:
            context.object.active_material.navmesh.area = self.area
        elif self.target == "COLLECTION" and context.collection:
            context.collection.navmesh.area = self.area
        elif self.target == "LINK" and context.object:
            context.object.navmesh.link_area = max(0, self.area)
        elif self.target == "OBJECT":
            for thing in {context.object, *context.selected_objects} - {None}:
                thing.navmesh.area = self.area
        return {"FINISHED"}


class _AreaMenu:
    target = "OBJECT"

    def draw(self, context: Any) -> None:
        layout: Any = self.layout  # type: ignore[attr-defined]
        fixed = [] if self.target == "LINK" else [(UNSET, "Not Set"), (NOT_WALKABLE, "Not Walkable")]
        rows = [(row.area, row.name) for row in area_rows(context.scene) if row.area != PLAIN or self.target != "LINK"]
        for area, name in [*fixed, *rows]:
            chosen = layout.operator("navmesh.set_area", text=name)
            chosen.target, chosen.area = self.target, area


class NAVMESH_MT_area_of_object(_AreaMenu, bpy.types.Menu):
    """Area type of all selected objects"""

    bl_idname = "NAVMESH_MT_area_of_object"
    bl_label = "Area Type"


class NAVMESH_MT_area_of_collection(_AreaMenu, bpy.types.Menu):
    """Area type of the active collection's objects"""

    bl_idname = "NAVMESH_MT_area_of_collection"
    bl_label = "Area Type"
    target = "COLLECTION"


class NAVMESH_MT_area_of_material(_AreaMenu, bpy.types.Menu):
    """Area type of faces with the active material"""

    bl_idname = "NAVMESH_MT_area_of_material"
    bl_label = "Area Type"
    target = "MATERIAL"


class NAVMESH_MT_area_of_link(_AreaMenu, bpy.types.Menu):
    """Area type of the link"""

    bl_idname = "NAVMESH_MT_area_of_link"
    bl_label = "Area Type"
    target = "LINK"


class NAVMESH_OT_select_object(bpy.types.Operator):
    """Select the object that is meant, and look at it"""

    bl_idname = "navmesh.select_object"
    bl_label = "Select Object"
    bl_options = _UNDO

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(options={"SKIP_SAVE"})}

    def execute(self, context: Any) -> Answer:
        thing = context.view_layer.objects.get(self.name)
        if thing is None:
            self.report({"WARNING"}, f"“{self.name}” is no longer in this view layer.")
            return {"CANCELLED"}
        for other in context.selected_objects:
            other.select_set(False)
        if thing.visible_get():
            thing.select_set(True)
        context.view_layer.objects.active = thing
        if context.area is not None and context.area.type == "VIEW_3D":
            region = next(r for r in context.area.regions if r.type == "WINDOW")
            with context.temp_override(region=region):
                view: Any = bpy.ops.view3d
                if view.view_selected.poll():
                    view.view_selected()
        return {"FINISHED"}


class NAVMESH_OT_forget_kernels(bpy.types.Operator):
    """Throw away compiled kernels. The next build after a restart compiles them again"""

    bl_idname = "navmesh.forget_kernels"
    bl_label = "Throw Away Compiled Kernels"
    bl_options = {"INTERNAL"}

    def execute(self, _context: Any) -> Answer:
        folder = kernel_folder()
        if folder is not None:
            import shutil

            shutil.rmtree(folder, ignore_errors=True)
        self.report({"INFO"}, "Compiled kernels were thrown away.")
        return {"FINISHED"}


CLASSES = (
    NAVMESH_OT_forget_kernels,
    NAVMESH_OT_setup_add,
    NAVMESH_OT_setup_remove,
    NAVMESH_OT_area_type_add,
    NAVMESH_OT_area_type_remove,
    NAVMESH_OT_area_types_edit,
    NAVMESH_OT_set_area,
    NAVMESH_OT_select_object,
    NAVMESH_MT_area_of_object,
    NAVMESH_MT_area_of_collection,
    NAVMESH_MT_area_of_material,
    NAVMESH_MT_area_of_link,
)
