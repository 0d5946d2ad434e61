"""All that a picture shows, in points of its paper: what every writer puts down, one mark after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import numpy as np

from ..errors import BadInput
from ..types import F64
from .colors import INK
from .drawing import Dots, Drawing, Labels, LegendEntry, Lines, Patches

# --- Where everything goes on the paper: the plan, its scale bar, the legend at its right.

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


_TEXT, _TITLE_TEXT = 13.0, 16.0
_SWATCH, _SWATCH_HEIGHT = 26.0, 12.0
_BASELINE = 4.0  # of a text below the middle of its row
_TICK = 4.0


class Text(NamedTuple):
    """A line of text; x and y are where its baseline begins, or its middle where it is centered."""

    x: float
    y: float
    text: str
    size: float
    color: str
    centered: bool = False
    halo: bool = False  # paper around the letters, so that they can be read on anything


Mark: TypeAlias = Patches | Lines | Dots | Text


def marks_of(drawing: Drawing, layout: Layout) -> Iterator[Mark]:
    """From the bottom to the top."""
    yield Text(GAP, TITLE - _TEXT, drawing.title, _TITLE_TEXT, INK)
    for shape in drawing.shapes:
        placed = layout.placed(shape.points)
        if isinstance(shape, Labels):
            for (x, y), text in zip(placed.tolist(), shape.texts, strict=True):
                yield Text(x, y + _BASELINE, text, _TEXT, shape.color, centered=True, halo=True)
        else:
            yield shape._replace(points=placed)
    yield from _scale_bar(layout)
    for row, entry in enumerate(drawing.legend):
        yield from _entry(entry, layout.width - LEGEND_WIDTH - GAP, TITLE + (row + 0.5) * ROW)


def _scale_bar(layout: Layout) -> Iterator[Mark]:
    left, _, _, bottom = layout.plan
    y, right = bottom + ROW - _TICK, left + layout.bar * layout.scale
    ends = np.array([[left, y - _TICK], [left, y], [right, y], [right, y - _TICK]])
    yield Lines(ends, np.array([0, 4]), INK, 1.0)
    yield Text(right + 6, y + 2, f"{layout.bar:g} m", _TEXT, INK)


def _entry(entry: LegendEntry, x: float, y: float) -> Iterator[Mark]:
    sample, half = entry.sample, _SWATCH_HEIGHT / 2
    if isinstance(sample, Patches):
        corners = [[x, y - half], [x + _SWATCH, y - half], [x + _SWATCH, y + half], [x, y + half]]
        yield sample._replace(points=np.array(corners), first=np.array([0, 4]))
    elif isinstance(sample, Lines):
        yield sample._replace(points=np.array([[x, y], [x + _SWATCH, y]]), first=np.array([0, 2]))
    else:
        yield sample._replace(points=np.array([[x + _SWATCH / 2, y]]))
    yield Text(x + _SWATCH + 8, y + _BASELINE, entry.text, _TEXT, INK)
