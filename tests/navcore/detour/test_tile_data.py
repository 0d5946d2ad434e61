"""Tile bytes: the example worked out by hand, detail, the tree against a twin, links, limits."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from navcore.area_types import AREA_TYPES, AreaType, area_types
from navcore.detour.bounding_tree import build_tree
from navcore.detour.byte_layout import COUNTS, HEADER, ITEM_SIZES, NODE, Sections, sections
from navcore.detour.limits import check_settings, check_tile_count, check_with_links
from navcore.detour.off_mesh_links import link_table
from navcore.detour.tile_data import Agent, tile_data
from navcore.errors import BadInput, BadSettings, TooLarge
from navcore.scene import Link
from navcore.settings import Settings
from navcore.types import DetailMesh
from tests.navcore.detour.detour_examples import AGENT, CS, HOP, JUMP, LEFT, LEFT_DETAIL, RIGHT, mesh

F = struct.Struct("<f").pack


def test_every_byte_of_the_example() -> None:
    """Written out field by field, without any of our record types."""
    expected = struct.pack("<5iI9i", 0x444E4156, 7, 0, 0, 0, 0, 2, 6, 12, 2, 0, 4, 4, 0, 2)
    expected += struct.pack("<3f3f3f", 2.0, 0.6, 0.9, 0, 0, 0, 3, 4, 3) + (np.float32(1) / CS).tobytes()
    for x, y, z in LEFT.vertices.tolist():
        for cells, size in ((x, 0.3), (y, 0.2), (z, 0.3)):
            expected += (np.float32(cells) * np.float32(size)).tobytes()
    for corners, neighbors in (([0, 1, 2, 3], [0x8004, 0, 2, 0]), ([3, 2, 5, 4], [1, 0, 0x8000, 0])):
        expected += struct.pack("<I6H6HHBB", 0, *corners, 0, 0, *neighbors, 0, 0, 1, 4, 0)
    expected += bytes(12 * 12)
    expected += struct.pack("<IIBBH", 0, 0, 0, 2, 0) + struct.pack("<IIBBH", 0, 2, 0, 2, 0)
    expected += bytes([0, 1, 2, 5, 0, 2, 3, 20] * 2)
    for node in ((0, 1, 0, 10, 2, 10, -3), (0, 1, 0, 6, 2, 10, 0), (6, 1, 0, 10, 2, 10, 1), (0,) * 7):
        expected += struct.pack("<6Hi", *node)
    assert len(expected) == 484
    assert tile_data(LEFT, None, AGENT).tobytes() == expected


def test_sections_follow_each_other_without_gaps() -> None:
    data = tile_data(LEFT, LEFT_DETAIL, AGENT, link_table([JUMP, HOP]))
    header = sections(data).header[0]
    assert [int(header[name]) for name in COUNTS] == [10, 4, 8 + 4 + 2 * 3, 2, 1, 6, 4, 2]
    assert HEADER.itemsize + sum(int(header[n]) * size for n, size in zip(COUNTS, ITEM_SIZES, strict=True)) == len(data)
    arrays = sections(data)[1:]
    assert sum(array.nbytes for array in arrays) == len(data) - HEADER.itemsize
    assert all(np.shares_memory(array, data) for array in arrays)


def test_detail_keeps_only_vertices_beyond_the_corners() -> None:
    tile = sections(tile_data(LEFT, LEFT_DETAIL, AGENT))
    assert tile.detail_vertices.tolist() == [[1, np.float32(0.7), 1.5]]
    assert tile.detail_meshes.tolist() == [(0, 0, 1, 4, 0), (1, 4, 0, 2, 0)]
    assert tile.detail_triangles.tobytes() == LEFT_DETAIL.triangles.tobytes()
    # Boxes are those of the detail vertices, cut off below, with the ground's cells upwards as well.
    # 1.8 m are 5.9999995 cells in float32.
    assert tile.nodes["box"].tolist() == [[0, 1, 0, 10, 2, 10], [0, 1, 0, 5, 2, 10], [5, 1, 0, 10, 1, 10], [0] * 6]


def test_a_polygon_without_detail_on_its_outline_gets_a_fan() -> None:
    broken = LEFT_DETAIL.triangles.copy()
    broken[4:, 3] = 0
    tile = sections(tile_data(LEFT, LEFT_DETAIL._replace(triangles=broken), AGENT))
    assert tile.detail_triangles.tobytes() == LEFT_DETAIL.triangles.tobytes()
    none = DetailMesh(
        np.array([[0, 5, 0, 0], [5, 4, 0, 2]], np.uint32), LEFT_DETAIL.vertices, LEFT_DETAIL.triangles[4:]
    )
    tile = sections(tile_data(LEFT, none, AGENT))
    assert tile.detail_triangles.tolist() == [[0, 1, 2, 5], [0, 2, 3, 20]] * 2
    assert tile.detail_meshes["first_triangle"].tolist() == [0, 2]


def test_portals_and_neighbors() -> None:
    corners = [0, 1, 2, 3]
    for neighbors, expected in (
        ([0x8000, 0x8001, 0x8002, 0x8003], [0x8004, 0x8002, 0x8000, 0x8006]),
        ([0x800F, 0x8004, 0, 5], [0, 0, 1, 6]),
    ):
        tile = sections(tile_data(mesh([0] * 3, [3] * 3, LEFT.vertices.tolist(), [(corners, neighbors)]), None, AGENT))
        assert tile.polygons["neighbors"][0].tolist() == [*expected, 0, 0]
    assert int(tile.header["links"][0]) == 4 + 2  # 0x8004 counts as a portal, though no side has that number


def test_triangles_are_padded_whatever_the_row_is_wide() -> None:
    narrow = LEFT._replace(polygons=LEFT.polygons[:, :4], neighbors=LEFT.neighbors[:, :4])
    assert tile_data(narrow, None, AGENT).tobytes() == tile_data(LEFT, None, AGENT).tobytes()


def test_areas_and_flags_follow_the_table() -> None:
    areas = np.array([63, 3], np.uint8)
    tile = sections(tile_data(LEFT._replace(area=areas), None, AGENT))
    assert tile.polygons[["area_and_kind", "flags"]].tolist() == [(0, 1), (3, 5)]
    types = area_types({"3": {"name": "gate", "flags": 64}, "0": 3})
    tile = sections(tile_data(LEFT._replace(area=areas), None, AGENT, types=types))
    assert tile.polygons["flags"].tolist() == [3, 64]
    assert types[3] == AreaType("gate", 64) and types[0].name == "ground" and types[1] == AREA_TYPES[1]


@pytest.mark.parametrize(
    "table",
    [
        {"x": 1},
        {63: 1},
        {-1: 1},
        {1: 65536},
        {1: "a"},
        {1: True},
        {1: {"name": "a"}},
        {1: {"flags": 1, "cost": -2}},
        {1: {"flags": 1, "name": 5}},
        {"1" * 5000: 1},
    ],
)
def test_a_bad_area_table_is_refused(table: dict[object, object]) -> None:
    with pytest.raises(BadInput) as refused:
        area_types(table)
    assert refused.value.code == "BAD_AREA_TABLE"


# --- links


def stored(*links: Link, detail: DetailMesh | None = None) -> Sections:
    return sections(tile_data(LEFT, detail, AGENT, link_table(links)))


def test_a_stored_link_is_a_polygon_two_vertices_and_a_record() -> None:
    tile = stored(JUMP, HOP)
    assert tile.vertices[6:].tolist() == np.float32([JUMP.start, JUMP.end, HOP.start, HOP.end]).tolist()
    polygons = tile.polygons[2:]
    assert polygons["vertices"].tolist() == [[6, 7, 0, 0, 0, 0], [8, 9, 0, 0, 0, 0]]
    assert polygons[["corners", "flags", "area_and_kind"]].tolist() == [(2, 8, 5 | 64)] * 2
    names = ["radius", "polygon", "flags", "side", "user_id"]
    assert tile.connections[names].tolist() == [(0.5, 2, 1, 0, 77), (0.5, 3, 0, 255, 78)]
    assert int(tile.header["first_connection"][0]) == 2


@pytest.mark.parametrize(
    ("end", "side"),
    [
        ((3, 1, 1), 0), ((4, 1, 3), 1), ((1, 1, 3), 2), ((-1, 1, 4), 3), ((-1, 1, 1), 4), ((-1, 1, -1), 5),
        ((1, 1, -1), 6), ((3, 1, -1), 7), ((0, 9, 0), 255), ((2.9, -9, 2.9), 255),
    ],
)  # fmt: skip
def test_where_a_link_ends(end: tuple[float, float, float], side: int) -> None:
    tile = stored(Link(start=(1, 0.5, 1), end=end))
    assert tile.connections["side"].tolist() == [side]
    assert int(tile.header["links"][0]) == 12 + 2 + (2 if side == 255 else 0)


def test_which_tile_stores_a_link() -> None:
    """The box is half open, so that of two neighbors exactly one owns a start on their border."""
    for start, owned in (((0, 0.5, 0), True), ((3, 0.5, 1), False), ((1, 0.5, 3), False), ((-0.01, 0.5, 1), False)):
        assert len(stored(Link(start=start, end=(9, 0, 9))).connections) == owned
    # Heights: from the lowest ground less the climb to the highest and the climb; with detail, those of its vertices.
    for height, plain, detailed in ((-0.49, 1, 1), (-0.51, 0, 0), (1.29, 1, 1), (1.31, 0, 1), (1.61, 0, 0)):
        link = Link(start=(1, height, 1), end=(9, 0, 9))
        assert [len(stored(link).connections), len(stored(link, detail=LEFT_DETAIL).connections)] == [plain, detailed]


def test_ends_take_room_even_where_the_start_is_elsewhere() -> None:
    tile = stored(Link(start=(9, 0.5, 9), end=(1, 50, 1)))
    assert len(tile.connections) == 0
    assert int(tile.header["links"][0]) == 12 + 2


def test_links_that_a_file_cannot_hold_are_refused() -> None:
    with pytest.raises(BadInput, match="Link 2 reaches") as refused:
        link_table([JUMP, Link(start=(0, 0, 0), end=(2e9, 0, 0))])
    assert refused.value.code == "LINK_TOO_FAR"


# --- the tree


def tree_twin(boxes: np.ndarray) -> np.ndarray:
    """By recursion and Python's stable sort."""
    nodes: list[tuple[list[int], int]] = []

    def build(items: list[int]) -> None:
        low, high = boxes[items, :3].min(0), boxes[items, 3:].max(0)
        box = [*low.tolist(), *high.tolist()]
        if len(items) == 1:
            nodes.append((box, items[0]))
            return
        extent = high.astype(int) - low.astype(int)
        axis = 0
        if extent[1] > extent[axis]:
            axis = 1
        if extent[2] > extent[axis]:
            axis = 2
        here = len(nodes)
        nodes.append((box, 0))
        items = sorted(items, key=lambda i: int(boxes[i, axis]))
        build(items[: len(items) // 2])
        build(items[len(items) // 2 :])
        nodes[here] = (box, here - len(nodes))

    build(list(range(len(boxes))))
    return np.array([*nodes, ([0] * 6, 0)], NODE)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 9, 17, 64, 255, 1000])
@pytest.mark.parametrize("spread", [3, 60, 60_000])
def test_the_tree_is_its_twin(count: int, spread: int) -> None:
    rng = np.random.default_rng(count * spread)
    low = rng.integers(0, spread, (count, 3))
    boxes = np.concatenate([low, low + rng.integers(0, 9, (count, 3))], 1).astype(np.uint16)
    nodes = np.zeros(2 * count, NODE)
    build_tree(boxes, nodes)
    assert nodes.tobytes() == tree_twin(boxes).tobytes()


# --- limits


def test_settings_that_runtime_data_cannot_follow() -> None:
    check_settings(Settings(vertices_per_polygon=6))
    with pytest.raises(BadSettings, match="Lower it to 6") as refused:
        check_settings(Settings(vertices_per_polygon=7))
    assert refused.value.code == "DETOUR_VERTICES_PER_POLYGON"
    wide = LEFT._replace(polygons=np.full((2, 7), 0xFFFF, np.uint16))
    with pytest.raises(BadSettings) as refused:
        tile_data(wide, None, AGENT)
    assert refused.value.code == "DETOUR_VERTICES_PER_POLYGON"


def test_tiles_beyond_what_references_number() -> None:
    check_tile_count(16_384)
    with pytest.raises(TooLarge, match="16,385 tiles") as refused:
        check_tile_count(16_385)
    assert refused.value.code == "TOO_MANY_TILES"


def test_tiles_that_are_too_large() -> None:
    row, walls = LEFT.polygons[:1], LEFT.neighbors[1:]
    many = LEFT._replace(polygons=np.repeat(row, 32_768, 0), neighbors=np.repeat(walls, 32_768, 0))
    most = LEFT._replace(polygons=many.polygons[1:], neighbors=many.neighbors[1:], area=np.full(32_767, 63, np.uint8))
    assert int(sections(tile_data(most, None, AGENT)).header["polygons"][0]) == 32_767
    tall = LEFT._replace(vertices=np.zeros((65_535, 3), np.uint16))
    far = LEFT._replace(grid=LEFT.grid._replace(bounds_max=np.array([2e9, 3, 3], np.float32)))
    rich = LEFT_DETAIL._replace(meshes=np.array([[0, 32_771, 0, 4], [5, 32_773, 4, 2]], np.uint32))
    for found, detail, code in (
        (many, None, "DETOUR_POLYGONS"),
        (tall, None, "DETOUR_VERTICES"),
        (far, None, "TOO_LARGE"),
        (LEFT, rich, "DETOUR_DETAIL_VERTICES"),
    ):
        with pytest.raises(TooLarge, match=r"Tile \(3, 4\)") as refused:
            tile_data(found, detail, AGENT, x=3, y=4)
        assert refused.value.code == code
    for polygons, vertices in ((65_536, 9), (9, 65_537)):
        with pytest.raises(TooLarge) as refused:
            check_with_links(polygons, vertices, "Tile (0, 0)")
        assert refused.value.code == "DETOUR_LINKS"
    check_with_links(65_535, 65_536, "Tile (0, 0)")


def test_the_agent_is_told_in_metres_as_set() -> None:
    agent = Agent.of(Settings(agent_height=1.7, agent_radius=0.35, agent_max_climb=0.41))
    header = sections(tile_data(RIGHT, None, agent, x=-1, y=7)).header
    assert [header[n][0] for n in ("agent_height", "agent_radius", "agent_max_climb")] == [
        *np.float32([1.7, 0.35, 0.41])
    ]
    assert (int(header["x"][0]), int(header["y"][0])) == (-1, 7)
