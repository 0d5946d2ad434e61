"""Shortest paths between points, as `find_paths` answers them."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.byte_layout import CONNECTION, GROUND
from ..errors import BadInput
from ..geometry.arrays import numbers_in_ranges
from ..navquery.answers import Paths, StraightPaths
from ..navquery.batches import as_room, in_pieces, joined, offsets_of, usable
from ..navquery.kernels.straight_path import OFF_MESH
from ..navquery.paths import MOST, Ask, check_choices, measured, nearest_of
from ..navquery.query_filter import Rule
from ..navquery.query_mesh import QueryMesh
from ..navquery.status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS, PathStatus
from ..types import F32, F64, I32, I64, U8, U32
from .shortest_lattice import Lattice
from .shortest_mesh import ShortestMesh, shortest_mesh
from .shortest_rows import CLOSEST, OUT, SKIPPED, AskedRows, RowResults, shortest_rows

_MAX_KEPT = 8  # filters


class FilteredMesh(NamedTuple):
    """What a filter lets pass, ready to be searched."""

    mesh: ShortestMesh
    lattice: Lattice
    ground_areas: I32
    link_areas: I32


def _filtered(mesh: QueryMesh, include: int, exclude: int) -> FilteredMesh:
    polygons = mesh.polygons[(mesh.polygons["flags"] & include != 0) & (mesh.polygons["flags"] & exclude == 0)]
    areas = (np.unique(polygons["area"][polygons["kind"] == kind]) for kind in (GROUND, CONNECTION))
    return FilteredMesh(*shortest_mesh(mesh, include, exclude), *areas)


class ShortestMeshes:
    """The meshes that were asked so far, one for each filter, made when they are first asked for."""

    def __init__(self, mesh: QueryMesh) -> None:
        self._mesh, self._lock = mesh, threading.Lock()
        self._made: dict[tuple[int, int], FilteredMesh] = {}

    def for_flags(self, include: int, exclude: int) -> FilteredMesh:
        with self._lock:
            if (include, exclude) not in self._made:
                while len(self._made) >= _MAX_KEPT:
                    del self._made[next(iter(self._made))]
                self._made[include, exclude] = _filtered(self._mesh, include, exclude)
            return self._made[include, exclude]


class Found(NamedTuple):
    """What the search finds for N rows."""

    became: U8
    polygon_counts: I32
    point_counts: I32
    expanded: I32
    polygons: I32  # from here on one row after the other
    points: F32
    flags: U8
    entered: I32


def exact_paths_of(
    ask: Ask, meshes: ShortestMeshes, crossings: str, max_points: int, here: F32, there: F32, half: F32
) -> Paths:
    """Shortest paths between the navmesh nearest to each start and that nearest to each end.

    Raises BadInput where areas cost differently.
    """
    check_choices(ask)
    if crossings != "none":
        raise BadInput(
            f"crossings is {crossings!r}, which the shortest path does not have. Ask with exact=False, or for "
            "straight_paths through the polygons of the shortest path.",
            "WRONG_QUESTION",
        )
    rule = ask.filter.rule()
    made = meshes.for_flags(rule.include, rule.exclude)
    price, ratios = _prices(made, rule)
    first, start = nearest_of(ask.mesh, rule, here, half, ask.threads, ask.progress)
    last, end = nearest_of(ask.mesh, rule, there, half, ask.threads, ask.progress)
    found = search_of(ask, made, ratios, first, last, start, end)
    kept, polygons_cut, points_cut = _kept(found, as_room("max_path", ask.max_path, MOST), max_points)
    names = ask.names.names(kept.polygons)
    offsets, polygon_offsets = offsets_of(kept.point_counts), offsets_of(kept.polygon_counts)
    steps_in = np.repeat(polygon_offsets[:-1], kept.point_counts) + kept.entered
    entered = np.where(kept.entered >= 0, kept.polygons[np.maximum(steps_in, 0)] if len(kept.polygons) else -1, -1)
    search, straight = _detour_words(found, polygons_cut, points_cut)
    line = StraightPaths(offsets, kept.points, kept.flags, ask.names.names(entered.astype(np.int32)), straight)
    length, ends = measured(line, np.ones(len(line.points)))
    weights = np.where(kept.flags & OFF_MESH != 0, rule.costs[ask.mesh.polygons["area"][entered]], price)
    finite = usable(here) & usable(there)
    status = _honest(found, polygons_cut | points_cut, finite, first, last)
    gaps = np.sqrt(((ends - end).astype(np.float64) ** 2).sum(axis=1))
    missing = np.where(status == PathStatus.COMPLETE, 0, np.where(status < PathStatus.NO_START, gaps, np.nan))
    return Paths(
        status, length, offsets, line.points, line.flags, line.references, polygon_offsets, names,
        measured(line, weights)[0], missing.astype(np.float32), search, straight, found.expanded,
    )  # fmt: skip


def search_of(ask: Ask, made: FilteredMesh, ratios: F64, first: I32, last: I32, start: F32, end: F32) -> Found:
    """The paths between points of polygons; `ratios` is what a metre of each link's area costs, in metres of ground."""
    flat, jumps, n = made.mesh, made.mesh.jumps, len(first)
    prices = jumps["length"] * ratios[ask.mesh.polygons["area"][jumps["link"]]] / made.lattice.step
    asked = AskedRows(first, last, start, end, as_room("max_nodes", ask.max_nodes, 0))
    results = RowResults(np.empty(n, np.uint8), *(np.empty(n, np.int32) for _ in range(3)))
    before = (ask.mesh, flat._replace(prices=prices), made.lattice, asked)
    pieces = in_pieces(shortest_rows, n, before, (results,), ask.threads, ask.progress)
    polygons, points, flags, entered = (joined([piece[k] for piece in pieces]) for k in range(4))
    return Found(*results, polygons, points, flags, entered)


