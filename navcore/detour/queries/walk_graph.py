"""Who can get where: the polygons of a finished navmesh as a graph, with the links between them that Detour has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...errors import TooLarge
from ...jit import kernel
from ...result.navmesh import NavMesh
from ...types import I32, I64, NO_INDEX, PORTAL, U8, U16, Bools, PolygonMesh
from ..byte_layout import NO_LINK, header_of, split_sections
from ..limits import MOST_CORNERS
from ..nearest import nearest_within
from ..off_mesh_links import LinkTable, link_table
from ..polygon_references import bits
from ..reader import NavmeshFile
from ..tile_data import Agent, tile_data
from ..tile_links import Linker, linked_tiles

_REFERENCE_BITS = 32
_EVERY_SLOT = (1 << _REFERENCE_BITS) - 1


class WalkGraph(NamedTuple):
    """A directed graph. Its nodes are polygons, tile after tile; in each the ground comes before the links."""

    tiles: tuple[U8, ...]  # runtime data with its links
    first: I64  # (tiles + 1,) number of each tile's first node
    starts: I64  # (nodes + 1,) node n leads to targets[starts[n]:starts[n + 1]]
    targets: I32
    polygon: I32  # (nodes,) which polygon of its tile a node is, or a piece of; -1 for a link
    unlinked: int  # polygons that meet across a tile border and stay unconnected, as Detour leaves them
    links_left: tuple[int, ...] = ()  # of each tile, as `LinkedTile` has them; () where they are not known


def walk_graph(navmesh: NavMesh, table: LinkTable | None = None, has_trees: bool = True) -> WalkGraph:
    """The graph of a navmesh; `table`: its links, where somebody has it. Without trees, `standing_on` finds nothing.

    Raises TooLarge where even its tiles are more than runtime data can hold.
    """
    agent, links = Agent.of(navmesh.settings), table or link_table(navmesh.links)
    tiles, owners = [], []
    for tile in navmesh.tiles:
        mesh, owner = _narrowed(tile.polygon_mesh)
        detail = tile.detail_mesh if mesh is tile.polygon_mesh else None
        data = tile_data(mesh, detail, agent, links, tile.x, tile.y, navmesh.area_types, has_tree=has_trees)
        tiles.append(data)
        connections = int(header_of(data)[0]["connections"]) if len(links.radius) else 0
        owners.append(np.concatenate([owner, np.full(connections, -1, np.int32)]) if connections else owner)
    unlinked, polygon_bits, left = _link(tiles)
    first = np.cumsum([0, *map(len, owners)])
    starts, targets = _edges(tiles, first, first, polygon_bits, _EVERY_SLOT)
    polygon = np.concatenate([*owners, np.zeros(0, np.int32)])
    return WalkGraph(tuple(tiles), first, starts, targets, polygon, unlinked, left)


def graph_of_file(file: NavmeshFile) -> WalkGraph:
    """The graph of a checked file, with links made anew. Raises BadFile where they would take too long to find."""
    bits_, slots = file.parameters.polygon_bits, (1 << file.parameters.tile_bits) - 1
    tiles = linked_tiles(file)
    first = np.cumsum([0, *(len(tile.sections.polygons) for tile in file.tiles)])
    slot = np.array([tile.reference >> bits_ & slots for tile in file.tiles], np.int64)
    first_of_slot = np.zeros(int(slot.max(initial=0)) + 1, np.int64)
    first_of_slot[slot] = first[:-1]
    starts, targets = _edges(tiles, first, first_of_slot, bits_, slots)
    polygon = (np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))).astype(np.int32)
    ground = np.array([int(tile.sections.header[0]["first_connection"]) for tile in file.tiles], np.int64)
    polygon[polygon >= np.repeat(ground, np.diff(first))] = -1
    return WalkGraph(tuple(tiles), first, starts, targets, polygon, 0)


def _link(tiles: list[U8]) -> tuple[int, int, tuple[int, ...]]:
    """Write the links of all tiles, under references that count tiles from 0.

    Returns how many polygons stay unlinked, the bits that number the polygons of a tile, and how many links are left.
    """
    polygon_bits = bits(max((int(header_of(data)["polygons"][0]) for data in tiles), default=1))
    if len(tiles) > 1 << (_REFERENCE_BITS - polygon_bits):
        raise TooLarge(
            f"Ways between {len(tiles):,} tiles of up to {1 << polygon_bits:,} polygons cannot be numbered. "
            "Raise cell_size or lower tile_size.",
            "TOO_MANY_TILES",
        )
    linker = Linker()
    linked = [linker.add(data, number << polygon_bits) for number, data in enumerate(tiles)]
    return linker.unlinked, polygon_bits, tuple(tile.links_left for tile in linked)


def _edges(tiles: list[U8], first: I64, first_of_slot: I64, polygon_bits: int, slots: int) -> tuple[I64, I32]:
    starts = np.zeros(int(first[-1]) + 1, np.int64)
    for number, data in enumerate(tiles):
        _count_kernel(data, starts[first[number] + 1 :])
    starts = np.cumsum(starts)
    targets = np.empty(int(starts[-1]), np.int32)
    for number, data in enumerate(tiles):
        _fill_kernel(data, starts[first[number] :], first_of_slot, polygon_bits, slots, targets)
    return starts, targets


@kernel
def _count_kernel(data: U8, counts: I64) -> None:
    tile = split_sections(data)
    for polygon in range(len(tile.polygons)):
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            counts[polygon] += 1
            k = tile.links["next"][k]


@kernel
def _fill_kernel(
    data: U8, starts: I64, first_of_slot: I64, polygon_bits: int, slots: int, targets: I32
) -> None:  # fmt: skip
    tile = split_sections(data)
    for polygon in range(len(tile.polygons)):
        place = starts[polygon]
        k = tile.polygons["first_link"][polygon]
        while k != NO_LINK:
            target = np.int64(tile.links["target"][k])
            number = target & ((1 << polygon_bits) - 1)
            targets[place] = first_of_slot[target >> polygon_bits & slots] + number
            place += 1
            k = tile.links["next"][k]


# --- polygons with more corners than runtime data has room for


def _narrowed(mesh: PolygonMesh) -> tuple[PolygonMesh, I32]:
    """The mesh with polygons cut into pieces of six corners or fewer, and the polygon that each piece belongs to."""
    count = len(mesh.polygons)
    if mesh.polygons.shape[1] <= MOST_CORNERS:
        return mesh, np.arange(count, dtype=np.int32)
    corners = (mesh.polygons != NO_INDEX).sum(axis=1)
    pieces = np.maximum(1, (corners - 2 + MOST_CORNERS - 3) // (MOST_CORNERS - 2))
    first = np.cumsum(pieces) - pieces
    polygons = np.full((int(pieces.sum()), MOST_CORNERS), NO_INDEX, np.uint16)
    neighbors = polygons.copy()
    _pieces_kernel(mesh.polygons, mesh.neighbors, corners, first, polygons, neighbors)
    owner = np.repeat(np.arange(count, dtype=np.int32), pieces)
    cut_mesh = mesh._replace(polygons=polygons, neighbors=neighbors, region=mesh.region[owner], area=mesh.area[owner])
    return cut_mesh, owner


@kernel
def _pieces_kernel(polygons: U16, neighbors: U16, corners: I64, first: I64, pieces: U16, across: U16) -> None:
    """Fans of pieces around each polygon's first corner; pieces know each other, and the first piece of neighbors."""
    width = pieces.shape[1]
    for polygon in range(len(polygons)):
        piece = first[polygon]
        at = 1  # the corner that the next piece begins with, after the common one
        while at + 1 < corners[polygon]:
            last = min(at + width - 2, corners[polygon] - 1)
            pieces[piece, 0] = polygons[polygon, 0]
            across[piece, 0] = piece - 1 if at > 1 else _first_piece(neighbors[polygon, 0], first)
            for corner in range(at, last + 1):
                pieces[piece, corner - at + 1] = polygons[polygon, corner]
                across[piece, corner - at + 1] = _first_piece(neighbors[polygon, corner], first)
            if last + 1 < corners[polygon]:
                across[piece, last - at + 1] = piece + 1
            piece += 1
            at = last


