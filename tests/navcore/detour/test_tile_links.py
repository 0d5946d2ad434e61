"""Links: the example worked out by hand, connections within and between tiles, meeting edges, nearest points."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.detour.byte_layout import NO_LINK, sections, split_sections
from navcore.detour.nearest import nearest_in_tile, polygons_in_box
from navcore.detour.off_mesh_links import link_table
from navcore.detour.reader import read_navmesh
from navcore.detour.tile_data import tile_data
from navcore.detour.tile_links import Linker, linked_tiles
from navcore.jit import kernel
from navcore.result.navmesh import Tile
from navcore.scene import Link
from navcore.types import U8, PolygonMesh
from tests.navcore.detour.detour_examples import AGENT, HOP, JUMP, LEFT, LEFT_DETAIL, RIGHT, file_of, mesh, small_file

N = 0xFFFF
FIRST, SECOND = 256, 320  # references, with two bits for tiles and six for polygons


def added(*links: Link, left: PolygonMesh = LEFT, right: PolygonMesh = RIGHT) -> tuple[U8, U8, Linker]:
    """Both tiles, the second one added after the first."""
    linker, table = Linker(), link_table(links)
    tiles = tile_data(left, None, AGENT, table), tile_data(right, None, AGENT, table, 1)
    for data, reference in zip(tiles, (FIRST, SECOND), strict=True):
        linker.add(data, reference)
    return *tiles, linker


def numbered(data: U8, polygon: int) -> list[tuple[int, ...]]:
    """A polygon's links in order, each with its own number first."""
    tile, found = sections(data), []
    k = int(tile.polygons["first_link"][polygon])
    while k != NO_LINK:
        link = tile.links[k].item()
        found.append((k, *link))
        k = link[1]
    return found


def links_of(data: U8, polygon: int) -> list[tuple[int, ...]]:
    """The same without numbers: target, edge, side, from, to."""
    return [(link[1], *link[3:]) for link in numbered(data, polygon)]


def test_the_example() -> None:
    left, right, _ = added()
    assert numbered(left, 1) == [
        (3, 321, 2, 2, 0, 0, 153),
        (2, 320, 1, 2, 0, 153, 255),
        (1, 256, NO_LINK, 0, 255, 0, 0),
    ]
    assert numbered(left, 0) == [(0, 257, NO_LINK, 2, 255, 0, 0)]
    assert numbered(right, 0) == [(2, 257, 0, 0, 4, 0, 255), (0, 321, NO_LINK, 1, 255, 0, 0)]
    assert numbered(right, 1) == [(3, 257, 1, 0, 4, 0, 255), (1, 320, NO_LINK, 3, 255, 0, 0)]
    assert sections(left).links["next"][4:].tolist() == [*range(5, 12), NO_LINK]


def test_a_connection_within_a_tile() -> None:
    left, _, _ = added(HOP)
    here, there = 2, 256 | 1
    assert links_of(left, here) == [(there, 1, 255, 0, 0), (256, 0, 255, 0, 0)]
    assert links_of(left, 0)[0] == (256 | here, 255, 255, 0, 0)
    assert (256 | here) not in [link[0] for link in links_of(left, 1)]  # one way: nothing leads back from its end
    # Both ends stand on the ground, 0.4 m high, now.
    assert sections(left).vertices[6:].tolist() == np.float32([[0.5, 0.4, 2.5], [2.5, 0.4, 0.5]]).tolist()


def test_a_connection_to_a_tile_that_is_added_later() -> None:
    left, right, _ = added(JUMP)
    assert links_of(left, 2) == [(SECOND | 1, 1, 0, 0, 0), (FIRST, 0, 255, 0, 0)]
    assert links_of(right, 1)[0] == (FIRST | 2, 255, 4, 0, 0)
    assert sections(left).vertices[7].tolist() == pytest.approx([5, 0.4 + 0.2 * 1.3 / 1.8, 2.5])
    assert sections(left).connections["points"][0].tolist() == np.float32([*JUMP.start, *JUMP.end]).tolist()


def test_a_connection_to_a_tile_that_was_added_before() -> None:
    back = Link(start=JUMP.end, end=JUMP.start, radius=0.5, bidirectional=False)
    left, right, _ = added(back)
    assert links_of(right, 2) == [(FIRST, 1, 4, 0, 0), (SECOND | 1, 0, 255, 0, 0)]
    assert len(links_of(left, 0)) == 1


