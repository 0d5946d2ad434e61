"""What somebody changed on a navmesh's own mesh, as edits: faces that are gone, of another area, new or moved.

Faces are told apart by where their corners are. Gone ones become blocks, new ones a patch that takes the place of the
gone ones around it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, NamedTuple

import bpy
import numpy as np
from mathutils import Vector

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of, not_none, scene_of
from ..gather.edit_outlines import Union, faces_together, joined_rings
from ..mesh_attributes import corners_of, face_numbers, points_of, starts_of, write_attribute
from ..stored.area_types import area_rows
from ..stored.edit_objects import EditShape, edits_home, new_edit
from ..stored.object_properties import DETAIL_MESH, FACE_AREA, NOT_WALKABLE, PLAIN, marks_of
from .blender_mesh import local_points
from .built_from import finished_navmesh, is_as_shown
from .hand_edits import edited_navmeshes, is_edited, remember_as_seen
from .navmesh_objects import SETUP, metres_on, navmesh_objects, polygon_mesh_of
from .navmesh_to_arrays import surfaces
from .taken_over import take_over

if TYPE_CHECKING:
    from ..axes import F32, F64
    from ..mesh_attributes import I32

_DIGITS = 4  # of a unit, to which corners are the same
_AT_ONCE = 512  # faces whose boxes are compared with all others
_OTHER_WAYS = "Take it over with edited='TAKE_OVER', or lose it with edited='THROW_AWAY'."

Corner = tuple[float, float, float]


class _Face(NamedTuple):
    corners: tuple[Corner, ...]  # in the mesh's own coordinates
    area: int  # 0 for plain ground


_Faces = dict[frozenset[Corner], _Face]


def keep_as_edits(context: bpy.types.Context, polygons: bpy.types.Object) -> list[bpy.types.Object]:
    """Make edits of all that was changed on the polygon mesh of a navmesh, for its setup. Raises NavmeshError."""
    if polygons.mode != "OBJECT":
        raise NavmeshError(f"“{polygons.name}” is being edited. Leave its edit mode first.", "IN_EDIT_MODE")
    scene, uid = scene_of(context), str(polygons.get(SETUP, ""))
    detail = navmesh_objects(scene, uid).get((uid, DETAIL_MESH))
    if detail is not None and is_edited(detail):
        raise NavmeshError(
            f"“{detail.name}” was edited by hand: heights alone are no edits. Change “{polygons.name}” instead, or "
            "lose that with edited='THROW_AWAY'.",
            "EDITED_NAVMESH",
        )
    built = finished_navmesh(context, polygons.name)
    if built.request.gathered.own:
        raise NavmeshError(
            f"“{polygons.name}” is built of “{built.request.gathered.own[0].name}”, which is edited itself and has no "
            "edits. Change that mesh instead, or lose this with edited='THROW_AWAY'.",
            "EDITED_NAVMESH",
        )
    if not is_as_shown(polygons, built):
        raise NavmeshError(
            f"The level changed since “{polygons.name}” was built in another session: what was edited on it cannot be "
            f"told from that. {_OTHER_WAYS}",
            "EDITED_NAVMESH",
        )
    metres = metres_on(scene, polygons)
    surface, _ = surfaces(built.navmesh, built.islands, built.values, area_rows(scene), metres)
    before = _faces(
        local_points(polygons, surface.vertices),
        surface.corners,
        surface.starts,
        surface.attributes[FACE_AREA].tolist(),
    )
    mesh = mesh_of(polygons)
    after = _faces(points_of(mesh), corners_of(mesh), starts_of(mesh), _areas_of(mesh))
    maker = _Maker(polygons, metres, built.request.settings.agent_height / metres / 2)
    maker.add_all(before, after)
    home = edits_home(scene)
    for object_ in maker.made:
        marks_of(object_).edit_setup = uid
        home.objects.link(object_)
    remember_as_seen(polygons)  # from now on its edits say it
    return maker.made


def keep_edited(context: bpy.types.Context, setups: Collection[str], by_hand: bool) -> None:
    """Make edits of what was changed on the navmeshes of these setups, or `by_hand` meshes of one's own of these.
    Raises NavmeshError."""
    scene = scene_of(context)
    for uid in dict.fromkeys(str(one[SETUP]) for one in edited_navmeshes(scene, setups)):
        polygons = not_none(polygon_mesh_of(scene, uid))
        if by_hand:
            take_over(scene, polygons)
        else:
            keep_as_edits(context, polygons)
    not_none(context.view_layer).update()


def _areas_of(mesh: bpy.types.Mesh) -> list[int]:
    """Of each face; plain where the attribute is gone."""
    given = face_numbers(mesh, FACE_AREA)
    if given is None:
        return [0] * len(mesh.polygons)
    areas: list[int] = np.clip(given, NOT_WALKABLE, PLAIN).tolist()
    return [0 if area == PLAIN else area for area in areas]


def _faces(points: F32, corners: I32, starts: I32, areas: Sequence[int]) -> _Faces:
    places = [tuple(place) for place in (np.round(points.astype(np.float64), _DIGITS) + 0.0).tolist()]
    rings = [ring.tolist() for ring in np.split(corners, starts[1:])] if len(starts) else []
    faces = (_Face(tuple(places[k] for k in ring), area) for ring, area in zip(rings, areas, strict=True))
    return {frozenset(face.corners): face for face in faces}


class _Maker:
    """Makes the objects of edits."""

    def __init__(self, polygons: bpy.types.Object, metres: float, reach: float) -> None:
        self._matrix, self._metres, self._reach = polygons.matrix_world.copy(), metres, reach
        self.made: list[bpy.types.Object] = []

    def add_all(self, before: _Faces, after: _Faces) -> None:
        """What differs."""
        gone = [face for key, face in before.items() if key not in after or after[key].area == NOT_WALKABLE]
        new = [face for key, face in after.items() if key not in before and face.area != NOT_WALKABLE]
        painted: dict[int, list[_Face]] = {}
        for key, face in after.items():
            if key in before and face.area not in (before[key].area, NOT_WALKABLE):
                painted.setdefault(face.area, []).append(face)
        for faces, places in _clusters(new, gone, 2 * self._reach):
            if faces:
                self._add_patch(faces, places)
            else:
                self._add_outlines("BLOCK", places)
        for area, faces in sorted(painted.items()):
            self._add_outlines("AREA", faces, area)

    def _world(self, corner: Corner) -> tuple[float, ...]:
        place: Vector = self._matrix @ Vector(corner)
        return place.to_tuple()

    def _shape(self, faces: Sequence[_Face]) -> tuple[list[tuple[float, ...]], list[list[int]]]:
        """Corners in the scene, and faces of them."""
        corners, rings = _numbered(faces)
        return [self._world(corner) for corner in corners], rings

    def _add_outlines(self, kind: str, faces: Sequence[_Face], area: int = 0) -> None:
        """One object for all faces that hang together."""
        for group in _hanging_together(faces):
            points, rings = self._shape(group)
            object_ = new_edit(kind, EditShape(points, rings, self._reach, self._reach), self._metres)
            if kind == "AREA":
                marks_of(object_).area = area or PLAIN
            self.made.append(object_)

    def _add_patch(self, faces: Sequence[_Face], places: Sequence[_Face]) -> None:
        points, rings = self._shape(faces)
        old_points, old_rings = self._shape(places)
        footprint = [
            [old_points[k] for k in outline] for _, outlines in joined_rings(old_rings) for outline in outlines
        ]
        shape = EditShape(points, rings, self._reach, self._reach, footprint)
        object_ = new_edit("PATCH", shape, self._metres)
        write_attribute(mesh_of(object_), FACE_AREA, np.array([face.area for face in faces], np.int32))
        self.made.append(object_)


def _hanging_together(faces: Sequence[_Face]) -> list[list[_Face]]:
    """Faces that share edges."""
    return [[faces[k] for k in group] for group in faces_together(_numbered(faces)[1])]


def _numbered(faces: Sequence[_Face]) -> tuple[list[Corner], list[list[int]]]:
    """The corners of faces, each once, and the faces as numbers of these."""
    numbers: dict[Corner, int] = {}
    rings = [[numbers.setdefault(corner, len(numbers)) for corner in face.corners] for face in faces]
    return list(numbers), rings


def _clusters(new: Sequence[_Face], gone: Sequence[_Face], height: float) -> list[tuple[list[_Face], list[_Face]]]:
    """New faces with the gone ones whose place they may take: those that hang together, and whose boxes overlap, with
    less than `height` between."""
    one, first = Union(len(new) + len(gone)), len(new)
    numbers = {id(face): number for number, face in enumerate((*new, *gone))}
    for group in _hanging_together(new):
        for face in group[1:]:
            one.join(numbers[id(group[0])], numbers[id(face)])
    if new and gone:
        low, high = _boxes(new)
        low[:, 2] -= height
        high[:, 2] += height
        for begin in range(0, len(gone), _AT_ONCE):
            other_low, other_high = _boxes(gone[begin : begin + _AT_ONCE])
            apart = (other_low[:, None] > high[None]) | (other_high[:, None] < low[None])
            for old, number in zip(*np.nonzero(~apart.any(axis=2)), strict=True):
                one.join(int(number), first + begin + int(old))
    found = []
    alone: list[_Face] = []
    for numbered in one.groups():
        faces, places = [new[k] for k in numbered if k < first], [gone[k - first] for k in numbered if k >= first]
        if faces:
            found.append((faces, places))
        else:
            alone += places
    return [*found, *([([], alone)] if alone else [])]


def _boxes(faces: Sequence[_Face]) -> tuple[F64, F64]:
    """(F, 3) the low and the high end of each."""
    corners = [np.array(face.corners) for face in faces]
    return np.array([ring.min(axis=0) for ring in corners]), np.array([ring.max(axis=0) for ring in corners])
