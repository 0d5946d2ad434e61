"""Boxes in blocks are found as by the walk through Detour's tree: the same polygons in the same order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from navcore import NavMesh, NavQuery, Settings, build_navmesh, read_navmesh
from navcore.detour.byte_layout import NODE, Sections, header_of, sections
from navcore.formats.mset import mset_bytes
from navcore.navquery.box_blocks import BLOCK, block_count
from navcore.types import F32, U8
from tests import scenes
from tests.navcore.navquery.query_examples import town

Change = Callable[[Sections], None]


def walked(tile: Sections, center: F32, half: F32) -> list[int]:
    """Recast: dtNavMesh::queryPolygonsInTile, as one would write it down."""
    header, nodes = tile.header[0], tile.nodes
    near, far, scale = header["bounds_min"], header["bounds_max"], header["cells_per_metre"]
    low = (scale * (np.clip(center - half, near, far) - near)).astype(np.int64) & 0xFFFE
    high = (scale * (np.clip(center + half, near, far) - near) + np.float32(1)).astype(np.int64) & 0xFFFF | 1
    found, node = [], 0
    while node < len(nodes):
        box, leaf = nodes["box"][node].astype(np.int64), int(nodes["polygon"][node])
        touches = bool((low <= box[3:]).all() and (high >= box[:3]).all())
        if leaf >= 0 and touches:
            found.append(leaf)
        node += 1 if leaf >= 0 or touches else -leaf
    return found


def check(data: Sequence[U8], query: NavQuery, seed: int) -> int:
    """Compare with the walk through all tiles at random places; how many polygons were found."""
    rng, total, tiling = np.random.default_rng(seed), 0, query._mesh.tiling[0]
    tiles = sorted((sections(each) for each in data), key=lambda t: (int(t.header[0]["y"]), int(t.header[0]["x"])))
    places = [(int(tile.header[0]["x"]), int(tile.header[0]["y"])) for tile in tiles]
    there = query.tiles()
    assert list(zip(there.x.tolist(), there.y.tolist(), strict=True)) == places
    origin = np.array([tiling.origin_x, tiling.origin_z], np.float32)
    size = np.array([tiling.width, tiling.depth], np.float32)
    for half in ([0.3, 1, 0.3], [2, 4, 2], [6, 1, 6], [500, 500, 500]):
        extents = np.array(half, np.float32)
        points = rng.uniform(there.low.min(0) - 1, there.high.max(0) + 1, (40, 3)).astype(np.float32)
        found = query.polygons_in_box(points, extents, max_polygons=None)
        for k, point in enumerate(points):
            first = np.floor(((point - extents)[[0, 2]] - origin) / size)
            last = np.floor(((point + extents)[[0, 2]] - origin) / size)
            expected = [
                reference + polygon
                for tile, reference, place in zip(tiles, there.references.tolist(), places, strict=True)
                if (first <= place).all() and (place <= last).all()
                for polygon in walked(tile, point, extents)
            ]
            assert found.references[found.offsets[k] : found.offsets[k + 1]].tolist() == expected
            total += len(expected)
    return total


def changed(navmesh: NavMesh, change: Change) -> tuple[list[U8], NavQuery]:
    """A navmesh as it is read from a file whose trees somebody has changed."""
    file = read_navmesh(mset_bytes(navmesh))
    data = [tile.data.copy() for tile in file.tiles]
    for each in data:
        change(sections(each))
    tiles = tuple(tile._replace(data=each) for tile, each in zip(file.tiles, data, strict=True))
    return data, NavQuery(file._replace(tiles=tiles))


def as_built(tile: Sections) -> None:
    pass


def small_inner_boxes(tile: Sections) -> None:
    """Inner boxes no longer hold those below them: the walk passes over leaves that touch the box."""
    inner = tile.nodes["polygon"] < 0
    tile.nodes["box"][inner, 3] //= 2


def crossing_ends(tile: Sections) -> None:
    """What lies below a node ends behind the end of what lies below the one above it."""
    nodes, inner = tile.nodes["polygon"], np.flatnonzero(tile.nodes["polygon"] < 0)
    nodes[inner[2:]] = -(len(nodes) - inner[2:])


def only_leaves(tile: Sections) -> None:
    """As many leaves as nodes: more than there are polygons."""
    tile.nodes["polygon"][:] = 0
    tile.nodes["box"][:, :3], tile.nodes["box"][:, 3:] = 0, 0xFFFF


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("change", [as_built, small_inner_boxes, crossing_ends, only_leaves])
def test_the_walk_through_the_tree(change: Change, tile_size: int) -> None:
    data, query = changed(town(tile_size), change)
    assert check(data, query, 3) > 500
    blocks = (query._mesh.tiles["depth"] > 0).mean()
    assert blocks == 1 if change is as_built else blocks < 1


@pytest.mark.parametrize("polygons", [1, 2, 15, 16, 17, 255, 256, 257])
def test_every_number_of_polygons(polygons: int) -> None:
    """Blocks that are full, and one more: of leaves, and of blocks above them."""
    rooms = build_navmesh(*apart(polygons), Settings(region_min_size=0))
    data, query = changed(rooms, as_built)
    assert int(header_of(data[0])[0]["polygons"]) == polygons
    assert check(data, query, polygons) > 40 * polygons
    leaves, depth = polygons + 1, 1
    while leaves > BLOCK:
        leaves, depth = -(-leaves // BLOCK), depth + 1
    assert query._mesh.tiles["depth"].tolist() == [depth]
    assert len(query._mesh.blocks) == block_count(2 * polygons)


def apart(count: int) -> scenes.Mesh:
    """So many squares, none beside another."""
    side = int(np.ceil(np.sqrt(count)))
    return scenes.join([scenes.box(6.0 * (k % side), 0, 6.0 * (k // side), 4, 1, 4) for k in range(count)])


def test_more_leaves_than_polygons_have_room() -> None:
    """A file's tree may be of any size: each node a leaf of the same polygon."""
    file = read_navmesh(mset_bytes(town()))
    tile = sections(file.tiles[0].data)
    count = 50 * len(tile.nodes)
    nodes = np.zeros(count, NODE)
    nodes["box"][:, 3:] = 0xFFFF
    header = tile.header.copy()
    header["nodes"] = count
    parts = [header, *tile[1:7], nodes, tile.connections]
    data = np.concatenate([np.ascontiguousarray(part).reshape(-1).view(np.uint8) for part in parts])
    query = NavQuery(file._replace(tiles=(file.tiles[0]._replace(data=data),)))
    found = query.polygons_in_box([[8, 1, 8]] * 3, max_polygons=None)
    assert np.diff(found.offsets).tolist() == [count] * 3 and len(np.unique(found.references)) == 1
    assert query.nearest([[8, 1, 8]]).references.tolist() == found.references[:1].tolist()
