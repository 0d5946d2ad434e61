"""What a view says, written into the viewport: its name, what its colors mean, notes, and the value under the mouse.

That is found by a gizmo that is never hit, but asked about each place that the mouse comes to: so no operator has to
run for it. When the mouse rests, the place on the ground is looked up.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ..blender_types import not_none, scene_of, view_layer_of
from ..objects.navmesh_objects import metres_of
from ..redraw import redraw_views, start_timer, stop_timer
from ..stored.setups import scene_properties
from ..stored.view_properties import VIEWS
from . import stage_view
from .overlay import Overlay, Viewport
from .overlay_colors import TEXT, TEXT_SHADE

if TYPE_CHECKING:
    from ...navcore.views.picture import Color

_SIZE, _LINE, _MARGIN, _SWATCH = 11, 17, 12, 11  # pixels at a scale of 1
_MAX_WIDTH = 90  # characters of a note
_MAX_ROWS = 24
_LABELS = {name: label for name, label, _ in VIEWS}
_REST = 0.08  # seconds without a move after which the ground under the mouse is looked up


class TextRow(NamedTuple):
    """One line, behind the color that it explains."""

    text: str
    color: Color | None = None


def rows_of(view: str) -> list[TextRow]:
    """What is to be written about a view."""
    rows, one = [TextRow(_LABELS[view])], stage_view.shown()
    if one is not None and one.made.picture is not None:
        legend = one.made.picture.legend
        rows += [
            TextRow(f"{row.label}: {row.count:,}" if row.count else row.label, row.color) for row in legend[:_MAX_ROWS]
        ]
        if len(legend) > _MAX_ROWS:
            rows.append(TextRow(f"… and {len(legend) - _MAX_ROWS:,} more"))
        rows += [TextRow(line) for note in one.made.picture.notes for line in textwrap.wrap(note, _MAX_WIDTH)]
    rows += [TextRow(line) for line in textwrap.wrap(stage_view.state.said, _MAX_WIDTH)]
    if pointer.value:
        rows.append(TextRow(pointer.value))
    return rows


def _draw(view: Viewport) -> None:
    if view.properties.view == "NONE" or not view.shows_overlays:
        return
    left, bottom, _, _ = free_place(not_none(view.context.area), view.region)
    _write(rows_of(view.properties.view), left, bottom, not_none(view.context.preferences).system.ui_scale)


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


def _write(rows: Sequence[TextRow], left: int, bottom: int, scale: float) -> None:
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
        fill(x - margin / 2, y - margin / 2, wide + margin, line * len(rows) + margin / 2, TEXT_SHADE)
        for row in reversed(rows):
            indent = 0.0
            if row.color is not None:
                fill(x, y, swatch, swatch, [part / 255 for part in row.color[:3]] + [1.0])
                indent = 1.6 * swatch
            blf.color(0, *TEXT)
            blf.position(0, x + indent, y + swatch * 0.12, 0)
            blf.draw(0, row.text)
            y += line
    finally:
        gpu.state.blend_set(blend)


# --- the value under the mouse


class _Pixel(NamedTuple):
    """Of the mouse, in pixels of a region, which is known by its number."""

    region: int
    x: int
    y: int


class _Pointer:
    """Where the mouse is, and what the view says of the place under it."""

    def __init__(self) -> None:
        self.pixel: _Pixel | None = None
        self.value = ""

    def forget(self) -> None:
        stop_timer(_look_up)
        self.pixel, self.value = None, ""


pointer = _Pointer()


class NAVMESH_GT_mouse(bpy.types.Gizmo):
    """Notes where the mouse is"""

    bl_idname = "NAVMESH_GT_mouse"

    def draw(self, _context: bpy.types.Context) -> None:
        """It is not seen."""

    def test_select(self, context: bpy.types.Context, location: Any) -> int:
        pixel = _Pixel(not_none(context.region).as_pointer(), int(location[0]), int(location[1]))
        if pointer.pixel != pixel:
            pointer.pixel = pixel
            stop_timer(_look_up)
            start_timer(_look_up, _REST)
        return -1


class NAVMESH_GGT_mouse(bpy.types.GizmoGroup):
    """Where the mouse is while a view is shown"""

    bl_idname = "NAVMESH_GGT_mouse"
    bl_label = "Value Under the Mouse"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return scene_properties(scene_of(context)).view != "NONE"

    def setup(self, _context: bpy.types.Context) -> None:
        self.gizmos.new(NAVMESH_GT_mouse.bl_idname)


def _look_up() -> None:
    """The mouse rests: look up what is there, and draw the view again where that is something else."""
    found = _value_under_mouse()
    if found != pointer.value:
        pointer.value = found
        redraw_views()


def _value_under_mouse() -> str:
    one, pixel = stage_view.shown(), pointer.pixel
    if one is None or not one.made.pieces or pixel is None:
        return ""
    for window in not_none(bpy.context.window_manager).windows:
        for area in window.screen.areas:
            for region in area.regions if area.type == "VIEW_3D" else ():
                if region.as_pointer() == pixel.region:
                    return _value_in(window, region, area.spaces.active.region_3d, pixel)  # type: ignore[union-attr]
    return ""


def _value_in(window: bpy.types.Window, region: bpy.types.Region, eye: bpy.types.RegionView3D, pixel: _Pixel) -> str:
    from bpy_extras import view3d_utils

    from .stage_worker import value_at

    place, scene = pixel[1:], window.scene
    origin = view3d_utils.region_2d_to_origin_3d(region, eye, place)
    ray = view3d_utils.region_2d_to_vector_3d(region, eye, place)
    with bpy.context.temp_override(window=window):
        depsgraph = not_none(view_layer_of(bpy.context).depsgraph)
    found: Any = scene.ray_cast(depsgraph, origin, ray)  # the stubs know nothing of what comes back
    hit, point = found[:2]
    one = stage_view.shown()
    if not hit or one is None:
        return ""
    metres = metres_of(scene)
    return value_at(one.made, (point[0] * metres, point[2] * metres, -point[1] * metres))


OVERLAY = Overlay(text=_draw, forget=pointer.forget)
