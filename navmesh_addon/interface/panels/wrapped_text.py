"""Sentences in a panel: labels do not wrap, so every line is one of its own, as long as there is room for it."""

from __future__ import annotations

import math
from typing import Any

import blf
import bpy

from ...blender_types import Icon, not_none

_BESIDE = 56.0  # points for the tabs, and for the margins of panel and label
_ICON = 26.0  # points for an icon and the gaps around it
_MARGINS = 6.0  # points that Blender keeps free beside a label's text
_MIN_ROOM = 60.0  # points of room, in a sidebar dragged almost shut
_FONT = 0  # the interface's own


def room(context: bpy.types.Context) -> float:
    """Points that a line of text has in the panel being drawn, whatever the display's scale and the panel's zoom."""
    region = context.region
    if region is None or region.width < 2:  # nothing is seen of it
        return math.inf
    left, right = (region.view2d.region_to_view(x, 0)[0] for x in (0, region.width))
    return max(_MIN_ROOM, (right - left) / _pixels_per_point() - _BESIDE)


def wrapped(text: str, points: float) -> list[str]:
    """The lines of a sentence, none of which is longer than that; a word that is gets divided."""
    lines = [""]
    for word in text.split():
        for piece in _pieces(word, points):
            longer = f"{lines[-1]} {piece}".strip()
            if lines[-1] and _length(longer) > points:
                lines.append(piece)
            else:
                lines[-1] = longer
    return lines


def draw_text(layout: bpy.types.UILayout, text: str, points: float, icon: Icon = "NONE") -> None:
    """A sentence on as many lines as it needs."""
    column = layout.column(align=True)
    column.scale_y = 0.8
    for line in wrapped(text, points - (_ICON if icon != "NONE" else _MARGINS)):
        column.label(text=line, icon=icon)
        icon = "BLANK1" if icon != "NONE" else "NONE"


def _pieces(word: str, points: float) -> list[str]:
    """A word, in pieces where it is too long for a line: names of objects may be."""
    pieces = [word]
    while _length(pieces[-1]) > points and len(pieces[-1]) > 1:
        last = pieces.pop()
        fits = max(1, next((n for n in range(len(last) - 1, 0, -1) if _length(last[:n]) <= points), 1))
        pieces += [last[:fits], last[fits:]]
    return pieces


def _length(text: str) -> float:
    """In points, as the interface draws it."""
    preferences = not_none(bpy.context.preferences)
    pixels = _pixels_per_point()
    blf.size(_FONT, preferences.ui_styles[0].widget.points * pixels)
    size: Any = blf.dimensions(_FONT, text)  # the stubs say that it returns nothing
    return float(size[0]) / pixels


def _pixels_per_point() -> float:
    preferences = not_none(bpy.context.preferences)
    return float(preferences.system.ui_scale) or 1.0  # 0 without a window
