"""Doors in the stages of a tile: their ground has an area of its own until polygons are made of it.

Regions and outlines heed areas, so that no polygon lies on both sides of a door's outline. The numbers that stand for
(door, area) while that goes on lie above all areas that a level may have. No Recast ancestor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ..build_warning import BuildWarning
from ..errors import TooLarge
from ..report import Report
from ..result.navmesh import Tile, TileDoor
from ..scene import Volume, door_of
from ..stages.areas import boxes_around, mark_volumes
from ..threads import Workers
from ..types import NOT_WALKABLE, WALKABLE, CompactHeightfield, Grid, PolygonMesh, Regions
from .edit_marks import island_of, joined_regions

_NO_DOOR = 255
_FIRST = WALKABLE + 1  # of the numbers that stand for a door on an area
_MOST = 256 - _FIRST


class PieceDoor(NamedTuple):
    """The polygons of a piece that lie under a door."""

    name: str
    polygons: tuple[int, ...]


class DoorGround:
    """The doors that touch one grid, and the ground below them."""

    def __init__(self, volumes: Sequence[Volume]) -> None:
        self._volumes = [door for volume in volumes if (door := door_of(volume))]
        self._names = list(dict.fromkeys(volume.door for volume in self._volumes))
        self._pairs: list[tuple[int, int]] = []  # door and area, in the order of the numbers that stand for them

    def __bool__(self) -> bool:
        return bool(self._names)

    def split(self, grid: Grid, compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
        """The ground with an area for each door on each area; of two doors that overlap the later one counts."""
        if len(self._names) >= _NO_DOOR:
            raise _too_many(len(self._names))
        ground = np.where(compact.area == NOT_WALKABLE, NOT_WALKABLE, _NO_DOOR).astype(np.uint8)
        numbers = [1 + self._names.index(volume.door) for volume in self._volumes]
        door = mark_volumes(grid, compact._replace(area=ground), self._volumes, workers, areas=numbers).area
        under = (door != _NO_DOOR) & (door != NOT_WALKABLE)
        pairs, which = np.unique(door[under].astype(np.int64) << 8 | compact.area[under], return_inverse=True)
        if len(pairs) > _MOST:
            raise _too_many(len(pairs))
        self._pairs = [(pair >> 8, pair & 255) for pair in pairs.tolist()]
        area = compact.area.copy()
        area[under] = (_FIRST + which.ravel()).astype(np.uint8)
        return compact._replace(area=area)

    def kept(self, compact: CompactHeightfield, regions: Regions, divide: Callable[[], Regions]) -> Regions:
        """Regions with those under doors, however small; `divide` makes regions of any size.

        Else a door in the midst of ground would be a small island to the search for those, and become a hole.
        """
        lost = (compact.area >= _FIRST) & (regions.region == 0)
        wanted = np.zeros(len(lost), bool)
        while lost.any():
            island = island_of(compact, int(np.argmax(lost)))
            # Else it is an island by itself, too small with the door or without.
            if (regions.region[island] != 0).any():
                wanted |= lost & island
            lost &= ~island
        return joined_regions(regions, divide(), wanted) if wanted.any() else regions

    def joined(self, mesh: PolygonMesh) -> tuple[PolygonMesh, tuple[PieceDoor, ...]]:
        """The polygons with the areas of their ground, and which of them lie under each door."""
        area = mesh.area.copy()
        under = np.flatnonzero(area >= _FIRST).tolist()
        rows = []
        for polygon in under:
            door, ground = self._pairs[int(mesh.area[polygon]) - _FIRST]
            area[polygon] = ground
            rows.append((door, polygon))
        doors = tuple(
            PieceDoor(self._names[door - 1], tuple(polygon for _, polygon in own))
            for door, own in groupby(sorted(rows), key=lambda row: row[0])
        )
        return mesh._replace(area=area), doors


def _too_many(count: int) -> TooLarge:
    return TooLarge(
        f"{count:,} doors, counted once for each area that they lie on, are too many for one tile (limit {_MOST}). Set "
        "tile_size, or lower it.",
        "TOO_MANY_DOORS",
    )


def doors_of(pieces: Iterable[PieceDoor], volumes: Sequence[Volume]) -> tuple[TileDoor, ...]:
    """The doors of a tile in the states that their volumes say."""
    states = _states(volumes)
    return tuple(TileDoor(*door, *states[door.name]) for door in pieces)


def as_said(tiles: Iterable[Tile], volumes: Sequence[Volume]) -> tuple[Tile, ...]:
    """Tiles with their doors in the states that volumes say now; those without a change are the same."""
    states = _states(volumes)
    return tuple(_in_states(tile, states) if tile.doors else tile for tile in tiles)


def tell_doors(report: Report, tiles: Iterable[Tile], volumes: Sequence[Volume]) -> None:
    """A warning for each door without a polygon, into the report of a whole build."""
    there = {door.name for tile in tiles for door in tile.doors}
    lost = {name: volume for volume in map(door_of, volumes) if volume and (name := volume.door) not in there}
    for name, volume in lost.items():
        low, high = (corners[0].astype(float) for corners in boxes_around([volume]))
        x, y, z = ((low + high) / 2).round(3).tolist()
        text = f"The door “{name}” opens and closes nothing: no polygon lies under it. Agents may be too wide for it."
        report.warnings.append(
            BuildWarning("VOLUME_UNUSED", f"{text} Move it to the navmesh, or make it larger.", (x, y, z), name)
        )


_DoorState = tuple[bool, int]


def _states(volumes: Sequence[Volume]) -> dict[str, _DoorState]:
    return {door.door: (door.closed, door.ability) for volume in volumes if (door := door_of(volume))}


def _in_states(tile: Tile, states: dict[str, _DoorState]) -> Tile:
    doors = tuple(
        door._replace(closed=state[0], ability=state[1]) if (state := states.get(door.name)) else door
        for door in tile.doors
    )
    return tile if doors == tile.doors else tile._replace(doors=doors)
