"""Handles at both ends of the active found link: dragged along the ground, they stay on the navmesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from mathutils import Matrix

from ....navcore.errors import NavmeshError
from ...ask.asked_navmesh import snapped
from ...blender_types import scene_of
from ...objects.navmesh_objects import metres_of
from ...redraw import redraw_views
from ...stored.object_properties import object_use
from ...stored.setups import scene_properties
from ...views.drawn_links import show_dragged
from ...views.drawn_marks import ends_of
from ..questions.ground_handles import START, BothHandles, Handle, under_mouse
from .hand_made_links import put_end
from .link_operators import OnLink, links_of, with_end_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...stored.link_rows import Decisions

# --- Handles at both ends of the active link object: dragged along the ground, they stay on the navmesh.


def link_with_handles(context: bpy.types.Context) -> bpy.types.Object | None:
    """The link made by hand that handles are shown for."""
    object_ = context.object
    if context.scene is None or context.mode != "OBJECT" or object_ is None or object_.library is not None:
        return None
    is_asked_for = scene_properties(context.scene).move_links and object_use(object_) == "LINK"
    return object_ if is_asked_for and ends_of(object_) else None


class NAVMESH_GT_made_link_end(Handle, bpy.types.Gizmo):
    """A handle that stands on the ground"""

    bl_idname = "NAVMESH_GT_made_link_end"
    __slots__ = ("before", "shape", "which")

    if TYPE_CHECKING:
        before: Sequence[float]

    def begin(self, context: bpy.types.Context, _event: bpy.types.Event) -> bool:
        object_ = link_with_handles(context)
        if object_ is not None:
            self.before = tuple(ends_of(object_)[0][0 if self.which == START else 1])
        return object_ is not None

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        hit, object_ = under_mouse(context, event), link_with_handles(context)
        if hit is not None and object_ is not None:
            put_end(object_, self.which, on_navmesh(scene_of(context), (hit.x, hit.y, hit.z)))

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        object_ = link_with_handles(context)
        if object_ is not None and cancel:
            put_end(object_, self.which, self.before)
        elif object_ is not None:
            bpy.ops.ed.undo_push(message="Move Link")


class NAVMESH_GGT_made_link_ends(BothHandles, bpy.types.GizmoGroup):
    """Both handles"""

    bl_idname = "NAVMESH_GGT_made_link_ends"
    bl_label = "Navmesh Link Object Ends"
    kind = NAVMESH_GT_made_link_end.bl_idname

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return link_with_handles(context) is not None

    def draw_prepare(self, context: bpy.types.Context) -> None:
        object_ = link_with_handles(context)
        if object_ is not None:
            for handle, place in zip(self.handles.values(), ends_of(object_)[0], strict=True):
                handle.matrix_basis = Matrix.Translation(place)


class NAVMESH_OT_move_link(OnLink, bpy.types.Operator):
    """Show handles at both ends of this link: drag them along the navmesh. Once more hides them"""

    bl_idname = "navmesh.move_link"
    bl_label = "Move Link"

    def decide(self, context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        stored = scene_properties(scene_of(context))
        is_same = row == stored.active_link
        stored.move_links = not (stored.move_links and is_same)
        if not is_same:
            stored.active_link = row
        redraw_views()
        return decisions


def _active(scene: bpy.types.Scene) -> tuple[Decisions, int] | None:
    """The link that the handles belong to."""
    stored = scene_properties(scene)
    if not stored.move_links or not stored.show_navmesh:
        return None
    try:
        _, decisions = links_of(scene)
    except NavmeshError:  # the panel says it
        return None
    return (decisions, stored.active_link) if stored.active_link < len(decisions.shown.ids) else None


class NAVMESH_GT_link_end(Handle, bpy.types.Gizmo):
    """A handle that stands on the ground"""

    bl_idname = "NAVMESH_GT_link_end"
    __slots__ = ("place", "shape", "which")

    if TYPE_CHECKING:
        place: tuple[float, float, float] | None  # where it is dragged to

    def setup(self) -> None:
        super().setup()
        self.place = None

    def begin(self, _context: bpy.types.Context, _event: bpy.types.Event) -> bool:
        self.place = None
        return True

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        scene = scene_of(context)
        hit, active = under_mouse(context, event), _active(scene)
        if hit is not None and active is not None:
            self.place = on_navmesh(scene, (hit.x, hit.y, hit.z))
            moved = with_end_at(scene, *active, self.which, self.place)
            show_dragged(moved.shown.of(_slice(active[1])))

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        show_dragged(None)
        place, self.place = self.place, None
        if not cancel and place is not None and _active(scene_of(context)) is not None:
            operators: Any = bpy.ops.navmesh  # type: ignore[attr-defined] # the stubs know none of ours
            operators.set_link_end(which=self.which, place=place)
            bpy.ops.ed.undo_push(message="Move Link")


def _slice(row: int) -> Any:
    import numpy as np

    return np.array([row], np.int64)


def on_navmesh(scene: bpy.types.Scene, place: tuple[float, float, float]) -> tuple[float, float, float]:
    """The place itself where no navmesh is near, or none in memory."""
    try:
        return snapped(scene, [place])[0] or place
    except NavmeshError:  # its level is another one by now
        return place


class NAVMESH_GGT_link_ends(BothHandles, bpy.types.GizmoGroup):
    """Both handles"""

    bl_idname = "NAVMESH_GGT_link_ends"
    bl_label = "Navmesh Link Ends"
    kind = NAVMESH_GT_link_end.bl_idname

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and context.mode == "OBJECT" and _active(context.scene) is not None

    def draw_prepare(self, context: bpy.types.Context) -> None:
        from ...axes import to_blender  # here: Blender's start does not wait for NumPy

        active = _active(scene_of(context))
        if active is None:
            return
        decisions, row = active
        metres = metres_of(scene_of(context))
        places = to_blender([decisions.shown.starts[row], decisions.shown.ends[row]], metres).tolist()
        for handle, place in zip(self.handles.values(), places, strict=True):
            handle.matrix_basis = Matrix.Translation(handle.place or place)
