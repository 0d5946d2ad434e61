"""What tests of areas look at and where they are: areas row by row, and a grid around a field."""

from __future__ import annotations

import numpy as np

from navcore.types import CompactHeightfield, Grid

F = np.float32


def as_rows(compact: CompactHeightfield) -> list[list[int]]:
    return compact.area.reshape(compact.depth, compact.width).tolist()


def grid(compact: CompactHeightfield, low=(0, 0, 0), cell_size=1.0, cell_height=1.0) -> Grid:
    corner = np.array(low, F)
    return Grid(compact.width, compact.depth, 0, corner, corner + F(1000), F(cell_size), F(cell_height))
