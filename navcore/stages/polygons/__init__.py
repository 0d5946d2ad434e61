"""Stage 9: contours → polygon mesh.

    mesh         all of it, and the meshes of tiles → one mesh
    weld         corners of all contours → shared vertices
    triangulate  one contour → triangles, by clipping ears
    merge        triangles → convex polygons of up to N vertices
    remove       vertices on a tile's border that its neighbor tile would not have
    adjacency    which polygon, or which neighbor tile, lies across each edge
    again        polygons of outlines that stay what they were

Recast: rcBuildPolyMesh, rcMergePolyMeshes.
"""

from .again import PolygonMemory, PolygonsBefore
from .mesh import build_polygon_mesh, merge_polygon_meshes, polygons_in_one_call
from .weld import WELD_HEIGHT

__all__ = [
    "WELD_HEIGHT", "PolygonMemory", "PolygonsBefore", "build_polygon_mesh", "merge_polygon_meshes",
    "polygons_in_one_call",
]  # fmt: skip
