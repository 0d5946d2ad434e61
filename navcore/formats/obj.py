"""Wavefront OBJ: triangles in, polygon and detail mesh out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import BadInput
from ..types import F32, I32
from ..world import detail_triangles, polygon_corners, world_vertices

if TYPE_CHECKING:
    from ..navmesh import NavMesh


def read_obj(path: Path) -> tuple[F32, I32]:
    """Vertices (V, 3) and triangles (T, 3) of `v` and `f` lines; polygons are fanned, negative indices count back."""
    vertices: list[tuple[float, float, float]] = []
    triangles: list[tuple[int, int, int]] = []
    with path.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            words = line.split()
            try:
                if not words:
                    continue
                if words[0] == "v":
                    vertices.append((float(words[1]), float(words[2]), float(words[3])))
                elif words[0] == "f":
                    corners = [_corner(word, len(vertices)) for word in words[1:]]
                    if len(corners) < 3:
                        raise BadInput(
                            f"{path.name}, line {number}: a face needs at least 3 corners, not {len(corners)}."
                        )
                    triangles += [(corners[0], corners[i], corners[i + 1]) for i in range(1, len(corners) - 1)]
            except (ValueError, IndexError, OverflowError):
                raise BadInput(f"{path.name}, line {number} is not a proper OBJ line: {line.strip()[:60]!r}.") from None
    return np.array(vertices, np.float32).reshape(-1, 3), np.array(triangles, np.int32).reshape(-1, 3)


def _corner(word: str, count: int) -> int:
    """The vertex of `v`, `v/vt` or `v/vt/vn`, counted from 0; -1 for the index 0, which OBJ does not have."""
    index = int(word.partition("/")[0])
    if not -(2**31) < index < 2**31:
        raise ValueError
    return index - 1 if index >= 0 else (count + index if count + index >= 0 else -1)


def obj_bytes(navmesh: NavMesh) -> bytes:
    """The polygon mesh (group `polygons`) and the detail mesh (group `detail`) in metres, y up."""
    mesh, detail = navmesh.polygon_mesh, navmesh.detail_mesh
    lines = ["# navigation mesh, metres, y up", "o navmesh", "g polygons"]
    lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in world_vertices(mesh).tolist()]
    lines += ["f " + " ".join(str(v + 1) for v in corners) for corners in polygon_corners(mesh)]
    if detail is not None:
        lines.append("g detail")
        lines += [f"v {x:.9g} {y:.9g} {z:.9g}" for x, y, z in detail.vertices.tolist()]
        triangles, _ = detail_triangles(detail)
        lines += [f"f {a} {b} {c}" for a, b, c in (triangles + 1 + len(mesh.vertices)).tolist()]
    return ("\n".join(lines) + "\n").encode()
