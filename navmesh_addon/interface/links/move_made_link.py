"""Handles at both ends of the active link object: dragged along the ground, they stay on the navmesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from mathutils import Matrix

from ...blender_types import scene_of
from ...stored.object_properties import object_use
from ...stored.setups import scene_properties
from ..questions.ground_handles import START, GroundHandle, both_handles, under_mouse
from .hand_made_links import ends_of, put_end
from .move_link import on_navmesh

if TYPE_CHECKING:
    from collections.abc import Sequence


def link_with_handles(context: bpy.types.Context) -> bpy.types.Object | None:
    """The link made by hand that handles are shown for."""
    object_ = context.object
    if context.scene is None or context.mode != "OBJECT" or object_ is None or object_.library is not None:
        return None
    is_asked_for = scene_properties(context.scene).move_links and object_use(object_) == "LINK"
    return object_ if is_asked_for and ends_of(object_) else None


class NAVMESH_GT_made_link_end(GroundHandle, bpy.types.Gizmo):
    """A handle that stands on the ground"""

    bl_idname = "NAVMESH_GT_made_link_end"
    __slots__ = ("before", "shape", "which")

    if TYPE_CHECKING:
        before: Sequence[float]

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        object_ = link_with_handles(context)
        if object_ is None:
            return {"CANCELLED"}
        self.before = tuple(ends_of(object_)[0][0 if self.which == START else 1])
        return {"RUNNING_MODAL"}

    def modal(  # type: ignore[override]
        self, context: bpy.types.Context, event: bpy.types.Event, _tweak: set[str]
    ) -> set[str]:
        hit, object_ = under_mouse(context, (event.mouse_region_x, event.mouse_region_y)), link_with_handles(context)
        if hit is not None and object_ is not None:
            put_end(object_, self.which, on_navmesh(scene_of(context), (hit.x, hit.y, hit.z)))
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        object_ = link_with_handles(context)
        if object_ is not None and cancel:
            put_end(object_, self.which, self.before)
        elif object_ is not None:
            bpy.ops.ed.undo_push(message="Move Link")


class NAVMESH_GGT_made_link_ends(bpy.types.GizmoGroup):
    """Both handles"""

    bl_idname = "NAVMESH_GGT_made_link_ends"
    bl_label = "Navmesh Link Object Ends"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    if TYPE_CHECKING:
        handles: dict[str, Any]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return link_with_handles(context) is not None

    def setup(self, _context: bpy.types.Context) -> None:
        self.handles = both_handles(self.gizmos, NAVMESH_GT_made_link_end.bl_idname)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        object_ = link_with_handles(context)
        if object_ is not None:
            for handle, place in zip(self.handles.values(), ends_of(object_)[0], strict=True):
                handle.matrix_basis = Matrix.Translation(place)


CLASSES: tuple[type, ...] = (NAVMESH_GT_made_link_end, NAVMESH_GGT_made_link_ends)
