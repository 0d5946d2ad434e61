"""Test worlds for the stages that start from a Heightfield: from lists of spans, and at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from navcore.types import WALKABLE, Heightfield

OPEN = 65535
Span = tuple[int, int, int]  # bottom, top, area
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))


def solid(width: int, columns: list[list[Span]]) -> Heightfield:
    """A heightfield from the spans of each column, bottom to top."""
    spans = np.array([span for column in columns for span in column], np.int64).reshape(-1, 3)
    first = np.concatenate([[0], np.cumsum([len(column) for column in columns])]).astype(np.int32)
    bottom, top, area = spans[:, 0].astype(np.uint16), spans[:, 1].astype(np.uint16), spans[:, 2].astype(np.uint8)
    return Heightfield(width, len(columns) // width, first, bottom, top, area)


def columns_of(heightfield: Heightfield) -> list[list[Span]]:
    spans = list(zip(heightfield.bottom.tolist(), heightfield.top.tolist(), heightfield.area.tolist(), strict=True))
    return [spans[a:b] for a, b in pairwise(heightfield.first.tolist())]


def ceilings_of(column: list[Span]) -> list[int]:
    return [bottom for bottom, _, _ in column[1:]] + [OPEN] if column else []


def random_level(seed: int) -> Heightfield:
    """Open ground, scattered obstacles, storeys or towers: dimensions, heights and areas at random."""
    rng = np.random.default_rng(seed)
    width, depth = int(rng.integers(1, 24)), int(rng.integers(1, 24))
    if seed % 5 == 0:
        width = int(rng.integers(60, 150))  # more than one block of columns
    kind = seed % 4
    ground = rng.integers(0, 4, (depth, width)) + np.add.outer(np.arange(depth), np.arange(width)) // int(
        rng.integers(2, 9)
    )
    columns = []
    for base in ground.ravel().tolist():
        count = (
            1,
            int(rng.random() < 0.95) + int(rng.random() < 0.1),
            int(rng.integers(0, 4)),
            int(rng.integers(0, 12)),
        )[kind]
        column, bottom = [], int(base) if kind == 3 else 0
        for layer in range(count):
            bottom += int(rng.integers(0, 4 if kind == 3 else 9)) if layer else 0
            top = bottom + int(rng.integers(0 if layer else 1, 3)) + (0 if layer or kind == 3 else int(base))
            column.append((bottom, top, int(rng.choice([0, 1, 5, WALKABLE], p=[0.25, 0.05, 0.05, 0.65]))))
            bottom = top + 1
        columns.append(column)
    return solid(width, columns)
