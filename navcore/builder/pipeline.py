"""THE pipeline: triangles in, polygon mesh and detail mesh out. It reads aloud as the algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..build_warning import BuildWarning
from ..errors import Cancelled, NavmeshError, NothingWalkable
from ..geometry.edge_distance import MIN_SPANS
from ..geometry.grid import raised
from ..geometry.tile_spans import TileSpans, own_spans
from ..scene import Volume
from ..settings import Settings
from ..stages.areas import erode_walkable_area, mark_volumes, median_filter_walkable_area, touching
from ..stages.compact import build_compact_heightfield
from ..stages.contours import JoinedBefore, simplified_outlines, with_holes_joined
from ..stages.detail import build_detail_mesh
from ..stages.distance import build_distance_field
from ..stages.filters import filter_ledge_spans, filter_low_hanging_obstacles, filter_walkable_low_height_spans
from ..stages.polygons import PolygonMemory, PolygonsBefore, build_polygon_mesh
from ..stages.rasterize import rasterize_triangles
from ..stages.regions import build_regions, count_removed, overlapping_regions
from ..stages.walkable import classify_triangles
from ..threads import Workers
from ..types import U16, CompactHeightfield, Contours, DetailMesh, Geometry, Grid, Heightfield, PolygonMesh, Regions
from .build_limits import check_spans
from .cold_builds import goes_stage_by_stage
from .door_ground import DoorGround, PieceDoor
from .edit_marks import TileEdits, is_edit
from .fused_tile import BegunTile, FusedTile, StageCounts, TileOutlines, build_fused
from .ground_in_bands import open_ground_in_bands
from .nothing_walkable import why_nothing_walkable
from .recipe import Recipe
from .repair import RegionPolygons, check_and_mend_detail, check_and_mend_polygons, look_at_polygons
from .size_ground import (
    GroundOfSize,
    MaskedGround,
    SizePairs,
    ground_of_all,
    masked_ground,
    size_pairs,
    walkable_for_any,
    with_areas_again,
)
from .validate import Findings, PolygonSources, place_of_region

Keep = Callable[[str, Any], None]
STAGES = 12  # at most; what the percent of a progress line is counted in


class Piece(NamedTuple):
    """What the stages make of one grid: a whole level or one tile."""

    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None
    counts: dict[str, int]
    warnings: list[BuildWarning]
    doors: tuple[PieceDoor, ...] = ()
    too_small: U16 | None = None  # (P,) bit i: too small for the i-th size; None where there is one size


def mark_ground(geometry: Geometry, settings: Settings, workers: Workers) -> Geometry:
    """Stage 1, once for all pieces of a level: an area for each triangle, 0 where it is too steep to stand on."""
    with workers.progress.stage("walkable"):
        return classify_triangles(geometry, settings.agent_max_slope, workers)


def build_piece(
    grid: Grid,
    geometry: Geometry,
    recipe: Recipe,
    volumes: Sequence[Volume],
    workers: Workers,
    keep: Keep | None,
    keep_spans: Callable[[TileSpans], object] | None = None,
) -> Piece:
    """Run stages 2 to 10 over one grid; `geometry` is what stage 1 made of the triangles.

    `keep` is called with the name and bundle of every stage. Where it is None, nobody looks at the stages one by one,
    nor at the time that each takes: small pieces are built in one call. `keep_spans` is called with what is solid
    within the border. Raises NothingWalkable where no polygon remains.
    """
    settings, volumes = recipe.settings, touching(grid, volumes)
    begun: BegunTile | None = None
    if keep is None and _is_for_one_call(grid, settings, volumes, workers):
        made = _in_one_call(grid, geometry, recipe, workers, keep_spans)
        if isinstance(made, Piece):
            return made
        begun = made
    keep = keep or forget
    edits = TileEdits(grid, volumes, recipe.voxels, workers) if any(map(is_edit, volumes)) else None
    doors, inner = DoorGround(volumes), raised(grid, recipe.voxels.height_vx)
    if begun is None:
        sources = geometry, volumes, edits, doors
        compact, regions, spans, pairs, in_bands = _divided_ground(grid, sources, recipe, workers, keep, keep_spans)
    else:
        ground, pairs, in_bands = begun.ground, begun.pairs, False
        compact, regions, spans = ground.compact, Regions(ground.region, int(ground.regions)), int(ground.spans)
    removed = count_removed(compact, regions.region, workers.progress.cancelled)
    outline, findings = _Outlines(inner, recipe, workers), None
    if begun is not None and begun.polygon_mesh is not None:
        outline.keep(compact, RegionPolygons(regions, begun.outlines.joined, begun.polygon_mesh, []), begun.outlines)
        findings = begun.outlines.findings
    looks_ahead = in_bands and not doors
    outlined, warnings, ahead = _checked(outline, compact, regions, recipe, workers, looks_ahead, findings)
    mesh, under_doors = doors.joined(outlined.mesh) if doors else (outlined.mesh, ())
    mesh, too_small = with_areas_again(mesh, pairs, len(recipe.sizes)) if pairs else (mesh, None)
    keep("regions", outlined.regions)
    keep("contours", outlined.contours)
    keep("polygon_mesh", mesh)
    if len(outlined.mesh.polygons) == 0:
        raise _why_nothing(geometry, compact, settings, edits)
    detail = None
    if settings.detail_mesh:
        detail, notes = ahead[:2] if ahead else _sampled(outlined, compact, recipe, workers)
        detail, more = check_and_mend_detail(outlined, detail, compact, recipe, workers)
        warnings += [*notes, *more]
        keep("detail_mesh", detail)
    stage_counts = StageCounts(spans, len(compact.floor), outlined.regions.count, len(outlined.contours.region))
    counts = counts_of(outlined.mesh, detail, stage_counts, removed)
    overlapping = ahead.overlapping if ahead else _overlapping(outlined, compact, settings.partition, workers)
    overlaps = _overlaps(outlined, compact, overlapping)
    told = [*overlaps, *outlined.warnings, *warnings, *(edits.rows() if edits is not None else ())]
    return Piece(mesh, detail, counts, told, under_doors, too_small)


class _Divided(NamedTuple):
    """Ground and its regions: what polygons are made of."""

    compact: CompactHeightfield
    regions: Regions
    spans: int
    pairs: SizePairs | None  # that stand for its areas, where there are several sizes
    in_bands: bool  # whether several threads have made it


def _divided_ground(
    grid: Grid, sources: tuple[Geometry, Sequence[Volume], TileEdits | None, DoorGround], recipe: Recipe,
    workers: Workers, keep: Keep, keep_spans: Callable[[TileSpans], object] | None,
) -> _Divided:  # fmt: skip
    """Stages 2 to 7."""
    geometry, volumes, edits, doors = sources
    keep("grid", grid)
    keep("triangle_areas", geometry.area)
    in_bands = keep is forget and keep_spans is None and edits is None and not recipe.sizes
    shared = open_ground_in_bands(grid, geometry, recipe, workers) if in_bands else None
    rasterize = partial(_solid_ground, grid, geometry, recipe, workers, keep_spans)
    of_sizes = _ground_of_sizes(grid, rasterize, (recipe, volumes, edits), workers, keep) if recipe.sizes else None
    compact, spans = of_sizes[:2] if of_sizes else shared or open_ground(rasterize, recipe, workers, keep, edits)
    grid = raised(grid, recipe.voxels.height_vx)
    keep("compact_grid", grid)
    if of_sizes is None and (recipe.settings.median_filter or volumes):
        with workers.progress.stage("areas"):
            marks = edits or volumes
            compact = marked_ground(grid, compact, recipe.settings.median_filter, marks, workers, keep)
    compact = doors.split(grid, compact, workers) if doors else compact
    regions = _divided(grid, compact, recipe, workers, keep, (edits, doors))
    return _Divided(compact, regions, spans, of_sizes.pairs if of_sizes else None, shared is not None)


def _is_for_one_call(grid: Grid, settings: Settings, volumes: Sequence[Volume], workers: Workers) -> bool:
    """Whether the kernel for all stages knows what is to be done, and no thread has to help."""
    plain = not volumes and not settings.median_filter and not goes_stage_by_stage()
    return plain and workers.in_one_call(grid.width * grid.depth)


def _why_nothing(
    geometry: Geometry, compact: CompactHeightfield, settings: Settings, edits: TileEdits | None
) -> NothingWalkable:
    reason = why_nothing_walkable(geometry, compact, settings)
    return reason if edits is None else edits.blamed(reason)


def _in_one_call(
    grid: Grid,
    geometry: Geometry,
    recipe: Recipe,
    workers: Workers,
    keep_spans: Callable[[TileSpans], object] | None,
) -> Piece | BegunTile | None:
    """All stages of a small piece; the first ones, or None, where they are to be run one by one."""
    with workers.progress.stage("tile"):
        tile = build_fused(grid, geometry, recipe, workers)
    if keep_spans is not None and tile is not None and tile.own_spans is not None:
        keep_spans(tile.own_spans)
    if not isinstance(tile, FusedTile):
        return tile
    counts = counts_of(tile.polygon_mesh, tile.detail_mesh, tile.counts, tile.islands_removed)
    return Piece(tile.polygon_mesh, tile.detail_mesh, counts, [], (), tile.too_small)


def _solid_ground(
    grid: Grid,
    geometry: Geometry,
    recipe: Recipe,
    workers: Workers,
    keep_spans: Callable[[TileSpans], object] | None,
) -> Heightfield:
    """Stage 2."""
    solid = rasterize_triangles(grid, *geometry, recipe.voxels.climb_vx, workers)
    check_spans(solid, grid, recipe.settings.partition)
    if keep_spans is not None:
        keep_spans(own_spans(solid, grid.border))
    return solid


def open_ground(
    rasterize: Callable[[], Heightfield], recipe: Recipe, workers: Workers, keep: Keep, edits: TileEdits | None = None
) -> tuple[CompactHeightfield, int]:
    """Stages 2 to 5, erosion included: open ground, and how many solid spans there were.

    `rasterize` is stage 2, of a whole grid or of a window of one (ground_window.py).
    """
    compact, spans = _standing_ground(rasterize, recipe, workers, keep, edits)
    return _eroded(compact, recipe, workers, keep), spans


def _standing_ground(
    rasterize: Callable[[], Heightfield], recipe: Recipe, workers: Workers, keep: Keep, edits: TileEdits | None
) -> tuple[CompactHeightfield, int]:
    """Stages 2 to 4: where agents of a height stand, however wide they are."""
    stage, voxels, filters = workers.progress.stage, recipe.voxels, recipe.open_ground
    with stage("rasterize"):
        solid = rasterize()
        keep("rasterized", solid)
    with stage("filters"):
        if filters.low_obstacles:
            solid = filter_low_hanging_obstacles(solid, voxels.climb_vx, workers)
        keep("low_hanging", solid)
        if filters.ledges:
            solid = filter_ledge_spans(solid, voxels.height_vx, voxels.climb_vx, workers)
        keep("ledges", solid)
        if filters.low_rooms:
            solid = filter_walkable_low_height_spans(solid, voxels.height_vx, workers)
        if edits is not None:
            solid = edits.restored(solid)
        keep("low_height", solid)
    with stage("compact"):
        compact = build_compact_heightfield(solid, voxels.height_vx, voxels.climb_vx, workers)
        keep("compact", compact)
    return compact, len(solid.top)  # `solid` goes: the largest arrays of the first half, which nobody looks at later


def _eroded(compact: CompactHeightfield, recipe: Recipe, workers: Workers, keep: Keep) -> CompactHeightfield:
    """The first part of stage 5."""
    with workers.progress.stage("areas"):
        compact = erode_walkable_area(compact, recipe.voxels.radius_vx, workers)
        keep("eroded", compact)
    return compact


class _SizedGround(NamedTuple):
    """The open ground of several sizes: areas are pairs of an area and a mask."""

    compact: CompactHeightfield
    spans: int
    pairs: SizePairs


def _ground_of_sizes(
    grid: Grid, rasterize: Callable[[], Heightfield], sources: tuple[Recipe, Sequence[Volume], TileEdits | None],
    workers: Workers, keep: Keep,
) -> _SizedGround:  # fmt: skip
    """Stages 2 to 5 for all sizes: each has the ground that it would have alone."""
    recipe, volumes, _ = sources
    with workers.progress.stage("rasterize"):
        solid = rasterize()
        keep("rasterized", solid)
    if (
        not volumes
        and not recipe.settings.median_filter
        and recipe.in_one_call is not None
        and workers.in_one_call(len(solid.first), 2 * MIN_SPANS)
    ):
        with workers.progress.stage("areas"):
            made = ground_of_all(solid, recipe.open_ground, recipe.in_one_call, workers.progress.cancelled)
            compact, ground = made[0], MaskedGround(*made[1:])
    else:
        compact, ground = _masked_one_by_one(grid, solid, sources, workers)
    keep("compact", compact)
    for name in ("eroded", "marked"):
        keep(name, compact._replace(area=ground.area))
    keep("sizes", ground)
    pairs = size_pairs(ground, len(recipe.sizes), compact)
    return _SizedGround(compact._replace(area=pairs.of_span), len(solid.top), pairs)


def _masked_one_by_one(
    grid: Grid, solid: Heightfield, sources: tuple[Recipe, Sequence[Volume], TileEdits | None], workers: Workers
) -> tuple[CompactHeightfield, MaskedGround]:
    """Stages 3 to 5 for each size by itself; those of one height share what they can."""
    recipe, volumes, edits = sources
    stage, median_filter = workers.progress.stage, recipe.settings.median_filter
    standing: dict[int, tuple[CompactHeightfield, dict[str, Any]]] = {}
    grounds = []
    for voxels in recipe.sizes:
        own, height = recipe._replace(voxels=voxels), voxels.height_vx
        own_edits = None if edits is None else TileEdits(grid, volumes, voxels, workers)
        if height not in standing or own_edits is not None:  # patches are remembered where they are restored
            stages: dict[str, Any] = {}
            ground, _ = _standing_ground(lambda: solid, own, workers, stages.__setitem__, own_edits)
            standing[height] = ground, stages
        ground, stages = standing[height]
        compact = _eroded(ground, own, workers, forget)
        if median_filter or volumes:
            with stage("areas"):
                compact = marked_ground(grid, compact, median_filter, own_edits or volumes, workers, forget)
        if edits is not None and own_edits is not None:
            for key, count in own_edits.cells.items():
                edits.cells[key] = max(count, edits.cells.get(key, 0))
        grounds.append(GroundOfSize(stages["low_height"].area, compact))
    anybody = walkable_for_any(grounds)
    with stage("compact"):
        voxels = recipe.voxels
        joint = build_compact_heightfield(solid._replace(area=anybody), voxels.height_vx, voxels.climb_vx, workers)
        return joint, masked_ground(anybody, grounds)


def marked_ground(
    grid: Grid,
    compact: CompactHeightfield,
    median_filter: bool,
    volumes: Sequence[Volume] | TileEdits,
    workers: Workers,
    keep: Keep,
    corner: tuple[int, int] = (0, 0),
) -> CompactHeightfield:
    """The rest of stage 5: areas smoothed and marked; `corner` is where a window of the grid begins."""
    if median_filter:
        compact = median_filter_walkable_area(compact, workers)
        keep("median", compact)
    if isinstance(volumes, TileEdits):
        compact = volumes.marked(grid, compact)
        keep("marked", compact)
    elif volumes:
        compact = mark_volumes(grid, compact, volumes, workers, corner)
        keep("marked", compact)
    return compact


def _divided(
    grid: Grid, compact: CompactHeightfield, recipe: Recipe, workers: Workers, keep: Keep,
    marks: tuple[TileEdits | None, DoorGround],
) -> Regions:  # fmt: skip
    """Stages 6 and 7."""
    stage, partition = workers.progress.stage, recipe.settings.partition
    distance = None
    if partition == "watershed":
        with stage("distance"):
            distance = build_distance_field(compact, workers)
            keep("distance", distance)
    with stage("regions"):
        least, most_merged = recipe.polygons.region_areas_vx
        whole = partial(build_regions, compact, distance, partition, grid.border, least, most_merged, workers)
        regions = workers.alone(whole)
        edits, doors = marks
        divide = partial(build_regions, compact, distance, partition, grid.border, 0, most_merged, workers)
        if doors:
            regions = doors.kept(compact, regions, divide)
        return regions if edits is None else edits.kept(grid, compact, regions, divide)


class _Outlines:
    """Stages 8 and 9: polygons around regions.

    Mending changes a few regions: what came of the others is kept from call to call. The first steps change neither
    ground nor regions: what was walked and simplified there is kept, too.
    """

    def __init__(self, grid: Grid, recipe: Recipe, workers: Workers) -> None:
        self._grid, self._recipe, self._workers = grid, recipe, workers
        self._simplified: tuple[CompactHeightfield, Regions, Contours] | None = None
        self._made: RegionPolygons | None = None
        self._joined: JoinedBefore | None = None
        self._polygons = PolygonMemory()

    def keep(self, compact: CompactHeightfield, made: RegionPolygons, outlines: TileOutlines) -> None:
        """What a call would make of this ground, made already."""
        self._simplified, self._made = (compact, made.regions, outlines.simplified), made
        self._joined = JoinedBefore(outlines.simplified, made.contours)
        if self._grid.border == 0:
            bad, mesh, weld_vx = (
                np.zeros(len(made.contours.region), np.uint8),
                made.mesh,
                self._recipe.polygons.weld_height_vx,
            )
            self._polygons.before = PolygonsBefore(made.contours, mesh.polygons, mesh.region, bad, weld_vx)

    def __call__(
        self, compact: CompactHeightfield, regions: Regions, sharpen: Callable[[Contours], Contours] | None = None
    ) -> RegionPolygons:
        """`sharpen` is for regions that have to be mended: it changes outlines before holes are joined."""
        if sharpen is None and self._made is not None and self._made.regions is regions:
            return self._made
        grid, workers, error = self._grid, self._workers, self._recipe.voxels.edge_max_error_vx
        stage, polygons = workers.progress.stage, self._recipe.polygons
        warnings: list[BuildWarning] = []
        with stage("contours"):
            outlines = self._of(compact, regions)
            if sharpen is not None:
                outlines = sharpen(outlines)
            contours = with_holes_joined(grid, outlines, workers, warnings, self._joined)
            self._joined = None if warnings else JoinedBefore(outlines, contours)
        with stage("polygons"):
            weld_vx = polygons.weld_height_vx if sharpen is None else self._recipe.weld_height_while_mending_vx
            sides = polygons.corners_per_polygon
            mesh = build_polygon_mesh(grid, contours, sides, error, workers, warnings, weld_vx, self._polygons)
        return RegionPolygons(regions, contours, mesh, warnings)

    def _of(self, compact: CompactHeightfield, regions: Regions) -> Contours:
        kept = self._simplified
        if kept is not None and kept[0] is compact and kept[1] is regions:
            return kept[2]
        error, splitting = self._recipe.voxels.edge_max_error_vx, self._recipe.polygons.splitting
        outlines = simplified_outlines(compact, regions, error, splitting, self._grid.border, self._workers)
        self._simplified = compact, regions, outlines
        return outlines


def _checked(
    outline: Callable[..., RegionPolygons], compact: CompactHeightfield, regions: Regions, recipe: Recipe,
    workers: Workers, looks_ahead: bool, findings: Findings | None,
) -> tuple[RegionPolygons, list[BuildWarning], _Ahead | None]:  # fmt: skip
    """Stages 8 and 9, checked and mended, and what there is to say; what was made beside, of polygons that stay.

    `findings` are about the polygons that there are already.
    """
    first, ahead = outline(compact, regions), None
    if looks_ahead:
        findings, ahead = _detailed_ahead(first, compact, recipe, workers)
    outlined, warnings = check_and_mend_polygons(first, compact, recipe, outline, workers, findings)
    return outlined, warnings, ahead if outlined is first else None


def _sampled(
    outlined: RegionPolygons, compact: CompactHeightfield, recipe: Recipe, workers: Workers,
    beside: Callable[[], object] | None = None,
) -> tuple[DetailMesh, list[BuildWarning]]:  # fmt: skip
    """Stage 10, and what there is to say about it; `beside` is called meanwhile."""
    sampling = recipe.voxels.detail_sample_distance, recipe.voxels.detail_sample_max_error
    notes: list[BuildWarning] = []
    with workers.progress.stage("detail"):
        detail = build_detail_mesh(outlined.mesh, compact, outlined.regions, *sampling, workers, notes, beside)
    return detail, notes


class _Ahead(NamedTuple):
    """Stage 10 of polygons that are right, and which regions lie above themselves."""

    detail: DetailMesh
    notes: list[BuildWarning]
    overlapping: list[int]


class _InVain(Exception):
    """The polygons are wrong: their detail will not be wanted."""


def _detailed_ahead(
    outlined: RegionPolygons, compact: CompactHeightfield, recipe: Recipe, workers: Workers
) -> tuple[Findings | None, _Ahead | None]:
    """Stage 10 while a thread looks whether the polygons are right, and what it found; None of what is not there."""
    if not recipe.settings.detail_mesh or len(outlined.mesh.polygons) == 0:
        return None, None
    looks: list[tuple[Findings, list[int]]] = []

    def look() -> None:
        findings = look_at_polygons(outlined, compact, recipe, workers.progress)
        looks.append((findings, _overlapping(outlined, compact, recipe.settings.partition, workers)))
        if findings.any and recipe.settings.repair:
            raise _InVain

    try:
        detail, notes = _sampled(outlined, compact, recipe, workers, look)
    except _InVain:
        return looks[0][0], None
    except Cancelled:
        raise
    except NavmeshError:  # raised again where the polygons are right
        return None, None
    findings, overlapping = looks[0]
    return findings, _Ahead(detail, notes, overlapping)


def forget(name: str, bundle: Any) -> None:
    """The `keep` of a build that keeps nothing."""


def counts_of(
    mesh: PolygonMesh, detail: DetailMesh | None, stages: StageCounts, islands_removed: int = 0
) -> dict[str, int]:  # fmt: skip
    """What reports say of a piece."""
    return {
        **{name: int(count) for name, count in stages._asdict().items()},
        "islands_removed": islands_removed,
        "polygons": len(mesh.polygons),
        "vertices": len(mesh.vertices),
        "detail_vertices": 0 if detail is None else len(detail.vertices),
        "detail_triangles": 0 if detail is None else len(detail.triangles),
    }


def _overlapping(outlined: RegionPolygons, compact: CompactHeightfield, partition: str, workers: Workers) -> list[int]:
    """Watershed may make a region that lies above itself; its outline is then wrong in places."""
    return overlapping_regions(compact, outlined.regions, workers.progress) if partition == "watershed" else []


def _overlaps(outlined: RegionPolygons, compact: CompactHeightfield, overlapping: Sequence[int]) -> list[BuildWarning]:
    if not overlapping:
        return []
    many = f"{len(overlapping)} regions lie" if len(overlapping) > 1 else "1 region lies"
    sources = PolygonSources(compact, outlined.regions, outlined.contours)
    place = place_of_region(outlined.mesh.grid, sources, overlapping[0])
    text = f"{many} above {'themselves' if len(overlapping) > 1 else 'itself'} (as on spiral stairs)."
    return [BuildWarning("REGIONS_OVERLAP", f"{text} Use the monotone or layers partition.", place)]
