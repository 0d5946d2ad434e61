"""The walk drawn over the viewport: capsules, trails, where they lose time. In background mode nothing is drawn."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from ...kept_value import KeptValue
from ...stored.view_properties import MOST
from ...views.overlay import Overlay, Viewport
from . import current_walk

if TYPE_CHECKING:
    import gpu

    from .walk_job import Frame

_TRAIL_WIDTH = 3.0  # pixels
_WIRE = 0.45  # how bright the wire is beside the faces


class _Shape(NamedTuple):
    """A capsule on the GPU."""

    size: tuple[float, float]  # radius and height, in Blender's units
    faces: gpu.types.GPUBatch
    wire: gpu.types.GPUBatch
    agents: gpu.types.GPUUniformBuf


_shape: KeptValue[_Shape | None] = KeptValue(None)


def _draw(view: Viewport) -> None:
    walk, heat = current_walk.current(), current_walk.heat_in(view.scene)
    goes_on = walk is not None and walk.scene == view.scene.session_uid
    OVERLAY.keep_only((*(("heat",) if heat is not None else ()), *(("trails",) if goes_on else ())))
    if heat is not None:
        OVERLAY.show(view, OVERLAY.upload("heat", heat.picture, view.metres, _TRAIL_WIDTH), x_ray=True)
    if walk is None or not goes_on:
        return
    trails, frame = walk.job.trails, walk.job.frame
    if trails is not None:
        OVERLAY.show(view, OVERLAY.upload("trails", trails, view.metres, _TRAIL_WIDTH), x_ray=True)
    if frame is not None and len(frame.states):
        size = walk.job.radius / view.metres, walk.height / view.metres
        if _shape.value is None or _shape.value.size != size:
            _shape.value = _made(size)
        _draw_agents(_shape.value, frame, view.metres)


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


OVERLAY = Overlay(_draw, forget=_shape.forget)
