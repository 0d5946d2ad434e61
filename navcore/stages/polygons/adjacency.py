"""Stage 9, adjacency: which polygon lies across each edge, and which edges are portals to a neighbor tile."""

from __future__ import annotations

import numpy as np

from ...jit import kernel
from ...types import NO_INDEX, PORTAL, U16

_FAR_END, _OWNER, _LINK = 0, 1, 2  # columns of edges


@kernel
def corner_count(polygons: U16, polygon: int) -> int:
    """How many vertices a polygon has."""
    most = polygons.shape[1]
    for i in range(most):
        if polygons[polygon, i] == NO_INDEX:
            return i
    return most


@kernel
def connect_polygons(polygons: U16, neighbors: U16, vertex_count: int) -> None:
    """Write into (P, N) `neighbors` the polygon across each edge that two polygons share; other entries stay.

    An edge joins two polygons that run along it in opposite directions; a third one stays alone. Recast's edge numbers
    wrap beyond 65,535 edges, which misses neighbors; ours don't. Recast: buildMeshAdjacency.
    """
    edges, heads = np.empty((polygons.size, 3), np.int32), np.empty(vertex_count, np.int32)
    for vertex in range(vertex_count):
        heads[vertex] = -1
    most, used = polygons.shape[1], 0
    for polygon in range(polygons.shape[0]):
        corners = corner_count(polygons, polygon)
        for i in range(corners):
            a = np.int32(polygons[polygon, i])
            b = np.int32(polygons[polygon, i + 1 if i + 1 < corners else 0])
            if a < b:
                edges[used, _FAR_END], edges[used, _OWNER], edges[used, _LINK] = b, polygon * most + i, heads[a]
                heads[a] = used
                used += 1
    for polygon in range(polygons.shape[0]):
        corners = corner_count(polygons, polygon)
        for i in range(corners):
            a = np.int32(polygons[polygon, i])
            b = np.int32(polygons[polygon, i + 1 if i + 1 < corners else 0])
            if a <= b:
                continue
            edge = heads[b]
            while edge >= 0 and edges[edge, _FAR_END] != a:
                edge = edges[edge, _LINK]
            # A polygon that runs along its own edge is no neighbor of itself; the edge stays free for others.
            if edge >= 0 and edges[edge, _OWNER] // most != polygon:
                owner = edges[edge, _OWNER]
                neighbors[owner // most, owner % most] = polygon
                neighbors[polygon, i] = owner // most
                edges[edge, _FAR_END] = -1  # taken


@kernel
def mark_portals(vertices: U16, polygons: U16, neighbors: U16, width: int, depth: int) -> None:
    """Mark edges without a neighbor on the sides of a tile of width × depth columns. Recast: rcBuildPolyMesh."""
    for polygon in range(polygons.shape[0]):
        corners = corner_count(polygons, polygon)
        for i in range(corners):
            if neighbors[polygon, i] != NO_INDEX:
                continue
            a = polygons[polygon, i]
            b = polygons[polygon, i + 1 if i + 1 < corners else 0]
            if vertices[a, 0] == 0 and vertices[b, 0] == 0:
                neighbors[polygon, i] = PORTAL
            elif vertices[a, 2] == depth and vertices[b, 2] == depth:
                neighbors[polygon, i] = PORTAL | 1
            elif vertices[a, 0] == width and vertices[b, 0] == width:
                neighbors[polygon, i] = PORTAL | 2
            elif vertices[a, 2] == 0 and vertices[b, 2] == 0:
                neighbors[polygon, i] = PORTAL | 3
