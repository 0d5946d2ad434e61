"""Roomiest places of polygons that are kept when a level changes elsewhere: where no wall changes that is near enough.

All room in a polygon is less than a little more than what was found, so walls farther away than that say nothing. What
is compared are the borders themselves, whatever the polygons are called now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..geometry.arrays import numbers_in_ranges
from ..types import F64, I32, I64, U32
from .clearance_field import ClearanceField
from .largest import CLOSE, PART

_MARGIN = 1.0  # cells
_MOST_PAIRS = 20_000_000  # of boxes that are compared; beyond that all is looked at anew
_COMPARED = ("ax", "az", "bx", "bz", "low", "high")


class RoomiestPlaces(NamedTuple):
    """What is known of P polygons."""

    room: ClearanceField
    references: U32  # (P,)
    known: npt.NDArray[np.bool_]  # (P,)
    widths: F64  # (P,) cells
    places: F64  # (P, 2) cells


def roomiest_places(room: ClearanceField, references: U32, before: RoomiestPlaces | None) -> RoomiestPlaces:
    """Those that are known from before; the others are to be looked at."""
    n = len(references)
    found = RoomiestPlaces(room, references.copy(), np.zeros(n, bool), np.full(n, np.nan), np.full((n, 2), np.nan))
    if before is None or before.room.lattice != room.lattice or _is_whole(before.room) != _is_whole(room):
        return found
    old = _same_borders(before, room, references)
    stays = np.flatnonzero((old >= 0) & before.known[np.maximum(old, 0)])
    gone = np.ones(len(before.references), bool)
    gone[old[old >= 0]] = False
    changed = np.concatenate([_boxes(room, np.flatnonzero(old < 0)), _boxes(before.room, np.flatnonzero(gone))])
    if len(changed) * len(stays) > _MOST_PAIRS:
        return found
    reach = before.widths[old[stays]] * (1 + PART) + CLOSE + _MARGIN
    kept = stays[_away(_boxes_of_all(room)[stays], changed) > reach]
    found.known[kept] = True
    found.widths[kept], found.places[kept] = before.widths[old[kept]], before.places[old[kept]]
    return found


def _is_whole(room: ClearanceField) -> bool:
    """Whether all corners lie on the lattice of cells: else they are those of a finer one."""
    pieces = room.borders.pieces
    return all(bool((pieces[name] == np.rint(pieces[name])).all()) for name in ("ax", "az"))


def _same_borders(before: RoomiestPlaces, room: ClearanceField, references: U32) -> I64:
    """(P,) which polygon of before each is, with the same borders to the same polygons; -1: it is another."""
    old = np.full(len(references), -1, np.int64)
    if not len(before.references) or not len(references):
        return old
    order = np.argsort(before.references, kind="stable")
    place = np.minimum(np.searchsorted(before.references, references, sorter=order), len(order) - 1)
    same = (before.references[order[place]] == references) & (references > 0)
    old[same] = order[place[same]]
    theirs, ours = before.room.borders, room.borders
    counts = np.diff(ours.first)
    same &= np.diff(theirs.first)[np.maximum(old, 0)] == counts
    chosen = np.flatnonzero(same)
    rows = numbers_in_ranges(ours.first[chosen], counts[chosen])
    rows_before = numbers_in_ranges(theirs.first[old[chosen]], counts[chosen])
    alike = _across(references, ours.pieces["across"][rows]) == _across(
        before.references, theirs.pieces["across"][rows_before]
    )
    for name in _COMPARED:
        alike &= ours.pieces[name][rows] == theirs.pieces[name][rows_before]
    others = np.bincount(np.repeat(np.arange(len(chosen)), counts[chosen]), ~alike, len(chosen)) > 0
    same[chosen[others]] = False
    old[~same] = -1
    return old


def _across(references: U32, polygons: I32) -> npt.NDArray[np.int64]:
    return np.where(polygons >= 0, references[polygons].astype(np.int64), -1)


def _boxes(room: ClearanceField, polygons: I64) -> F64:
    """Low x and z, high x and z of those that have borders, in cells."""
    has_borders = np.diff(room.borders.first) > 0
    return _boxes_of_all(room)[polygons[has_borders[polygons]]]


def _boxes_of_all(room: ClearanceField) -> F64:
    used = (np.arange(room.corners.shape[1]) < room.counts[:, None])[..., None]
    low, high = np.where(used, room.corners, np.inf).min(axis=1), np.where(used, room.corners, -np.inf).max(axis=1)
    boxes: F64 = np.concatenate([low, high], axis=1)
    return boxes


def _away(boxes: F64, others: F64) -> F64:
    """How far each box is from the nearest of the others."""
    if not len(others) or not len(boxes):
        return np.full(len(boxes), np.inf)
    gaps = [
        np.maximum(boxes[:, None, axis] - others[None, :, 2 + axis], others[None, :, axis] - boxes[:, None, 2 + axis])
        for axis in (0, 1)
    ]
    away: F64 = np.hypot(np.maximum(gaps[0], 0), np.maximum(gaps[1], 0)).min(axis=1)
    return away
