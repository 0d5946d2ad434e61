"""Tile caches against those of a native build (NAVMESH_GOLDENS): files, navmeshes, and each step of obstacles."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Settings, TileCache
from navcore.formats.mset import mset_bytes
from navcore.tile_cache.layer_polygons import polygons_of
from navcore.tile_cache.layer_regions import NO_REGION, LayerCells, outlines_of, regions_of
from navcore.tile_cache.obstacle_queue import ObstacleRefused
from navcore.tile_cache.obstacles import CYLINDER, Obstacle, mark_obstacles
from navcore.types import F32, I32
from tests import dumps

assert dumps.FOLDER is not None
FOLDER = dumps.FOLDER / "tilecache"
ROWS: dict[str, dict[str, Any]] = json.loads((FOLDER / "manifest.json").read_text())["rows"]
LEVELS = [name for name, row in ROWS.items() if "level" in row]
SUCCEEDED = 0x40000000  # Recast: DT_SUCCESS


def arrays(name: str) -> dict[str, np.ndarray]:
    with np.load(FOLDER / f"{name}.npz") as data:
        return dict(data)


def level_of(row: dict[str, Any]) -> tuple[F32, I32]:
    own = Path(str(dumps.FOLDER), row["level"], "mesh.npz")
    path = own if own.is_file() else Path(str(dumps.FOLDER), "levels", f"{row['level']}.npz")
    with np.load(path) as data:
        return data["verts"], data["tris"]


@pytest.fixture(scope="module", params=LEVELS)
def built(request: Any) -> tuple[str, TileCache]:
    row = ROWS[request.param]
    settings, scene = Settings.from_mapping(row["settings"]), row["scene"]
    cache = TileCache(
        *level_of(row), settings, volumes=scene["volumes"], links=scene["links"], exact=True, threads=1
    )  # fmt: skip
    return request.param, cache


def test_what_is_built(built: tuple[str, TileCache]) -> None:
    name, cache = built
    golden = arrays(name)
    assert cache.files()[0] == golden["tset"].tobytes()
    assert mset_bytes(cache.navmesh) == golden["mset_built"].tobytes()
    assert len(cache.failures) == len(ROWS[name]["facts"]["failures"])


def asked(cache: TileCache, op: dict[str, Any], added: list[int]) -> list[Any]:
    """Do what a step asks for; what upstream says to it."""
    if op["op"] == "update":
        waits = [cache.step() for _ in range(op["calls"])]
        states = [[slot, state, pending] for slot, _, state, _, pending, *_ in cache._queue.rows()]
        return [[hex(SUCCEEDED)] * op["calls"], not waits[-1], states]
    reference = 0
    try:
        if op["op"] == "remove":
            reference = added[op["which"]]
            cache.remove(reference)
        elif op["kind"] == "cylinder":
            reference = cache.add_cylinder(op["at"], op["radius"], op["height"])
        elif op["kind"] == "box":
            reference = cache.add_box(op["min"], op["max"])
        else:
            reference = cache.add_oriented_box(op["at"], op["half"], op["angle"])
        status = SUCCEEDED
    except ObstacleRefused as refused:
        status = refused.status
    if op["op"] == "add":
        added.append(reference)
    return [hex(status), reference]


def test_each_step_of_obstacles(built: tuple[str, TileCache]) -> None:
    name, first = built
    golden, row, links = arrays(name), ROWS[name], first.navmesh.links
    cache = TileCache.from_bytes(golden["tset"].tobytes(), exact=True, links=links)
    assert mset_bytes(cache.navmesh) == golden["mset_loaded"].tobytes()
    reference, added = cache._content.set.cache.reference, list[int]()
    for number, step in enumerate(row["steps"]):
        assert [asked(cache, op, added) for op in step["ops"]] == step["told"], number
        assert cache.update() == step["updates"], number
        rows = [[*each[:7], *map(reference, each[7:])] for each in cache._queue.rows()]
        assert rows == step["obstacles"], number
        live = cache.navmesh.live
        assert live is not None and len(live.tiles) == step["tiles"], number
        mine = {tile.reference: tile.data.tobytes() for tile in live.tiles}
        for _, tile, *place, begin, size in golden["changed"][golden["changed"][:, 0] == number].tolist():
            its = golden["blobs"][begin : begin + size].tobytes()
            assert mine.get(tile, b"") == its, (number, place)
        assert hashlib.sha256(mset_bytes(cache.navmesh)).hexdigest() == step["mset_sha256"], number
    assert mset_bytes(cache.navmesh) == golden["mset_last"].tobytes()


def test_cells_that_obstacles_take_away() -> None:
    golden = arrays("marks-random")
    begin = byte = 0
    for row in golden["rows"]:
        kind, width, depth = (int(number) for number in row[:3])
        count = width * depth
        heights = golden["heights"][begin : begin + count]
        cells = LayerCells(width, depth, heights, np.full(count, 63, np.uint8), np.zeros(count, np.uint8))
        at, size, angle = row[8:11].tolist(), row[11:14].tolist(), float(row[14])
        obstacle = Obstacle(kind, (at[0], at[1], at[2]), (size[0], size[1], 0 if kind == CYLINDER else size[2]), angle)
        mark_obstacles(cells, obstacle.numbers(), row[5:8].copy(), row[3], row[4])
        taken = np.unpackbits(golden["marked"][byte : byte + (count + 7) // 8])[:count]
        assert np.array_equal(cells.areas == 0, taken == 1)
        begin, byte = begin + count, byte + (count + 7) // 8


def test_regions_outlines_and_polygons_of_made_layers() -> None:
    golden = arrays("layers-random")
    at = dict.fromkeys(("grids", "regions", "outline_counts", "outlines", "verts", "polys"), 0)

    def next_of(name: str, count: int) -> np.ndarray:
        at[name] += count
        return golden[name][at[name] - count : at[name]]

    for row in golden["rows"].tolist():
        width, depth, climb, error, *told = row
        count = width * depth
        heights, areas, sides = (next_of("grids", count) for _ in range(3))
        cells, region = LayerCells(width, depth, heights, areas, sides), np.empty(count, np.int32)
        swept, starts = regions_of(cells, climb, region, True)
        assert (swept < 0) == (told[0] != SUCCEEDED)
        if swept < 0:
            continue
        assert len(starts) == told[1]
        assert np.array_equal(np.where(region == NO_REGION, 255, region), next_of("regions", count))
        rules = (climb, np.array(error, np.uint32).view(np.float32)[()], True)
        fits, outlines = outlines_of(cells, region, starts, rules)
        assert fits == (told[2] == SUCCEEDED)
        if not fits:
            continue
        counts = next_of("outline_counts", told[3])
        assert np.array_equal(np.diff(outlines.first), counts)
        assert np.array_equal(outlines.corners, next_of("outlines", int(counts.sum())))
        if told[4] != SUCCEEDED:
            continue
        mesh = polygons_of(outlines)
        assert np.array_equal(mesh.vertices, next_of("verts", told[5]))
        here = at["polys"]
        assert np.array_equal(np.hstack([mesh.polygons, mesh.neighbors]), next_of("polys", told[6]))
        assert np.array_equal(mesh.areas, golden["areas"][here : here + told[6]])
    assert all(at[name] == len(golden[name]) for name in at)
