"""What lies around a place, and places anywhere."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from ..navquery.answers import Around, Neighborhoods, RandomPoints, Walls, WallSegments
from ..navquery.batches import as_radius, as_references, as_room, in_pieces, joined, offsets_of, row_counts
from ..navquery.convex_shapes import as_shapes
from ..navquery.kernels.around import Reach, WallRows, around_rows, wall_rows
from ..navquery.kernels.neighborhood import neighborhood_rows
from ..navquery.kernels.points import PointsOn
from ..navquery.kernels.random_points import random_around_rows
from ..navquery.kernels.wall_segments import segment_rows
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import NO_POLYGON
from ..navquery.random_places import drawn, random_points
from ..progress import Progress
from ..types import F32, I64
from .asked import EVERYBODY, UNLIMITED, AskedMesh


class SurroundingsQuestions(AskedMesh):
    """Questions about what is near, and for points by chance."""

    def distance_to_wall(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_nodes: int | None = 2048, threads: int | None = None, progress: Progress | None = None,
    ) -> Walls:  # fmt: skip
        """The wall nearest to each point, within `radius`. Recast: findDistanceToWall."""
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        rows = WallRows(
            np.empty(n, np.uint32), np.empty(n, np.float32), np.empty((n, 3), np.float32),
            np.empty((n, 3), np.float32), np.empty(n, np.uint8),
        )  # fmt: skip
        before = (self._mesh, asked, as_radius(radius), filter.rule(), as_room("max_nodes", max_nodes, 0))
        in_pieces(wall_rows, n, before, (rows,), threads, progress)
        return Walls(rows.distances, rows.walls, rows.normals, rows.hit.astype(bool), rows.status)

    def polygons_around(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, max_nodes: int | None = 2048, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Around:  # fmt: skip
        """The polygons that a circle around each point reaches, nearest first. Recast: findPolysAroundCircle."""
        asked = self._polygons_and_points(references, points)
        no_corners, cuts = np.zeros((0, 3), np.float32), np.zeros(len(asked.points) + 1, np.int64)
        reach = _reach(as_radius(radius), no_corners, cuts, max_nodes, max_polygons)
        return self._around(asked, reach, filter, threads, progress)

    def polygons_around_shape(
        self, references: npt.ArrayLike, shapes: npt.ArrayLike | Sequence[npt.ArrayLike],
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
        rows, before = row_counts(n), (self._mesh, asked, reach, filter.rule())
        pieces = in_pieces(around_rows, n, before, (rows,), threads, progress)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Around(offsets_of(rows.counts), names(found), names(parents), costs, rows.status)

    def local_neighborhood(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, threads: int | None = None, progress: Progress | None = None,
    ) -> Neighborhoods:  # fmt: skip
        """The polygons near each point, none above another. Recast: findLocalNeighbourhood.

        They are those that a circle reaches; links are left out. What is fewer polygons away comes first, and keeps out
        what would lie above or below it.
        """
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        most = as_room("max_polygons", max_polygons, UNLIMITED)
        rows, before = row_counts(n), (self._mesh, asked, as_radius(radius), filter.rule(), most)
        pieces = in_pieces(neighborhood_rows, n, before, (rows,), threads, progress)
        found, parents = (self._names.names(joined([piece[k] for piece in pieces])) for k in range(2))
        return Neighborhoods(offsets_of(rows.counts), found, parents, rows.status)

    def wall_segments(
        self, references: npt.ArrayLike, filter: QueryFilter = EVERYBODY, *, portals: bool = False,
        max_segments: int | None = None, threads: int | None = None, progress: Progress | None = None,
    ) -> WallSegments:  # fmt: skip
        """The walls around each polygon, edge by edge. Recast: getPolyWallSegments.

        An edge on a tile's border is cut where neighbors begin and end; a neighbor that does not pass the filter is a
        wall. `portals`: also the pieces with a neighbor behind them. A link has none.
        """
        polygons = self._names.polygons(as_references("references", references))
        most, rows = as_room("max_segments", max_segments, UNLIMITED), row_counts(len(polygons))
        before = (self._mesh, polygons, filter.rule(), bool(portals), most)
        pieces = in_pieces(segment_rows, len(polygons), before, (rows,), threads, progress)
        segments, behind = (joined([piece[k] for piece in pieces]) for k in range(2))
        return WallSegments(offsets_of(rows.counts), segments, self._names.names(behind), rows.status)

    def random_points(
        self, count: int, filter: QueryFilter = EVERYBODY, *, seed: int = 0, like_detour: bool = False
    ) -> RandomPoints:
        """Points anywhere on the ground that passes the filter, each square metre as likely as any other.

        `like_detour`: as findRandomPoint chooses them, where each tile is as likely as any other, with the numbers of
        recast-navigation-js after `setRandomSeed(seed)`. Without ground all points fail.
        """
        return random_points(self._mesh, self._names, count, filter.rule(), seed, like_detour)

    def random_points_around(
        self, count: int, reference: int, point: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        seed: int = 0, max_nodes: int | None = 2048,
    ) -> RandomPoints:  # fmt: skip
        """Points of the polygons that a circle reaches, as findRandomPointAroundCircle chooses them.

        Some lie outside of it. The numbers are those of recast-navigation-js after `setRandomSeed(seed)`.
        """
        polygons, center = self._polygons_and_points([reference], point)
        nodes = as_room("max_nodes", max_nodes, 0)
        before = (self._mesh, int(polygons[0]), center, as_radius(radius), filter.rule(), nodes)
        return drawn(random_around_rows, before, self._names, count, seed)


def _reach(radius: np.float32, corners: F32, cuts: I64, max_nodes: int | None, max_polygons: int | None) -> Reach:
    nodes, polygons = as_room("max_nodes", max_nodes, 0), as_room("max_polygons", max_polygons, UNLIMITED)
    return Reach(radius, corners, cuts, nodes, polygons)
