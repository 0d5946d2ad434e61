"""Our glTF in Blender's own importer: an independent reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.blender.scenes import add_cube, add_plane


def test_blender_imports_what_was_exported(bpy: Any, tmp_path: Path) -> None:
    add_plane(bpy)
    lake = add_cube(bpy, "Lake")
    lake.scale, lake.navmesh.use, lake.navmesh.area = (2, 2, 1), "VOLUME", 7
    bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.25)
    built = bpy.data.objects["Navmesh"]
    ground = sum(polygon.area for polygon in built.data.polygons)
    bpy.ops.navmesh.export(filepath=str(tmp_path / "n.glb"))
    bpy.ops.wm.read_homefile(use_empty=True)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "n.glb"))
    polygons, detail = bpy.data.objects["navmesh"], bpy.data.objects["navmesh_detail"]
    assert abs(sum(polygon.area for polygon in polygons.data.polygons) - ground) < 1e-3
    assert polygons["navmesh"]["settings"]["cell_size"] == 0.25
    for mesh in (polygons.data, detail.data):
        values = np.empty(len(mesh.vertices), np.float32)
        mesh.attributes["_AREA"].data.foreach_get("value", values)
        assert set(values.tolist()) == {0.0, 7.0}
        assert all(polygon.normal.z > 0.5 for polygon in mesh.polygons)
