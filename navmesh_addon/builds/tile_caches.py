"""The tile cache of a request's level, and the obstacles of its scene. Nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...navcore.errors import BadInput

if TYPE_CHECKING:
    from ...navcore.progress import Progress
    from ...navcore.tile_cache.tile_cache import TileCache
    from ..gather.gathered_level import SceneObstacle
    from .request_and_result import Request


def cache_of(request: Request, threads: int | None, progress: Progress | None = None) -> TileCache:
    """The tile cache of a request's level, without obstacles. Raises NavmeshError."""
    from ...navcore.tile_cache.tile_cache import TileCache

    if request.gathered.own:
        raise BadInput(
            f"“{request.name}” is a mesh of your own, and a tile cache is built from a level. Obstacles need objects "
            "to build from.",
            "NEEDS_THE_LEVEL",
        )
    return TileCache(request.level, settings=request.settings, threads=threads, progress=progress)


def cache_with(request: Request, obstacles: Iterable[SceneObstacle], threads: int | None) -> TileCache:
    """The same with obstacles that stand from the beginning. Raises NavmeshError."""
    cache = cache_of(request, threads)
    for obstacle in obstacles:
        for item in obstacle.items:
            cache.add(item)
    cache.update()
    return cache
