"""Places of cover over a plan: a dot for each, a line to what hides there, and lines to where one leans."""

from __future__ import annotations

import numpy as np

from ..cover.cover_shades import SHADES
from ..cover.find_cover import Cover
from ..types import F64
from .drawing import NOTHING, Dots, LegendEntry, Lines, Shape, line_sample

_KINDS = (("high", "#24292f", 2.2), ("low", "#57606a", 1.0))
_LEAN, _LEAN_WIDTH, _RADIUS = "#8250df", 1.6, 3.2
_LENGTH = 0.34  # metres of the line towards a wall, and of those of a lean


def cover_marks(cover: Cover) -> tuple[tuple[Shape, ...], tuple[LegendEntry, ...]]:
    """What is drawn, and what the legend says of it: green places are the best ones."""
    at, towards = cover.at[:, [0, 2]], cover.towards[:, [0, 2]]
    left = towards[:, ::-1] * np.array([1.0, -1.0])
    shapes: list[Shape] = []
    entries = []
    for kind, color, width in _KINDS:
        rows = cover.kind == kind
        shapes.append(_lines(at[rows], towards[rows], color, width))
        entries.append(LegendEntry(line_sample(color, width), f"{kind} cover, towards the wall"))
    for side, turn in enumerate((1, -1)):
        rows = cover.lean[:, side]
        shapes.append(_lines(at[rows], turn * left[rows], _LEAN, _LEAN_WIDTH))
    entries.append(LegendEntry(line_sample(_LEAN, _LEAN_WIDTH), "lean out to this side"))
    least = 0.0
    for most, color, name in SHADES:
        rows = (cover.exposure >= least) & (cover.exposure < most)
        shapes.append(Dots(at[rows], color, _RADIUS))
        entries.append(LegendEntry(Dots(NOTHING, color, _RADIUS), name))
        least = most
    return tuple(shapes), tuple(entries)


def _lines(at: F64, way: F64, color: str, width: float) -> Lines:
    ends = np.stack([at, at + _LENGTH * way], axis=1).reshape(-1, 2)
    return Lines(ends, np.arange(0, len(ends) + 1, 2), color, width)
