"""A tile in one fused kernel call: all stages, and the checks after them.

A tile takes a millisecond. With a call for every stage a quarter of it was Python between them, at which threads take
turns. Only what breaks no invariant at once is made here: whatever needs a second look (anything to be
mended, reported or refused) is left to the stages one by one, which make the same mesh of the same parts. They go on
from the regions, where these were made.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..geometry.edge_distance import SIDES
from ..geometry.tile_spans import TileSpans, inner_spans
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
from ..stages.regions import WATERSHED, divide_in_one_call
from ..stages.regions.partitions import above_themselves
from ..threads import Workers
from ..types import (
    I32,
    PORTAL,
    U8,
    U16,
    U32,
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
from .recipe import GridRecipe, OpenGroundRecipe, PolygonRecipe, Recipe, SizesRecipe, grid_recipe
from .size_ground import MOST_PAIRS, SizePairs, ground_of_all, in_blocks, numbered_pairs, with_areas_again
from .validate import PolygonSources, check_mesh
from .validate.detail_checks import check_details
from .validate.polygon_checks import MeshShape


class StageCounts(NamedTuple):
    """How much stages made of one grid."""

    spans: AnyInt  # numbers of NumPy's where kernels run as plain Python
    open_spans: AnyInt
    regions: AnyInt
    contours: AnyInt


class TileOutlines(NamedTuple):
    """The outlines of all regions, and the same once holes are joined."""

    simplified: Contours
    joined: Contours


TilePolygons: TypeAlias = tuple[bool, StageCounts, AnyInt, MeshArrays, DetailMesh, TileSpans, TileOutlines]
"""What is made of ground, see `_build_kernel`."""
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


def build_fused(grid: Grid, geometry: Geometry, recipe: Recipe, workers: Workers) -> FusedTile | BegunTile | None:
    """Stages 2 to 10 over one grid, but for smoothing and volumes.

    Where something needs a second look it is what was made until then, or nothing where the ground needs one.
    """
    inner, on_grid = grid_recipe(recipe, grid)
    frame, cancelled = frame_of(grid, recipe.voxels.climb_vx), workers.progress.cancelled
    pairs: SizePairs | None = None
    if recipe.in_one_call is None:
        ground, (done, counts, capacity, mesh, detail, own, outlines) = _build_kernel(
            frame, geometry, recipe.open_ground, recipe.polygons, on_grid, recipe.keeps_solid, cancelled
        )
    else:
        made, values, numbers = _build_sizes_kernel(
            frame, geometry, (recipe.open_ground, recipe.in_one_call), recipe.polygons, on_grid, recipe.keeps_solid,
            cancelled,
        )  # fmt: skip
        ground, (done, counts, capacity, mesh, detail, own, outlines) = made
        pairs = SizePairs(ground.compact.area, values, numbers)
    workers.progress.check()
    own_spans = own if recipe.keeps_solid else None
    if not done and ground.regions < 0:
        return None
    polygon_mesh = PolygonMesh(*mesh, int(capacity), np.float32(recipe.voxels.edge_max_error_vx), inner)
    if not done:
        return BegunTile(ground, pairs, own_spans, outlines, polygon_mesh if len(polygon_mesh.polygons) else None)
    too_small = None
    if pairs is not None:
        polygon_mesh, too_small = with_areas_again(polygon_mesh, pairs, len(recipe.sizes))
    return FusedTile(polygon_mesh, detail if on_grid.detail_wanted else None, counts, own_spans, too_small)


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
def _build_kernel(
    frame: RasterFrame, geometry: Geometry, open_ground: OpenGroundRecipe, polygons: PolygonRecipe, on_grid: GridRecipe,
    keeps_solid: bool, cancelled: U8,
) -> tuple[GroundInRegions, TilePolygons]:  # fmt: skip
    """The ground; whether nothing needs a second look, the counts and the mesh's capacity, both meshes, and the tile's
    own spans.

    (Once `cancelled` is set, results are half done: nothing may go by them.)
    """
    border = on_grid.sizes[2]
    rows = (0, frame.depth), (0, frame.depth), border, keeps_solid
    status, spans, compact, own = ground_of_rows(frame, geometry, open_ground, rows, cancelled)
    if cancelled[0] != 0 or status != DONE:
        return _undivided(compact, spans), _needs_second_look(own)
    return _build_on(compact, (spans, own), polygons, on_grid, cancelled)


@kernel
def _build_sizes_kernel(
    frame: RasterFrame, geometry: Geometry, sources: tuple[OpenGroundRecipe, SizesRecipe], polygons: PolygonRecipe,
    on_grid: GridRecipe, keeps_solid: bool, cancelled: U8,
) -> tuple[tuple[GroundInRegions, TilePolygons], I32, U8]:  # fmt: skip
    """The same for several sizes of agents; and the pairs that stand for areas of the mesh, and their numbers."""
    open_ground, sizes = sources
    nothing, none = np.empty(0, np.int32), np.empty(0, np.uint8)
    status, solid, own = _solid_ground(frame, geometry, on_grid.sizes[2], keeps_solid, cancelled)
    spans = np.int64(solid.top.shape[0])
    if cancelled[0] != 0 or status != DONE:
        return (_undivided(_no_ground(solid), spans), _needs_second_look(own)), nothing, none
    compact, area, mask = ground_of_all(solid, open_ground, sizes, cancelled)
    of_span, values, numbers = numbered_pairs(area, mask, sizes.bit.shape[0])
    if cancelled[0] != 0 or values.shape[0] > MOST_PAIRS:
        return (_undivided(compact, spans), _needs_second_look(own)), nothing, none
    of_span, values, numbers = in_blocks(compact, of_span, values, numbers, sizes.bit.shape[0])
    width, depth, first, floor, clearance, neighbors, _ = compact
    ground = CompactHeightfield(width, depth, first, floor, clearance, neighbors, of_span)
    return _build_on(ground, (spans, own), polygons, on_grid, cancelled), values, numbers


@kernel
def _build_on(
    compact: CompactHeightfield, solid: tuple[AnyInt, TileSpans], polygons: PolygonRecipe, on_grid: GridRecipe,
    cancelled: U8,
) -> tuple[GroundInRegions, TilePolygons]:  # fmt: skip
    """What `_build_kernel` returns, of open ground; `solid`: how many solid spans there were, and the tile's own."""
    (spans, own), border = solid, on_grid.sizes[2]
    ids, count = _regions(compact, polygons, border, cancelled)
    if cancelled[0] != 0 or count < 0:
        return _undivided(compact, spans), _needs_second_look(own)
    ground = GroundInRegions(compact, ids.view(np.uint16), np.int64(count), np.int64(spans))
    if polygons.partition == WATERSHED and above_themselves(compact.first, ids, count, cancelled).shape[0] > 0:
        return ground, _needs_second_look(own)
    return ground, _polygons_on(ground, own, polygons, on_grid, cancelled)


