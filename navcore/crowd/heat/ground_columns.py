"""Sums over square cells of the ground that agents walked on, floor by floor."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...types import F64, I64

_HALF, _BITS = 1 << 20, 21  # cells of each axis that are told apart: a kilometre is 2,000
_SLICES = 4.0  # of a storey: places that are less than half a storey apart in height are on one floor
_MOST_ROWS = 1 << 19  # that wait to be added up


class ColumnSums(NamedTuple):
    """C cells, each on one floor."""

    column: I64  # (C, 2) along x and z
    height: F64  # (C,) metres: the mean of where agents were
    seconds: F64  # (C,) of agents
    lost: F64
    waited: F64


class GroundColumns:
    """What happened where, added up."""

    def __init__(self, cell: float, storey: float) -> None:
        """Cells of so many metres; storeys are at least so many metres high."""
        self._cell, self._slice = cell, storey / _SLICES
        self._keys: list[I64] = []
        self._rows: list[F64] = []  # (., 4) seconds, lost, waited, seconds times height
        self._waiting = 0

    def add(self, places: F64, seconds: F64, lost: F64, waited: F64) -> None:
        """Note (N, 3) places, how long somebody was there, and how much of that was lost and waited."""
        sizes = np.array([self._cell, self._slice, self._cell])
        numbers = np.clip(np.floor(places / sizes), -_HALF, _HALF - 1).astype(np.int64) + _HALF
        self._keys.append((numbers[:, 0] << 2 * _BITS) | (numbers[:, 2] << _BITS) | numbers[:, 1])
        self._rows.append(np.stack([seconds, lost, waited, seconds * places[:, 1]], axis=1))
        self._waiting += len(places)
        if self._waiting > _MOST_ROWS:
            self._add_up()

    def _add_up(self) -> tuple[I64, F64]:
        """All that was noted, each cell and slice of heights once, in the order of x, z and height."""
        keys = np.concatenate([np.zeros(0, np.int64), *self._keys])
        rows = np.concatenate([np.zeros((0, 4)), *self._rows])
        there, number = np.unique(keys, return_inverse=True)
        sums = np.zeros((len(there), 4))
        np.add.at(sums, number.ravel(), rows)
        self._keys, self._rows, self._waiting = [there], [sums], 0
        return there, sums

    def sums(self) -> ColumnSums:
        """The cells that somebody was in."""
        keys, rows = self._add_up()
        heights = rows[:, 3] / rows[:, 0]
        near = np.diff(heights) < _SLICES / 2 * self._slice
        same = np.concatenate([[False], (keys[1:] >> _BITS == keys[:-1] >> _BITS) & near])[: len(keys)]
        first = np.flatnonzero(~same)
        if not len(first):
            return ColumnSums(np.zeros((0, 2), np.int64), *(np.zeros(0) for _ in range(4)))
        sums = np.add.reduceat(rows, first, axis=0)
        column = np.stack([keys[first] >> 2 * _BITS, (keys[first] >> _BITS) & (2 * _HALF - 1)], axis=1) - _HALF
        return ColumnSums(column, sums[:, 3] / sums[:, 0], sums[:, 0], sums[:, 1], sums[:, 2])
