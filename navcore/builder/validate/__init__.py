"""What must hold of every finished mesh, checked after every build: its invariants, I1 to I14.

polygon_checks  a polygon mesh by itself: corners, winding, convexity, edges, neighbors, vertices, overlaps
ground_checks   polygons against the ground: corners, area, connections, area ids, portals on a tile's border
detail_checks   detail triangles against their polygons
invariants      what can be wrong, with a code and a sentence for each
violations      where it is wrong, for people
"""

from __future__ import annotations

import math

import numpy as np

from ...jit import kernel
from ...progress import Progress
from ...types import U8, U32, WALKABLE, DetailMesh, Grid, PolygonMesh
from .detail_checks import check_detail
from .ground_checks import PolygonSources, check_ground
from .invariants import POLYGON_RULES, Findings, Violation
from .polygon_checks import MeshShape, check_shape
from .violations import listed, place_of_region, place_of_span

__all__ = [
    "POLYGON_RULES",
    "Findings",
    "PolygonSources",
    "Violation",
    "check_mesh",
    "heights_of",
    "inspect",
    "inspect_detail",
    "limits_of",
    "listed",
    "place_of_region",
    "place_of_span",
]

_SLACK_VX = 2  # above the highest and below the lowest floor, for rounding


def inspect(
    mesh: PolygonMesh,
    detail: DetailMesh | None = None,
    sources: PolygonSources | None = None,
    climb_vx: int = 0,
    progress: Progress | None = None,
) -> Findings:
    """Look at one piece (a level built in one go, or one tile) and mark all that breaks an invariant.

    What is not given is not looked at. `climb_vx` is the agent's step: the slack that heights have.
    """
    progress = progress or Progress()
    flags, vertex_flags = np.zeros(len(mesh.polygons), np.uint32), np.zeros(len(mesh.vertices), np.uint8)
    region_flags = np.zeros(0 if sources is None else sources.regions.count + 1, np.uint8)
    area = mesh.area
    if sources is not None and sources.compact.area.max(initial=0) > WALKABLE:
        area = np.minimum(area, WALKABLE)  # the ground itself has areas above: doors, as long as it is divided
    shape = MeshShape(mesh.vertices, mesh.polygons, mesh.neighbors, mesh.region, area, limits_of(mesh.grid, climb_vx))
    if sources is None:
        bad = bool(check_shape(shape, flags, vertex_flags))
    else:
        slack = mesh.grid.border, climb_vx, float(mesh.max_edge_error)
        bad = bool(check_mesh(shape, sources, slack, flags, vertex_flags, region_flags, progress.cancelled))
        progress.check()
    if detail is not None:
        bad |= check_detail(mesh, detail, *heights_of(mesh.grid, climb_vx), flags)
    return Findings(flags, vertex_flags, region_flags, bad)


@kernel
def check_mesh(
    shape: MeshShape, sources: PolygonSources, slack: tuple[int, int, float], flags: U32, vertex_flags: U8,
    region_flags: U8, cancelled: U8,
) -> bool:  # fmt: skip
    """A mesh and its ground in one call: for a small tile, calls take longer than the checks."""
    bad = check_shape(shape, flags, vertex_flags)
    return check_ground(shape, sources, slack, flags, region_flags, cancelled) or bad


def inspect_detail(mesh: PolygonMesh, detail: DetailMesh, climb_vx: int = 0) -> Findings:
    """Mark the polygons whose detail breaks an invariant; the mesh itself has been inspected."""
    flags, none = np.zeros(len(mesh.polygons), np.uint32), np.zeros(0, np.uint8)
    bad = check_detail(mesh, detail, *heights_of(mesh.grid, climb_vx), flags)
    return Findings(flags, none, none, bad)


def limits_of(grid: Grid, climb_vx: int) -> tuple[int, int, int, bool]:
    """How far a mesh may reach, as in MeshShape."""
    _, top = heights_of(grid, climb_vx)
    return grid.width, top, grid.depth, grid.border > 0


def heights_of(grid: Grid, climb_vx: int) -> tuple[int, int]:
    """The least and the greatest height that anything may have, in voxels."""
    tall = (float(grid.bounds_max[1]) - float(grid.bounds_min[1])) / float(grid.cell_height)
    return -climb_vx - _SLACK_VX, math.ceil(tall) + climb_vx + _SLACK_VX
