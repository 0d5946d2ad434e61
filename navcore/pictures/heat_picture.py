"""Where a crowd lost time, drawn over a navmesh from above."""

from __future__ import annotations

import numpy as np

from ..crowd.heat import Heat
from ..types import F64
from .colors import INK
from .drawing import Dots, Drawing, Labels, LegendEntry, Patches, Shape, patch_sample

_SHADES = ("#ffe9a8", "#fdb863", "#f46d43", "#d73027", "#7f0000")  # from little time lost to much
_SMALLEST = 0.02  # of the largest value: less is not drawn
_MOST_NAMED = 9
_AT = "#1a1a1a"


def heat_over(drawing: Drawing, heat: Heat) -> Drawing:
    """Cells that took time in five shades, and the places that agents lost it for, over a navmesh from above."""
    lost = heat.time_lost.astype(np.float64) / heat.cell**2
    most = float(lost.max(initial=0))
    shapes: list[Shape] = []
    legend: list[LegendEntry] = []
    for k, shade in enumerate(_SHADES):
        low, high = (k or _SMALLEST * len(_SHADES)) / len(_SHADES) * most, (k + 1) / len(_SHADES) * most
        rows, columns = np.nonzero((lost >= low) & ((lost < high) | (k + 1 == len(_SHADES))) & (lost > 0))
        if len(rows):
            corners = np.stack([columns, rows], axis=1)[:, None] + np.array([(0, 0), (1, 0), (1, 1), (0, 1)])
            points: F64 = corners.reshape(-1, 2) * heat.cell + np.array(heat.origin)
            shapes.append(Patches(points, np.arange(0, len(points) + 1, 4), shade, shade, 0.2))
            legend.append(LegendEntry(patch_sample(shade, INK), f"{low:.3g} to {high:.3g} s/m²"))
    named = heat.chokepoints[:_MOST_NAMED]
    if named:
        places = np.array([place.at for place in named])[:, ::2]
        shapes.append(Dots(places, _AT, 3.0))
        texts = tuple(f"{k}: {place.seconds:.0f} s, {place.width:.1f} m" for k, place in enumerate(named, 1))
        shapes.append(Labels(places - np.array([0, 2 * heat.cell]), texts, _AT))
    return drawing.over(tuple(shapes), tuple(legend))
