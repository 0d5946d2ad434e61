"""THE pipeline: triangles in, polygon mesh and detail mesh out. It reads aloud as the algorithm."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from ..errors import NothingWalkable
from ..geometry.grid import raised
from ..report import BuildWarning
from ..scene import Volume
from ..settings import Settings
from ..stages.areas import erode_walkable_area, mark_volumes, median_filter_walkable_area, touching
from ..stages.compact import build_compact_heightfield
from ..stages.contours import build_contours
from ..stages.detail import build_detail_mesh
from ..stages.distance import build_distance_field
from ..stages.filters import filter_ledge_spans, filter_low_hanging_obstacles, filter_walkable_low_height_spans
from ..stages.polygons import WELD_HEIGHT, build_polygon_mesh
from ..stages.rasterize import rasterize_triangles
from ..stages.regions import build_regions, overlapping_regions
from ..stages.walkable import clear_unwalkable_triangles, mark_walkable_triangles
from ..threads import Workers
from ..types import U8, CompactHeightfield, Contours, DetailMesh, Grid, PolygonMesh, Regions
from .checked_input import Geometry
from .limits.memory_limits import check_spans
from .repair import Outlined, sound_detail, sound_polygons
from .tile_in_one_call import fused_piece

Keep = Callable[[str, Any], None]
STAGES = 12  # at most; what the percent of a progress line is counted in


class Piece(NamedTuple):
    """What the stages make of one grid: a whole level or one tile."""

    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None
    counts: dict[str, int]
    warnings: list[BuildWarning]


def classify_triangles(geometry: Geometry, settings: Settings, workers: Workers) -> U8:
    """Stage 1: an area id for each triangle, 0 where it is too steep."""
    vertices, triangles, area = geometry
    if area is None:
        return mark_walkable_triangles(vertices, triangles, settings.agent_max_slope, workers)
    return clear_unwalkable_triangles(vertices, triangles, area, settings.agent_max_slope, workers)


def build_piece(
    grid: Grid,
    geometry: Geometry,
    area: U8,
    settings: Settings,
    volumes: Sequence[Volume],
    workers: Workers,
    keep: Keep | None,
) -> Piece:
    """Run stages 2 to 10 over one grid; `area` (T,) is what stage 1 made of the triangles.

    `keep` is called with the name and bundle of every stage. Where it is None, nobody looks at the stages one by one,
    nor at the time that each takes: small pieces are built in one go. Raises NothingWalkable where no polygon remains.
    """
    stage, voxels = workers.progress.stage, settings.in_voxels()
    volumes = touching(grid, volumes)
    if keep is None and not volumes and not settings.median_filter and workers.alone(grid.width * grid.depth):
        with stage("tile"):
            whole = fused_piece(grid, geometry, area, settings, workers)
        if whole is not None:
            return Piece(whole.polygon_mesh, whole.detail_mesh, _counts(*whole), [])
    keep = keep or forget
    keep("grid", grid)
    keep("triangle_areas", area)
    compact, spans = _open_ground(grid, geometry, area, settings, workers, keep)
    grid = raised(grid, voxels.height_vx)
    keep("compact_grid", grid)
    if settings.median_filter or volumes:
        with stage("areas"):
            compact = _marked(grid, compact, settings, volumes, workers, keep)
    regions = _divided(grid, compact, settings, workers, keep)
    made = _outlined(grid, settings, workers, compact, regions)
    made, warnings = sound_polygons(made, compact, settings, partial(_outlined, grid, settings, workers), workers)
    keep("regions", made.regions)
    keep("contours", made.contours)
    keep("polygon_mesh", made.mesh)
    if len(made.mesh.polygons) == 0:
        raise NothingWalkable(_why_nothing(area, compact, settings))
    detail = None
    if settings.detail_mesh:
        notes: list[str] = []
        sampling = voxels.detail_sample_distance, voxels.detail_sample_max_error
        with stage("detail"):
            detail = build_detail_mesh(made.mesh, compact, made.regions, *sampling, workers, notes)
        warnings += [BuildWarning("DETAIL", note) for note in notes]
        detail, more = sound_detail(made, detail, compact, settings, workers)
        warnings += more
        keep("detail_mesh", detail)

    counts = _counts(made.mesh, detail, spans, len(compact.floor), made.regions.count, len(made.contours.region))
    warnings = [*_overlap_warnings(compact, made.regions, settings, workers), *made.warnings, *warnings]
    return Piece(made.mesh, detail, counts, warnings)


def _open_ground(
    grid: Grid, geometry: Geometry, area: U8, settings: Settings, workers: Workers, keep: Keep
) -> tuple[CompactHeightfield, int]:
    """Stages 2 to 5, erosion included: open ground, and how many solid spans there were."""
    stage, voxels = workers.progress.stage, settings.in_voxels()
    with stage("rasterize"):
        solid = rasterize_triangles(grid, geometry.vertices, geometry.triangles, area, voxels.climb_vx, workers)
        keep("rasterized", solid)
        check_spans(solid, grid, settings.partition)
    with stage("filters"):
        if settings.filter_low_hanging_obstacles:
            solid = filter_low_hanging_obstacles(solid, voxels.climb_vx, workers)
        keep("low_hanging", solid)
        if settings.filter_ledge_spans:
            solid = filter_ledge_spans(solid, voxels.height_vx, voxels.climb_vx, workers)
        keep("ledges", solid)
        if settings.filter_walkable_low_height_spans:
            solid = filter_walkable_low_height_spans(solid, voxels.height_vx, workers)
        keep("low_height", solid)
    with stage("compact"):
        compact = build_compact_heightfield(solid, voxels.height_vx, voxels.climb_vx, workers)
        keep("compact", compact)
    spans = len(solid.top)
    del solid  # the largest arrays of the first half; nothing after this looks at matter
    with stage("areas"):
        compact = erode_walkable_area(compact, voxels.radius_vx, workers)
        keep("eroded", compact)
    return compact, spans


def _marked(
    grid: Grid,
    compact: CompactHeightfield,
    settings: Settings,
    volumes: Sequence[Volume],
    workers: Workers,
    keep: Keep,
) -> CompactHeightfield:
    """The rest of stage 5: areas smoothed and marked."""
    if settings.median_filter:
        compact = median_filter_walkable_area(compact, workers)
        keep("median", compact)
    if volumes:
        compact = mark_volumes(grid, compact, volumes, workers)
        keep("marked", compact)
    return compact


def _divided(grid: Grid, compact: CompactHeightfield, settings: Settings, workers: Workers, keep: Keep) -> Regions:
    """Stages 6 and 7."""
    stage, voxels = workers.progress.stage, settings.in_voxels()
    distance = None
    if settings.partition == "watershed":
        with stage("distance"):
            distance = build_distance_field(compact, workers)
            keep("distance", distance)
    with stage("regions"):
        areas_vx = voxels.region_min_area_vx, voxels.region_merge_area_vx
        return build_regions(compact, distance, settings.partition, grid.border, *areas_vx, workers)


def _outlined(
    grid: Grid,
    settings: Settings,
    workers: Workers,
    compact: CompactHeightfield,
    regions: Regions,
    sharpen: Callable[[Contours], Contours] | None = None,
) -> Outlined:
    """Stages 8 and 9: polygons around regions; `sharpen` is for regions that have to be mended."""
    stage, voxels = workers.progress.stage, settings.in_voxels()
    outline_notes: list[str] = []
    polygon_notes: list[str] = []
    error = voxels.edge_max_error_vx
    with stage("contours"):
        splitting = voxels.edge_max_length_vx, settings.tessellate_wall_edges, settings.tessellate_area_edges
        contours = build_contours(grid, compact, regions, error, *splitting, workers, outline_notes, sharpen)
    with stage("polygons"):
        # While mending, corners of floors that lie closer together than Recast welds stay apart.
        weld_vx = WELD_HEIGHT if sharpen is None else min(WELD_HEIGHT, voxels.height_vx - 1)
        sides = settings.vertices_per_polygon
        mesh = build_polygon_mesh(grid, contours, sides, error, workers, polygon_notes, weld_vx)
    warnings = [BuildWarning("OUTLINES", note) for note in outline_notes]
    warnings += [BuildWarning("POLYGONS", note) for note in polygon_notes]
    return Outlined(regions, contours, mesh, warnings)


def forget(name: str, bundle: Any) -> None:
    """The `keep` of a build that keeps nothing."""


def _counts(
    mesh: PolygonMesh, detail: DetailMesh | None, spans: int, open_spans: int, regions: int, contours: int
) -> dict[str, int]:
    return {
        "spans": spans,
        "open_spans": open_spans,
        "regions": int(regions),  # a number of NumPy's where kernels run as plain Python, and reports are JSON
        "contours": contours,
        "polygons": len(mesh.polygons),
        "vertices": len(mesh.vertices),
        "detail_vertices": 0 if detail is None else len(detail.vertices),
        "detail_triangles": 0 if detail is None else len(detail.triangles),
    }


def _overlap_warnings(
    compact: CompactHeightfield, regions: Regions, settings: Settings, workers: Workers
) -> list[BuildWarning]:
    """Watershed may make a region that lies above itself; its outline is then wrong in places."""
    watershed = settings.partition == "watershed"
    found = overlapping_regions(compact, regions, workers.progress) if watershed else []
    if not found:
        return []
    text = f"{len(found)} regions lie above themselves (as on spiral stairs). Use the monotone or layers partition."
    return [BuildWarning("REGIONS_OVERLAP", text)]


def _why_nothing(triangle_areas: U8, compact: CompactHeightfield, settings: Settings) -> str:
    """Name the stage in which the last walkable surface was lost, and what to change."""
    if not triangle_areas.any():
        return (
            f"None of the {len(triangle_areas):,} triangles is flatter than {settings.agent_max_slope:g}° and faces "
            "up. Are the normals flipped, or is the up axis not y? Otherwise raise Max Slope."
        )
    if len(compact.floor) == 0:
        return (
            f"No floor has {settings.agent_height:g} m of room above it and ground around it within "
            f"{settings.agent_max_climb:g} m. Lower Agent Height, raise Max Climb, or check the scale of the level."
        )
    if not compact.area.any():
        return (
            f"Every floor is narrower than an agent with a radius of {settings.agent_radius:g} m. "
            "Lower Agent Radius, or check the scale of the level."
        )
    if settings.region_min_size == 0:
        return "Every walkable island is so narrow that no outline remains. Lower Edge Max Error or Cell Size."
    return (
        f"Every walkable island is smaller than {settings.region_min_size:g} × {settings.region_min_size:g} cells, "
        "or so narrow that no outline remains. Lower Region Min Size, Edge Max Error or Cell Size."
    )
