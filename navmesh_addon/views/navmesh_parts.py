"""What a finished navmesh is drawn of: surface, edges, walls, portals, vertices and links. Needs NumPy alone.

Edges lie along the detail mesh. What is in memory no longer is drawn of the mesh objects' own arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .link_pictures import link_lines

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.views.picture import Picture

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
INNER, WALL, PORTAL, VERTEX = (0, 48, 64, 140), (0, 30, 48, 255), (255, 255, 255, 190), (0, 30, 48, 255)
_POST = 0.12  # metres: how high a vertex stands
_SAME = 1e-3  # metres: what lies nearer is one place


class Arrays(NamedTuple):
    """What mesh objects hold, in metres, y up. Without detail the triangles are the polygons' own."""

    vertices: F32  # (V, 3)
    triangles: I32  # (T, 3)
    polygon: I32  # (T,) of each triangle
    colors: U8  # (T, 4)


class Parts(NamedTuple):
    """Pictures that are switched on and off by themselves."""

    edges: Picture
    walls: Picture  # and portals
    vertices: Picture
    links: Picture
    dead_ends: Picture  # links that are attached to nothing, seen through what stands before them


def surface(arrays: Arrays) -> Picture:
    """The triangles, in their colors."""
    from ...navcore.views.picture import EMPTY

    corners = arrays.vertices[arrays.triangles[:, [0, 1, 2, 2]]]
    return EMPTY._replace(corners=np.ascontiguousarray(corners, np.float32), face_colors=arrays.colors)


def parts_of_result(navmesh: NavMesh) -> Parts:
    """Of a navmesh that is in memory."""
    from ...navcore.result.draped_edges import BORDER, draped_edges
    from ...navcore.result.draped_edges import INNER as BETWEEN
    from ...navcore.result.in_metres import world_vertices

    edges = [draped_edges(tile) for tile in navmesh.tiles]
    lines = np.concatenate([np.zeros((0, 2, 3), np.float32), *(found.points for found in edges)])
    kinds = np.concatenate([np.zeros(0, np.uint8), *(found.kind for found in edges)])
    inner = kinds == BETWEEN
    outer = np.where((kinds[~inner] == BORDER)[:, None], np.array(PORTAL), np.array(WALL)).astype(np.uint8)
    corners = [world_vertices(tile.polygon_mesh) for tile in navmesh.tiles]
    links = link_lines(navmesh)
    return Parts(
        _lines(lines[inner], INNER), _lines(lines[~inner], outer),
        _posts(np.concatenate([np.zeros((0, 3), np.float32), *corners])), *(_lines(*one) for one in links),
    )  # fmt: skip


def parts_of_arrays(arrays: Arrays) -> Parts:
    """Of mesh objects: where two polygons have the same edge it lies between them; else it is a wall.

    Borders of tiles are not told apart from other edges, and links are not known.
    """
    from ...navcore.views.picture import EMPTY

    ends, polygon = _outlines(arrays)
    places = np.unique((ends.reshape(-1, 3).astype(np.float64) / _SAME).round().astype(np.int64), axis=0,
                       return_inverse=True)[1].reshape(-1, 2)  # fmt: skip
    _, first, number, count = np.unique(
        np.sort(places, axis=1), axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    shared = count[number.reshape(-1)] > 1
    once = np.zeros(len(ends), bool)
    once[first] = True
    corners = ends[~shared][:, 0] if len(polygon) else np.zeros((0, 3), np.float32)
    return Parts(
        _lines(ends[shared & once], INNER), _lines(ends[~shared], WALL), _posts(corners), EMPTY, EMPTY
    )  # fmt: skip


def _outlines(arrays: Arrays) -> tuple[F32, I32]:
    """(E, 2, 3) edges that only one triangle of their polygon has, and that polygon."""
    sides = arrays.triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)
    polygon = np.repeat(arrays.polygon, 3)
    key = np.column_stack([polygon, np.sort(sides, axis=1)])
    _, number, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    outer = count[number.reshape(-1)] == 1
    return arrays.vertices[sides[outer]], polygon[outer]


def _lines(lines: F32, colors: U8 | tuple[int, ...]) -> Picture:
    from ...navcore.views.picture import EMPTY

    painted = np.broadcast_to(np.asarray(colors, np.uint8), (len(lines), 4))
    return EMPTY._replace(lines=np.ascontiguousarray(lines, np.float32), line_colors=np.ascontiguousarray(painted))


def _posts(points: F32) -> Picture:
    """Short upright lines: a point that can be seen from everywhere."""
    tops = points + np.array([0, _POST, 0], np.float32)
    return _lines(np.stack([points, tops], axis=1), VERTEX)
