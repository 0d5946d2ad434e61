"""From a scene to navmesh objects and back."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_plane


def polygon_object(bpy: Any) -> Any:
    return next(o for o in bpy.data.objects if o.type == "MESH" and "navmesh_area" in o.data.attributes)


def face_values(mesh: Any, name: str) -> Any:
    values = np.empty(len(mesh.polygons), np.int32)
    assert (mesh.attributes[name].domain, mesh.attributes[name].data_type) == ("FACE", "INT")
    mesh.attributes[name].data.foreach_get("value", values)
    return values


def test_a_build_makes_two_objects_in_the_collection(bpy: Any) -> None:
    add_plane(bpy)
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    things = list(bpy.data.collections["Navmesh"].objects)
    assert sorted(t.name for t in things) == ["Navmesh", "Navmesh Detail"]
    polygons = bpy.data.objects["Navmesh"].data
    assert face_values(polygons, "navmesh_area").tolist() == [0] * len(polygons.polygons)
    assert face_values(polygons, "navmesh_flags").tolist() == [1] * len(polygons.polygons)
    assert (face_values(polygons, "navmesh_region") > 0).all()
    detail = bpy.data.objects["Navmesh Detail"].data
    assert all(len(p.vertices) == 3 for p in detail.polygons)
    assert set(face_values(detail, "navmesh_polygon")) == set(range(len(polygons.polygons)))
    assert all(p.normal.z > 0.99 for p in [*polygons.polygons, *detail.polygons])
    assert sum(p.area for p in polygons.polygons) == pytest.approx(18.3**2)  # 61 cells of 0.3 m
    settings = json.loads(bpy.data.objects["Navmesh"]["navmesh_settings"])
    assert settings["cell_size"] == 0.3
