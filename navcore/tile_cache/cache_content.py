"""What a tile cache is opened with: of a level, or of its two files; and what is written of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..agent_sizes import GivenSizes, as_sizes
from ..area_types import AREA_TYPES, area_types
from ..build_warning import BuildWarning
from ..builder.build_level import build_navmesh, check_tiles
from ..builder.checked_input import CheckedLevel, check_kinds, checked_level
from ..builder.door_ground import tell_doors
from ..builder.edit_marks import as_high_as_patches, cells_in, tell_edits
from ..builder.local_resolution import refuse_resolutions
from ..builder.running_build import Watch, running_build
from ..builder.tiles.tile_jobs import LevelJobs
from ..detour.polygon_references import MOST_BITS, bits
from ..errors import BadInput, BadSettings, TooLarge
from ..files.strict_json import json_text, load_json
from ..geometry.grid import bounds_of
from ..geometry.tile_grid import BORDER_EXTRA, TileGrid, cut_into_tiles, keys_of_grid
from ..level_source import AreaTypes, LevelSource, NavmeshEdits
from ..result.navmesh import NavMesh
from ..scene import KeepEdit, Link, Seed, as_links
from ..settings import Settings
from ..types import U8
from .cache_doors import CacheDoor, doors_as_areas, read_doors
from .cache_sets import LARGEST_TILE, CacheParameters, CacheSet, PackedLayer, parameters_of_mesh, read_set, set_bytes
from .obstacle_files import as_obstacles
from .obstacles import Obstacle
from .tile_layers import MOST_LAYERS, dropped, packed_layers

SAMPLE_OBSTACLES = 128
SIDECAR_FORMAT = 1


class CacheContent(NamedTuple):
    """Everything that a cache holds before its navmesh is made."""

    set: CacheSet
    settings: Settings
    tile_grid: TileGrid
    links: tuple[Link, ...]
    area_types: AreaTypes
    layers_per_cell: int
    warnings: tuple[BuildWarning, ...]
    obstacles: tuple[Obstacle, ...] = ()  # that stand from the beginning
    edits: tuple[dict[str, Any], ...] = ()  # as a report of a build has them
    unpacked: tuple[U8, ...] = ()  # the grids of the layers, where they are at hand
    doors: tuple[CacheDoor, ...] = ()


def content_of_level(
    source: LevelSource, settings: Settings | None, limits: tuple[bool, int], run: tuple[int | None, Watch]
) -> tuple[CacheContent, CheckedLevel]:
    """The layers of a level, and the level; `limits` are exact and layers_per_cell, `run` threads and progress."""
    exact, layers_per_cell = limits
    threads, progress = run
    check_kinds(settings, threads, progress)
    settings = settings or Settings()
    check_cache_settings(settings, source.sizes)
    if isinstance(layers_per_cell, bool) or not isinstance(layers_per_cell, (int, np.integer)) or layers_per_cell < 1:
        raise BadInput(f"layers_per_cell must be a whole number from 1 on, not {layers_per_cell!r}.", "WRONG_KIND")
    given = checked_level(source)
    (level, doors), links, again = doors_as_areas(given), None, given.as_source(source.bounds)
    _refuse_drops(level.edits)
    refuse_resolutions(level.volumes, "a tile cache")
    if settings.generate_links:
        links = build_navmesh(again, settings=settings, threads=threads, progress=progress).links
    with running_build(settings, threads, progress, finds_links=False) as build:
        # A look at the level as it was given: what is odd about it is said as a build says it.
        marked = build.looked_at(given)._replace(volumes=level.volumes, area_types=level.area_types)
        box = level.bounds or as_high_as_patches(*bounds_of(level.geometry.vertices), level.volumes)
        tile_grid = cut_into_tiles(*box, settings, build.recipe.voxels)
        check_tiles(tile_grid, marked, build, True)
        jobs = LevelJobs(list(keys_of_grid(tile_grid)), tile_grid, marked, build, False)
        layers, unpacked, warnings = list[PackedLayer](), list[U8](), list[BuildWarning]()
        most = tile_grid.columns * tile_grid.rows * layers_per_cell
        for done, (key, found, said) in enumerate(packed_layers(jobs, build, exact), 1):
            build.progress.report("layers", done / max(len(jobs.places), 1))
            rows, cells = cells_in(said)
            warnings += rows
            build.edit_cells.update(cells)
            kept = found[: min(MOST_LAYERS, most - len(layers))] if exact else found
            if len(kept) < len(found):
                why = (
                    f"more than {MOST_LAYERS} lie above each other"
                    if len(kept) == MOST_LAYERS
                    else f"{most} slots are taken"
                )
                warnings.append(dropped(tile_grid, key, len(found) - len(kept), why))
            layers += [layer for layer, _ in kept]
            unpacked += [grids for _, grids in kept]
        build.progress.check()
        # All ground stays, however small: places to keep have nothing to do.
        edits = [volume for volume in level.volumes if not isinstance(volume, KeepEdit)]
        tell_edits(build.report, edits, build.edit_cells, tile_grid)
        build.progress.done()
    if not layers and not exact:
        build_navmesh(again, settings=settings, threads=threads)  # it says why nothing is walkable
    layer_set = _set_of(settings, tile_grid, layers, most)
    own = level.links if links is None else links
    told, rows_of_edits = (*build.report.warnings, *warnings), tuple(build.report.edits)
    content = CacheContent(
        layer_set, settings, tile_grid, tuple(own), level.area_types, layers_per_cell, told, (), rows_of_edits,
        tuple(unpacked), doors,
    )  # fmt: skip
    return content, given


def told_of_marks(navmesh: NavMesh, level: CheckedLevel, seeds: Sequence[Seed]) -> list[BuildWarning]:
    """What a build says of doors, links and seeds on a navmesh that is there; its report has it, too."""
    known = len(navmesh.report.warnings)
    tell_doors(navmesh.report, navmesh.tiles, level.volumes)
    if navmesh.links:
        from ..detour.queries.checked_links import with_checked_links  # here: caches without links do not wait for it

        with_checked_links(navmesh)
    if seeds:
        from ..detour.queries.seeds import tell_lost_seeds  # likewise

        tell_lost_seeds(navmesh, seeds, level.geometry)
    return navmesh.report.warnings[known:]


def _refuse_drops(edits: NavmeshEdits) -> None:
    if edits.drops:
        raise BadInput(
            "Islands are dropped from a finished navmesh, and a tile cache makes its navmesh anew while a game runs. "
            "Leave out the drops, and block the ground of these islands instead.",
            "WRONG_KIND",
        )


def check_cache_settings(settings: Settings, sizes: GivenSizes = (), prune: bool = False) -> None:
    """Refuse settings, and sizes of agents, with which no tile cache can be built, and `prune`, which none knows."""
    if prune:
        raise BadSettings(
            "Islands that no seed reaches are left out of a finished navmesh, and a tile cache, which makes its "
            "navmesh anew while a game runs, would have them all. Leave --prune out (in Blender: untick Only What "
            "Seeds Reach, and build again), and block the ground of these islands.",
            "TILE_CACHE_PRUNED",
        )
    if of_agents := as_sizes(sizes):
        names = ", ".join(f"“{size.name}”" for size in of_agents)
        raise BadSettings(
            f"A tile cache is built for one size of agents, and {names} {'are' if len(of_agents) > 1 else 'is'} named: "
            "its tiles are made anew while a game runs, for one radius and one height. Build a cache for each size, "
            "with agent_radius and agent_height, and leave sizes out.",
            "TILE_CACHE_SIZES",
        )
    if not 1 <= settings.tile_size <= LARGEST_TILE:
        raise BadSettings(
            f"tile_size is {settings.tile_size}; tiles of a tile cache have from 16 to {LARGEST_TILE} cells a side. "
            "Set it, to 48 say.",
            "TILE_CACHE_TILE_SIZE",
        )


def _set_of(settings: Settings, tile_grid: TileGrid, layers: Sequence[PackedLayer], most: int) -> CacheSet:
    """Counts are the sample's wherever they are enough, else the smallest that are."""
    side = np.float32(tile_grid.size) * tile_grid.cell_size
    mesh = parameters_of_mesh(most, layers, tile_grid.bounds_min, side)
    room = max(most, len(layers), 1)
    if bits(room) > MOST_BITS or mesh.tile_bits >= MOST_BITS:
        raise TooLarge(
            f"The level has {len(layers):,} layers in {tile_grid.columns * tile_grid.rows:,} tiles: more than a tile "
            f"cache numbers ({1 << MOST_BITS:,}). Raise tile_size.",
            "TOO_MANY_TILES",
        )
    height, radius, climb = map(np.float32, (settings.agent_height, settings.agent_radius, settings.agent_max_climb))
    cache = CacheParameters(
        tile_grid.bounds_min, tile_grid.cell_size, tile_grid.cell_height, tile_grid.size, height, radius, climb,
        np.float32(settings.edge_max_error), room, SAMPLE_OBSTACLES,
    )  # fmt: skip
    return CacheSet(mesh, cache, tuple(layers))


