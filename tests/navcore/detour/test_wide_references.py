"""Files with 64-bit references: their bytes, there and back, and what is refused."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    LevelSource,
    Link,
    NavMesh,
    NavQuery,
    PathStatus,
    Settings,
    build_navmesh,
    find_islands,
    navmesh_difference,
    read_navmesh,
    write_navmesh,
)
from navcore.__main__ import main
from navcore.detour.byte_layout import SET_HEADER, sections
from navcore.detour.file_checks import BadFile
from navcore.detour.limits import MOST_TILES
from navcore.detour.polygon_references import Slots
from navcore.detour.reader import NavmeshFile
from navcore.detour.tile_links import Linker
from navcore.errors import NavmeshError, TooLarge
from navcore.formats.file_facts import file_facts
from navcore.formats.mesh_files import read_mesh
from navcore.formats.mset import mset_bytes, tile_blobs
from navcore.scene import load_scene
from tests import scenes

GOLDENS = os.environ.get("NAVMESH_GOLDENS")
SIZES = [0, 24]


@pytest.fixture(scope="module", params=SIZES, ids=["in one piece", "in tiles"])
def built(request: Any) -> NavMesh:
    links = [Link(start=(2.0, 0.0, 2.0), end=(9.0, 0.0, 9.0)), Link(start=(5.0, 0.0, 3.0), end=(12.0, 0.0, 4.0))]
    return build_navmesh(*scenes.plaza(4), Settings(tile_size=request.param), links=links)


def written(navmesh: Any, path: Path, bits: int | None) -> bytes:
    write_navmesh(navmesh, path, reference_bits=bits)
    return path.read_bytes()


def by_the_rules(content: bytes) -> bytes:
    """A 32-bit file as a 64-bit one, word by word: a slow twin."""
    head = struct.unpack("<3i5f2i", content[:40])
    tile_bits, polygon_bits = (max(count - 1, 0).bit_length() for count in head[8:10])

    def wide(reference: int) -> int:
        polygon, slot = reference & (1 << polygon_bits) - 1, reference >> polygon_bits & (1 << tile_bits) - 1
        return reference >> tile_bits + polygon_bits << 48 | slot << 20 | polygon

    parts, at = [content[:40]], 40
    for _ in range(head[2]):
        reference, size = struct.unpack_from("<Ii", content, at)
        tile = content[at + 8 : at + 8 + size]
        polygons, vertices, links = struct.unpack_from("<3i", tile, 24)
        begin = 100 + 12 * vertices + 32 * polygons
        made = [struct.pack("<QiI", wide(reference), size + 4 * links, 0), tile[:begin]]
        for k in range(links):
            target, following = struct.unpack_from("<II", tile, begin + 12 * k)
            rest = tile[begin + 12 * k + 8 : begin + 12 * k + 12]
            made.append(struct.pack("<QI", wide(target), following) + rest)
        parts += [*made, tile[begin + 12 * links :]]
        at += 8 + size
    return b"".join(parts)


def test_the_bytes_are_those_of_the_rules(built: NavMesh, tmp_path: Path) -> None:
    narrow, wide = (written(built, tmp_path / f"{bits}.bin", bits) for bits in (32, 64))
    assert narrow == mset_bytes(built) and wide == by_the_rules(narrow)
    assert written(read_navmesh(narrow), tmp_path / "again.bin", 64) == wide


def test_there_and_back(built: NavMesh, tmp_path: Path) -> None:
    wide = written(built, tmp_path / "64.bin", 64)
    file = read_navmesh(wide)
    assert file.wide is not None and written(file, tmp_path / "again.bin", None) == wide
    narrow = read_navmesh(written(built, tmp_path / "32.bin", 32))
    assert [(t.x, t.y, t.layer) for t in file.tiles] == [(t.x, t.y, t.layer) for t in narrow.tiles]
    assert find_islands(file).square_metres.tolist() == find_islands(narrow).square_metres.tolist()
    assert file_facts(tmp_path / "64.bin")["format"] == "MSET with 64-bit references"


def test_the_same_questions_have_the_same_answers(built: NavMesh, tmp_path: Path) -> None:
    wide, narrow = (NavQuery(read_navmesh(written(built, tmp_path / f"{bits}.bin", bits))) for bits in (64, 32))
    points = narrow.random_points(300, seed=5).points
    ours, theirs = wide.find_paths(points[::2], points[1::2]), narrow.find_paths(points[::2], points[1::2])
    for name in ("status", "length", "offsets", "points"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), name)
    assert len(ours.polygons) == len(theirs.polygons)


def test_tiles_beyond_22_bits(tmp_path: Path) -> None:
    """Far apart, so that few of many tiles hold ground; their number alone passes what 32 bits count."""
    vertices, triangles = scenes.join(
        [tuple_moved(scenes.flat(6.0), x, z) for x in (0.0, 350.0, 700.0) for z in (0.0, 350.0, 700.0)]
    )
    settings = Settings(tile_size=16, cell_size=0.3)
    navmesh = build_navmesh(vertices, triangles, settings)
    assert navmesh.tile_grid is not None and navmesh.tile_grid.columns * navmesh.tile_grid.rows > MOST_TILES
    file = read_navmesh(written(navmesh, tmp_path / "wide.bin", 64))
    header = np.frombuffer((tmp_path / "wide.bin").read_bytes(), SET_HEADER, 1)[0]
    assert header["most_tiles"] > MOST_TILES and len(file.tiles) == len(navmesh.tiles)
    paths = NavQuery(file).find_paths([[1.5, 0, 1.5], [1.5, 0, 1.5]], [[4.5, 0, 4.5], [354, 0, 354]])
    assert paths.status.tolist()[0] == 0 and paths.length[0] == pytest.approx(18**0.5, abs=0.5)


@pytest.mark.skipif("NAVMESH_MANY_TILES" not in os.environ, reason="a minute: set NAVMESH_MANY_TILES to run it")
def test_thirty_thousand_tiles_there_and_back(tmp_path: Path) -> None:
    """With 400 polygons and more in ten of them: stacks of platforms, each an island."""
    side, count = 4.8, 174
    ground = scenes.box(0, -1, 0, side * count, 1, side * count)
    pieces = [ground]
    for number in range(10):
        x, z = side * (17 * number + 3), side * (11 * number + 5)
        for level in range(1, 405):
            pieces.append(scenes.box(x + 0.9, 2.4 * level, z + 0.9, 3.0, 0.2, 3.0))
    starts = np.cumsum([0, *(len(vertices) for vertices, _ in pieces)])
    triangles = np.concatenate([mesh[1] + start for mesh, start in zip(pieces, starts, strict=False)])
    settings = Settings(tile_size=16, cell_size=0.3, agent_radius=0.0, region_min_size=0)
    navmesh = build_navmesh(np.concatenate([mesh[0] for mesh in pieces]), triangles.astype(np.int32), settings)
    assert len(navmesh.tiles) == count**2 > 30_000
    assert sum(len(tile.polygon_mesh.polygons) >= 400 for tile in navmesh.tiles) == 10
    with pytest.raises(TooLarge, match="--references 64"):
        write_navmesh(navmesh, tmp_path / "narrow.bin")
    content = written(navmesh, tmp_path / "wide.bin", 64)
    file = read_navmesh(content)
    assert [(tile.x, tile.y) for tile in file.tiles] == [(tile.x, tile.y) for tile in navmesh.tiles]
    counts = [len(tile.polygon_mesh.polygons) for tile in navmesh.tiles]
    assert [len(tile.sections.polygons) for tile in file.tiles] == counts
    assert written(file, tmp_path / "again.bin", None) == content
    whole = side * count
    paths = NavQuery(file).find_paths([[1, 0, whole - 1], [1, 0, 1]], [[40, 0, whole - 40], [whole - 1, 0, whole - 1]])
    assert paths.status.tolist() == [PathStatus.COMPLETE, PathStatus.TRUNCATED]
    assert paths.length[0] == pytest.approx(39 * 2**0.5, rel=0.02)
    longest = NavQuery(file).find_paths([[1, 0, 1]], [[whole - 1, 0, whole - 1]], max_nodes=None, max_path=None)
    assert longest.status[0] == PathStatus.COMPLETE and longest.length[0] > (whole - 2) * 2**0.5 - 1
    facts = file_facts(tmp_path / "wide.bin")
    assert (facts["format"], facts["tiles"]) == ("MSET with 64-bit references", count**2)
    assert facts["polygons"] == sum(counts) and facts["islands"] == 1 + 10 * 404
    assert not navmesh_difference(navmesh, file).places
    crowded = next(number for number, polygons in enumerate(counts) if polygons >= 400)
    for number in (0, crowded, count**2 - 1):  # a tile on its own is linked to those beside it as in the file
        assert linked_anew(file, number) == file.tiles[number].data.tobytes()


def linked_anew(file: NavmeshFile, number: int) -> bytes:
    """A tile and those around it, added to nothing, in the order of the file."""
    middle, linker, added = file.tiles[number], Linker(), dict[int, Any]()
    for tile in file.tiles:
        if abs(tile.x - middle.x) <= 1 and abs(tile.y - middle.y) <= 1:
            data = np.frombuffer(tile.data.tobytes(), np.uint8).copy()
            parts = sections(data)
            parts.polygons["first_link"] = 0
            parts.links[:] = np.zeros(1, parts.links.dtype)
            linker.add(data, tile.reference)
            added[tile.reference] = data
    whole: bytes = added[middle.reference].tobytes()
    return whole


def tuple_moved(mesh: scenes.Mesh, x: float, z: float) -> scenes.Mesh:
    return mesh[0] + np.array([x, 0, z], np.float32), mesh[1]


def test_a_build_that_does_not_fit_names_the_flag(
    built: NavMesh, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("navcore.detour.limits.MOST_TILES", 0)
    with pytest.raises(TooLarge, match="--references 64"):
        write_navmesh(built, tmp_path / "x.bin")
    write_navmesh(built, tmp_path / "x.bin", reference_bits=64)


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    vertices, triangles = scenes.plaza(3)
    np.savez(tmp_path / "level.npz", verts=vertices, tris=triangles)
    for size in ("0", "32"):  # the second is written tile by tile
        words = ["build", str(tmp_path / "level.npz"), "--tile-size", size, "--quiet"]
        assert main([*words, "-o", str(tmp_path / "wide.bin"), "--references", "64"]) == 0
        assert main([*words, "-o", str(tmp_path / "usual.bin")]) == 0
        assert (tmp_path / "wide.bin").read_bytes() == by_the_rules((tmp_path / "usual.bin").read_bytes())
        capsys.readouterr()
        assert main(["info", str(tmp_path / "wide.bin")]) == 0
        assert "64-bit references" in capsys.readouterr().out
        assert main(["path", str(tmp_path / "wide.bin"), "--from", "2,0,2", "--to", "4,0,2"]) == 0


def test_other_kinds_of_files_have_no_references(built: NavMesh, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"only a \.bin"):
        write_navmesh(built, tmp_path / "x.obj", reference_bits=64)
    with pytest.raises(BadInput, match="Give 32"):
        write_navmesh(built, tmp_path / "x.bin", reference_bits=48)
    file = read_navmesh(written(built, tmp_path / "wide.bin", 64))
    with pytest.raises(NavmeshError, match="reference_bits=64"):
        write_navmesh(file, tmp_path / "x.bin", reference_bits=32)


def changed(content: bytes, at: int, value: bytes) -> bytes:
    return content[:at] + value + content[at + len(value) :]


@pytest.mark.parametrize(
    ("at", "value", "code"),
    [
        (36, struct.pack("<i", -1), ""),  # polygons of the header: nobody counts with them
        (32, struct.pack("<i", 0), "BAD_MOST_TILES"),
        (40, struct.pack("<Q", 1 << 20), "BAD_REFERENCE"),  # no salt
        (40, struct.pack("<Q", 1 << 48 | 1), "BAD_REFERENCE"),  # no tile
        (40, struct.pack("<Q", 1 << 48 | 1 << 40), "BAD_REFERENCE"),  # a slot that is not there
        (48, struct.pack("<i", 50), "BAD_DATA_SIZE"),
        (48, struct.pack("<i", 1 << 30), "TRUNCATED"),
        (52, b"\1\2\3\4", ""),  # what fills the entry is ignored
        (56 + 32, struct.pack("<i", -1), "BAD_COUNT"),
        (56 + 32, struct.pack("<i", 7), "BAD_SECTIONS"),
    ],
)
def test_damage_is_named(built: NavMesh, tmp_path: Path, at: int, value: bytes, code: str) -> None:
    content = changed(written(built, tmp_path / "wide.bin", 64), at, value)
    if not code:
        assert read_navmesh(content).wide is not None
        return
    with pytest.raises(BadFile) as refused:
        read_navmesh(content)
    assert refused.value.code == code


def test_it_ends_where_it_should(built: NavMesh, tmp_path: Path) -> None:
    content = written(built, tmp_path / "wide.bin", 64)
    for cut, code in (
        (content + b"\0" * 4, "TRAILING_BYTES"),
        (content[:-4], "TRUNCATED"),
        (content[:50], "TRUNCATED"),
    ):
        with pytest.raises(BadFile) as refused:
            read_navmesh(cut)
        assert refused.value.code == code


def test_entries_without_padding_are_read(built: NavMesh, tmp_path: Path) -> None:
    """As programs for 32-bit processors write them."""
    content = written(built, tmp_path / "wide.bin", 64)
    parts, at = [content[:40]], 40
    while at < len(content):
        size = struct.unpack_from("<i", content, at + 8)[0]
        parts += [content[at : at + 12], content[at + 16 : at + 16 + size]]
        at += 16 + size
    short, wide = read_navmesh(b"".join(parts)), read_navmesh(content)
    assert [tile.data.tobytes() for tile in short.tiles] == [tile.data.tobytes() for tile in wide.tiles]


def test_damaged_bytes_never_get_through(built: NavMesh, tmp_path: Path) -> None:
    """Either refused with a code or read as something that can be asked."""
    content, random = written(built, tmp_path / "wide.bin", 64), np.random.default_rng(3)
    for _ in range(150):
        damaged = bytearray(content)
        for at in random.integers(0, len(content), random.integers(1, 6)):
            damaged[at] = random.integers(0, 256)
        with contextlib.suppress(NavmeshError):
            NavQuery(read_navmesh(bytes(damaged))).nearest([[2.0, 0.0, 2.0]])


def golden_rows() -> dict[str, Any]:
    if GOLDENS is None:
        return {}
    rows: dict[str, Any] = json.loads(Path(GOLDENS, "poly64", "manifest.json").read_text())["rows"]
    return rows


def golden_build(row: Any) -> NavMesh:
    """navcore's own build of a row."""
    mesh = Path(str(GOLDENS), row["level"], "mesh.npz")
    mesh = mesh if mesh.is_file() else Path(str(GOLDENS), "levels", f"{row['level']}.npz")
    scene = load_scene(row["scene"])
    level = read_mesh(mesh, scene)
    settings = Settings.from_mapping(row["settings"])
    return build_navmesh(LevelSource.of(level, scene), settings=settings)


