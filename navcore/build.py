"""THE pipeline: triangles in, polygon mesh and detail mesh out. It reads aloud as the algorithm."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .areas import erode_walkable_area, mark_volumes, median_filter_walkable_area
from .compact import build_compact_heightfield
from .contours import build_contours
from .detail import build_detail_mesh
from .distance import build_distance_field
from .errors import NothingWalkable
from .filters import filter_ledge_spans, filter_low_hanging_obstacles, filter_walkable_low_height_spans
from .grid import bounds_of, check_height, check_precision, raised, solo_grid
from .intake import Geometry, checked_bounds, checked_geometry
from .polygons import build_polygon_mesh
from .progress import Progress, Report as ProgressReport
from .rasterize import rasterize_triangles
from .regions import build_regions
from .report import Report
from .scene import Link, Volume, as_links, as_volumes
from .settings import Settings, Voxels
from .threads import Workers
from .types import U8, CompactHeightfield, DetailMesh, Grid, PolygonMesh
from .walkable import clear_unwalkable_triangles, mark_walkable_triangles

Keep = Callable[[str, Any], None]
STAGES = 14  # at most; what the percent of a progress line is counted in


class NavMesh(NamedTuple):
    """A finished navigation mesh and how it was made."""

    settings: Settings
    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None  # None where `detail_mesh` is off
    links: tuple[Link, ...]
    report: Report
    stages: Mapping[str, Any]  # every bundle on the way, where `keep_stages` was asked for


class Piece(NamedTuple):
    """What the stages make of one grid: a whole level or one tile."""

    polygon_mesh: PolygonMesh
    detail_mesh: DetailMesh | None
    counts: dict[str, int]


def build_navmesh(
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    settings: Settings | None = None,
    *,
    areas: npt.ArrayLike | None = None,
    volumes: Sequence[Volume | Mapping[str, Any]] = (),
    links: Sequence[Link | Mapping[str, Any]] = (),
    bounds: Sequence[float] | None = None,
    threads: int | None = None,
    progress: Progress | ProgressReport | None = None,
    keep_stages: bool = False,
) -> NavMesh:
    """Build the navigation mesh of a triangle soup.

    `vertices` (V, 3) in metres, y up; `triangles` (T, 3), counter-clockwise seen from above; `areas` (T,) area ids, with which
    steep triangles are cleared instead of flat ones marked; `bounds` six numbers, minimum then maximum. `progress` is
    called with (stage, fraction) or is a `Progress`, which can also cancel. The result is the same bytes for any
    number of `threads` (all cores by default). Raises `NavmeshError`. Recast: the order of its sample programs.
    """
    began = time.perf_counter()
    settings = settings or Settings()
    watch = progress if isinstance(progress, Progress) else Progress(progress)
    watch.expect(STAGES)
    report = Report(settings, settings.in_voxels())
    stages: dict[str, Any] = {}
    with Workers(threads, watch) as workers:
        report.threads = workers.count
        geometry = checked_geometry(vertices, triangles, areas)
        scene_volumes, scene_links = as_volumes(volumes), as_links(links)
        grid = _grid(geometry, checked_bounds(bounds), settings, report)
        piece = build_piece(
            grid, geometry, settings, scene_volumes, workers, report, stages.__setitem__ if keep_stages else _forget
        )
        watch.check()
    report.counts = piece.counts | {"tiles": 1}
    report.seconds = dict(watch.seconds)
    report.total_seconds = time.perf_counter() - began
    watch.done()
    return NavMesh(settings, piece.polygon_mesh, piece.detail_mesh, tuple(scene_links), report, stages)


def build_piece(
    grid: Grid,
    geometry: Geometry,
    settings: Settings,
    volumes: Sequence[Volume],
    workers: Workers,
    report: Report,
    keep: Keep,
) -> Piece:
    """Run every stage over one grid. Raises NothingWalkable where no polygon remains."""
    stage, voxels = workers.progress.stage, settings.in_voxels()

    with stage("walkable"):
        triangle_areas = _triangle_areas(geometry, settings, workers)
        keep("grid", grid)
        keep("triangle_areas", triangle_areas)
    with stage("rasterize"):
        solid = rasterize_triangles(
            grid, geometry.vertices, geometry.triangles, triangle_areas, voxels.climb_vx, workers
        )
        keep("rasterized", solid)
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
        counts = {"spans": len(solid.top), "open_spans": len(compact.floor)}
        del solid  # the largest arrays of the first half; nothing after this looks at matter
        grid = raised(grid, voxels.height_vx)
        keep("compact", compact)
        keep("compact_grid", grid)
    compact = _shape_areas(grid, compact, settings, voxels, volumes, workers, keep)

    distance = None
    if settings.partition == "watershed":
        with stage("distance"):
            distance = build_distance_field(compact, workers)
            keep("distance", distance)
    with stage("regions"):
        regions = build_regions(
            compact, distance, settings.partition, grid.border, voxels.region_min_area_vx, voxels.region_merge_area_vx, workers
        )
        del distance
        keep("regions", regions)
    with stage("contours"):
        contours = build_contours(
            grid, compact, regions, voxels.edge_max_error_vx, voxels.edge_max_length_vx,
            settings.tessellate_wall_edges, settings.tessellate_area_edges, workers,
        )  # fmt: skip
        keep("contours", contours)
    with stage("polygons"):
        mesh = build_polygon_mesh(grid, contours, settings.vertices_per_polygon, voxels.edge_max_error_vx, workers)
        keep("polygon_mesh", mesh)
    if len(mesh.polygons) == 0:
        raise NothingWalkable(_why_nothing(triangle_areas, compact, len(contours.region), settings))
    detail = None
    if settings.detail_mesh:
        with stage("detail"):
            detail = build_detail_mesh(
                mesh, compact, regions, voxels.detail_sample_distance, voxels.detail_sample_max_error, workers
            )
            keep("detail_mesh", detail)
    counts |= {"regions": regions.count, "contours": len(contours.region)}
    return Piece(mesh, detail, counts | _mesh_counts(mesh, detail))


def _triangle_areas(geometry: Geometry, settings: Settings, workers: Workers) -> U8:
    if geometry.area is None:
        return mark_walkable_triangles(geometry.vertices, geometry.triangles, settings.agent_max_slope, workers)
    return clear_unwalkable_triangles(
        geometry.vertices, geometry.triangles, geometry.area, settings.agent_max_slope, workers
    )


def _shape_areas(
    grid: Grid,
    compact: CompactHeightfield,
    settings: Settings,
    voxels: Voxels,
    volumes: Sequence[Volume],
    workers: Workers,
    keep: Keep,
) -> CompactHeightfield:
    """Keep agents off walls, smooth area borders, mark volumes."""
    with workers.progress.stage("areas"):
        compact = erode_walkable_area(compact, voxels.radius_vx, workers)
        keep("eroded", compact)
        if settings.median_filter:
            compact = median_filter_walkable_area(compact, workers)
            keep("median", compact)
        if volumes:
            compact = mark_volumes(grid, compact, volumes, workers)
            keep("marked", compact)
    return compact


def _grid(geometry: Geometry, bounds: tuple[Any, Any] | None, settings: Settings, report: Report) -> Grid:
    """The grid of a build in one piece, refused before memory is taken where it can't be right."""
    low, high = bounds or bounds_of(geometry.vertices)
    cs, ch = np.float32(settings.cell_size), np.float32(settings.cell_height)
    grid = solo_grid(low, high, cs, ch)
    check_precision(grid)
    if bounds is None:
        check_height(float(high[1]), grid)
    return grid


def _mesh_counts(mesh: PolygonMesh, detail: DetailMesh | None) -> dict[str, int]:
    return {
        "polygons": len(mesh.polygons),
        "vertices": len(mesh.vertices),
        "detail_vertices": 0 if detail is None else len(detail.vertices),
        "detail_triangles": 0 if detail is None else len(detail.triangles),
    }


def _forget(name: str, bundle: Any) -> None:
    """The `keep` of a build that keeps nothing."""


def _why_nothing(triangle_areas: U8, compact: CompactHeightfield, contours: int, settings: Settings) -> str:
    """Name the stage in which the last walkable surface was lost, and what to change."""
    if not triangle_areas.any():
        return (
            f"None of the {len(triangle_areas):,} triangles is flatter than {settings.agent_max_slope:g}° and faces up. "
            "Are the normals flipped, or is the up axis not y? Otherwise raise Max Slope."
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
    if contours == 0:
        return (
            f"Every walkable island is smaller than {settings.region_min_size:g} × {settings.region_min_size:g} cells "
            "or one cell wide. Lower Region Min Size or Cell Size."
        )
    return "No outline of a walkable region has three corners. Lower Edge Max Error or Cell Size."
