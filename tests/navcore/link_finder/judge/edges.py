"""Where the floor ends, and where it goes on: what lies beyond the border of the ground, by upright rays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from navcore import NavMesh, NavQuery, Settings
from navcore.result.draped_edges import WALL, draped_edges

from .distances import F64
from .swept import NOTHING, STEP, Agent, Solid, ways_free

_EVERY = 0.25  # metres between border points
_BEHIND_EDGE = 5  # cells from the ground's border to the ledge, beyond the radius


def standing(solid: Solid, points: F64, settings: Settings) -> F64:
    """The points on the floor that is nearest to each; as they are where there is none that a navmesh may mean."""
    most = max(settings.agent_max_climb, 2 * settings.cell_height)
    on_floor = points.copy()
    for k, floors in enumerate(solid.floors(points[:, ::2])):
        if len(floors):
            nearest = floors[np.abs(floors - points[k, 1]).argmin()]
            if abs(nearest - points[k, 1]) <= most:
                on_floor[k, 1] = nearest
    return on_floor


def ledges(solid: Solid, starts: F64, ways: F64, settings: Settings, up: float) -> F64:
    """How far from each start the floor falls by more than an agent climbs; infinite where a wall comes first, which is
    what rises by more than `up`.

    In whole voxels an agent climbs less: where nothing falls so deep, what falls two voxels less counts.
    """
    along = (
        np.arange(1, math.ceil((settings.agent_radius + _BEHIND_EDGE * settings.cell_size) / (STEP / 2)) + 1) * STEP / 2
    )
    places = (starts[:, None, ::2] + along[None, :, None] * ways[:, None]).reshape(-1, 2)
    floors = solid.floors(places)
    found = np.full(len(starts), np.inf)
    for k, start in enumerate(starts):
        here = floors[k * len(along) : (k + 1) * len(along)]
        for climb in (settings.agent_max_climb, settings.agent_max_climb - 2 * settings.cell_height):
            if math.isinf(found[k]) and climb > 0:
                found[k] = _ledge(along, here, float(start[1]), climb, up, settings.agent_height)
    return found


def _ledge(along: F64, floors: list[F64], height: float, climb: float, up: float, agent_height: float) -> float:
    for far, there in zip(along, floors, strict=True):
        below = there[there <= height + up + 1e-9]
        floor = float(below[-1]) if len(below) else NOTHING
        over = max(floor, height)
        if ((there > over + up) & (there < over + agent_height)).any():
            return math.inf
        if floor < height - climb - 1e-9:
            return float(far)
        height = floor
    return math.inf


def border_points(navmesh: NavMesh) -> Iterator[tuple[F64, F64]]:
    """Points along walls, and which way is out."""
    for tile in navmesh.tiles:
        edges = draped_edges(tile)
        mesh = tile.polygon_mesh
        low, cell = mesh.grid.bounds_min.astype(np.float64), float(mesh.grid.cell_size)
        for ends, polygon, kind in zip(edges.points.astype(np.float64), edges.polygon, edges.kind, strict=True):
            along = (ends[1] - ends[0])[::2]
            length = float(np.hypot(*along))
            if kind != WALL or length < 1e-6:
                continue
            ring = mesh.polygons[polygon]
            middle = mesh.vertices[ring[ring != 0xFFFF]].astype(np.float64).mean(axis=0) * cell
            way = np.array([along[1], -along[0]]) / length
            if way @ (middle[::2] + low[::2] - ends[0, ::2]) > 0:
                way = -way
            count = max(int(length / _EVERY), 1)
            for part in (np.arange(count) + 0.5) / count:
                yield ends[0] + part * (ends[1] - ends[0]), way


def possible_links(navmesh: NavMesh, solid: Solid, walking: NavQuery) -> tuple[F64, F64]:
    """Starts on borders, and first landings of each level on their normals, with room to spare on the way.

    The first place to stand on below an edge is as near to the wall as an agent may come, so that there is never room
    to spare: the places up to two cells further out are tried too.
    """
    settings, rows = navmesh.settings, list(border_points(navmesh))
    starts = standing(solid, np.array([point for point, _ in rows]).reshape(-1, 3), settings)
    ways = np.array([way for _, way in rows]).reshape(-1, 2)
    edges = ledges(solid, starts, ways, settings, settings.agent_max_climb)
    kept = np.isfinite(edges)
    starts, ways, edges = starts[kept], ways[kept], edges[kept]
    larger = Agent.larger(settings)
    offered: list[tuple[F64, F64]] = []
    for start, edge, column in zip(starts, edges, _columns(solid, walking, starts, ways, edges, settings), strict=True):

        def is_free(end: F64, start: F64 = start, edge: float = float(edge)) -> bool:
            return ways_free(solid, start, end, edge, settings, larger)[0]

        offered += [(start, end) for end in _landings(column, float(start[1]), settings, is_free)]
    both = np.array(offered).reshape(-1, 2, 3)
    return both[:, 0], both[:, 1]


def _columns(
    solid: Solid, walking: NavQuery, starts: F64, ways: F64, edges: F64, settings: Settings
) -> list[list[list[tuple[F64, bool]]]]:
    """Of each start and each step outward beyond its edge the floors there, and whether they are ground."""
    steps = np.arange(0, settings.link_jump_distance + 1e-9, STEP)
    along = edges[:, None] + settings.agent_radius + steps[None]
    places = (starts[:, None, ::2] + along[:, :, None] * ways[:, None]).reshape(-1, 2)
    floors = solid.floors(places)
    points = np.array([(x, y, z) for (x, z), there in zip(places, floors, strict=True) for y in there]).reshape(-1, 3)
    ground = iter(zip(points, _are_ground(walking, points, settings), strict=True))
    columns = [[next(ground) for _ in there] for there in floors]
    return [columns[k * len(steps) : (k + 1) * len(steps)] for k in range(len(starts))]


def _landings(
    column: list[list[tuple[F64, bool]]], height: float, settings: Settings, is_free: Callable[[F64], bool]
) -> Iterator[F64]:
    """Where agents may land first on each level; a level goes on while it changes by no more than an agent climbs."""
    tries = math.ceil(2 * settings.cell_size / STEP)
    last: list[tuple[float, int]] = []  # heights of floors one step back, and how often their level is yet tried
    for floors in column:
        now: list[tuple[float, int]] = []
        for point, is_ground in floors:
            left = min((left for y, left in last if abs(point[1] - y) <= settings.agent_max_climb), default=tries + 1)
            if left and is_ground and _is_within(settings, float(point[1]) - height):
                if is_free(point):
                    left = 0
                    yield point
                else:
                    left -= 1
            now.append((float(point[1]), left))
        last = now


def _is_within(settings: Settings, rise: float) -> bool:
    """Whether a jump or a drop is meant to go so far up or down, by a voxel less than the limits."""
    jump, drop = settings.link_jump_height, settings.link_drop_height
    if settings.link_jump_distance > 0 and jump > 0 and abs(rise) <= jump - settings.cell_height:
        return True
    return -drop + settings.cell_height <= rise < -settings.cell_height


def _are_ground(walking: NavQuery, points: F64, settings: Settings) -> list[bool]:
    if not len(points):
        return []
    near = walking.nearest(points, (0.01, max(settings.agent_max_climb, 2 * settings.cell_height), 0.01))
    return [bool(reference) and bool(over) for reference, over in zip(near.references, near.over, strict=True)]
