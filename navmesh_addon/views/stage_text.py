"""What a view says, written into the viewport: its name, what its colors mean, notes, and the value under the mouse."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import bpy

from ..blender_types import known, scene_of
from ..stored.setups import scene_properties
from ..stored.view_properties import VIEWS
from . import stage_pointer, stage_view

if TYPE_CHECKING:
    from ...navcore.views.picture import Color

_SIZE, _LINE, _MARGIN, _SWATCH = 11, 17, 12, 11  # pixels at a scale of 1
_WIDEST = 90  # characters of a note
_MOST_ROWS = 24
_WHITE, _SHADE = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.55)
_LABELS = {name: label for name, label, _ in VIEWS}
_handles: list[object] = []


class Row(NamedTuple):
    """One line, behind the color that it explains."""

    text: str
    color: Color | None = None


def rows_of(view: str) -> list[Row]:
    """What is to be written about a view."""
    rows, one = [Row(_LABELS[view])], stage_view.shown()
    if one is not None and one.made.picture is not None:
        legend = one.made.picture.legend
        rows += [
            Row(f"{row.label}: {row.count:,}" if row.count else row.label, row.color) for row in legend[:_MOST_ROWS]
        ]
        if len(legend) > _MOST_ROWS:
            rows.append(Row(f"… and {len(legend) - _MOST_ROWS:,} more"))
        rows += [Row(line) for note in one.made.picture.notes for line in textwrap.wrap(note, _WIDEST)]
    rows += [Row(line) for line in textwrap.wrap(stage_view.state.said, _WIDEST)]
    if value := stage_pointer.value():
        rows.append(Row(value))
    return rows


def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    view, space = scene_properties(scene_of(context)).view, cast("bpy.types.SpaceView3D", context.space_data)
    if view == "NONE" or not space.overlay.show_overlays:
        return
    left, bottom, _, _ = free_place(known(context.area), known(context.region))
    _write(rows_of(view), left, bottom, known(context.preferences).system.ui_scale)


def free_place(area: bpy.types.Area, region: bpy.types.Region) -> tuple[int, int, int, int]:
    """Left, bottom, right and top of what no toolbar, sidebar or header covers, in pixels of the region."""
    left, bottom, right, top = 0, 0, region.width, region.height
    for other in area.regions:
        if other.type == "WINDOW" or other.width <= 1 or other.height <= 1:
            continue
        if other.type == "HUD":  # what an operator can be changed by, in the lower left corner
            bottom = max(bottom, other.y + other.height - region.y)
        elif other.alignment == "LEFT":
            left = max(left, other.x + other.width - region.x)
        elif other.alignment == "RIGHT":
            right = min(right, other.x - region.x)
        elif other.alignment == "TOP":
            top = min(top, other.y - region.y)
        elif other.alignment == "BOTTOM":
            bottom = max(bottom, other.y + other.height - region.y)
    return left, bottom, right, top


def _width(text: str) -> float:
    """In pixels, of a line in the size that is set."""
    import blf

    dimensions: Any = blf.dimensions(0, text)  # the stubs know nothing of what comes back
    return float(dimensions[0])


def _write(rows: Sequence[Row], left: int, bottom: int, scale: float) -> None:
    """From the bottom up, on a shade that makes it legible over whatever is there."""
    import blf
    import gpu
    from gpu_extras.batch import batch_for_shader

    blf.size(0, _SIZE * scale)
    line, margin, swatch = _LINE * scale, _MARGIN * scale, _SWATCH * scale
    wide = max(_width(row.text) + (1.6 * swatch if row.color else 0) for row in rows)
    shader: Any = gpu.shader.from_builtin("UNIFORM_COLOR")

    def fill(x: float, y: float, width: float, height: float, color: Sequence[float]) -> None:
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]
        batch = batch_for_shader(shader, "TRIS", {"pos": [corners[k] for k in (0, 1, 2, 0, 2, 3)]})
        shader.uniform_float("color", color)
        batch.draw(shader)

    blend: Any = gpu.state.blend_get()
    gpu.state.blend_set("ALPHA")
    try:
        x, y = left + margin, bottom + margin
        fill(x - margin / 2, y - margin / 2, wide + margin, line * len(rows) + margin / 2, _SHADE)
        for row in reversed(rows):
            indent = 0.0
            if row.color is not None:
                fill(x, y, swatch, swatch, [part / 255 for part in row.color[:3]] + [1.0])
                indent = 1.6 * swatch
            blf.color(0, *_WHITE)
            blf.position(0, x + indent, y + swatch * 0.12, 0)
            blf.draw(0, row.text)
            y += line
    finally:
        gpu.state.blend_set(blend)


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_PIXEL"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
