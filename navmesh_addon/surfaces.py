"""Navmesh → arrays as a Blender mesh wants them: vertices, corners, face attributes. Needs NumPy alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from .areas import AreaRow
from .axes import to_blender

if TYPE_CHECKING:
    from ..navcore.navmesh import NavMesh
    from ..navcore.types import PolygonMesh

I32 = npt.NDArray[np.int32]
Rows = tuple[AreaRow, ...]


class Surface(NamedTuple):
    """One mesh in Blender's axes and units."""

    vertices: npt.NDArray[np.float32]  # (V, 3)
    corners: I32  # vertex of every corner, face after face
    starts: I32  # (F,) first corner of each face
    attributes: dict[str, I32]  # (F,) by name
    area: I32  # (F,) as area types count: 63 for plain ground
    group: I32  # (F,) what faces of one color have in common, where color does not mean area


def surfaces(navmesh: NavMesh, rows: Rows, color_by: str, metres: float) -> tuple[Surface, Surface | None]:
    """The polygon mesh, and the detail mesh where there is one."""
    from ..navcore.errors import TooLarge

    try:
        meshes = [navmesh.polygon_mesh]
    except TooLarge:  # numbers of 16 bits can't count its polygons: tiles lie side by side, not welded
        meshes = [tile.polygon_mesh for tile in navmesh.tiles]
    polygons = _joined([_polygons(mesh, rows, color_by, metres) for mesh in meshes])
    return polygons, _detail(navmesh, polygons, metres)


def _polygons(mesh: PolygonMesh, rows: Rows, color_by: str, metres: float) -> Surface:
    from ..navcore.area_flags import runtime_areas
    from ..navcore.types import NO_INDEX
    from ..navcore.world import world_vertices

    present = mesh.polygons != NO_INDEX
    flags = np.zeros(256, np.int32)
    for row in rows:
        flags[row.area] = row.flags
    region = mesh.region.astype(np.int32)
    return Surface(
        to_blender(world_vertices(mesh), metres),
        mesh.polygons[present].astype(np.int32),
        _starts(present.sum(axis=1)),
        {
            "navmesh_area": runtime_areas(mesh.area).astype(np.int32),
            "navmesh_region": region,
            "navmesh_flags": flags[mesh.area],
        },
        mesh.area.astype(np.int32),
        islands(mesh) if color_by == "ISLAND" else region,
    )


def _detail(navmesh: NavMesh, polygons: Surface, metres: float) -> Surface | None:
    from ..navcore.world import detail_triangles

    detail = navmesh.detail_mesh
    if detail is None:
        return None
    triangles, owner = detail_triangles(detail)
    return Surface(
        to_blender(detail.vertices, metres),
        triangles.astype(np.int32).ravel(),
        np.arange(0, 3 * len(triangles), 3, dtype=np.int32),
        {"navmesh_polygon": owner.astype(np.int32)},
        polygons.area[owner],
        polygons.group[owner],
    )


def _starts(sizes: npt.NDArray[np.int64]) -> I32:
    return (np.cumsum(sizes) - sizes).astype(np.int32)


def _joined(parts: list[Surface]) -> Surface:
    if len(parts) == 1:
        return parts[0]
    first_vertex = np.cumsum([0] + [len(p.vertices) for p in parts])
    first_corner = np.cumsum([0] + [len(p.corners) for p in parts])
    return Surface(
        np.concatenate([p.vertices for p in parts]),
        np.concatenate([p.corners + n for p, n in zip(parts, first_vertex, strict=False)]).astype(np.int32),
        np.concatenate([p.starts + n for p, n in zip(parts, first_corner, strict=False)]).astype(np.int32),
        {name: np.concatenate([p.attributes[name] for p in parts]) for name in parts[0].attributes},
        np.concatenate([p.area for p in parts]),
        np.concatenate([p.group for p in parts]),
    )


def islands(mesh: PolygonMesh) -> I32:
    """(P,) which polygons a path joins: numbered from 0."""
    count = len(mesh.polygons)
    polygon, side = np.nonzero((mesh.neighbors & 0x8000) == 0)
    other = mesh.neighbors[polygon, side].astype(np.int64)
    label = np.arange(count)
    while True:
        before = label.copy()
        np.minimum.at(label, polygon, label[other])
        np.minimum.at(label, other, label[polygon])
        label = label[label]  # jump ahead: a chain of a thousand polygons takes ten rounds
        if (label == before).all():
            return np.unique(label, return_inverse=True)[1].astype(np.int32)


def material_keys(surface: Surface, color_by: str, most: int) -> I32:
    """(F,) which color each face gets: an area id, or one of `most` others."""
    if color_by == "AREA":
        return surface.area
    return (surface.group % most).astype(np.int32)
