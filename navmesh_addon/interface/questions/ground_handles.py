"""Handles that stand on the ground and are dragged along it: two of them, where something begins and where it ends."""

from __future__ import annotations

from math import cos, pi, sin
from typing import TYPE_CHECKING, Any, cast

import bpy

from ...blender_types import not_none, scene_of
from ...operator_types import GizmoGroupPart, GizmoPart

if TYPE_CHECKING:
    from mathutils import Vector

START, END = "START", "END"
_COLORS = {START: (0.2, 0.75, 0.25), END: (0.9, 0.3, 0.15)}
_BRIGHT = 0.3  # lighter under the mouse
_RADIUS, _HEIGHT, _SIDES = 0.22, 0.8, 16  # in the size of gizmos


class GroundHandle(GizmoPart):
    """How it looks, and how it is dragged; `which` of both it is."""

    __slots__ = ()  # a gizmo names its own: "shape", "which", and what a drag needs

    if TYPE_CHECKING:
        which: str
        shape: Any

    def setup(self) -> None:
        if not hasattr(self, "shape"):
            self.shape = self.new_custom_shape("TRIS", pin())

    def draw(self, _context: bpy.types.Context) -> None:
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context: bpy.types.Context, select_id: int) -> None:  # type: ignore[override]
        self.draw_custom_shape(self.shape, select_id=select_id)

    def begin(self, context: bpy.types.Context) -> bool:
        """It is taken hold of. Returns whether there is anything to drag."""
        raise NotImplementedError

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """To where the mouse is."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        return {"RUNNING_MODAL"} if self.begin(context) else {"CANCELLED"}

    def modal(  # type: ignore[override]
        self, context: bpy.types.Context, event: bpy.types.Event, _tweak: set[str]
    ) -> set[str]:
        self.drag(context, event)
        return {"RUNNING_MODAL"}


class BothHandles(GizmoGroupPart):
    """A handle for each end."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}
    kind = ""  # of gizmo

    if TYPE_CHECKING:
        handles: dict[str, Any]

    def setup(self, _context: bpy.types.Context) -> None:
        self.handles = both_handles(self.gizmos, self.kind)


def both_handles(gizmos: bpy.types.Gizmos, kind: str) -> dict[str, Any]:
    """New gizmos of this class, one for each end."""
    handles = {}
    for which, color in _COLORS.items():
        handle: Any = gizmos.new(kind)
        handle.which = which
        handle.color, handle.alpha = color, 0.9
        handle.color_highlight = tuple(min(1.0, part + _BRIGHT) for part in color)
        handle.alpha_highlight = 1.0
        handle.use_draw_modal = True
        handles[which] = handle
    return handles


def under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> Vector | None:
    """The first surface of the scene under the mouse."""
    from bpy_extras import view3d_utils

    mouse = (event.mouse_region_x, event.mouse_region_y)
    region, view = not_none(context.region), cast("bpy.types.RegionView3D", context.region_data)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    way = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    found: Any = scene_of(context).ray_cast(context.evaluated_depsgraph_get(), origin, way)  # the stubs know no tuple
    return found[1] if found[0] else None


def pin() -> list[tuple[float, float, float]]:
    """The triangles of a cone that stands on its tip, with a cap."""
    rim = [(_RADIUS * cos(2 * pi * k / _SIDES), _RADIUS * sin(2 * pi * k / _SIDES), _HEIGHT) for k in range(_SIDES)]
    tip, top = (0.0, 0.0, 0.0), (0.0, 0.0, _HEIGHT)
    triangles = []
    for one, other in zip(rim, [*rim[1:], rim[0]], strict=True):
        triangles += [tip, other, one, top, one, other]
    return triangles
