"""What must hold of a navmesh in plain arrays, whoever wrote it: asked of every file read and of every file written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..area_types import AreaType, type_of
from ..build_warning import BuildWarning, place_in_words
from ..checked_fields import MAX_AREA
from ..errors import NavmeshError
from ..geometry.polygon_rings import next_corners
from ..types import I32, AnyArray
from .plain_navmesh import PlainNavmesh

FARTHEST = 1e9  # metres


class Unsound(NavmeshError):
    """A navmesh file that contradicts itself; the message says where."""

    code = "UNSOUND_NAVMESH"


class CannotCarry(NavmeshError):
    """Something that the format, or the engine that reads it, has no place for."""

    code = "CANNOT_CARRY"


def check_sound(mesh: PlainNavmesh) -> None:
    """Every number finite, every index in range, neighbors mutual. Raises Unsound."""
    _check_numbers(mesh)
    count = len(mesh.first) - 1
    if count < 1:
        raise Unsound("There is no polygon.", "NO_POLYGONS")
    sizes = np.diff(mesh.first)
    if (sizes < 3).any():
        raise Unsound(f"Polygon {int(np.argmax(sizes < 3))} has fewer than 3 corners.")
    _check_range("polygon corner", mesh.corners, 0, len(mesh.vertices))
    _check_range("neighbor", mesh.neighbors, -1, count)
    _check_range("area", mesh.area, 0, MAX_AREA + 1)
    if len({len(mesh.area), len(mesh.flags), len(mesh.region), count}) > 1:
        raise Unsound(f"There are {count} polygons and another number of areas, flags or regions.")
    polygon, across = np.repeat(np.arange(count), sizes)[mesh.neighbors >= 0], mesh.neighbors[mesh.neighbors >= 0]
    alone = np.flatnonzero(~np.isin(polygon << 32 | across, across.astype(np.int64) << 32 | polygon))
    if len(alone):
        p, q = int(polygon[alone[0]]), int(across[alone[0]])
        raise Unsound(f"Polygon {p} names {q} as its neighbor, which does not name it back.")
    if mesh.detail is not None:
        _check_range("detail corner", mesh.detail.triangles, 0, len(mesh.detail.vertices))
        _check_range("detail triangle's polygon", mesh.detail.polygon, 0, count)
        if len(mesh.detail.triangles) != len(mesh.detail.polygon):
            raise Unsound("There are more detail triangles than polygons named for them, or fewer.")


def _check_numbers(mesh: PlainNavmesh) -> None:
    for name, vertices in (("vertex", mesh.vertices), ("detail vertex", mesh.detail and mesh.detail.vertices)):
        if vertices is not None and not (np.abs(vertices) <= FARTHEST).all():
            wrong = int(np.argmax(~(np.abs(vertices) <= FARTHEST).all(axis=1)))
            raise Unsound(f"The {name} {wrong} is not a finite point within {FARTHEST:g} m.", "BAD_VERTEX")


def _check_range(what: str, values: AnyArray, low: int, end: int) -> None:
    if values.size and not (low <= int(values.min()) and int(values.max()) < end):
        worst = int(values.min()) if int(values.min()) < low else int(values.max())
        raise Unsound(f"A {what} is {worst}; it must be from {low} to {end - 1}.")


def crowded_edge(first: I32, corners: I32) -> tuple[int, int] | None:
    """An edge that more than two polygons have, or two of them walk in one direction; None where there is none."""
    start, end = corners.astype(np.int64), corners[next_corners(first)].astype(np.int64)
    walked, times = np.unique(start << 32 | end, return_counts=True)
    bad = walked[times > 1]
    return (int(bad[0] >> 32), int(bad[0] & 0xFFFFFFFF)) if len(bad) else None


def check_edges(mesh: PlainNavmesh, target: str) -> None:
    """Refuse a mesh with an edge of three polygons: engines that join polygons by their edges would lose one."""
    edge = crowded_edge(mesh.first, mesh.corners)
    if edge is not None:
        place = place_in_words(mesh.vertices[edge[0]].tolist())
        raise CannotCarry(
            f"Three polygons meet at the edge that begins at {place}; {target} joins two at most. Build with repair, "
            "or with a larger agent_radius.",
            "EDGE_OF_THREE",
        )


def lost_costs(
    areas: Iterable[int], types: Mapping[int, AreaType], whose: str, own: Mapping[int, float] | None = None
) -> list[BuildWarning]:
    """A warning where an area costs neither 1, which says nothing, nor what its reader takes by itself: `own`.

    `whose` begins the sentence: "A .bin holds".
    """
    taken = own or {}
    kinds = {area: type_of(area, types) for area in sorted(set(areas))}
    lost = [
        f"{kind.name} {kind.cost:g}" for area, kind in kinds.items() if kind.cost not in (1.0, taken.get(area, 1.0))
    ]
    if not lost:
        return []
    text = f"{whose[0].upper()}{whose[1:]} no costs of areas: {', '.join(lost[:8])}{', …' if len(lost) > 8 else ''}."
    return [BuildWarning("LOST_IN_EXPORT", f"{text} Give them to the game's path search, or export .json beside it.")]
