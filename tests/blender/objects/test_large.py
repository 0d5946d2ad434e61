"""Levels beyond what numbers of 16 bits can count: written into the scene all the same, or refused in a sentence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests import scenes as levels
from tests.blender.scenes import add_mesh, add_plane

LIMIT = 60  # polygons or vertices; the real one is 65,535, which would take minutes to exceed


def add_city(bpy: Any) -> Any:
    vertices, triangles = levels.city(2)
    return add_mesh(bpy, "City", vertices[:, [0, 2, 1]] * (1, -1, 1), triangles)


def edge_users(mesh: Any) -> Any:
    """How many polygons each edge has."""
    edges = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("edge_index", edges)
    return np.bincount(edges)


@pytest.mark.parametrize("limit", ["MAX_POLYGONS", "MAX_VERTICES"])
def test_tiles_that_are_too_many_for_one_mesh_are_stitched(
    bpy: Any, addon: Any, tmp_path: Any, monkeypatch: Any, limit: str
) -> None:
    """As soon as merged polygons or vertices pass the limit: nothing is lost, and no tile's border is a gap."""
    add_city(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=32)
    merged = bpy.data.objects["Navmesh"].data
    polygons, area = len(merged.polygons), sum(p.area for p in merged.polygons)
    regions = sorted(value.value for value in merged.attributes["navmesh_region"].data)
    assert polygons > LIMIT
    monkeypatch.setattr(addon("mesh", "navcore.stages.polygons"), limit, LIMIT)
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=32)
    stitched = bpy.data.objects["Navmesh"].data
    assert len(stitched.polygons) == polygons and not stitched.validate()
    assert sum(p.area for p in stitched.polygons) == pytest.approx(area, rel=1e-4)
    assert sorted(value.value for value in stitched.attributes["navmesh_region"].data) == regions
    assert edge_users(stitched).max() == 2, "an edge belongs to one polygon, or to the two that meet there"
    detail = bpy.data.objects["Navmesh Detail"].data
    owners = {value.value for value in detail.attributes["navmesh_polygon"].data}
    assert owners == set(range(polygons)) and not detail.validate()
    bpy.ops.navmesh.export(filepath=str(tmp_path / "level.bin"))
    assert (tmp_path / "level.bin").stat().st_size > 1000


@pytest.mark.parametrize("color_by", ["REGION", "ISLAND"])
def test_stitched_tiles_are_colored(bpy: Any, addon: Any, monkeypatch: Any, color_by: str) -> None:
    """Islands are those of the whole level, not of each tile."""
    add_plane(bpy, size=40)
    add_plane(bpy, "Island", size=40, at=(100, 0, 0))
    monkeypatch.setattr(addon("mesh", "navcore.stages.polygons"), "MAX_POLYGONS", 3)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    bpy.context.scene.navmesh.color_by = color_by
    bpy.ops.navmesh.build(tile_size=32)
    mesh = bpy.data.objects["Navmesh"].data
    colors = {x > 50: set() for x in (0, 100)}
    for polygon in mesh.polygons:
        colors[polygon.center.x > 50].add(polygon.material_index)
    assert all(colors.values())
    if color_by == "ISLAND":
        assert len(colors[True]) == len(colors[False]) == 1 and colors[True] != colors[False]


def test_one_piece_that_is_too_large_is_refused_in_a_sentence(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_city(bpy)
    monkeypatch.setattr(addon("mesh", "navcore.stages.polygons"), "MAX_CORNERS", LIMIT)
    with pytest.raises(RuntimeError, match=r"The outlines have [\d,]+ corners \(limit 60\): use tiles \(tile_size\)"):
        bpy.ops.navmesh.build(scope="VISIBLE")
    assert "Navmesh" not in bpy.data.collections and len(bpy.context.scene.navmesh.setups) == 0
