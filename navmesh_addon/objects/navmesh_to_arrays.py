"""Navmesh → arrays as a Blender mesh wants them: vertices, corners, face attributes. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from ..stored.area_types import AreaRow
from ..stored.object_properties import PLAIN

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.types import PolygonMesh

I32 = npt.NDArray[np.int32]
AreaRows = tuple[AreaRow, ...]


class Surface(NamedTuple):
    """One mesh in Blender's axes and units."""

    vertices: npt.NDArray[np.float32]  # (V, 3)
    corners: I32  # vertex of every corner, face after face
    starts: I32  # (F,) first corner of each face
    attributes: dict[str, I32]  # (F,) by name


def surfaces(
    navmesh: NavMesh, islands: I32, rows: AreaRows, metres: float
) -> tuple[Surface, Surface | None]:  # fmt: skip
    """The polygon mesh, and the detail mesh where there is one. `islands`: of each polygon, tile after tile."""
    from ...navcore.errors import TooLarge

    try:
        polygons = _polygons(navmesh.polygon_mesh, islands, rows, metres)
    except TooLarge:  # numbers of 16 bits can't count its polygons
        polygons = _stitched(navmesh, islands, rows, metres)
    return polygons, _detail(navmesh, metres)


def _polygons(mesh: PolygonMesh, islands: I32, rows: AreaRows, metres: float) -> Surface:
    from ...navcore.result.in_metres import world_vertices
    from ...navcore.types import NO_INDEX

    present = mesh.polygons != NO_INDEX
    return Surface(
        to_blender(world_vertices(mesh), metres),
        mesh.polygons[present].astype(np.int32),
        _starts(present.sum(axis=1)),
        _attributes(mesh.area, mesh.region.astype(np.int32), islands, rows),
    )


def _detail(navmesh: NavMesh, metres: float) -> Surface | None:
    from ...navcore.result.in_metres import detail_triangles

    detail = navmesh.detail_mesh
    if detail is None:
        return None
    triangles, owner = detail_triangles(detail)
    return Surface(
        to_blender(detail.vertices, metres),
        triangles.astype(np.int32).ravel(),
        np.arange(0, 3 * len(triangles), 3, dtype=np.int32),
        {"navmesh_polygon": owner.astype(np.int32)},
    )


def _starts(sizes: npt.NDArray[np.int64]) -> I32:
    return (np.cumsum(sizes) - sizes).astype(np.int32)


def _stitched(navmesh: NavMesh, islands: I32, rows: AreaRows, metres: float) -> Surface:
    """Many tiles as one mesh."""
    from ...navcore import stitch_tiles

    mesh = stitch_tiles(navmesh)
    region = np.concatenate([tile.polygon_mesh.region for tile in navmesh.tiles]).astype(np.int32)
    return Surface(
        to_blender(mesh.vertices, metres),
        mesh.corners.astype(np.int32),
        mesh.first[:-1].astype(np.int32),
        _attributes(mesh.area, region, islands, rows),
    )


def _attributes(area: npt.NDArray[np.uint8], region: I32, island: I32, rows: AreaRows) -> dict[str, I32]:
    """Areas as runtime data has them."""
    from ...navcore.area_types import runtime_areas

    flags = np.zeros(256, np.int32)
    for row in rows:
        flags[row.area] = row.flags
    return {
        "navmesh_area": runtime_areas(area).astype(np.int32),
        "navmesh_region": region,
        "navmesh_flags": flags[area],
        "navmesh_island": island,
    }


def color_keys(attributes: Mapping[str, I32], color_by: str, most: int) -> I32:
    """(F,) which color each polygon gets: an area id as area types count, or one of `most` others."""
    if color_by == "AREA":
        area = attributes["navmesh_area"]
        return np.where(area == 0, PLAIN, area).astype(np.int32)
    return (attributes[f"navmesh_{color_by.lower()}"] % most).astype(np.int32)
