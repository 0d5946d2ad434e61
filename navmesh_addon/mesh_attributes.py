"""Arrays of meshes, read and written whole and in place: attributes by name, and columns of faces and vertices.

The only place that calls foreach_get and foreach_set for meshes: Blender wants arrays of just this type and length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from .blender_types import values_of

if TYPE_CHECKING:
    import bpy
    import numpy as np
    import numpy.typing as npt

    from .axes import F32

    I32 = npt.NDArray[np.int32]

Domain = Literal["POINT", "EDGE", "FACE", "CORNER"]
# What Blender calls the values, their type in NumPy, and how many there are of each element.
_KINDS = {
    "INT": ("value", "int32", 1), "FLOAT": ("value", "float32", 1), "BOOLEAN": ("value", "bool", 1),
    "FLOAT_VECTOR": ("vector", "float32", 3),
}  # fmt: skip


def read_attribute(mesh: bpy.types.Mesh, name: str) -> Any:
    """The values of an attribute that is there: integers, numbers or truths; of vectors (., 3)."""
    attribute = mesh.attributes[name]
    field, kind, width = _KINDS.get(attribute.data_type, _KINDS["INT"])
    return read_column(values_of(attribute), field, kind, width)


def face_numbers(mesh: bpy.types.Mesh, name: str) -> I32 | None:
    """A whole number of each face; None where there is no such attribute, or one of another kind."""
    attribute = mesh.attributes.get(name)
    if attribute is None or (attribute.domain, attribute.data_type) != ("FACE", "INT"):
        return None
    numbers: I32 = read_attribute(mesh, name)
    return numbers


def read_column(elements: Any, field: str, kind: str = "int32", width: int = 1) -> Any:
    """A property of all faces, corners or vertices of a mesh."""
    import numpy as np  # here: Blender's start does not wait for it

    values = np.empty(width * len(elements), kind)
    elements.foreach_get(field, values)
    return values.reshape(-1, width) if width > 1 else values


def write_attribute(
    mesh: bpy.types.Mesh, name: str, values: npt.NDArray[Any], kind: str = "INT", domain: Domain = "FACE"
) -> None:
    """Make an attribute where it is missing, and give each element its value."""
    import numpy as np

    field, dtype, _ = _KINDS[kind]
    attribute: Any = mesh.attributes.get(name) or mesh.attributes.new(name, kind, domain)  # type: ignore[arg-type]
    values_of(attribute).foreach_set(field, np.ascontiguousarray(values, dtype).ravel())


def points_of(mesh: bpy.types.Mesh) -> F32:
    """(V, 3) its vertices, in its own coordinates."""
    points: F32 = read_attribute(mesh, "position")
    return points


def corners_of(mesh: bpy.types.Mesh) -> I32:
    """The vertex of every corner, face after face."""
    corners: I32 = read_attribute(mesh, ".corner_vert")
    return corners


def starts_of(mesh: bpy.types.Mesh) -> I32:
    """(F,) the first corner of each face."""
    starts: I32 = read_column(mesh.polygons, "loop_start")
    return starts


def face_keys(points: F32, corners: I32, starts: I32) -> I32:
    """A number for each face that tells it from what becomes of it when a corner moves: by tenths of millimetres."""
    import numpy as np

    x, y, z = np.round(points.astype(np.float64) * 10_000).astype(np.int64).T
    of_points = (x * 73_856_093) ^ (y * 19_349_663) ^ (z * 83_492_791)
    return np.add.reduceat(of_points[corners] & 0x7FFFFFFF, starts).astype(np.uint32).view(np.int32)


def replace_faces(object_: bpy.types.Object, mesh: bpy.types.Mesh, points: F32, corners: I32, starts: I32) -> None:
    """Other vertices and faces in the place of those that are there, without any attributes."""
    if mesh.shape_keys is not None:
        object_.shape_key_clear()
    mesh.clear_geometry()
    mesh.vertices.add(len(points))
    mesh.loops.add(len(corners))
    mesh.polygons.add(len(starts))
    write_attribute(mesh, "position", points, "FLOAT_VECTOR", "POINT")
    write_attribute(mesh, ".corner_vert", corners, "INT", "CORNER")
    mesh.polygons.foreach_set("loop_start", starts)
