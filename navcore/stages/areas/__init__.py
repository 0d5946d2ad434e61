"""Stage 5: what each open span is for: kept clear of edges by the agent's radius, smoothed, and marked by volumes."""

from __future__ import annotations

from .erode import erode_walkable_area, eroded_in_one_call
from .median import median_filter_walkable_area
from .volumes import mark_volumes, touching

__all__ = [
    "erode_walkable_area",
    "eroded_in_one_call",
    "mark_volumes",
    "median_filter_walkable_area",
    "touching",
]
