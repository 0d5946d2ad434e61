"""JSON: everything a program needs of a navmesh, in metres, y up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..area_flags import area_flags, runtime_areas
from ..types import NO_INDEX
from ..world import detail_triangles, polygon_corners, world_vertices

if TYPE_CHECKING:
    from ..navmesh import NavMesh

VERSION = 1


def json_bytes(navmesh: NavMesh) -> bytes:
    """The navmesh as one JSON object; areas and flags as runtime data has them (plain ground is area 0)."""
    content: dict[str, Any] = {
        "format": "navmesh",
        "version": VERSION,
        "up": "y",
        "unit": "metre",
        "settings": navmesh.settings.to_mapping(),
        "polygon_mesh": _polygons(navmesh),
        "links": [link.to_mapping() for link in navmesh.links],
    }
    if navmesh.detail_mesh is not None:
        triangles, polygon = detail_triangles(navmesh.detail_mesh)
        content["detail_mesh"] = {
            "vertices": navmesh.detail_mesh.vertices.tolist(),
            "triangles": triangles.tolist(),
            "polygon": polygon.tolist(),
        }
    return (json.dumps(content, allow_nan=False, separators=(",", ":")) + "\n").encode()


def _polygons(navmesh: NavMesh) -> dict[str, Any]:
    mesh = navmesh.polygon_mesh
    corners = polygon_corners(mesh)
    areas = runtime_areas(mesh.area)
    neighbors = [
        [None if n == NO_INDEX or n & 0x8000 else n for n in row[: len(polygon)]]
        for row, polygon in zip(mesh.neighbors.tolist(), corners, strict=True)
    ]
    return {
        "vertices": world_vertices(mesh).tolist(),
        "polygons": corners,
        "neighbors": neighbors,
        "areas": areas.tolist(),
        "flags": area_flags(areas, navmesh.area_types).tolist(),
        "regions": mesh.region.tolist(),
    }
