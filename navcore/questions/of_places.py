"""Where on the navmesh a point is, what polygons are, and what lies around a place: walls, places at random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..detour.byte_layout import CONNECTION, GROUND
from ..navquery.answers import (
    Around,
    ClosestPoints,
    Draped,
    Heights,
    Nearest,
    Neighborhoods,
    Outlines,
    Polygons,
    RandomPoints,
    Walls,
    WallSegments,
)
from ..navquery.batches import (
    as_extents,
    as_points,
    as_radius,
    as_references,
    as_room,
    in_pieces,
    joined,
    nearest_room,
    offsets_of,
    row_counts,
    usable,
)
from ..navquery.convex_shapes import as_shapes
from ..navquery.filter_of_rows import Filters, by_filter
from ..navquery.kernels.around import Reach, WallRows, around_rows, wall_rows
from ..navquery.kernels.nearest_polygon import box_rows, nearest_rows
from ..navquery.kernels.neighborhood import flat_neighborhood_rows, neighborhood_rows
from ..navquery.kernels.on_polygon import ClosestRows, closest_rows, height_rows
from ..navquery.kernels.points import PointsOn
from ..navquery.kernels.random_points import random_around_rows
from ..navquery.kernels.wall_intervals import interval_rows
from ..navquery.query_filter import QueryFilter, rule_of
from ..navquery.query_mesh import NO_POLYGON
from ..navquery.random_places import drawn, random_points
from ..navquery.status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from ..progress import Progress
from ..types import F32, I64, U32, ArrayLike, Bools
from .asked import EVERYBODY, EXTENTS, UNLIMITED, AskedMesh, of_the_whole

# --- What lies around a place, and places anywhere.


class SurroundingsQuestions(AskedMesh):
    """Questions about what is near, and for points by chance."""

    def distance_to_wall(
        self, references: ArrayLike, points: ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_nodes: int | None = 2048, threads: int | None = None, progress: Progress | None = None,
    ) -> Walls:  # fmt: skip
        """The wall nearest to each point, within `radius`. Recast: findDistanceToWall."""
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        rows = WallRows(
            np.empty(n, np.uint32), np.empty(n, np.float32), np.empty((n, 3), np.float32),
            np.empty((n, 3), np.float32), np.empty(n, np.uint8),
        )  # fmt: skip
        before = (self._mesh, asked, as_radius(radius), rule_of(filter), as_room("max_nodes", max_nodes, 0))
        in_pieces(wall_rows, n, before, (rows,), threads, progress)
        return Walls(rows.distances, rows.walls, rows.normals, rows.hit.astype(bool), rows.status)

    def polygons_around(
        self, references: ArrayLike, points: ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, max_nodes: int | None = 2048, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Around:  # fmt: skip
        """The polygons that a circle around each point reaches, nearest first. Recast: findPolysAroundCircle."""
        asked = self._polygons_and_points(references, points)
        no_corners, cuts = np.zeros((0, 3), np.float32), np.zeros(len(asked.points) + 1, np.int64)
        reach = _reach(as_radius(radius), no_corners, cuts, max_nodes, max_polygons)
        return self._around(asked, reach, filter, threads, progress)

    def polygons_around_shape(
        self, references: ArrayLike, shapes: ArrayLike | Sequence[ArrayLike],
        filter: QueryFilter = EVERYBODY, *, max_polygons: int | None = 64, max_nodes: int | None = 2048,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Around:  # fmt: skip
        """The polygons that each convex shape reaches, nearest first. Recast: findPolysAroundShape.

        A shape is a row of (K, 3) corners, either way around; heights count for costs alone, which begin in the mean of
        the corners. Shapes of one number of corners may be one (N, K, 3) array. A shape that is not convex, or that has
        no area, fails alone.
        """
        corners, cuts, centers, good = as_shapes(shapes)
        polygons = self._names.polygons(as_references("references", references, len(centers)))
        polygons = np.where(good, polygons, np.int32(NO_POLYGON))
        reach = _reach(np.float32(0), corners, cuts, max_nodes, max_polygons)
        return self._around(PointsOn(polygons, centers), reach, filter, threads, progress)

    def _around(
        self, asked: PointsOn, reach: Reach, filter: QueryFilter, threads: int | None, progress: Progress | None
    ) -> Around:
        n = len(asked.points)
        rows, before = row_counts(n), (self._mesh, asked, reach, rule_of(filter))
        pieces = in_pieces(around_rows, n, before, (rows,), threads, progress)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Around(offsets_of(rows.counts), names(found), names(parents), costs, rows.status)

    def local_neighborhood(
        self, references: ArrayLike, points: ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, threads: int | None = None, progress: Progress | None = None,
    ) -> Neighborhoods:  # fmt: skip
        """The polygons near each point, none above another. Recast: findLocalNeighbourhood.

        They are those that a circle reaches; links are left out. What is fewer polygons away comes first, and keeps out
        what would lie above or below it. Detour looks at no more than 64, and far from the origin it takes polygons
        that share an edge for ones that lie above each other: `flat_neighborhood` does neither.
        """
        asked, most = self._polygons_and_points(references, points), as_room("max_polygons", max_polygons, UNLIMITED)
        before = (self._mesh, asked, as_radius(radius), rule_of(filter), most)
        return self._neighborhoods(neighborhood_rows, before, len(asked.points), threads, progress)

    def flat_neighborhood(
        self, references: ArrayLike, points: ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, threads: int | None = None, progress: Progress | None = None,
    ) -> Neighborhoods:  # fmt: skip
        """As `local_neighborhood`, sound everywhere: all that can be drawn on one sheet of paper.

        As many polygons as there are, and what only touches never counts as lying above, however far away the origin
        is. Detour has no such question.
        """
        asked, most = self._polygons_and_points(references, points), as_room("max_polygons", max_polygons, UNLIMITED)
        before = (self._mesh, asked, as_radius(radius), rule_of(filter), most)
        return self._neighborhoods(flat_neighborhood_rows, before, len(asked.points), threads, progress)

    def _neighborhoods(
        self, kernel: Callable[..., Any], before: tuple[Any, ...], n: int, threads: int | None,
        progress: Progress | None,
    ) -> Neighborhoods:  # fmt: skip
        rows = row_counts(n)
        pieces = in_pieces(kernel, n, before, (rows,), threads, progress)
        found, parents = (self._names.names(joined([piece[k] for piece in pieces])) for k in range(2))
        return Neighborhoods(offsets_of(rows.counts), found, parents, rows.status)

    def wall_segments(
        self, references: ArrayLike, filter: QueryFilter = EVERYBODY, *, portals: bool = False,
        max_segments: int | None = None, threads: int | None = None, progress: Progress | None = None,
    ) -> WallSegments:  # fmt: skip
        """The walls around each polygon, edge by edge. Recast: getPolyWallSegments.

        An edge on a tile's border is cut where neighbors begin and end; a neighbor that does not pass the filter is a
        wall. `portals`: also the pieces with a neighbor behind them, there before the wall that ends where they begin.
        As in Detour a link has two walls, there and back, and where neighbors overlap a wall leads backwards.
        """
        polygons = self._names.polygons(as_references("references", references))
        most, rows = as_room("max_segments", max_segments, UNLIMITED), row_counts(len(polygons))
        before = (self._mesh, polygons, rule_of(filter), bool(portals), most)
        pieces = in_pieces(interval_rows, len(polygons), before, (rows,), threads, progress)
        segments, behind = (joined([piece[k] for piece in pieces]) for k in range(2))
        return WallSegments(offsets_of(rows.counts), segments, self._names.names(behind), rows.status)

    @of_the_whole
    def random_points(
        self, count: int, filter: QueryFilter = EVERYBODY, *, seed: int = 0, like_detour: bool = False
    ) -> RandomPoints:
        """Points anywhere on the ground that passes the filter, each square metre as likely as any other.

        `like_detour`: as findRandomPoint chooses them, where each tile is as likely as any other, with the numbers of
        recast-navigation-js after `setRandomSeed(seed)`. Without ground all points fail.
        """
        return random_points(self._mesh, self._names, count, rule_of(filter), seed, like_detour)

    def random_points_around(
        self, count: int, reference: int, point: ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        seed: int = 0, max_nodes: int | None = 2048,
    ) -> RandomPoints:  # fmt: skip
        """Points of the polygons that a circle reaches, as findRandomPointAroundCircle chooses them.

        Some lie outside of it. The numbers are those of recast-navigation-js after `setRandomSeed(seed)`.
        """
        polygons, center = self._polygons_and_points([reference], point)
        nodes = as_room("max_nodes", max_nodes, 0)
        before = (self._mesh, int(polygons[0]), center, as_radius(radius), rule_of(filter), nodes)
        return drawn(random_around_rows, before, self._names, count, seed)


def _reach(radius: np.float32, corners: F32, cuts: I64, max_nodes: int | None, max_polygons: int | None) -> Reach:
    nodes, polygons = as_room("max_nodes", max_nodes, 0), as_room("max_polygons", max_polygons, UNLIMITED)
    return Reach(radius, corners, cuts, nodes, polygons)


class PlaceQuestions(AskedMesh):
    """Questions about points and polygons."""

    def nearest(
        self, points: ArrayLike, extents: ArrayLike = EXTENTS, filter: Filters = EVERYBODY, *,
        filter_of: ArrayLike | None = None, threads: int | None = None, progress: Progress | None = None,
    ) -> Nearest:  # fmt: skip
        """The polygon nearest to each point, in a box of half the size `extents`. Recast: findNearestPoly.

        `filter_of`: which of several filters each row has.
        """
        if filter_of is not None or not isinstance(filter, QueryFilter):
            given = {"points": points}
            more = {"extents": extents, "threads": threads, "progress": progress}
            return by_filter(self.nearest, filter, filter_of, given, **more)
        asked, half = as_points("points", points), as_extents(extents)
        rows = nearest_room(len(asked))
        in_pieces(nearest_rows, len(asked), (self._mesh, asked, half, rule_of(filter)), (rows,), threads, progress)
        status = np.where(usable(asked), SUCCESS, INVALID)
        return Nearest(self._names.names(rows.polygons), rows.points, rows.over, status)

    def polygons_in_box(
        self, points: ArrayLike, extents: ArrayLike = EXTENTS, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 128, threads: int | None = None, progress: Progress | None = None,
    ) -> Polygons:  # fmt: skip
        """The polygons whose boxes touch a box around each point, as their tree has them. Recast: queryPolygons."""
        asked, half, rule = as_points("points", points), as_extents(extents), rule_of(filter)
        most = as_room("max_polygons", max_polygons, UNLIMITED)
        counts = np.empty(len(asked), np.int32)
        before = (self._mesh, asked, half, rule, most)
        found = joined(in_pieces(box_rows, len(asked), before, (counts,), threads, progress))
        status = np.where(usable(asked), SUCCESS, INVALID)
        status[counts > most] |= BUFFER_TOO_SMALL
        return Polygons(offsets_of(np.minimum(counts, most)), self._names.names(found), status)

    def closest_points(
        self, references: ArrayLike, points: ArrayLike, *, boundary: bool = False,
        threads: int | None = None, progress: Progress | None = None,
    ) -> ClosestPoints:  # fmt: skip
        """The point of each polygon closest to another. Recast: closestPointOnPoly.

        `boundary`: what is inside the outline stays as it is, height included. Recast: closestPointOnPolyBoundary.
        """
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        rows = ClosestRows(np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.uint8))
        in_pieces(closest_rows, n, (self._mesh, asked, bool(boundary)), (rows,), threads, progress)
        return ClosestPoints(rows.points, rows.over, rows.status)

    def heights(
        self, references: ArrayLike, points: ArrayLike, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Heights:  # fmt: skip
        """The height of each polygon above or below a point. Recast: getPolyHeight."""
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        status, heights = np.empty(n, np.uint32), np.empty(n, np.float32)
        in_pieces(height_rows, n, (self._mesh, asked), (status, heights), threads, progress)
        return Heights(heights, status)

    def link_ids(self, references: ArrayLike) -> U32:
        """The `id` of the link that each polygon stands for; 0 for ground and for what is no polygon."""
        return self._of_polygons(self._names.user_ids, references, 0)

    def is_link(self, references: ArrayLike) -> Bools:
        """Whether each polygon stands for a link. Recast: DT_POLYTYPE_OFFMESH_CONNECTION."""
        links: Bools = self._of_polygons(self._mesh.polygons["kind"], references, GROUND) == CONNECTION
        return links

    def outlines(self, references: ArrayLike) -> Outlines:
        """The corners of each polygon; of a link its start and its end, of what is no polygon none."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        counts = np.zeros(len(polygons), np.int64)
        counts[known] = self._mesh.polygons["corners"][polygons[known]]
        corners = self._mesh.outline[polygons[known]]
        return Outlines(offsets_of(counts), corners[np.arange(corners.shape[1]) < counts[known, None]])

    def draped(self, references: ArrayLike) -> Draped:
        """The triangles of each polygon along the detail mesh; none of links, and of what is no polygon.

        A polygon without detail is cut into triangles from its first corner.
        """
        polygons = self._names.polygons(as_references("references", references))
        rows = self._mesh.polygons[np.maximum(polygons, 0)]
        is_ground = (polygons >= 0) & (rows["kind"] != CONNECTION)
        first = np.where(is_ground, rows["first_triangle"], 0).astype(np.int64)
        fine = np.where(is_ground, rows["end_triangle"], 0).astype(np.int64) - first
        counts = np.where(is_ground & (fine == 0), np.maximum(rows["corners"].astype(np.int64) - 2, 0), fine)
        offsets = offsets_of(counts)
        triangles = np.empty((int(offsets[-1]), 3, 3), np.float32)
        owner = np.repeat(np.arange(len(counts)), counts)
        number = np.arange(len(owner)) - offsets[owner]
        has_detail = fine[owner] > 0
        triangles[has_detail] = self._mesh.triangles[first[owner][has_detail] + number[has_detail]]
        bare, at = polygons[owner][~has_detail], number[~has_detail]
        outline = self._mesh.outline[bare]
        each = np.arange(len(bare))
        triangles[~has_detail] = np.stack([outline[:, 0], outline[each, at + 1], outline[each, at + 2]], axis=1)
        return Draped(offsets, triangles)
