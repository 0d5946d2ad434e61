"""Stage 8: regions → outlines: walked cell by cell, simplified, holes joined to the outline around them.

region_outlines  the stage
trace            walks around every region
simplify         drops the points that a straight edge can replace; the point that an edge is farthest from
holes            joins each hole to its outline
bridges          the line along which that is done, and the order in which lines are tried
"""

from __future__ import annotations

from .holes import JoinedBefore
from .region_outlines import build_contours, outlines_in_one_call, simplified_outlines, splitting_of, with_holes_joined

__all__ = [
    "JoinedBefore", "build_contours", "outlines_in_one_call", "simplified_outlines", "splitting_of",
    "with_holes_joined",
]  # fmt: skip
