"""Imported navmeshes → arrays as Blender meshes want them, and what is known of them. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from .navmesh_to_arrays import I32, Surface, value_attributes

if TYPE_CHECKING:
    from ...navcore.formats.mesh_measures import PolygonValues
    from ...navcore.formats.plain_navmesh import PlainNavmesh
    from ...navcore.scene import Link


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
    polygons = Surface(
        to_blender(plain.vertices, metres),
        plain.corners.astype(np.int32),
        plain.first[:-1].astype(np.int32),
        attributes,
    )
    detail = plain.detail
    if detail is None or len(detail.triangles) == 0:
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
