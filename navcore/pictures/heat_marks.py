"""The heat of a walk over a plan: cells by how much was lost there, and numbered rings around chokepoints."""

from __future__ import annotations

import numpy as np

from ..crowd.heat.heat import Heat
from ..crowd.heat.heat_shades import SHADES, WHAT, ring_radii, steps_of, values_of
from .colors import INK
from .drawing import NOTHING, Dots, Labels, LegendEntry, Lines, Patches, Shape, line_sample, patch_sample

_RING, _RING_WIDTH, _CORNERS, _SEAM = "#1f3b9b", 2.2, 24, 0.2


def heat_marks(heat: Heat, what: str = "time_lost") -> tuple[tuple[Shape, ...], tuple[LegendEntry, ...]]:
    """What is drawn, and what the legend says of it."""
    values = values_of(heat, what)
    most, begins = steps_of(values)
    name, unit = WHAT[what]
    shapes: list[Shape] = []
    entries = []
    for number, (shade, least) in enumerate(zip(SHADES, begins.tolist(), strict=True)):
        end = begins[number + 1] if number + 1 < len(begins) else np.inf
        rows = np.argwhere((values > least) & (values <= end)) if most > 0 else np.zeros((0, 2), np.int64)
        shapes.append(_squares(heat, rows, shade))
        entries.append(LegendEntry(patch_sample(shade, shade), f"{name}, from {least:.2g} {unit}"))
    marks, labels = _chokepoints(heat)
    if heat.chokepoints:
        entries.append(LegendEntry(line_sample(_RING, _RING_WIDTH), "held up: s lost, m wide"))
    return (*shapes, *marks, labels), tuple(entries)


def _squares(heat: Heat, rows: np.ndarray[tuple[int, int], np.dtype[np.int64]], shade: str) -> Patches:
    corners = np.array([[0, 0], [1, 0], [1, 1], [0, 1]], np.float64)
    low = rows[:, ::-1].astype(np.float64)[:, None] + corners
    points = (low * heat.cell + np.array(heat.origin)).reshape(-1, 2)
    return Patches(points, np.arange(0, len(points) + 1, 4), shade, shade, _SEAM)


def _chokepoints(heat: Heat) -> tuple[list[Shape], Labels]:
    """A ring around each, with its number."""
    at = np.array([place.at for place in heat.chokepoints], np.float64).reshape(-1, 3)[:, ::2]
    radius = ring_radii(heat)
    turn = np.arange(_CORNERS + 1) * 2 * np.pi / _CORNERS
    rings = at[:, None] + radius[:, None, None] * np.stack([np.cos(turn), np.sin(turn)], axis=1)
    lines = Lines(rings.reshape(-1, 2), np.arange(0, len(at) * (_CORNERS + 1) + 1, _CORNERS + 1), _RING, _RING_WIDTH)
    texts = tuple(
        f"{number}: {place.seconds:,.0f} s, {place.width:.1f} m" for number, place in enumerate(heat.chokepoints, 1)
    )
    above = at - np.stack([0 * radius, radius + heat.cell], axis=1)
    return [lines, Dots(at if len(at) else NOTHING, _RING, 2.0)], Labels(above, texts, INK)
