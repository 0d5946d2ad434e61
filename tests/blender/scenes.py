"""Small scenes made by hand, and what they are compared with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np


def link(bpy: Any, object_: Any, collection: Any = None) -> Any:
    (collection or bpy.context.scene.collection).objects.link(object_)
    return object_


def add_mesh(bpy: Any, name: str, vertices: Any, faces: Any, collection: Any = None) -> Any:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices, float).tolist(), [], [list(map(int, face)) for face in faces])
    return link(bpy, bpy.data.objects.new(name, mesh), collection)


def add_plane(bpy: Any, name: str = "Ground", size: float = 20.0, at: Any = (0, 0, 0), collection: Any = None) -> Any:
    half = size / 2
    corners = [(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)]
    object_ = add_mesh(bpy, name, corners, [(0, 1, 2, 3)], collection)
    object_.location = at
    return object_


CUBE = [(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
CUBE_FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]


def add_cube(bpy: Any, name: str = "Cube", at: Any = (0, 0, 0), collection: Any = None) -> Any:
    """A cube of two metres whose faces look outward."""
    object_ = add_mesh(bpy, name, CUBE, CUBE_FACES, collection)
    object_.location = at
    return object_


def two_floors(bpy: Any) -> None:
    """With a gap of a metre between them, over which agents jump."""
    for name, x in (("West", -6.0), ("East", 6.0)):
        corners = [(x + a * 5.5, b * 7.0, 0.0) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        add_mesh(bpy, name, corners, [(0, 1, 2, 3)])


def add_empty(bpy: Any, name: str, at: Any = (0, 0, 0)) -> Any:
    object_ = link(bpy, bpy.data.objects.new(name, None))
    object_.location = at
    return object_


def new_collection(bpy: Any, name: str) -> Any:
    collection = bpy.data.collections.new(name)
    bpy.context.scene.collection.children.link(collection)
    return collection


def add_instance(bpy: Any, name: str, collection: Any, at: Any = (0, 0, 0)) -> Any:
    """An empty that shows a collection."""
    object_ = add_empty(bpy, name, at)
    object_.instance_type, object_.instance_collection = "COLLECTION", collection
    return object_


def add_scattered_cubes(bpy: Any, name: str = "Host", side: int = 4) -> Any:
    """An object without faces whose geometry nodes show side × side cubes, 30 m apart in all."""
    tree = bpy.data.node_groups.new("Scatter", "GeometryNodeTree")
    tree.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    cube, grid, instances, out = (
        tree.nodes.new(kind)
        for kind in ("GeometryNodeMeshCube", "GeometryNodeMeshGrid", "GeometryNodeInstanceOnPoints", "NodeGroupOutput")
    )
    grid.inputs["Vertices X"].default_value = grid.inputs["Vertices Y"].default_value = side
    grid.inputs["Size X"].default_value = grid.inputs["Size Y"].default_value = 30
    tree.links.new(grid.outputs["Mesh"], instances.inputs["Points"])
    tree.links.new(cube.outputs["Mesh"], instances.inputs["Instance"])
    tree.links.new(instances.outputs[0], out.inputs[0])
    host = add_mesh(bpy, name, [(0, 0, 0)], [])
    host.modifiers.new("Nodes", "NODES").node_group = tree
    return host


def save(bpy: Any, path: Path) -> Path:
    """The file that is open, written; another one is open then."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True)
    return path


def triangle_set(gathered: Any, digits: int = 4) -> list[Any]:
    """Every triangle by its rounded corners, rotated so that the smallest comes first: order and numbering fall away,
    the side that a triangle faces does not."""
    corners = (np.round(gathered.vertices[gathered.triangles].astype(np.float64), digits) + 0.0).tolist()
    rotated = [min(t, t[1:] + t[:1], t[2:] + t[:2]) for t in corners]
    return sorted(rotated)


def volume_of(gathered: Any) -> float:
    """Signed volume of closed surfaces: negative where they are inside out."""
    a, b, c = (gathered.vertices[gathered.triangles[:, k]].astype(np.float64) for k in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)
