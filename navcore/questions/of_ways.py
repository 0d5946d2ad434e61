"""How to get from one place to another."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..navquery.answers import Corridors, Moves, Paths, Rays, StraightPaths
from ..navquery.batches import as_extents, as_points, as_references, as_room, in_pieces, joined, offsets_of
from ..navquery.filter_of_rows import Filters, by_filter
from ..navquery.kernels.move import MoveRows, move_rows
from ..navquery.kernels.points import LinesFrom, PointPairs
from ..navquery.kernels.raycast import RayRows, ray_rows
from ..navquery.kernels.straight_path import LinesThrough
from ..navquery.paths import Ask, check_choice, corridors_of, paths_of, straight_of
from ..navquery.query_filter import QueryFilter
from ..navquery.sliced_search import ANY_ANGLE, SlicedSearch
from ..progress import Progress
from ..shortest_paths.exact_paths import exact_paths_of
from .asked import EVERYBODY, EXTENTS, UNLIMITED, AskedMesh, Usual


class WayQuestions(AskedMesh):
    """Questions about ways."""

    def find_paths(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: Filters = EVERYBODY, *,
        filter_of: npt.ArrayLike | None = None, extents: npt.ArrayLike = EXTENTS, partial: str = "detour",
        heuristic: str = "detour", crossings: str = "none", max_nodes: int | Usual | None = "usual",
        max_path: int | Usual | None = "usual", max_points: int | Usual | None = "usual", exact: bool = False,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Paths:  # fmt: skip
        """The way from the navmesh nearest to each start to that nearest to each end, as a line of points.

        As Detour does it: findNearestPoly, findPath, and findStraightPath to the asked end, or to what of the last
        polygon is closest to it. `partial="closest"` ends where the way comes closest to an end that cannot be reached.
        `heuristic="least_cost"` finds the cheapest way of Detour's graph also where areas cost less than 1. None for
        `max_nodes` lets a search grow until it has looked everywhere, for the other two lets paths be of any length.
        Usual are Detour's 2,048, 256 and 256. `crossings`: points where lines cross into other "areas" or "all".
        `filter_of`: which of several filters each row has.

        `exact`: the truly shortest way as seen from above, which Detour's often is not (Polyanya: Cui, Harabor and
        Grastien, IJCAI 2017). Usually without limits. A way to what cannot be reached always ends at the closest point
        that can be. Raises BadInput where areas cost differently.
        """
        if filter_of is not None or not isinstance(filter, QueryFilter):
            rows = {"starts": starts, "ends": ends}
            return by_filter(
                self.find_paths, filter, filter_of, rows, extents=extents, partial=partial, heuristic=heuristic,
                crossings=crossings, max_nodes=max_nodes, max_path=max_path, max_points=max_points, exact=exact,
                threads=threads, progress=progress,
            )  # fmt: skip
        here = as_points("starts", starts)
        there, half = as_points("ends", ends, len(here)), as_extents(extents)
        nodes, path, points = (
            (None if exact else detour_s) if given == "usual" else given
            for given, detour_s in ((max_nodes, 2048), (max_path, 256), (max_points, 256))
        )
        most = as_room("max_points", points, UNLIMITED)
        ask = Ask(self._mesh, self._names, filter, partial, heuristic, nodes, path, threads, progress)
        if exact:
            return exact_paths_of(ask, self._shortest, crossings, most, here, there, half)
        return paths_of(ask, here, there, half, crossings, most)

    def find_corridors(
        self, start_references: npt.ArrayLike, end_references: npt.ArrayLike, starts: npt.ArrayLike,
        ends: npt.ArrayLike, filter: Filters = EVERYBODY, *, filter_of: npt.ArrayLike | None = None,
        partial: str = "detour", heuristic: str = "detour", max_nodes: int | None = 2048, max_path: int | None = 256,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Corridors:  # fmt: skip
        """The polygons that lead from each start polygon to its end polygon. Recast: findPath.

        `filter_of`: which of several filters each row has.
        """
        if filter_of is not None or not isinstance(filter, QueryFilter):
            names = {"start_references": start_references, "end_references": end_references}
            rows = {**names, "starts": starts, "ends": ends}
            return by_filter(
                self.find_corridors, filter, filter_of, rows, partial=partial, heuristic=heuristic, max_nodes=max_nodes,
                max_path=max_path, threads=threads, progress=progress,
            )  # fmt: skip
        ask = Ask(self._mesh, self._names, filter, partial, heuristic, max_nodes, max_path, threads, progress)
        first, here = self._polygons_and_points(start_references, starts, "start_references", "starts")
        last, there = self._polygons_and_points(end_references, ends, "end_references", "ends", len(here))
        return corridors_of(ask, PointPairs(first, last, here, there))[0]

    def sliced_search(
        self, start_reference: int, end_reference: int, start: npt.ArrayLike, end: npt.ArrayLike,
        filter: QueryFilter = EVERYBODY, *, any_angle: str = "no", max_nodes: int | None = 2048,
    ) -> SlicedSearch:  # fmt: skip
        """A search for one corridor that goes on a few steps at a time. Recast: initSlicedFindPath.

        `any_angle`: "yes" reaches a polygon from the one before the last right away where a straight line leads there
        that is not longer than 50 radii of the agent; "detour" does so as Detour does, whose line ends with its first
        polygon, which helps hardly ever and may lead to another floor.
        """
        check_choice("any_angle", any_angle, tuple(ANY_ANGLE))
        first, here = self._polygons_and_points([start_reference], start, "start_reference", "start")
        last, there = self._polygons_and_points([end_reference], end, "end_reference", "end", 1)
        nodes = as_room("max_nodes", max_nodes, 0)
        asked = PointPairs(first, last, here, there)
        return SlicedSearch(self._mesh, self._names, asked, filter.rule(), any_angle, nodes)

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
        most = as_room("max_points", max_points, UNLIMITED)
        asked = LinesThrough(here, there, cuts, polygons)
        return straight_of(self._mesh, self._names, asked, crossings, most, threads, progress)

    def raycast(
        self, references: npt.ArrayLike, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: Filters = EVERYBODY,
        *, filter_of: npt.ArrayLike | None = None, max_polygons: int | None = 256, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Rays:  # fmt: skip
        """How far one comes that goes straight from each start to its end. Recast: raycast, with costs.

        `filter_of`: which of several filters each row has.
        """
        if filter_of is not None or not isinstance(filter, QueryFilter):
            given = {"references": references, "starts": starts, "ends": ends}
            return by_filter(
                self.raycast, filter, filter_of, given, max_polygons=max_polygons, threads=threads, progress=progress
            )  # fmt: skip
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        asked, n = LinesFrom(polygons, here, as_points("ends", ends, len(here))), len(here)
        most = as_room("max_polygons", max_polygons, len(self._mesh.polygons))  # none is crossed twice
        rows = RayRows(
            np.empty(n, np.uint32), np.empty(n, np.float32), np.empty((n, 3), np.float32), np.empty(n, np.float32),
            np.empty(n, np.int32), np.empty(n, np.int32),
        )  # fmt: skip
        before = (self._mesh, asked, filter.rule(), True, most)
        names = self._names.names(joined(in_pieces(ray_rows, n, before, (rows,), threads, progress)))
        return Rays(rows.parts, rows.normals, rows.cost, rows.edges, offsets_of(rows.counts), names, rows.status)

    def move_along_surface(
        self, references: npt.ArrayLike, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = EVERYBODY,
        *, max_visited: int = 16, threads: int | None = None, progress: Progress | None = None,
    ) -> Moves:  # fmt: skip
        """Where a short walk from each start towards its end comes to, along walls. Recast: moveAlongSurface."""
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        asked, n = LinesFrom(polygons, here, as_points("ends", ends, len(here))), len(here)
        most = as_room("max_visited", max_visited, UNLIMITED)
        rows = MoveRows(np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.int32))
        before = (self._mesh, asked, filter.rule(), most)
        found = joined(in_pieces(move_rows, n, before, (rows,), threads, progress))
        return Moves(rows.reached, offsets_of(rows.counts), self._names.names(found), rows.status)
