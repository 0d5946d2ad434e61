"""How many tiles a build would give finer or coarser cells, and how much more work that is, by boxes alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ....navcore.errors import BadSettings
from ....navcore.resolution import settings_at_resolution
from ....navcore.settings import Settings
from .hints_and_fixes import Hint, leave_out
from .object_boxes import F64, SeenResolution

_MOST_TILES = 1 << 20  # of a level whose tiles are looked at: more are refused by the build


class OtherCells(NamedTuple):
    """What volumes with a resolution come to."""

    finer: int  # tiles
    coarser: int
    more: float  # square metres of the level's own cells that would take as long, beyond those that are there

    @property
    def words(self) -> str:
        """As a line says it, behind what all tiles are."""
        counts = ((self.finer, "finer"), (self.coarser, "coarser"))
        said = [f"{count:,} {what}" for count, what in counts if count]
        return f" ({', '.join(said)})" if said else ""


NO_OTHER = OtherCells(0, 0, 0.0)


def other_cells(settings: Settings, whole: F64, boxes: F64, asked: Sequence[SeenResolution]) -> OtherCells:
    """Of a level within `whole` (2, 3) whose ground is that of `boxes` (N, 2, 3)."""
    side = settings.tile_size * settings.cell_size
    if not asked or not side:
        return NO_OTHER
    wide = [math.floor((whole[1, axis] - whole[0, axis]) / settings.cell_size + 0.5) for axis in (0, 2)]
    columns, rows = (max(1, -(-cells // settings.tile_size)) for cells in wide)
    if columns * rows > _MOST_TILES:
        return NO_OTHER
    scales = np.full((rows, columns), np.nan)
    for _, box, scale in asked:
        (x0, z0), (x1, z1) = (box[:, ::2] - whole[0, ::2]) / side
        x0, x1, z0, z1 = max(math.floor(x0), 0), math.ceil(x1), max(math.floor(z0), 0), math.ceil(z1)
        if x1 > x0 and z1 > z0:
            scales[z0:z1, x0:x1] = np.fmin(scales[z0:z1, x0:x1], scale)  # the finest counts
    more = 0.0
    for scale, low, high in _runs(scales):
        reach = [whole[0, [0, 2]] + np.array(corner) * side for corner in (low, high)]
        common = np.minimum(boxes[:, 1, ::2], reach[1]) - np.maximum(boxes[:, 0, ::2], reach[0])
        more += float(np.maximum(common, 0).prod(axis=1).sum()) * (scale**-2 - 1)
    return OtherCells(int((scales < 1).sum()), int((scales > 1).sum()), more)


def _runs(scales: F64) -> Iterator[tuple[float, tuple[int, int], tuple[int, int]]]:
    """Tiles of other cells that lie side by side: their scale, and the corners of the rectangle that they are."""
    for row in np.flatnonzero(~np.isnan(scales).all(axis=1)).tolist():
        column = 0
        for scale, same in groupby(scales[row].tolist()):
            count = len(list(same))
            if not math.isnan(scale):
                yield scale, (column, row), (column + count, row + 1)
            column += count


def without_room(settings: Settings, asked: Sequence[SeenResolution]) -> Iterator[Hint]:
    """What a build would refuse, of the first object that asks for it."""
    told = set()
    for name, _, scale in asked:
        try:
            settings_at_resolution(settings, scale)
        except BadSettings as reason:
            if scale not in told:
                told.add(scale)
                yield Hint(reason.code, str(reason), name, (leave_out(name),))
