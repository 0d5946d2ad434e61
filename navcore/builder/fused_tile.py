"""A tile in few fused kernel calls: its ground, then all stages after it and the checks after them.

A tile takes a millisecond. With a call for every stage a quarter of it was Python between them, at which threads take
turns. (In a single call all was compiled twice: for one size of agents and for several.) Only what breaks no invariant
at once is made here: whatever needs a second look (anything to be mended, reported or refused) is left to the stages
one by one, which make the same mesh of the same parts. They go on from the regions, where these were made.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..geometry.edge_distance import SIDES
from ..geometry.tile_spans import TileSpans, inner_spans, own_spans
from ..jit import kernel
from ..stages.areas import eroded_in_one_call
from ..stages.compact import compact_in_one_call
from ..stages.contours import outlines_in_one_call
from ..stages.contours.holes import find_holes, joined_in_one_call
from ..stages.detail.build_detail import MAX_SAMPLES, WHOLE
from ..stages.detail.each_polygon import PolygonsToDetail, detail_in_one_call
from ..stages.detail.heights import HeightSource
from ..stages.distance import distance_field_in_one_call
from ..stages.filters import null_ledges, null_low_rooms, promote_obstacles
from ..stages.polygons import polygons_in_one_call
from ..stages.polygons.mesh import MAX_CORNERS, MeshArrays
from ..stages.rasterize import rasterize_rows
from ..stages.rasterize.grid_frame import DONE, RasterFrame, frame_of
from ..stages.regions import WATERSHED, count_removed, divide_in_one_call
from ..stages.regions.partitions import above_themselves
from ..threads import Workers
from ..types import (
    I32,
    PORTAL,
    U8,
    U16,
    AnyInt,
    CompactHeightfield,
    Contours,
    DetailMesh,
    DistanceField,
    Geometry,
    Grid,
    Heightfield,
    PolygonMesh,
    Regions,
)
from .recipe import GridRecipe, OpenGroundRecipe, PolygonRecipe, Recipe, grid_recipe
from .size_ground import MOST_PAIRS, SizePairs, ground_of_all, in_blocks, numbered_pairs, with_areas_again
from .validate import Findings, PolygonSources, check_mesh
from .validate.detail_checks import check_details
from .validate.polygon_checks import MeshShape


class StageCounts(NamedTuple):
    """How much stages made of one grid."""

    spans: AnyInt  # numbers of NumPy's where kernels run as plain Python
    open_spans: AnyInt
    regions: AnyInt
    contours: AnyInt


class TileOutlines(NamedTuple):
    """The outlines of all regions, the same once holes are joined, and what is wrong about polygons in them."""

    simplified: Contours
    joined: Contours
    findings: Findings


TilePolygons: TypeAlias = tuple[bool, StageCounts, AnyInt, MeshArrays, DetailMesh, TileOutlines]
"""What is made of ground, see `_build_on`."""
GroundRows: TypeAlias = tuple[tuple[int, int], tuple[int, int], int, bool]
"""Rows of a grid, those among them whose spans are counted; the grid's border, and whether a tile's spans are kept."""


class GroundInRegions(NamedTuple):
    """Open ground and its regions: what polygons are made of."""

    compact: CompactHeightfield
    region: U16  # (O,) as in Regions
    regions: AnyInt  # how many; below 0 where there are none
    spans: AnyInt  # how many solid spans there were


class BegunTile(NamedTuple):
    """The ground of a grid whose polygons need a second look."""

    ground: GroundInRegions
    pairs: SizePairs | None  # that stand for its areas, where there are several sizes
    own_spans: TileSpans | None  # where they are kept
    outlines: TileOutlines
    polygon_mesh: PolygonMesh | None  # whole, but something about it has to be mended or said; None: none was made


class FusedTile(NamedTuple):
    """What the stages make of one grid."""

    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None
    counts: StageCounts
    own_spans: TileSpans | None  # where they are kept
    too_small: U16 | None = None  # as in Piece
    islands_removed: int = 0


def build_fused(grid: Grid, geometry: Geometry, recipe: Recipe, workers: Workers) -> FusedTile | BegunTile | None:
    """Stages 2 to 10 over one grid, but for smoothing and volumes.

    Where something needs a second look it is what was made until then, or nothing where the ground needs one.
    """
    inner, on_grid = grid_recipe(recipe, grid)
    found = _open_ground(grid, geometry, recipe, on_grid.sizes[2], workers)
    if found is None:
        return None
    pairs, own_spans = found.pairs, found.own_spans
    ground, (done, counts, capacity, mesh, detail, outlines) = _build_on(
        found.compact, found.spans, recipe.polygons, on_grid, workers.progress.cancelled
    )
    workers.progress.check()
    if not done and ground.regions < 0:
        return None
    polygon_mesh = PolygonMesh(*mesh, int(capacity), np.float32(recipe.voxels.edge_max_error_vx), inner)
    if not done:
        return BegunTile(ground, pairs, own_spans, outlines, polygon_mesh if len(polygon_mesh.polygons) else None)
    too_small = None
    if pairs is not None:
        polygon_mesh, too_small = with_areas_again(polygon_mesh, pairs, len(recipe.sizes))
    removed = count_removed(ground.compact, ground.region, workers.progress.cancelled)
    return FusedTile(polygon_mesh, detail if on_grid.detail_wanted else None, counts, own_spans, too_small, removed)


class _OpenGround(NamedTuple):
    """What stages 2 to 5 make of a grid."""

    compact: CompactHeightfield
    spans: int  # solid ones
    own_spans: TileSpans | None  # where they are kept
    pairs: SizePairs | None  # that stand for its areas, where there are several sizes


def _open_ground(
    grid: Grid, geometry: Geometry, recipe: Recipe, border: int, workers: Workers
) -> _OpenGround | None:  # fmt: skip
    """Stages 2 to 5, erosion included; None where something needs a second look."""
    frame, cancelled, depth = frame_of(grid, recipe.voxels.climb_vx), workers.progress.cancelled, grid.depth
    if recipe.in_one_call is not None:
        return _ground_of_sizes(frame, geometry, recipe, border, workers)
    rows = (0, depth), (0, depth), border, recipe.keeps_solid
    status, spans, compact, own = ground_of_rows(frame, geometry, recipe.open_ground, rows, cancelled)
    workers.progress.check()
    return _OpenGround(compact, int(spans), own if recipe.keeps_solid else None, None) if status == DONE else None


def _ground_of_sizes(
    frame: RasterFrame, geometry: Geometry, recipe: Recipe, border: int, workers: Workers
) -> _OpenGround | None:  # fmt: skip
    """The same for several sizes of agents. (A kernel for all of it would be compiled for nothing else.)"""
    cancelled, count, sizes = workers.progress.cancelled, len(recipe.sizes), recipe.in_one_call
    assert sizes is not None
    status, arrays = rasterize_rows(frame, geometry, cancelled, 0, frame.depth)
    workers.progress.check()
    if status != DONE:
        return None
    solid = Heightfield(frame.width, frame.depth, *arrays)
    kept = own_spans(solid, border) if recipe.keeps_solid else None
    compact, area, mask = ground_of_all(solid, recipe.open_ground, sizes, cancelled)
    workers.progress.check()
    pairs = SizePairs(*numbered_pairs(area, mask, count))
    if len(pairs.values) > MOST_PAIRS:
        return None
    pairs = SizePairs(*in_blocks(compact, *pairs, count))
    return _OpenGround(compact._replace(area=pairs.of_span), len(solid.top), kept, pairs)


def open_ground_in_one_call(
    grid: Grid, geometry: Geometry, recipe: Recipe, workers: Workers
) -> CompactHeightfield | None:  # fmt: skip
    """Stages 2 to 5 over one grid, erosion included; None where rasterizing has something to say."""
    frame, cancelled = frame_of(grid, recipe.voxels.climb_vx), workers.progress.cancelled
    rows = (0, grid.depth), (0, grid.depth), grid.border, False
    status, _, compact, _ = ground_of_rows(frame, geometry, recipe.open_ground, rows, cancelled)
    workers.progress.check()
    return compact if status == DONE else None


@kernel
def _build_on(
    compact: CompactHeightfield, spans: AnyInt, polygons: PolygonRecipe, on_grid: GridRecipe, cancelled: U8
) -> tuple[GroundInRegions, TilePolygons]:
    """Stages 6 to 10 on open ground; `spans`: how many solid ones there were.

    The ground; whether nothing needs a second look, the counts and the mesh's capacity, both meshes, and the outlines.
    (Once `cancelled` is set, results are half done: nothing may go by them.)
    """
    border = on_grid.sizes[2]
    ids, count = _regions(compact, polygons, border, cancelled)
    if cancelled[0] != 0 or count < 0:
        return _undivided(compact, spans), _needs_second_look()
    ground = GroundInRegions(compact, ids.view(np.uint16), np.int64(count), np.int64(spans))
    if polygons.partition == WATERSHED and above_themselves(compact.first, ids, count, cancelled).shape[0] > 0:
        return ground, _needs_second_look()
    return ground, _polygons_on(ground, polygons, on_grid, cancelled)


@kernel
def _polygons_on(ground: GroundInRegions, polygons: PolygonRecipe, on_grid: GridRecipe, cancelled: U8) -> TilePolygons:
    """The second half of what `_build_on` returns: stages 8 to 10 and the checks."""
    (compact, region, count, spans), border = ground, on_grid.sizes[2]
    limit, splitting = polygons.squared_edge_error, polygons.splitting
    contours = _contours(outlines_in_one_call(compact, region, limit, splitting, border, cancelled))
    simplified = contours
    holes, leftmost = np.zeros(contours.region.shape[0], np.uint8), np.zeros(contours.region.shape[0], np.int32)
    if find_holes(contours.first, contours.points, holes, leftmost) > 0:
        well, contours = joined_in_one_call(contours, holes, leftmost, cancelled)
        if not well:
            return _needs_second_look()
    if cancelled[0] != 0:
        return _needs_second_look()
    wanted = polygons.corners_per_polygon, polygons.weld_height_vx
    corners, mesh, capacity, bad, failed = polygons_in_one_call(contours, wanted, on_grid.sizes, cancelled)
    size = mesh[1].shape[0]
    if (
        cancelled[0] != 0
        or corners > MAX_CORNERS
        or failed > 0
        or bad.any()
        or size == 0
        or (border > 0 and size >= PORTAL)
    ):
        return _needs_second_look()
    none, fit = np.int64(0), np.int64(capacity)
    sources = PolygonSources(compact, Regions(region, int(count)), contours)
    findings = _looked_at(mesh, sources, on_grid, cancelled)
    outlines = TileOutlines(simplified, contours, findings)
    if findings.any:
        return False, StageCounts(none, none, none, none), fit, mesh, _no_detail(), outlines
    detail = _no_detail()
    if on_grid.detail_wanted:
        wrong, detail = _detail(compact, region, mesh, on_grid, cancelled)
        if wrong:
            return False, StageCounts(none, none, none, none), fit, mesh, _no_detail(), outlines
    counts = StageCounts(
        spans, np.int64(compact.floor.shape[0]), count, np.int64(contours.region.shape[0])
    )  # fmt: skip
    return True, counts, fit, mesh, detail, outlines


@kernel
def _undivided(compact: CompactHeightfield, spans: AnyInt) -> GroundInRegions:
    """What stands for ground that has no regions."""
    return GroundInRegions(compact, np.empty(0, np.uint16), np.int64(-1), np.int64(spans))


@kernel
def _needs_second_look() -> TilePolygons:
    """What the kernel returns when the stages have to be run one by one."""
    corners, rows = np.empty((0, 3), np.uint16), np.empty((0, 0), np.uint16)
    mesh = corners, rows, rows, np.empty(0, np.uint16), np.empty(0, np.uint8)
    none = np.int64(0)
    findings = Findings(np.empty(0, np.uint32), np.empty(0, np.uint8), np.empty(0, np.uint8), False)
    outlines = TileOutlines(_no_contours(), _no_contours(), findings)
    return False, StageCounts(none, none, none, none), none, mesh, _no_detail(), outlines


@kernel
def _no_contours() -> Contours:
    first, points = np.zeros(1, np.int32), np.empty((0, 4), np.int32)
    return Contours(first, points, first, points, np.empty(0, np.uint16), np.empty(0, np.uint8))


@kernel
def _no_detail() -> DetailMesh:
    return DetailMesh(np.empty((0, 4), np.uint32), np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8))


@kernel
def _no_own_spans() -> TileSpans:
    return TileSpans(np.empty(0, np.uint16), np.empty(0, np.uint16), np.empty(0, np.uint16))


@kernel
def ground_of_rows(
    frame: RasterFrame, geometry: Geometry, recipe: OpenGroundRecipe, rows: GroundRows, cancelled: U8
) -> tuple[int, AnyInt, CompactHeightfield, TileSpans]:
    """A status, a number of solid spans, a compact heightfield of rows and a tile's own spans, right if it is DONE."""
    (begin, end), (own_begin, own_end), border, keeps_solid = rows
    width, depth, height, climb = frame.width, end - begin, recipe.height_vx, recipe.climb_vx
    status, (first, bottom, top, area) = rasterize_rows(frame, geometry, cancelled, begin, end)
    spans = np.int64(0)
    if status == DONE:
        spans = np.int64(first[(own_end - begin) * width]) - np.int64(first[(own_begin - begin) * width])
    if status != DONE:
        none = np.empty(0, np.uint16)
        nothing = CompactHeightfield(width, depth, first, none, area, np.empty((0, 4), np.int32), area)
        return status, spans, nothing, _no_own_spans()
    own = inner_spans(first, bottom, top, width, border) if keeps_solid else _no_own_spans()
    filtered = np.empty(top.shape[0], np.uint8)
    if recipe.low_obstacles:
        promote_obstacles(Heightfield(width, depth, first, bottom, top, area), climb, filtered, 0, depth)
        area, filtered = filtered, area
    if recipe.ledges:
        null_ledges(Heightfield(width, depth, first, bottom, top, area), (height, climb), filtered, 0, depth)
        area, filtered = filtered, area
    if recipe.low_rooms:
        null_low_rooms(Heightfield(width, depth, first, bottom, top, area), height, filtered, 0, depth)
        area, filtered = filtered, area
    solid = Heightfield(width, depth, first, bottom, top, area)
    first, floor, clearance, neighbors, area = compact_in_one_call(solid, (height, climb))
    compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    if recipe.shortest > 0:
        area = eroded_in_one_call(compact, neighbors.reshape(-1).view(SIDES), recipe.shortest, cancelled)
        compact = CompactHeightfield(width, depth, first, floor, clearance, neighbors, area)
    return status, spans, compact, own


