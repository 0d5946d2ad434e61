"""A navmesh whose walls have been looked at: its rims, gaps and bays, and answers in metres."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import GROUND
from ..navquery.batches import in_pieces, joined
from ..navquery.kernels.on_polygon import closest_rows
from ..navquery.query_mesh import QueryMesh
from ..progress import Progress
from ..types import F32, F64, I32, U8, U32
from .answers import NarrowestAt
from .bays import NO_GAP, OVER, Bays, bays_of
from .gaps import Gaps, gap_rows
from .rims import Lattice, Rims, rims_of
from .widest import BETWEEN, END, START


class RoomForAgents(NamedTuple):
    """What questions for clearance look at."""

    mesh: QueryMesh
    rims: Rims
    lattice: Lattice
    corners: F64  # (P, 6, 2) cells
    counts: I32  # (P,) corners
    radius: F64  # (P,) metres: of the agent that the navmesh was built for
    bays: Bays
    middles: I32  # (G,) the polygon in which the middle of each gap lies
    begins: I32  # (W,) the bay in which each way begins

    def closest(self, polygons: I32, points: F32, threads: int | None, progress: Progress | None) -> tuple[F32, U32]:
        """The points of polygons closest to others, and Detour's status."""
        n = len(points)
        status, closest, over = np.empty(n, np.uint32), np.empty((n, 3), np.float32), np.empty(n, np.uint8)
        in_pieces(closest_rows, n, (self.mesh, polygons, points, False), (status, closest, over), threads, progress)
        return closest, status

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


def room_for_agents(mesh: QueryMesh, threads: int | None, progress: Progress | None) -> RoomForAgents:
    """Look at all walls, once."""
    rims, lattice, corners = rims_of(mesh)
    walls = np.flatnonzero(rims.across < 0)
    counts = np.ascontiguousarray(mesh.polygons["corners"])
    pieces = in_pieces(gap_rows, len(walls), (rims, counts, walls), (), threads, progress)
    gaps = _together(pieces)
    bays = bays_of(rims, gaps, corners, mesh.polygons, mesh.links)
    radius = mesh.tiles["agent_radius"][mesh.polygons["tile"]].astype(np.float64) if len(mesh.polygons) else np.zeros(0)
    begins = np.repeat(np.arange(len(bays.polygons), dtype=np.int32), np.diff(bays.way_first))
    return RoomForAgents(mesh, rims, lattice, corners, counts, radius, bays, gaps.middles, begins)


def _together(pieces: list[Gaps]) -> Gaps:
    """Gaps that were found by several threads, numbered through."""
    done = 0
    for k, piece in enumerate(pieces):
        cuts = piece.cuts.copy()
        cuts[:, 0] += done
        pieces[k] = piece._replace(cuts=cuts)
        done += len(piece.lines)
    return Gaps(*(joined([piece[field] for piece in pieces]) for field in range(len(Gaps._fields))))


class Measured(NamedTuple):
    """The common part of answers about ways."""

    clearances: F32
    gaps: F32
    narrowest_at: U8
    points: F32
    gap_points: F32
    polygons: I32  # at the points


def measured(
    room: RoomForAgents, first: I32, last: I32, here: F32, there: F32, widths: F64, narrowest: I32
) -> Measured:
    """In metres: how wide, and where it is narrowest; NaN for rows that have no way."""
    n = len(first)
    known = ~np.isnan(widths[:, BETWEEN])
    way = np.where(known, narrowest, -1)
    polygons, places, linked = ways_over(room, way)
    columns = np.full((n, 3), np.nan)
    columns[known, START] = room.metres(first[known], widths[known, START])
    columns[known, END] = room.metres(last[known], widths[known, END])
    columns[known, BETWEEN] = np.inf
    over = way >= 0
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


def ways_over(room: RoomForAgents, way: I32) -> tuple[I32, F64, npt.NDArray[np.bool_]]:
    """Of each way between bays a polygon, the place in it, and whether it is an end of a link; -1: no way."""
    n = len(way)
    polygons, places, linked = np.full(n, -1, np.int32), np.full((n, 2), np.nan), np.zeros(n, bool)
    chosen = np.flatnonzero(way >= 0)
    used = way[chosen]
    places[chosen] = room.bays.numbers[used, 1:]
    gap = room.bays.ways[used, OVER]
    linked[chosen] = gap == NO_GAP
    ends = room.bays.polygons[np.stack([room.begins[used], room.bays.ways[used, 0]])]
    ground = np.where(room.mesh.polygons["kind"][ends[0]] == GROUND, ends[0], ends[1])
    polygons[chosen] = np.where(gap == NO_GAP, ground, 0)
    over = gap != NO_GAP
    polygons[chosen[over]] = room.middles[gap[over]]
    return polygons, places, linked
