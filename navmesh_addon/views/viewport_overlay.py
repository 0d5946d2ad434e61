"""Drawing over the viewport: outlines of the navmesh, or what a kept stage made. Draws nothing in background mode."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import bpy

from ..blender_types import scene_of
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import BUILD, navmesh_objects
from ..stored.object_properties import POLYGON_MESH
from ..stored.setups import active_setup, scene_properties

if TYPE_CHECKING:
    import gpu

    from .stage_pictures import Colored

_handles: list[object] = []
_batch: list[tuple[object, gpu.types.GPUShader | None, gpu.types.GPUBatch | None]] = []
"""What it shows, shader, batch: made once for each build and view."""


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
    if not _batch or _batch[0][0] != shown:
        from .stage_pictures import picture

        _batch[:] = [(shown, *_batch_of(picture(built.navmesh, view, scene.unit_settings.scale_length)))]
    _, shader, batch = _batch[0]
    if batch is not None:
        import gpu

        gpu.state.blend_set("ALPHA")
        gpu.state.depth_test_set("LESS_EQUAL")
        gpu.state.line_width_set(2.0)
        gpu.state.point_size_set(4.0)
        batch.draw(shader)
        gpu.state.depth_test_set("NONE")
        gpu.state.line_width_set(1.0)
        gpu.state.point_size_set(1.0)
        gpu.state.blend_set("NONE")


def _batch_of(drawn: Colored | None) -> tuple[gpu.types.GPUShader | None, gpu.types.GPUBatch | None]:
    if drawn is None:
        return None, None
    import gpu
    from gpu_extras.batch import batch_for_shader

    kind, positions, colors = drawn
    shader: Any = gpu.shader.from_builtin("FLAT_COLOR")  # the stubs say that it returns nothing
    return shader, batch_for_shader(shader, kind, {"pos": positions, "color": colors})


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _batch.clear()
