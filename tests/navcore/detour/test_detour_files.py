"""MSET files as they are written tile by tile, and what `navcore info` says about them."""

from __future__ import annotations

import io
import json
import signal
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.__main__ import main
from navcore.detour.file_contents import contents_of
from navcore.detour.limits import check_tile_grid
from navcore.detour.reader import read_navmesh
from navcore.errors import BadInput, BadSettings, NothingWalkable, TooLarge
from navcore.files.atomic_write import CannotWrite, write_whole
from navcore.formats import check_output, write_navmesh
from navcore.formats.mset import MsetWriter, mset_bytes, mset_file, tile_blobs
from navcore.geometry.grid import bounds_of
from navcore.geometry.tile_grid import TileGrid, cut_into_tiles
from navcore.result.navmesh import Tile
from navcore.threads import Workers
from navcore.types import Geometry
from tests import scenes
from tests.navcore.detour.detour_examples import CH, CS, GRID, HOP, JUMP, LEFT, RIGHT, SETTINGS, file_of, small_file

PLAZA = build_navmesh(
    *scenes.plaza(2),
    Settings(tile_size=16, region_min_size=0),
    links=[{"start": [0.9, 0, 0.9], "end": [8, 0, 8]}, {"start": [-5, 0, 1], "end": [1, 0, 1]}],
)


def test_the_file_holds_every_tile_once_in_row_order() -> None:
    file = read_navmesh(mset_bytes(PLAZA))
    assert [(tile.x, tile.y) for tile in file.tiles] == [(tile.x, tile.y) for tile in PLAZA.tiles]
    assert [tile.reference >> 20 for tile in file.tiles] == [4 | slot for slot in range(4)]
    assert file.parameters.most_tiles == 4 and file.parameters.most_polygons == 1 << 20
    assert len(PLAZA.tiles) == 4
    fresh = [read_navmesh(blob).tiles[0] for blob in tile_blobs(PLAZA)]
    for linked, alone in zip(file.tiles, fresh, strict=True):
        assert not alone.sections.links.tobytes().strip(b"\0")
        assert linked.sections.links["target"].any()
        assert linked.sections.nodes.tobytes() == alone.sections.nodes.tobytes()


def test_every_way_of_writing_gives_the_same_bytes(tmp_path: Path) -> None:
    write_navmesh(PLAZA, tmp_path / "a.BIN")
    with mset_file(tmp_path / "b.bin", PLAZA.settings, PLAZA.tile_grid, PLAZA.links) as writer:
        for tile in PLAZA.tiles:
            writer.add(tile)
    assert (tmp_path / "a.BIN").read_bytes() == (tmp_path / "b.bin").read_bytes() == mset_bytes(PLAZA)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.BIN", "b.bin"]


def test_islands_grow_together_over_tile_borders_and_links() -> None:
    assert contents_of(read_navmesh(mset_bytes(PLAZA))).islands == 1
    assert contents_of(read_navmesh(small_file())).islands == 1
    gap = Tile(
        2,
        0,
        LEFT._replace(grid=LEFT.grid._replace(bounds_min=np.float32([6.1, 0, 0]), bounds_max=np.float32([9.1, 4, 3]))),
        None,
    )
    grid = GRID._replace(columns=3)
    assert contents_of(read_navmesh(file_of([Tile(0, 0, LEFT, None), gap], grid))).islands == 2
    alone = read_navmesh(file_of([Tile(0, 0, RIGHT, None)], None, (HOP,)))
    assert contents_of(alone).islands == 1 and contents_of(alone).connections == 0


def row_of_tiles(count: int) -> Iterator[Tile]:
    for x in range(count):
        low, high = np.float32([3 * x, 0, 0]), np.float32([3 * x + 3, 4, 3])
        yield Tile(x, 0, LEFT._replace(grid=LEFT.grid._replace(bounds_min=low, bounds_max=high)), None)


class Sink(io.RawIOBase):
    """A file that forgets."""

    def __init__(self) -> None:
        self.size = 0

    def write(self, content: object) -> int:  # type: ignore[override]
        self.size += memoryview(content).nbytes  # type: ignore[arg-type]
        return self.size

    def seek(self, *_: int) -> int:
        return 0


def memory_of(rows: int) -> int:
    """The most memory that writing so many tiles takes. They are no tuples: CPython keeps thousands of dead ones."""
    grid = TileGrid(1, rows, 10, 5, GRID.bounds_min, GRID.bounds_max, CS, CH)
    writer = MsetWriter(Sink(), SETTINGS, grid)  # type: ignore[arg-type]
    tracemalloc.start()
    for y in range(rows):
        writer.add(SimpleNamespace(x=0, y=y, polygon_mesh=LEFT, detail_mesh=None, doors=(), too_small=None))  # type: ignore[arg-type]
    writer.finish()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def test_memory_does_not_grow_with_the_rows() -> None:
    memory_of(5)
    assert memory_of(1000) < memory_of(20) + 20_000


