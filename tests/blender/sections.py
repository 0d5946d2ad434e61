"""A world whose sections are .blend files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from tests.blender.scenes import add_cube, add_empty, add_mesh, new_collection, save

SIDE = 9.6  # metres of a section: one tile of 32 cells


def add_ground(bpy: Any, number: int, collection: Any) -> Any:
    """Of a section beside others along x. Blender's y is -z."""
    x0, x1 = number * SIDE, (number + 1) * SIDE
    return add_mesh(bpy, "Ground", [(x0, -SIDE, 0), (x1, -SIDE, 0), (x1, 0, 0), (x0, 0, 0)], [(0, 1, 2, 3)], collection)


def write_world(bpy: Any, tmp_path: Path) -> Path:
    """Three sections in a row: two of Blender's, and a mesh. The crates of the first are linked from a kit."""
    add_cube(bpy, "Crate", (3, -4, 0.5))
    save(bpy, tmp_path / "kit.blend")
    bpy.ops.wm.read_homefile(use_empty=True)
    west = new_collection(bpy, "west")
    add_ground(bpy, 0, west)
    with bpy.data.libraries.load(str(tmp_path / "kit.blend"), link=True) as (_, wanted):
        wanted.objects = ["Crate"]
    west.objects.link(bpy.data.objects["Crate"])
    save(bpy, tmp_path / "west.blend")
    bpy.ops.wm.read_homefile(use_empty=True)
    middle = new_collection(bpy, "middle")
    add_ground(bpy, 1, middle)
    add_cube(bpy, "Pillar", (14.4, -4.8, 0.5), middle)
    pond = add_empty(bpy, "Pond", (17, -2, 0))
    bpy.context.scene.collection.objects.unlink(pond)
    middle.objects.link(pond)
    pond.empty_display_type, pond.scale = "CUBE", (1, 1, 1)
    pond.navmesh.use, pond.navmesh.area = "VOLUME", 1
    save(bpy, tmp_path / "middle.blend")
    bpy.ops.wm.read_homefile(use_empty=True)
    x0, x1 = 2 * SIDE, 3 * SIDE
    corners = np.float32([[x0, 0, 0], [x1, 0, 0], [x1, 0, SIDE], [x0, 0, SIDE]])
    np.savez(tmp_path / "east.npz", verts=corners, tris=np.int32([[0, 2, 1], [0, 3, 2]]))
    rows = [
        {"name": name, "meshes": [mesh], "box": [number * SIDE, 0, (number + 1) * SIDE, SIDE]}
        for number, (name, mesh) in enumerate(
            [("west", "west.blend"), ("middle", "middle.blend"), ("east", "east.npz")]
        )
    ]
    content = {
        "format": 1, "settings": {"cell_size": 0.3, "tile_size": 32, "agent_radius": 0.3},
        "bounds": [0, -2, 0, 3 * SIDE, 4, SIDE], "sections": rows,
    }  # fmt: skip
    (tmp_path / "world.json").write_text(json.dumps(content))
    return tmp_path / "world.json"
