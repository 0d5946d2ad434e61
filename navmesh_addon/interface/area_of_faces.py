"""The area types of faces while their meshes are edited: the attribute that gathering reads."""

from __future__ import annotations

from collections.abc import Iterable

import bmesh
import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of
from ..stored.object_properties import FACE_AREA, UNSET


def assign_area(objects: Iterable[bpy.types.Object], area: int) -> tuple[int, int]:
    """Give the selected faces of objects in edit mode an area; returns how many faces of how many objects.

    Raises NavmeshError, and changes nothing, where an attribute of this name is of a kind that no build can use.
    """
    edited = [object_ for object_ in objects if object_.type == "MESH"]
    for object_ in edited:
        _refuse_odd_attribute(object_)
    counts = [_assign(mesh_of(object_), area) for object_ in edited]
    return sum(counts), sum(count > 0 for count in counts)


def _refuse_odd_attribute(object_: bpy.types.Object) -> None:
    attribute = mesh_of(object_).attributes.get(FACE_AREA)
    if attribute is not None and (attribute.domain, attribute.data_type) != ("FACE", "INT"):
        kind = f"{attribute.data_type.lower()} values of {attribute.domain.lower()}s"
        raise NavmeshError(
            f"“{object_.name}” has an attribute {FACE_AREA} with {kind}, and areas are integers of faces. Rename or "
            "remove it under Object Data > Attributes.",
            "ODD_ATTRIBUTE",
        )


def _assign(mesh: bpy.types.Mesh, area: int) -> int:
    editing = bmesh.from_edit_mesh(mesh)
    layer = editing.faces.layers.int.get(FACE_AREA)
    if not any(face.select for face in editing.faces):
        return 0
    if layer is None and area != UNSET:
        layer = editing.faces.layers.int.new(FACE_AREA)
    chosen = [face for face in editing.faces if face.select]  # after the layer: a new one makes other faces of them
    if layer is not None:
        for face in chosen:
            face[layer] = area
        bmesh.update_edit_mesh(mesh, loop_triangles=False, destructive=False)
    return len(chosen)
