"""Operators on area types and on areas: the scene's list, and what has which. One verb each, all of them undoable."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import bmesh
import bpy
from bpy.props import EnumProperty, IntProperty

from ...navcore.build_warning import counted
from ...navcore.errors import NavmeshError
from ..blender_types import layout_of, mesh_of, not_none, scene_of
from ..operator_types import Acting, Answer, MenuPart, OfPanel
from ..stored.area_types import area_name, area_rows, fill, free_area
from ..stored.object_properties import DETAIL_MESH, FACE_AREA, NOT_WALKABLE, PLAIN, POLYGON_MESH, ROLE, UNSET, marks_of
from ..stored.setups import scene_properties
from .area_icons import icon_of_area


def assign_area(objects: Iterable[bpy.types.Object], area: int) -> tuple[int, int]:
    """Give the selected faces of objects in edit mode an area; returns how many faces of how many objects.

    Raises NavmeshError, and changes nothing, where an attribute of this name is of a kind that no build can use.
    """
    edited = [object_ for object_ in objects if object_.type == "MESH"]
    for object_ in edited:
        _refuse_navmesh(object_)
        _refuse_odd_attribute(object_)
    counts = [_assign(mesh_of(object_), area) for object_ in edited]
    return sum(counts), sum(count > 0 for count in counts)


def _refuse_navmesh(object_: bpy.types.Object) -> None:
    if str(object_.get(ROLE, "")) in (POLYGON_MESH, DETAIL_MESH):
        raise NavmeshError(
            f"“{object_.name}” is a navmesh that was built: no file and no later build would have what is painted on "
            "it. Paint the faces of the level, or put an area volume there.",
            "EDITED_NAVMESH",
        )


def _refuse_odd_attribute(object_: bpy.types.Object) -> None:
    attribute = mesh_of(object_).attributes.get(FACE_AREA)
    if attribute is not None and (attribute.domain, attribute.data_type) != ("FACE", "INT"):
        kind = f"{attribute.data_type.lower()} values of {attribute.domain.lower()}s"
        raise NavmeshError(
            f"“{object_.name}” has an attribute {FACE_AREA} with {kind}, and areas are integers of faces. Rename or "
            "remove it under Object Data > Attributes.",
            "ODD_ATTRIBUTE",
        )


def _assign(mesh: bpy.types.Mesh, area: int) -> int:
    editing = bmesh.from_edit_mesh(mesh)
    layer = editing.faces.layers.int.get(FACE_AREA)
    if not any(face.select for face in editing.faces):
        return 0
    if layer is None and area != UNSET:
        layer = editing.faces.layers.int.new(FACE_AREA)
    chosen = [face for face in editing.faces if face.select]  # after the layer: a new one makes other faces of them
    if layer is not None:
        for face in chosen:
            face[layer] = area
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return len(chosen)


class NAVMESH_OT_area_type_add(OfPanel, bpy.types.Operator):
    """Add an area type"""

    bl_idname = "navmesh.area_type_add"
    bl_label = "Add Area Type"

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        if len(stored.area_types) == 0:
            fill(scene_of(context))
        area = free_area(scene_of(context))
        added = stored.area_types.add()
        added.name, added.area = f"Area {area}", area
        stored.active_area_type = len(stored.area_types) - 1


class NAVMESH_OT_area_type_remove(OfPanel, bpy.types.Operator):
    """Remove the area type. What has its number keeps it"""

    bl_idname = "navmesh.area_type_remove"
    bl_label = "Remove Area Type"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and len(scene_properties(scene_of(context)).area_types) > 0

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        stored.area_types.remove(min(stored.active_area_type, len(stored.area_types) - 1))
        stored.active_area_type = max(0, stored.active_area_type - 1)


class NAVMESH_OT_area_types_edit(OfPanel, bpy.types.Operator):
    """Give the scene an area list of its own"""

    bl_idname = "navmesh.area_types_edit"
    bl_label = "Edit Area Types"

    def act(self, context: bpy.types.Context) -> None:
        if len(scene_properties(scene_of(context)).area_types) == 0:
            fill(scene_of(context))


_TARGETS = (
    ("OBJECT", "Objects", ""),
    ("COLLECTION", "Collection", ""),
    ("MATERIAL", "Material", ""),
    ("LINK", "Link", ""),
)


class NAVMESH_OT_set_area(OfPanel, bpy.types.Operator):
    """Set the area type"""

    bl_idname = "navmesh.set_area"
    bl_label = "Set Area Type"

    if TYPE_CHECKING:
        target: str
        area: int
    __annotations__ = {
        "target": EnumProperty(items=_TARGETS, options={"SKIP_SAVE"}),
        "area": IntProperty(min=NOT_WALKABLE, max=PLAIN, options={"SKIP_SAVE"}),
    }

    def act(self, context: bpy.types.Context) -> None:
        if self.target == "MATERIAL" and context.object and context.object.active_material:
            marks_of(context.object.active_material).area = self.area
        elif self.target == "COLLECTION" and context.collection:
            marks_of(context.collection).area = self.area
        elif self.target == "LINK" and context.object:
            marks_of(context.object).link_area = max(0, self.area)
        elif self.target == "OBJECT":
            for object_ in {context.object, *context.selected_objects}:
                if object_ is not None:
                    marks_of(object_).area = self.area


class NAVMESH_OT_assign_area(Acting, bpy.types.Operator):
    """Give the selected faces an area type of their own: the integer attribute navmesh_area"""

    bl_idname = "navmesh.assign_area"
    bl_label = "Assign Area to Selected Faces"

    if TYPE_CHECKING:
        area: int
    __annotations__ = {
        "area": IntProperty(
            name="Area",
            description="Area type: 0 as the material or the object says, -1 not walkable",
            default=1,
            min=NOT_WALKABLE,
            max=PLAIN,
        ),
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode == "EDIT_MESH"

    def act(self, context: bpy.types.Context) -> Answer | None:
        count, objects = assign_area(context.objects_in_mode_unique_data, self.area)
        if count == 0:
            return self.refuse("No face is selected. Select the faces that get the area.")
        faces = counted(count, "face") + (f" of {objects} objects" if objects > 1 else "")
        what = "no area of their own" if self.area == UNSET else area_name(scene_of(context), self.area)
        self.report({"INFO"}, f"{faces}: {what}.")
        return None


class _AreaMenu(MenuPart):
    bl_label = "Area Type"
    target = "OBJECT"
    unset = "Not Set"

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        fixed = [] if self.target == "LINK" else [(UNSET, self.unset), (NOT_WALKABLE, "Not Walkable")]
        rows = [
            (row.area, row.name) for row in area_rows(scene_of(context)) if row.area != PLAIN or self.target != "LINK"
        ]
        for area, name in [*fixed, *rows]:
            icon = icon_of_area(scene_of(context), area)
            if self.target == "FACES":
                layout.operator("navmesh.assign_area", text=name, icon_value=icon).area = area
                continue
            chosen = layout.operator("navmesh.set_area", text=name, icon_value=icon)
            chosen.target, chosen.area = self.target, area


class NAVMESH_MT_area_of_object(_AreaMenu, bpy.types.Menu):
    """Area type of all selected objects"""

    bl_idname = "NAVMESH_MT_area_of_object"


class NAVMESH_MT_area_of_collection(_AreaMenu, bpy.types.Menu):
    """Area type of the active collection's objects"""

    bl_idname = "NAVMESH_MT_area_of_collection"
    target = "COLLECTION"


