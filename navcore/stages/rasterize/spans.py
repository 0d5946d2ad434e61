"""Columns of spans while triangles still come in: how they are kept, inserted and at last laid out.

One int64 is one span and the way to the next: from the top, one bit unused | `bottom` 13 bits | `top` 13 bits | `area`
6 bits | `link` 31 bits. `cells[column]` is a column's lowest span (0: none), `cells[link]` the one above it (link 0:
none above). So a column of one span costs one load and one store, and no link.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...jit import inlined, kernel
from ...types import I32, I64, U8, U16

_LINK = 31  # bits
_LINK_MASK = (1 << _LINK) - 1
AREA_MASK = 63
_HEIGHT_MASK = (1 << 13) - 1
_TOP = _LINK + 6  # lowest bit
_BOTTOM = _TOP + 13  # lowest bit

POLL_EVERY = 1 << 16  # columns between two looks at the cancel flag

# Slots of `Columns.pool`:
USED = 0  # cells taken
FREED = 1  # the first cell given back, which holds the next one; 0 for none
LIVE = 2  # spans in all columns
TRIANGLE = 3  # where to resume
ROW = 4  # where to resume in that triangle


class Columns(NamedTuple):
    """The columns of a band of rows."""

    cells: I64  # (columns + spare,) see above
    pool: I64  # (5,) what is taken of `cells`


@kernel
def empty_columns(columns: int, spare: int, cancelled: U8) -> Columns:
    """Columns without spans, and room for `spare` spans above the lowest ones; not complete once `cancelled` is set."""
    pool = np.zeros(5, np.int64)
    pool[USED] = columns
    # Not np.zeros, which gets a large array in 4 KB pages; what is spare is written before it is read.
    cells = np.empty(columns + spare, np.int64)
    for begin in range(0, columns, POLL_EVERY):
        if cancelled[0] != 0:
            break
        for column in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, columns))):
            cells[column] = 0
    return Columns(cells, pool)


@kernel
def with_room(columns: Columns, spare: int, cancelled: U8) -> Columns:
    """The same columns with `spare` cells more; not complete once `cancelled` is set."""
    old, pool = columns
    cells = np.empty(old.shape[0] + spare, np.int64)
    for begin in range(0, pool[USED], POLL_EVERY):
        if cancelled[0] != 0:
            break
        for cell in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, pool[USED]))):
            cells[cell] = old[cell]
    return Columns(cells, pool)


@inlined
def insert_span(cells: I64, pool: I64, column: int, bottom: int, top: int, area: int, merge_threshold: int) -> None:
    """Add one span to a column, swallowing every span that it overlaps or touches. Takes one unused cell at most.

    The area of a swallowed span counts only where its top is within the threshold of the top that has grown so far, so
    the order of insertions matters.
    """
    cell = cells[column]
    if cell == 0:
        cells[column] = _packed(bottom, top, area)
        pool[LIVE] += 1
        return
    at = column
    while ((cell >> _TOP) & _HEIGHT_MASK) < bottom:
        link = cell & _LINK_MASK
        if link == 0:
            link = _take(cells, pool)
            cells[at] = cell | link
            cells[link] = _packed(bottom, top, area)
            return
        at = link
        cell = cells[at]
    if (cell >> _BOTTOM) > top:
        link = _take(cells, pool)
        cells[link] = cell
        cells[at] = _packed(bottom, top, area) | link
        return
    while True:
        swallowed_top = (cell >> _TOP) & _HEIGHT_MASK
        bottom = min(bottom, cell >> _BOTTOM)
        top = max(top, swallowed_top)
        if top - swallowed_top <= merge_threshold:
            area = max(area, (cell >> _LINK) & AREA_MASK)
        link = cell & _LINK_MASK
        if link == 0:
            break
        cell = cells[link]
        if (cell >> _BOTTOM) > top:
            break
        cells[link] = pool[FREED]
        pool[FREED] = link
        pool[LIVE] -= 1
    cells[at] = _packed(bottom, top, area) | link


@inlined
def _packed(bottom: int, top: int, area: int) -> int:
    return (bottom << _BOTTOM) | (top << _TOP) | (area << _LINK)


@inlined
def _take(cells: I64, pool: I64) -> int:
    """A cell for one more span."""
    pool[LIVE] += 1
    cell = pool[FREED]
    if cell != 0:
        pool[FREED] = cells[cell]
    else:
        cell = pool[USED]
        pool[USED] = cell + 1
    return cell


@kernel
def lay_out(cells: I64, cancelled: U8, first: I32, bottom: U16, top: U16, area: U8) -> None:
    """Write the spans of all columns one after another; fills `first`, one place a column. Stops if cancelled."""
    columns, count = first.shape[0], 0
    for begin in range(0, columns, POLL_EVERY):
        if cancelled[0] != 0:
            break
        for column in range(np.uint64(begin), np.uint64(min(begin + POLL_EVERY, columns))):
            first[column] = count
            cell = cells[column]
            while cell != 0:
                bottom[count] = cell >> _BOTTOM
                top[count] = (cell >> _TOP) & _HEIGHT_MASK
                area[count] = (cell >> _LINK) & AREA_MASK
                count += 1
                link = cell & _LINK_MASK
                cell = cells[link] if link != 0 else 0
