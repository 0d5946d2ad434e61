"""Colors of cells: of each paint four sides in two shades, and rows of the legend."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...jit import kernel
from ...types import I64, U8
from ..picture import Color, LegendRow
from .flat_faces import LOOKS
from .frame import Cells

_LIGHT = (1.0, 0.78, 0.62, 0.45)  # on tops, on sides that look along x and along z, and on undersides
_OTHER_LIGHT = 0.86  # of every other layer of voxels, times that


class Paint(NamedTuple):
    """What cells of one kind are called, and their color."""

    label: str
    color: Color


def looks_of(colors: Sequence[Color], layered: bool = False) -> U8:
    """(paints × LOOKS, 4) colors of all sides; `colors` are those of the paints from 1 on. 0 is what is not drawn."""
    paints = np.array([(0, 0, 0, 0), *colors], np.float64)
    light = np.outer((1.0, _OTHER_LIGHT if layered else 1.0), _LIGHT).ravel()
    looks = np.repeat(paints[:, None], LOOKS, axis=1)
    looks[:, :, :3] *= light[:, None]
    return np.round(looks).astype(np.uint8).reshape(-1, 4)


def legend_of(paints: Sequence[Paint], counts: I64) -> tuple[LegendRow, ...]:
    """A row for each paint that occurs; `counts` begins with what is not drawn."""
    return tuple(
        LegendRow(paint.label, paint.color, int(count))
        for paint, count in zip(paints, counts[1:], strict=True)
        if count
    )


def counts_of(cells: Cells, paints: int) -> I64:
    """How many drawn cells have each paint; the first number is of those that are not drawn."""
    counts = np.zeros(paints + 1, np.int64)
    _count_paints(cells, counts)
    return counts


@kernel
def _count_paints(cells: Cells, counts: I64) -> None:
    width, depth, margin, first, _, _, paint = cells
    for z in range(margin, depth - margin):
        for span in range(first[z * width + margin], first[z * width + max(width - margin, margin)]):
            counts[paint[span]] += 1
