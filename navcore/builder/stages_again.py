"""What the stages of a finished navmesh made, built once more for whoever wants to look at them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..geometry.tile_grid import keys_of_grid
from ..geometry.tile_key import TileKey
from ..jit import builds
from ..result.navmesh import NavMesh, check_built
from ..scene import as_volumes
from .build_level import Volumes, build_navmesh
from .checked_input import checked_geometry
from .running_build import Watch, running_build
from .tiles.build_tiles import build_tiles


@builds
def stages_again(
    navmesh: NavMesh,
    vertices: npt.ArrayLike,
    triangles: npt.ArrayLike,
    *,
    areas: npt.ArrayLike | None = None,
    volumes: Volumes = (),
    bounds: Sequence[float] | None = None,
    places: Sequence[TileKey] | None = None,
    threads: int | None = None,
    progress: Watch = None,
) -> dict[str, Any]:
    """What `build_navmesh(…, keep_stages=True)` would have kept of this navmesh, which kept nothing: the same bytes.

    The level, its areas, volumes and bounds are those that it was built from. Of a navmesh in tiles only the tiles at
    `places` are built, all where it is None; those that no triangle touches have no stages. No Recast ancestor.
    """
    check_built("stages_again", navmesh)
    if navmesh.tile_grid is None:
        again = build_navmesh(
            vertices, triangles, navmesh.settings, areas=areas, volumes=volumes, bounds=bounds, threads=threads,
            progress=progress, keep_stages=True,
        )  # fmt: skip
        return dict(again.stages)
    grid, stages = navmesh.tile_grid, dict[str, Any]()
    wanted = list(keys_of_grid(grid)) if places is None else list(places)
    with running_build(navmesh.settings, threads, progress) as build:
        build.guard.allow((grid.size + 2 * grid.border) ** 2)
        level = build.level_input(checked_geometry(vertices, triangles, areas), as_volumes(volumes))
        for _ in build_tiles(wanted, grid, level, build, None, stages):
            build.progress.check()
    return stages


def bytes_of(stages: object) -> int:
    """What arrays these hold; an array that several share counts once."""
    return sum({id(array): array.nbytes for array in _arrays(stages)}.values())


def _arrays(value: object) -> Iterator[npt.NDArray[Any]]:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _arrays(inner)
    elif isinstance(value, tuple):
        for inner in value:
            yield from _arrays(inner)
