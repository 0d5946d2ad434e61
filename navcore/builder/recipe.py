"""Every number that stages 2 to 10 are given, by name, derived from the settings in one place.

Both ways of building take theirs from here: the stages one by one (pipeline.py) and a tile in one kernel call
(fused_tile.py). Parts that kernels take are tuples of plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..agent_sizes import AgentSize, voxels_of_size
from ..geometry.columns import agent_of
from ..geometry.grid import raised, without_border
from ..settings import PARTITIONS, Settings, Voxels
from ..stages.contours import splitting_of
from ..stages.detail import sampling_of
from ..stages.detail.sampling import Sampling
from ..stages.polygons import WELD_HEIGHT
from ..types import F32, I32, U16, Grid
from .validate import heights_of, limits_of
from .validate.detail_checks import DetailFrame, detail_frame, framed_at


class OpenGroundRecipe(NamedTuple):
    """Stages 2 to 5: from triangles to the ground on which an agent's center may stand."""

    low_obstacles: bool  # which of the filters are on
    ledges: bool
    low_rooms: bool
    height_vx: np.int32  # the agent's
    climb_vx: np.int32
    shortest: np.uint16  # twice the way from an edge to the agent's center, vx; 0: nothing is eroded


class SizesRecipe(NamedTuple):
    """Several sizes of agents, from the lowest to the highest."""

    height_vx: I32  # (sizes,)
    shortest: U16  # (sizes,) as in OpenGroundRecipe
    bit: U16  # (sizes,) of the mask


class PolygonRecipe(NamedTuple):
    """Stages 6 to 9: from open ground to polygons."""

    partition: int  # its place in PARTITIONS
    region_areas_vx: tuple[int, int]  # of the smallest region, and of the largest one that is joined to others
    squared_edge_error: np.float32  # vx
    splitting: tuple[int, bool, bool]  # edges longer than what (vx, 0: none), along walls, between areas
    corners_per_polygon: int
    weld_height_vx: int  # how far apart corners are that become one


class GridRecipe(NamedTuple):
    """What depends on where a tile lies: for its polygons, its detail, and the checks of both."""

    sizes: tuple[int, int, int]  # of the grid without its border, and the border
    limits: tuple[int, int, int, bool]  # as in MeshShape
    slack: tuple[int, int, float]  # as `check_ground` takes it
    detail_wanted: bool
    sampling: Sampling
    origin: F32  # (3,)
    detail_frame: DetailFrame


class Recipe(NamedTuple):
    """What the settings come to, wherever it is built."""

    settings: Settings
    voxels: Voxels
    open_ground: OpenGroundRecipe
    polygons: PolygonRecipe
    keeps_solid: bool  # whether what is solid is kept: links are found on it
    weld_height_while_mending_vx: int  # corners of floors that lie closer together than Recast welds stay apart
    on_tiles: GridRecipe | None = None  # of any tile of a level, where all of what is built are its tiles
    sizes: tuple[Voxels, ...] = ()  # of each size alone, where there are several
    in_one_call: SizesRecipe | None = None  # the same for kernels

    @property
    def widest(self) -> Voxels:
        """The settings in voxels by which tiles are cut: a border has to be as wide as the widest size needs it."""
        return self.voxels._replace(radius_vx=max([self.voxels.radius_vx, *(own.radius_vx for own in self.sizes)]))


def recipe_of(settings: Settings, finds_links: bool = True, sizes: Sequence[AgentSize] = ()) -> Recipe:
    """The recipe of all pieces of a build; without `finds_links` of one whose pieces are looked at or handed over.

    Where there are `sizes`, `settings` are their joint ones.
    """
    voxels = settings.in_voxels()
    error = np.float32(voxels.edge_max_error_vx)
    open_ground = OpenGroundRecipe(
        settings.filter_low_hanging_obstacles,
        settings.filter_ledge_spans,
        settings.filter_walkable_low_height_spans,
        *agent_of(voxels.height_vx, voxels.climb_vx),
        _shortest(voxels),
    )
    polygons = PolygonRecipe(
        PARTITIONS.index(settings.partition),
        (voxels.region_min_area_vx, voxels.region_merge_area_vx),
        error * error,
        splitting_of(voxels.edge_max_length_vx, settings.tessellate_wall_edges, settings.tessellate_area_edges),
        settings.vertices_per_polygon,
        WELD_HEIGHT,
    )
    keeps_solid = settings.generate_links and finds_links
    while_mending = min(WELD_HEIGHT, voxels.height_vx - 1)
    own = tuple(voxels_of_size(settings, size) for size in sizes)
    recipe = Recipe(settings, voxels, open_ground, polygons, keeps_solid, while_mending, None, own)
    return recipe._replace(in_one_call=_in_one_call(own)) if own else recipe


def _in_one_call(sizes: Sequence[Voxels]) -> SizesRecipe:
    order = sorted(range(len(sizes)), key=lambda number: sizes[number].height_vx)
    heights = [agent_of(sizes[number].height_vx, 0)[0] for number in order]
    return SizesRecipe(
        np.array(heights, np.int32),
        np.array([_shortest(sizes[number]) for number in order], np.uint16),
        np.array([1 << number for number in order], np.uint16),
    )


def _shortest(voxels: Voxels) -> np.uint16:
    return np.uint16(min(2 * voxels.radius_vx, 0xFFFF))


def of_tiles(recipe: Recipe, tile: Grid) -> Recipe:
    """The recipe of all tiles of a level; `tile` is the grid of one, border included."""
    return recipe._replace(on_tiles=grid_recipe(recipe._replace(on_tiles=None), tile)[1])


def grid_recipe(recipe: Recipe, grid: Grid) -> tuple[Grid, GridRecipe]:
    """The grid of the polygons of a tile, and the recipe for them; `grid` is that of its columns, border included."""
    settings, voxels = recipe.settings, recipe.voxels
    inner = without_border(raised(grid, voxels.height_vx))
    if recipe.on_tiles is not None:  # a tile has its own place, and nothing else of its own
        frame = framed_at(recipe.on_tiles.detail_frame, inner)
        return inner, GridRecipe(*recipe.on_tiles[:-2], inner.bounds_min, frame)
    error = np.float32(voxels.edge_max_error_vx)
    return inner, GridRecipe(
        (inner.width, inner.depth, grid.border),
        limits_of(inner, voxels.climb_vx),
        (grid.border, voxels.climb_vx, float(error)),
        settings.detail_mesh,
        sampling_of(inner, voxels.detail_sample_distance, voxels.detail_sample_max_error, error),
        inner.bounds_min,
        detail_frame(inner, *heights_of(inner, voxels.climb_vx)),
    )