def test_connections_that_reach_no_ground_stay_loose() -> None:
    above = Link(start=(1, 1.25, 1), end=(5, 0.5, 1), radius=0.5)
    beside = Link(start=(1, 0.5, 1), end=(5, 0.5, 5), radius=0.5)
    left, right, _ = added(above, beside)
    assert links_of(left, 2) == [
        (SECOND, 1, 0, 0, 0),
        (FIRST, 0, 255, 0, 0),
    ]  # 0.85 m above the ground is within the climb
    assert [link[0] for link in links_of(left, 3)] == [FIRST]  # its end is on side 1, where there is no tile
    far = LEFT._replace(vertices=LEFT.vertices + np.array([0, 20, 0], np.uint16))
    left, right, _ = added(JUMP, left=far)
    assert sections(left).connections.size == 0 and links_of(right, 1)[-1][0] == SECOND


def test_an_edge_is_linked_to_four_polygons_at_most() -> None:
    posts = [[0, 2, z] for z in range(0, 11, 2)] + [[10, 2, z] for z in range(0, 11, 2)]
    strips = [([k, k + 1, k + 7, k + 6], [0x8000, N, N, N]) for k in range(5)]
    many = mesh([3, 0, 0], [6, 4, 3], posts, strips)
    left, right, linker = added(right=many)
    assert linker.unlinked == 1
    assert [link[:3] for link in links_of(left, 1)[:4]] == [(SECOND | k, 2, 2 - 2) for k in (3, 2, 1, 0)]
    assert [len(links_of(right, k)) for k in range(5)] == [1] * 5


@pytest.mark.parametrize(
    ("name", "right", "meets"),
    [
        ("as it is", RIGHT, True),
        ("a centimetre away", RIGHT._replace(grid=RIGHT.grid._replace(bounds_min=np.float32([3.009, 0, 0]))), True),
        ("too far away", RIGHT._replace(grid=RIGHT.grid._replace(bounds_min=np.float32([3.011, 0, 0]))), False),
        ("twice the climb above", RIGHT._replace(vertices=RIGHT.vertices + np.array([0, 8, 0], np.uint16)), True),
        ("too high", RIGHT._replace(vertices=RIGHT.vertices + np.array([0, 10, 0], np.uint16)), False),
        ("touching at an end", RIGHT._replace(vertices=RIGHT.vertices + np.array([0, 0, 10], np.uint16)), False),
    ],
)
def test_which_edges_meet(name: str, right: PolygonMesh, meets: bool) -> None:
    left, other, _ = added(right=right)
    assert (len(links_of(left, 1)) > 1) is meets, name
    assert (len(links_of(other, 0)) > 1) is meets, name


def test_where_no_link_is_left_none_is_made() -> None:
    data = tile_data(LEFT, None, AGENT)
    short = np.concatenate([data[: 100 + 72 + 64 + 12], data[100 + 72 + 64 + 12 * 12 :]])
    sections(short[:100]).header["links"] = 1
    Linker().add(short, FIRST)
    assert [links_of(short, 0), links_of(short, 1)] == [[(257, 2, 255, 0, 0)], []]


def test_relinking_a_file_gives_the_links_that_were_written() -> None:
    content = small_file()
    file = read_navmesh(content)
    assert [data.tobytes() for data in linked_tiles(file)] == [tile.data.tobytes() for tile in file.tiles]
    # What the file says about links does not matter.
    forged = bytearray(content)
    tile = sections(np.frombuffer(forged, np.uint8)[48 : 48 + len(file.tiles[0].data)])
    tile.links["target"], tile.links["next"], tile.polygons["first_link"] = 1, 2, 3
    again = linked_tiles(read_navmesh(bytes(forged)))
    assert links_of(again[0], 0) == links_of(linked_tiles(file)[0], 0)


def test_layers_of_one_place_are_linked_by_connections_only() -> None:
    linker = Linker()
    lower = tile_data(LEFT, None, AGENT, link_table([Link(start=(0.5, 0.5, 0.5), end=(2.5, 2.5, 2.5), radius=0.5)]))
    upper = tile_data(LEFT._replace(vertices=LEFT.vertices + np.array([0, 10, 0], np.uint16)), None, AGENT)
    sections(upper).header["layer"] = 1
    linker.add(upper, SECOND)
    linker.add(lower, FIRST)
    assert [link[0] for link in links_of(lower, 2)] == [SECOND | 1, FIRST]
    assert links_of(upper, 1)[0] == (FIRST | 2, 255, 255, 0, 0)


