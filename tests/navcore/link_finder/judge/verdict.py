"""What found links are worth: how many possible ones are there, how many are wrong, needless, or there twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from navcore import NavMesh, NavQuery, Settings
from navcore.navquery.status import PathStatus
from navcore.result.draped_edges import WALL, draped_edges

from .swept import F64, STEP, Solid, is_way_free, ledge

_EVERY = 0.25  # metres between border points
_ENOUGH = 10.0  # metres: whoever walks so far is glad of a link
_CLEARLY = 1.2  # times the limit: walking that is clearly long, or clearly short below the limit divided by it
_NEAR = 1.0  # metres: links whose ends lie nearer to each other are doubles
_BEHIND_EDGE = 5  # cells from the ground's border to the ledge, beyond the radius


class Verdict(NamedTuple):
    """Counts, so that those of many levels can be added."""

    possible: int
    covered: int
    places: int
    false: int
    needless: int
    links: int
    doubles: int

    def __add__(self, other: object) -> Verdict:
        assert isinstance(other, Verdict)
        return Verdict(*(a + b for a, b in zip(self, other, strict=True)))

    def in_words(self) -> str:
        def share(part: int, whole: int) -> float:
            return 100 * part / whole if whole else 0.0

        return (
            f"{self.links} links; "
            f"covered {self.covered} of {self.possible} ({share(self.covered, self.possible):.2f} %), "
            f"false {self.false} of {self.places} ({share(self.false, self.places):.2f} %), "
            f"needless {self.needless} ({share(self.needless, self.places):.2f} %), "
            f"doubles {self.doubles} ({share(self.doubles, self.links):.2f} %)"
        )


class Case(NamedTuple):
    """One thing that is wrong."""

    what: str
    start: tuple[float, ...]
    end: tuple[float, ...]


def judge(navmesh: NavMesh, vertices: F64, triangles: F64, cases: list[Case] | None = None) -> Verdict:
    """A build with links; `cases` grows by what is wrong."""
    told = [] if cases is None else cases
    solid, settings = Solid(vertices, triangles), navmesh.settings
    walking = NavQuery(replace(navmesh, links=navmesh.given_links, wide_links=()))
    with_links = NavQuery(navmesh)
    found = list(_candidates(navmesh, solid, walking))
    possible, covered = _coverage(found, walking, with_links, settings, told)
    places, false, needless = _places(navmesh, solid, walking, told)
    return Verdict(possible, covered, places, false, needless, len(navmesh.wide_links), _doubles(navmesh, told))


def _candidates(navmesh: NavMesh, solid: Solid, query: NavQuery) -> Iterator[tuple[F64, F64]]:
    """Starts on borders and first landings of each level on their normals, where the way is free with room to spare."""
    settings = navmesh.settings
    for point, way in _border_points(navmesh):
        floor = solid.floor_below(point[0], point[2], point[1] + settings.cell_height)
        if point[1] - floor > 2.5 * settings.cell_height:  # a voxel above the highest one that is touched
            continue  # the navmesh hangs over it: nobody stands there
        point[1] = floor
        edge = ledge(solid, point, way, settings, settings.agent_radius + _BEHIND_EDGE * settings.cell_size)
        if math.isinf(edge):
            continue
        floors: list[tuple[float, bool]] = []  # height at the last step, and whether it has its landing
        along = edge + settings.agent_radius
        while along <= edge + settings.agent_radius + settings.link_jump_distance:
            x, z = point[0] + along * way[0], point[2] + along * way[1]
            seen: list[tuple[float, bool]] = []
            for height in solid.floors(x, z).tolist():
                if not -settings.link_drop_height <= height - point[1] <= settings.link_jump_height:
                    continue
                done = any(has and abs(height - last) <= settings.agent_max_climb for last, has in floors)
                if not done and _stands(query, (x, height, z), settings):
                    done = True
                    end = np.array([x, height, z])
                    if _is_offered(settings, point, end) and is_way_free(
                        solid, point, end, edge, settings, settings.cell_size, 2 * settings.cell_height
                    ):
                        yield point, end
                seen.append((height, done))
            floors = seen
            along += STEP


def _is_offered(settings: Settings, start: F64, end: F64) -> bool:
    rise = float(end[1] - start[1])
    jumps = settings.link_jump_distance > 0 and settings.link_jump_height > 0
    return (jumps and abs(rise) <= settings.link_jump_height) or (rise < 0 and settings.link_drop_height > 0)


def _stands(query: NavQuery, point: tuple[float, float, float], settings: Settings) -> bool:
    up = max(settings.agent_max_climb, 2 * settings.cell_height)
    near = query.nearest([point], (0.01, up, 0.01))
    return bool(near.references[0]) and bool(near.over[0])


def _border_points(navmesh: NavMesh) -> Iterator[tuple[F64, F64]]:
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
            for part in (np.arange(max(int(length / _EVERY), 1)) + 0.5) / max(int(length / _EVERY), 1):
                yield ends[0] + part * (ends[1] - ends[0]), way


def _walks(query: NavQuery, starts: F64, ends: F64, settings: Settings, exact: bool) -> F64:
    """Metres; infinite where no way leads there."""
    up = max(settings.agent_max_climb, 2 * settings.cell_height) + settings.cell_height
    extents = (2 * settings.cell_size, up, 2 * settings.cell_size)
    paths = query.find_paths(starts, ends, extents=extents, exact=exact, max_nodes=None, max_path=None, max_points=None)
    return np.where(paths.status == PathStatus.COMPLETE, paths.length, np.inf)


def _limits(starts: F64, ends: F64, settings: Settings) -> F64:
    return np.minimum(settings.link_detour * np.sqrt(((ends - starts) ** 2).sum(axis=1)), _ENOUGH)


def _coverage(
    found: list[tuple[F64, F64]], walking: NavQuery, with_links: NavQuery, settings: Settings, told: list[Case]
) -> tuple[int, int]:
    if not found:
        return 0, 0
    starts, ends = (np.array([row[k] for row in found]) for k in (0, 1))
    fair = _walks(walking, starts, ends, settings, True) >= _CLEARLY * _limits(starts, ends, settings)
    starts, ends = starts[fair], ends[fair]
    if not len(starts):
        return 0, 0
    length = np.sqrt(((ends - starts) ** 2).sum(axis=1))
    bound = np.minimum(_ENOUGH, np.maximum(4.0, 3 * length))
    covered = _walks(with_links, starts, ends, settings, False) <= bound
    for k in np.flatnonzero(~covered):
        told.append(Case("missing", tuple(starts[k].round(2)), tuple(ends[k].round(2))))
    return len(starts), int(covered.sum())


def _places(navmesh: NavMesh, solid: Solid, walking: NavQuery, told: list[Case]) -> tuple[int, int, int]:
    settings = navmesh.settings
    places = false = 0
    rows: list[tuple[F64, F64]] = []
    for wide in navmesh.wide_links:
        a, b, c, d = (np.array(corner) for corner in wide.corners)
        count = max(int(np.linalg.norm(b - a) / settings.cell_size), 1)
        for part in (np.arange(count) + 0.5) / count:
            start, end = a + part * (b - a), c + part * (d - c)
            way = (end - start)[::2] / np.hypot(*(end - start)[::2])
            most = settings.agent_radius + _BEHIND_EDGE * settings.cell_size
            edge = ledge(solid, start, way, settings, most, 2 * settings.cell_height)
            why = ""
            if not all(_stands_near(walking, point, settings) for point in (start, end)):
                why = "beside the navmesh"
            elif math.isinf(edge):
                why = "without a ledge"
            elif not is_way_free(solid, start, end, edge, settings):
                why = "through matter"
            places += 1
            if why:
                false += 1
                told.append(Case(f"false {wide.kind}, {why}", tuple(start.round(2)), tuple(end.round(2))))
            rows.append((start, end))
    if not rows:
        return 0, 0, 0
    starts, ends = (np.array([row[k] for row in rows]) for k in (0, 1))
    needless = _walks(walking, starts, ends, settings, True) < _limits(starts, ends, settings) / _CLEARLY
    for k in np.flatnonzero(needless):
        told.append(Case("needless", tuple(starts[k].round(2)), tuple(ends[k].round(2))))
    return places, false, int(needless.sum())


def _stands_near(query: NavQuery, point: F64, settings: Settings) -> bool:
    up = max(settings.agent_max_climb, 2 * settings.cell_height)
    return bool(query.nearest([point], (settings.cell_size, up, settings.cell_size)).references[0])


def _doubles(navmesh: NavMesh, told: list[Case]) -> int:
    """Links both of whose ends lie near those of another of their kind, whichever way that goes."""
    middles = [np.array(wide.corners).reshape(2, 2, 3).mean(axis=1) for wide in navmesh.wide_links]
    count = 0
    for k, (wide, ends) in enumerate(zip(navmesh.wide_links, middles, strict=True)):
        for other, there in zip(navmesh.wide_links[:k], middles[:k], strict=True):
            ways = [there, there[::-1]] if wide.bidirectional else [there]
            if other.kind == wide.kind and any(np.linalg.norm(ends - way, axis=1).max() <= _NEAR for way in ways):
                count += 1
                told.append(Case(f"double {wide.kind}", tuple(ends[0].round(2)), tuple(ends[1].round(2))))
                break
    return count
