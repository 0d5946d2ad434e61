"""Objects that say something about the level without being part of it: volumes, links, bounds, seeds, edits."""

from __future__ import annotations

import math

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ..axes import Transform, to_navcore
from ..blender_types import lines_of
from ..mesh_attributes import points_of
from ..stored.object_properties import (
    EDITS,
    MARKERS,
    PLAIN,
    asked_by_door,
    door_of,
    marks_of,
    object_use,
    resolution_of,
    setup_of,
)
from ..stored.setup_properties import KINDS
from .edit_outlines import digest_of, items_of, made_of
from .gathered_level import DROP, OwnedEdit, SceneDoor, SceneItem, SceneObstacle
from .mesh_arrays import raw_mesh
from .obstacle_shapes import obstacle_items

# --- The convex hull of points seen from above, and how much of it triangles cover. Needs NumPy alone.

_SAMPLES = 24  # along each side, to see how much is covered
_UPRIGHT = 1e-6  # of a hull's box: what covers no more of it, seen from above, is a wall
_NEARLY = 0.98
_AT_ONCE = 2000  # triangles: what is compared with all samples has to fit into memory


def convex_outline(points: npt.ArrayLike) -> list[list[float]]:
    """The corners of the convex hull of (N, 2) points, in order (Andrew's monotone chain)."""
    ordered = np.unique(np.asarray(points, np.float64), axis=0).tolist()
    if len(ordered) < 3:
        return ordered
    return _chain(ordered)[:-1] + _chain(ordered[::-1])[:-1]


def _chain(points: list[list[float]]) -> list[list[float]]:
    kept: list[list[float]] = []
    for point in points:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], point) <= 0:
            kept.pop()
        kept.append(point)
    return kept


