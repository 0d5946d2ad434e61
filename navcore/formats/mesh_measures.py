"""Sizes, islands and values of the polygons of navmeshes in plain arrays, wherever they came from."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..clearance.plain_clearances import LastClearances as LastClearances
from ..clearance.plain_clearances import PlainGround, plain_clearances
from ..detour.queries.islands import find_islands
from ..geometry.arrays import numbers_in_ranges
from ..geometry.connected_parts import numbered_by_ground
from ..geometry.polygon_rings import parts_by_edges
from ..progress import Progress
from ..types import F32, F64, I32
from .plain_navmesh import PlainNavmesh


def fans(first: I32, corners: I32) -> tuple[I32, I32]:
    """Every polygon as triangles around its first corner, and the polygon of each."""
    sizes = np.diff(first) - 2
    begin = np.repeat(first[:-1], sizes)
    second = numbers_in_ranges(first[:-1], sizes) + 1
    owner = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return corners[np.stack([begin, second, second + 1], axis=1)], owner


def areas_from_above(navmesh: PlainNavmesh) -> F64:
    """Square metres of each polygon seen from above; 0 for one that lies within a line."""
    fan, owner = fans(navmesh.first, navmesh.corners)
    areas = np.zeros(len(navmesh.area))
    np.add.at(areas, owner, triangles_from_above(navmesh.vertices[fan].astype(np.float64)))
    return areas


def triangles_from_above(triangles: F64) -> F64:
    """Square metres of triangles (T, 3, 3) seen from above."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac = b - a, c - a
    return np.asarray(ab[:, 2] * ac[:, 0] - ab[:, 0] * ac[:, 2]) / 2


def plain_islands(navmesh: PlainNavmesh) -> tuple[I32, F64]:
    """The island of each polygon, numbered as `find_islands` does, and the square metres of each island.

    A Detour file's are those of `find_islands`. What is known by its edges alone has no links: where they are attached,
    only the game finds out that loads it.
    """
    if navmesh.file is not None:
        islands = find_islands(navmesh.file)
        return islands.of_polygon, islands.square_metres
    count = len(navmesh.first) - 1
    part = parts_by_edges(navmesh.first, navmesh.neighbors)
    return numbered_by_ground(part, np.ones(count, bool), np.abs(areas_from_above(navmesh)))


class PolygonValues(NamedTuple):
    """What is known of each polygon beside its area; None for what nobody knows of a file."""

    clearance: F32 | None  # (P,) metres: the radius of the widest agent whose center can stand in it
    cost: F32 | None  # (P,) how dear a metre of its area is
    slope: F32  # (P,) degrees: the mean over its detail triangles, each with its ground seen from above


def polygon_values(
    navmesh: PlainNavmesh, threads: int | None = None, progress: Progress | None = None,
    last: LastClearances | None = None,
) -> PolygonValues:  # fmt: skip
    """The values of each polygon. A Detour file knows no costs; a file that names no agent knows no clearance.

    `last` keeps the clearances of a navmesh that changes, where nothing changed near them.
    """
    radius = _agent_radius(navmesh)
    clearance = None
    if radius is not None:
        ground = PlainGround(navmesh.vertices, navmesh.first, navmesh.corners, navmesh.neighbors)
        clearance = plain_clearances(ground, radius, _cell(navmesh), threads, progress, last)
    cost = None
    if navmesh.file is None:
        table = np.ones(256, np.float32)
        for area, kind in navmesh.area_types.items():
            table[area] = kind.cost
        cost = table[navmesh.area]
    return PolygonValues(clearance, cost, polygon_slopes(navmesh))


def _agent_radius(navmesh: PlainNavmesh) -> float | None:
    if navmesh.settings is not None:
        return float(navmesh.settings.agent_radius)
    if navmesh.file is not None and navmesh.file.tiles:
        return float(navmesh.file.tiles[0].sections.header[0]["agent_radius"])
    return None


def _cell(navmesh: PlainNavmesh) -> float:
    """Metres by which clearances are told apart: the size of a cell where that is known."""
    return navmesh.seen_cell or 0.3


def polygon_slopes(navmesh: PlainNavmesh) -> F32:
    """(P,) how steep each polygon is in degrees: the mean over its triangles, each with its ground seen from above.

    Without detail triangles they are those of a fan over the polygon's own corners.
    """
    detail = navmesh.detail_there
    if detail is not None:
        corners, owner = detail.vertices[detail.triangles].astype(np.float64), detail.polygon
    else:
        fan, owner = fans(navmesh.first, navmesh.corners)
        corners = navmesh.vertices[fan].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    flat = np.hypot(normals[:, 0], normals[:, 2])
    ground = np.abs(normals[:, 1])
    count = len(navmesh.first) - 1
    steep = np.bincount(owner, np.degrees(np.arctan2(flat, ground)) * ground, minlength=count)
    sizes = np.bincount(owner, ground, minlength=count)
    slopes: F32 = np.divide(steep, sizes, out=np.zeros(count), where=sizes > 0).astype(np.float32)
    return slopes
