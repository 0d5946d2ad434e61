"""Two navmeshes side by side: ground that is new, that is gone, and that lies higher or lower than before."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..detour.reader import NavmeshFile
from ..errors import BadInput
from ..formats.plain_from_detour import plain_of
from ..formats.plain_navmesh import PlainNavmesh
from ..geometry.arrays import flatten, join
from ..jit import inlined, kernel
from ..progress import Progress
from ..result.navmesh import NavMesh
from ..types import F64, I32, I64, U8, AnyInt
from .floors import Floors, first_of, floors_of, order_of_cells

SAME, ADDED, REMOVED, MOVED = range(4)
KINDS = ("same", "added", "removed", "moved")
_CELL, _CLIMB, _CELL_HEIGHT = 0.3, 0.9, 0.2  # metres, where neither navmesh says
# Metres. Corners lie a cell's height lower in a Detour file than in the detail: what is so far apart has not moved.
_ROUNDING = 1e-3


class Place(NamedTuple):
    """A piece of ground that changed as one."""

    kind: str  # "added", "removed" or "moved"
    point: tuple[float, float, float]  # of the piece, near its middle
    square_metres: float


class Difference(NamedTuple):
    """What changed, seen from above."""

    added: float  # square metres
    removed: float
    moved: float  # of ground that is there before and after, and lies higher or lower by more than a cell's height
    places: tuple[Place, ...]  # the largest first
    cell: float  # metres: how finely was looked
    columns: I64  # (N, 2) of each cell that changed; its middle lies at (x + ½, z + ½) cells
    heights: F64  # (N,) metres; of what moved, where it is now
    kinds: U8  # (N,) ADDED, REMOVED or MOVED
    by_corners: bool = False  # ground is as the corners of polygons have it: one of both has no detail

    def to_mapping(self) -> dict[str, Any]:
        """Square metres and places, ready for JSON."""
        return {
            "added": self.added, "removed": self.removed, "moved": self.moved, "cell": self.cell,
            "places": [[*place.point, place.square_metres] for place in self.places],
            "kinds": [place.kind for place in self.places], "by_corners": self.by_corners,
        }  # fmt: skip


def navmesh_difference(
    before: NavMesh | NavmeshFile | PlainNavmesh, after: NavMesh | NavmeshFile | PlainNavmesh, *,
    cell: float | None = None, moved_by: float | None = None, progress: Progress | None = None,
) -> Difference:  # fmt: skip
    """What changed from one navmesh to another, whatever they were built with or read from.

    Both are looked at in the middles of cells of `cell` metres (None: the smaller of theirs); where one has no detail,
    as those from other files than .bin and .json, both are as the corners of their polygons have them. Floors of a
    column that are no further apart than an agent climbs are the same ground; it has moved if they are further apart
    than `moved_by` metres (None: a cell's height, 0.2 where nobody knows it). Raises BadInput and TooLarge, and
    Cancelled soon after `progress` was cancelled.
    """
    progress = progress or Progress()
    old, new = plain_of(before), plain_of(after)
    by_corners = (old.detail_there is None) != (new.detail_there is None)
    if by_corners:
        old, new = old._replace(detail=None), new._replace(detail=None)
    width = _given("cell", cell) or min([c for c in (old.seen_cell, new.seen_cell) if c is not None], default=_CELL)
    settings = new.settings or old.settings
    climb = settings.agent_max_climb if settings else _climb(new) or _climb(old) or _CLIMB
    shift = _given("moved_by", moved_by) or (settings.cell_height if settings else _CELL_HEIGHT)
    was = floors_of(old, width)
    progress.check()
    now = floors_of(new, width)
    progress.check()
    old_kinds, new_kinds = np.full(len(was.heights), REMOVED, np.uint8), np.full(len(now.heights), ADDED, np.uint8)
    same = shift + _ROUNDING
    _match(was.columns, was.heights, now.columns, now.heights, max(climb, same), same, old_kinds, new_kinds)
    gone, there = old_kinds == REMOVED, new_kinds != SAME
    columns = np.concatenate([was.columns[gone], now.columns[there]])
    heights = np.concatenate([was.heights[gone], now.heights[there]])
    kinds = np.concatenate([old_kinds[gone], new_kinds[there]])
    order = order_of_cells(columns, heights)
    changed = Floors(columns[order], heights[order])
    progress.check()
    places = _places(changed, kinds[order], climb, width)
    added, removed, moved = (np.count_nonzero(kinds == kind) * width * width for kind in (ADDED, REMOVED, MOVED))
    return Difference(added, removed, moved, places, width, *changed, kinds[order], by_corners)


def _given(name: str, value: float | None) -> float | None:
    if value is not None and not (math.isfinite(value) and value > 0):
        raise BadInput(f"{name} is {value}. Give metres, more than 0.", "WRONG_QUESTION")
    return value


def _climb(navmesh: PlainNavmesh) -> float | None:
    """What an agent climbs, as a Detour file says it."""
    if navmesh.file is None or not navmesh.file.tiles:
        return None
    return float(navmesh.file.tiles[0].sections.header[0]["agent_max_climb"])


@kernel
def _match(
    old: I64, old_heights: F64, new: I64, new_heights: F64, climb: float, shift: float, old_kinds: U8, new_kinds: U8
) -> None:
    """Find the floors that both have, column by column from below; what finds none keeps its kind."""
    i, j = 0, 0
    while i < len(old) and j < len(new):
        order = _order(old, i, new, j)
        apart = abs(old_heights[i] - new_heights[j])
        if order < 0 or (order == 0 and apart > climb and old_heights[i] < new_heights[j]):
            i += 1
        elif order > 0 or apart > climb:
            j += 1
        elif _next_is_nearer(old, old_heights, i, new_heights[j], apart):
            i += 1
        elif _next_is_nearer(new, new_heights, j, old_heights[i], apart):
            j += 1
        else:
            old_kinds[i] = new_kinds[j] = MOVED if apart > shift else SAME
            i, j = i + 1, j + 1


@inlined
def _order(old: I64, i: AnyInt, new: I64, j: AnyInt) -> int:
    """Which column comes first: below 0 the old one's, 0 for the same."""
    if old[i, 0] != new[j, 0]:
        return -1 if old[i, 0] < new[j, 0] else 1
    if old[i, 1] != new[j, 1]:
        return -1 if old[i, 1] < new[j, 1] else 1
    return 0


@inlined
def _next_is_nearer(columns: I64, heights: F64, floor: AnyInt, height: float, apart: float) -> bool:
    following = floor + 1
    return (
        following < len(columns)
        and columns[following, 0] == columns[floor, 0]
        and columns[following, 1] == columns[floor, 1]
        and abs(heights[following] - height) < apart
    )


# --- places


def _places(changed: Floors, kinds: U8, climb: float, cell: float) -> tuple[Place, ...]:
    """Pieces of ground of one kind, joined where cells share a side and an agent can step from one to the other."""
    if not len(kinds):
        return ()
    parents = np.arange(len(kinds), dtype=np.int32)
    _join_cells(changed.columns, changed.heights, kinds, climb, parents)
    _, piece, count = np.unique(parents, return_inverse=True, return_counts=True)
    points = np.stack([changed.columns[:, 0] + 0.5, changed.heights / cell, changed.columns[:, 1] + 0.5], axis=1)
    middles = np.stack([np.bincount(piece, points[:, axis]) / count for axis in range(3)], axis=1)
    away = ((points - middles[piece]) ** 2).sum(axis=1)
    order = np.lexsort((away, piece))
    nearest = order[np.cumsum(count) - count]
    at = points[nearest] * cell
    largest = np.lexsort((at[:, 2], at[:, 0], kinds[nearest], -count))
    return tuple(
        Place(KINDS[kinds[nearest[k]]], (float(at[k, 0]), float(at[k, 1]), float(at[k, 2])), float(count[k] * cell**2))
        for k in largest
    )


@kernel
def _join_cells(columns: I64, heights: F64, kinds: U8, climb: float, parents: I32) -> None:
    for k in range(len(columns)):
        for dx, dz in ((0, 1), (1, 0)):
            other = first_of(columns, columns[k, 0] + dx, columns[k, 1] + dz)
            while (
                other < len(columns)
                and columns[other, 0] == columns[k, 0] + dx
                and columns[other, 1] == columns[k, 1] + dz
            ):
                if kinds[other] == kinds[k] and abs(heights[other] - heights[k]) <= climb:
                    join(parents, np.int32(k), np.int32(other))
                other += 1
    flatten(parents)
