"""The four directions between columns, bands of rows for threads, and columns that hold one span each.

Open ground is mostly of these: there, spans are plain arrays of columns, and loops over such become SIMD code.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TypeAlias

import numpy as np

from ..jit import kernel
from ..threads import Workers
from ..types import I32, AnyArray

LEFT, AFTER, RIGHT, BEFORE = 0, 1, 2, 3  # columns of `CompactHeightfield.neighbors`: towards −x, +z, +x and −z
STEP_X, STEP_Z = (-1, 0, 1, 0), (0, 1, 0, -1)  # one step in each of them
OPEN = 65535  # the ceiling where no span lies above
# Spans, and columns by four, between two looks at the cancel flag. They take a millisecond to compute; but memory that
# is written for the first time has to be found, and in virtual machines that took up to 100 ms a megabyte.
WORK_AT_ONCE = 1 << 17

AgentVoxels: TypeAlias = tuple[np.int32, np.int32]  # its height and its climb, as `agent_of` bounds them


def bands_of_rows(first: I32, width: int, fewest_columns: int, workers: Workers) -> list[tuple[int, int]]:
    """Cut all rows into one band a thread with equal work, but not into more than `fewest_columns` columns allow.

    `first` are the (columns + 1,) places where their spans begin: rows with many spans take longer. Large levels are
    cut into more bands, so that cancelling is seen between them.
    """
    depth = (len(first) - 1) // width
    even = workers.bands(depth, -(-fewest_columns // width))
    total = int(first[-1]) + depth * (width // 4)  # an empty column takes time, too
    if len(even) == 1 and total <= WORK_AT_ONCE:
        return even
    pieces = max(len(even), -(-total // WORK_AT_ONCE // len(even)) * len(even))
    work = first[::width] + np.arange(depth + 1) * (width // 4)
    cuts = np.searchsorted(work, total * np.arange(1, pieces) // pieces).tolist()
    return [(begin, end) for begin, end in pairwise([0, *cuts, depth]) if begin < end]


def agent_of(height_vx: int, climb_vx: int) -> AgentVoxels:
    """An agent's height and step as kernels take them: above the open sky, one is as good as another."""
    return np.int32(min(height_vx, OPEN + 1)), np.int32(min(climb_vx, OPEN))


@kernel
def one_each(first: I32) -> bool:
    """Whether each column has exactly one span; `first` are the (columns + 1,) places where their spans begin."""
    columns = first.shape[0] - 1
    if first[columns] - first[0] != columns:
        return False
    other = 0
    for x in range(columns):
        other |= first[x] - first[0] - x
    return other == 0


@kernel
def copy(source: AnyArray, target: AnyArray) -> None:
    """Copy all of `source` to where `target` begins: areas to areas, 16-bit heights to 16-bit or 32-bit ones."""
    for i in range(source.shape[0]):
        target[i] = source[i]
