"""Doors in runtime data: the flags of their polygons in each state, and the references that a `.bin` has of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from ..agent_sizes import flags_with_sizes
from ..area_types import AreaType, flags_by_area, runtime_areas
from ..geometry.tile_key import TileKey
from ..result.navmesh import Door, NavMesh, Tile, TileDoor
from ..types import I32, I64, U8, U16
from .byte_layout import sections
from .off_mesh_links import LinkTable, link_table
from .polygon_references import SetParameters, solo_parameters, tiled_parameters
from .queries.checked_links import joined_links
from .tile_data import Agent, lowest_and_highest, tile_data
from .wide_references import wide_reference, widened_reference

CLOSED = 0  # flags that no filter lets pass: Detour's asks for any of its own


def data_of_tile(tile: Tile, agent: Agent, links: LinkTable, types: Mapping[int, AreaType]) -> U8:
    """The bytes of a tile with the flags of doors in their states, and of sizes of agents; see `tile_data`."""
    data = tile_data(tile.polygon_mesh, tile.detail_mesh, agent, links, tile.x, tile.y, types)
    if tile.too_small is not None:
        flags = sections(data).polygons["flags"][: len(tile.too_small)]
        flags[:] = flags_with_sizes(flags, tile.too_small)
    for door in tile.doors:
        numbers = np.array(door.polygons, np.int64)
        sections(data).polygons["flags"][numbers] = CLOSED if door.closed else open_flags(tile, door, types)
    return data


def flags_with_doors(navmesh: NavMesh, flags: U16) -> U16:
    """The flags of all polygons, tile after tile, those of doors by their states."""
    found, first = flags.copy(), 0
    for tile in navmesh.tiles:
        for door in tile.doors:
            numbers = first + np.array(door.polygons, np.int64)
            found[numbers] = CLOSED if door.closed else open_flags(tile, door, navmesh.area_types)
        first += len(tile.polygon_mesh.polygons)
    return found


def open_flags(tile: Tile, door: TileDoor, types: Mapping[int, AreaType]) -> U16:
    """The flags of each polygon of a door while it is open."""
    numbers = np.array(door.polygons, np.int64)
    areas = runtime_areas(tile.polygon_mesh.area[numbers])
    flags = np.full(len(areas), door.ability, np.uint16) if door.ability else flags_by_area(types)[areas]
    return flags_with_sizes(flags, None if tile.too_small is None else tile.too_small[numbers])


class DoorPart(NamedTuple):
    """What of a door lies in one tile."""

    key: TileKey
    polygons: I64  # their numbers in the tile
    flags: U16  # of each while it is open


def parts_of_doors(navmesh: NavMesh) -> dict[str, list[DoorPart]]:
    """The doors of a navmesh by name, tile by tile."""
    parts: dict[str, list[DoorPart]] = {}
    for tile in [tile for tile in navmesh.tiles if tile.doors]:  # few, if any: queries ask for them at each update
        for door in tile.doors:
            flags = open_flags(tile, door, navmesh.area_types)
            part = DoorPart(tile.key, np.array(door.polygons, np.int64), flags)
            parts.setdefault(door.name, []).append(part)
    return parts


def doors_of_navmesh(navmesh: NavMesh, wide: bool = False) -> tuple[Door, ...]:
    """What `NavMesh.doors` is: a row for each name, and where its polygons have several flags, for each of these.

    `wide`: with the references of a file of 64 bits.
    """
    if not any(tile.doors for tile in navmesh.tiles):
        return ()
    rows: dict[tuple[str, int], list[int]] = {}
    closed: dict[str, bool] = {}
    for base, tile in zip(_references(navmesh, wide), navmesh.tiles, strict=True):
        for door in tile.doors:
            closed[door.name] = door.closed
            for polygon, flag in _open_flags_of(navmesh, tile, door):
                rows.setdefault((door.name, flag), []).append(base | polygon)
    return tuple(Door(name, tuple(own), flag, CLOSED, closed[name]) for (name, flag), own in rows.items())


def door_of_each_polygon(navmesh: NavMesh) -> I32:
    """Which row of `NavMesh.doors` each polygon belongs to, tile after tile; -1 for none."""
    number = {(door.name, door.open): row for row, door in enumerate(navmesh.doors)}
    counts = [len(tile.polygon_mesh.polygons) for tile in navmesh.tiles]
    found, first = np.full(sum(counts), -1, np.int32), 0
    for tile, count in zip(navmesh.tiles, counts, strict=True):
        for door in tile.doors:
            for polygon, flag in _open_flags_of(navmesh, tile, door):
                found[first + polygon] = number[door.name, flag]
        first += count
    return found


def _open_flags_of(navmesh: NavMesh, tile: Tile, door: TileDoor) -> zip[tuple[int, int]]:
    """Each polygon of a door in a tile, and its flags while it is open."""
    return zip(door.polygons, open_flags(tile, door, navmesh.area_types).tolist(), strict=True)


def _references(navmesh: NavMesh, wide: bool) -> Iterator[int]:
    """That of each tile in a `.bin`, which is that of its first polygon."""
    if navmesh.live is not None:
        parameters = SetParameters(*navmesh.live.parameters)
        live = {tile.key: tile.reference for tile in navmesh.live.tiles}
        references = (live[tile.key] for tile in navmesh.tiles)
        return (widened_reference(narrow, parameters) for narrow in references) if wide else references
    slots = range(len(navmesh.tiles))
    return map(wide_reference, slots) if wide else map(_parameters(navmesh).reference, slots)


def _parameters(navmesh: NavMesh) -> SetParameters:
    """Those of a `.bin`, also where its tiles would not fit into one."""
    if navmesh.tile_grid is not None:
        return tiled_parameters(navmesh.tile_grid)
    mesh, links = navmesh.tiles[0].polygon_mesh, link_table(joined_links(navmesh))
    low, high = mesh.grid.bounds_min, mesh.grid.bounds_max
    lowest, highest = lowest_and_highest(mesh, navmesh.tiles[0].detail_mesh, Agent.of(navmesh.settings))
    x, y, z = links.points[:, :3].T
    start_here = (low[0] <= x) & (x < high[0]) & (low[2] <= z) & (z < high[2]) & (lowest <= y) & (y <= highest)
    return solo_parameters(mesh.grid, len(mesh.polygons) + int(np.count_nonzero(start_here)))
