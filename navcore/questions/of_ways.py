"""Paths: how to get from one place to another, or to many; and the field's older ways, to compare with."""

from __future__ import annotations

import numpy as np

from ..errors import BadInput
from ..geometry.connected_parts import NO_ISLAND
from ..navquery.answers import (
    Corridors,
    FoundPath,
    IslandNumbers,
    LongPaths,
    Moves,
    PathCosts,
    Paths,
    Polygons,
    Rays,
    StraightPaths,
    Within,
)
from ..navquery.batches import (
    TREE_PIECE,
    as_extents,
    as_points,
    as_references,
    as_room,
    in_pieces,
    joined,
    offsets_of,
    row_counts,
)
from ..navquery.filter_of_rows import Filters, by_filter
from ..navquery.kernels.move import MoveRows, move_rows
from ..navquery.kernels.one_path import OneAsked, one_path
from ..navquery.kernels.points import LinesFrom, PointPairs
from ..navquery.kernels.raycast import RayRows, ray_rows
from ..navquery.kernels.straight_path import LinesThrough
from ..navquery.long_paths import FilteredDistricts, long_paths_of
from ..navquery.one_to_many import costs_to_many, mesh_islands, paths_to_many, reachable_rows, within_rows
from ..navquery.paths import SCALE, Ask, check_choice, corridors_of, paths_of, straight_of
from ..navquery.query_filter import QueryFilter, rule_of
from ..navquery.query_mesh import NO_POLYGON, handed
from ..navquery.sliced_search import ANY_ANGLE, SlicedSearch
from ..navquery.status import INVALID, SUCCESS, PathStatus
from ..path_comparison.edge_search import AskedEdgePaths, edge_rows
from ..path_comparison.ground_meadow import GroundMeadow, ground_meadow
from ..path_comparison.refinements import (
    AskedCorridorLines,
    PortalLines,
    RefinedPaths,
    Refinement,
    as_cuts,
    check_way,
    portal_rows,
    refined,
)
from ..progress import Progress
from ..shortest_paths.exact_paths import exact_paths_of
from ..types import F32, ArrayLike
from .asked import EVERYBODY, EXTENTS, UNLIMITED, AskedMesh, Usual, mesh_of, of_the_whole

_USUAL_HALF = as_extents(EXTENTS)

# --- The field's older ways, to compare with: middles of edges, refined paths, Meadow mapping.


