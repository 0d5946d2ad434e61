"""Stage 10: PolygonMesh and CompactHeightfield → DetailMesh, triangles inside each polygon that follow the ground.

build_detail             the stage: deals polygons to threads, puts their meshes together
each_polygon             one polygon after the other, by jobs
sampling                 how far apart samples are, and what went less than well
heights                  the heights below points
edge_and_inner_samples   points along the edges and inside
deviation                which inside point is added next
delaunay                 triangles between the points, brought up to date point by point
"""

from __future__ import annotations

from .build_detail import build_detail_mesh, merge_detail_meshes
from .sampling import sampling_of

__all__ = ["build_detail_mesh", "merge_detail_meshes", "sampling_of"]
