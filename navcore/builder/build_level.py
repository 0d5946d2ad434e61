"""Whole levels: check the input, build in one piece or tile by tile, rebuild what changed, and report how it went."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..agent_sizes import AgentSize, GivenSizes, as_sizes, too_small_flags
from ..area_types import AREA_TYPES
from ..errors import BadInput, NothingWalkable
from ..geometry.grid import bounds_of, check_height, check_precision, solo_grid
from ..geometry.tile_grid import TileGrid, changed_tiles, cut_into_tiles, grid_of_tile, keys_of_grid
from ..geometry.tile_key import TileKey, row_by_row
from ..level_source import AreaTypes, LevelSource, Links, NavmeshEdits, Volumes
from ..result.navmesh import NavMesh, Tile, check_built, check_has_level
from ..scene import as_seeds
from ..settings import Settings
from ..types import F32, ArrayLike, Grid
from ..wide_links import LinkEdits
from .build_limits import check_memory, check_tile_memory, check_time, forecast
from .checked_input import CheckedLevel, check_kinds, checked_boxes, checked_level, given_source
from .cold_builds import builds
from .door_ground import as_said, doors_of, tell_doors
from .dropped_islands import refuse_drops, without_dropped
from .edit_marks import as_high_as_patches, tell_edits
from .failure_files import Case
from .found_links import LinkSources, with_links
from .level_spans import LevelSpans
from .local_resolution import other_cells, unused_resolutions, with_resolutions
from .memory_and_time_forecast import Forecast
from .pipeline import build_piece, forget
from .running_build import RunningBuild, Watch, running_build
from .tile_store import TileStore, opened_store
from .tiles.build_tiles import build_tiles

# --- The ground of a level before it is eroded, as a navmesh: what clearances are measured on, given a level.


def uneroded(settings: Settings) -> Settings:
    """Settings for the same agent without its radius, whose outlines follow the cells of the field to the last one."""
    return replace(
        settings, agent_radius=0.0, edge_max_error=0.0, edge_max_length=0.0, region_min_size=0, region_merge_size=0,
        partition="monotone",
    )  # fmt: skip


def build_uneroded(
    vertices: ArrayLike | LevelSource,
    triangles: ArrayLike | None = None,
    settings: Settings | None = None,
    *,
    areas: ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links = (),
    bounds: Sequence[float] | None = None,
    threads: int | None = None,
    progress: Watch = None,
) -> NavMesh:
    """The ground of a level before erosion: ask a `NavQuery` of it how wide agents may be.

    Cells, the agent's height, climb and slope, and filters are those of `settings`; its radius is 0, and nothing is
    simplified or left out, so that walls are those of the field's own cells and distances to them are exact. What a
    volume marks as not walkable is a wall. The other parameters are those of `build_navmesh`.
    """
    source = given_source(vertices, triangles, areas=areas, volumes=volumes, links=links, bounds=bounds)
    return build_navmesh(source, settings=uneroded(settings or Settings()), threads=threads, progress=progress)


OnTile = Callable[[TileGrid, Tile], object]


@builds
def build_navmesh(
    vertices: ArrayLike | LevelSource,
    triangles: ArrayLike | None = None,
    settings: Settings | None = None,
    *,
    areas: ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links = (),
    link_edits: LinkEdits | None = None,
    edits: NavmeshEdits | None = None,
    sizes: GivenSizes = (),
    area_types: AreaTypes = AREA_TYPES,
    bounds: Sequence[float] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Watch = None,
    keep_stages: bool = False,
    failures: Path | None = None,
    on_tile: OnTile | None = None,
    detour_data: bool = False,
    store: Path | None = None,
) -> NavMesh:
    """Build the navigation mesh of a triangle soup.

    `vertices` (V, 3) in metres, y up; `triangles` (T, 3), counter-clockwise seen from above; `areas` (T,) area ids,
    with which steep triangles are cleared instead of flat ones marked; `area_types` the flags that areas get in runtime
    data; `bounds` six numbers, minimum then maximum. A `LevelSource` in their place holds all of them. `progress` is
    called with (stage, fraction) or is a `Progress`, which can also cancel. Tiles run on `executor` where one is given
    (processes, a cluster). With `on_tile` a tiled build hands every finished tile over, row by row, instead of keeping
    it: memory then does not grow with the number of tiles, and whoever takes them has to look at the links. With
    `detour_data` what Detour files cannot hold is refused before anything is built. A mesh that can't be mended fails
    the build and leaves what shows it again in the folder `failures` (by default in the user's cache). Seeds of a
    `LevelSource` that stand on no ground are warnings (not with `on_tile`). Tiles that were built before, of the same
    triangles, volumes and settings, are taken out of the folder `store`, and those that are built are kept there; with
    `keep_stages` all are built. With `generate_links` links are found along the edges of the ground (not with
    `on_tile`), as `link_edits` say. Islands that `edits` drop are left out, and told in `report.left_out`. With
    `sizes`, (name, radius, height) each, in place of the settings' radius and height, one navmesh is for all of them:
    see `NavMesh.sizes`. The result is the same bytes for any number of `threads` (all cores by default). Raises
    `NavmeshError`. Recast: its samples.
    """
    check_kinds(settings, threads, progress, executor=executor, failures=failures, on_tile=on_tile, store=store)
    source = given_source(
        vertices, triangles, areas=areas, volumes=volumes, links=links, bounds=bounds, area_types=area_types,
        edits=edits, link_edits=link_edits, sizes=sizes,
    )  # fmt: skip
    settings, read, of_agents = settings or Settings(), not keep_stages, as_sizes(source.sizes)
    with running_with_store(
        settings, threads, progress, failures, store, read, on_tile is None, of_agents
    ) as (build, kept):  # fmt: skip
        stages: dict[str, Any] | None = {} if keep_stages else None
        return _built(source, build, (executor, on_tile, kept), stages, detour_data)


def _built(
    source: LevelSource, build: RunningBuild, ways: tuple[Executor | None, OnTile | None, TileStore | None],
    stages: dict[str, Any] | None, detour_data: bool,
) -> NavMesh:  # fmt: skip
    """What `build_navmesh` returns; `ways`: where tiles are built, and where they go."""
    executor, on_tile, kept = ways
    level, marked = _checked(source, build, on_tile is None)
    box = level.bounds or as_high_as_patches(*bounds_of(level.geometry.vertices), level.volumes)
    build.case = Case(level.geometry, build.settings, level.volumes, box)
    tile_grid = cut_into_tiles(*box, build.settings, build.recipe.widest) if build.settings.tile_size else None
    tile_grid = with_resolutions(tile_grid, level.volumes, build.recipe_at)
    if tile_grid is not None:
        build.report.warnings += unused_resolutions(tile_grid, level.volumes)
    if detour_data:
        _check_detour(marked, tile_grid, build)
    if tile_grid is None:
        grid = _grid_of_whole(box, build, not level.bounds)
        tiles: tuple[Tile, ...] = (_build_whole(grid, marked, build, stages),)
    else:
        tiles = _build_all_tiles(tile_grid, marked, build, executor, on_tile, stages, kept)
    navmesh = NavMesh(
        build.settings, tiles, tile_grid, level.links, build.report, level.area_types, stages or {}, sizes=build.sizes
    )
    if on_tile is None:
        navmesh = _whole(navmesh, source, level, build)
    return build.finished(navmesh)


@builds
def rebuild_tiles(
    navmesh: NavMesh,
    changed_bounds: ArrayLike,
    vertices: ArrayLike | LevelSource,
    triangles: ArrayLike | None = None,
    *,
    areas: ArrayLike | None = None,
    volumes: Volumes = (),
    links: Links | None = None,
    link_edits: LinkEdits | None = None,
    edits: NavmeshEdits | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: Watch = None,
    store: Path | None = None,
) -> NavMesh:
    """The tiled navmesh of a changed level, building only the tiles that the change can influence.

    `changed_bounds`: six numbers (minimum, maximum) or several rows of them, around everything that was added, removed
    or moved: where it was and where it is now. Geometry, areas and volumes are those of the whole level now. The result
    equals a full build within the bounds of `navmesh`, byte for byte. With `store` the tiles are taken from there, or
    kept there. Of a `LevelSource` the links are taken as well. No Recast ancestor.
    """
    check_built("rebuild_tiles", navmesh)
    check_has_level("rebuild_tiles", navmesh)
    check_kinds(threads=threads, executor=executor, progress=progress, store=store)
    given = isinstance(vertices, LevelSource) or links is not None
    source = given_source(
        vertices, triangles, areas=areas, volumes=volumes, links=() if links is None else links, edits=edits,
        link_edits=link_edits,
    )  # fmt: skip
    navmesh = navmesh.before_drops or navmesh
    tile_grid = navmesh.tile_grid
    if tile_grid is None:
        raise BadInput(
            "Only a navmesh built in tiles can be rebuilt in part. Set tile_size and build it once.", "NOT_TILED"
        )
    with running_with_store(navmesh.settings, threads, progress, None, store, sizes=navmesh.sizes) as (build, kept):
        level = checked_level(replace(source, sizes=navmesh.sizes))
        build.know(level._replace(area_types=navmesh.area_types))
        marked = build.looked_at(level)
        build.case = Case(level.geometry, build.settings, level.volumes, (tile_grid.bounds_min, tile_grid.bounds_max))
        before, tile_grid = tile_grid, build.in_tiles(tile_grid.plain, level.volumes)
        boxes = checked_boxes(changed_bounds)
        touched = {place for low, high in boxes for place in changed_tiles(tile_grid, low, high)}
        touched |= other_cells(before, tile_grid)
        build.spans = LevelSpans(tile_grid.size) if build.recipe.keeps_solid else None
        rebuilt = build_tiles(sorted(touched, key=row_by_row), tile_grid, marked, build, executor, None, kept)
        untouched = [tile for tile in navmesh.tiles if tile.key not in touched]
        tiles = tuple(sorted([*as_said(untouched, level.volumes), *rebuilt], key=lambda tile: row_by_row(tile.key)))
        build.report.counts["tiles"] = len(tiles)
        build.report.tile_seconds = {**navmesh.report.tile_seconds, **build.report.tile_seconds}
        _check_any(build)
        all_links = level.links if given else navmesh.given_links
        rebuilt_navmesh = replace(
            navmesh, tiles=tiles, tile_grid=tile_grid, links=all_links, wide_links=(), report=build.report, stages={}
        )
        sources = LinkSources(lambda _: level.geometry, level.edits, touched)
        return build.finished(_as_edited(rebuilt_navmesh, sources, build))


def _checked(source: LevelSource, build: RunningBuild, is_whole: bool) -> tuple[CheckedLevel, CheckedLevel]:
    """The level, and the same with its ground marked. A navmesh that is never whole knows no islands."""
    level = checked_level(source)
    build.know(level)
    as_seeds(source.seeds)  # what is wrong with them is said before anything is built
    if not is_whole:
        refuse_drops(level.edits)
    return level, build.looked_at(level)


def _whole(navmesh: NavMesh, source: LevelSource, level: CheckedLevel, build: RunningBuild) -> NavMesh:
    """A navmesh all of whose tiles are there, with what is added to it, left out of it and told of it then."""
    grid = navmesh.tile_grid or navmesh.tiles[0].polygon_mesh.grid
    tell_edits(build.report, level.volumes, build.cells_of_edits(), grid)
    tell_doors(build.report, navmesh.tiles, level.volumes)
    navmesh = _as_edited(navmesh, LinkSources(lambda _: level.geometry, level.edits), build)
    if seeds := as_seeds(source.seeds):
        from ..detour.queries.seeds import tell_lost_seeds  # here: levels without seeds do not wait for it

        tell_lost_seeds(navmesh, seeds, level.geometry)
    return navmesh


def _as_edited(navmesh: NavMesh, sources: LinkSources, build: RunningBuild) -> NavMesh:
    """The navmesh with its links, and without the islands that somebody dropped: links say what is an island."""
    return without_dropped(with_links(navmesh, sources, build), sources.edits, build)


@contextmanager
def running_with_store(
    settings: Settings,
    threads: int | None,
    progress: Watch,
    failures: Path | None,
    store: Path | None,
    read: bool = True,
    finds_links: bool = True,
    sizes: tuple[AgentSize, ...] = (),
) -> Iterator[tuple[RunningBuild, TileStore | None]]:
    """A running build, and its tile store where one is wanted."""
    with (
        running_build(settings, threads, progress, failures, finds_links, sizes) as build,
        opened_store(store, settings, build.report, read) as kept,
    ):
        yield build, kept


def _check_detour(level: CheckedLevel, tile_grid: TileGrid | None, build: RunningBuild) -> None:
    """Refuse what Detour files cannot hold, as far as it is known before the build."""
    from ..detour.limits import (  # here, so that only those who write it wait for its kernels
        check_inputs,
        check_tile_grid,
    )

    check_inputs(build.settings, level.links)
    if tile_grid is not None:
        check_tile_grid(tile_grid, level.geometry, build.workers)


# --- in one piece


def _grid_of_whole(box: tuple[F32, F32], build: RunningBuild, computed: bool) -> Grid:
    """The grid of a build in one piece, refused before memory is taken where it can't be right."""
    voxels = build.recipe.voxels
    grid = solo_grid(*box, voxels.cell_size, voxels.cell_height)
    check_precision(grid)
    if computed:  # with given bounds, what is too tall may lie outside: rasterizing finds out
        check_height(float(grid.bounds_max[1]), grid)
    return grid


def _build_whole(grid: Grid, level: CheckedLevel, build: RunningBuild, stages: dict[str, Any] | None) -> Tile:
    check_memory(forecast(grid, level.geometry), grid, build.settings.partition)
    build.guard.allow(grid.width * grid.depth)

    def keep(name: str, bundle: Any) -> None:
        if stages is not None:
            stages[name] = bundle
        if name == "rasterized" and build.recipe.keeps_solid:
            build.solid = bundle  # filters change the areas of spans, nothing else

    looks = keep if stages is not None or build.recipe.keeps_solid else forget
    piece = build_piece(grid, level.geometry, build.recipe, level.volumes, build.workers, looks)
    build.add(piece)
    build.report.tile_seconds[0, 0] = sum(build.progress.seconds.values())
    doors, too_small = doors_of(piece.doors, level.volumes), too_small_flags(piece.too_small, build.sizes)
    return Tile(0, 0, piece.polygon_mesh, piece.detail_mesh, doors, too_small)


# --- in tiles


def _build_all_tiles(
    tile_grid: TileGrid,
    level: CheckedLevel,
    build: RunningBuild,
    executor: Executor | None,
    on_tile: OnTile | None,
    stages: dict[str, Any] | None,
    store: TileStore | None,
) -> tuple[Tile, ...]:
    """All tiles, row by row; none of them where they are handed over."""
    check_tiles(tile_grid, level, build, executor is None)
    if build.recipe.keeps_solid:
        build.spans = LevelSpans(tile_grid.size)
    places = list(keys_of_grid(tile_grid))
    built = build_tiles(places, tile_grid, level, build, executor, stages, store)
    tiles: tuple[Tile, ...] = ()
    if on_tile is None:
        tiles = tuple(built)
    else:
        for tile in built:
            on_tile(tile_grid, tile)
    _check_any(build)
    return tiles


def check_tiles(tile_grid: TileGrid, level: CheckedLevel, build: RunningBuild, here: bool) -> None:
    """Refuse tiles that cannot be built, before any is; warn of hours where they are built on this machine."""
    # Nobody knows how many workers there are elsewhere, nor how fast.
    threads, columns = build.workers.count if here else 1, 0
    forecasts = []
    counts = [tile_grid.columns * tile_grid.rows, *(len(some.tiles) for some in tile_grid.scaled)]
    for grid, count in zip(tile_grid.kinds, counts, strict=True):
        last = grid_of_tile(grid, TileKey(grid.columns - 1, grid.rows - 1))
        check_precision(last)
        columns = max(columns, last.width * last.depth)
        forecasts.append(_forecast_of_all(grid, level))
        check_tile_memory(last, forecasts[-1], build.settings.partition, min(threads, count))
    build.guard.allow(columns)
    if here:
        _warn_of_hours(tile_grid, forecasts[0], build)  # the level's own cells


def _forecast_of_all(tile_grid: TileGrid, level: CheckedLevel) -> Forecast:
    """What the whole level is expected to take, as if it were built in one piece."""
    low, high = tile_grid.bounds_min, tile_grid.bounds_max
    width, depth = (max(1, int((high[axis] - low[axis]) / tile_grid.cell_size)) for axis in (0, 2))
    whole = Grid(width, depth, 0, low, high, tile_grid.cell_size, tile_grid.cell_height)
    return forecast(whole, level.geometry)


def _warn_of_hours(tile_grid: TileGrid, expected: Forecast, build: RunningBuild) -> None:
    """Put into the report that tiles will take hours; refuse days. (What fits in one piece takes minutes at most.)"""
    overlap = (1 + 2 * tile_grid.border / tile_grid.size) ** 2
    for some in tile_grid.scaled:
        overlap += len(some.tiles) / (tile_grid.columns * tile_grid.rows) * (some.scale**-2 - 1)
    message = check_time(expected.seconds * overlap, float(tile_grid.cell_size), build.workers.count)
    if message:
        build.report.warn("TAKES_LONG", message)


def _check_any(build: RunningBuild) -> None:
    if not build.report.counts.get("tiles"):
        raise build.nothing or NothingWalkable("No triangle lies within the bounds. Check the bounds.")
