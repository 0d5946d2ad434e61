"""The kernels of a usual build, in pieces that several processes can compile ahead side by side.

First come the kernels that go through every column. What comes after them works on so much less that plain Python can
stand in for them on a small level until they, too, are compiled (kernels/plain_python.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..builder import stages_apart
from ..builder.checked_input import checked_bounds
from ..settings import Settings
from ..threads import Workers
from ..types import F32

FIRST = 3  # of the pieces: those that take Python too long
_FEW = 1 << 17  # columns: a third more than an artist's first level has


def pieces(threads: int | None = None) -> list[Callable[[], object]]:
    """What calls the kernels of a few stages each: the FIRST for all columns, then the longest to compile first."""
    flat = stages_apart.flat_ground()

    def run(stages: Callable[[stages_apart.Flat, Workers], object]) -> Callable[[], object]:
        def piece() -> None:
            with Workers(threads) as workers:
                stages(flat, workers)

        return piece

    apart = stages_apart
    first = (apart.open_ground, apart.rasterize, apart.measure_distance)
    rest = (apart.make_detail, apart.divide, apart.make_polygons, apart.check_meshes, apart.outline, apart.check_input)
    return [run(stages) for stages in (*first, *rest)]


def is_small(vertices: F32, settings: Settings, bounds: Sequence[float] | None) -> bool:
    """Whether Python needs no more than seconds for what follows the kernels of the ground."""
    box = checked_bounds(bounds) or vertices
    if settings.tile_size or len(box) == 0:
        return False
    across = np.ptp(np.asarray(box, np.float64), axis=0) / settings.cell_size
    return bool(across[0] * across[2] <= _FEW)
