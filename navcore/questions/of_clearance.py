"""How wide an agent may be."""

from __future__ import annotations

import numpy as np

from ..clearance.chokepoints import cutting_gaps
from ..clearance.clearance_answers import Chokepoints, Clearances, Portals, WidestWays, Widths
from ..clearance.clearance_field import ClearanceField, bays_of, clearance_field, measured, places_of
from ..clearance.cut_polygons import CutPolygons
from ..clearance.kept_places import Room, RoomiestPlaces, roomiest_places
from ..clearance.largest import CLOSE, PART, AskedPolygons, place_rows, polygon_rows, portal_rows
from ..clearance.widest_paths import AskedCorridors, AskedEnds, FoundWidths, corridor_rows, widest_rows
from ..navquery.batches import (
    as_extents,
    as_points,
    as_references,
    check_offsets,
    in_pieces,
    joined,
    offsets_of,
    usable,
)
from ..navquery.paths import nearest_of
from ..navquery.query_filter import QueryFilter, rule_of
from ..navquery.status import INVALID, SUCCESS, PathStatus
from ..progress import Progress
from ..types import F32, I32, I64, ArrayLike
from .asked import EVERYBODY, EXTENTS, AskedMesh, of_the_whole


class ClearanceQuestions(AskedMesh):
    """Questions for the widest agent. Clearances are radii in metres: that of the navmesh's agent, and the way from its
    center to the nearest wall of the navmesh. What walls there are is looked at when the first of these is asked.
    """

    @property
    def clearance_from(self) -> str:
        """What clearances are measured by.

        "outline": the outline of the navmesh, which lies a radius away from walls; whole cells and simplified edges
        make it differ from them by a cell or two. "field": the navmesh was built for an agent of radius 0, so that its
        outline is that of the walls' own cells.
        """
        return "outline" if (self._mesh.tiles["agent_radius"] > 0).any() else "field"

    @of_the_whole
    def clearances(
        self, references: ArrayLike, points: ArrayLike, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Clearances:  # fmt: skip
        """The widest agent that can stand at each point of a polygon (at its closest point where it lies beside)."""
        polygons, asked = self._polygons_and_points(references, points)
        room = self._walls()
        closest, status = room.closest(polygons, asked, threads, progress)
        places, widths = room.lattice.in_cells(closest), np.empty(len(asked))
        in_pieces(place_rows, len(asked), (room.borders, polygons, places), (widths,), threads, progress)
        status[np.isnan(widths)] = INVALID
        closest[status == INVALID] = np.nan
        return Clearances(room.metres(polygons, widths), closest, status)

    @of_the_whole
    def polygon_clearances(
        self, references: ArrayLike | None = None, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Clearances:  # fmt: skip
        """The widest agent whose center can stand in each polygon, and where; without `references`, in all of them.

        No wider one can by more than a twentieth of a cell. Links have no width: they get an INVALID status. What was
        found is kept, after `update` as well where no border has changed that is near enough.
        """
        if references is None:
            polygons = np.arange(len(self._mesh.polygons), dtype=np.int32)
        else:
            polygons = self._names.polygons(as_references("references", references))
        room, found = self._walls(), self._roomiest()
        asked = np.unique(polygons[polygons >= 0])
        asked = asked[~found.known[asked]]
        n = len(asked)
        new_widths, new_places = np.empty(n), np.empty((n, 2))
        before = (room.borders, AskedPolygons(room.corners, room.counts, asked, CLOSE, PART))
        in_pieces(polygon_rows, n, before, (new_widths, new_places), threads, progress)
        found.widths[asked], found.places[asked] = new_widths, new_places
        found.known[asked] = True
        widths, places = np.full(len(polygons), np.nan), np.full((len(polygons), 2), np.nan)
        there = polygons >= 0
        widths[there], places[there] = found.widths[polygons[there]], found.places[polygons[there]]
        status = np.where(np.isnan(widths), INVALID, SUCCESS)
        return Clearances(room.metres(polygons, widths), room.points(polygons, places, threads), status)

    @of_the_whole
    def portals(self, *, threads: int | None = None, progress: Progress | None = None) -> Portals:
        """All that ground polygons share, across tiles as well, and the widest agent whose center passes there.

        No wider one can by more than a twentieth of a cell.
        """
        room = self._walls()
        borders = room.borders.pieces
        pieces = np.flatnonzero(borders["twin"] > np.arange(len(borders)))
        n = len(pieces)
        widths, places = np.empty(n), np.empty((n, 2))
        in_pieces(portal_rows, n, (room.borders, pieces), (widths, places), threads, progress)
        owners, across = borders["owner"][pieces], borders["across"][pieces]
        flat = [np.stack([borders[name][pieces] for name in end], axis=1) for end in (("ax", "az"), ("bx", "bz"))]
        ends = [room.points(owners, places_there, threads) for places_there in flat]
        return Portals(
            self._names.names(owners), self._names.names(across), np.stack(ends, axis=1),
            room.metres(owners, widths), room.points(owners, places, threads),
        )  # fmt: skip

    @of_the_whole
    def chokepoints(
        self, least_square_metres: float = 1.0, *, threads: int | None = None, progress: Progress | None = None
    ) -> Chokepoints:
        """The gaps that close for wider agents, with the ground that is cut off then: narrowest first.

        An agent that is wider than one of them gets from one of its sides to the other on no way at all. Gaps with less
        ground on a side are left out; links are taken to lead both ways.
        """
        room, bays = self._walls(), self._bays(threads, progress)
        passages, sizes = cutting_gaps(bays, room.corners, room.counts)
        square_metres = (sizes * room.lattice.cell**2).astype(np.float32)
        chosen = square_metres >= least_square_metres
        polygons, places, _ = places_of(room.mesh, bays, passages[chosen])
        widths = bays.passages["width"][passages[chosen]]
        return Chokepoints(
            room.metres(polygons, widths), room.points(polygons, places, threads), self._names.names(polygons),
            square_metres[chosen],
        )  # fmt: skip

    @of_the_whole
    def corridor_clearances(
        self, starts: ArrayLike, ends: ArrayLike, offsets: ArrayLike, references: ArrayLike, *,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Widths:  # fmt: skip
        """The widest agent that gets from each start to its end through the gaps that the corridor leads through.

        Row r goes through references[offsets[r]:offsets[r + 1]], as `find_paths` (`polygon_offsets`, `polygons`) and
        `find_corridors` return them. Where there is room, the agent may swing out beside the corridor.
        """
        here = as_points("starts", starts)
        there = as_points("ends", ends, len(here))
        cuts = as_references("offsets", offsets, len(here) + 1)
        polygons = self._names.polygons(as_references("references", references))
        check_offsets(cuts, len(polygons))
        return self._widths(here, there, cuts, polygons, threads, progress)

    def _widths(
        self, here: F32, there: F32, cuts: I64, polygons: I32, threads: int | None,
        progress: Progress | None,
    ) -> Widths:  # fmt: skip
        room, bays, n = self._walls(), self._bays(threads, progress), len(here)
        some = np.diff(cuts) > 0
        first, last = np.full(n, -1, np.int32), np.full(n, -1, np.int32)
        first[some], last[some] = polygons[cuts[:-1][some]], polygons[cuts[1:][some] - 1]
        answers = FoundWidths(np.empty(n, np.uint32), np.empty((n, 3)), np.empty(n, np.int32))
        start, end = (room.closest(*row, threads, progress)[0] for row in ((first, here), (last, there)))
        places = room.lattice.in_cells(start), room.lattice.in_cells(end)
        before = (room.borders, bays, AskedCorridors(*places, cuts, polygons))
        in_pieces(corridor_rows, n, before, (answers,), threads, progress)
        bad = ~(usable(here) & usable(there))
        answers.status[bad], answers.widths[bad] = INVALID, np.nan
        found = measured(room, bays, first, last, start, end, answers)
        return Widths(*found[:5], self._names.names(found.polygons), answers.status)

    @of_the_whole
    def narrowest(
        self, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: ArrayLike = EXTENTS, threads: int | None = None, progress: Progress | None = None,
    ) -> WidestWays:  # fmt: skip
        """The widest agent that gets from each start to its end on any way, where that is narrowest, and a way for it.

        Start and end are those of the navmesh that are nearest. `filter` says through which polygons ways lead; those
        that it leaves out are no walls. No ancestor in Recast.
        """
        here = as_points("starts", starts)
        there, rule, n = as_points("ends", ends, len(here)), rule_of(filter), len(here)
        room, bays, half = self._walls(), self._bays(threads, progress), as_extents(extents)
        ask = (rule.include, rule.exclude)
        (first, start), (last, end) = (
            nearest_of(self._mesh, rule, row, half, threads, progress) for row in (here, there)
        )
        answers = FoundWidths(np.empty(n, np.uint32), np.empty((n, 3)), np.empty(n, np.int32))
        places, counts = (room.lattice.in_cells(start), room.lattice.in_cells(end)), np.empty(n, np.int32)
        before = (room.borders, bays, self._mesh.polygons, AskedEnds(first, last, *places, *ask))
        polygons = joined(in_pieces(widest_rows, n, before, (answers, counts), threads, progress))
        status = np.where(answers.status == SUCCESS, PathStatus.COMPLETE, PathStatus.PARTIAL).astype(np.uint8)
        status[last < 0] = PathStatus.NO_END
        status[first < 0] = PathStatus.NO_START
        status[~(usable(here) & usable(there))] = PathStatus.NOT_FINITE
        found = measured(room, bays, first, last, start, end, answers)
        names = self._names.names
        return WidestWays(status, *found[:5], names(found.polygons), offsets_of(counts), names(polygons))

    def _walls(self) -> ClearanceField:
        """What the questions look at. Two threads that ask first at once both make it: it is the same."""
        if "walls" not in self._made_of_ground:
            self._made_of_ground["walls"] = clearance_field(self._mesh)
        room: ClearanceField = self._made_of_ground["walls"]
        return room

    def _roomiest(self) -> RoomiestPlaces:
        """What is known of roomiest places, some of it from before the last update: likewise."""
        if "roomiest" not in self._made_of_ground:
            before = self._kept_places.get("roomiest")
            room = self._walls()
            names = self._names.of_polygon.astype(np.int64)
            found = roomiest_places(
                Room(room.borders, room.lattice, room.corners, room.counts), names, before, CLOSE, PART
            )
            self._made_of_ground["roomiest"] = self._kept_places["roomiest"] = found
        known: RoomiestPlaces = self._made_of_ground["roomiest"]
        return known

    def _bays(self, threads: int | None, progress: Progress | None) -> CutPolygons:
        """What questions about ways look at, too: likewise."""
        if "bays" not in self._made_of_ground:
            self._made_of_ground["bays"] = bays_of(self._walls(), threads, progress)
        bays: CutPolygons = self._made_of_ground["bays"]
        return bays
