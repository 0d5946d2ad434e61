"""`NavQuery`: a navmesh, made ready once, and the questions it answers. Recast: dtNavMeshQuery."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import CONNECTION
from ..detour.reader import NavmeshFile
from ..progress import Progress
from ..result.navmesh import NavMesh
from ..types import F32, I32, U32
from .answers import (
    Around,
    ClosestPoints,
    Corridors,
    Heights,
    Moves,
    Nearest,
    Paths,
    Polygons,
    RandomPoints,
    Rays,
    StraightPaths,
    Walls,
)
from .batches import as_extents, as_points, as_radius, as_references, as_room, in_pieces, joined, offsets_of, usable
from .kernels.around import circle_rows, wall_rows
from .kernels.move import move_rows
from .kernels.nearest import box_rows, nearest_rows
from .kernels.on_polygon import closest_rows, height_rows
from .kernels.random_points import random_around_rows
from .kernels.raycast import ray_rows
from .linked import ready_mesh
from .paths import Ask, corridors_of, paths_of, straight_of
from .query_filter import QueryFilter
from .query_mesh import KIND
from .random_places import drawn, random_points
from .status import BUFFER_TOO_SMALL, INVALID, SUCCESS

EXTENTS = (2.0, 4.0, 2.0)
_EVERYBODY = QueryFilter()
_MOST = 2**62


class NavQuery:
    """Answers questions about a navmesh that was built, or that `read_navmesh` has read.

    Each question takes N rows and returns N answers; a single point is one row. The answers are Detour's, bit for bit,
    unless an option says otherwise, and the same for every number of `threads` (None: as many as there are cores).
    A row that cannot be answered, because a number in it is not finite or a reference names no polygon, gets a status
    that says so; the others are answered. The navmesh is read once, here: what happens to it afterwards is not seen.
    """

    def __init__(self, navmesh: NavMesh | NavmeshFile) -> None:
        self._mesh, self._names = ready_mesh(navmesh)

    # --- places

    def nearest(
        self, points: npt.ArrayLike, extents: npt.ArrayLike = EXTENTS, filter: QueryFilter = _EVERYBODY, *,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Nearest:  # fmt: skip
        """The polygon nearest to each point, in a box of half the size `extents`. Recast: findNearestPoly."""
        asked, half, rule = as_points("points", points), as_extents(extents), filter.rule()
        n = len(asked)
        polygons, nearest, over = np.empty(n, np.int32), np.empty((n, 3), np.float32), np.empty(n, np.uint8)
        before = (self._mesh, asked, half, rule.include, rule.exclude)
        in_pieces(nearest_rows, n, before, (polygons, nearest, over), threads, progress)
        status = np.where(usable(asked), SUCCESS, INVALID)
        return Nearest(self._names.names(polygons), nearest, over, status)

    def polygons_in_box(
        self, points: npt.ArrayLike, extents: npt.ArrayLike = EXTENTS, filter: QueryFilter = _EVERYBODY, *,
        max_polygons: int | None = 128, threads: int | None = None, progress: Progress | None = None,
    ) -> Polygons:  # fmt: skip
        """The polygons whose boxes touch a box around each point, as their tree has them. Recast: queryPolygons."""
        asked, half, rule = as_points("points", points), as_extents(extents), filter.rule()
        most = as_room("max_polygons", max_polygons, _MOST)
        counts = np.empty(len(asked), np.int32)
        before = (self._mesh, asked, half, rule.include, rule.exclude, most)
        found = joined(in_pieces(box_rows, len(asked), before, (counts,), threads, progress))
        status = np.where(usable(asked), SUCCESS, INVALID)
        status[counts > most] |= BUFFER_TOO_SMALL
        return Polygons(offsets_of(np.minimum(counts, most)), self._names.names(found), status)

    def closest_points(
        self, references: npt.ArrayLike, points: npt.ArrayLike, *, boundary: bool = False,
        threads: int | None = None, progress: Progress | None = None,
    ) -> ClosestPoints:  # fmt: skip
        """The point of each polygon closest to another. Recast: closestPointOnPoly.

        `boundary`: what is inside the outline stays as it is, height included. Recast: closestPointOnPolyBoundary.
        """
        polygons, asked = self._polygons_and_points(references, points)
        n = len(asked)
        status, closest, over = np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.uint8)
        before = (self._mesh, polygons, asked, bool(boundary))
        in_pieces(closest_rows, n, before, (status, closest, over), threads, progress)
        return ClosestPoints(closest, over, status)

    def heights(
        self, references: npt.ArrayLike, points: npt.ArrayLike, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Heights:  # fmt: skip
        """The height of each polygon above or below a point. Recast: getPolyHeight."""
        polygons, asked = self._polygons_and_points(references, points)
        status, heights = np.empty(len(asked), np.uint32), np.empty(len(asked), np.float32)
        in_pieces(height_rows, len(asked), (self._mesh, polygons, asked), (status, heights), threads, progress)
        return Heights(heights, status)

    # --- ways

    def find_paths(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = _EVERYBODY, *,
        extents: npt.ArrayLike = EXTENTS, partial: str = "detour", heuristic: str = "detour", crossings: str = "none",
        max_nodes: int | None = 2048, max_path: int | None = 256, max_points: int | None = 256,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Paths:  # fmt: skip
        """The way from the navmesh nearest to each start to that nearest to each end, as a line of points.

        As Detour does it: findNearestPoly, findPath, and findStraightPath to the asked end, or to what of the last
        polygon is closest to it. `partial="closest"` ends where the way comes closest to an end that cannot be reached.
        `heuristic="least_cost"` finds the cheapest way of Detour's graph also where areas cost less than 1. None for
        `max_nodes` lets a search grow until it has looked everywhere, for the other two lets paths be of any length.
        `crossings`: points where lines cross into other "areas", or "all" polygons.
        """
        ask = Ask(self._mesh, self._names, filter, partial, heuristic, max_nodes, max_path, threads, progress)
        here = as_points("starts", starts)
        there = as_points("ends", ends, len(here))
        return paths_of(ask, here, there, as_extents(extents), crossings, as_room("max_points", max_points, _MOST))

    def find_corridors(
        self, start_references: npt.ArrayLike, end_references: npt.ArrayLike, starts: npt.ArrayLike,
        ends: npt.ArrayLike, filter: QueryFilter = _EVERYBODY, *, partial: str = "detour", heuristic: str = "detour",
        max_nodes: int | None = 2048, max_path: int | None = 256, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Corridors:  # fmt: skip
        """The polygons that lead from each start polygon to its end polygon. Recast: findPath."""
        ask = Ask(self._mesh, self._names, filter, partial, heuristic, max_nodes, max_path, threads, progress)
        first, here = self._polygons_and_points(start_references, starts, "start_references", "starts")
        last, there = self._polygons_and_points(end_references, ends, "end_references", "ends", len(here))
        return corridors_of(ask, first, last, here, there)[0]

    def straight_paths(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, offsets: npt.ArrayLike, references: npt.ArrayLike, *,
        crossings: str = "none", max_points: int | None = 256, threads: int | None = None,
        progress: Progress | None = None,
    ) -> StraightPaths:  # fmt: skip
        """The line through each corridor: row r has references[offsets[r]:offsets[r + 1]]. Recast: findStraightPath."""
        here = as_points("starts", starts)
        there = as_points("ends", ends, len(here))
        cuts = as_references("offsets", offsets, len(here) + 1)
        polygons = self._names.polygons(as_references("references", references))
        most = as_room("max_points", max_points, _MOST)
        return straight_of(self._mesh, self._names, here, there, cuts, polygons, crossings, most, threads, progress)

    def raycast(
        self, references: npt.ArrayLike, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = _EVERYBODY,
        *, max_polygons: int | None = 256, threads: int | None = None, progress: Progress | None = None,
    ) -> Rays:  # fmt: skip
        """How far one comes that goes straight from each start to its end. Recast: raycast, with costs."""
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        there, rule = as_points("ends", ends, len(here)), filter.rule()
        most = as_room("max_polygons", max_polygons, len(self._mesh.facts))  # none is crossed twice
        n = len(here)
        status, counts, edges = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty(n, np.int32)
        parts, normals, costs = np.empty(n, np.float32), np.empty((n, 3), np.float32), np.empty(n, np.float32)
        before = (self._mesh, polygons, here, there, rule.costs, rule.include, rule.exclude, True, most)
        after = (status, parts, normals, costs, edges, counts)
        found = joined(in_pieces(ray_rows, n, before, after, threads, progress))
        return Rays(parts, normals, costs, edges, offsets_of(counts), self._names.names(found), status)

    def move_along_surface(
        self, references: npt.ArrayLike, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = _EVERYBODY,
        *, max_visited: int = 16, threads: int | None = None, progress: Progress | None = None,
    ) -> Moves:  # fmt: skip
        """Where a short walk from each start towards its end comes to, along walls. Recast: moveAlongSurface."""
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        there, rule = as_points("ends", ends, len(here)), filter.rule()
        most = as_room("max_visited", max_visited, _MOST)
        n = len(here)
        status, reached, counts = np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.int32)
        before = (self._mesh, polygons, here, there, rule.include, rule.exclude, most)
        found = joined(in_pieces(move_rows, n, before, (status, reached, counts), threads, progress))
        return Moves(reached, offsets_of(counts), self._names.names(found), status)

    # --- what lies around

    def distance_to_wall(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = _EVERYBODY, *,
        max_nodes: int | None = 2048, threads: int | None = None, progress: Progress | None = None,
    ) -> Walls:  # fmt: skip
        """The wall nearest to each point, within `radius`. Recast: findDistanceToWall."""
        polygons, asked = self._polygons_and_points(references, points)
        rule, n = filter.rule(), len(asked)
        status, distances, hit = np.empty(n, np.uint32), np.empty(n, np.float32), np.empty(n, np.uint8)
        walls, normals = np.empty((n, 3), np.float32), np.empty((n, 3), np.float32)
        nodes = as_room("max_nodes", max_nodes, 0)
        before = (self._mesh, polygons, asked, as_radius(radius), rule.include, rule.exclude, nodes)
        in_pieces(wall_rows, n, before, (status, distances, walls, normals, hit), threads, progress)
        return Walls(distances, walls, normals, hit.astype(bool), status)

    def polygons_around(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = _EVERYBODY, *,
        max_polygons: int | None = 64, max_nodes: int | None = 2048, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Around:  # fmt: skip
        """The polygons that a circle around each point reaches, nearest first. Recast: findPolysAroundCircle."""
        polygons, asked = self._polygons_and_points(references, points)
        rule, n = filter.rule(), len(asked)
        status, counts = np.empty(n, np.uint32), np.empty(n, np.int32)
        nodes, most = as_room("max_nodes", max_nodes, 0), as_room("max_polygons", max_polygons, _MOST)
        before = (self._mesh, polygons, asked, as_radius(radius), *rule, nodes, most)
        pieces = in_pieces(circle_rows, n, before, (status, counts), threads, progress)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Around(offsets_of(counts), names(found), names(parents), costs, status)

    # --- anywhere

    def random_points(
        self, count: int, filter: QueryFilter = _EVERYBODY, *, seed: int = 0, like_detour: bool = False
    ) -> RandomPoints:
        """Points anywhere on the ground that passes the filter, each square metre as likely as any other.

        `like_detour`: as findRandomPoint chooses them, where each tile is as likely as any other, with the numbers of
        recast-navigation-js after `setRandomSeed(seed)`. Without ground all points fail.
        """
        return random_points(self._mesh, self._names, count, filter.rule(), seed, like_detour)

    def random_points_around(
        self, count: int, reference: int, point: npt.ArrayLike, radius: float, filter: QueryFilter = _EVERYBODY, *,
        seed: int = 0, max_nodes: int | None = 2048,
    ) -> RandomPoints:  # fmt: skip
        """Points of the polygons that a circle reaches, as findRandomPointAroundCircle chooses them.

        Some lie outside of it. The numbers are those of recast-navigation-js after `setRandomSeed(seed)`.
        """
        polygons, center = self._polygons_and_points([reference], point)
        nodes = as_room("max_nodes", max_nodes, 0)
        before = (self._mesh, int(polygons[0]), center, as_radius(radius), *filter.rule()[1:], nodes)
        return drawn(random_around_rows, before, self._names, count, seed)

    # --- what polygons are

    def link_ids(self, references: npt.ArrayLike) -> U32:
        """The `id` of the link that each polygon stands for; 0 for ground and for what is no polygon."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        ids = np.zeros(len(polygons), np.uint32)
        ids[known] = self._names.user_ids[polygons[known]]
        return ids

    def is_link(self, references: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Whether each polygon stands for a link. Recast: DT_POLYTYPE_OFFMESH_CONNECTION."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        links = np.zeros(len(polygons), bool)
        links[known] = self._mesh.facts[polygons[known], KIND] == CONNECTION
        return links

    def _polygons_and_points(
        self, references: npt.ArrayLike, points: npt.ArrayLike, name: str = "references", points_name: str = "points",
        rows: int | None = None,
    ) -> tuple[I32, F32]:  # fmt: skip
        asked = as_points(points_name, points, rows)
        return self._names.polygons(as_references(name, references, len(asked))), asked
