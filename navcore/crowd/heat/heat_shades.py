"""What of a heat can be shown, and in which shades."""

from __future__ import annotations

import numpy as np

from ...errors import BadInput
from ...types import F64
from .heat import Heat

SHADES = ("#ffe9a8", "#fdc46b", "#f8954a", "#e8603c", "#c02f3f", "#7d1242")
"""From a little to most of it."""
_STEPS = (1 / 64, 1 / 24, 1 / 10, 1 / 4, 1 / 2)  # of the most: where the next shade begins
_LEAST = 1 / 256  # what is less is not drawn
_LOUDEST = 0.995  # of the cells that have any: what lies above is as dark as that
WHAT = {
    "time_lost": ("time lost", "s/m²"), "density": ("agents on their way", "agents·s/m²"),
    "waiting": ("waiting", "s/m²"),
}  # fmt: skip
"""Its name among the fields, how people call it, and its unit on the ground."""


def values_of(heat: Heat, what: str) -> F64:
    """(Z, X) of a map, for a square metre."""
    _check(what)
    if what == "density":
        return heat.density
    found: F64 = (heat.time_lost if what == "time_lost" else heat.waiting) / heat.cell**2
    return found


def ground_values(heat: Heat, what: str) -> F64:
    """(C,) the same of each of its columns."""
    _check(what)
    columns = heat.columns
    if what == "density":
        return columns.density
    found: F64 = (columns.time_lost if what == "time_lost" else columns.waiting) / columns.cell**2
    return found


def _check(what: str) -> None:
    if what not in WHAT:
        raise BadInput(f"A heat has no {what!r}. Take one of {', '.join(WHAT)}.", "WRONG_QUESTION")


def steps_of(values: F64) -> tuple[float, F64]:
    """What is as dark as can be, and where each shade begins; all 0 where nothing is."""
    some = values[values > 0]
    most = float(np.quantile(some, _LOUDEST)) if len(some) else 0.0
    return most, most * np.array([_LEAST, *_STEPS])


def ring_radii(heat: Heat) -> F64:
    """Metres of the ring around each chokepoint: as wide as it is, but for very wide and very narrow ones."""
    wide = np.array([place.width for place in heat.chokepoints], np.float64)
    radii: F64 = np.clip(np.nan_to_num(wide, nan=0.0, posinf=0.0) / 2, heat.cell, 4 * heat.cell)
    return radii
