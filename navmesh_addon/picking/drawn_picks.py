"""Polygons that are picked, the box around the mouse and what is painted, drawn while the tool is active."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..blender_types import not_none
from ..kept_value import KeptValue
from ..objects.navmesh_objects import active_navmesh, lift_above
from ..views.overlay import Overlay, Viewport
from .picked_polygons import Picked, faces_of, forget, is_tool_active, picked

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture

_FACE, _EDGE = (255, 170, 40, 110), (255, 190, 80, 255)
_LINE = (1.0, 0.75, 0.3, 1.0)
_WIDTH = 3.0  # pixels
box: KeptValue[tuple[float, float, float, float] | None] = KeptValue(None)  # left, bottom, right, top in pixels
stroke: KeptValue[tuple[tuple[float, float, float], ...]] = KeptValue(())  # in the scene's coordinates
_made: KeptValue[tuple[Picked, Picture] | None] = KeptValue(None)


def _draw(view: Viewport) -> None:
    if not is_tool_active(view.context):
        return
    now = picked(view.scene)
    if now is not None:
        upload = OVERLAY.upload("picks", _picture(view, now), 1.0, _WIDTH)
        OVERLAY.show(view, upload, x_ray=True, lift=lift_above(view.scene))
    if len(stroke.value) > 1:
        draw_line(stroke.value)


def _picture(view: Viewport, now: Picked) -> Picture:
    """In the scene's units: metres for navcore's pictures."""
    if _made.value is None or _made.value[0] != now:
        _made.value = now, _picture_of(view, now)
    return _made.value[1]


def _picture_of(view: Viewport, now: Picked) -> Picture:
    import numpy as np  # here: Blender's start does not wait for it

    from ...navcore.views.picture import Picture
    from ..axes import to_navcore_points

    faces = faces_of(view.scene, not_none(active_navmesh(view.scene)))  # something of it is picked
    points = to_navcore_points(faces.points).astype(np.float32)
    rings = [faces.ring(face) for face in sorted(now.faces)]
    quads = [(ring[0], ring[k], ring[k + 1], ring[k + 1]) for ring in rings for k in range(1, len(ring) - 1)]
    edges = [edge for ring in rings for edge in zip(ring, [*ring[1:], ring[0]], strict=True)]
    return Picture(
        points[np.array(quads)], np.tile(np.array(_FACE, np.uint8), (len(quads), 1)),
        points[np.array(edges)], np.tile(np.array(_EDGE, np.uint8), (len(edges), 1)),
    )  # fmt: skip


def _draw_box(view: Viewport) -> None:
    if box.value is not None and is_tool_active(view.context):
        left, bottom, right, top = box.value
        draw_line([(left, bottom, 0), (right, bottom, 0), (right, top, 0), (left, top, 0)], closed=True)


def draw_line(points: Sequence[Sequence[float]], closed: bool = False) -> None:
    """One line in the coordinates in which Blender draws now."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    shader: Any = gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR")  # the stubs say that it returns nothing
    corners = [tuple(point) for point in (*points, *points[: int(closed)])]
    lines = batch_for_shader(shader, "LINE_STRIP", {"pos": corners})
    shader.bind()
    viewport: Any = gpu.state.viewport_get()
    shader.uniform_float("viewportSize", viewport[2:])
    shader.uniform_float("lineWidth", _WIDTH)
    shader.uniform_float("color", _LINE)
    lines.draw(shader)


def _forget() -> None:
    for one in (box, stroke, _made):
        one.forget()
    forget()


OVERLAY = Overlay(_draw, text=_draw_box, forget=_forget)
