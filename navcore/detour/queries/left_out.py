"""Islands that are left out of a navmesh: which, how large they are, and where; for reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...build_warning import Point
from ...geometry.connected_parts import NO_ISLAND, numbered_by_ground, strong_parts
from ...report import LeftOut
from ...types import F64, I32, I64, Bools
from ..byte_layout import sections
from .islands import sizes_of_nodes
from .walk_graph import WalkGraph

_MOST_LISTED = 100  # islands; the others are told as one


class NumberedIslands(NamedTuple):
    """The islands of a graph, numbered as `find_islands` does it."""

    of_node: I32  # (nodes,) NO_ISLAND for links
    square_metres: F64  # (islands,) seen from above
    largest: I64  # (islands,) the node of the largest polygon of each


def island_ground(graph: WalkGraph) -> NumberedIslands:
    """The islands of a graph."""
    size, ground = sizes_of_nodes(graph), graph.polygon >= 0
    number, square_metres = numbered_by_ground(strong_parts(graph.starts, graph.targets), ground, size)
    number = np.where(ground, number, NO_ISLAND).astype(np.int32)
    nodes = np.flatnonzero(ground)
    nodes = nodes[np.lexsort((nodes, -size[nodes], number[nodes]))]
    first = np.flatnonzero(np.diff(number[nodes], prepend=NO_ISLAND))
    return NumberedIslands(number, square_metres, nodes[first])


def place_of_island(graph: WalkGraph, islands: NumberedIslands, island: int) -> Point:
    """The middle of its largest polygon."""
    node = int(islands.largest[island])
    tile = int(np.searchsorted(graph.first, node, side="right")) - 1
    part = sections(graph.tiles[tile])
    polygon = part.polygons[node - int(graph.first[tile])]
    corners = part.vertices[polygon["vertices"][: int(polygon["corners"])]]
    x, y, z = corners.astype(np.float64).mean(axis=0).round(6).tolist()
    return x, y, z


def unreached_islands(graph: WalkGraph, reached: Bools) -> list[LeftOut]:
    """Those that no seed reaches, the largest first; small ones of very many as one row."""
    islands = island_ground(graph)
    left = islands.of_node[~reached & (islands.of_node != NO_ISLAND)]
    numbers = np.unique(left).tolist()
    rows = [_row(graph, islands, [number]) for number in numbers[:_MOST_LISTED]]
    rest = numbers[_MOST_LISTED:]
    return [*rows, _row(graph, islands, rest)] if rest else rows


def _row(graph: WalkGraph, islands: NumberedIslands, numbers: Sequence[int]) -> LeftOut:
    size = round(float(islands.square_metres[list(numbers)].sum()), 6)
    return LeftOut("seeds", size, place_of_island(graph, islands, numbers[0]), islands=len(numbers))
