"""The table of what can be added. A new use of objects is one row here: menus, buttons and search follow."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import bpy
from mathutils import Vector

from ...blender_types import Icon
from ...stored.edit_objects import EditShape, new_edit
from ...stored.object_properties import EDITS, NOT_WALKABLE, marks_of

Size = Callable[[float], float]  # metres in the scene's units
_AHEAD, _UP, _DOWN = 2.0, 2.5, 2.0  # metres that a new link reaches, a ladder rises, a drop falls
_LADDER_STEP, _DROP_STEP = 0.8, 1.2  # metres that they reach
_BOX, _BLOCKER, _BOUNDS = (4.0, 4.0, 2.0), (2.0, 2.0, 2.0), (20.0, 20.0, 10.0)  # metres
_DOOR = 4.0, 1.0, 2.5  # metres: wider than an opening, as what is left open beside it is a way
_FINER = 6.0, 6.0, 2.0  # metres
_LOWER = 0.1  # a part of a box that lies in the ground, so that it holds ground on slopes, too
_SEED = 0.5  # metres
_EDIT, _PATCH = 2.0, (1.0, 3.0)  # metres: sides of what marks ground, and of new ground
_BELOW, _ABOVE = 0.5, 1.0  # metres that an edit marks below and above where it lies
_CORNERS = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


class Place(NamedTuple):
    """Where something is added."""

    on_ground: Vector  # below the 3D cursor
    forward: Vector  # along the ground, as the 3D cursor or the view looks
    metres: float  # of the level to one of Blender's units
    agent_metres: float  # likewise, of lengths that are an agent's: not scaled with the level
    area: int  # of the area type that is chosen in the list; a volume gets it

    def units(self, metres: float) -> float:
        return metres / self.metres


class HelperKind(NamedTuple):
    """One row: what it is called, and what makes it."""

    kind: str
    label: str
    icon: Icon
    about: str  # for people
    make: Callable[[Place], bpy.types.Object]
    beside: str = ""  # in the tab Mark, whose rows are few: the kind whose button it stands beside, as an icon


def _link(name: str, place: Place, start: Vector, end: Vector, both_ways: bool) -> bpy.types.Object:
    """A curve of two points."""
    data = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(1)
    for point, at in zip(spline.points, (start, end), strict=True):
        point.co = (at - place.on_ground).to_4d()  # with a weight of 1
    curve = bpy.data.objects.new(name, data)
    curve.location = place.on_ground
    marks = marks_of(curve)
    marks.use, marks.link_bidirectional, marks.link_radius = "LINK", both_ways, 0.6 / place.agent_metres
    return curve


def _jump(place: Place) -> bpy.types.Object:
    half = place.forward * place.units(_AHEAD / 2)
    return _link("Link", place, place.on_ground - half, place.on_ground + half, True)


def _ladder(place: Place) -> bpy.types.Object:
    top = place.on_ground + place.forward * place.units(_LADDER_STEP) + Vector((0, 0, place.units(_UP)))
    return _link("Ladder", place, place.on_ground, top, True)


def _drop(place: Place) -> bpy.types.Object:
    end = place.on_ground + place.forward * place.units(_DROP_STEP) - Vector((0, 0, place.units(_DOWN)))
    return _link("Drop", place, place.on_ground, end, False)


def box(name: str, place: Place, size: Sequence[float], use: str) -> bpy.types.Object:
    """A box that stands on the ground, and reaches into it a little. Its size is its scale: handles change that."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(_CORNERS, [], _FACES)
    object_ = bpy.data.objects.new(name, mesh)
    half = [place.units(part / 2) for part in size]
    object_.scale = half
    object_.location = place.on_ground + Vector((0, 0, half[2] * (1 - 2 * _LOWER)))
    object_.rotation_euler.z = place.forward.to_2d().angle_signed(Vector((1, 0)), 0.0) if use != "BOUNDS" else 0.0
    marks_of(object_).use = use
    return object_


def _area_volume(place: Place) -> bpy.types.Object:
    object_ = box("Area Volume", place, _BOX, "VOLUME")
    marks_of(object_).area = place.area
    return object_


