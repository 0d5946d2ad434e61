"""A tile in one kernel call: all stages, and the checks after them.

A tile takes a millisecond. With a call for every stage a quarter of it was Python between them, at which threads take
turns. Only what comes out sound at once is made here: whatever needs a second look (holes to be joined, anything to be
mended, told or refused) is left to the stages one by one, which make the same mesh of the same parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.columns import agent_of
from ..geometry.edge_distance import SIDES
from ..geometry.grid import raised, without_border
from ..jit import kernel
from ..settings import PARTITIONS, Settings
from ..stages.areas import eroded_in_one_call
from ..stages.compact import compact_in_one_call
from ..stages.contours import outlines_in_one_call, splitting_of
from ..stages.contours.holes import find_holes
from ..stages.detail import MOST_SAMPLES, WHOLE
from ..stages.detail.each_polygon import PolygonsToDetail, detail_in_one_call
from ..stages.detail.patch import HeightSource
from ..stages.detail.sampling import Sampling, sampling_of
from ..stages.distance import distance_field_in_one_call
from ..stages.filters import null_ledges, null_low_rooms, promote_obstacles
from ..stages.polygons import WELD_HEIGHT, polygons_in_one_call
from ..stages.polygons.mesh import MOST_CORNERS
from ..stages.rasterize import rasterize_rows
from ..stages.rasterize.frame import DONE, Soup, frame_of
from ..stages.regions import WATERSHED, divide_in_one_call
from ..stages.regions.overlaps import above_themselves
from ..threads import Workers
from ..types import (
    F32,
    PORTAL,
    U8,
    CompactHeightfield,
    Contours,
    DetailMesh,
    DistanceField,
    Grid,
    Heightfield,
    PolygonMesh,
    Regions,
)
from .checked_input import Geometry
from .validate import check_mesh, heights_of, limits_of
from .validate.detail import DetailFrame, check_details, detail_frame
from .validate.ground import Ground
from .validate.shape import Shape


class Whole(NamedTuple):
    """What the stages make of one grid."""

    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None
    spans: int
    open_spans: int
    regions: int
    contours: int


class _Ground(NamedTuple):
    """What stages 2 to 5 have to know beside the triangles."""

    filters: tuple[bool, bool, bool]  # low obstacles, ledges, low rooms
    agent: tuple[np.int32, np.int32]  # height and climb, vx
    shortest: np.uint16  # twice the way from an edge to the agent's center, vx


class _Outlines(NamedTuple):
    """What stages 6 to 9 and the checks after them have to know."""

    way: int  # of dividing
    areas: tuple[int, int]  # of the smallest region, and of the largest one to be joined, vx
    limit: np.float32  # squared error of edges, vx
    splitting: tuple[int, bool, bool]
    polygons: tuple[int, int]  # corners of one, and how far apart heights are welded
    sizes: tuple[int, int, int]  # of the grid without its border, and the border
    limits: tuple[int, int, int, bool]  # as in Shape
    slack: tuple[int, int, float]  # as `check_ground` takes it


class _Detail(NamedTuple):
    """What stage 10 and its check have to know."""

    wanted: bool
    sampling: Sampling
    origin: F32  # (3,)
    frame: DetailFrame


def fused_piece(grid: Grid, geometry: Geometry, area: U8, settings: Settings, workers: Workers) -> Whole | None:
    """Stages 2 to 10 over one grid, but for smoothing and volumes; None where something needs a second look."""
    voxels, border = settings.in_voxels(), grid.border
    inner, error = without_border(raised(grid, voxels.height_vx)), np.float32(voxels.edge_max_error_vx)
    filters = (
        settings.filter_low_hanging_obstacles,
        settings.filter_ledge_spans,
        settings.filter_walkable_low_height_spans,
    )
    ground = _Ground(filters, agent_of(voxels.height_vx, voxels.climb_vx), np.uint16(min(2 * voxels.radius_vx, 0xFFFF)))
    outlines = _Outlines(
        PARTITIONS.index(settings.partition),
        (voxels.region_min_area_vx, voxels.region_merge_area_vx),
        error * error,
        splitting_of(voxels.edge_max_length_vx, settings.tessellate_wall_edges, settings.tessellate_area_edges),
        (settings.vertices_per_polygon, WELD_HEIGHT),
        (inner.width, inner.depth, border),
        limits_of(inner, voxels.climb_vx),
        (border, voxels.climb_vx, float(error)),
    )
    detail = _Detail(
        settings.detail_mesh,
        sampling_of(inner, voxels.detail_sample_distance, voxels.detail_sample_max_error, error),
        inner.bounds_min,
        detail_frame(inner, *heights_of(inner, voxels.climb_vx)),
    )
    frame, soup = frame_of(grid, voxels.climb_vx), Soup(geometry.vertices, geometry.triangles, area)
    sound, counts, mesh, triangles = _piece(frame, soup, ground, outlines, detail, workers.progress.cancelled)
    workers.progress.check()
    if not sound:
        return None
    spans, open_spans, regions, contours, capacity = counts
    polygon_mesh = PolygonMesh._make((*mesh, capacity, error, inner))
    detail_mesh = DetailMesh(*triangles) if settings.detail_mesh else None
    return Whole(polygon_mesh, detail_mesh, spans, open_spans, regions, contours)


@kernel
def _piece(frame, soup, ground, outlines, detail, cancelled):
    """Whether all is sound; how many spans, open spans, regions and contours there are and the capacity; the meshes.

    (What sees the flag set leaves its result half done: nothing may go by it.)
    """
    status, spans, compact = _open_ground(frame, soup, ground, cancelled)
    if cancelled[0] != 0 or status != DONE:
        return _nothing()
    ids, count = _regions(compact, outlines, cancelled)
    if (
        cancelled[0] != 0
        or count < 0
        or (outlines.way == WATERSHED and above_themselves(compact.first, ids, count, cancelled).shape[0] > 0)
    ):
        return _nothing()
    border, region = outlines.sizes[2], ids.view(np.uint16)
    contours = _contours(outlines_in_one_call(compact, region, outlines.limit, outlines.splitting, border, cancelled))
    holes, leftmost = np.empty(contours.region.shape[0], np.uint8), np.empty(contours.region.shape[0], np.int32)
    if cancelled[0] != 0 or find_holes(contours.first, contours.points, holes, leftmost) > 0:
        return _nothing()
    corners, mesh, capacity, bad, failed = polygons_in_one_call(contours, outlines.polygons, outlines.sizes, cancelled)
    polygons = mesh[1].shape[0]
    if (
        cancelled[0] != 0
        or corners > MOST_CORNERS
        or failed > 0
        or bad.any()
        or polygons == 0
        or (border > 0 and polygons >= PORTAL)
    ):
        return _nothing()
    flags = np.zeros(polygons, np.uint32)
    if not _is_sound(mesh, Ground(compact, Regions(region, count), contours), outlines, flags, cancelled):
        return _nothing()
    triangles = _no_detail()
    if detail.wanted:
        wrong, triangles = _detail(compact, region, mesh, outlines, detail, flags, cancelled)
        if wrong:
            return _nothing()
    return True, (spans, compact.floor.shape[0], count, contours.region.shape[0], capacity), mesh, triangles


@kernel
def _nothing():
    """What `_piece` returns when something needs a second look."""
    corners, rows = np.empty((0, 3), np.uint16), np.empty((0, 0), np.uint16)
    mesh = corners, rows, rows, np.empty(0, np.uint16), np.empty(0, np.uint8)
    none = np.int64(0)
    return False, (none, none, none, none, none), mesh, _no_detail()


@kernel
def _no_detail():
    return np.empty((0, 4), np.uint32), np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8)


@kernel
def _open_ground(frame, soup, ground, cancelled):
    """A status, the number of solid spans, and a compact heightfield, which is right if the status is DONE."""
    width, depth, (height, climb), filters = frame.width, frame.depth, ground.agent, ground.filters
    status, (first, bottom, top, area) = rasterize_rows(frame, soup, cancelled, 0, depth)
    spans = top.shape[0]
    if status != DONE:
        none = np.empty(0, np.uint16)
        return status, spans, CompactHeightfield(width, depth, first, none, area, np.empty((0, 4), np.int32), area)
    filtered = np.empty(spans, np.uint8)
    if filters[0]:
        promote_obstacles(Heightfield(width, depth, first, bottom, top, area), climb, filtered, 0, depth)
        area, filtered = filtered, area
    if filters[1]:
        null_ledges(Heightfield(width, depth, first, bottom, top, area), height, climb, filtered, 0, depth)
        area, filtered = filtered, area
    if filters[2]:
        null_low_rooms(Heightfield(width, depth, first, bottom, top, area), height, filtered, 0, depth)
        area, filtered = filtered, area
    solid = Heightfield(width, depth, first, bottom, top, area)
    first, floor, clearance, neighbors, area = compact_in_one_call(solid, height, climb)
    compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    if ground.shortest > 0:
        area = eroded_in_one_call(compact, neighbors.reshape(-1).view(SIDES), ground.shortest, cancelled)
        compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    return status, spans, compact


@kernel
def _regions(compact, outlines, cancelled):
    """What `divide_in_one_call` returns."""
    smooth, longest = np.empty(0, np.uint16), np.int64(0)
    if outlines.way == WATERSHED:
        smooth, longest = distance_field_in_one_call(compact, compact.neighbors.reshape(-1).view(SIDES), cancelled)
    border = outlines.sizes[2]
    return divide_in_one_call(compact, DistanceField(smooth, longest), outlines.way, border, outlines.areas, cancelled)


@kernel
def _contours(arrays):
    first, points, raw_first, raw, region, area = arrays
    return Contours(first, points, raw_first, raw, region, area)


@kernel
def _is_sound(mesh, ground, outlines, flags, cancelled):
    """Whether polygons break no invariant."""
    vertices, polygons, neighbors, region, area = mesh
    shape = Shape(vertices, polygons, neighbors, region, area, outlines.limits)
    vertex_flags, region_flags = np.zeros(vertices.shape[0], np.uint8), np.zeros(ground.regions.count + 1, np.uint8)
    return not check_mesh(shape, ground, outlines.slack, flags, vertex_flags, region_flags, cancelled)


@kernel
def _detail(compact, region, mesh, outlines, detail, flags, cancelled):
    """Whether there is anything to be said about the detail; and its arrays."""
    vertices, polygons, _, polygon_region, _ = mesh
    width, depth, border = outlines.sizes
    to_detail = PolygonsToDetail(vertices, polygons, polygon_region, detail.origin)
    spans = compact.first, compact.floor, compact.neighbors, region
    source = HeightSource(compact.width, compact.depth, border, WHOLE, *spans, cancelled)
    status, meshes, points, triangles, tally = detail_in_one_call(
        to_detail, source, detail.sampling, width, depth, MOST_SAMPLES
    )
    wrong = cancelled[0] != 0 or status != 0 or tally.any()
    wrong = wrong or check_details(vertices, polygons, meshes, points, triangles, detail.frame, flags)
    return wrong, (meshes, points, triangles)
