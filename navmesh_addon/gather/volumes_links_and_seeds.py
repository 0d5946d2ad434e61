"""Objects that say something about the level without being part of it: area volumes, links, bounds, seeds."""

from __future__ import annotations

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ..axes import Transform, to_navcore
from ..blender_types import curve_of
from ..stored.object_properties import MARKERS, PLAIN, marks_of, object_use
from ..stored.source_objects import KINDS
from .convex_outline import convex_outline, covered_part
from .gathered_level import SceneItem
from .mesh_arrays import mesh_points, raw_mesh

_CONVEX = 0.97  # this part of its hull a convex object covers: less is no rounding error
_CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
LinkEnd = tuple[float, ...]  # three numbers


def marker_of(object_: bpy.types.Object) -> str:
    """VOLUME, LINK, BOUNDS, SEED, or "" for an object that is none of them."""
    use = object_use(object_)
    return use if use in MARKERS else ""


class Markers:
    """Collects what marked objects say, in navcore's form."""

    def __init__(self, metres_per_unit: float) -> None:
        self._metres = metres_per_unit
        self.volumes: list[SceneItem] = []
        self.links: list[SceneItem] = []
        self.seeds: list[SceneItem] = []
        self._corners: list[npt.NDArray[np.float32]] = []
        self._notes: list[tuple[str, str, str]] = []
        self.watched: set[str] = set()

    def add(self, object_: bpy.types.Object, evaluated: bpy.types.Object, matrix: mathutils.Matrix) -> None:
        """Take one marked object; `evaluated` is what the viewport shows of it."""
        transform = to_navcore(matrix, self._metres)
        kind = marker_of(object_)
        if kind != "SEED":
            self.watched.add(object_.name)
        if kind == "LINK":
            self._add_link(object_, evaluated, transform)
            return
        if kind == "SEED":
            self._add_seed(object_, transform)
            return
        local, faces = _outline(evaluated)
        points = transform.points(local)
        if len(points) == 0 or not np.isfinite(points).all():
            self._note("BAD_MARKER", "has no size: it marks nothing. Scale it up", object_)
        elif kind == "BOUNDS":
            self._corners.append(points)
        else:
            self._add_volume(object_, points, faces)

    def _note(self, code: str, message: str, object_: bpy.types.Object) -> None:
        self._notes.append((code, message, object_.name))

    def _add_volume(
        self, object_: bpy.types.Object, points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32]
    ) -> None:
        hull = convex_outline(points[:, [0, 2]])
        if len(hull) < 3:
            self._note("BAD_MARKER", "covers no ground: it marks nothing. Give it an extent along X and Y", object_)
            return
        if covered_part(hull, points[:, [0, 2]], faces) < _CONVEX:
            why = "is not convex: all ground within its hull gets its area. Divide it into convex objects"
            self._note("NOT_CONVEX", why, object_)
        area = int(marks_of(object_).area)
        self.volumes.append({
            "shape": "convex",
            "area": 0 if area < 0 else (area or PLAIN),
            "min_height": float(points[:, 1].min()),
            "max_height": float(points[:, 1].max()),
            "points": hull,
        })  # fmt: skip

    def _add_link(self, object_: bpy.types.Object, evaluated: bpy.types.Object, transform: Transform) -> None:
        marks = marks_of(object_)
        ends = _curve_ends(evaluated) if object_.type == "CURVE" else self._empty_ends(object_)
        if not ends:
            self._note(
                "BAD_MARKER",
                "links nothing. Choose the empty where the link ends, or give the curve two points",
                object_,
            )
        for start, end in ends:
            points = transform.points(np.array([start, end]))
            self.links.append({
                "start": points[0].tolist(),
                "end": points[1].tolist(),
                "radius": float(f"{marks.link_radius * self._metres:.6g}"),
                "bidirectional": bool(marks.link_bidirectional),
                "area": int(marks.link_area),
                "flags": int(marks.link_flags),
                "id": int(marks.link_id),
                "name": object_.name,
            })  # fmt: skip

    def _add_seed(self, object_: bpy.types.Object, transform: Transform) -> None:
        point = transform.points(np.zeros((1, 3)))[0]
        if np.isfinite(point).all():
            self.seeds.append({"point": point.tolist(), "name": object_.name})
        else:
            self._note(
                "BAD_MARKER", "its location is no number: nothing sets out from it. Clear its location (Alt G)", object_
            )

    def _empty_ends(self, object_: bpy.types.Object) -> list[tuple[LinkEnd, LinkEnd]]:
        """From the empty to its target, in the empty's own coordinates."""
        target = marks_of(object_).link_end
        if (
            target is None
            or target == object_
            or not target.users_scene
            or abs(object_.matrix_world.determinant()) < 1e-12
        ):
            return []
        self.watched.add(target.name)
        end = object_.matrix_world.inverted() @ target.matrix_world.translation
        return [((0.0, 0.0, 0.0), end.to_tuple())]

    @property
    def bounds(self) -> tuple[float, ...] | None:
        if not self._corners:
            return None
        points = np.concatenate(self._corners)
        return (*points.min(0).tolist(), *points.max(0).tolist())

    def finish(self) -> list[tuple[str, str, str]]:
        """What was wrong: code, message, object."""
        return self._notes


def _outline(
    evaluated: bpy.types.Object,
) -> tuple[npt.NDArray[np.float32] | npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points, in own coordinates, whose hull is the object, and the triangles between them where there are some."""
    if evaluated.type == "EMPTY":
        return _CUBE * evaluated.empty_display_size, np.empty((0, 3), np.int32)
    if evaluated.type in KINDS:
        mesh = evaluated.to_mesh()
        raw = raw_mesh(mesh, [])
        points = raw.vertices if len(raw.triangles) else mesh_points(mesh)  # a curve that is not filled has edges alone
        evaluated.to_mesh_clear()
        return points, raw.triangles
    return np.array(evaluated.bound_box, np.float64), np.empty((0, 3), np.int32)


def _curve_ends(evaluated: bpy.types.Object) -> list[tuple[LinkEnd, LinkEnd]]:
    """First and last point of every spline."""
    ends = []
    for spline in curve_of(evaluated).splines:
        points = spline.bezier_points if spline.type == "BEZIER" else spline.points
        if len(points) > 1:
            ends.append((tuple(points[0].co[:3]), tuple(points[-1].co[:3])))
    return ends
