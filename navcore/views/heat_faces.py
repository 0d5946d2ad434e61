"""The heat of a walk on the ground: squares where agents walked, and a ring around each place that held them up."""

from __future__ import annotations

import numpy as np

from ..crowd.heat.heat import Heat
from ..crowd.heat.heat_shades import SHADES, ground_values, ring_radii, steps_of
from ..types import F32
from .picture import EMPTY, Picture

_OPACITY, _RING = 170, (40, 70, 200, 255)
_ABOVE, _RING_ABOVE = 0.05, 0.3  # metres over the ground
RING_LINES = 32


def heat_faces(heat: Heat, what: str = "time_lost") -> Picture:
    """One of its maps, floor by floor."""
    values = ground_values(heat, what)
    most, begins = steps_of(values)
    shade = np.searchsorted(begins, values) - 1
    rows = np.flatnonzero((shade >= 0) & (most > 0))
    half = heat.columns.cell / 2
    corners = np.array([[-half, 0, -half], [-half, 0, half], [half, 0, half], [half, 0, -half]])
    faces = heat.columns.places[rows][:, None] + corners + np.array([0, _ABOVE, 0])
    colors = np.array([[*bytes.fromhex(one[1:]), _OPACITY] for one in SHADES], np.uint8)[shade[rows]]
    lines = _rings(heat)
    return EMPTY._replace(
        corners=faces.astype(np.float32), face_colors=colors, lines=lines,
        line_colors=np.tile(np.array(_RING, np.uint8), (len(lines), 1)),
    )  # fmt: skip


def _rings(heat: Heat) -> F32:
    """(., 2, 3) lines around chokepoints."""
    at = np.array([place.at for place in heat.chokepoints], np.float64).reshape(-1, 3)
    turn = np.arange(RING_LINES + 1) * 2 * np.pi / RING_LINES
    around = np.stack([np.cos(turn), 0 * turn, np.sin(turn)], axis=1)
    rings = at[:, None] + ring_radii(heat)[:, None, None] * around + np.array([0, _RING_ABOVE, 0])
    return np.stack([rings[:, :-1], rings[:, 1:]], axis=2).reshape(-1, 2, 3).astype(np.float32)