def _prices(made: FilteredMesh, rule: Rule) -> tuple[float, F64]:
    """What a metre of ground costs, and of each area how many metres of ground a metre of a link costs.

    Raises BadInput where ground costs differently here and there, or links cost less than ground.
    """
    ground, links = made.ground_areas, made.link_areas
    costs = rule.costs[ground]
    if len(np.unique(costs)) > 1:
        low, high = ground[costs.argmin()], ground[costs.argmax()]
        raise BadInput(
            f"A metre costs {rule.costs[low]:g} in area {low} and {rule.costs[high]:g} in area {high}: the shortest "
            "path is not the cheapest. Use the funnel (exact=False), or give equal costs.",
            "UNEQUAL_COSTS",
        )
    price = float(costs[0]) if len(costs) else 1.0
    cheap = [area for area in links.tolist() if rule.costs[area] < price or (price == 0 and rule.costs[area] > 0)]
    if cheap:
        raise BadInput(
            f"A metre of the links in area {cheap[0]} costs {rule.costs[cheap[0]]:g}, and a metre of ground {price:g}: "
            "where links are cheap, the shortest path is not the cheapest. Use the funnel (exact=False), or let links "
            "cost as much as the ground, or more.",
            "UNEQUAL_COSTS",
        )
    return price, rule.costs.astype(np.float64) / price if price > 0 else np.ones(len(rule.costs))


def _kept(found: Found, max_path: int, max_points: int) -> tuple[Found, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """The answers as far as there is room for them; which rows have fewer polygons now, and which fewer points."""
    polygons_cut = found.polygon_counts > max_path
    rows = np.repeat(np.arange(len(found.became)), found.point_counts)
    kept_points = ~polygons_cut[rows] | ((found.entered >= 0) & (found.entered < max_path))
    within = _ranks(np.bincount(rows[kept_points], minlength=len(found.became)))
    some = np.flatnonzero(kept_points)
    cut_rows = np.bincount(rows[some[within >= max_points]], minlength=len(found.became)) > 0
    some = some[within < max_points]
    polygons = np.flatnonzero(_ranks(found.polygon_counts) < max_path)
    kept = found._replace(
        polygon_counts=np.minimum(found.polygon_counts, min(max_path, 2**31 - 1)).astype(np.int32),
        point_counts=np.bincount(rows[some], minlength=len(found.became)).astype(np.int32),
        polygons=found.polygons[polygons], points=found.points[some], flags=found.flags[some],
        entered=found.entered[some],
    )  # fmt: skip
    return kept, polygons_cut, cut_rows


def _ranks(counts: npt.NDArray[Any]) -> I64:
    """0, 1, … for each row."""
    return numbers_in_ranges(np.zeros(len(counts), np.int64), counts)


def _detour_words(
    found: Found, polygons_cut: npt.NDArray[np.bool_], points_cut: npt.NDArray[np.bool_]
) -> tuple[U32, U32]:
    """What Detour would say of such corridors and lines."""
    search = np.full(len(found.became), SUCCESS, np.uint32)
    search[found.became == CLOSEST] |= PARTIAL
    search[found.became == OUT] |= PARTIAL | OUT_OF_NODES
    straight = np.full(len(found.became), SUCCESS, np.uint32)
    search[polygons_cut] |= BUFFER_TOO_SMALL
    straight[points_cut] |= BUFFER_TOO_SMALL
    search[found.became == SKIPPED] = straight[found.became == SKIPPED] = INVALID
    return search, straight


def _honest(found: Found, cut: npt.NDArray[np.bool_], finite: npt.NDArray[np.bool_], first: I32, last: I32) -> U8:
    """A `PathStatus` for each row; what says most about the row comes last and wins."""
    status = np.full(len(first), PathStatus.COMPLETE, np.uint8)
    status[found.became == CLOSEST] = PathStatus.PARTIAL
    status[cut] = PathStatus.TRUNCATED
    status[found.became == OUT] = PathStatus.OUT_OF_NODES
    status[last < 0] = PathStatus.NO_END
    status[first < 0] = PathStatus.NO_START
    status[~finite] = PathStatus.NOT_FINITE
    return status
