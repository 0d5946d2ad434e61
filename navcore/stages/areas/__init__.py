"""Stage 5: what each open span is for: kept clear of edges by the agent's radius, smoothed, and marked by volumes."""

from __future__ import annotations

from .erode_and_median import erode_walkable_area, eroded_in_one_call, median_filter_walkable_area
from .volumes import boxes_around, mark_volumes, touching, touching_numbers

__all__ = [
    "boxes_around",
    "erode_walkable_area",
    "eroded_in_one_call",
    "mark_volumes",
    "median_filter_walkable_area",
    "touching",
    "touching_numbers",
]
