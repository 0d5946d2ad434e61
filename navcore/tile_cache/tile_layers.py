"""A level → the packed layers of its tiles: stages 1 to 5 of a build, then layers. Recast: rasterizeTileLayers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TypeAlias

import numpy as np

from ..build_warning import BuildWarning
from ..builder.edit_marks import TileEdits, is_edit
from ..builder.fused_tile import open_ground_in_one_call
from ..builder.pipeline import forget, marked_ground, open_ground
from ..builder.running_build import RunningBuild
from ..builder.tiles.tile_jobs import LevelJobs
from ..errors import TooLarge
from ..geometry.grid import place_in_grid, raised, without_border
from ..geometry.tile_grid import TileGrid, chosen_triangles, grid_of_tile
from ..geometry.tile_key import TileKey
from ..jit import kernel
from ..progress import Progress
from ..scene import door_of
from ..stages.areas import mark_volumes, touching
from ..stages.rasterize import rasterize_triangles
from ..threads import Workers
from ..turns import in_turns
from ..types import U8, CompactHeightfield, Grid
from .cache_sets import PackedLayer
from .fastlz import compress
from .ground_layers import DONE, EXACT, MOST_HEIGHTS, ROOMY, TOO_MANY_ABOVE, TOO_MANY_REGIONS, Layers, layers_of

FoundLayer: TypeAlias = tuple[PackedLayer, U8]
"""A layer, and its grids before they were packed."""
MOST_LAYERS = 32  # of one place, within upstream's limits


def packed_layers(
    jobs: LevelJobs, build: RunningBuild, exact: bool
) -> Iterator[tuple[TileKey, list[FoundLayer], list[BuildWarning]]]:
    """The layers of every tile that any triangle touches, row by row, and what there is to say about them."""
    places, threads = jobs.places, build.workers.count
    make = partial(_layers_of_tile, jobs, build, exact)
    if threads == 1 or len(places) < 2:
        yield from map(make, places)
        return
    yield from in_turns(make, places, threads)


def _layers_of_tile(
    jobs: LevelJobs, build: RunningBuild, exact: bool, key: TileKey
) -> tuple[TileKey, list[FoundLayer], list[BuildWarning]]:
    build.progress.check()
    grid = grid_of_tile(jobs.tile_grid, key)
    compact, warnings = _open_ground(jobs, build, key, grid)
    status, crowded, layers = layers_of(compact, grid.border, build.recipe.voxels.height_vx, EXACT)
    if (status in (TOO_MANY_REGIONS, TOO_MANY_ABOVE) or crowded) and not exact:
        status, crowded, layers = layers_of(compact, grid.border, build.recipe.voxels.height_vx, ROOMY)
        warnings += [_beyond_upstream(key, grid)] if status == DONE else []
    if status == TOO_MANY_REGIONS and not exact:
        raise TooLarge(
            f"Tile {key}: its ground falls apart into more than {ROOMY.regions:,} pieces, the most that are sorted "
            "into layers. Lower tile_size, or raise cell_size.",
            "TOO_MANY_LAYER_REGIONS",
        )
    if status in (TOO_MANY_REGIONS, TOO_MANY_ABOVE):
        warnings.append(_lost(key, status, grid))
    elif status != DONE:
        raise TooLarge(
            f"Tile {key}: one piece of its ground rises over more than {MOST_HEIGHTS} heights of "
            f"{grid.cell_height:g} m (limit {MOST_HEIGHTS}). Raise cell_height, or lower tile_size.",
            "LAYER_TOO_TALL",
        )
    return key, _packed(key, grid, layers), warnings


def _open_ground(
    jobs: LevelJobs, build: RunningBuild, key: TileKey, grid: Grid
) -> tuple[CompactHeightfield, list[BuildWarning]]:
    """Stages 2 to 5 of one tile, and how many cells each edit marks there."""
    recipe = build.recipe
    geometry = chosen_triangles(jobs.level.geometry, jobs.selection.of(key))
    with Workers(1, Progress(cancelled=build.progress.cancelled)) as workers:
        touched = touching(grid, jobs.level.volumes)
        volumes = [volume for volume in touched if not door_of(volume)]
        edits = TileEdits(grid, volumes, recipe.voxels, workers) if any(map(is_edit, volumes)) else None
        compact = open_ground_in_one_call(grid, geometry, recipe, workers) if edits is None else None
        if compact is None:
            rasterize = partial(rasterize_triangles, grid, *geometry, recipe.voxels.climb_vx, workers)
            compact, _ = open_ground(rasterize, recipe, workers, forget, edits)
        high = raised(grid, recipe.voxels.height_vx)
        if volumes or recipe.settings.median_filter:
            compact = marked_ground(high, compact, recipe.settings.median_filter, edits or volumes, workers, forget)
        # A door lies on whatever ground is there, as in a build: no mark may take its area away.
        if doors := [volume for volume in touched if door_of(volume)]:
            compact = mark_volumes(high, compact, doors, workers)
    return compact, edits.rows() if edits is not None else []


def _packed(key: TileKey, grid: Grid, layers: Layers) -> list[FoundLayer]:
    inner, found = without_border(grid), list[FoundLayer]()
    for number in range(len(layers.spans)):
        lowest, highest, *span = layers.spans[number].tolist()
        low, high = inner.bounds_min.copy(), inner.bounds_max.copy()
        low[1] = inner.bounds_min[1] + np.float32(lowest) * grid.cell_height
        high[1] = inner.bounds_min[1] + np.float32(highest) * grid.cell_height
        x0, x1, z0, z1 = span
        packed, grids = pack_cells(layers.heights[number], layers.areas[number], layers.sides[number])
        layer = PackedLayer(key._replace(layer=number), low, high, lowest, highest, (x0, x1, z0, z1), packed)
        found.append((layer, grids))
    return found


@kernel
def pack_cells(heights: U8, areas: U8, sides: U8) -> tuple[U8, U8]:
    """The grids of a layer, one after the other: packed, and as they are."""
    cells = len(heights)
    grids = np.empty(3 * cells, np.uint8)
    grids[:cells], grids[cells : 2 * cells], grids[2 * cells :] = heights, areas, sides
    return compress(grids).copy(), grids


def _middle(grid: Grid) -> tuple[float, float, float]:
    return place_in_grid(grid, (grid.width / 2, 0, grid.depth / 2))


def _lost(key: TileKey, status: int, grid: Grid) -> BuildWarning:
    limit = EXACT.regions if status == TOO_MANY_REGIONS else EXACT.above
    what = (
        f"more than {limit} pieces of ground" if status == TOO_MANY_REGIONS else f"more than {limit} above each other"
    )
    text = f"Tile {key} has {what}, and no layer of it is kept, as in Recast. Leave exact out, or lower tile_size."
    return BuildWarning("LAYERS_LOST", text, _middle(grid))


def _beyond_upstream(key: TileKey, grid: Grid) -> BuildWarning:
    text = f"Tile {key} has more pieces of ground than Recast sorts into layers; here it has them."
    text += " Lower tile_size where Recast is to build it, too."
    return BuildWarning("LAYERS_BEYOND_RECAST", text, _middle(grid))


def dropped(tile_grid: TileGrid, key: TileKey, count: int, why: str) -> BuildWarning:
    """What is said of layers that are left out."""
    what = "1 layer is" if count == 1 else f"{count} layers are"
    text = f"Tile {key}: {what} left out, as in Recast: {why}. Leave exact out, or raise layers_per_cell."
    return BuildWarning("LAYERS_LOST", text, _middle(grid_of_tile(tile_grid, key)))
