"""A navmesh whose walls have been looked at: its borders, then its gaps and bays, and answers in metres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..detour.byte_layout import GROUND
from ..navquery.batches import in_pieces, joined
from ..navquery.kernels.on_polygon import ClosestRows, closest_rows
from ..navquery.kernels.points import PointsOn
from ..navquery.query_mesh import QueryMesh
from ..progress import Progress
from ..types import F32, F64, I32, U8, U32, Bools
from .clearance_answers import NarrowestAt
from .cut_polygons import NO_GAP, CutPolygons, cut_polygons
from .gaps import CROSSING, CUT, GAP, Gaps, gap_rows
from .polygon_borders import CellLattice, PolygonBorders, polygon_borders
from .widest_paths import BETWEEN, END, START, FoundWidths


class ClearanceField(NamedTuple):
    """What questions for clearance look at."""

    mesh: QueryMesh
    borders: PolygonBorders
    lattice: CellLattice
    corners: F64  # (P, 6, 2) cells
    counts: I32  # (P,) corners
    radius: F64  # (P,) metres: of the agent that the navmesh was built for

    def closest(self, polygons: I32, points: F32, threads: int | None, progress: Progress | None) -> tuple[F32, U32]:
        """The points of polygons closest to others, and Detour's status."""
        n = len(points)
        rows = ClosestRows(np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.uint8))
        in_pieces(closest_rows, n, (self.mesh, PointsOn(polygons, points), False), (rows,), threads, progress)
        return rows.points, rows.status

    def metres(self, polygons: I32, widths: F64) -> F32:
        """The radius of an agent with so much room around where it stands, in cells, more than the navmesh's own."""
        clearances: F32 = (self.radius[polygons] + widths * self.lattice.cell).astype(np.float32)
        return clearances

    def points(self, polygons: I32, places: F64, threads: int | None = None) -> F32:
        """Points of polygons at places in cells; NaN where there is none."""
        known = np.flatnonzero((polygons >= 0) & np.isfinite(places).all(axis=1))
        flat = self.lattice.in_metres(places[known])
        flat[:, 1] = self.mesh.outline[polygons[known], 0, 1]
        points = np.full((len(polygons), 3), np.nan, np.float32)
        points[known] = self.closest(polygons[known], flat.astype(np.float32), threads, None)[0]
        return points


def clearance_field(mesh: QueryMesh) -> ClearanceField:
    """Look at all borders, once."""
    borders, lattice, corners = polygon_borders(mesh)
    counts = np.ascontiguousarray(mesh.polygons["corners"])
    radius = mesh.tiles["agent_radius"][mesh.polygons["tile"]].astype(np.float64) if len(mesh.polygons) else np.zeros(0)
    return ClearanceField(mesh, borders, lattice, corners, counts, radius)


def bays_of(room: ClearanceField, threads: int | None, progress: Progress | None) -> CutPolygons:
    """Look from all corners of walls for gaps, once. Questions about polygons alone need none of it."""
    walls = np.flatnonzero(room.borders.pieces["across"] < 0)
    pieces = in_pieces(gap_rows, len(walls), (room.borders, room.counts, walls), (), threads, progress)
    return cut_polygons(room.borders, _together(pieces), room.corners, room.mesh.polygons, room.mesh.links)


def _together(pieces: list[Gaps]) -> Gaps:
    """Gaps that were found by several threads, numbered through."""
    done = 0
    for piece in pieces:
        piece.cuts["gap"] += done
        done += len(piece.gaps)
    gaps, cuts, crossings, counts = (joined([piece[k] for piece in pieces]) for k in range(len(Gaps._fields)))
    return Gaps(gaps.view(GAP), cuts.view(CUT), crossings.view(CROSSING), counts)


class Measured(NamedTuple):
    """The common part of answers about ways."""

    clearances: F32
    gaps: F32
    narrowest_at: U8
    points: F32
    gap_points: F32
    polygons: I32  # at the points


def measured(
    room: ClearanceField, bays: CutPolygons, first: I32, last: I32, here: F32, there: F32, found: FoundWidths
) -> Measured:
    """In metres: how wide, and where it is narrowest; NaN for rows that have no way."""
    n, widths = len(first), found.widths
    known = ~np.isnan(widths[:, BETWEEN])
    passages = np.where(known, found.narrowest, -1)
    polygons, places, linked = places_of(room.mesh, bays, passages)
    columns = np.full((n, 3), np.nan)
    columns[known, START] = room.metres(first[known], widths[known, START])
    columns[known, END] = room.metres(last[known], widths[known, END])
    columns[known, BETWEEN] = np.inf
    over = passages >= 0
    columns[over, BETWEEN] = room.metres(polygons[over], widths[over, BETWEEN])
    at = np.zeros(n, np.int64)
    at[known] = columns[known][:, [BETWEEN, START, END]].argmin(axis=1)
    at = np.array([BETWEEN, START, END])[at]
    gap_points = room.points(polygons, places)
    points = np.full((n, 3), np.nan, np.float32)
    place = np.full(n, -1, np.int32)
    for which, numbers, rows in ((START, first, here), (END, last, there), (BETWEEN, polygons, gap_points)):
        chosen = known & (at == which)
        points[chosen], place[chosen] = rows[chosen], numbers[chosen]
    kinds = np.where(linked & (at == BETWEEN), NarrowestAt.LINK, at).astype(np.uint8)
    clearances = columns.min(axis=1, initial=np.inf).astype(np.float32)
    return Measured(clearances, columns[:, BETWEEN].astype(np.float32), kinds, points, gap_points, place)


def places_of(mesh: QueryMesh, bays: CutPolygons, passages: I32) -> tuple[I32, F64, Bools]:
    """Of each passage between bays a polygon, the place in it, and whether it is an end of a link; -1: no passage."""
    n = len(passages)
    polygons, places, linked = np.full(n, -1, np.int32), np.full((n, 2), np.nan), np.zeros(n, bool)
    chosen = np.flatnonzero(passages >= 0)
    used = bays.passages[passages[chosen]]
    places[chosen] = np.stack([used["x"], used["z"]], axis=1)
    linked[chosen] = used["gap"] == NO_GAP
    ends = bays.polygons[np.stack([used["begin"], used["bay"]])]
    ground = np.where(mesh.polygons["kind"][ends[0]] == GROUND, ends[0], ends[1])
    polygons[chosen] = np.where(used["gap"] == NO_GAP, ground, 0)
    over = used["gap"] != NO_GAP
    polygons[chosen[over]] = bays.gaps["middle"][used["gap"][over]]
    return polygons, places, linked