@kernel
def _regions(compact: CompactHeightfield, recipe: PolygonRecipe, border: int, cancelled: U8) -> Any:
    """What `divide_in_one_call` returns."""
    smooth = np.empty(0, np.uint16)
    longest: Any = np.int64(0)
    if recipe.partition == WATERSHED:
        smooth, longest = distance_field_in_one_call(compact, compact.neighbors.reshape(-1).view(SIDES), cancelled)
    distance = DistanceField(smooth, longest)
    return divide_in_one_call(compact, distance, recipe.partition, border, recipe.region_areas_vx, cancelled)


@kernel
def _contours(arrays: tuple[I32, I32, I32, I32, U16, U8]) -> Contours:
    first, points, raw_first, raw, region, area = arrays
    return Contours(first, points, raw_first, raw, region, area)


@kernel
def _looked_at(mesh: MeshArrays, sources: PolygonSources, on_grid: GridRecipe, cancelled: U8) -> Findings:
    """What about polygons breaks an invariant."""
    vertices, polygons, neighbors, region, area = mesh
    shape = MeshShape(vertices, polygons, neighbors, region, area, on_grid.limits)
    flags, vertex_flags = np.zeros(region.shape[0], np.uint32), np.zeros(vertices.shape[0], np.uint8)
    region_flags = np.zeros(sources.regions.count + 1, np.uint8)
    bad = check_mesh(shape, sources, on_grid.slack, flags, vertex_flags, region_flags, cancelled)
    return Findings(flags, vertex_flags, region_flags, bad)


@kernel
def _detail(
    compact: CompactHeightfield, region: U16, mesh: MeshArrays, on_grid: GridRecipe, cancelled: U8
) -> tuple[bool, DetailMesh]:
    """Whether there is anything to be said about the detail; and the detail."""
    vertices, polygons, _, polygon_region, _ = mesh
    width, depth, border = on_grid.sizes
    to_detail = PolygonsToDetail(vertices, polygons, polygon_region, on_grid.origin)
    spans = compact.first, compact.floor, compact.neighbors, region
    source = HeightSource(compact.width, compact.depth, border, WHOLE, *spans, cancelled)
    status, meshes, points, triangles, tally = detail_in_one_call(
        to_detail, source, on_grid.sampling, width, depth, MAX_SAMPLES
    )
    wrong: Any = cancelled[0] != 0 or status != 0 or tally.any()
    flags = np.zeros(polygons.shape[0], np.uint32)
    wrong = wrong or check_details(vertices, polygons, meshes, points, triangles, on_grid.detail_frame, flags)
    return wrong, DetailMesh(meshes, points, triangles)