def _blocker(place: Place) -> bpy.types.Object:
    object_ = box("Blocker", place, _BLOCKER, "VOLUME")
    marks_of(object_).area = NOT_WALKABLE
    return object_


def _bounds(place: Place) -> bpy.types.Object:
    return box("Bounds", place, _BOUNDS, "BOUNDS")


def _door(place: Place) -> bpy.types.Object:
    return box("Door", place, _DOOR, "DOOR")


def _resolution(place: Place) -> bpy.types.Object:
    return box("Resolution", place, _FINER, "RESOLUTION")


def _obstacle(place: Place) -> bpy.types.Object:
    object_ = box("Obstacle", place, _BLOCKER, "OBSTACLE")
    object_.display_type, object_.hide_render = "WIRE", True
    return object_


def _seed(place: Place) -> bpy.types.Object:
    empty = bpy.data.objects.new("Seed", None)
    empty.empty_display_type, empty.empty_display_size = "SINGLE_ARROW", place.units(_SEED)
    empty.location = place.on_ground
    marks_of(empty).use = "SEED"
    return empty


def _edit(kind: str, wide: float, long: float) -> Callable[[Place], bpy.types.Object]:
    """A rectangle on the ground."""

    def make(place: Place) -> bpy.types.Object:
        ahead = place.forward * place.units(long / 2)
        aside = Vector((ahead.y, -ahead.x, 0)).normalized() * place.units(wide / 2)
        middle = place.on_ground
        points = [middle - aside - ahead, middle + aside - ahead, middle + aside + ahead, middle - aside + ahead]
        shape = EditShape([p.to_tuple() for p in points], [(0, 1, 2, 3)], place.units(_BELOW), place.units(_ABOVE))
        object_ = new_edit(kind, shape, place.metres)
        if kind == "AREA":
            marks_of(object_).area = place.area
        return object_

    return make


def _keep(place: Place) -> bpy.types.Object:
    return new_edit("KEEP", EditShape([place.on_ground.to_tuple()]), place.metres)


KINDS = (
    HelperKind("LINK", "Link", "LINKED", "A jump or a passage, both ways. Drag its ends", _jump),
    HelperKind("LADDER", "Ladder", "TRIA_UP_BAR", "A way up and down. Drag its ends", _ladder),
    HelperKind("DROP", "Drop", "TRIA_DOWN_BAR", "A way down, and none back. Drag its ends", _drop),
    HelperKind("VOLUME", "Area Volume", "CUBE", "Gives the ground in it the area of the list, or Water", _area_volume),
    HelperKind("BLOCKER", "Blocker", "CANCEL", "Takes the ground in it out of the navmesh", _blocker),
    HelperKind("BOUNDS", "Bounds", "SHADING_BBOX", "The navmesh is built within its box", _bounds),
    HelperKind("SEED", "Seed", "PIVOT_CURSOR", "Agents set out here: what they can reach is kept", _seed),
    HelperKind("DOOR", "Door", "UNLOCKED", "Polygons of its own, which a game opens and closes", _door),
    HelperKind("OBSTACLE", "Obstacle", "MESH_CUBE", "Comes and goes while a game runs: a crate, a cart", _obstacle),
    HelperKind("RESOLUTION", "Resolution", "LATTICE_DATA", "Finer or coarser cells around it", _resolution, "VOLUME"),
    HelperKind("BLOCK", "Block", "X", "No ground within it, exactly as drawn", _edit("BLOCK", _EDIT, _EDIT)),
    HelperKind(
        "AREA", "Area", "BRUSH_DATA", "Gives the ground its area, exactly as drawn", _edit("AREA", _EDIT, _EDIT)
    ),
    HelperKind("KEEP", "Keep", "PINNED", "The island that it stands on stays, however small it is", _keep),
    HelperKind("PATCH", "Patch", "MESH_PLANE", "Ground of your own: edit its faces", _edit("PATCH", *_PATCH)),
)
ON_GROUND = tuple(row for row in KINDS if row.kind in EDITS)  # what changes the finished ground by hand
