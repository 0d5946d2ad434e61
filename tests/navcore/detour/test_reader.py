"""The reader: what it reads, every rule by a change that breaks it alone, and no change that gets past it."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Iterator

import numpy as np
import pytest

from navcore.detour import BadFile, SetParameters, link_table, linked_tiles, read_navmesh, tile_data
from navcore.detour.byte_layout import (
    COUNTS,
    HEADER,
    SET_HEADER,
    SET_MAGIC,
    SET_VERSION,
    TILE_ENTRY,
    Sections,
    sections,
)
from navcore.detour.contents import contents_of
from navcore.result.navmesh import Tile
from navcore.scene import Link
from tests.navcore.detour.detour_examples import AGENT, LEFT, RIGHT, N, file_of, small_file

SMALL = small_file()
FIRST_TILE = 40 + 8
EXAMPLE = file_of([Tile(0, 0, LEFT, None)], None)


def code_of(content: bytes) -> str:
    """The rule that a file breaks, or nothing."""
    try:
        read_navmesh(content)
    except BadFile as refused:
        return refused.code
    return ""


def test_a_file_in_one_piece() -> None:
    assert len(EXAMPLE) == 532
    file = read_navmesh(EXAMPLE)
    origin, width, depth, tiles, polygons = file.parameters
    assert (origin.tolist(), width, depth, tiles, polygons) == ([0, 0, 0], 3, 3, 1, 2)
    assert (file.kind, file.size, [t.reference for t in file.tiles]) == ("MSET", 532, [2])


def test_a_set_of_tiles() -> None:
    file = read_navmesh(SMALL)
    assert [(t.reference, t.x, t.y, t.layer) for t in file.tiles] == [(1 << 22, 0, 0, 0), (1 << 22 | 1 << 21, 1, 0, 0)]
    left, right = (tile.sections for tile in file.tiles)
    assert len(left.polygons) == 4 and len(right.polygons) == 2 and len(left.connections) == 2
    assert left.vertices[4].tolist() == [3, np.float32(0.4), 0]


def test_a_single_tile() -> None:
    data = tile_data(LEFT, None, AGENT)
    file = read_navmesh(data.tobytes())
    assert (file.kind, file.tiles[0].reference, file.parameters.most_tiles) == ("DNAV", 2, 1)
    assert file.tiles[0].data.tobytes() == data.tobytes()


def test_a_tile_without_a_tree_is_read() -> None:
    """Recast leaves it out where it is told to: queries then look at every polygon."""
    data = tile_data(LEFT, None, AGENT)
    whole = sections(data)
    begin = whole.nodes.__array_interface__["data"][0] - data.__array_interface__["data"][0]
    cut = np.delete(data, np.s_[begin : begin + whole.nodes.nbytes])
    assert code_of(cut.tobytes()) == "BAD_SECTIONS"
    cut[: HEADER.itemsize].view(HEADER)["nodes"] = 0
    (tile,) = read_navmesh(cut.tobytes()).tiles
    assert len(tile.sections.nodes) == 0 and len(whole.nodes) == 4
    assert tile.sections.polygons.tobytes() == whole.polygons.tobytes()


def test_what_was_read_can_neither_be_changed_nor_change() -> None:
    content = bytearray(SMALL)
    file = read_navmesh(content)
    before = file.tiles[0].data.tobytes()
    content[FIRST_TILE + 120 : FIRST_TILE + 140] = bytes(20)
    assert file.tiles[0].data.tobytes() == before
    for array in (file.tiles[0].data, *file.tiles[0].sections):
        assert not array.flags.writeable


# --- every rule


def set_field(name: str, value: object) -> bytes:
    content = bytearray(SMALL)
    np.frombuffer(content, SET_HEADER, 1)[name] = value
    return bytes(content)


def entry(tile: int, name: str, value: int) -> bytes:
    content = bytearray(SMALL)
    at = 40 if tile == 0 else FIRST_TILE + int(np.frombuffer(content, TILE_ENTRY, 1, 40)["size"][0])
    np.frombuffer(content, TILE_ENTRY, 1, at)[name] = value
    return bytes(content)


SET_RULES = [
    ("NOT_A_NAVMESH", set_field("magic", 7)),
    ("NOT_A_NAVMESH", b"glTF" + SMALL),
    ("TRUNCATED", b""),
    ("TRUNCATED", SMALL[:3]),
    ("BIG_ENDIAN", b"MSET" + SMALL[4:]),
    ("BIG_ENDIAN", b"DNAV" + SMALL[4:]),
    ("BAD_VERSION", set_field("version", 2)),
    ("TRUNCATED", SMALL[:39]),
    ("TRUNCATED", SMALL[:40]),
    ("TRUNCATED", SMALL[:47]),
    ("TRUNCATED", SMALL[:-1]),
    ("BAD_TILE_COUNT", set_field("tiles", -1)),
    ("BAD_TILE_COUNT", set_field("tiles", 3)),
    ("TRAILING_BYTES", set_field("tiles", 1)),
    ("TRAILING_BYTES", SMALL + b"\0"),
    ("BAD_ORIGIN", set_field("origin", [0, np.nan, 0])),
    ("BAD_ORIGIN", set_field("origin", [0, 0, 1.1e9])),
    ("BAD_TILE_SIZE", set_field("tile_width", 0)),
    ("BAD_TILE_SIZE", set_field("tile_width", np.nan)),
    ("BAD_TILE_SIZE", set_field("tile_depth", -1)),
    ("BAD_TILE_SIZE", set_field("tile_depth", np.inf)),
    ("BAD_MOST_TILES", set_field("most_tiles", 0)),
    ("BAD_MOST_TILES", set_field("most_tiles", (1 << 22) + 1)),
    ("BAD_MOST_POLYGONS", set_field("most_polygons", 0)),
    ("BAD_MOST_POLYGONS", set_field("most_polygons", (1 << 22) + 1)),
    ("TOO_MANY_BITS", set_field("most_tiles", 3)),
    ("BAD_REFERENCE", entry(0, "reference", 0)),
    ("BAD_REFERENCE", entry(0, "reference", 1 << 21)),
    ("BAD_REFERENCE", entry(0, "reference", 1 << 22 | 1)),
    ("DOUBLE_SLOT", entry(1, "reference", 5 << 22)),
    ("BAD_DATA_SIZE", entry(0, "size", 0)),
    ("BAD_DATA_SIZE", entry(0, "size", -100)),
    ("BAD_DATA_SIZE", entry(0, "size", 99)),
    ("TRUNCATED", entry(1, "size", 100_000)),
    ("BAD_SECTIONS", entry(0, "size", 104)),
]


@pytest.mark.parametrize(("code", "content"), SET_RULES)
def test_rules_of_a_file(code: str, content: bytes) -> None:
    assert code_of(SMALL) == ""
    assert code_of(content) == code


def test_slots_beyond_the_announced_tiles() -> None:
    """With three tiles announced there are two bits, and the fourth slot is not there."""
    content = bytearray(SMALL)
    header = np.frombuffer(content, SET_HEADER, 1)
    header["most_tiles"], header["most_polygons"] = 3, 64
    second = FIRST_TILE + len(read_navmesh(SMALL).tiles[0].data)
    for at, slot, code in ((40, 0, ""), (second, 2, ""), (second, 3, "BAD_REFERENCE")):
        content[at : at + 4] = struct.pack("<I", 1 << 8 | slot << 6)
        if at == second:
            assert code_of(bytes(content)) == code


def test_a_file_with_64_bit_references_is_named() -> None:
    tile = EXAMPLE[48:]
    content = EXAMPLE[:40] + struct.pack("<QiI", 1 << 40, len(tile), 0) + tile
    assert code_of(content) == "REFERENCES_64_BIT"


def test_a_place_may_be_taken_once_a_layer() -> None:
    content = bytearray(SMALL)
    second = np.frombuffer(content, np.uint8)[FIRST_TILE + len(read_navmesh(SMALL).tiles[0].data) + 8 :]
    header = second[:100].view(HEADER)
    header["x"] = 0
    assert code_of(bytes(content)) == "DOUBLE_TILE"
    header["layer"] = 1
    assert code_of(bytes(content)) == ""


def test_files_that_are_too_large() -> None:
    with pytest.raises(BadFile) as refused:
        read_navmesh(SMALL, most_bytes=len(SMALL) - 1)
    assert refused.value.code == "FILE_TOO_LARGE"
    assert len(read_navmesh(SMALL, most_bytes=len(SMALL)).tiles) == 2


def changed(path: str, value: object, at: object = 0) -> bytes:
    """The small file with one field of its first tile set: `section.field`, or a section of plain numbers."""
    content = bytearray(SMALL)
    size = int(np.frombuffer(content, TILE_ENTRY, 1, 40)["size"][0])
    tile: Sections = sections(np.frombuffer(content, np.uint8)[FIRST_TILE : FIRST_TILE + size])
    section, _, field = path.partition(".")
    array = getattr(tile, section)
    (array[field] if field else array)[at] = value
    return bytes(content)


NAN, INF = np.nan, np.inf
TILE_RULES = [
    ("BAD_TILE_MAGIC", "header.magic", 1),
    ("BAD_TILE_VERSION", "header.version", 6),
    *[("BAD_COUNT", f"header.{name}", -1) for name in (*COUNTS, "first_connection")],
    ("BAD_COUNT", "header.polygons", 0),
    ("BAD_COUNT", "header.polygons", 65_536),
    ("BAD_COUNT", "header.vertices", 0),
    ("BAD_COUNT", "header.vertices", 65_537),
    ("BAD_COUNT", "header.links", 0),
    ("BAD_CONNECTION_COUNT", "header.connections", 1),
    ("BAD_CONNECTION_COUNT", "header.first_connection", 1),
    ("BAD_DETAIL_COUNT", "header.detail_meshes", 1),
    ("BAD_SECTIONS", "header.links", 0x7FFFFFFF),
    ("BAD_SECTIONS", "header.nodes", 5),
    ("BAD_SECTIONS", "header.detail_vertices", 0x7FFFFFFF),
    ("BAD_TILE_PLACE", "header.x", -(1 << 31)),
    ("BAD_TILE_PLACE", "header.y", 1 << 30),
    ("BAD_TILE_PLACE", "header.layer", -(1 << 30)),
    ("BAD_AGENT", "header.agent_height", NAN),
    ("BAD_AGENT", "header.agent_radius", -0.1),
    ("BAD_AGENT", "header.agent_max_climb", -0.1),
    ("BAD_AGENT", "header.agent_max_climb", INF),
    ("BAD_BOUNDS", "header.bounds_min", [0, 5, 0]),
    ("BAD_BOUNDS", "header.bounds_max", [NAN, 4, 3]),
    ("BAD_BOUNDS", "header.bounds_max", [2e9, 4, 3]),
    ("BAD_QUANTIZATION", "header.cells_per_metre", 0),
    ("BAD_QUANTIZATION", "header.cells_per_metre", 0.9e-9),
    ("BAD_QUANTIZATION", "header.cells_per_metre", NAN),
    ("BAD_QUANTIZATION", "header.cells_per_metre", INF),
    ("BAD_VERTEX", "vertices", NAN, (1, 2)),
    ("BAD_VERTEX", "vertices", -1.1e9, (0, 0)),
    ("BAD_POLYGON_KIND", "polygons.area_and_kind", 1 << 6, 0),
    ("BAD_POLYGON_KIND", "polygons.area_and_kind", 5, 2),
    ("BAD_POLYGON_KIND", "polygons.area_and_kind", 2 << 6, 3),
    ("BAD_CORNER_COUNT", "polygons.corners", 2, 0),
    ("BAD_CORNER_COUNT", "polygons.corners", 7, 1),
    ("BAD_CORNER_COUNT", "polygons.corners", 3, 2),
    ("BAD_CORNER", "polygons.vertices", 10, (0, 3)),
    ("BAD_CORNER", "polygons.vertices", 65_535, (3, 1)),
    ("BAD_NEIGHBOR", "polygons.neighbors", 3, (0, 2)),
    ("BAD_NEIGHBOR", "polygons.neighbors", 0x7FFF, (0, 2)),
    ("BAD_NEIGHBOR", "polygons.neighbors", 0x8001, (0, 2)),
    ("BAD_NEIGHBOR", "polygons.neighbors", 0xFFFF, (1, 0)),
    ("BAD_DETAIL_VERTEX", "detail_vertices", INF, (0, 1)),
    ("BAD_DETAIL_VERTICES", "detail_meshes.first_vertex", 1, 0),
    ("BAD_DETAIL_VERTICES", "detail_meshes.first_vertex", 0xFFFFFFFF, 1),
    ("BAD_DETAIL_VERTICES", "detail_meshes.vertices", 2, 0),
    ("BAD_DETAIL_TRIANGLES", "detail_meshes.first_triangle", 5, 1),
    ("BAD_DETAIL_TRIANGLES", "detail_meshes.first_triangle", 0xFFFFFFFF, 0),
    ("BAD_DETAIL_TRIANGLES", "detail_meshes.triangles", 255, 0),
    ("NO_DETAIL_TRIANGLES", "detail_meshes.triangles", 0, 1),
    ("BAD_DETAIL_CORNER", "detail_triangles", 5, (0, 2)),
    ("BAD_DETAIL_CORNER", "detail_triangles", 4, (5, 0)),
    ("NO_OUTLINE", "detail_triangles", 0b101010, (slice(4, 6), 3)),
    ("BAD_TREE", "nodes.polygon", 2, 1),
    ("BAD_TREE", "nodes.polygon", -5, 0),
    ("BAD_TREE", "nodes.polygon", -2, 3),
    ("BAD_TREE", "nodes.polygon", -(1 << 31), 0),
    ("BAD_CONNECTION_POLYGON", "connections.polygon", 3, 0),
    ("BAD_CONNECTION_POLYGON", "connections.polygon", 0, 1),
    ("BAD_CONNECTION_SIDE", "connections.side", 8, 0),
    ("BAD_CONNECTION_FLAGS", "connections.flags", 2, 0),
    ("BAD_CONNECTION_POINT", "connections.points", NAN, (1, 5)),
    ("BAD_CONNECTION_RADIUS", "connections.radius", -1, 0),
    ("BAD_CONNECTION_RADIUS", "connections.radius", NAN, 1),
]


@pytest.mark.parametrize("rule", TILE_RULES, ids=lambda rule: f"{rule[1]}={rule[2]}")
def test_rules_of_a_tile(rule: tuple[object, ...]) -> None:
    assert code_of(changed(*rule[1:])) == rule[0]


@pytest.mark.parametrize(
    "harmless",
    [
        ("polygons.neighbors", 0x8004, (0, 2)),
        ("polygons.neighbors", 2, (1, 1)),
        ("polygons.neighbors", 0xFFFF, (2, 0)),  # a connection has none; nobody looks
        ("polygons.vertices", 65_535, (0, 5)),  # beyond the last corner
        ("polygons.flags", 65_535, 0),
        ("links.target", 0xFFFFFFFF, slice(None)),
        ("links.next", 0, slice(None)),
        ("polygons.first_link", 0xFFFFFFFF, slice(None)),
        ("nodes.polygon", -4, 0),
        ("nodes.polygon", -1, 3),
        ("nodes.box", 65_535, slice(None)),
        ("connections.side", 7, 0),
        ("header.agent_max_climb", 1e9),
        ("header.cells_per_metre", 1e9),
    ],
    ids=lambda change: f"{change[0]}={change[1]}",
)
def test_what_breaks_no_rule_is_read_linked_and_counted(harmless: tuple[object, ...]) -> None:
    file = read_navmesh(changed(*harmless))
    assert contents_of(file).polygons == 4


def test_polygons_need_bits_in_references() -> None:
    content = bytearray(EXAMPLE)
    np.frombuffer(content, SET_HEADER, 1)["most_polygons"] = 1
    content[40:44] = struct.pack("<I", 1)
    assert code_of(bytes(content)) == "TOO_MANY_POLYGONS"


def crowded(edges: int) -> bytes:
    """Two tiles side by side with so many edges on the border between them."""
    count = edges // 4
    parameters = SetParameters(np.zeros(3, np.float32), np.float32(3), np.float32(3), 2, 1 << 15)
    content = np.array((SET_MAGIC, SET_VERSION, 2, *parameters), SET_HEADER).tobytes()
    for x, mesh, side in ((0, LEFT, 0x8002), (1, RIGHT, 0x8000)):
        many = mesh._replace(
            polygons=np.repeat(mesh.polygons[:1], count, 0),
            neighbors=np.repeat(np.array([[side] * 4 + [N, N]], np.uint16), count, 0),
            area=np.full(count, 63, np.uint8),
        )
        data = tile_data(many, None, AGENT, x=x).tobytes()
        content += np.array((parameters.reference(x), len(data)), TILE_ENTRY).tobytes() + data
    return content


def hopping(polygons: int, links: int, honest: bool) -> bytes:
    """One tile with so many polygons, and links between them; its tree may lead every search to every leaf."""
    parameters = SetParameters(np.zeros(3, np.float32), np.float32(3), np.float32(3), 1, 1 << 16)
    many = LEFT._replace(
        polygons=np.repeat(LEFT.polygons[1:], polygons, 0),
        neighbors=np.full((polygons, 6), N, np.uint16),
        area=np.full(polygons, 63, np.uint8),
    )
    hops = link_table([Link(start=(0.2, 0.5, 0.2), end=(0.4, 0.5, 0.4), radius=0.1)] * links)
    data = tile_data(many, None, AGENT, hops)
    nodes = sections(data).nodes
    if not honest:
        nodes["box"][nodes["polygon"] < 0] = (0, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF)
    content = np.array((SET_MAGIC, SET_VERSION, 1, *parameters), SET_HEADER).tobytes()
    return content + np.array((parameters.reference(0), len(data)), TILE_ENTRY).tobytes() + data.tobytes()


def test_links_that_would_take_long_to_land_are_refused_at_once() -> None:
    """A tree that leads nowhere has each link look at every polygon: 10⁹ looks in four megabytes."""
    assert len(linked_tiles(read_navmesh(hopping(30_000, 30_000, True)))) == 1
    assert len(linked_tiles(read_navmesh(hopping(300, 300, False)))) == 1
    file = read_navmesh(hopping(30_000, 30_000, False))
    began = time.process_time()
    with pytest.raises(BadFile, match="ground under its 30,000 off-mesh links") as refused:
        linked_tiles(file)
    assert refused.value.code == "TOO_MANY_LINKS" and time.process_time() - began < 1


def test_tiles_that_would_take_minutes_to_link_are_refused_at_once() -> None:
    """Every edge on a border is compared with all those across; ten megabytes can ask for 10¹⁰ comparisons."""
    assert len(linked_tiles(read_navmesh(crowded(2_000)))) == 2
    file = read_navmesh(crowded(100_000))
    began = time.process_time()
    with pytest.raises(BadFile, match="20,000,000,000 pairs of edges") as refused:
        linked_tiles(file)
    assert refused.value.code == "TOO_MANY_BORDER_EDGES" and time.process_time() - began < 1
    assert file.size < 12_000_000


# --- anything else


def mutations(content: bytes) -> Iterator[bytes]:
    """Every byte at its extremes, every truncation, every aligned number at its extremes."""
    for at in range(len(content)):
        yield content[:at]
        for value in (0, 0x7F, 0x80, 0xFF):
            yield content[:at] + bytes([value]) + content[at + 1 :]
    for at in range(0, len(content), 4):
        for number in (0, -1, -(1 << 31), (1 << 31) - 1, 65_535, 65_536):
            yield content[:at] + struct.pack("<i", number) + content[at + 4 :]
    for at in range(0, len(content), 2):
        for number in (0, 1, 0x7FFF, 0x8000, 0x8002, 0xFFFF):
            yield content[:at] + struct.pack("<H", number) + content[at + 2 :]


def test_no_change_gets_past_the_reader() -> None:
    """Whatever is still read can be linked and counted; everything else is refused by name, at once."""
    read, refused, slowest, seen = 0, 0, 0.0, set()
    for content in mutations(SMALL):
        began = time.perf_counter()
        try:
            file = read_navmesh(content)
        except BadFile:
            refused += 1
        else:
            read += 1
            key = tuple(tile.data.tobytes() for tile in file.tiles)
            if hash(key) not in seen:
                seen.add(hash(key))
                assert len(linked_tiles(file)) == len(file.tiles)
                assert contents_of(file).islands >= 0
        slowest = max(slowest, time.perf_counter() - began)
    assert read > 1000 and refused > 3000
    assert slowest < 1.0


@pytest.mark.parametrize("content", [EXAMPLE[48:], tile_data(LEFT, None, AGENT).tobytes()], ids=["linked", "fresh"])
def test_no_change_of_a_single_tile_gets_past_the_reader(content: bytes) -> None:
    read = 0
    for mutated in mutations(content):
        with contextlib.suppress(BadFile):
            read += len(linked_tiles(read_navmesh(mutated)))
    assert read > 1000
