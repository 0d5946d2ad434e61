"""From one place to many: costs, paths, and what can be reached."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..geometry.connected_parts import NO_ISLAND
from ..navquery.answers import IslandNumbers, PathCosts, Paths, Polygons, Within
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
from ..navquery.one_to_many.mesh_islands import mesh_islands
from ..navquery.one_to_many.search_tree import reachable_rows, within_rows
from ..navquery.one_to_many.to_many import costs_to_many, paths_to_many
from ..navquery.paths import Ask
from ..navquery.query_filter import QueryFilter
from ..navquery.status import INVALID, SUCCESS
from ..progress import Progress
from .asked import EVERYBODY, EXTENTS, UNLIMITED, AskedMesh


class ManyEndsQuestions(AskedMesh):
    """Questions that one search answers for many ends."""

    def path_costs(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: npt.ArrayLike = EXTENTS, max_nodes: int | None = None, threads: int | None = None,
        progress: Progress | None = None,
    ) -> PathCosts:  # fmt: skip
        """What the cheapest way costs from each of N starts to each of M ends, as a table of N rows and M columns.

        One search from each start finds all of its ends: Dijkstra's, over the graph of Detour's findPath, in which ways
        lead over the middles of what polygons share. The line that is pulled through the same polygons is shorter.
        """
        ask = Ask(self._mesh, self._names, filter, "detour", "detour", max_nodes, None, threads, progress)
        return costs_to_many(ask, as_points("starts", starts), as_points("ends", ends), as_extents(extents))

    def find_paths_to_many(
        self, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter = EVERYBODY, *,
        extents: npt.ArrayLike = EXTENTS, crossings: str = "none", max_nodes: int | None = None,
        threads: int | None = None, progress: Progress | None = None,
    ) -> Paths:  # fmt: skip
        """The cheapest way from each of N starts to each of M ends: row i · M + j leads from start i to end j.

        The corridors are those of `path_costs`, with the lines through them. Where no way leads there is no line, and
        the status is UNREACHABLE.
        """
        ask = Ask(self._mesh, self._names, filter, "detour", "detour", max_nodes, None, threads, progress)
        here, there = as_points("starts", starts), as_points("ends", ends)
        return paths_to_many(ask, here, there, as_extents(extents), crossings, UNLIMITED)

    def polygons_within(
        self, references: npt.ArrayLike, points: npt.ArrayLike, most_cost: npt.ArrayLike,
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
        before = (self._mesh, asked, max_costs, filter.rule(), as_room("max_nodes", max_nodes, 0))
        pieces = in_pieces(within_rows, n, before, (rows,), threads, progress, TREE_PIECE)
        found, parents, costs = (joined([piece[k] for piece in pieces]) for k in range(3))
        names = self._names.names
        return Within(offsets_of(rows.counts), names(found), names(parents), costs, rows.status)

    def reachable_from(
        self, references: npt.ArrayLike, filter: QueryFilter | None = None, *, threads: int | None = None,
        progress: Progress | None = None,
    ) -> Polygons:  # fmt: skip
        """The polygons that an agent reaches from each one, itself included, the fewest steps first; links as well.

        Without a filter all polygons count, as where ground is left out that no seed reaches. Recast: the flood of
        RecastDemo's Prune tool.
        """
        polygons, rule = self._names.polygons(as_references("references", references)), (filter or EVERYBODY).rule()
        rows, before = row_counts(len(polygons)), (self._mesh, polygons, filter is None, rule)
        found = joined(in_pieces(reachable_rows, len(polygons), before, (rows,), threads, progress, TREE_PIECE))
        return Polygons(offsets_of(rows.counts), self._names.names(found), rows.status)

    def islands(self, references: npt.ArrayLike, filter: QueryFilter | None = None) -> IslandNumbers:
        """The island that each polygon is on: on one, agents get from everywhere to everywhere and back.

        Numbers and square metres are those of `find_islands`; a link is on the island from which it leads back and
        forth, if there is one. With a filter the islands are those of agents that keep to it.
        """
        polygons = self._names.polygons(as_references("references", references))
        of_polygon, square_metres = mesh_islands(self._mesh, None if filter is None else filter.rule())
        numbers = np.full(len(polygons), NO_ISLAND, np.int32)
        numbers[polygons >= 0] = of_polygon[polygons[polygons >= 0]]
        return IslandNumbers(numbers, square_metres, np.where(polygons >= 0, SUCCESS, INVALID))


def _as_costs(given: npt.ArrayLike, rows: int) -> npt.NDArray[np.float32]:
    """(rows,) numbers of 0 or more; infinite ones are no limit."""
    costs = np.asarray(given, np.float32)
    if costs.shape not in ((), (rows,)) or not (costs >= 0).all():
        raise BadInput("most_cost must be a number of 0 or more, or one for each row.", "WRONG_QUESTION")
    return np.ascontiguousarray(np.broadcast_to(costs, (rows,)))
