"""Rows of columns: cut into bands for threads; where each column holds one span, spans are plain arrays of columns.

Open ground is mostly of the second kind, and loops over plain arrays become SIMD code.
"""

from __future__ import annotations

from .jit import kernel
from .threads import Workers

OPEN = 65535  # the ceiling where no span lies above
COLUMNS_AT_ONCE = 1 << 21  # between two looks at the cancel flag


def bands_of_rows(width: int, depth: int, fewest_columns: int, workers: Workers) -> list[tuple[int, int]]:
    """Cut rows 0:depth into one band a thread, but not into smaller ones than `fewest_columns` columns.

    Very large grids are cut into more, so that cancelling is seen between them.
    """
    return workers.bands(depth, -(-fewest_columns // width), max(1, COLUMNS_AT_ONCE // width))


@kernel
def one_each(first):
    """Whether each column has exactly one span; `first` are the (columns + 1,) places where their spans begin."""
    columns = first.shape[0] - 1
    if first[columns] - first[0] != columns:
        return False
    other = 0
    for x in range(columns):
        other |= first[x] - first[0] - x
    return other == 0


@kernel
def copy(source, target):
    """Copy all of `source` to where `target` begins."""
    for i in range(source.shape[0]):
        target[i] = source[i]