def test_tiles_must_come_row_by_row() -> None:
    with pytest.raises(ValueError, match="row by row"):
        file_of([Tile(1, 0, RIGHT, None), Tile(0, 0, LEFT, None)])
    with pytest.raises(ValueError, match="row by row"):
        file_of([Tile(0, 0, LEFT, None), Tile(0, 0, LEFT, None)])


def fail_after_a_tile(path: Path, error: Exception) -> None:
    with mset_file(path, SETTINGS, GRID) as writer:
        writer.add(Tile(0, 0, LEFT, None))
        raise error


def test_nothing_is_left_of_a_file_that_failed(tmp_path: Path) -> None:
    path = tmp_path / "n.bin"
    path.write_bytes(b"old")
    with pytest.raises(NothingWalkable), mset_file(path, SETTINGS, GRID):
        pass
    for error in (RuntimeError("a worker died"), ConnectionError("this is none of the file system's errors")):
        with pytest.raises(type(error)):
            fail_after_a_tile(path, error)
    with pytest.raises(BadSettings), mset_file(path, Settings(vertices_per_polygon=12), GRID):
        pass
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path: Path) -> None:
    """A limit on the size of files does what a full disk does."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "n.bin"
    path.write_bytes(b"old")
    before = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, before[0][1]))
    try:
        with pytest.raises(CannotWrite, match=r"Could not write .*n.bin: File too large"):
            write_navmesh(PLAZA, path)
        with pytest.raises(CannotWrite):
            write_whole(path, bytes(1000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before[0])
        signal.signal(signal.SIGXFSZ, before[1])
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_more_tiles_than_announced_and_more_polygons_than_bits() -> None:
    with pytest.raises(TooLarge) as refused:
        file_of(list(row_of_tiles(3)), GRID)
    assert refused.value.code == "TOO_MANY_TILES"
    rows = 300
    many = LEFT._replace(
        polygons=np.repeat(LEFT.polygons[:1], rows, 0),
        neighbors=np.full((rows, 6), 0xFFFF, np.uint16),
        area=np.full(rows, 63, np.uint8),
    )
    with pytest.raises(TooLarge, match="leaves room for 256") as refused:
        file_of([Tile(0, 0, many, None)], GRID._replace(columns=128, rows=128))
    assert refused.value.code == "DETOUR_POLYGON_BITS"


def test_edges_that_meet_too_many_polygons_are_told() -> None:
    writer = MsetWriter(io.BytesIO(), SETTINGS, GRID)
    writer.add(Tile(0, 0, LEFT, None))
    assert writer.warnings == []
    corners = [[0, 2, z] for z in range(0, 11, 2)] + [[10, 2, z] for z in range(0, 11, 2)]
    polygons = np.full((5, 6), 0xFFFF, np.uint16)
    polygons[:, :4] = [[k, k + 1, k + 7, k + 6] for k in range(5)]
    neighbors = np.full((5, 6), 0xFFFF, np.uint16)
    neighbors[:, 0] = 0x8000
    strips = RIGHT._replace(
        vertices=np.uint16(corners), polygons=polygons, neighbors=neighbors, area=np.full(5, 63, np.uint8)
    )
    writer.add(Tile(1, 0, strips, None))
    assert [(w.code, w.message[:11]) for w in writer.warnings] == [("BORDER_LINKS", "1 neighbor ")]


def test_settings_that_the_file_cannot_follow_are_refused_before_the_build(tmp_path: Path) -> None:
    check_output(tmp_path / "n.bin", Settings())
    check_output(tmp_path / "n.obj", Settings(vertices_per_polygon=12))
    with pytest.raises(BadSettings, match="Lower it to 6"):
        check_output(tmp_path / "n.bin", Settings(vertices_per_polygon=12))


def many_tiles(count: int) -> tuple[scenes.Mesh, Settings]:
    """Flat ground that reaches into count × count tiles."""
    return scenes.flat(count * 16 * 0.3 - 0.1), Settings(tile_size=16)


def test_more_tiles_than_references_can_number_are_refused_before_the_build(tmp_path: Path) -> None:
    begun: list[str] = []
    mesh, settings = many_tiles(129)
    with pytest.raises(TooLarge, match=r"ground in 16,641 tiles; .* hold 16,384\. Raise tile_size to 17 ") as refused:
        build_navmesh(*mesh, settings, detour_data=True, progress=lambda stage, _: begun.append(stage))
    assert refused.value.code == "TOO_MANY_TILES" and "tiles" not in begun
    np.savez(tmp_path / "flat.npz", verts=mesh[0], tris=mesh[1])
    flags = [str(tmp_path / "flat.npz"), "--tile-size", "16"]
    outputs = [str(tmp_path / name) for name in ("n.bin", "n.obj")]
    assert main(["build", *flags, "-o", outputs[0], "-o", outputs[1]]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["flat.npz"]


def test_the_tile_size_that_is_told_is_right() -> None:
    with pytest.raises(TooLarge, match="Raise tile_size to 20 or cell_size"):
        build_navmesh(*many_tiles(160)[0], Settings(tile_size=16), detour_data=True)
    for size, fits in ((19, False), (20, True)):
        cut = cut_into_tiles(*bounds_of(many_tiles(160)[0][0]), Settings(tile_size=size), Settings().in_voxels())
        assert (cut.columns * cut.rows <= 16_384) is fits


def test_only_tiles_with_ground_count() -> None:
    """Three hundred tiles along each side, but ground in eight."""
    parts = [scenes.box(x, -1, x, 8, 1, 8) for x in (0, 300 * 16 * 0.3)]
    navmesh = build_navmesh(*scenes.join(parts), Settings(tile_size=16), detour_data=True)
    assert navmesh.tile_grid is not None and navmesh.tile_grid.columns > 300
    file = read_navmesh(mset_bytes(navmesh))
    assert len(file.tiles) == len(navmesh.tiles) == 8 and file.parameters.most_tiles == 16_384


def test_tiles_that_only_walls_reach_do_not_count() -> None:
    mesh, settings = many_tiles(150)
    cut = cut_into_tiles(*bounds_of(mesh[0]), settings, settings.in_voxels())
    ground, walls = (Geometry(*mesh, np.full(len(mesh[1]), area, np.uint8)) for area in (63, 0))
    with Workers(1) as workers:
        with pytest.raises(TooLarge, match="ground in 22,500 tiles"):
            check_tile_grid(cut, ground, workers)
        check_tile_grid(cut, walls, workers)
        check_tile_grid(cut._replace(columns=128, rows=128), ground, workers)


def test_other_files_may_hold_more_tiles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """With a lower limit, as a build of so many tiles takes its time."""
    monkeypatch.setattr("navcore.detour.limits.MOST_TILES", 3)
    with pytest.raises(TooLarge, match="ground in 4 tiles"):
        build_navmesh(*many_tiles(2)[0], Settings(tile_size=16), detour_data=True)
    navmesh = build_navmesh(*many_tiles(2)[0], Settings(tile_size=16))
    write_navmesh(navmesh, tmp_path / "n.obj")
    with pytest.raises(TooLarge, match="ground in 4 tiles"):
        write_navmesh(navmesh, tmp_path / "n.bin")
    assert [path.name for path in tmp_path.iterdir()] == ["n.obj"]


def test_links_that_no_file_holds_are_refused_before_the_build() -> None:
    far = [{"start": [1, 0, 1], "end": [2e9, 0, 1]}]
    with pytest.raises(BadInput, match="Link 1 reaches beyond"):
        build_navmesh(*scenes.flat(8), links=far, detour_data=True)
    with pytest.raises(BadSettings, match="Lower it to 6"):
        build_navmesh(*scenes.flat(8), Settings(vertices_per_polygon=7), detour_data=True)
    assert build_navmesh(*scenes.flat(8), Settings(vertices_per_polygon=7), links=far).report.counts["polygons"] == 1


# --- info


def info_of(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    assert main(["info", str(path), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_info(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.bin"
    path.write_bytes(small_file())
    assert info_of(path, capsys) == {
        "file": str(path), "format": "MSET", "bytes": len(small_file()), "tiles": 2,
        "agent": {"height": 2.0, "radius": 0.6, "max_climb": 0.9}, "cell_size": 0.3, "bounds": [0, 0, 0, 6, 4, 3],
        "cell_sizes": [{"cell_size": 0.3, "tiles": 2}],
        "polygons": 4, "vertices": 12, "links": 2, "links_by_kind": None, "islands": 1, "square_metres": 18.0,
        "areas": [{"area": 0, "name": "ground", "cost": None, "polygons": 4, "square_metres": 18.0}],
        "triangles": 10, "settings": None, "area_types": None,
        "grid": {"origin": [0, 0, 0], "tile": [3, 3], "columns": [0, 1], "rows": [0, 0]},
    }  # fmt: skip
    assert main(["info", str(path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "islands     1" in lines and "tiles       2" in lines and "  ground    18.0 m² in 4 polygons" in lines


def test_info_tells_areas_apart(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.bin"
    path.write_bytes(file_of([Tile(0, 0, LEFT._replace(area=np.array([63, 40], np.uint8)), None)], None, (JUMP,)))
    assert info_of(path, capsys)["areas"] == [
        {"area": 0, "name": "ground", "cost": None, "polygons": 1, "square_metres": 5.4},
        {"area": 40, "name": "area 40", "cost": None, "polygons": 1, "square_metres": 3.6},
    ]


def test_info_of_an_empty_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.bin"
    content = bytearray(small_file()[:40])
    content[8:12] = bytes(4)
    path.write_bytes(content)
    assert info_of(path, capsys)["islands"] == 0
    assert main(["info", str(path)]) == 0


def test_info_refuses_by_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "n.bin"
    path.write_bytes(small_file()[:-4])
    assert main(["info", str(path)]) == 1
    assert "TRUNCATED" in capsys.readouterr().err
    assert main(["info", str(tmp_path / "none.bin")]) == 1
    assert "CANNOT_READ" in capsys.readouterr().err
    assert main(["info"]) == 2
