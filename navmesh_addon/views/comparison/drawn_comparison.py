"""What changed, drawn over the viewport with its legend. In background mode nothing is drawn."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.app.handlers import persistent

from ...blender_types import known, scene_of
from ...stored.setups import scene_properties
from .. import said_once
from . import latest
from .compared_sides import state_of

if TYPE_CHECKING:
    from ..gpu_layers import Upload
    from .latest import Compared

_A_MOMENT = 0.02  # seconds of uploading in one drawing
_FONT, _POINTS = 0, 11.0  # the interface's own, and its size
_LINE, _SWATCH, _GAP = 18.0, 12.0, 6.0  # points
_LEFT, _BELOW = 60.0, 120.0  # points from the left and from the top: beside Blender's tools, below its own texts
_STATISTICS = 130.0  # points that Blender's statistics take there
_INK, _SHADOW = (1.0, 1.0, 1.0, 1.0), (0.0, 0.0, 0.0, 0.8)
_BYTE = 255.0
_AT_THE_END = 60.0  # seconds that Blender's end waits for a job whose kernel cannot be interrupted
_handles: list[object] = []
_uploads: list[tuple[Compared, float, Upload]] = []  # of one comparison at a time, and the scene's scale


def _compared() -> tuple[Compared, str] | None:
    """What is to be drawn in this view, and what has to be said of it."""
    scene, space = scene_of(bpy.context), cast("bpy.types.SpaceView3D", bpy.context.space_data)
    compared = latest.shown(scene.session_uid)
    if compared is None or not space.overlay.show_overlays:
        return None
    state = state_of(scene, compared)
    return (compared, state.why_not) if state.is_shown else None


@said_once.said_once
def _draw_faces() -> None:
    """Called by Blender for each 3D view."""
    if (drawn := _compared()) is None:
        _uploads.clear()
        return
    scene, region = scene_of(bpy.context), known(bpy.context.region)
    upload = _upload(drawn[0], scene.unit_settings.scale_length)
    if not upload.step(_A_MOMENT):
        region.tag_redraw()
    upload.draw((region.width, region.height), x_ray=scene_properties(scene).compare_x_ray)


def _upload(compared: Compared, metres: float) -> Upload:
    from ..gpu_layers import Upload

    if not _uploads or _uploads[0][0] is not compared or _uploads[0][1] != metres:
        _uploads[:] = [(compared, metres, Upload(compared.picture, metres))]
    return _uploads[0][2]


@said_once.said_once
def _draw_legend() -> None:
    """Called by Blender for each 3D view, in pixels."""
    if (drawn := _compared()) is None:
        return
    import blf

    compared, why_not = drawn
    region, scale = known(bpy.context.region), known(bpy.context.preferences).system.ui_scale
    overlay = cast("bpy.types.SpaceView3D", bpy.context.space_data).overlay
    place = region.height - (_BELOW + (_STATISTICS if overlay.show_stats else 0)) * scale
    blf.size(_FONT, _POINTS * scale)
    blf.enable(_FONT, blf.SHADOW)
    blf.shadow(_FONT, 3, *_SHADOW)
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

    blf.color(_FONT, *_INK)
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


@persistent  # type: ignore[untyped-decorator,unused-ignore]
def _before_load(*_: object) -> None:
    latest.forget()
    _uploads.clear()


def _end() -> None:
    """Blender ends, or the extension is disabled: no thread of ours may outlive it."""
    job = latest.running()
    latest.forget()
    if job is not None:
        job.wait(_AT_THE_END)


def register() -> None:
    atexit.register(_end)
    bpy.app.handlers.load_pre.append(_before_load)
    if not bpy.app.background:
        for draw, when in ((_draw_faces, "POST_VIEW"), (_draw_legend, "POST_PIXEL")):
            _handles.append(bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", when))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    if _before_load in bpy.app.handlers.load_pre:
        bpy.app.handlers.load_pre.remove(_before_load)
    _end()
    atexit.unregister(_end)
    _uploads.clear()
    said_once.forget()
