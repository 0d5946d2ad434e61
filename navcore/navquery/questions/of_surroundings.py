"""What lies around a place, and places anywhere."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...progress import Progress
from ..answers import (
    Around,
    RandomPoints,
    Walls,
)
from ..batches import as_radius, as_room, in_pieces, joined, offsets_of
from ..kernels.around import circle_rows, wall_rows
from ..kernels.random_points import random_around_rows
from ..query_filter import QueryFilter
from ..random_places import drawn, random_points
from .asked import EVERYBODY, UNLIMITED, AskedMesh


class SurroundingsQuestions(AskedMesh):
    """Questions about what is near, and for points by chance."""

    def distance_to_wall(
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
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
        self, references: npt.ArrayLike, points: npt.ArrayLike, radius: float, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 64, max_nodes: int | None = 2048, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Around:  # fmt: skip
        """The polygons that a circle around each point reaches, nearest first. Recast: findPolysAroundCircle."""
        polygons, asked = self._polygons_and_points(references, points)
        rule, n = filter.rule(), len(asked)
        status, counts = np.empty(n, np.uint32), np.empty(n, np.int32)
        nodes, most = as_room("max_nodes", max_nodes, 0), as_room("max_polygons", max_polygons, UNLIMITED)
        before = (self._mesh, polygons, asked, as_radius(radius), *rule, nodes, most)
        pieces = in_pieces(circle_rows, n, before, (status, counts), threads, progress)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Around(offsets_of(counts), names(found), names(parents), costs, status)

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
        before = (self._mesh, int(polygons[0]), center, as_radius(radius), *filter.rule()[1:], nodes)
        return drawn(random_around_rows, before, self._names, count, seed)
