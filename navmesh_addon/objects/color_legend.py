"""Which color each polygon gets under each choice of Color By, and what the colors of heat maps mean.

The steps of heat maps are fixed, so that one color means the same on every navmesh, today and after the next build.
Blue is at ease, red is in the way: narrow, dear or steep. Plain Python and NumPy, no bpy.
"""

from __future__ import annotations

import colorsys
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..stored.object_properties import PLAIN

if TYPE_CHECKING:
    from .navmesh_to_arrays import Values

Color = tuple[float, float, float]

AREA, COLOR, HEAT = "AREA", "COLOR", "HEAT"  # kinds of colors: of area types, of a palette, of a step of a heat map
PALETTE = STEPS = 12
# Where the second step of each heat map begins, and every one after it.
BEGINS = {
    "CLEARANCE": (0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0),
    "COST": (1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 7.5, 10.0, 20.0, 50.0),
    "SLOPE": (5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 45.0, 50.0, 55.0),
}
_UNITS = {"CLEARANCE": " m", "COST": "", "SLOPE": "°"}
_NARROW_IS_RED = ("CLEARANCE",)
_SPREAD = 0x9E3779B1  # of numbers that follow each other over all others (Knuth's multiplicative hashing)


class LegendRow(NamedTuple):
    """What a color of a heat map means."""

    label: str
    color: Color
    polygons: int
    number: int  # of the color


def kind_of(color_by: str) -> str:
    """The kind of colors that a choice shows."""
    if color_by in BEGINS:
        return HEAT
    return AREA if color_by == "AREA" else COLOR


def color_keys(attributes: Mapping[str, Values], color_by: str) -> Values | None:
    """(F,) the number of each polygon's color among those of its kind; None where its value is not known."""
    import numpy as np  # here: Blender's start does not wait for it

    if color_by == "POLYGON":
        number = np.arange(len(next(iter(attributes.values()), ())), dtype=np.uint64)
        return ((number * np.uint64(_SPREAD) >> np.uint64(16)) % np.uint64(PALETTE)).astype(np.int32)
    values = attributes.get(f"navmesh_{color_by.lower()}")
    if values is None:
        return None
    if color_by in BEGINS:
        step = np.searchsorted(np.array(BEGINS[color_by]), values + 1e-5 * np.abs(values), side="right")
        return np.array(_colors_of(color_by), np.int32)[step]
    if color_by == "AREA":
        return np.where(values == 0, PLAIN, values).astype(np.int32)
    return (values % PALETTE).astype(np.int32)


def _colors_of(color_by: str) -> list[int]:
    """The number of the color of each step."""
    colors = list(range(STEPS))
    return colors[::-1] if color_by in _NARROW_IS_RED else colors


def heat_color(number: int) -> Color:
    """From blue over green and yellow to red."""
    return colorsys.hsv_to_rgb(0.64 * (1 - number / (STEPS - 1)), 0.85, 0.8)


def palette_color(number: int) -> Color:
    """Hues that lie far apart for numbers that follow each other."""
    return colorsys.hsv_to_rgb((0.55 + number * 0.618034) % 1.0, 0.75, 0.8)


def legend_rows(color_by: str, counts: Mapping[int, int]) -> list[LegendRow]:
    """The steps of a heat map from the first to the last that polygons have; `counts` by the number of the color."""
    of_step = _colors_of(color_by)
    used = [step for step, color in enumerate(of_step) if counts.get(color)]
    if not used:
        return []
    labels = list(_labels(color_by))
    return [
        LegendRow(labels[step], heat_color(of_step[step]), counts.get(of_step[step], 0), of_step[step])
        for step in range(used[0], used[-1] + 1)
    ]


def _labels(color_by: str) -> Iterator[str]:
    begins, unit = BEGINS[color_by], _UNITS[color_by]
    yield f"under {begins[0]:g}{unit}"
    for low, high in pairwise(begins):
        yield f"{low:g} to {high:g}{unit}"
    yield f"{begins[-1]:g}{unit} and more"