# --- files


def content_of_file(content: bytes, sidecar: bytes | None, links: tuple[Link, ...] | None) -> CacheContent:
    """What both files hold; `links` take the place of those of the second one. Raises NavmeshError."""
    read = read_set(content)
    told, kinds, obstacles, doors = ((), AREA_TYPES, [], ()) if sidecar is None else _sidecar(sidecar)
    cache, layers = read.cache, read.layers
    settings = _settings_of(cache)
    columns, rows = (max((layer.key[axis] for layer in layers), default=0) + 1 for axis in (0, 1))
    side = np.float32(cache.size) * cache.cell_size
    highest = max((float(layer.bounds_max[1]) for layer in layers), default=float(cache.origin[1]))
    high = np.array([cache.origin[0] + columns * side, highest, cache.origin[2] + rows * side], np.float32)
    border = settings.in_voxels().radius_vx + BORDER_EXTRA
    grid = TileGrid(columns, rows, cache.size, border, cache.origin, high, cache.cell_size, cache.cell_height)
    per_cell = max(1, cache.most_layers // max(columns * rows, 1))
    own = told if links is None else links
    return CacheContent(read, settings, grid, own, kinds, per_cell, (), tuple(obstacles), doors=doors)


def _settings_of(cache: CacheParameters) -> Settings:
    """The settings that a file tells of; the rest are defaults."""
    values: dict[str, Any] = {
        name: float(str(getattr(cache, name)))
        for name in ("cell_size", "cell_height", "agent_height", "agent_radius", "agent_max_climb")
    }
    error = float(str(cache.max_edge_error))
    return Settings(**values, edge_max_error=min(error, 100.0), tile_size=max(cache.size, 16), detail_mesh=False)


def _sidecar(content: bytes) -> tuple[tuple[Link, ...], AreaTypes, list[Obstacle], tuple[CacheDoor, ...]]:
    values = load_json(content, "sidecar of a tile cache")
    if not isinstance(values, Mapping) or values.get("format") != SIDECAR_FORMAT:
        given = values.get("format") if isinstance(values, Mapping) else type(values).__name__
        raise BadInput(
            f"The sidecar of the tile cache has format {given!r:.40}, and {SIDECAR_FORMAT} is read. Build it again.",
            "BAD_TILE_CACHE_SIDECAR",
        )
    table = values.get("areas", {})
    if not isinstance(table, Mapping):
        raise BadInput("The areas of the tile cache's sidecar must be a table by id.", "BAD_TILE_CACHE_SIDECAR")
    links, obstacles = as_links(values.get("links", [])), as_obstacles(values.get("obstacles", []))
    return tuple(links), area_types(table), obstacles, read_doors(values.get("doors", []))


def files_of(content: CacheContent, obstacles: Sequence[Obstacle]) -> tuple[bytes, bytes]:
    """A cache's file, and its sidecar; with room for the obstacles that stand."""
    cache = content.set.cache
    room = max(cache.most_obstacles, len(obstacles))
    first = set_bytes(content.set._replace(cache=cache._replace(most_obstacles=room)))
    kinds = {str(area): kind.to_mapping() for area, kind in sorted(content.area_types.items())}
    links = [link.to_mapping() for link in content.links]
    told = {
        "format": SIDECAR_FORMAT, "obstacles": [o.to_mapping() for o in obstacles], "links": links, "areas": kinds,
        **({"doors": [door.to_mapping() for door in content.doors]} if content.doors else {}),
    }  # fmt: skip
    return first, json_text(told)
