"""The reader: what it reads, what it refuses to spend time on, and no change of a file that gets past it."""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Iterator

import numpy as np
import pytest

from navcore.detour.byte_layout import HEADER, SET_HEADER, SET_MAGIC, SET_VERSION, TILE_ENTRY, sections
from navcore.detour.file_checks import BadFile
from navcore.detour.file_contents import contents_of
from navcore.detour.off_mesh_links import link_table
from navcore.detour.polygon_references import SetParameters
from navcore.detour.reader import read_navmesh
from navcore.detour.tile_data import tile_data
from navcore.detour.tile_links import linked_tiles
from navcore.scene import Link
from tests.navcore.detour.detour_examples import AGENT, EXAMPLE, FIRST_TILE, LEFT, RIGHT, SMALL, N, code_of


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
    """Recast leaves it out where the game asks for that: queries then look at every polygon."""
    data = tile_data(LEFT, None, AGENT)
    whole = sections(data)
    begin = whole.nodes.__array_interface__["data"][0] - data.__array_interface__["data"][0]
    without = np.delete(data, np.s_[begin : begin + whole.nodes.nbytes])
    assert code_of(without.tobytes()) == "BAD_SECTIONS"
    without[: HEADER.itemsize].view(HEADER)["nodes"] = 0
    (tile,) = read_navmesh(without.tobytes()).tiles
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
    assert refused.value.code == "TOO_MANY_LINKS" and time.process_time() - began < 10  # else minutes


def test_tiles_that_would_take_minutes_to_link_are_refused_at_once() -> None:
    """Every edge on a border is compared with all those across; ten megabytes can ask for 10¹⁰ comparisons."""
    assert len(linked_tiles(read_navmesh(crowded(2_000)))) == 2
    file = read_navmesh(crowded(100_000))
    began = time.process_time()
    with pytest.raises(BadFile, match="20,000,000,000 pairs of edges") as refused:
        linked_tiles(file)
    assert refused.value.code == "TOO_MANY_BORDER_EDGES" and time.process_time() - began < 10
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
    assert contents_of(read_navmesh(SMALL)).islands == 1  # compiled before times are taken
    read, refused, slowest, seen = 0, 0, 0.0, set()
    for content in mutations(SMALL):
        began = time.process_time()
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
        slowest = max(slowest, time.process_time() - began)
    assert read > 1000 and refused > 3000
    assert slowest < 5.0


@pytest.mark.parametrize("content", [EXAMPLE[48:], tile_data(LEFT, None, AGENT).tobytes()], ids=["linked", "fresh"])
def test_no_change_of_a_single_tile_gets_past_the_reader(content: bytes) -> None:
    read = 0
    for mutated in mutations(content):
        with contextlib.suppress(BadFile):
            read += len(linked_tiles(read_navmesh(mutated)))
    assert read > 1000
