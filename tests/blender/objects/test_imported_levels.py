"""Known levels imported as Blender objects: their navmesh equals the one that is built from the file, to the last bit.

With NAVMESH_GOLDENS naming a folder of stage dumps, also the C++ library's.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests import scenes as levels

FOLDER = os.environ.get("NAVMESH_GOLDENS")


def imported_and_built(bpy: Any, addon: Any, path: Path) -> Any:
    """As an artist does it: File > Import > Wavefront, which turns Y up into Z up, and Build."""
    bpy.ops.wm.obj_import(filepath=str(path))
    bpy.ops.navmesh.build(scope="VISIBLE", cell_size=0.3)
    return addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"]).navmesh


def test_a_note_tells_its_place_in_the_scene_s_coordinates(bpy: Any, addon: Any, tmp_path: Path) -> None:
    (tmp_path / "level.obj").write_text(levels.obj_text(levels.spiral(1.5)))
    found = imported_and_built(bpy, addon, tmp_path / "level.obj")
    x, y, z = next(warning.place for warning in found.report.notes if warning.code == "REPAIRED")
    report = addon("objects.build_report").report_of(
        addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    )
    said = next(warning["message"] for warning in report["notes"] if warning["code"] == "REPAIRED")
    place_in_words = addon("build_warning", "navcore").place_in_words
    assert said.endswith(f" At {place_in_words((x, -z, y))}.")


@pytest.mark.parametrize("seed", [1, 2])
def test_imported_levels(bpy: Any, addon: Any, tmp_path: Path, seed: int) -> None:
    vertices, triangles = levels.join([levels.city(2, seed=seed), levels.terrain(60, seed=seed)])
    (tmp_path / "level.obj").write_text(levels.obj_text((vertices, triangles)))
    found = imported_and_built(bpy, addon, tmp_path / "level.obj")
    wanted = addon("build_level", "navcore.builder").build_navmesh(vertices, triangles)
    for name in ("vertices", "polygons", "neighbors", "region", "area"):
        assert np.array_equal(getattr(found.polygon_mesh, name), getattr(wanted.polygon_mesh, name)), name
    for name in ("meshes", "vertices", "triangles"):
        assert np.array_equal(getattr(found.detail_mesh, name), getattr(wanted.detail_mesh, name)), name


if FOLDER:  # those levels and their dumps are no part of the project

    @pytest.mark.parametrize("name", ["nav_test", "dungeon", "undulating"])
    def test_levels_of_the_library(bpy: Any, addon: Any, tmp_path: Path, name: str) -> None:
        """Detail and polygon mesh are the bytes of the C++ library's build with its usual settings."""
        folder = Path(str(FOLDER)) / name
        with np.load(folder / "mesh.npz") as mesh:
            (tmp_path / "level.obj").write_text(levels.obj_text((mesh["verts"], mesh["tris"])))
        found = imported_and_built(bpy, addon, tmp_path / "level.obj")
        with np.load(folder / "default_watershed.npz") as golden:
            half = golden["pm_polys"].reshape(len(found.polygon_mesh.polygons), -1)
            n = half.shape[1] // 2
            assert np.array_equal(found.polygon_mesh.vertices, golden["pm_verts"].reshape(-1, 3))
            assert np.array_equal(found.polygon_mesh.polygons, half[:, :n])
            assert np.array_equal(found.polygon_mesh.neighbors, half[:, n:])
            assert found.detail_mesh.vertices.tobytes() == golden["dm_verts"].tobytes()
            assert np.array_equal(found.detail_mesh.triangles, golden["dm_tris"].reshape(-1, 4))
