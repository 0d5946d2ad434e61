"""Drawing over the viewport: outlines of the navmesh or what a kept stage made, and links.

In background mode nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import bpy

from ..blender_types import known, scene_of
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import BUILD, navmesh_objects
from ..stored.object_properties import POLYGON_MESH
from ..stored.setups import active_setup, scene_properties

if TYPE_CHECKING:
    import gpu
    import numpy as np
    import numpy.typing as npt

    from ..builds.request_and_result import BuiltNavmesh

_THIN, _THICK = 2.0, 3.0  # pixels
_POINT = 4.0  # pixels
_NEARER = 0.002  # of the distance to the eye
_handles: list[object] = []


class _Layer(NamedTuple):
    """One batch, and how it is drawn."""

    shader: gpu.types.GPUShader
    batch: gpu.types.GPUBatch
    line_width: float  # 0 for points
    hidden: bool  # by what stands before it


_drawn: list[tuple[object, list[_Layer]]] = []
"""What it shows, and its layers: made once for each build and view."""


def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    scene, space = scene_of(context), cast("bpy.types.SpaceView3D", context.space_data)
    view = scene_properties(scene).overlay
    if view == "NONE" or not space.overlay.show_overlays:
        return
    setup = active_setup(scene)
    object_ = navmesh_objects(scene, setup.uid).get((setup.uid, POLYGON_MESH)) if setup is not None else None
    build = "" if object_ is None else str(object_.get(BUILD, ""))
    built = finished_navmeshes.find(build)
    if built is None:
        return
    shown = build, view, scene.unit_settings.scale_length
    if not _drawn or _drawn[0][0] != shown:
        _drawn[:] = [(shown, _layers(built, view, scene.unit_settings.scale_length))]
    region = known(context.region)
    with _nearer(known(space.region_3d).view_distance):
        for layer in _drawn[0][1]:
            _draw_layer(layer, (region.width, region.height))


@contextmanager
def _nearer(distance: float) -> Iterator[None]:
    """Draw a little nearer to the eye than things are, so that what lies on a surface neither sinks nor flickers.

    In perspective everything shrinks towards the eye, which moves nothing on the screen.
    """
    import gpu
    from mathutils import Matrix

    is_flat = gpu.matrix.get_projection_matrix()[3][3] == 1.0
    moved = Matrix.Translation((0, 0, _NEARER * distance)) if is_flat else Matrix.Diagonal((*[1 - _NEARER] * 3, 1))
    gpu.matrix.push()
    try:
        gpu.matrix.load_matrix(moved @ gpu.matrix.get_model_view_matrix())
        yield
    finally:
        gpu.matrix.pop()


def _draw_layer(layer: _Layer, size: tuple[int, int]) -> None:
    import gpu

    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL" if layer.hidden else "NONE")
    if layer.line_width:
        layer.shader.bind()
        layer.shader.uniform_float("viewportSize", size)
        layer.shader.uniform_float("lineWidth", layer.line_width)
    gpu.state.point_size_set(_POINT)
    layer.batch.draw(layer.shader)
    gpu.state.point_size_set(1.0)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


def _layers(built: BuiltNavmesh, view: str, metres: float) -> list[_Layer]:
    """What a view shows of a navmesh. Links that are attached to nothing are seen through what stands before them."""
    from .link_pictures import link_lines
    from .stage_pictures import picture

    drawn = picture(built.navmesh, view, metres) if view != "LINKS" else None
    layers = [] if drawn is None else [_layer(*drawn, _THIN, hidden=True)]
    for lines, hidden in zip(link_lines(built.navmesh, metres), (True, False), strict=True):
        if len(lines.points):
            layers.append(_layer("LINES", *lines, _THICK, hidden=hidden))
    return layers


def _layer(
    kind: str, points: npt.NDArray[np.float32], colors: npt.NDArray[np.float32], width: float, *, hidden: bool
) -> _Layer:
    """Lines as polylines, whose width every graphics backend follows."""
    import gpu
    from gpu_extras.batch import batch_for_shader

    lines = kind == "LINES"
    names = ("POLYLINE_FLAT_COLOR",) if lines else ("POINT_FLAT_COLOR", "FLAT_COLOR")  # the first from Blender 4.5 on
    shader = _shader(gpu.shader.from_builtin, names)
    batch = batch_for_shader(shader, kind, {"pos": points, "color": colors})
    return _Layer(shader, batch, width if lines else 0.0, hidden)


def _shader(builtin: Any, names: tuple[str, ...]) -> gpu.types.GPUShader:
    """The first of these shaders that this Blender has."""
    for name in names[:-1]:
        try:
            return builtin(name)
        except ValueError:
            continue
    return builtin(names[-1])


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _drawn.clear()
