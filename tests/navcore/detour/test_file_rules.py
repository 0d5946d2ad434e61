"""Every rule of the reader, by a change of a small file that breaks it alone."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from navcore.detour.byte_layout import COUNTS, HEADER, SET_HEADER, TILE_ENTRY, Sections, sections
from navcore.detour.file_checks import BadFile
from navcore.detour.file_contents import contents_of
from navcore.detour.reader import read_navmesh
from tests.navcore.detour.detour_examples import EXAMPLE, FIRST_TILE, SMALL, code_of


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