@kernel
def _polygons_on(
    ground: GroundInRegions, own: TileSpans, polygons: PolygonRecipe, on_grid: GridRecipe, cancelled: U8
) -> TilePolygons:
    """The second half of what `_build_kernel` returns: stages 8 to 10 and the checks."""
    (compact, region, count, spans), border = ground, on_grid.sizes[2]
    limit, splitting = polygons.squared_edge_error, polygons.splitting
    contours = _contours(outlines_in_one_call(compact, region, limit, splitting, border, cancelled))
    simplified = contours
    holes, leftmost = np.zeros(contours.region.shape[0], np.uint8), np.zeros(contours.region.shape[0], np.int32)
    if find_holes(contours.first, contours.points, holes, leftmost) > 0:
        well, contours = joined_in_one_call(contours, holes, leftmost, cancelled)
        if not well:
            return _needs_second_look(own)
    if cancelled[0] != 0:
        return _needs_second_look(own)
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
        return _needs_second_look(own)
    flags, outlines = np.zeros(size, np.uint32), TileOutlines(simplified, contours)
    none, fit = np.int64(0), np.int64(capacity)
    if _breaks_invariants(
        mesh, PolygonSources(compact, Regions(region, int(count)), contours), on_grid, flags, cancelled
    ):
        return False, StageCounts(none, none, none, none), fit, mesh, _no_detail(), own, outlines
    detail = _no_detail()
    if on_grid.detail_wanted:
        wrong, detail = _detail(compact, region, mesh, on_grid, flags, cancelled)
        if wrong:
            return False, StageCounts(none, none, none, none), fit, mesh, _no_detail(), own, outlines
    counts = StageCounts(
        spans, np.int64(compact.floor.shape[0]), count, np.int64(contours.region.shape[0])
    )  # fmt: skip
    return True, counts, fit, mesh, detail, own, outlines


@kernel
def _undivided(compact: CompactHeightfield, spans: AnyInt) -> GroundInRegions:
    """What stands for ground that has no regions."""
    return GroundInRegions(compact, np.empty(0, np.uint16), np.int64(-1), np.int64(spans))


@kernel
def _no_ground(solid: Heightfield) -> CompactHeightfield:
    none, links = np.empty(0, np.uint16), np.empty((0, 4), np.int32)
    return CompactHeightfield(solid.width, solid.depth, solid.first, none, solid.area, links, solid.area)


@kernel
def _needs_second_look(own: TileSpans) -> TilePolygons:
    """What the kernel returns when the stages have to be run one by one."""
    corners, rows = np.empty((0, 3), np.uint16), np.empty((0, 0), np.uint16)
    mesh = corners, rows, rows, np.empty(0, np.uint16), np.empty(0, np.uint8)
    none = np.int64(0)
    outlines = TileOutlines(_no_contours(), _no_contours())
    return False, StageCounts(none, none, none, none), none, mesh, _no_detail(), own, outlines


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
def _solid_ground(
    frame: RasterFrame, geometry: Geometry, border: int, keeps_solid: bool, cancelled: U8
) -> tuple[int, Heightfield, TileSpans]:
    """Stage 2: a status, and if it is DONE what is solid, and the tile's own spans."""
    width, depth = frame.width, frame.depth
    status, (first, bottom, top, area) = rasterize_rows(frame, geometry, cancelled, 0, depth)
    solid = Heightfield(width, depth, first, bottom, top, area)
    own = inner_spans(first, bottom, top, width, border) if keeps_solid and status == DONE else _no_own_spans()
    return status, solid, own


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
def _breaks_invariants(
    mesh: MeshArrays, sources: PolygonSources, on_grid: GridRecipe, flags: U32, cancelled: U8
) -> bool:
    """Whether polygons break an invariant."""
    vertices, polygons, neighbors, region, area = mesh
    shape = MeshShape(vertices, polygons, neighbors, region, area, on_grid.limits)
    vertex_flags, region_flags = np.zeros(vertices.shape[0], np.uint8), np.zeros(sources.regions.count + 1, np.uint8)
    return check_mesh(shape, sources, on_grid.slack, flags, vertex_flags, region_flags, cancelled)


@kernel
def _detail(
    compact: CompactHeightfield, region: U16, mesh: MeshArrays, on_grid: GridRecipe, flags: U32, cancelled: U8
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
    wrong = wrong or check_details(vertices, polygons, meshes, points, triangles, on_grid.detail_frame, flags)
    return wrong, DetailMesh(meshes, points, triangles)
