"""The navmesh of a tile cache as a query follows it: tiles as the cache links them, under its own references."""

from __future__ import annotations

from ..detour.byte_layout import header_of
from ..detour.polygon_references import SetParameters
from ..result.navmesh import LiveTile, LiveTiles, NavMesh
from .mesh_in_tiles import NamedTile, TileChange


class FollowedCache:
    """What was asked last of the navmeshes of one cache. Links keep the order that Detour has at run time."""

    def __init__(self, live: LiveTiles) -> None:
        self._live = live

    @property
    def parameters(self) -> SetParameters:
        """What all its navmeshes share."""
        return SetParameters(*self._live.parameters)

    def tiles(self) -> list[NamedTile]:
        """All of them, in the order in which they were added."""
        return [_named(tile) for tile in self._live.tiles]

    def is_of(self, navmesh: NavMesh) -> bool:
        """Whether a navmesh is of the same cache."""
        return navmesh.live is not None and navmesh.live.cache == self._live.cache

    def follow(self, navmesh: NavMesh) -> TileChange | None:
        """What has to change for the tiles to be those of another navmesh of the cache; None: all of it.

        Tiles that stayed are the same objects. A tile whose links alone have changed was made at the same time.
        """
        if navmesh.live is None:
            return None
        before, self._live = {tile.made: tile for tile in self._live.tiles}, navmesh.live
        put, touched = list[NamedTile](), list[NamedTile]()
        for tile in navmesh.live.tiles:
            old = before.pop(tile.made, None)
            if old is None:
                put.append(_named(tile))
            elif old is not tile:
                touched.append(_named(tile))
        return TileChange([old.reference for old in before.values()], put, touched)


def _named(tile: LiveTile) -> NamedTile:
    return NamedTile(tile.reference, tile.data, int(header_of(tile.data)["connections"][0]))
