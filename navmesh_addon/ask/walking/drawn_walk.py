"""The walk drawn over the viewport: capsules, and the trails behind them. In background mode nothing is drawn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ...blender_types import known, scene_of
from ...stored.walk_properties import MOST
from ...views import said_once
from . import current_walk

if TYPE_CHECKING:
    import gpu

    from ....navcore.views.picture import Picture
    from ...views.gpu_layers import Upload
    from .walk_job import Frame

_TRAIL_WIDTH = 3.0  # pixels
_AT_ONCE = 0.01  # seconds of uploading in one drawing
_WIRE = 0.45  # how bright the wire is beside the faces
_handles: list[object] = []


class _Shape(NamedTuple):
    """A capsule on the GPU."""

    size: tuple[float, float]  # radius and height, in Blender's units
    faces: gpu.types.GPUBatch
    wire: gpu.types.GPUBatch
    agents: gpu.types.GPUUniformBuf


_shape: list[_Shape] = []  # at most one
_trails: list[tuple[Picture, Upload]] = []  # at most one


@said_once.said_once
def _draw() -> None:
    """Called by Blender for each 3D view."""
    context = bpy.context
    walk = current_walk.current()
    if context.scene is None or walk is None or walk.scene != scene_of(context).session_uid:
        _trails.clear()
        return
    metres = scene_of(context).unit_settings.scale_length
    if walk.job.trails is not None:
        _draw_trails(walk.job.trails, metres)
    frame = walk.job.frame
    if frame is not None and len(frame.states):
        size = walk.job.radius / metres, walk.height / metres
        if not _shape or _shape[0].size != size:
            _shape[:] = [_made(size)]
        _draw_agents(_shape[0], frame, metres)


def _draw_trails(picture: Picture, metres: float) -> None:
    from ...views.gpu_layers import Upload  # here: Blender's start does not wait for NumPy

    if not _trails or _trails[0][0] is not picture:
        _trails[:] = [(picture, Upload(picture, metres, _TRAIL_WIDTH))]
    region = known(bpy.context.region)
    _trails[0][1].step(_AT_ONCE)
    _trails[0][1].draw((region.width, region.height), x_ray=True)


def _draw_agents(shape: _Shape, frame: Frame, metres: float) -> None:
    import gpu

    from ...views.gpu_shaders import agent_shader

    shape.agents.update(agent_data(frame, time.perf_counter(), metres))
    shader: Any = agent_shader()
    state: Any = gpu.state  # the stubs know not what it is
    depth, mask = state.depth_test_get(), state.depth_mask_get()
    try:
        state.depth_test_set("LESS_EQUAL")
        state.depth_mask_set(True)
        shader.bind()
        shader.uniform_float("to_clip", gpu.matrix.get_projection_matrix() @ gpu.matrix.get_model_view_matrix())
        shader.uniform_block("agents", shape.agents)
        for batch, bright in ((shape.faces, 1.0), (shape.wire, _WIRE)):
            shader.uniform_float("bright", bright)
            batch.draw_instanced(shader, instance_start=0, instance_count=len(frame.states))
    finally:
        state.depth_test_set(depth)
        state.depth_mask_set(mask)


def agent_data(frame: Frame, now: float, metres: float) -> Any:
    """Place and turn of each agent, then its color, as the shader has them."""
    import numpy as np

    from ....navcore.crowd.states import NO_WAY
    from ...axes import to_blender
    from .capsules import colors_of

    count = len(frame.states)
    data = np.zeros((2, MOST, 4), np.float32)
    data[0, :count, :3] = to_blender(frame.at(now), metres)
    data[0, :count, 3] = frame.headings
    data[1, :count, :3] = colors_of(count, frame.states == NO_WAY)
    return data


def _made(size: tuple[float, float]) -> _Shape:
    import gpu
    import numpy as np

    from .capsules import capsule, capsule_lines

    types: Any = gpu.types  # the stubs do not know all parameters
    corners, normals, triangles = capsule(*size)
    batches: list[gpu.types.GPUBatch] = []
    for kind, indices, outward in (("TRIS", triangles, 1.0), ("LINES", capsule_lines(), 1.005)):
        layout = types.GPUVertFormat()
        for name in ("pos", "normal"):
            layout.attr_add(id=name, comp_type="F32", len=3, fetch_mode="FLOAT")
        vertices = types.GPUVertBuf(layout, len(corners))
        center = np.array([0, 0, size[1] / 2], np.float32)
        vertices.attr_fill("pos", np.ascontiguousarray((corners - center) * np.float32(outward) + center, np.float32))
        vertices.attr_fill("normal", normals)
        elements = types.GPUIndexBuf(type=kind, seq=indices)
        batches.append(types.GPUBatch(type=kind, buf=vertices, elem=elements))
    faces, wire = batches
    return _Shape(size, faces, wire, types.GPUUniformBuf(np.zeros((2, MOST, 4), np.float32)))


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _shape.clear()
    _trails.clear()
