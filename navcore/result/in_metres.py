"""Finished meshes in metres: what writers and viewers need of the voxel bundles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..types import F32, FIRST_VERTEX, TRIANGLE_COUNT, DetailMesh, PolygonMesh


def world_vertices(mesh: PolygonMesh) -> F32:
    """(V, 3) polygon vertices in metres. Recast: the vertices of dtCreateNavMeshData."""
    step = np.array([mesh.grid.cell_size, mesh.grid.cell_height, mesh.grid.cell_size], np.float32)
    return mesh.grid.bounds_min + mesh.vertices.astype(np.float32) * step


def detail_triangles(detail: DetailMesh) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """(., 3) vertex ids into `detail.vertices`, and the polygon of each triangle."""
    polygon = np.repeat(np.arange(len(detail.meshes)), detail.meshes[:, TRIANGLE_COUNT].astype(np.int64))
    first_vertex = detail.meshes[:, FIRST_VERTEX].astype(np.int64)
    return detail.triangles[:, :3].astype(np.int64) + first_vertex[polygon, None], polygon
