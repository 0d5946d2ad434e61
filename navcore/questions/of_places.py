"""Where on the navmesh a point is, and what polygons are."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import CONNECTION
from ..navquery.answers import ClosestPoints, Heights, Nearest, Outlines, Polygons
from ..navquery.batches import (
    as_extents,
    as_points,
    as_references,
    as_room,
    in_pieces,
    joined,
    nearest_room,
    offsets_of,
    usable,
)
from ..navquery.filter_of_rows import Filters, by_filter
from ..navquery.kernels.nearest_polygon import box_rows, nearest_rows
from ..navquery.kernels.on_polygon import ClosestRows, closest_rows, height_rows
from ..navquery.query_filter import QueryFilter
from ..navquery.status import BUFFER_TOO_SMALL, INVALID, SUCCESS
from ..progress import Progress
from ..types import U8, U32
from .asked import EVERYBODY, EXTENTS, UNLIMITED, AskedMesh


class PlaceQuestions(AskedMesh):
    """Questions about points and polygons."""

    def nearest(
        self, points: npt.ArrayLike, extents: npt.ArrayLike = EXTENTS, filter: Filters = EVERYBODY, *,
        filter_of: npt.ArrayLike | None = None, threads: int | None = None, progress: Progress | None = None,
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
        in_pieces(nearest_rows, len(asked), (self._mesh, asked, half, filter.rule()), (rows,), threads, progress)
        status = np.where(usable(asked), SUCCESS, INVALID)
        return Nearest(self._names.names(rows.polygons), rows.points, rows.over, status)

    def polygons_in_box(
        self, points: npt.ArrayLike, extents: npt.ArrayLike = EXTENTS, filter: QueryFilter = EVERYBODY, *,
        max_polygons: int | None = 128, threads: int | None = None, progress: Progress | None = None,
    ) -> Polygons:  # fmt: skip
        """The polygons whose boxes touch a box around each point, as their tree has them. Recast: queryPolygons."""
        asked, half, rule = as_points("points", points), as_extents(extents), filter.rule()
        most = as_room("max_polygons", max_polygons, UNLIMITED)
        counts = np.empty(len(asked), np.int32)
        before = (self._mesh, asked, half, rule, most)
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
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        rows = ClosestRows(np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.uint8))
        in_pieces(closest_rows, n, (self._mesh, asked, bool(boundary)), (rows,), threads, progress)
        return ClosestPoints(rows.points, rows.over, rows.status)

    def heights(
        self, references: npt.ArrayLike, points: npt.ArrayLike, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Heights:  # fmt: skip
        """The height of each polygon above or below a point. Recast: getPolyHeight."""
        asked = self._polygons_and_points(references, points)
        n = len(asked.points)
        status, heights = np.empty(n, np.uint32), np.empty(n, np.float32)
        in_pieces(height_rows, n, (self._mesh, asked), (status, heights), threads, progress)
        return Heights(heights, status)

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
        links[known] = self._mesh.polygons["kind"][polygons[known]] == CONNECTION
        return links

    def areas(self, references: npt.ArrayLike) -> U8:
        """The area id of each polygon; 255 for what is no polygon."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        areas = np.full(len(polygons), 255, np.uint8)
        areas[known] = self._mesh.polygons["area"][polygons[known]]
        return areas

    def outlines(self, references: npt.ArrayLike) -> Outlines:
        """The corners of each polygon; of a link its start and its end, of what is no polygon none."""
        polygons = self._names.polygons(as_references("references", references))
        known = np.flatnonzero(polygons >= 0)
        counts = np.zeros(len(polygons), np.int64)
        counts[known] = self._mesh.polygons["corners"][polygons[known]]
        corners = self._mesh.outline[polygons[known]]
        return Outlines(offsets_of(counts), corners[np.arange(corners.shape[1]) < counts[known, None]])
