"""Ways as agents need them: Detour's questions one after the other, and an honest word about what came of it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..progress import Progress
from ..types import F32, F64, I32, I64, U8, Bools
from .answers import Corridors, Paths, StraightPaths
from .batches import as_room, check_offsets, in_pieces, joined, nearest_room, offsets_of, row_counts, usable
from .kernels.find_path import CorridorRows, PathLimits, path_rows
from .kernels.nearest_polygon import nearest_rows
from .kernels.points import PointPairs
from .kernels.straight_path import ALL_CROSSINGS, AREA_CROSSINGS, LinesThrough, straight_rows
from .query_filter import QueryFilter, Rule
from .query_mesh import QueryMesh, References
from .status import BUFFER_TOO_SMALL, INVALID, OUT_OF_NODES, PARTIAL, PathStatus

CROSSINGS = {"none": 0, "areas": AREA_CROSSINGS, "all": ALL_CROSSINGS}
_PARTIAL, _HEURISTIC = ("detour", "closest"), ("detour", "least_cost")
SCALE = np.float32(0.999)
MOST = 2**62


class Ask(NamedTuple):
    """What is the same for all rows of a question for paths."""

    mesh: QueryMesh
    names: References
    areas: I64  # that there are
    filter: QueryFilter
    partial: str
    heuristic: str
    max_nodes: int | None
    max_path: int | None
    threads: int | None
    progress: Progress | None


def corridors_of(ask: Ask, pairs: PointPairs) -> tuple[Corridors, I32]:
    """The corridors, and their polygons as numbers of the mesh."""
    check_choices(ask)
    nodes, most = as_room("max_nodes", ask.max_nodes, 0), as_room("max_path", ask.max_path, MOST)
    rule, n = ask.filter.rule(), len(pairs.starts)
    limits = PathLimits(scale_of(ask), nodes, most, ask.partial == "closest")
    rows = CorridorRows(
        np.empty(n, np.uint32), np.empty(n, np.int32), np.empty((n, 3), np.float32), np.empty(n, np.int32)
    )
    found = joined(in_pieces(path_rows, n, (ask.mesh, pairs, rule, limits), (rows,), ask.threads, ask.progress))
    return Corridors(offsets_of(rows.counts), ask.names.names(found), rows.status, rows.aims, rows.expanded), found


def check_choices(ask: Ask) -> None:
    check_choice("partial", ask.partial, _PARTIAL)
    check_choice("heuristic", ask.heuristic, _HEURISTIC)


def check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        raise BadInput(f"{name} is {given!r}. Choose one of {', '.join(choices)}.", "WRONG_QUESTION")


def scale_of(ask: Ask) -> np.float32:
    """Of the heuristic. That of "least_cost", what a metre costs at least and no more than 1, never says too much."""
    if ask.heuristic == "detour":
        return SCALE
    return np.float32(SCALE * np.float32(min(1, ask.filter.rule().costs[ask.areas].min(initial=1))))


def straight_of(
    mesh: QueryMesh, names: References, asked: LinesThrough, crossings: str, most: int, threads: int | None,
    progress: Progress | None,
) -> StraightPaths:  # fmt: skip
    """The lines through corridors."""
    check_choice("crossings", crossings, tuple(CROSSINGS))
    check_offsets(asked.first, len(asked.polygons))
    rows = row_counts(len(asked.starts))
    pieces = in_pieces(
        straight_rows, len(asked.starts), (mesh, asked, CROSSINGS[crossings], most), (rows,), threads, progress
    )
    points, flags, entered = (joined([piece[k] for piece in pieces]) for k in range(3))
    return StraightPaths(offsets_of(rows.counts), points, flags, names.names(entered), rows.status)


def paths_of(ask: Ask, here: F32, there: F32, half: F32, crossings: str, most: int) -> Paths:
    """Nearest polygons, corridors and lines, row by row the same as Detour's."""
    first, start = nearest_of(ask.mesh, ask.filter.rule(), here, half, ask.threads, ask.progress)
    last, end = nearest_of(ask.mesh, ask.filter.rule(), there, half, ask.threads, ask.progress)
    pairs = PointPairs(first, last, start, end)
    return paths_through(ask, pairs, usable(here) & usable(there), *corridors_of(ask, pairs), crossings, most)