def _turn(a: list[float], b: list[float], c: list[float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def covered_part(hull: list[list[float]], points: npt.NDArray[np.float32], triangles: npt.NDArray[np.int32]) -> float:
    """Which part of a hull its triangles cover, seen from above. Where there are only walls these tell: 1 where they
    stand along the hull, else 0."""
    outline = np.array(hull)
    low, high = outline.min(0), outline.max(0)
    corners = points[triangles].astype(np.float64)
    if not (np.abs(_twice_area(corners)) > _UPRIGHT * (high - low).prod()).any():
        return float(_is_along(points[np.unique(triangles)].astype(np.float64), outline))
    steps = (np.arange(_SAMPLES) + 0.5) / _SAMPLES
    grid = np.stack(np.meshgrid(*(low + (high - low) * steps[:, None]).T), axis=-1).reshape(-1, 2)
    inside = grid[_within(grid, outline[None])]
    missed = inside
    flat = _twice_area(corners) < 0
    corners[flat] = corners[flat][:, ::-1]  # all turn the way the hull does
    for first in range(0, len(corners), _AT_ONCE):
        missed = missed[~_within(missed, corners[first : first + _AT_ONCE])]
    return 1.0 - len(missed) / max(1, len(inside))


def _is_along(points: npt.NDArray[np.float64], outline: npt.NDArray[np.float64]) -> bool:
    """Whether no point lies inside of a convex outline."""
    middle = outline.mean(0)
    smaller = middle + (outline - middle) * _NEARLY
    return not _within(points, smaller[None]).any() if len(points) else True


def _within(points: npt.NDArray[np.float64], outlines: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """(N,) whether a point lies in one of (K, corners, 2) convex outlines that turn counterclockwise."""
    found = np.ones((len(points), len(outlines)), bool)
    slack = 1e-6 * np.ptp(outlines, axis=(0, 1)).max()
    for k in range(outlines.shape[1]):
        start, end = outlines[:, k - 1], outlines[:, k]
        along = end - start
        length = np.maximum(np.hypot(*along.T), 1e-30)
        away = points[:, None, :] - start
        found &= along[:, 0] * away[:, :, 1] - along[:, 1] * away[:, :, 0] >= -slack * length
    return found.any(axis=1)


def _twice_area(triangles: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    a, b = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0]
    return a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


_CONVEX = 0.97  # this part of its hull a convex object covers: less is no rounding error
_OF_HULLS = {"DOOR": "is the door", "RESOLUTION": "gets its cells"}
_CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)
LinkEnd = tuple[float, ...]  # three numbers


def marker_of(object_: bpy.types.Object) -> str:
    """One of MARKERS, or "" for an object that is none of them."""
    use = object_use(object_)
    return use if use in MARKERS else ""


class Markers:
    """Collects what marked objects say, in navcore's form."""

    def __init__(self, metres_per_unit: float, agent_metres: float | None = None) -> None:
        """`agent_metres`: in a unit of lengths that are an agent's, where the level is built larger than it is."""
        self._metres, self._agent_metres = metres_per_unit, agent_metres or metres_per_unit
        self.volumes: list[SceneItem] = []
        self.links: list[SceneItem] = []
        self.seeds: list[SceneItem] = []
        self.edits: list[OwnedEdit] = []
        self.obstacles: list[SceneObstacle] = []
        self.doors: list[SceneDoor] = []
        self._corners: list[npt.NDArray[np.float32]] = []
        self.notes: list[tuple[str, str, str]] = []  # what is wrong: code, message, object
        self.watched: set[int] = set()  # session_uids
        self.seeds_watched: set[int] = set()

    def add(
        self, object_: bpy.types.Object, evaluated: bpy.types.Object, matrix: mathutils.Matrix, shown_by: str = ""
    ) -> None:
        """Take one marked object; `evaluated` is what the viewport shows of it, `shown_by` whose instance it is."""
        transform = to_navcore(matrix, self._metres)
        kind = marker_of(object_)
        if kind not in ("DROP", "OBSTACLE", *EDITS):  # which no navmesh watches, or only those of its setup
            (self.seeds_watched if kind == "SEED" else self.watched).add(object_.session_uid)
        if kind == "LINK":
            self._add_link(object_, evaluated, transform)
        elif kind == "SEED":
            self._add_seed(object_, transform)
        elif kind == "DROP":
            self._add_drop(object_, transform)
        elif kind in EDITS:
            self._add_edit(object_, evaluated, transform)
        else:
            self._add_shape(object_, evaluated, matrix, shown_by)

    def _add_shape(
        self, object_: bpy.types.Object, evaluated: bpy.types.Object, matrix: mathutils.Matrix, shown_by: str
    ) -> None:
        """What marks the ground in it."""
        local, faces = _outline(evaluated)
        points = to_navcore(matrix, self._metres).points(local)
        if len(points) == 0 or not np.isfinite(points).all():
            self._note("BAD_MARKER", "has no size: it marks nothing. Scale it up", object_)
        elif marker_of(object_) == "BOUNDS":
            self._add_bounds(object_, points)
        elif marker_of(object_) == "OBSTACLE":
            self._add_obstacle(object_, points, matrix, shown_by)
        else:
            self._add_volume(object_, points, faces, shown_by)

    def _note(self, code: str, message: str, object_: bpy.types.Object) -> None:
        self.notes.append((code, message, object_.name))

    def _add_bounds(self, object_: bpy.types.Object, points: npt.NDArray[np.float32]) -> None:
        if (np.ptp(points[:, [0, 2]], axis=0) > 0).all():
            self._corners.append(points)
        else:
            self._note("BAD_MARKER", "covers no ground: it bounds nothing. Give it an extent along X and Y", object_)

    def _add_volume(
        self, object_: bpy.types.Object, points: npt.NDArray[np.float32], faces: npt.NDArray[np.int32], shown_by: str
    ) -> None:
        hull = convex_outline(points[:, [0, 2]])
        if len(hull) < 3:
            self._note("BAD_MARKER", "covers no ground: it marks nothing. Give it an extent along X and Y", object_)
            return
        if covered_part(hull, points[:, [0, 2]], faces) < _CONVEX:
            what = _OF_HULLS.get(marker_of(object_), "gets its area")
            why = f"is not convex: all ground within its hull {what}. Divide it into convex objects"
            self._note("NOT_CONVEX", why, object_)
        said: SceneItem = {"area": _area_of_volume(object_)}
        if marker_of(object_) == "DOOR":
            said = self._of_door(object_, shown_by)
        elif marker_of(object_) == "RESOLUTION":
            said = {"resolution": resolution_of(object_)}
        self.volumes.append({
            "shape": "convex",
            **said,
            "min_height": float(points[:, 1].min()),
            "max_height": float(points[:, 1].max()),
            "points": hull,
        })  # fmt: skip

    def _add_obstacle(
        self, object_: bpy.types.Object, points: npt.NDArray[np.float32], matrix: mathutils.Matrix, shown_by: str
    ) -> None:
        outline, forward = convex_outline(points[:, [0, 2]]), matrix.col[0]
        if len(outline) < 3:
            self._note(
                "BAD_MARKER", "covers no ground: it is in nobody's way. Give it an extent along X and Y", object_
            )
            return
        angle = math.atan2(forward[1], forward[0])
        items = tuple(obstacle_items(str(marks_of(object_).obstacle_shape), points, angle, outline))
        self.obstacles.append(SceneObstacle(object_.session_uid, object_.name, shown_by, items))

    def _of_door(self, object_: bpy.types.Object, shown_by: str) -> SceneItem:
        """Its name and its states; its ground keeps the area it has, where it says none."""
        marks, area = marks_of(object_), int(marks_of(object_).area)
        if area < 0:
            why = "is a door, whose ground must be walkable: its area was left out. Give it another, or close the door"
            self._note("BAD_MARKER", why, object_)
        item: SceneItem = {"area": area} if area > 0 else {}
        name = door_of(object_, shown_by)
        self.doors.append(SceneDoor(name, object_.session_uid, object_.name))
        said = {"closed": bool(marks.door_closed), "ability": asked_by_door(object_)}
        others = [volume for volume in self.volumes if volume.get("door") == name]
        if others and any(others[-1][key] != value for key, value in said.items()):
            why = f"says another state than the other parts of the door “{name}”. Make them the same, or rename one"
            self._note("BAD_MARKER", why, object_)
        return {**item, "door": name, **said}

    def _add_link(self, object_: bpy.types.Object, evaluated: bpy.types.Object, transform: Transform) -> None:
        marks = marks_of(object_)
        ends = _curve_ends(evaluated) if object_.type == "CURVE" else self._empty_ends(object_)
        if not ends:
            why = "links nothing. Choose the empty where the link ends, or give the curve two points"
            if object_.type != "CURVE" and _has_no_size(object_):
                why = "links nothing, as its scale is 0. Clear it (Alt S)"
            self._note("BAD_MARKER", why, object_)
        radius = float(f"{marks.link_radius * self._agent_metres:.6g}")
        if ends and not 0 < radius < math.inf:
            self._note("BAD_MARKER", f"its radius is {radius:g} m: it links nothing. Give it one above 0", object_)
            return
        for start, end in ends:
            points = transform.points(np.array([start, end]))
            if not np.isfinite(points).all():
                why = "an end of it is at no number: it links nothing. Clear its location (Alt G), also of its target"
                self._note("BAD_MARKER", why, object_)
                continue
            self.links.append({
                "start": points[0].tolist(),
                "end": points[1].tolist(),
                "radius": radius,
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

    def _add_drop(self, object_: bpy.types.Object, transform: Transform) -> None:
        point, marks = transform.points(np.zeros((1, 3)))[0], marks_of(object_)
        if not np.isfinite(point).all():
            self._note("BAD_MARKER", "its location is no number: it drops nothing. Clear its location (Alt G)", object_)
            return
        item = {"kind": DROP, "at": point.tolist(), "m2": float(f"{marks.drop_m2:.6g}"), "name": object_.name}
        self.edits.append(OwnedEdit(item, object_.session_uid, marks.drop_setup, _library_of(object_)))

    def _add_edit(self, object_: bpy.types.Object, evaluated: bpy.types.Object, transform: Transform) -> None:
        items = items_of(object_, evaluated, transform, self._metres, convex_outline)
        if isinstance(items, str):
            self.watched.add(object_.session_uid)  # it may be mended
            self._note("BAD_MARKER", items, object_)
            return
        for item in items:
            digest = digest_of(object_, item)
            self.edits.append(
                OwnedEdit(
                    item, object_.session_uid, setup_of(object_), _library_of(object_), digest,
                    made_of(object_, digest),
                )
            )  # fmt: skip

    def _empty_ends(self, object_: bpy.types.Object) -> list[tuple[LinkEnd, LinkEnd]]:
        """From the empty to its target, in the empty's own coordinates."""
        target = marks_of(object_).link_end
        if target is None or target == object_ or not target.users_scene or _has_no_size(object_):
            return []
        self.watched.add(target.session_uid)
        end = object_.matrix_world.inverted() @ target.matrix_world.translation
        return [((0.0, 0.0, 0.0), end.to_tuple())]

    @property
    def bounds(self) -> tuple[float, ...] | None:
        if not self._corners:
            return None
        points = np.concatenate(self._corners)
        return (*points.min(0).tolist(), *points.max(0).tolist())


def _has_no_size(object_: bpy.types.Object) -> bool:
    return abs(object_.matrix_world.determinant()) < 1e-12


def _area_of_volume(object_: bpy.types.Object) -> int:
    area = int(marks_of(object_).area)
    return 0 if area < 0 else (area or PLAIN)


def _library_of(object_: bpy.types.Object) -> str:
    return "" if object_.library is None else object_.library.filepath


def _outline(
    evaluated: bpy.types.Object,
) -> tuple[npt.NDArray[np.float32] | npt.NDArray[np.float64], npt.NDArray[np.int32]]:
    """Points, in own coordinates, whose hull is the object, and the triangles between them where there are some."""
    if evaluated.type == "EMPTY":
        return _CUBE * evaluated.empty_display_size, np.empty((0, 3), np.int32)
    if evaluated.type in KINDS:
        mesh = evaluated.to_mesh()
        raw = raw_mesh(mesh, [])
        points = raw.vertices if len(raw.triangles) else points_of(mesh)  # a curve that is not filled has edges alone
        evaluated.to_mesh_clear()
        return points, raw.triangles
    return np.array(evaluated.bound_box, np.float64), np.empty((0, 3), np.int32)


def _curve_ends(evaluated: bpy.types.Object) -> list[tuple[LinkEnd, LinkEnd]]:
    """First and last point of every spline."""
    return [(tuple(line[0].co[:3]), tuple(line[-1].co[:3])) for line in lines_of(evaluated)]