class NAVMESH_MT_area_of_material(_AreaMenu, bpy.types.Menu):
    """Area type of faces with the active material"""

    bl_idname = "NAVMESH_MT_area_of_material"
    target = "MATERIAL"


class NAVMESH_MT_area_of_link(_AreaMenu, bpy.types.Menu):
    """Area type of the link"""

    bl_idname = "NAVMESH_MT_area_of_link"
    target = "LINK"


class NAVMESH_MT_area_of_faces(_AreaMenu, bpy.types.Menu):
    """Give the selected faces an area type of their own, or none"""

    bl_idname = "NAVMESH_MT_area_of_faces"
    bl_label = "Assign Navmesh Area"
    target = "FACES"
    unset = "Clear: as Material or Object Says"


def _draw_in_menu(menu: bpy.types.Menu, context: bpy.types.Context) -> None:
    if menu.bl_idname == "VIEW3D_MT_edit_mesh_context_menu" and not not_none(context.tool_settings).mesh_select_mode[2]:
        return  # of vertices or edges
    layout_of(menu).separator()
    layout_of(menu).menu(NAVMESH_MT_area_of_faces.bl_idname)


DRAWN_IN = dict.fromkeys(("VIEW3D_MT_edit_mesh_faces", "VIEW3D_MT_edit_mesh_context_menu"), _draw_in_menu)
