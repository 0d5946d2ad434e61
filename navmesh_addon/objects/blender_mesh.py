"""Where arrays become a Blender mesh: an object, its vertices, faces and attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy

from ..blender_types import mesh_of
from ..mesh_attributes import replace_faces, write_attribute
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from .navmesh_objects import LIFT

if TYPE_CHECKING:
    from ..axes import F32
    from .navmesh_to_arrays import Surface

# Cell heights above the ground that is shown, and above the navmesh of the setup before, so that they don't flicker.
_LIFT = {POLYGON_MESH: 0.5, DETAIL_MESH: 0.25}
_APART = 0.5


def new_object(
    home: bpy.types.Collection, name: str, role: str, cell_height: float, below: int = 0
) -> bpy.types.Object:
    """An empty mesh object for a role, lifted above the ground, and above so many navmeshes, by parts of a cell's
    height."""
    full = name if name.startswith("Navmesh") else f"Navmesh {name}"
    if role == DETAIL_MESH:
        full += " Detail"
    object_ = bpy.data.objects.new(full, bpy.data.meshes.new(full))
    home.objects.link(object_)
    object_.hide_render = True
    object_.hide_select = True
    if role == POLYGON_MESH:
        object_.display_type = "WIRE"
        object_.show_all_edges = True
    lift = cast("bpy.types.DisplaceModifier", object_.modifiers.new(LIFT, "DISPLACE"))  # its own coordinates stay exact
    lift.direction, lift.mid_level, lift.strength = "Z", 0.0, (_LIFT[role] + _APART * below) * cell_height
    lift.show_render = False
    return object_


def fill_mesh(object_: bpy.types.Object, surface: Surface) -> None:
    """Replace the mesh's geometry, in place."""
    mesh = mesh_of(object_)
    replace_faces(object_, mesh, local_points(object_, surface.vertices), surface.corners, surface.starts)
    for name, values in surface.attributes.items():
        write_attribute(mesh, name, values, "FLOAT" if values.dtype.kind == "f" else "INT")
    mesh.update(calc_edges=True)
    mesh.shade_flat()


def local_points(object_: bpy.types.Object, points: F32) -> F32:
    """Where the object was moved or parented, the navmesh still lies on the level."""
    import numpy as np

    matrix = np.array(object_.matrix_world, np.float64)
    if (matrix == np.eye(4)).all() or not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
        return points
    inverse = np.linalg.inv(matrix)
    return (points.astype(np.float64) @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)
