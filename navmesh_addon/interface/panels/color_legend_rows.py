"""Color By, and below it what the colors of a heat map mean."""

from __future__ import annotations

import bpy

from ...blender_types import scene_of
from ...objects.face_colors import legend
from ...stored.setups import scene_properties
from .sidebar_panel import MOST_LINES, draw_named
from .wrapped_text import draw_text, room

_SWATCH = 2.0  # units of width for a color


def draw_color_by(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The choice, its legend, and which navmeshes cannot show it."""
    scene = scene_of(context)
    draw_named(layout.column(align=True), scene_properties(scene), "color_by")
    shown = legend(scene)
    column = layout.column(align=True)
    for row in shown.rows:
        line = column.row(align=True)
        swatch = line.row()
        swatch.ui_units_x = _SWATCH
        if row.number in shown.materials:
            swatch.prop(shown.materials[row.number], "diffuse_color", text="")
        line.label(text=f" {row.label}")
        count = line.row()
        count.alignment = "RIGHT"
        count.label(text=f"{row.polygons:,}")
    for name in shown.without[:MOST_LINES]:
        draw_text(column, f"{name} shows its areas: build it again to see this", room(context), "INFO")
