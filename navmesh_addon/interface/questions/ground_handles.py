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


def cone(radius: float, base: float, tip: float, sides: int) -> list[tuple[float, float, float]]:
    """The triangles of a cone around z, with a cap; its base and its tip are at these heights."""
    turns = [2 * pi * k / sides for k in range(sides)]
    rim = [(radius * cos(turn), radius * sin(turn), base) for turn in turns]
    triangles = []
    for pair in zip(rim, [*rim[1:], rim[0]], strict=True):
        one, other = pair if tip > base else pair[::-1]
        triangles += [(0.0, 0.0, tip), one, other, (0.0, 0.0, base), other, one]
    return triangles


class Handle(GizmoPart):
    """How it looks, and how it is dragged."""

    __slots__ = ()  # a gizmo names its own: "shape", and what a drag needs
    form = _RADIUS, _HEIGHT, 0.0, _SIDES  # of its cone, which stands on its tip

    if TYPE_CHECKING:
        which: str  # of both
        shape: Any

    def setup(self) -> None:
        if not hasattr(self, "shape"):
            self.shape = self.new_custom_shape("TRIS", cone(*self.form))

    def draw(self, _context: bpy.types.Context) -> None:
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context: bpy.types.Context, select_id: int) -> None:  # type: ignore[override]
        self.draw_custom_shape(self.shape, select_id=select_id)

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        """It is taken hold of. Returns whether there is anything to drag."""
        raise NotImplementedError

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        """To where the mouse is."""
        raise NotImplementedError

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        return {"RUNNING_MODAL"} if self.begin(context, event) else {"CANCELLED"}

    def modal(  # type: ignore[override]
        self, context: bpy.types.Context, event: bpy.types.Event, _tweak: set[str]
    ) -> set[str]:
        self.drag(context, event)
        return {"RUNNING_MODAL"}


class Handles(GizmoGroupPart):
    """Handles of one kind."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}
    kind = ""  # of gizmo

    def new_handle(self) -> Any:
        """One more."""
        handle: Any = self.gizmos.new(self.kind)
        handle.alpha, handle.alpha_highlight, handle.use_draw_modal = 0.9, 1.0, True
        return handle


class BothHandles(Handles):
    """A handle for each end."""

    if TYPE_CHECKING:
        handles: dict[str, Any]

    def setup(self, _context: bpy.types.Context) -> None:
        self.handles = {which: self.new_handle() for which in _COLORS}
        for which, handle in self.handles.items():
            handle.which, handle.color = which, _COLORS[which]
            handle.color_highlight = tuple(min(1.0, part + _BRIGHT) for part in _COLORS[which])


def ray_under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> tuple[Vector, Vector]:
    """Where the eye's ray through the mouse begins, and its direction."""
    from bpy_extras import view3d_utils

    mouse = (event.mouse_region_x, event.mouse_region_y)
    region, view = not_none(context.region), cast("bpy.types.RegionView3D", context.region_data)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    return origin, view3d_utils.region_2d_to_vector_3d(region, view, mouse)


def under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> Vector | None:
    """The first surface of the scene under the mouse."""
    ray = ray_under_mouse(context, event)
    found: Any = scene_of(context).ray_cast(context.evaluated_depsgraph_get(), *ray)  # the stubs know no tuple
    return found[1] if found[0] else None
