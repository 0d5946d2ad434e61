"""Where everything goes on the paper: the plan, its scale bar, the legend at its right."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..errors import BadInput
from ..types import F64
from .drawing import Drawing

TITLE, ROW, GAP = 34, 22, 16  # points
LEGEND_WIDTH = 270
_SMALLEST_PLAN, MIN_WIDTH, MAX_WIDTH = 200, 400, 20_000


class Layout(NamedTuple):
    """A paper of so many points, and how metres become points."""

    width: int
    height: int
    scale: float  # points to a metre
    origin: tuple[float, float]  # the point of x = z = 0
    plan: tuple[float, float, float, float]  # left, top, right, bottom
    bar: float  # metres that the scale bar shows

    def placed(self, points: F64) -> F64:
        """Metres as points of the paper."""
        found: F64 = points * self.scale + np.array(self.origin)
        return found


def laid_out(drawing: Drawing, width: int) -> Layout:
    """A paper so wide, and as high as the drawing needs."""
    if not MIN_WIDTH <= width <= MAX_WIDTH:
        raise BadInput(f"A picture cannot be {width:,} points wide. Give {MIN_WIDTH:,} to {MAX_WIDTH:,}.",
                       "WRONG_QUESTION")  # fmt: skip
    wide, deep = (max(h - low, 1e-9) for low, h in zip(drawing.low, drawing.high, strict=True))
    room = width - LEGEND_WIDTH - 3 * GAP
    scale = min(room / wide, 3 * room / deep)
    height = max(deep * scale, len(drawing.legend) * ROW, _SMALLEST_PLAN)
    left, top = GAP + (room - wide * scale) / 2, float(TITLE)
    origin = left - drawing.low[0] * scale, top - drawing.low[1] * scale
    return Layout(
        width, math.ceil(height + TITLE + ROW + GAP), scale, origin, (left, top, left + wide * scale, top + height),
        round_length(wide / 4),
    )  # fmt: skip


def round_length(most: float) -> float:
    """The largest of 1, 2 and 5 metres, times a power of ten, that is not more."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(step * power for step in (1, 2, 5) if step * power <= most * (1 + 1e-9))
