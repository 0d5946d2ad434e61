"""Where arrays become a Blender mesh: an object, its vertices, faces and attributes, and a material for each face."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy

from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from .materials import PALETTE, material_for
from .navmesh_objects import LIFT, SLOTS

if TYPE_CHECKING:
    from .navmesh_to_arrays import Surface

# Cell heights above the ground that is shown, so that they don't flicker.
_LIFT = {POLYGON_MESH: 0.5, DETAIL_MESH: 0.25}


def new_object(home: Any, name: str, role: str, cell_height: float) -> Any:
    full = name if name.startswith("Navmesh") else f"Navmesh {name}"
    if role == DETAIL_MESH:
        full += " Detail"
    thing = bpy.data.objects.new(full, bpy.data.meshes.new(full))
    home.objects.link(thing)
    thing.hide_render = True
    thing.hide_select = True
    if role == POLYGON_MESH:
        thing.display_type = "WIRE"
        thing.show_all_edges = True
    lift: Any = thing.modifiers.new(LIFT, "DISPLACE")  # its own coordinates stay exact
    lift.direction, lift.mid_level, lift.strength = "Z", 0.0, _LIFT[role] * cell_height
    lift.show_render = False
    return thing


def fill_mesh(thing: Any, surface: Surface) -> None:
    """Replace the mesh's geometry, in place."""
    mesh = thing.data
    if mesh.shape_keys is not None:
        thing.shape_key_clear()
    mesh.clear_geometry()
    mesh.vertices.add(len(surface.vertices))
    mesh.loops.add(len(surface.corners))
    mesh.polygons.add(len(surface.starts))
    mesh.attributes["position"].data.foreach_set("vector", _local(thing, surface.vertices).ravel())
    mesh.attributes[".corner_vert"].data.foreach_set("value", surface.corners)
    mesh.polygons.foreach_set("loop_start", surface.starts)
    for name, values in surface.attributes.items():
        mesh.attributes.new(name, "INT", "FACE").data.foreach_set("value", values)
    mesh.update(calc_edges=True)
    mesh.shade_flat()


def _local(thing: Any, points: Any) -> Any:
    """Where the object was moved or parented, the navmesh still lies on the level."""
    import numpy as np

    matrix = np.array(thing.matrix_world, np.float64)
    if (matrix == np.eye(4)).all() or abs(np.linalg.det(matrix)) < 1e-12:
        return points
    inverse = np.linalg.inv(matrix)
    return (points.astype(np.float64) @ inverse[:3, :3].T + inverse[:3, 3]).astype(np.float32)


def color_faces(scene: Any, thing: Any, surface: Surface, color_by: str) -> None:
    """Give every face a material slot; slots that are there keep the material that somebody put into them."""
    import numpy as np

    from .navmesh_to_arrays import material_keys

    keys = material_keys(surface, color_by, PALETTE)
    tags = [f"{color_by} {key}" for key in np.unique(keys).tolist()]
    slots = json.loads(thing.get(SLOTS, "[]"))[: len(thing.data.materials)]
    if not slots or slots[0].split()[0] != color_by.split()[0]:
        slots = []
        thing.data.materials.clear()
    for tag in tags:
        if tag not in slots:
            slots.append(tag)
            thing.data.materials.append(material_for(scene, area_rows(scene), color_by, int(tag.split()[1])))
    thing[SLOTS] = json.dumps(slots)
    slot_of = np.zeros(int(keys.max()) + 1, np.int32)
    for number, tag in enumerate(slots):
        if tag in tags:
            slot_of[int(tag.split()[1])] = number
    attribute = thing.data.attributes.new("material_index", "INT", "FACE")
    attribute.data.foreach_set("value", slot_of[keys])
    thing.data.update()
