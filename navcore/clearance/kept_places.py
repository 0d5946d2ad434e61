"""Roomiest places of polygons that are kept when a level changes elsewhere: where no wall changes that is near enough.

All room in a polygon is less than a little more than what was found, so walls farther away than that say nothing. What
is compared are the borders themselves, whatever the polygons are called now.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.arrays import numbers_in_ranges
from ..types import F64, I32, I64, Bools
from .polygon_borders import CellLattice, PolygonBorders

_MARGIN = 1.0  # cells
_MOST_PAIRS = 20_000_000  # of boxes that are compared; beyond that all is looked at anew
_COMPARED = ("ax", "az", "bx", "bz", "low", "high")


class Room(NamedTuple):
    """Polygons in cells, with what borders them."""

    borders: PolygonBorders
    lattice: CellLattice
    corners: F64  # (P, ., 2) cells
    counts: I32  # (P,) corners


class RoomiestPlaces(NamedTuple):
    """What is known of P polygons."""

    room: Room
    names: I64  # (P,) what each is called, before and after an edit; 0: it is not
    known: Bools  # (P,)
    widths: F64  # (P,) cells
    places: F64  # (P, 2) cells


def roomiest_places(room: Room, names: I64, before: RoomiestPlaces | None, close: float, part: float) -> RoomiestPlaces:
    """Those that are known from before; the others are to be looked at. `close` and `part`: how exactly they are."""
    n = len(names)
    found = RoomiestPlaces(room, names, np.zeros(n, bool), np.full(n, np.nan), np.full((n, 2), np.nan))
    if before is None or before.room.lattice != room.lattice or _is_whole(before.room) != _is_whole(room):
        return found
    old = _same_borders(before, found)
    stay = (old >= 0) & before.known[np.maximum(old, 0)] & (np.diff(room.borders.first) > 0)
    stays = np.flatnonzero(stay)
    gone = np.ones(len(before.names), bool)
    gone[old[old >= 0]] = False
    changed = np.concatenate([_boxes(room, old < 0), _boxes(before.room, gone)])
    reach = before.widths[old[stays]] * (1 + part) + close + _MARGIN
    kept = stays[_are_away(_boxes(room, stay), changed, reach)]
    found.known[kept] = True
    found.widths[kept], found.places[kept] = before.widths[old[kept]], before.places[old[kept]]
    return found


def _is_whole(room: Room) -> bool:
    """Whether all corners lie on the lattice of cells: else they are those of a finer one."""
    pieces = room.borders.pieces
    return all(bool((pieces[name] == np.rint(pieces[name])).all()) for name in ("ax", "az"))


def _same_borders(before: RoomiestPlaces, now: RoomiestPlaces) -> I64:
    """(P,) which polygon of before each is, with the same borders to the same polygons; -1: it is another."""
    old = np.full(len(now.names), -1, np.int64)
    if not len(before.names) or not len(now.names):
        return old
    order = np.argsort(before.names, kind="stable")
    place = np.minimum(np.searchsorted(before.names, now.names, sorter=order), len(order) - 1)
    same = (before.names[order[place]] == now.names) & (now.names != 0)
    old[same] = order[place[same]]
    theirs, ours = before.room.borders, now.room.borders
    counts = np.diff(ours.first)
    same &= np.diff(theirs.first)[np.maximum(old, 0)] == counts
    chosen = np.flatnonzero(same)
    rows = numbers_in_ranges(ours.first[chosen], counts[chosen])
    rows_before = numbers_in_ranges(theirs.first[old[chosen]], counts[chosen])
    alike = _across(now.names, ours.pieces["across"][rows]) == _across(
        before.names, theirs.pieces["across"][rows_before]
    )
    for name in _COMPARED:
        alike &= ours.pieces[name][rows] == theirs.pieces[name][rows_before]
    others = np.bincount(np.repeat(np.arange(len(chosen)), counts[chosen]), ~alike, len(chosen)) > 0
    same[chosen[others]] = False
    old[~same] = -1
    return old


def _across(names: I64, polygons: I32) -> I64:
    return np.where(polygons >= 0, names[polygons], -1)


def _boxes(room: Room, chosen: Bools) -> F64:
    """Low x and z, high x and z of those that have borders, in cells."""
    polygons = np.flatnonzero(chosen & (np.diff(room.borders.first) > 0))
    corners, counts = room.corners[polygons], room.counts[polygons, None]
    boxes = np.concatenate([corners[:, 0], corners[:, 0]], axis=1)
    for k in range(1, corners.shape[1]):
        corner = np.where(k < counts, corners[:, k], corners[:, 0])
        np.minimum(boxes[:, :2], corner, out=boxes[:, :2])
        np.maximum(boxes[:, 2:], corner, out=boxes[:, 2:])
    return boxes


def _are_away(boxes: F64, others: F64, reach: F64) -> Bools:
    """Which boxes are farther from all of the others than they reach; where too many are near, none is.

    Most are farther from what holds all of the others.
    """
    if not len(others):
        return np.ones(len(boxes), bool)
    hull = np.concatenate([others[:, :2].min(axis=0), others[:, 2:].max(axis=0)])[None]
    away = _between(boxes, hull) > reach
    near = np.flatnonzero(~away)
    if len(others) * len(near) <= _MOST_PAIRS:
        away[near] = _between(boxes[near], others) > reach[near]
    return away


def _between(boxes: F64, others: F64) -> F64:
    """How far each box is from the nearest of the others."""
    gaps = [
        np.maximum(boxes[:, None, axis] - others[None, :, 2 + axis], others[None, :, axis] - boxes[:, None, 2 + axis])
        for axis in (0, 1)
    ]
    away: F64 = np.hypot(np.maximum(gaps[0], 0), np.maximum(gaps[1], 0)).min(axis=1)
    return away
