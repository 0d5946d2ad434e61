"""Two triangles in the formats that trimesh reads, by hand."""

from __future__ import annotations

import struct

import numpy as np

POINTS = [[0, 0, 0], [0, 0, 10], [10, 0, 10], [10, 0, 0]]
PLY_HEAD = (
    "ply\nformat {format} 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
    "element face {faces}\nproperty list uchar int vertex_indices\nend_header\n"
)
PLY = PLY_HEAD.format(format="ascii", faces=2) + "0 0 0\n0 0 10\n10 0 10\n10 0 0\n3 0 1 2\n3 0 2 3\n"
PLY_BINARY = (
    PLY_HEAD.format(format="binary_little_endian", faces=2).encode()
    + struct.pack("<12f", *np.ravel(POINTS))
    + struct.pack("<BiiiBiii", 3, 0, 1, 2, 3, 0, 2, 3)
)
OFF = "OFF # a comment\n4 2 0\n0 0 0\n0 0 10\n\n10 0 10\n10 0 0\n3 0 1 2\n3 0 2 3\n"
FACETS = [[POINTS[0], POINTS[1], POINTS[2]], [POINTS[0], POINTS[2], POINTS[3]]]


def facet(corners: list[list[int]]) -> str:
    lines = "".join(f"vertex {x} {y} {z}\n" for x, y, z in corners)
    return f"facet normal 0 1 0\nouter loop\n{lines}endloop\nendfacet\n"


STL = "solid Ground\n" + facet(FACETS[0]) + "endsolid Ground\nsolid Pond\n" + facet(FACETS[1]) + "endsolid Pond\n"
STL_BINARY = bytes(80) + struct.pack("<I", 2) + b"".join(
    struct.pack("<12fH", 0, 1, 0, *np.ravel(corners), 0) for corners in FACETS
)  # fmt: skip
FILES: dict[str, bytes] = {
    "a.ply": PLY.encode(), "b.ply": PLY_BINARY, "c.off": OFF.encode(), "d.stl": STL.encode(), "e.stl": STL_BINARY,
    "f.ply": PLY.replace("face 2", "face 1").replace("3 0 1 2\n3 0 2 3", "4 0 1 2 3").encode(),
}  # fmt: skip
