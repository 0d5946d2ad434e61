"""What a navmesh file holds, in numbers that people ask for: ground by area, islands, agent, cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..geometry.union_find import flatten, join
from ..jit import kernel
from ..types import F64, I32, I64, U8
from .byte_layout import AREA_MASK, NO_LINK, split_sections
from .reader import NavmeshFile
from .tile_links import linked_tiles


class AreaShare(NamedTuple):
    """The ground of one area id."""

    area: int
    polygons: int
    square_metres: float  # seen from above


class Contents(NamedTuple):
    """The counts of a file."""

    polygons: int  # of ground
    connections: int
    vertices: int
    areas: tuple[AreaShare, ...]
    islands: int  # pieces of ground that no link joins, connections included


def contents_of(file: NavmeshFile) -> Contents:
    """Count what a checked file holds."""
    headers = [tile.sections.header[0] for tile in file.tiles]
    return Contents(
        sum(int(h["first_connection"]) for h in headers),
        sum(int(h["connections"]) for h in headers),
        sum(int(h["vertices"]) - 2 * int(h["connections"]) for h in headers),
        _areas(file),
        _islands(file),
    )


def _areas(file: NavmeshFile) -> tuple[AreaShare, ...]:
    count, size = np.zeros(AREA_MASK + 1, np.int64), np.zeros(AREA_MASK + 1)
    for tile in file.tiles:
        _areas_kernel(tile.data, count, size)
    return tuple(AreaShare(int(a), int(count[a]), float(size[a])) for a in np.flatnonzero(count))


@kernel
def _areas_kernel(data: U8, count: I64, size: F64) -> None:
    """Add the ground of a tile, polygon by polygon, as fans of triangles."""
    tile = split_sections(data)
    vertices, corner_of, corners = tile.vertices, tile.polygons["vertices"], tile.polygons["corners"]
    for polygon in range(tile.header[0]["first_connection"]):
        doubled = 0.0
        a = corner_of[polygon, 0]
        for corner in range(2, np.int32(corners[polygon])):
            b, c = corner_of[polygon, corner - 1], corner_of[polygon, corner]
            bx, bz = np.float64(vertices[b, 0]) - vertices[a, 0], np.float64(vertices[b, 2]) - vertices[a, 2]
            cx, cz = np.float64(vertices[c, 0]) - vertices[a, 0], np.float64(vertices[c, 2]) - vertices[a, 2]
            doubled += cx * bz - bx * cz
        area = tile.polygons["area_and_kind"][polygon] & AREA_MASK
        count[area] += 1
        size[area] += abs(doubled) / 2


def _islands(file: NavmeshFile) -> int:
    """Pieces of ground that hang together over links; one-way links count as well."""
    polygon_bits, slot_mask = file.parameters.polygon_bits, (1 << file.parameters.tile_bits) - 1
    slots = [tile.reference >> polygon_bits & slot_mask for tile in file.tiles]
    counts = [len(tile.sections.polygons) for tile in file.tiles]
    first_of_slot = np.zeros(max(slots, default=0) + 1, np.int64)
    first_of_slot[slots] = np.cumsum([0, *counts[:-1]])[: len(counts)]
    parents = np.arange(sum(counts), dtype=np.int32)
    ground = np.zeros(len(parents), bool)
    for slot, tile, data in zip(slots, file.tiles, linked_tiles(file), strict=True):
        first = first_of_slot[slot]
        ground[first : first + int(tile.sections.header["first_connection"][0])] = True
        _join_kernel(data, first, first_of_slot, polygon_bits, slot_mask, parents)
    flatten(parents)
    return len(np.unique(parents[ground]))


@kernel
def _join_kernel(data: U8, first: int, first_of_slot: I64, polygon_bits: int, slot_mask: int, parents: I32) -> None:
    """Join what the links of a tile connect."""
    tile = split_sections(data)
    links = tile.links
    for polygon in range(len(tile.polygons)):
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            target = np.int64(links["target"][k])
            other = first_of_slot[target >> polygon_bits & slot_mask] + (target & ((1 << polygon_bits) - 1))
            join(parents, np.int32(first + polygon), np.int32(other))
            k = links["next"][k]
