"""Triangles of evaluated meshes: whole arrays by foreach_get, no loop over vertices."""

from __future__ import annotations

from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ..mesh_attributes import corners_of, points_of, read_attribute, read_column
from ..stored.object_properties import FACE_AREA, NOT_WALKABLE, PLAIN

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]


class RawMesh(NamedTuple):
    """One mesh in its own coordinates."""

    vertices: F32  # (V, 3)
    triangles: I32  # (T, 3)
    areas: I32 | None  # (T,) what faces and materials say, 0 for nothing; None where none says anything
    dropped: int  # triangles with a coordinate that is not finite
    odd_attribute: bool  # there is a `navmesh_area`, but it is no integer on faces


EMPTY = RawMesh(np.empty((0, 3), np.float32), np.empty((0, 3), np.int32), None, 0, False)


def raw_mesh(mesh: bpy.types.Mesh, material_areas: list[int]) -> RawMesh:
    """The triangles of a bpy mesh; `material_areas` has the area that each material slot asks for."""
    if len(mesh.polygons) == 0:
        return EMPTY
    points, triangles = points_of(mesh), _triangles(mesh)
    on_faces, odd = face_areas(mesh, material_areas)
    areas = None if on_faces is None else on_faces[_faces_of_triangles(mesh, len(triangles))]
    kept = np.isfinite(points).all(axis=1)
    dropped = 0
    if not kept.all():
        sound = kept[triangles].all(axis=1)
        dropped = len(triangles) - int(sound.sum())
        triangles, areas = triangles[sound], None if areas is None else areas[sound]
    points, triangles = _without_loose(points, triangles)
    return RawMesh(points, triangles, areas, dropped, odd)


def _triangles(mesh: bpy.types.Mesh) -> I32:
    if len(mesh.loops) == 3 * len(mesh.polygons):  # all are triangles already: ten times as fast
        return corners_of(mesh).reshape(-1, 3)
    mesh.calc_loop_triangles()
    triangles: I32 = read_column(mesh.loop_triangles, "vertices", width=3)
    return triangles


def _faces_of_triangles(mesh: bpy.types.Mesh, count: int) -> I32:
    if count == len(mesh.polygons) and len(mesh.loops) == 3 * count:
        return np.arange(count, dtype=np.int32)
    faces: I32 = read_column(mesh.loop_triangle_polygons, "value")
    return faces


def face_areas(mesh: bpy.types.Mesh, material_areas: list[int]) -> tuple[I32 | None, bool]:
    """(faces,) areas by attribute, else by material, if any; and whether the attribute is of a kind that can't be
    used."""
    attribute = mesh.attributes.get(FACE_AREA)
    odd = attribute is not None and (attribute.domain, attribute.data_type) != ("FACE", "INT")
    by_face = None
    if attribute is not None and not odd:
        by_face = read_attribute(mesh, FACE_AREA)
        by_face = np.clip(by_face, NOT_WALKABLE, PLAIN) if by_face.any() else None
    by_material = _by_material(mesh, material_areas) if any(material_areas) else None
    if by_face is None or by_material is None:
        return (by_material if by_face is None else by_face), odd
    return np.where(by_face != 0, by_face, by_material), odd


def _by_material(mesh: bpy.types.Mesh, material_areas: list[int]) -> I32:
    table = np.array(material_areas, np.int32)
    slots = np.zeros(len(mesh.polygons), np.int32)
    if "material_index" in mesh.attributes:
        slots = read_attribute(mesh, "material_index")
    return table[np.clip(slots, 0, len(table) - 1)]


def _without_loose(points: F32, triangles: I32) -> tuple[F32, I32]:
    """Without vertices that no triangle uses: one that was left behind far away would inflate the bounds."""
    used = np.zeros(len(points), bool)
    used[triangles.ravel()] = True
    if used.all():
        return points, triangles
    numbers = np.cumsum(used, dtype=np.int32) - np.int32(1)
    return points[used], numbers[triangles]