def paths_through(
    ask: Ask, pairs: PointPairs, finite: Bools, corridors: Corridors, polygons: I32, crossings: str,
    most: int,
) -> Paths:  # fmt: skip
    """Lines through corridors, and what came of them. `finite`: whether a row's asked points are."""
    through = LinesThrough(pairs.starts, corridors.aims, corridors.offsets, polygons)
    line = straight_of(ask.mesh, ask.names, through, crossings, most, ask.threads, ask.progress)
    status = _honest(finite, pairs.first, pairs.last, corridors, line)
    length, ends = measured(line, np.ones(len(line.points)))
    cut = line.status & BUFFER_TOO_SMALL != 0
    gaps = np.sqrt(((np.where(cut[:, None], ends, corridors.aims) - pairs.ends) ** 2).sum(axis=1, dtype=np.float64))
    missing = np.where(status < PathStatus.NO_START, gaps, np.nan).astype(np.float32)
    cost = _cost(ask, through, length, cut)
    return Paths(
        status, length, line.offsets, line.points, line.flags, line.references, corridors.offsets,
        corridors.references, cost, missing, corridors.status, line.status, corridors.expanded,
    )  # fmt: skip


def nearest_of(
    mesh: QueryMesh, rule: Rule, points: F32, half: F32, threads: int | None, progress: Progress | None
) -> tuple[I32, F32]:
    """The polygon nearest to each point, and its point."""
    rows = nearest_room(len(points))
    in_pieces(nearest_rows, len(points), (mesh, points, half, rule), (rows,), threads, progress)
    return rows.polygons, rows.points


def _honest(finite: Bools, first: I32, last: I32, corridors: Corridors, line: StraightPaths) -> U8:
    """A `PathStatus` for each row; what says most about the row comes last and wins."""
    status = np.full(len(first), PathStatus.COMPLETE, np.uint8)
    found = corridors.status != INVALID
    partial = found & (corridors.status & PARTIAL != 0)
    status[partial] = PathStatus.PARTIAL
    cut = found & ((corridors.status | line.status) & BUFFER_TOO_SMALL != 0)
    status[cut] = PathStatus.TRUNCATED
    status[partial & (corridors.status & OUT_OF_NODES != 0)] = PathStatus.OUT_OF_NODES
    status[last < 0] = PathStatus.NO_END
    status[first < 0] = PathStatus.NO_START
    status[~finite] = PathStatus.NOT_FINITE
    return status


def measured(line: StraightPaths, weights: F64, most: F64 | None = None) -> tuple[F32, F32]:
    """The length of each line, its pieces weighted by what is given for their first points; and its end.

    `most`: so many metres of each line count, without weights.
    """
    rows = len(line.offsets) - 1
    owner = np.repeat(np.arange(rows), np.diff(line.offsets))
    steps = np.sqrt((np.diff(line.points.astype(np.float64), axis=0, append=line.points[-1:]) ** 2).sum(axis=1))
    used = np.diff(line.offsets) > 0
    steps[line.offsets[1:][used] - 1] = 0  # from the last point of a line to the next line
    if most is not None:
        so_far = np.concatenate([np.zeros(1), np.cumsum(steps)])
        steps = np.clip(most[owner] - (so_far[:-1] - so_far[line.offsets[:-1]][owner]), 0, steps)
    sums = np.bincount(owner, steps * weights, minlength=rows)
    ends = np.full((rows, 3), np.nan, np.float32)
    ends[used] = line.points[line.offsets[1:][used] - 1]
    with np.errstate(over="ignore"):  # a sum that is more than float32 holds is infinite
        return sums.astype(np.float32), ends


def _cost(ask: Ask, through: LinesThrough, length: F32, short: Bools) -> F32:
    """What each line costs, as far as it goes; where areas cost differently, it is cut where they meet."""
    costs = ask.filter.rule().costs
    areas = ask.areas
    if len(np.unique(costs[areas])) <= 1:
        return (length * costs[areas[0]] if len(areas) else length).astype(np.float32)
    cut = straight_of(ask.mesh, ask.names, through, "areas", MOST, ask.threads, ask.progress)
    entered = ask.names.polygons(cut.references)
    weights = np.where(entered >= 0, costs[ask.mesh.polygons["area"][entered]], 0).astype(np.float64)
    return measured(cut, weights, np.where(short, length, np.inf))[0]
