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


def surfaces(navmesh: NavMesh, rows: AreaRows, metres: float) -> tuple[Surface, Surface | None]:
    """The polygon mesh, and the detail mesh where there is one."""
    from ...navcore.errors import TooLarge

    try:
        polygons = _polygons(navmesh.polygon_mesh, rows, metres)
    except TooLarge:  # numbers of 16 bits can't count its polygons
        polygons = _stitched(navmesh, rows, metres)
    return polygons, _detail(navmesh, metres)


def _polygons(mesh: PolygonMesh, rows: AreaRows, metres: float) -> Surface:
    from ...navcore.result.in_metres import world_vertices
    from ...navcore.types import NO_INDEX

    present = mesh.polygons != NO_INDEX
    return Surface(
        to_blender(world_vertices(mesh), metres),
        mesh.polygons[present].astype(np.int32),
        _starts(present.sum(axis=1)),
        _attributes(mesh.area, mesh.region.astype(np.int32), islands(mesh), rows),
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


def _stitched(navmesh: NavMesh, rows: AreaRows, metres: float) -> Surface:
    """Many tiles as one mesh."""
    from ...navcore import stitch_tiles

    mesh = stitch_tiles(navmesh)
    region = np.concatenate([tile.polygon_mesh.region for tile in navmesh.tiles]).astype(np.int32)
    count = len(mesh.first) - 1
    owner = np.repeat(np.arange(count), np.diff(mesh.first))
    joined = mesh.neighbors >= 0
    return Surface(
        to_blender(mesh.vertices, metres),
        mesh.corners.astype(np.int32),
        mesh.first[:-1].astype(np.int32),
        _attributes(mesh.area, region, components(count, owner[joined], mesh.neighbors[joined]), rows),
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


def islands(mesh: PolygonMesh) -> I32:
    """(P,) which polygons a path joins: numbered from 0."""
    from ...navcore.types import PORTAL

    polygon, side = np.nonzero((mesh.neighbors & PORTAL) == 0)
    return components(len(mesh.polygons), polygon, mesh.neighbors[polygon, side].astype(np.int64))


def components(count: int, one: npt.NDArray[np.int64] | I32, other: npt.NDArray[np.int64] | I32) -> I32:
    """(count,) the connected part that each of `count` polygons belongs to, where one[k] and other[k] are joined."""
    both = np.concatenate([one, other]), np.concatenate([other, one])
    order = np.argsort(both[0], kind="stable")
    owner, neighbor = both[0][order], both[1][order]
    owners, first = np.unique(owner, return_index=True)
    label = np.arange(count)
    while len(owners):
        before = label.copy()
        label[owners] = np.minimum(label[owners], np.minimum.reduceat(label[neighbor], first))
        label = label[label]  # jump ahead: a chain of a thousand polygons takes ten rounds
        if (label == before).all():
            break
    return np.unique(label, return_inverse=True)[1].astype(np.int32)


def color_keys(attributes: Mapping[str, I32], color_by: str, most: int) -> I32:
    """(F,) which color each polygon gets: an area id as area types count, or one of `most` others."""
    if color_by == "AREA":
        area = attributes["navmesh_area"]
        return np.where(area == 0, PLAIN, area).astype(np.int32)
    return (attributes[f"navmesh_{color_by.lower()}"] % most).astype(np.int32)
