"""A canvas of pixels: rings, lines and dots, drawn larger and made smaller, so that edges are smooth."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..types import F64, U8
from .drawing import DASHES

_FINER = 3  # pixels to a point while drawing, along a side
_PIECE = 64.0  # of a line that is drawn at once: the box around a long slanted one is large


class Canvas:
    """Width × height points of one color, at first."""

    def __init__(self, width: int, height: int, paper: str) -> None:
        self._pixels = np.empty((height * _FINER, width * _FINER, 3), np.uint8)
        self._pixels[:] = rgb(paper)

    def fill(self, ring: F64, color: str) -> None:
        """A ring, even-odd: what it goes around twice is outside."""
        corners = ring * _FINER
        box = self._box(corners.min(axis=0), corners.max(axis=0))
        if box is None:
            return
        part, x, y = box
        inside = np.zeros(part.shape[:2], bool)
        for (ax, ay), (bx, by) in pairwise([*corners.tolist(), corners[0].tolist()]):
            if ay != by:
                at = ax + (y - ay) * ((bx - ax) / (by - ay))
                inside ^= ((ay > y) != (by > y)) & (x < at)
        part[inside] = rgb(color)

    def line(self, points: F64, width: float, color: str, dashed: bool = False) -> None:
        """A line with round ends and joints."""
        pieces: Iterable[tuple[F64, F64]] = _dashes(points) if dashed else pairwise(points)
        for a, b in pieces:
            self._segment(_FINER * a, _FINER * b, max(width * _FINER / 2, 0.5), color)

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        center = np.array([x * _FINER, y * _FINER], np.float64)
        self._segment(center, center, radius * _FINER, color)

    def pixels(self) -> U8:
        """(height, width, 3): the mean of the finer pixels."""
        height, width = self._pixels.shape[0] // _FINER, self._pixels.shape[1] // _FINER
        sums = np.zeros((height, width, 3), np.uint16)
        for row in range(_FINER):
            for column in range(_FINER):
                sums += self._pixels[row::_FINER, column::_FINER]
        return ((sums + _FINER * _FINER // 2) // (_FINER * _FINER)).astype(np.uint8)

    def _segment(self, a: F64, b: F64, radius: float, color: str) -> None:
        count = max(1, math.ceil(float(np.hypot(*(b - a))) / _PIECE))
        for k in range(count):
            self._short_segment(a + (b - a) * (k / count), a + (b - a) * ((k + 1) / count), radius, color)

    def _short_segment(self, a: F64, b: F64, radius: float, color: str) -> None:
        box = self._box(np.minimum(a, b) - radius, np.maximum(a, b) + radius)
        if box is None:
            return
        part, x, y = box
        (ax, ay), (ux, uy) = a.tolist(), (b - a).tolist()
        square = ux * ux + uy * uy
        along = np.clip(((x - ax) * ux + (y - ay) * uy) / square, 0, 1) if square > 0 else np.zeros((1, 1))
        away = (x - ax - along * ux) ** 2 + (y - ay - along * uy) ** 2
        part[away <= radius * radius] = rgb(color)

    def _box(self, low: F64, high: F64) -> tuple[U8, F64, F64] | None:
        """The pixels between two corners, and the x and y of their middles; None where there is none."""
        height, width = self._pixels.shape[:2]
        left, top = max(int(low[0]), 0), max(int(low[1]), 0)
        right, bottom = min(int(high[0]) + 1, width), min(int(high[1]) + 1, height)
        if left >= right or top >= bottom:
            return None
        x, y = np.arange(left, right)[None, :] + 0.5, np.arange(top, bottom)[:, None] + 0.5
        return self._pixels[top:bottom, left:right], x, y


def rgb(color: str) -> npt.NDArray[np.uint8]:
    """Of "#rrggbb"."""
    return np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)], np.uint8)


def _dashes(points: F64) -> list[tuple[F64, F64]]:
    """The pieces of a dashed line; dashes go on around corners."""
    found, on, left = [], True, DASHES[0]
    for a, b in pairwise(points):
        length = float(np.hypot(*(b - a)))
        done = 0.0
        while done < length:
            step = min(left, length - done)
            if on:
                found.append((a + (b - a) * (done / length), a + (b - a) * ((done + step) / length)))
            done, left = done + step, left - step
            if left <= 0:
                on, left = not on, DASHES[int(on)]
    return found
