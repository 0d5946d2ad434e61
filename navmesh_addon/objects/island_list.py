"""The islands of a navmesh in the scene, read from its mesh: how large they are, where they lie, which seeds they have.

What was read is kept until the navmesh is written anew; panels ask while they draw.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ..blender_types import mesh_of
from ..mesh_attributes import corners_of, points_of, read_attribute, starts_of
from ..stored.object_properties import object_use
from .navmesh_objects import BUILD, SETUP

if TYPE_CHECKING:
    from mathutils.bvhtree import BVHTree

    from ..axes import F64
    from .navmesh_to_arrays import I32

Point = tuple[float, float, float]

_ASIDE = 2.0  # metres: a seed that is farther from the navmesh stands on none of it
_MOST_KEPT = 8


class IslandRow(NamedTuple):
    """One island, in Blender's coordinates."""

    number: int
    square_metres: float  # seen from above
    polygons: int
    low: Point
    high: Point
    place: Point  # on its largest polygon


class _Read(NamedTuple):
    rows: list[IslandRow]
    islands: I32  # of each polygon
    tree: Callable[[], BVHTree]  # of the polygons, made when somebody asks


_read: dict[tuple[object, ...], _Read] = {}  # of the navmeshes that were asked for last


def island_rows(object_: bpy.types.Object, metres: float) -> list[IslandRow]:
    """Its islands, the one with the most ground first; none where an older version built it. `metres` in a unit."""
    read = _read_of(object_, metres)
    return [] if read is None else read.rows


def seeds_by_island(
    scene: bpy.types.Scene, object_: bpy.types.Object, metres: float, use: str = "SEED"
) -> dict[int, list[bpy.types.Object]]:
    """The scene's own seeds, or other marks, that stand on an island, by its number."""
    read, found = _read_of(object_, metres), dict[int, list[bpy.types.Object]]()
    if read is None:
        return found
    for seed in scene.objects:
        if object_use(seed) == use:
            polygon = read.tree().find_nearest(seed.matrix_world.translation, _ASIDE / metres)[2]
            if polygon is not None:
                found.setdefault(int(read.islands[polygon]), []).append(seed)
    return found


def _read_of(object_: bpy.types.Object, metres: float) -> _Read | None:
    import numpy as np  # here: Blender's start does not wait for it

    mesh = mesh_of(object_)
    if object_.mode == "EDIT" or "navmesh_island" not in mesh.attributes or not len(mesh.polygons):
        return None
    place = np.array(object_.matrix_world, np.float64).tobytes()
    key = (object_.get(BUILD, object_.get(SETUP, "")), len(mesh.polygons), metres, place)
    if key not in _read:
        while len(_read) >= _MOST_KEPT:
            del _read[next(iter(_read))]
        _read[key] = _new_read(object_, metres)
    return _read[key]


def _new_read(object_: bpy.types.Object, metres: float) -> _Read:
    import numpy as np
    from mathutils.bvhtree import BVHTree

    mesh = mesh_of(object_)
    points, corners, starts = points_of(mesh), corners_of(mesh), starts_of(mesh)
    islands = read_attribute(mesh, "navmesh_island")
    matrix = np.array(object_.matrix_world, np.float64)
    world = points.astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    sizes = np.diff(np.append(starts, len(corners)))

    @cache
    def tree() -> Any:
        rings = [ring.tolist() for ring in np.split(corners, starts[1:])]
        return BVHTree.FromPolygons(world.tolist(), rings)

    return _Read(_rows(world[corners], starts, sizes, islands, metres), islands, tree)


def _rows(corners: F64, starts: I32, sizes: I32, islands: I32, metres: float) -> list[IslandRow]:
    import numpy as np

    following = np.arange(1, len(corners) + 1)
    following[starts + sizes - 1] = starts
    doubled = corners[:, 0] * corners[following, 1] - corners[:, 1] * corners[following, 0]
    ground = np.abs(np.add.reduceat(doubled, starts)) / 2 * metres * metres
    middles = np.add.reduceat(corners, starts) / sizes[:, None]
    low, high = np.minimum.reduceat(corners, starts), np.maximum.reduceat(corners, starts)
    rows = []
    order = np.argsort(islands, kind="stable")
    for members in np.split(order, np.flatnonzero(np.diff(islands[order])) + 1):
        largest = members[np.argmax(ground[members])]
        rows.append(
            IslandRow(
                int(islands[largest]), float(ground[members].sum()), len(members),
                tuple(low[members].min(axis=0).tolist()), tuple(high[members].max(axis=0).tolist()),
                tuple(middles[largest].tolist()),
            )
        )  # fmt: skip
    return rows
