"""Cells drawn two by two as one, where there would be too many faces."""

from __future__ import annotations

import numpy as np

from ...geometry.arrays import grown
from ...jit import kernel
from ...threads import Workers
from ...types import I32, U16
from .frame import HIDDEN, Cells

_ROWS = 64  # of joined cells in one band


def join_cells(cells: Cells, boxes: bool, workers: Workers) -> Cells:
    """Each two by two columns as one. What overlaps in height is one cell, as high as the highest.

    It has the paint that most of them have, that of the highest among equals.
    """
    width, depth = (-(-(length - 2 * cells.margin) // 2) for length in (cells.width, cells.depth))
    bands = [(begin, min(begin + _ROWS, depth)) for begin in range(0, depth, _ROWS)]
    parts = workers.run(_joined, [(cells, boxes, width, *band) for band in bands])
    counts, low, high, paint = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    first = np.zeros(width * depth + 1, np.int32)
    np.cumsum(counts, out=first[1:])
    return Cells(width, depth, 0, first, low, high, paint)


@kernel
def _joined(cells: Cells, boxes: bool, joined_width: int, begin: int, end: int) -> tuple[I32, U16, U16, U16]:
    """How many cells each joined column of rows begin:end has, and these."""
    width, depth, margin, first, low, high, paint = cells
    last_x, last_z = width - margin, depth - margin
    top_row, end_row = margin + 2 * begin, min(margin + 2 * end, last_z)
    room = first[end_row * width] - first[top_row * width]
    new_low, new_high, new_paint = np.empty(room, np.uint16), np.empty(room, np.uint16), np.empty(room, np.uint16)
    counts, count = np.empty((end - begin) * joined_width, np.int32), 0
    spans = np.empty(64, np.int32)
    for z in range(begin, end):
        for x in range(joined_width):
            near_x, near_z = margin + 2 * x, margin + 2 * z
            gathered = 0
            for row in range(near_z, min(near_z + 2, last_z)):
                for column in range(row * width + near_x, row * width + min(near_x + 2, last_x)):
                    for span in range(first[column], first[column + 1]):
                        if paint[span] == HIDDEN:
                            continue
                        if gathered == spans.shape[0]:
                            spans = grown(spans, gathered, gathered + 1)
                        at = gathered
                        while at > 0 and high[spans[at - 1]] > high[span]:
                            spans[at] = spans[at - 1]
                            at -= 1
                        spans[at] = span
                        gathered += 1
            before = count
            while gathered > 0:  # from the highest down
                bottom, under = low[spans[gathered - 1]], gathered - 1
                while under > 0 and high[spans[under - 1]] >= bottom:
                    under -= 1
                    if boxes:
                        bottom = min(bottom, low[spans[under]])
                new_low[count], new_high[count] = bottom, high[spans[gathered - 1]]
                new_paint[count] = _most_frequent(paint, spans[under:gathered])
                count += 1
                gathered = under
            for i in range((count - before) // 2):  # and from the lowest up
                a, b = before + i, count - 1 - i
                new_low[a], new_low[b] = new_low[b], new_low[a]
                new_high[a], new_high[b] = new_high[b], new_high[a]
                new_paint[a], new_paint[b] = new_paint[b], new_paint[a]
            counts[(z - begin) * joined_width + x] = count - before
    return counts, new_low[:count].copy(), new_high[:count].copy(), new_paint[:count].copy()


@kernel
def _most_frequent(paint: U16, spans: I32) -> np.uint16:
    """The paint that most of the spans have, the last one's among equals."""
    chosen, most = paint[spans[spans.shape[0] - 1]], 0
    for i in range(spans.shape[0] - 1, -1, -1):
        count = 0
        for other in spans:
            count += paint[other] == paint[spans[i]]
        if count > most:
            chosen, most = paint[spans[i]], count
    return chosen
