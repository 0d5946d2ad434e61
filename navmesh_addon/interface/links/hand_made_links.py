"""Links made by hand: a curve of a found one, and ends that go onto the navmesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import BoolProperty

from ....navcore.errors import NavmeshError
from ...ask.asked_navmesh import snapped
from ...blender_types import lines_of, not_none, scene_of, view_layer_of
from ...objects.navmesh_objects import metres_of
from ...operator_types import Acting, Answer
from ...stored.object_properties import marks_of, object_use
from ..questions.ground_handles import START
from .link_operators import OnLink

if TYPE_CHECKING:
    from collections.abc import Sequence

    import mathutils

    from ...stored.link_rows import Decisions

_SPACING = 2.0  # metres, where the navmesh has forgotten its own
_LEAST_RADIUS = 0.1  # metres
_FLAT = 1e-12  # the determinant of an object that is scaled to nothing


class NAVMESH_OT_link_to_object(OnLink, bpy.types.Operator):
    """Make a link object of this found link, a curve to edit as you like, and reject the found one"""

    bl_idname = "navmesh.link_to_object"
    bl_label = "To Object"

    def decide(self, context: bpy.types.Context, decisions: Decisions, row: int) -> Decisions:
        import numpy as np

        from ...objects.write_links import without

        curve = _curve(context, decisions, row)
        self.report({"INFO"}, f"Added “{curve.name}” in its place. Build again to use it.")
        return without(decisions, np.arange(len(decisions.shown.ids)) == row)


def _curve(context: bpy.types.Context, decisions: Decisions, row: int) -> bpy.types.Object:
    """A spline for each point that would stand for the link in files."""
    from ...axes import to_blender
    from ...stored.link_rows import KINDS, points_along

    scene, shown = scene_of(context), decisions.shown
    metres = metres_of(scene)
    data = bpy.data.curves.new(f"{KINDS[shown.kinds[row]].title()} Link", "CURVE")
    data.dimensions = "3D"
    ends = points_along(shown, row, _spacing(scene))
    for pair in ends:
        spline = data.splines.new("POLY")
        spline.points.add(1)
        for point, place in zip(spline.points, to_blender(pair, metres).tolist(), strict=True):
            point.co = (*place, 1.0)
    curve = bpy.data.objects.new(data.name, data)
    not_none(scene.collection).objects.link(curve)
    marks = marks_of(curve)
    marks.use, marks.link_bidirectional = "LINK", bool(shown.two_way[row])
    radius = max(_LEAST_RADIUS, float(shown.widths[row]) / 2 / len(ends))
    marks.link_radius = radius / scene.unit_settings.scale_length
    marks.link_area, marks.link_flags = int(shown.areas[row]), int(shown.flags[row])
    view_layer_of(context).update()
    return curve


def _spacing(scene: bpy.types.Scene) -> float:
    from ...objects.built_from import remembered
    from ...objects.navmesh_objects import navmesh_of

    try:
        return remembered(navmesh_of(scene))[0].link_spacing
    except NavmeshError:
        return _SPACING


class NAVMESH_OT_snap_link_ends(Acting, bpy.types.Operator):
    """Bring the ends of the selected links that were made by hand onto the navmesh"""

    bl_idname = "navmesh.snap_link_ends"
    bl_label = "Snap Ends"

    if TYPE_CHECKING:
        all_links: bool
    __annotations__ = {
        "all_links": BoolProperty(
            name="All", description="Of all links in the scene, not only of those that are selected"
        )
    }

    def act(self, context: bpy.types.Context) -> Answer | None:
        scene = scene_of(context)
        chosen = scene.objects if self.all_links else context.selected_objects
        links = [object_ for object_ in chosen if object_use(object_) == "LINK" and object_.library is None]
        if not links:
            return self.refuse("No link is selected. Select curves or empties whose use is Link.")
        moved = missed = 0
        for object_ in links:
            done, lost = _snap_curve(scene, object_) if object_.type == "CURVE" else _snap_empties(scene, object_)
            moved, missed = moved + done, missed + lost
        view_layer_of(context).update()
        text = f"Moved {moved:,} end{'s' * (moved != 1)} onto the navmesh."
        if missed:
            text += f" {missed:,} have none within reach: move them nearer."
        self.say(not missed, text)
        return None


def _snap_curve(scene: bpy.types.Scene, object_: bpy.types.Object) -> tuple[int, int]:
    """How many ends moved, and how many have no navmesh nearby."""
    matrix = object_.matrix_world
    if abs(matrix.determinant()) < _FLAT:
        return 0, 0
    moved = missed = 0
    for points in lines_of(object_):
        for point in (points[0], points[-1]):
            place = matrix @ point.co.to_3d()
            [target] = snapped(scene, [(place.x, place.y, place.z)])
            if target is None:
                missed += 1
                continue
            _put_point(object_, point, target)
            moved += 1
    return moved, missed


def _snap_empties(scene: bpy.types.Scene, object_: bpy.types.Object) -> tuple[int, int]:
    """Both the empty and the one where it leads."""
    target = marks_of(object_).link_end
    moved = missed = 0
    for empty in (object_, target):
        if empty is None or empty.library is not None:
            continue
        here = empty.matrix_world.translation
        [place] = snapped(scene, [(here.x, here.y, here.z)])
        if place is None:
            missed += 1
            continue
        _put_empty(empty, place)
        moved += 1
    return moved, missed


def put_end(object_: bpy.types.Object, which: str, place: Sequence[float]) -> None:
    """The end of a link made by hand to a place of the scene; of a curve that of its first spline."""
    if object_.type != "CURVE":
        empty = object_ if which == START else marks_of(object_).link_end
        if empty is not None:
            _put_empty(empty, place)
        return
    lines = lines_of(object_)
    if lines and abs(object_.matrix_world.determinant()) >= _FLAT:
        _put_point(object_, lines[0][0 if which == START else -1], place)


def _put_point(curve: bpy.types.Object, point: Any, place: Sequence[float]) -> None:
    """With its handles, where it has them."""
    there = curve.matrix_world.inverted() @ _vector(place)
    if isinstance(point, bpy.types.BezierSplinePoint):
        shift = there - point.co
        point.handle_left, point.handle_right = point.handle_left + shift, point.handle_right + shift
        point.co = there
    else:
        point.co = (there.x, there.y, there.z, point.co[3])


def _put_empty(empty: bpy.types.Object, place: Sequence[float]) -> None:
    matrix = empty.matrix_world.copy()
    matrix.translation = _vector(place)
    empty.matrix_world = matrix


def _vector(place: Sequence[float]) -> mathutils.Vector:
    import mathutils

    return mathutils.Vector(place)
