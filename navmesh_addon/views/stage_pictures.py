"""What is drawn over the viewport, as arrays: outlines of the navmesh, or what a kept stage made. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..axes import to_blender
from ..objects.color_legend import palette_color

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh

Colored = tuple[str, npt.NDArray[np.float32], npt.NDArray[np.float32]]  # POINTS or LINES, positions, colors
Stages = Mapping[str, Any]  # what each stage made, by its name, as the navmesh keeps it
MOST_POINTS = 2_000_000


def picture(navmesh: NavMesh, view: str, metres: float) -> Colored | None:
    """Positions in Blender's axes and a color for each, or None where the stage was not kept."""
    if view == "OUTLINES":
        return _outlines(navmesh, metres)
    tiles = [navmesh.stages] if "grid" in navmesh.stages else list(navmesh.stages.values())
    draw = {"WALKABLE": _walkable, "REGIONS": _regions, "CONTOURS": _contours}[view]
    parts = [part for part in (draw(stages, metres) for stages in tiles) if part is not None]
    if not parts:
        return None
    return parts[0][0], np.concatenate([p[1] for p in parts]), np.concatenate([p[2] for p in parts])


def _outlines(navmesh: NavMesh, metres: float) -> Colored:
    """Edges of polygons along the ground; walls stand out, and borders of tiles are white."""
    from ...navcore.result.draped_edges import BORDER, INNER, WALL, draped_edges

    colors = np.empty((3, 4), np.float32)
    colors[INNER], colors[WALL], colors[BORDER] = (0.0, 0.19, 0.25, 0.5), (0.0, 0.12, 0.2, 1.0), (1.0, 1.0, 1.0, 0.6)
    edges = [draped_edges(tile) for tile in navmesh.tiles]
    points = np.concatenate([np.zeros((0, 3), np.float32), *(found.points.reshape(-1, 3) for found in edges)])
    kinds = np.concatenate([np.zeros(0, np.uint8), *(found.kind for found in edges)])
    return "LINES", np.ascontiguousarray(to_blender(points, metres)), np.repeat(colors[kinds], 2, axis=0)


def _cells(stages: Stages, chosen: npt.NDArray[np.intp], metres: float) -> npt.NDArray[np.float32]:
    """The middle of open spans, on the floor."""
    compact, grid = stages["compact"], stages["compact_grid"]
    column = np.repeat(np.arange(compact.width * compact.depth), np.diff(compact.first))[chosen]
    cells = np.stack([column % compact.width + 0.5, compact.floor[chosen] + 0.3, column // compact.width + 0.5], axis=1)
    return to_blender(cells * (grid.cell_size, grid.cell_height, grid.cell_size) + grid.bounds_min, metres)


def _walkable(stages: Stages, metres: float) -> Colored | None:
    if "eroded" not in stages:
        return None
    chosen = np.flatnonzero(stages["eroded"].area)[:MOST_POINTS]
    colors = np.array([(0.0, 0.6, 0.9, 1.0)], np.float32).repeat(len(chosen), axis=0)
    return "POINTS", _cells(stages, chosen, metres), colors


def _regions(stages: Stages, metres: float) -> Colored | None:
    if "regions" not in stages:
        return None
    from ...navcore.types import BORDER_REGION

    region = stages["regions"].region
    chosen = np.flatnonzero((region > 0) & (region < BORDER_REGION))[:MOST_POINTS]
    table = np.array([(*palette_color(k), 1.0) for k in range(64)], np.float32)
    return "POINTS", _cells(stages, chosen, metres), table[region[chosen] % 64]


def _contours(stages: Stages, metres: float) -> Colored | None:
    if "contours" not in stages or len(stages["contours"].points) == 0:
        return None
    from ...navcore.geometry.grid import without_border

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
