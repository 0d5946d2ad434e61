"""What is solid in the own cells of one tile, kept apart from all else that its build made."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..jit import kernel
from ..types import I32, U16, Heightfield


class TileSpans(NamedTuple):
    """Solid spans of a tile without its border: two bytes a cell, and four for each of its S spans."""

    count: U16  # type: ignore[assignment]  # hides tuple.count. (cells,) spans of each column
    bottom: U16  # (S,) vx
    top: U16  # (S,) vx


def no_spans(side: int) -> TileSpans:
    """Those of a tile that no triangle touches; `side` is that of the tile, in cells."""
    return TileSpans(np.zeros(side * side, np.uint16), np.zeros(0, np.uint16), np.zeros(0, np.uint16))


def own_spans(solid: Heightfield, border: int) -> TileSpans:
    """The spans of a tile that was rasterized with a border of so many cells."""
    return inner_spans(solid.first, solid.bottom, solid.top, solid.width, border)


@kernel
def inner_spans(first: I32, bottom: U16, top: U16, width: int, border: int) -> TileSpans:
    """The spans within the border of columns in a square."""
    side, total = width - 2 * border, 0
    for row in range(border, border + side):
        begin = border + row * width
        total += first[begin + side] - first[begin]
    count = np.empty(side * side, np.uint16)
    own_bottom, own_top = np.empty(total, np.uint16), np.empty(total, np.uint16)
    at, span = 0, 0
    for row in range(border, border + side):
        begin = border + row * width
        for column in range(begin, begin + side):
            count[at] = first[column + 1] - first[column]
            at += 1
            for k in range(first[column], first[column + 1]):
                own_bottom[span], own_top[span] = bottom[k], top[k]
                span += 1
    return TileSpans(count, own_bottom, own_top)
