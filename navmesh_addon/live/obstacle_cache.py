"""The tile cache of a level whose obstacles are shown: made once, then changed. Nothing here may touch bpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...navcore.errors import NavmeshError
from ..background import Job
from ..builds.tile_caches import cache_of
from .live_level import AreaColor, TilePicture, tile_picture

if TYPE_CHECKING:
    from collections.abc import Hashable

    from ...navcore.geometry.tile_key import TileKey
    from ...navcore.result.navmesh import NavMesh, Tile
    from ...navcore.settings import Settings
    from ...navcore.tile_cache.tile_cache import TileCache
    from ..builds.request_and_result import Means, Request
    from ..gather.gathered_level import SceneItem

Standing = Mapping["Hashable", tuple["SceneItem", ...]]  # what stands in the way, by who it is
_USUAL, _LARGEST = 48, 255  # cells of a tile where the setup says none that a tile cache may have


class Followed(NamedTuple):
    """What came of one look at the obstacles."""

    pictures: list[TilePicture]  # of tiles that are others now
    standing: Standing


def cache_settings(settings: Settings) -> Settings:
    """Those of a setup with a tile size that a tile cache may have."""
    fits = 16 <= settings.tile_size <= _LARGEST
    return settings if fits else replace(settings, tile_size=_USUAL)


FollowJob = Job[Followed]  # one look at the obstacles


class FollowedObstacles:
    """One level with obstacles. The main thread asks; jobs follow each other, never two at a time."""

    def __init__(self, request: Request, means: Means) -> None:
        self._request, self._means = request, means
        self._cache: TileCache | None = None
        self._references: dict[Hashable, list[int]] = {}
        self._standing: Standing = {}
        self._tiles: dict[TileKey, Tile] = {}
        self.can_begin = True  # False: no cache can be made of this level, whatever stands on it

    def start(self, wanted: Standing, colors: Mapping[int, AreaColor]) -> FollowJob:
        """Let these stand, and no others."""
        return FollowJob("navmesh-obstacles", lambda job: self._follow(job, wanted, colors)).start()

    @property
    def navmesh(self) -> NavMesh | None:
        """The navmesh with obstacles, while no job runs."""
        return None if self._cache is None else self._cache.navmesh

    def _follow(self, job: FollowJob, wanted: Standing, colors: Mapping[int, AreaColor]) -> Followed:
        cache = self._cache if self._cache is not None else self._begin(job)
        try:
            self._let_stand(cache, wanted)
        except NavmeshError:  # half of it stands: the next one begins anew
            self._cache, self._references, self._standing = None, {}, {}
            raise
        tiles = {tile.key: tile for tile in cache.navmesh.tiles}
        changed = [key for key, tile in tiles.items() if self._tiles.get(key) is not tile]
        gone = self._tiles.keys() - tiles.keys()
        self._tiles = tiles
        pictures = [tile_picture(key, tiles.get(key), colors) for key in (*changed, *gone)]
        return Followed(pictures, self._standing)

    def _let_stand(self, cache: TileCache, wanted: Standing) -> None:
        for who in [who for who, items in self._standing.items() if wanted.get(who) != items]:
            for reference in self._references.pop(who):
                cache.remove(reference)
        for who, items in wanted.items():
            if who not in self._references:
                self._references[who] = [cache.add(item) for item in items]
        cache.update()
        self._standing = dict(wanted)

    def _begin(self, job: FollowJob) -> TileCache:
        from ..builds.run_builds import load

        self.can_begin = False
        load(self._means.kernels)
        progress = job.new_progress()
        request = self._request
        if request.gathered.drops:  # islands are dropped from finished navmeshes alone
            marks = tuple(edit for edit in request.gathered.edits if edit not in request.gathered.drops)
            request = request._replace(gathered=request.gathered._replace(edits=marks))
        request = request._replace(settings=cache_settings(request.settings))
        self._cache = cache_of(request, self._means.threads, progress)
        self.can_begin = True
        return self._cache
