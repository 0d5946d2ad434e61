"""A stitched mesh in triangles, for those who take nothing else."""

from __future__ import annotations

import numpy as np

from ...errors import BadInput
from ...jit import kernel
from ...types import I32, I64, StitchedMesh
from .stitched_mesh import connected


def triangulated(mesh: StitchedMesh) -> StitchedMesh:
    """The same mesh cut into triangles, none without area: T-junctions do not come back.

    Corners on a straight edge stay, so a fan would not do: the shortest cut that leaves area on both sides is taken.
    """
    if not isinstance(mesh, StitchedMesh):
        raise BadInput(f"triangulated takes what stitch_tiles returns, not {type(mesh).__name__}.", "WRONG_KIND")
    corners, polygon = cut_polygons(mesh)
    first = np.arange(0, len(corners) + 1, 3, dtype=np.int32)
    return mesh._replace(
        first=first,
        corners=corners,
        neighbors=connected(first, corners, len(mesh.vertices)),
        area=mesh.area[polygon],
    )


def cut_polygons(mesh: StitchedMesh) -> tuple[I32, I32]:
    """The corners of those triangles, three each, and the polygon that each triangle was cut from."""
    most = np.diff(mesh.first) - 2
    corners = np.empty(3 * int(np.maximum(most, 0).sum()), np.int32)
    polygon = np.empty(len(corners) // 3, np.int32)
    longest = int(most.max(initial=0)) + 2
    count = _cut_kernel(mesh, corners, polygon, np.empty(longest, np.int32), np.empty((longest, 2), np.int64))
    return corners[: 3 * count], polygon[:count]


@kernel
def _area2(places: I64, a: int, b: int, c: int) -> np.int64:
    """Twice the area of a triangle, in cells; positive the way polygons turn."""
    across = (places[b, 0] - places[a, 0]) * (places[c, 1] - places[a, 1])
    return (places[c, 0] - places[a, 0]) * (places[b, 1] - places[a, 1]) - across


@kernel
def _cut_kernel(mesh: StitchedMesh, corners: I32, polygon_of: I32, ring: I32, places: I64) -> int:
    """Cut every polygon; returns the number of triangles. What has no area (Recast makes it at times) leaves none."""
    first, source, vertices, cell_size = mesh.first, mesh.corners, mesh.vertices, mesh.cell_size
    count = 0
    for polygon in range(len(first) - 1):
        begin, left = first[polygon], first[polygon + 1] - first[polygon]
        for i in range(left):  # whole cells from the first corner: exact
            v, origin = source[begin + i], source[begin]
            ring[i] = i
            places[i, 0] = np.int64(np.floor((vertices[v, 0] - vertices[origin, 0]) / cell_size + np.float32(0.5)))
            places[i, 1] = np.int64(np.floor((vertices[v, 2] - vertices[origin, 2]) / cell_size + np.float32(0.5)))
        whole = np.int64(0)
        for i in range(1, left - 1):
            whole += _area2(places, 0, i, i + 1)
        while left >= 3:
            best = _best_ear(places, ring, left, whole)
            if best < 0:
                break
            before, after = (best + left - 1) % left, (best + 1) % left
            whole -= _area2(places, ring[before], ring[best], ring[after])
            corners[3 * count] = source[begin + ring[before]]
            corners[3 * count + 1] = source[begin + ring[best]]
            corners[3 * count + 2] = source[begin + ring[after]]
            polygon_of[count] = polygon
            count += 1
            left -= 1
            for i in range(best, left):
                ring[i] = ring[i + 1]
    return count


@kernel
def _best_ear(places: I64, ring: I32, left: int, whole: np.int64) -> int:
    """The corner to cut off: not flat, not leaving a flat rest, with the shortest cut; -1 where there is none."""
    best, shortest = -1, np.int64(0)
    for i in range(left):
        a, b, c = ring[(i + left - 1) % left], ring[i], ring[(i + 1) % left]
        area = _area2(places, a, b, c)
        if area <= 0 or (left > 3 and area >= whole):
            continue
        x, z = places[c, 0] - places[a, 0], places[c, 1] - places[a, 1]
        if best < 0 or x * x + z * z < shortest:
            best, shortest = i, x * x + z * z
    return best
