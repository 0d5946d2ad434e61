"""Was the mesh of a navmesh edited by hand since it was built? Told by a digest of what is the navmesh in it.

That is its corners, its faces, and the area of each. Attributes, materials and modifiers that somebody adds are no
edit, and what is undone is none any more. Meshes of older versions have no digest: of them nobody can tell.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import TYPE_CHECKING

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of
from ..mesh_attributes import corners_of, face_keys, points_of, read_attribute, starts_of, write_attribute
from ..stored.object_properties import AS_BUILT, DETAIL_MESH, FACE_AREA, POLYGON_MESH, ROLE
from .navmesh_objects import navmesh_objects

if TYPE_CHECKING:
    from ..mesh_attributes import I32

DIGEST = "navmesh_digest"  # on the mesh, so that it comes back with the geometry


def remember_as_built(object_: bpy.types.Object) -> None:
    """What its mesh holds now is what was built; of polygons each one by itself, for who takes them over later."""
    mesh = mesh_of(object_)
    if object_.get(ROLE) == POLYGON_MESH and len(mesh.polygons):
        write_attribute(mesh, AS_BUILT, face_keys(points_of(mesh), corners_of(mesh), starts_of(mesh)))
    remember_as_seen(object_)


def remember_as_seen(object_: bpy.types.Object) -> None:
    """What its mesh holds now is no edit any more."""
    mesh = mesh_of(object_)
    mesh[DIGEST] = _digest_of(mesh)


def is_edited(object_: bpy.types.Object) -> bool:
    """Whether somebody changed its corners, its faces or their areas since it was built."""
    mesh = mesh_of(object_)
    known = mesh.get(DIGEST)
    if not isinstance(known, str):
        return False
    if object_.mode != "EDIT":
        return _digest_of(mesh) != known
    object_.update_from_editmode()
    copy = mesh.copy()  # attributes of a mesh that is being edited can't be read. (Called by operators alone, then.)
    try:
        return _digest_of(copy) != known
    finally:
        bpy.data.meshes.remove(copy)


def edited_navmeshes(scene: bpy.types.Scene, setups: Collection[str]) -> list[bpy.types.Object]:
    """The mesh objects of these setups that were edited by hand."""
    return [
        object_
        for (uid, role), object_ in navmesh_objects(scene).items()
        if uid in setups and role in (POLYGON_MESH, DETAIL_MESH) and is_edited(object_)
    ]


def refuse_edited(scene: bpy.types.Scene, setups: Collection[str], way_out: str) -> None:
    """Raises NavmeshError where the navmesh of one of these setups was edited by hand."""
    edited = edited_navmeshes(scene, setups)
    if edited:
        names = " and ".join(f"“{object_.name}”" for object_ in edited[:2])
        raise NavmeshError(
            f"{names} {'was' if len(edited) == 1 else 'were'} edited by hand. {way_out}", "EDITED_NAVMESH"
        )


def _digest_of(mesh: bpy.types.Mesh) -> str:
    whole = hashlib.blake2b(repr((len(mesh.vertices), len(mesh.polygons))).encode(), digest_size=16)
    if len(mesh.vertices):
        whole.update(points_of(mesh).tobytes())
    if len(mesh.polygons):
        corners, starts = corners_of(mesh), starts_of(mesh)
        whole.update(_turned(corners, starts).tobytes())
        whole.update(starts.tobytes())
        attribute = mesh.attributes.get(FACE_AREA)
        kind = attribute and (attribute.domain, attribute.data_type)
        whole.update(read_attribute(mesh, FACE_AREA).tobytes() if kind == ("FACE", "INT") else repr(kind).encode())
    return whole.hexdigest()


def _turned(corners: I32, starts: I32) -> I32:
    """The corners of each face from its lowest vertex on: edit mode begins a face at any corner when it is left."""
    import numpy as np  # here: Blender's start does not wait for it

    sizes = np.diff(starts, append=len(corners))
    face = np.repeat(np.arange(len(starts)), sizes)
    place = np.arange(len(corners)) - starts[face]
    is_lowest = corners == np.minimum.reduceat(corners, starts)[face]
    first = np.minimum.reduceat(np.where(is_lowest, place, len(corners)), starts)
    turned: I32 = corners[starts[face] + (place + first[face]) % sizes[face]]
    return turned
