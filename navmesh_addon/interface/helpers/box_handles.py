"""A handle on each side of a box volume: dragged, that side moves and the one across stays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
from mathutils import Matrix, Vector
from mathutils.geometry import intersect_line_line

from ...blender_types import scene_of
from ...stored.area_types import area_color, area_rows
from ...stored.object_properties import marks_of, object_use
from ..questions.ground_handles import Handle, Handles, ray_under_mouse

BOXES = ("VOLUME", "BOUNDS", "DOOR", "OBSTACLE", "RESOLUTION")  # uses of objects that are boxes
_SIDES = tuple((axis, is_far) for axis in range(3) for is_far in (False, True))
_THIN = 1e-9  # the determinant of what is scaled to nothing
_LEAST = 0.02  # metres that a box keeps
_RADIUS, _LENGTH, _GAP, _ROUND = 0.14, 0.42, 0.12, 14  # of the cone, in the size of gizmos
_BRIGHT = 0.35  # lighter under the mouse


class BoxSide(NamedTuple):
    """One side of an object's box, in the scene's coordinates."""

    middle: Vector
    across: Vector  # the middle of the side that it faces away from
    outward: Vector  # of length 1


def box_with_handles(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object, where its sides can be dragged."""
    object_ = context.object
    if context.scene is None or context.mode != "OBJECT" or object_ is None or object_.library is not None:
        return None
    is_box = object_.type == "MESH" and object_use(object_) in BOXES and object_.select_get()
    return object_ if is_box and abs(object_.matrix_world.determinant()) > _THIN else None


def side_of(object_: bpy.types.Object, axis: int, is_far: bool) -> BoxSide:
    """Of the box that its own axes span."""
    corners = [Vector(corner) for corner in object_.bound_box]
    low, high = (Vector([pick(c[k] for c in corners) for k in range(3)]) for pick in (min, max))
    middle, across = (low + high) / 2, (low + high) / 2
    middle[axis], across[axis] = (high[axis], low[axis]) if is_far else (low[axis], high[axis])
    placed, opposite = (object_.matrix_world @ point for point in (middle, across))
    return BoxSide(placed, opposite, (placed - opposite).normalized())


def move_side(object_: bpy.types.Object, axis: int, is_far: bool, length: float) -> None:
    """Let a box be so long along one of its axes, in the scene's units, and the side across stay where it is."""
    before = side_of(object_, axis, is_far)
    now = (before.middle - before.across).length
    if now <= 0:
        return
    grown = Matrix.Identity(4)
    grown[axis][axis] = length / now
    matrix = object_.matrix_world @ grown
    corners = [matrix @ object_.matrix_world.inverted() @ point for point in (before.across,)]
    matrix.translation += before.across - corners[0]
    object_.matrix_world = matrix


class NAVMESH_GT_box_side(Handle, bpy.types.Gizmo):
    """A cone that stands on a side of a box"""

    bl_idname = "NAVMESH_GT_box_side"
    __slots__ = ("axis", "before", "is_far", "shape", "started")
    form = _RADIUS, _GAP, _GAP + _LENGTH, _ROUND  # which points up, a little above the side

    if TYPE_CHECKING:
        axis: int
        is_far: bool
        before: Matrix
        started: float

    def begin(self, context: bpy.types.Context, event: bpy.types.Event) -> bool:
        object_ = box_with_handles(context)
        if object_ is not None:
            side = side_of(object_, self.axis, self.is_far)
            self.before = object_.matrix_world.copy()
            self.started = along(context, event, side) - (side.middle - side.across).length
        return object_ is not None

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        object_ = box_with_handles(context)
        if object_ is not None:
            length = along(context, event, side_of(object_, self.axis, self.is_far)) - self.started
            least = _LEAST / scene_of(context).unit_settings.scale_length
            move_side(object_, self.axis, self.is_far, max(least, length))

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        object_ = box_with_handles(context)
        if object_ is not None and cancel:
            object_.matrix_world = self.before
        elif object_ is not None:
            bpy.ops.ed.undo_push(message="Move BoxSide")


def along(context: bpy.types.Context, event: bpy.types.Event, side: BoxSide) -> float:
    """How far from the side across the mouse is, along the line through both."""
    origin, way = ray_under_mouse(context, event)
    met: Any = intersect_line_line(side.across, side.across + side.outward, origin, origin + way)
    if met is None:  # one looks along it
        return (side.middle - side.across).length
    return float((met[0] - side.across).dot(side.outward))


class NAVMESH_GGT_box(Handles, bpy.types.GizmoGroup):
    """Handles on all six sides"""

    bl_idname = "NAVMESH_GGT_box"
    bl_label = "Navmesh Box"
    kind = NAVMESH_GT_box_side.bl_idname

    if TYPE_CHECKING:
        sides: list[Any]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return box_with_handles(context) is not None

    def setup(self, _context: bpy.types.Context) -> None:
        self.sides = []
        for axis, is_far in _SIDES:
            handle = self.new_handle()
            handle.axis, handle.is_far = axis, is_far
            self.sides.append(handle)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        object_ = box_with_handles(context)
        if object_ is None:
            return
        color = color_of_box(scene_of(context), object_)
        for handle in self.sides:
            side = side_of(object_, handle.axis, handle.is_far)
            turned = side.outward.to_track_quat("Z", "Y").to_matrix().to_4x4()
            handle.matrix_basis = Matrix.Translation(side.middle) @ turned
            handle.color = color
            handle.color_highlight = tuple(min(1.0, part + _BRIGHT) for part in color)


def color_of_box(scene: bpy.types.Scene, object_: bpy.types.Object) -> tuple[float, float, float]:
    """That of its area; white for bounds, red for what takes ground away."""
    if object_use(object_) == "BOUNDS":
        return 0.9, 0.9, 0.9
    area = marks_of(object_).area
    return (0.8, 0.15, 0.15) if area < 0 else area_color(area_rows(scene), area)
