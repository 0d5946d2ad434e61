"""One plain mesh of all tiles, for those who read nothing but vertices and polygons.

Tiles are simplified on their own, so along their common border one has corners where the other has none. Detour links
such edges by overlap; a plain mesh can't. Here each side gets the corners that the other side has, wherever Detour
would link the two, and both use the same vertices: every edge inside the mesh is then shared by exactly two polygons.
The ground plan does not change. No Recast ancestor.
"""

from __future__ import annotations

import numpy as np

from ...geometry.polygon_rings import next_corners
from ...types import StitchedMesh
from ..navmesh import NavMesh, check_built
from .stitched_borders import border_edges, gathered, partners
from .stitched_mesh import assembled
from .triangulation import triangulated
from .welded_vertices import welded

__all__ = ["edge_violations", "stitch_tiles", "triangulated"]


def stitch_tiles(navmesh: NavMesh) -> StitchedMesh:
    """All tiles as one mesh without T-junctions on their borders; ids have 32 bits, polygons any number of corners.

    Edges on a border become one where they overlap and an agent can step across, as Detour judges it; where several
    storeys could meet, the nearest in height do. A vertex in common stands where the lower-numbered tile has it.
    """
    check_built("stitch_tiles", navmesh)
    tile_grid, mesh = navmesh.tile_grid, navmesh.tiles[0].polygon_mesh
    finest = None if tile_grid is None else tile_grid.finest
    size = 0 if finest is None else finest.size
    cell_size = mesh.grid.cell_size if finest is None else finest.cell_size
    corners = gathered(navmesh.tiles, size, cell_size)
    edges = border_edges(corners, size)
    climb = float(navmesh.settings.agent_max_climb) / float(mesh.grid.cell_height)
    welds = welded(corners, edges, partners(corners, edges, climb, float(cell_size)), climb)
    area = np.concatenate([tile.polygon_mesh.area for tile in navmesh.tiles])
    origin = mesh.grid.bounds_min if tile_grid is None else tile_grid.bounds_min
    return assembled(corners, edges, welds, area, mesh.grid._replace(bounds_min=origin, cell_size=cell_size))


def edge_violations(mesh: StitchedMesh) -> int:
    """How many edges are walked twice in one direction (0: each belongs to one polygon, or to two that face it)."""
    ends = mesh.corners[next_corners(mesh.first)]
    walked = mesh.corners.astype(np.int64) * len(mesh.vertices) + ends
    return int((np.unique(walked, return_counts=True)[1] > 1).sum())
