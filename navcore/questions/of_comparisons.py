"""The field's older ways, to compare with: middles of edges, refined paths, Meadow mapping."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..navquery.answers import Corridors
from ..navquery.batches import as_points, as_references, in_pieces, joined, offsets_of
from ..navquery.query_filter import QueryFilter
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
from .asked import EVERYBODY, AskedMesh


class ComparisonQuestions(AskedMesh):
    """Questions whose answers are there to be compared with others."""

    def find_edge_corridors(
        self, start_references: npt.ArrayLike, end_references: npt.ArrayLike, starts: npt.ArrayLike,
        ends: npt.ArrayLike, filter: QueryFilter = EVERYBODY, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Corridors:  # fmt: skip
        """The polygons of the cheapest line over middles of shared edges: A* with each edge as a place of its own.

        The classic of the field. Detour's search (`find_corridors`) knows a polygon by one entrance, whichever it saw
        first. Where the end is out of reach, the way leads to the edge that lies nearest to it.
        """
        first, here = self._polygons_and_points(start_references, starts, "start_references", "starts")
        last, there = self._polygons_and_points(end_references, ends, "end_references", "ends", len(here))
        rule, n = filter.rule(), len(here)
        min_price = float(min(1.0, rule.costs[self._mesh.polygons["area"]].min(initial=1)))
        status, counts, expanded = np.empty(n, np.uint32), np.empty(n, np.int32), np.empty(n, np.int32)
        aims = np.empty((n, 3), np.float32)
        before = (self._mesh, AskedEdgePaths(first, last, here, there, rule, min_price))
        found = joined(in_pieces(edge_rows, n, before, (status, counts, aims, expanded), threads, progress))
        return Corridors(offsets_of(counts), self._names.names(found), status, aims, expanded)

    def refined_paths(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, offsets: npt.ArrayLike, references: npt.ArrayLike, *,
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

    def meadow(
        self, filter: QueryFilter = EVERYBODY, *, vertices_per_polygon: int = 6, threads: int | None = None,
        progress: Progress | None = None,
    ) -> GroundMeadow:  # fmt: skip
        """The same ground, divided by Meadow mapping: outlines are split at reflex corners until all is convex.

        Each island, what hangs together within a tile and an area, is divided by itself (R. Arkin, 1986); floors that
        lie above each other are islands of their own. Recast cuts off ears of each region and merges them instead.
        `GroundMeadow.meadow.status` says what could not be divided.
        """
        rule = filter.rule()
        return ground_meadow(self._mesh, rule.include, rule.exclude, vertices_per_polygon, threads, progress)
