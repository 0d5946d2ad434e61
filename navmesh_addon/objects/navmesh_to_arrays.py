"""Navmesh → arrays as a Blender mesh wants them: vertices, corners, face attributes. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from ..stored.area_types import AreaRow

if TYPE_CHECKING:
    from ...navcore.agent_sizes import AgentSize
    from ...navcore.formats.mesh_measures import PolygonValues
    from ...navcore.formats.plain_navmesh import PlainNavmesh
    from ...navcore.result.navmesh import NavMesh
    from ...navcore.scene import Link
    from ...navcore.types import U16, PolygonMesh

# --- Imported navmeshes → arrays as Blender meshes want them, and what is known of them. Needs NumPy alone.


def plain_surfaces(
    plain: PlainNavmesh, islands: I32, values: PolygonValues, metres: float
) -> tuple[Surface, Surface | None]:
    """The polygon mesh, and the detail mesh where there is one. `islands` and `values`: of each polygon."""
    attributes = {
        "navmesh_area": plain.area.astype(np.int32),
        "navmesh_region": plain.region.astype(np.int32),
        "navmesh_flags": _signed(plain.flags),
        "navmesh_island": islands,
        **value_attributes(values),
    }
    if plain.sizes:
        attributes |= size_attributes(plain.flags, None, plain.sizes)
    polygons = Surface(
        to_blender(plain.vertices, metres),
        plain.corners.astype(np.int32),
        plain.first[:-1].astype(np.int32),
        attributes,
    )
    detail = plain.detail_there
    if detail is None:
        return polygons, None
    owner = detail.polygon.astype(np.int32)
    return polygons, Surface(
        to_blender(detail.vertices, metres),
        detail.triangles.astype(np.int32).ravel(),
        np.arange(0, 3 * len(detail.triangles), 3, dtype=np.int32),
        {"navmesh_polygon": owner},
    )


def _signed(flags: npt.NDArray[np.uint16]) -> I32:
    return flags.astype(np.int32)


def ground_by_area(plain: PlainNavmesh) -> Iterator[tuple[int, int, float]]:
    """Area id, polygons and square metres seen from above, of each area that occurs."""
    x, z = (plain.vertices[plain.corners, axis].astype(np.float64) for axis in (0, 2))
    following = np.arange(1, len(plain.corners) + 1)
    following[plain.first[1:] - 1] = plain.first[:-1]
    doubled = np.abs(np.add.reduceat(x[following] * z - x * z[following], plain.first[:-1]))
    for area in np.unique(plain.area).tolist():
        chosen = plain.area == area
        yield area, int(chosen.sum()), round(float(doubled[chosen].sum()) / 2, 3)


def link_edges(links: Iterable[Link], metres: float) -> npt.NDArray[np.float32]:
    """(., 3) start and end of each link by turns."""
    points = np.array([point for link in links for point in (link.start, link.end)], np.float32)
    return to_blender(points.reshape(-1, 3), metres)


I32 = npt.NDArray[np.int32]
Values = npt.NDArray[np.int32] | npt.NDArray[np.float32]
AreaRows = tuple[AreaRow, ...]


class Surface(NamedTuple):
    """One mesh in Blender's axes and units."""

    vertices: npt.NDArray[np.float32]  # (V, 3)
    corners: I32  # vertex of every corner, face after face
    starts: I32  # (F,) first corner of each face
    attributes: dict[str, Values]  # (F,) by name


def surfaces(
    navmesh: NavMesh, islands: I32, values: PolygonValues, rows: AreaRows, metres: float
) -> tuple[Surface, Surface | None]:
    """The polygon mesh, and the detail mesh where there is one. `islands` and `values`: of each polygon, tile after
    tile."""
    from ...navcore.errors import TooLarge

    try:
        polygons = _polygons(navmesh.polygon_mesh, rows, metres)
    except TooLarge:  # numbers of 16 bits can't count its polygons
        polygons = _stitched(navmesh, rows, metres)
    polygons.attributes.update(navmesh_island=islands, **value_attributes(values))
    if navmesh.sizes:
        from ...navcore.formats.plain_navmesh import too_small_for

        flags = polygons.attributes["navmesh_flags"].astype(np.uint16)
        polygons.attributes.update(size_attributes(flags, too_small_for(navmesh), navmesh.sizes))
    if any(tile.doors for tile in navmesh.tiles):
        from ...navcore.detour.doors import flags_with_doors

        flags = polygons.attributes["navmesh_flags"].astype(np.uint16)
        polygons.attributes["navmesh_flags"] = _signed(flags_with_doors(navmesh, flags))
    return polygons, _detail(navmesh, metres)


def size_attributes(flags: U16, too_small: U16 | None, sizes: Sequence[AgentSize]) -> dict[str, Values]:
    """The flags of polygons with those that keep sizes of agents out, and how many sizes these are."""
    from ...navcore.agent_sizes import flags_with_sizes

    count = np.zeros(len(flags), np.int32)
    with_sizes = flags_with_sizes(flags, too_small)
    for size in sizes:
        count += (with_sizes & size.exclude) != 0
    return {"navmesh_flags": _signed(with_sizes), "navmesh_size": count}


def _polygons(mesh: PolygonMesh, rows: AreaRows, metres: float) -> Surface:
    from ...navcore.result.navmesh import world_vertices
    from ...navcore.types import NO_INDEX

    present = mesh.polygons != NO_INDEX
    return Surface(
        to_blender(world_vertices(mesh), metres),
        mesh.polygons[present].astype(np.int32),
        _starts(present.sum(axis=1)),
        _attributes(mesh.area, mesh.region.astype(np.int32), rows),
    )


def _detail(navmesh: NavMesh, metres: float) -> Surface | None:
    from ...navcore.result.navmesh import detail_triangles

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
    return Surface(
        to_blender(mesh.vertices, metres),
        mesh.corners.astype(np.int32),
        mesh.first[:-1].astype(np.int32),
        _attributes(mesh.area, region, rows),
    )


def _attributes(area: npt.NDArray[np.uint8], region: I32, rows: AreaRows) -> dict[str, Values]:
    """Areas as runtime data has them."""
    from ...navcore.area_types import runtime_areas

    flags = np.zeros(256, np.int32)
    for row in rows:
        flags[row.area] = row.flags
    return {
        "navmesh_area": runtime_areas(area).astype(np.int32),
        "navmesh_region": region,
        "navmesh_flags": flags[area],
    }


def value_attributes(values: PolygonValues) -> dict[str, Values]:
    """What is known of each polygon, under the names of attributes."""
    return {f"navmesh_{name}": column for name, column in values._asdict().items() if column is not None}
