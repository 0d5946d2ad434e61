"""Stage 7: open space → regions, each a piece of floor that one outline can go around.

Three ways to divide the floor: watershed, a flood fill from the spots farthest from any edge (then merged), monotone, a
sweep over rows (then merged), and layers (the same sweep, then grouped).

partitions        the stage: a tile's border, the three ways; a check for regions that lie above themselves
watershed         flood fill, level by level
monotone_sweep    row by row
region_facts      what is known of each region; how many there may be; pairs of regions
boundaries        what each meets along its boundary
merging, layers   regions joined, by either way
renumber          ids without gaps
removed_islands   how many were too small to stay
split_for_repair  regions divided anew where no outline goes around them
"""

from __future__ import annotations

from .partitions import WATERSHED, build_regions, divide_in_one_call, overlapping_regions
from .removed_islands import count_removed

__all__ = ["WATERSHED", "build_regions", "count_removed", "divide_in_one_call", "overlapping_regions"]
