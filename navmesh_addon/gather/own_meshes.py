"""Meshes that are the navmesh: their faces, with an area each, as a build takes them."""

from __future__ import annotations

import hashlib

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ..axes import to_navcore
from ..mesh_attributes import corners_of, face_keys, face_numbers, points_of, starts_of
from ..stored.object_properties import AS_BUILT, NOT_WALKABLE, PLAIN, UNSET, setup_of
from ..stored.setup_properties import KINDS
from .gathered_level import OwnMesh
from .mesh_arrays import F32, I32, face_areas
from .triangle_collector import AreaLookup


def own_mesh(
    object_: bpy.types.Object, evaluated: bpy.types.Object, matrix: mathutils.Matrix, metres: float,
    areas_of: AreaLookup,
) -> OwnMesh:  # fmt: skip
    """The faces of one object; none where it has no mesh."""
    points: F32 = np.empty((0, 3), np.float32)
    corners: I32 = np.empty(0, np.int32)
    starts, areas, trusted = corners, np.empty(0, np.uint8), np.empty(0, np.bool_)
    if evaluated.type in KINDS:
        mesh = evaluated.to_mesh()
        if len(mesh.polygons):
            points, corners, starts = points_of(mesh), corners_of(mesh).copy(), starts_of(mesh).copy()
            slots = areas_of.slots(evaluated)
            given, _ = face_areas(mesh, list(slots if len(slots) >= len(mesh.materials) else ()))
            wanted = np.full(len(starts), UNSET, np.int32) if given is None else given
            wanted = np.where(wanted == UNSET, areas_of.of_object(object_) or PLAIN, wanted)
            areas = np.where(wanted == NOT_WALKABLE, 0, wanted).astype(np.uint8)
            trusted = _as_built(mesh, points, corners, starts)
        evaluated.to_mesh_clear()
    way = to_navcore(matrix, metres)
    points = way.points(points)
    if way.mirrors and len(starts):  # what looked up looks down: turn it back
        corners = np.concatenate([ring[::-1] for ring in np.split(corners, starts[1:])])
    whole = b"".join(part.tobytes() for part in (points, corners, starts, areas, trusted))
    digest = hashlib.blake2b(whole, digest_size=16).hexdigest()
    has_modifiers = any(modifier.show_viewport for modifier in object_.modifiers)
    return OwnMesh(
        object_.name, object_.session_uid, setup_of(object_), metres, has_modifiers, digest, points, corners, starts,
        areas, trusted,
    )  # fmt: skip


def _as_built(mesh: bpy.types.Mesh, points: F32, corners: I32, starts: I32) -> npt.NDArray[np.bool_]:
    """Which faces are still polygons of the navmesh that was taken over."""
    known = face_numbers(mesh, AS_BUILT)
    return np.zeros(len(starts), np.bool_) if known is None else np.asarray(known == face_keys(points, corners, starts))
