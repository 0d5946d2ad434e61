"""Where arrays become a Blender mesh: an object, its vertices, faces and attributes, and a material for each face."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import bpy

from ..blender_types import mesh_of, values_of
from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from .materials import PALETTE, material_for
from .navmesh_objects import LIFT, SLOTS

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
    if mesh.shape_keys is not None:
        object_.shape_key_clear()
    mesh.clear_geometry()
    mesh.vertices.add(len(surface.vertices))
    mesh.loops.add(len(surface.corners))
    mesh.polygons.add(len(surface.starts))
    values_of(mesh.attributes["position"]).foreach_set("vector", _local(object_, surface.vertices).ravel())
    values_of(mesh.attributes[".corner_vert"]).foreach_set("value", surface.corners)
    mesh.polygons.foreach_set("loop_start", surface.starts)
    for name, values in surface.attributes.items():
        values_of(mesh.attributes.new(name, "INT", "FACE")).foreach_set("value", values)
    mesh.update(calc_edges=True)
    mesh.shade_flat()


def _local(object_: bpy.types.Object, points: F32) -> F32:
    """Where the object was moved or parented, the navmesh still lies on the level."""
    import numpy as np

    matrix = np.array(object_.matrix_world, np.float64)
    if (matrix == np.eye(4)).all() or abs(np.linalg.det(matrix)) < 1e-12:
        return points
    inverse = np.linalg.inv(matrix)
    return (points.astype(np.float64) @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)


def color_faces(scene: bpy.types.Scene, object_: bpy.types.Object, surface: Surface, color_by: str) -> None:
    """Give every face a material slot; slots that are there keep the material that somebody put into them."""
    import numpy as np

    from .navmesh_to_arrays import material_keys

    keys = material_keys(surface, color_by, PALETTE)
    tags = [f"{color_by} {key}" for key in np.unique(keys).tolist()]
    slots = json.loads(str(object_.get(SLOTS, "[]")))[: len(mesh_of(object_).materials)]
    if not slots or slots[0].split()[0] != color_by.split()[0]:
        slots = []
        mesh_of(object_).materials.clear()
    for tag in tags:
        if tag not in slots:
            slots.append(tag)
            mesh_of(object_).materials.append(material_for(scene, area_rows(scene), color_by, int(tag.split()[1])))
    object_[SLOTS] = json.dumps(slots)
    slot_of = np.zeros(int(keys.max()) + 1, np.int32)
    for number, tag in enumerate(slots):
        if tag in tags:
            slot_of[int(tag.split()[1])] = number
    attribute = mesh_of(object_).attributes.new("material_index", "INT", "FACE")
    values_of(attribute).foreach_set("value", slot_of[keys])
    mesh_of(object_).update()
