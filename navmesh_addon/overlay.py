"""Drawing over the viewport: outlines of the navmesh, or what a kept stage made. Draws nothing in background mode."""

from __future__ import annotations

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

from . import results
from .axes import to_blender
from .marks import POLYGON_MESH
from .materials import palette_color
from .setups import active_setup
from .write_back import BUILD, navmesh_objects

Colored = tuple[str, npt.NDArray[np.float32], npt.NDArray[np.float32]]  # POINTS or LINES, positions, colors
_handles: list[Any] = []
_batch: list[Any] = []  # (what it shows, shader, batch), made once for each build and view
MOST_POINTS = 2_000_000


def picture(navmesh: Any, view: str, metres: float) -> Colored | None:
    """Positions in Blender's axes and a color for each, or None where the stage was not kept."""
    if view == "OUTLINES":
        return _outlines(navmesh, metres)
    tiles = [navmesh.stages] if "grid" in navmesh.stages else list(navmesh.stages.values())
    draw = {"WALKABLE": _walkable, "REGIONS": _regions, "CONTOURS": _contours}[view]
    parts = [part for part in (draw(stages, metres) for stages in tiles) if part is not None]
    if not parts:
        return None
    return parts[0][0], np.concatenate([p[1] for p in parts]), np.concatenate([p[2] for p in parts])


def _outlines(navmesh: Any, metres: float) -> Colored:
    from ..navcore.types import NO_INDEX
    from ..navcore.world import world_vertices

    lines, colors = [], []
    for tile in navmesh.tiles:
        mesh = tile.polygon_mesh
        points = to_blender(world_vertices(mesh), metres)
        present = mesh.polygons != NO_INDEX
        following = np.where(np.roll(present, -1, axis=1), np.roll(mesh.polygons, -1, axis=1), mesh.polygons[:, :1])
        following[:, -1] = mesh.polygons[:, 0]
        ends = np.stack([mesh.polygons[present], following[present]], axis=1).astype(np.int64)
        outer = (mesh.neighbors[present] == NO_INDEX)[:, None]
        lines.append(points[ends.ravel()])
        colors.append(np.repeat(np.where(outer, (0.0, 0.1, 0.2, 1.0), (0.0, 0.35, 0.5, 0.5)), 2, axis=0))
    return "LINES", np.concatenate(lines), np.concatenate(colors).astype(np.float32)


def _cells(stages: Any, chosen: Any, metres: float) -> npt.NDArray[np.float32]:
    """The middle of open spans, on the floor."""
    compact, grid = stages["compact"], stages["compact_grid"]
    column = np.repeat(np.arange(compact.width * compact.depth), np.diff(compact.first))[chosen]
    cells = np.stack([column % compact.width + 0.5, compact.floor[chosen] + 0.3, column // compact.width + 0.5], axis=1)
    return to_blender(cells * (grid.cell_size, grid.cell_height, grid.cell_size) + grid.bounds_min, metres)


def _walkable(stages: Any, metres: float) -> Colored | None:
    if "eroded" not in stages:
        return None
    chosen = np.flatnonzero(stages["eroded"].area)[:MOST_POINTS]
    colors = np.array([(0.0, 0.6, 0.9, 1.0)], np.float32).repeat(len(chosen), axis=0)
    return "POINTS", _cells(stages, chosen, metres), colors


def _regions(stages: Any, metres: float) -> Colored | None:
    if "regions" not in stages:
        return None
    region = stages["regions"].region
    chosen = np.flatnonzero((region > 0) & (region < 0x8000))[:MOST_POINTS]
    table = np.array([(*palette_color(k), 1.0) for k in range(64)], np.float32)
    return "POINTS", _cells(stages, chosen, metres), table[region[chosen] % 64]


def _contours(stages: Any, metres: float) -> Colored | None:
    if "contours" not in stages or len(stages["contours"].points) == 0:
        return None
    from ..navcore.grid import without_border

    contours, grid = stages["contours"], without_border(stages["grid"])
    first = contours.first
    following = np.arange(1, len(contours.points) + 1)
    ends = first[1:][np.diff(first) > 0] - 1
    following[ends] = first[:-1][np.diff(first) > 0]
    points = contours.points[:, :3] * (grid.cell_size, grid.cell_height, grid.cell_size) + grid.bounds_min
    placed = to_blender(points, metres)
    lines = np.stack([placed, placed[following]], axis=1).reshape(-1, 3)
    table = np.array([(*palette_color(k), 1.0) for k in range(64)], np.float32)
    owner = np.repeat(contours.region, np.diff(first))
    return "LINES", lines, np.repeat(table[owner % 64], 2, axis=0)


def _draw() -> None:
    """Called by Blender for each 3D view."""
    context: Any = bpy.context
    scene = context.scene
    view = scene.navmesh.overlay
    if view == "NONE" or not context.space_data.overlay.show_overlays:
        return
    setup = active_setup(scene)
    thing = navmesh_objects(scene, setup.uid).get((setup.uid, POLYGON_MESH)) if setup is not None else None
    build = "" if thing is None else str(thing.get(BUILD, ""))
    built = results.find(build)
    if built is None:
        return
    shown = build, view, scene.unit_settings.scale_length
    if not _batch or _batch[0][0] != shown:
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


def _batch_of(drawn: Colored | None) -> tuple[Any, Any]:
    if drawn is None:
        return None, None
    import gpu
    from gpu_extras.batch import batch_for_shader

    kind, positions, colors = drawn
    shader: Any = gpu.shader.from_builtin("FLAT_COLOR")
    return shader, batch_for_shader(shader, kind, {"pos": positions, "color": colors})


def register() -> None:
    if not bpy.app.background:
        _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    while _handles:
        bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")
    _batch.clear()
