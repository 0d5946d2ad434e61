"""What the stages of a finished navmesh made, built once more for whoever wants to look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..geometry.tile_grid import keys_of_grid
from ..geometry.tile_key import TileKey
from ..level_source import LevelSource
from ..result.navmesh import NavMesh, check_built, check_has_level
from ..types import AnyArray
from .build_level import build_navmesh
from .checked_input import checked_level
from .cold_builds import builds
from .running_build import Watch, running_build
from .tiles.build_tiles import build_tiles


@builds
def rebuilt_stages(
    navmesh: NavMesh,
    source: LevelSource,
    *,
    tiles: Sequence[TileKey] | None = None,
    threads: int | None = None,
    progress: Watch = None,
) -> dict[str, Any]:
    """What `build_navmesh(…, keep_stages=True)` would have kept of this navmesh, which kept nothing: the same bytes.

    `source` is the level that it was built from. Of a navmesh in tiles only these `tiles` are built, all where it is
    None; those that no triangle touches have no stages. No Recast ancestor.
    """
    check_built("rebuilt_stages", navmesh)
    check_has_level("rebuilt_stages", navmesh)
    if navmesh.tile_grid is None:
        alone = replace(source, links=(), edits=None, sizes=navmesh.sizes)
        again = build_navmesh(alone, settings=navmesh.settings, threads=threads, progress=progress, keep_stages=True)
        return dict(again.stages)
    grid, stages = navmesh.tile_grid, dict[str, Any]()
    wanted = list(keys_of_grid(grid)) if tiles is None else list(tiles)
    with running_build(navmesh.settings, threads, progress, None, False, navmesh.sizes) as build:
        build.guard.allow(max((kind.size + 2 * kind.border) ** 2 for kind in grid.kinds))
        for _ in build_tiles(wanted, grid, build.marked(checked_level(source)), build, None, stages):
            build.progress.check()
    return stages


def bytes_of(stages: object) -> int:
    """What arrays these hold; an array that several share counts once."""
    return sum({id(array): array.nbytes for array in _arrays(stages)}.values())


def _arrays(value: object) -> Iterator[AnyArray]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _arrays(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _arrays(inner)