def test_layers_of_one_place_meet_where_one_goes_on_as_the_other() -> None:
    lower = mesh(
        [0, 0, 0], [3, 4, 3], [[0, 2, 0], [0, 2, 10], [6, 2, 10], [6, 2, 0]], [([0, 1, 2, 3], [N, N, 0x8002, N])]
    )
    rows = [([0, 1, 2, 3], [0x8000, N, N, N])]
    upper = mesh([0, 0, 0], [3, 4, 3], [[6, 3, 4], [6, 3, 10], [10, 3, 10], [10, 3, 4]], rows)
    tiles = [tile_data(lower, None, AGENT), tile_data(upper, None, AGENT)]
    sections(tiles[1]).header["layer"] = 1
    for order in ((0, 1), (1, 0)):
        linker, pair = Linker(), [data.copy() for data in tiles]
        for k in order:
            linker.add(pair[k], (FIRST, SECOND)[k])
        assert links_of(pair[0], 0) == [(SECOND, 2, 0, 0, 153)]  # three fifths of the edge
        assert links_of(pair[1], 0) == [(FIRST, 0, 4, 0, 255)]


def test_a_forgotten_tile_is_not_linked() -> None:
    linker = Linker()
    left, right = tile_data(LEFT, None, AGENT), tile_data(RIGHT, None, AGENT, x=1)
    linker.add(left, FIRST)
    linker.forget(0, 0)
    linker.add(right, SECOND)
    assert len(links_of(left, 1)) == len(links_of(right, 0)) == 1


# --- nearest points


def nearest(
    data: U8, point: tuple[float, float, float], extents: tuple[float, float, float]
) -> tuple[int, list[float]]:
    found = np.zeros(3, np.float32)
    polygon = nearest_in_tile(data, np.float32(point), np.float32(extents), found, np.array([1000]))
    return int(polygon), found.tolist()


def test_nearest_points() -> None:
    data = tile_data(LEFT, LEFT_DETAIL, AGENT)
    wide = (2.0, 4.0, 2.0)
    assert nearest(data, (1.0, 0.5, 1.5), wide) == (0, [1.0, pytest.approx(0.7), 1.5])  # the detail's tip
    assert nearest(data, (2.5, 3.0, 0.5), wide) == (1, [2.5, pytest.approx(0.4), 0.5])
    assert nearest(data, (-1.0, 0.4, 1.5), wide) == (0, [0.0, pytest.approx(0.4), 1.5])
    assert nearest(data, (4.0, 0.4, 4.0), wide) == (1, pytest.approx([3.0, 0.4, 3.0]))
    assert nearest(data, (50.0, 0.4, 50.0), (1.0, 1.0, 1.0))[0] == 1  # boxes are clamped to the tile, as Detour does


@kernel
def _in_box(data, center, half_extents, candidates):
    return polygons_in_box(split_sections(data), center, half_extents, candidates, np.full(1, 1000))


def test_polygons_in_a_box_with_a_tree_and_without() -> None:
    data = tile_data(LEFT, None, AGENT)
    bare = np.concatenate([data[:-64]])
    sections(bare[:100]).header["nodes"] = 0
    candidates = np.empty(8, np.int32)
    for center, extents, with_tree, without in (
        ((2.5, 0.4, 1.5), (0.2, 0.2, 0.2), [0, 1], [1]),  # a box of the tree is up to two cells larger
        ((2.8, 0.4, 1.5), (0.2, 0.2, 0.2), [1], [1]),
        ((1.7, 0.4, 1.5), (0.5, 0.2, 0.5), [0, 1], [0, 1]),
        ((0.1, 0.1, 0.1), (0.5, 0.5, 0.5), [0, 0], [0]),  # the last node, all zero, counts as polygon 0
        ((9, 0.4, 1.5), (0.2, 0.2, 0.2), [1], []),
    ):
        box = np.float32(center), np.float32(extents)
        assert candidates[: _in_box(data, *box, candidates)].tolist() == with_tree
        assert candidates[: _in_box(bare, *box, candidates)].tolist() == without


def test_a_file_in_one_piece_is_linked_with_itself() -> None:
    tile = read_navmesh(file_of([Tile(0, 0, LEFT, None)], None)).tiles[0]
    assert tile.reference == 2
    assert links_of(tile.data, 0) == [(3, 2, 255, 0, 0)]