class ComparisonQuestions(AskedMesh):
    """Questions whose answers are there to be compared with others."""

    @of_the_whole
    def find_edge_corridors(
        self, start_references: ArrayLike, end_references: ArrayLike, starts: ArrayLike,
        ends: ArrayLike, filter: QueryFilter = EVERYBODY, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Corridors:  # fmt: skip
        """The polygons of the cheapest line over middles of shared edges: A* with each edge as a place of its own.

        The classic of the field. Detour's search (`find_corridors`) knows a polygon by one entrance, whichever it saw
        first. Where the end is out of reach, the way leads to the edge that lies nearest to it.
        """
        first, here = self._polygons_and_points(start_references, starts, "start_references", "starts")
        last, there = self._polygons_and_points(end_references, ends, "end_references", "ends", len(here))
        rule, n = rule_of(filter), len(here)
        min_price = float(min(1.0, rule.costs[self._mesh.polygons["area"]].min(initial=1)))
        status, counts, expanded = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty(n, np.int32)
        aims = np.empty((n, 3), np.float32)
        before = (self._mesh, AskedEdgePaths(first, last, here, there, rule, min_price))
        found = joined(in_pieces(edge_rows, n, before, (status, counts, aims, expanded), threads, progress))
        return Corridors(offsets_of(counts), self._names.names(found), status, aims, expanded)

    def refined_paths(
        self, starts: ArrayLike, ends: ArrayLike, offsets: ArrayLike, references: ArrayLike, *,
        way: str = "choice", shrink: float = 0.0, flat: bool = False, tidy: bool = False,
        threads: int | None = None, progress: Progress | None = None,
    ) -> RefinedPaths:  # fmt: skip
        """A line through each corridor with one point at each portal, as games refined paths before string pulling.

        `way`: "middle" of each portal; "greedy" takes the middle, the left or the right end, whichever is best between
        its neighbors, portal after portal until nothing changes; "choice" is the best of all choices together, by
        dynamic programming. `straight_paths` is as short as the corridor allows: no choice is shorter. `shrink` moves
        both ends of each portal inward by so many metres, `flat` measures seen from above, and `tidy` leaves out points
        on straight lines. Row r has references[offsets[r]:offsets[r + 1]]; a row without a line has no points.
        """
        check_way(way, shrink)
        here = as_points("starts", starts)
        there, n = as_points("ends", ends, len(here)), len(here)
        polygons = self._names.polygons(as_references("references", references))
        cuts = as_cuts(as_references("offsets", offsets, n + 1), len(polygons), "references")
        status, counts = np.empty(n, np.uint32), np.empty(n, np.int32)
        first, last = np.empty((n, 3), np.float64), np.empty((n, 3), np.float64)
        before, after = (self._mesh, AskedCorridorLines(here, there, cuts, polygons)), (status, first, last, counts)
        portals = joined(in_pieces(portal_rows, n, before, after, threads, progress))
        lines = PortalLines(first, last, offsets_of(counts), portals)
        return refined(lines, status, Refinement(way, shrink, flat, tidy), threads, progress)

    @of_the_whole
    def meadow(
        self, filter: QueryFilter = EVERYBODY, *, vertices_per_polygon: int = 6, threads: int | None = None,
        progress: Progress | None = None,
    ) -> GroundMeadow:  # fmt: skip
        """The same ground, divided by Meadow mapping: outlines are split at reflex corners until all is convex.

        Each island, what hangs together within a tile and an area, is divided by itself (R. Arkin, 1986); floors that
        lie above each other are islands of their own. Recast cuts off ears of each region and merges them instead.
        `GroundMeadow.meadow.status` says what could not be divided.
        """
        rule = rule_of(filter)
        return ground_meadow(self._mesh, rule.include, rule.exclude, vertices_per_polygon, threads, progress)


# --- From one place to many: costs, paths, and what can be reached.


class ManyEndsQuestions(AskedMesh):
    """Questions that one search answers for many ends."""

    def path_costs(
        self, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: ArrayLike = EXTENTS, max_nodes: int | None = None, threads: int | None = None,
        progress: Progress | None = None,
    ) -> PathCosts:  # fmt: skip
        """What the cheapest way costs from each of N starts to each of M ends, as a table of N rows and M columns.

        One search from each start finds all of its ends: Dijkstra's, over the graph of Detour's findPath, in which ways
        lead over the middles of what polygons share. The line that is pulled through the same polygons is shorter.
        """
        ask = Ask(self._mesh, self._names, self._areas, filter, "detour", "detour", max_nodes, None, threads, progress)
        return costs_to_many(ask, as_points("starts", starts), as_points("ends", ends), as_extents(extents))

    def find_paths_to_many(
        self, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: ArrayLike = EXTENTS, crossings: str = "none", max_nodes: int | None = None,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Paths:  # fmt: skip
        """The cheapest way from each of N starts to each of M ends: row i · M + j leads from start i to end j.

        The corridors are those of `path_costs`, with the lines through them. Where no way leads there is no line, and
        the status is UNREACHABLE.
        """
        ask = Ask(self._mesh, self._names, self._areas, filter, "detour", "detour", max_nodes, None, threads, progress)
        here, there = as_points("starts", starts), as_points("ends", ends)
        return paths_to_many(ask, here, there, as_extents(extents), crossings, UNLIMITED)

    def polygons_within(
        self, references: ArrayLike, points: ArrayLike, most_cost: ArrayLike,
        filter: QueryFilter = EVERYBODY, *, max_nodes: int | None = None, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Within:  # fmt: skip
        """The polygons to whose entrances a way from each point costs no more than `most_cost`, cheapest first.

        `most_cost`: one number, or one for each row. The costs are those of `path_costs`, up to the middle of what is
        crossed into the polygon. What findPolysAroundCircle is by distance, this is by cost.
        """
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        rows, max_costs = row_counts(n), _as_costs(most_cost, n)
        before = (self._mesh, asked, max_costs, rule_of(filter), as_room("max_nodes", max_nodes, 0))
        pieces = in_pieces(within_rows, n, before, (rows,), threads, progress, TREE_PIECE)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Within(offsets_of(rows.counts), names(found), names(parents), costs, rows.status)

    def reachable_from(
        self, references: ArrayLike, filter: QueryFilter | None = None, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Polygons:  # fmt: skip
        """The polygons that an agent reaches from each one, itself included, the fewest steps first; links as well.

        Without a filter all polygons count, as where ground is left out that no seed reaches. Recast: the flood of
        RecastDemo's Prune tool.
        """
        polygons, rule = self._names.polygons(as_references("references", references)), rule_of(filter or EVERYBODY)
        rows, before = row_counts(len(polygons)), (self._mesh, polygons, filter is None, rule)
        found = joined(in_pieces(reachable_rows, len(polygons), before, (rows,), threads, progress, TREE_PIECE))
        return Polygons(offsets_of(rows.counts), self._names.names(found), rows.status)

    @of_the_whole
    def islands(self, references: ArrayLike, filter: QueryFilter | None = None) -> IslandNumbers:
        """The island that each polygon is on: on one, agents get from everywhere to everywhere and back.

        Numbers and square metres are those of `find_islands`; a link is on the island from which it leads back and
        forth, if there is one. With a filter the islands are those of agents that keep to it.
        """
        polygons = self._names.polygons(as_references("references", references))
        of_polygon, square_metres = mesh_islands(self._mesh, None if filter is None else rule_of(filter))
        numbers = np.full(len(polygons), NO_ISLAND, np.int32)
        numbers[polygons >= 0] = of_polygon[polygons[polygons >= 0]]
        return IslandNumbers(numbers, square_metres, np.where(polygons >= 0, SUCCESS, INVALID))


def _as_costs(given: ArrayLike, rows: int) -> F32:
    """(rows,) numbers of 0 or more; infinite ones are no limit."""
    costs = np.asarray(given, np.float32)
    if costs.shape not in ((), (rows,)) or not (costs >= 0).all():
        raise BadInput("most_cost must be a number of 0 or more, or one for each row.", "WRONG_QUESTION")
    return np.ascontiguousarray(np.broadcast_to(costs, (rows,)))


class WayQuestions(AskedMesh):
    """Questions about ways."""

    def find_paths(
        self, starts: ArrayLike, ends: ArrayLike, filter: Filters = EVERYBODY, *,
        filter_of: ArrayLike | None = None, extents: ArrayLike = EXTENTS, partial: str = "detour",
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
        ask = Ask(self._mesh, self._names, self._areas, filter, partial, heuristic, nodes, path, threads, progress)
        if exact:
            whole = self._in_one_piece()
            ask = ask._replace(mesh=whole._mesh, names=whole._names)
            return exact_paths_of(ask, whole._shortest, crossings, most, here, there, half)
        return paths_of(ask, here, there, half, crossings, most)

    def find_long_paths(
        self, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: ArrayLike = EXTENTS, crossings: str = "none", threads: int | None = None,
        progress: Progress | None = None,
    ) -> LongPaths:  # fmt: skip
        """Ways over many tiles, several times as fast as `find_paths` without limits, and a little longer now and then.

        The search goes over gates between districts, squares of tiles, and then from polygon to polygon through the
        districts that were chosen and those beside them (after HPA*: Botea, Müller and Schaeffer, 2004). What lies
        near, and what this does not find, is answered as by `find_paths` with `heuristic="least_cost"`,
        `partial="closest"` and without limits: no way is missed, and a way to what cannot be reached ends at the
        closest point that can. `by_districts` says which rows were found over districts. These are worked out when a
        filter is first asked with, and again after `update` and after areas, flags or doors have changed.
        """
        here = as_points("starts", starts)
        there, half = as_points("ends", ends, len(here)), as_extents(extents)
        ask = Ask(self._mesh, self._names, self._areas, filter, "closest", "least_cost", None, None, threads, progress)
        districts = self._made.setdefault("districts", FilteredDistricts())
        return long_paths_of(ask, districts, here, there, half, crossings)

    def find_path(
        self, start: ArrayLike, end: ArrayLike, filter: QueryFilter | None = None, *,
        extents: ArrayLike = EXTENTS,
    ) -> FoundPath:  # fmt: skip
        """One path, quickly: what `find_paths` answers for one row, without what a batch costs.

        For loops of games that ask now and then: ten to forty microseconds beside the search itself.
        """
        ends = np.empty((2, 3), np.float32)
        try:
            ends[0], ends[1] = start, end
            whole = len(start) == len(end) == 3  # type: ignore[arg-type]  # one number would stand for all three
        except (TypeError, ValueError):
            whole = False
        if not whole:
            raise BadInput("start and end must be three numbers each.", "WRONG_QUESTION")
        rule = rule_of(filter or EVERYBODY)
        half = _USUAL_HALF if extents is EXTENTS else as_extents(extents)
        asked = OneAsked(ends, half, self._areas, SCALE, 2048, 256, 256)
        status, length, cost, points, references = one_path(
            handed(self._mesh), self._names.of_polygon, handed(rule), handed(asked)
        )
        return FoundPath(PathStatus(status), points, float(length), float(cost), references)

    def find_corridors(
        self, start_references: ArrayLike, end_references: ArrayLike, starts: ArrayLike,
        ends: ArrayLike, filter: Filters = EVERYBODY, *, filter_of: ArrayLike | None = None,
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
        ask = Ask(
            self._mesh, self._names, self._areas, filter, partial, heuristic, max_nodes, max_path, threads, progress
        )
        first, here = self._polygons_and_points(start_references, starts, "start_references", "starts")
        last, there = self._polygons_and_points(end_references, ends, "end_references", "ends", len(here))
        return corridors_of(ask, PointPairs(first, last, here, there))[0]

    def sliced_search(
        self, start_reference: int, end_reference: int, start: ArrayLike, end: ArrayLike,
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
        return SlicedSearch(lambda: mesh_of(self), asked, rule_of(filter), any_angle, nodes)

    def straight_paths(
        self, starts: ArrayLike, ends: ArrayLike, offsets: ArrayLike, references: ArrayLike, *,
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
        self, references: ArrayLike, starts: ArrayLike, ends: ArrayLike, filter: Filters = EVERYBODY,
        *, filter_of: ArrayLike | None = None, previous_references: ArrayLike | None = None,
        max_polygons: int | None = 256, threads: int | None = None, progress: Progress | None = None,
    ) -> Rays:  # fmt: skip
        """How far one comes that goes straight from each start to its end. Recast: raycast, with costs.

        `filter_of`: which of several filters each row has. `previous_references`: the polygon that each ray comes from,
        0 for none. As in Detour a row fails where it names no polygon; a filter's costs do not depend on it.
        """
        if filter_of is not None or not isinstance(filter, QueryFilter):
            given = {"references": references, "starts": starts, "ends": ends}
            if previous_references is not None:
                given["previous_references"] = previous_references
            return by_filter(
                self.raycast, filter, filter_of, given, max_polygons=max_polygons, threads=threads, progress=progress
            )  # fmt: skip
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        if previous_references is not None:
            before = as_references("previous_references", previous_references, len(here))
            polygons[(before != 0) & (self._names.polygons(before) < 0)] = NO_POLYGON
        asked, n = LinesFrom(polygons, here, as_points("ends", ends, len(here))), len(here)
        most = as_room("max_polygons", max_polygons, len(self._mesh.polygons))  # none is crossed twice
        rows = RayRows(
            np.empty(n, np.uint32), np.empty(n, np.float32), np.empty((n, 3), np.float32), np.empty(n, np.float32),
            np.empty(n, np.int32), np.empty(n, np.int32),
        )  # fmt: skip
        question = (self._mesh, asked, rule_of(filter), True, most)
        names = self._names.names(joined(in_pieces(ray_rows, n, question, (rows,), threads, progress)))
        return Rays(rows.parts, rows.normals, rows.cost, rows.edges, offsets_of(rows.counts), names, rows.status)

    def move_along_surface(
        self, references: ArrayLike, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter = EVERYBODY,
        *, max_visited: int = 16, threads: int | None = None, progress: Progress | None = None,
    ) -> Moves:  # fmt: skip
        """Where a short walk from each start towards its end comes to, along walls. Recast: moveAlongSurface."""
        polygons, here = self._polygons_and_points(references, starts, points_name="starts")
        asked, n = LinesFrom(polygons, here, as_points("ends", ends, len(here))), len(here)
        most = as_room("max_visited", max_visited, UNLIMITED)
        rows = MoveRows(np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.int32))
        before = (self._mesh, asked, rule_of(filter), most)
        found = joined(in_pieces(move_rows, n, before, (rows,), threads, progress))
        return Moves(rows.reached, offsets_of(rows.counts), self._names.names(found), rows.status)
