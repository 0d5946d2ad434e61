"""What changed, drawn over the viewport with its legend. In background mode nothing is drawn."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any

from ..blender_types import not_none
from . import latest_comparison
from .compared_sides import state_of
from .overlay import Overlay, Viewport
from .overlay_colors import TEXT, TEXT_SHADOW

if TYPE_CHECKING:
    from .latest_comparison import Compared

_WIDTH = 2.0  # pixels
_FONT, _POINTS = 0, 11.0  # the interface's own, and its size
_LINE, _SWATCH, _GAP = 18.0, 12.0, 6.0  # points
_LEFT, _BELOW = 60.0, 120.0  # points from the left and from the top: beside Blender's tools, below its own texts
_STATISTICS = 130.0  # points that Blender's statistics take there
_BYTE = 255.0
_AT_THE_END = 60.0  # seconds that Blender's end waits for a job whose kernel cannot be interrupted
_AT_THE_END = 60.0  # seconds that Blender's end waits for a job whose kernel cannot be interrupted


def _compared(view: Viewport) -> tuple[Compared, str] | None:
    """What is to be drawn in this view, and what has to be said of it."""
    compared = latest_comparison.shown(view.scene.session_uid)
    if compared is None or not view.shows_overlays:
        return None
    state = state_of(view.scene, compared)
    return (compared, state.why_not) if state.is_shown else None


def _draw_faces(view: Viewport) -> None:
    if (drawn := _compared(view)) is None:
        OVERLAY.keep_only()
        return
    upload = OVERLAY.upload("faces", drawn[0].picture, view.metres, _WIDTH)
    OVERLAY.show(view, upload, x_ray=view.properties.compare_x_ray)


def _draw_legend(view: Viewport) -> None:
    if (drawn := _compared(view)) is None:
        return
    import blf

    compared, why_not = drawn
    scale = not_none(view.context.preferences).system.ui_scale
    place = view.region.height - (_BELOW + (_STATISTICS if view.space.overlay.show_stats else 0)) * scale
    blf.size(_FONT, _POINTS * scale)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 3, *TEXT_SHADOW)
    lines = [f"From {compared.sides[0].name} to {compared.sides[1].name}", *compared.picture.notes, why_not]
    for text in filter(None, lines):
        _write(text, _LEFT * scale, place)
        place -= _LINE * scale
    for row in compared.picture.legend:
        _draw_swatch(_LEFT * scale, place, _SWATCH * scale, (*(part / _BYTE for part in row.color[:3]), 1.0))
        _write(f"{row.label} in {row.count:,} cells", (_LEFT + _SWATCH + _GAP) * scale, place)
        place -= _LINE * scale
    blf.disable(_FONT, blf.SHADOW)


def _write(text: str, x: float, y: float) -> None:
    import blf

    blf.color(_FONT, *TEXT)
    blf.position(_FONT, x, y, 0)
    blf.draw(_FONT, text)


def _draw_swatch(x: float, y: float, side: float, color: tuple[float, ...]) -> None:
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader: Any = gpu.shader.from_builtin("UNIFORM_COLOR")  # the stubs say that it returns nothing
    corners = [(x, y), (x + side, y), (x + side, y + side), (x, y + side)]
    batch = batch_for_shader(shader, "TRIS", {"pos": corners}, indices=[(0, 1, 2), (0, 2, 3)])
    shader.uniform_float("color", color)
    batch.draw(shader)


def _end() -> None:
    """Blender ends, or the extension is disabled: no thread of ours may outlive it."""
    job = latest_comparison.running()
    latest_comparison.forget()
    if job is not None:
        job.wait(_AT_THE_END)


OVERLAY = Overlay(_draw_faces, text=_draw_legend, forget=latest_comparison.forget)


def register() -> None:
    atexit.register(_end)


def unregister() -> None:
    _end()
    atexit.unregister(_end)