def after_edits(navmesh: NavMesh, content: bytes, edits: list[Any]) -> bytes:
    """A 32-bit file after tiles were removed and added anew, at these places of the file or groups of them."""
    file, linker = read_navmesh(content), Linker()
    slots, there, blobs = Slots(file.parameters), {}, tile_blobs(navmesh)

    def add(place: int) -> None:
        reference = slots.take()
        assert reference is not None
        there[place] = reference, linker.add(np.frombuffer(blobs[place], np.uint8).copy(), reference)

    for place in range(len(blobs)):
        add(place)
    for group in (edit if isinstance(edit, list) else [edit] for edit in edits):
        for place in group:
            reference, tile = there.pop(place)
            linker.remove(tile)
            slots.give_back(reference)
        for place in group:
            add(place)
    shared = file.parameters
    slot = lambda reference: reference >> shared.polygon_bits & (1 << shared.tile_bits) - 1  # noqa: E731
    parts = [content[:40]]
    for reference, tile in sorted(there.values(), key=lambda row: slot(row[0])):
        parts += [struct.pack("<Ii", reference, len(tile.data)), tile.data.tobytes()]
    return b"".join(parts)


@pytest.mark.skipif(GOLDENS is None, reason="the golden files lie outside: name their folder in NAVMESH_GOLDENS")
@pytest.mark.parametrize("name", sorted(golden_rows()) or ["none"])
def test_files_of_a_native_build(name: str, tmp_path: Path) -> None:
    """Row by row: what we write is what Detour with DT_POLYREF64 writes, and what it writes we read and write again."""
    row = golden_rows()[name]
    content = np.load(Path(str(GOLDENS), "poly64", row["file"]))["mset"].tobytes()
    file = read_navmesh(content)
    assert file.wide is not None and len(file.tiles) == row["tiles"]
    assert written(file, tmp_path / "again.bin", None) == content
    navmesh = golden_build(row)
    narrow = written(navmesh, tmp_path / "narrow.bin", 32)
    assert hashlib.sha256(narrow).hexdigest() == row["sha256_of_navcore_32_bit_file"]
    wide = written(navmesh, tmp_path / "wide.bin", 64)
    assert wide == by_the_rules(narrow)
    if row["edits"]:
        edited = after_edits(navmesh, narrow, row["edits"])
        assert hashlib.sha256(edited).hexdigest() == row["sha256_of_32_bit_file_after_edits"]
        wide = by_the_rules(edited)
    if row["max_tiles_and_polys"]:  # the header alone says them
        wide = wide[:32] + struct.pack("<2i", *row["max_tiles_and_polys"]) + wide[40:]
    assert wide == content
    ours = NavQuery(read_navmesh(wide)).random_points(20, seed=1)
    assert (
        NavQuery(file).nearest(ours.points).references == NavQuery(read_navmesh(wide)).nearest(ours.points).references
    ).all()