@kernel
def _first_piece(neighbor: np.uint16, first: I64) -> np.uint16:
    return neighbor if neighbor & PORTAL else np.uint16(first[neighbor])


# --- what is asked of the graph


def reached_from(graph: WalkGraph, nodes: Sequence[int]) -> Bools:
    """(nodes,) which ones an agent reaches that starts on one of `nodes`."""
    return _reached(graph.starts, graph.targets, nodes)


def reaching(graph: WalkGraph, node: int) -> Bools:
    """(nodes,) from which ones an agent reaches `node`."""
    sources = np.repeat(np.arange(len(graph.polygon), dtype=np.int32), np.diff(graph.starts))
    order = np.argsort(graph.targets, kind="stable")
    counts = np.bincount(graph.targets, minlength=len(graph.polygon))
    return _reached(np.concatenate([[0], np.cumsum(counts)]), sources[order], [node])


def _reached(starts: I64, targets: I32, nodes: Sequence[int]) -> Bools:
    reached = np.zeros(len(starts) - 1, bool)
    reached[list(nodes)] = True
    queue = np.empty(len(reached), np.int32)
    queue[: len(set(nodes))] = np.flatnonzero(reached)
    _walk_kernel(starts, targets, queue, len(set(nodes)), reached)
    return reached


@kernel
def _walk_kernel(starts: I64, targets: I32, queue: I32, count: int, reached: Bools) -> None:
    done = 0
    while done < count:
        node = queue[done]
        done += 1
        for k in range(starts[node], starts[node + 1]):
            if not reached[targets[k]]:
                reached[targets[k]] = True
                queue[count] = targets[k]
                count += 1


def standing_on(graph: WalkGraph, point: Sequence[float], aside: float, above: float) -> int:
    """The node of the ground nearest to `point`, -1 for none within `aside` (x, z) and `above` (y) of it.

    What lies above or below the point by no more than the agent's climb counts as touching it. Recast:
    dtNavMeshQuery::findNearestPoly.
    """
    center = np.array(point, np.float32)
    best, smallest, nearest = -1, np.inf, np.empty(3, np.float32)
    for number, data in enumerate(graph.tiles):
        header = header_of(data)[0]
        low, high = header["bounds_min"], header["bounds_max"]
        if (center[[0, 2]] >= low[[0, 2]] - aside).all() and (center[[0, 2]] <= high[[0, 2]] + aside).all():
            polygon, distance = nearest_within(data, center, np.float32(aside), np.float32(above), nearest)
            if polygon >= 0 and distance < smallest:
                best, smallest = int(graph.first[number]) + int(polygon), float(distance)
    return best
