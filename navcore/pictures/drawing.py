"""What a picture is made of: shapes in metres, from the bottom to the top, and a legend.

x goes to the right and z down, as one looks at a level from above. Widths and radii are points of the finished picture,
whatever its scale. Colors are "#rrggbb".
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from ..types import F64, I64

DASHES = 6.0, 4.0  # points of a dashed line that are drawn, and that are not


class Patches(NamedTuple):
    """Filled rings: ring k has the corners first[k] to first[k + 1]."""

    points: F64  # (., 2) x and z
    first: I64
    fill: str
    edge: str
    edge_width: float = 0.6


class Lines(NamedTuple):
    """Open lines: line k has the points first[k] to first[k + 1]."""

    points: F64
    first: I64
    color: str
    width: float
    dashed: bool = False


class Dots(NamedTuple):
    """Round marks."""

    points: F64
    color: str
    radius: float


class Labels(NamedTuple):
    """Short texts, centered."""

    points: F64
    texts: tuple[str, ...]
    color: str


class LegendEntry(NamedTuple):
    """A line of the legend: what it looks like, `Patches`, `Lines` or `Dots` without points, and what it is."""

    sample: Patches | Lines | Dots
    text: str


Shape: TypeAlias = Patches | Lines | Dots | Labels


class Drawing(NamedTuple):
    """A whole picture."""

    title: str
    low: tuple[float, float]  # x and z, metres
    high: tuple[float, float]
    shapes: tuple[Shape, ...]
    legend: tuple[LegendEntry, ...]

    def over(self, shapes: tuple[Shape, ...], legend: tuple[LegendEntry, ...]) -> Drawing:
        """The same with more on top of it."""
        return self._replace(shapes=self.shapes + shapes, legend=self.legend + legend)

    def under(self, shapes: tuple[Shape, ...]) -> Drawing:
        """The same with more beneath it."""
        return self._replace(shapes=shapes + self.shapes)


NOTHING, NO_ROWS = np.zeros((0, 2)), np.zeros(1, np.int64)


def patch_sample(fill: str, edge: str) -> Patches:
    return Patches(NOTHING, NO_ROWS, fill, edge)


def line_sample(color: str, width: float, dashed: bool = False) -> Lines:
    return Lines(NOTHING, NO_ROWS, color, width, dashed)
