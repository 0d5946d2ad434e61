"""Places with finer or coarser cells: each tile as in a build of its cells everywhere, joined with those beside it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import (
    BadSettings,
    BoxVolume,
    ConvexVolume,
    CylinderVolume,
    Level,
    LevelSource,
    NavMesh,
    NavmeshEdits,
    NavQuery,
    PathStatus,
    Settings,
    TileCache,
    WhyHere,
    build_navmesh,
    rebuild_tiles,
    settings_at_resolution,
    stage_picture,
    stitch_tiles,
    write_navmesh,
)
from navcore.__main__ import main
from navcore.builder.local_resolution import tiles_under
from navcore.detour.queries.measure import measure_ground
from navcore.detour.reader import read_navmesh
from navcore.formats.file_facts import file_facts
from navcore.formats.mset import mset_bytes
from navcore.formats.plain_from_detour import plain_of_file
from navcore.geometry.grid import bounds_of
from navcore.geometry.tile_grid import TileGrid
from navcore.geometry.tile_key import TileKey
from navcore.result.stitch import edge_violations
from navcore.scene import GivenVolume
from tests import scenes
from tests.navcore.builder.test_tile_batches import Remembering

TILED = Settings(cell_size=0.3, cell_height=0.1, tile_size=32, agent_radius=0.4, agent_max_climb=0.4)
LEVELS = {
    "city": scenes.city(2, 14), "terrain": scenes.terrain(90, 0.4, 0.12), "plaza": scenes.plaza(5),
    "tower": scenes.tower(3), "slabs": scenes.slabs(3, 30, 16), "stairs": scenes.stairs(), "spiral": scenes.spiral(),
}  # fmt: skip
WATER = BoxVolume(area=1, min=(2, -50, 2), max=(13, 50, 7))
Bundles = tuple[Any, ...]


def around(x0: float, z0: float, x1: float, z1: float, scale: float) -> BoxVolume:
    return BoxVolume(min=(x0, 0, z0), max=(x1, 0, z1), resolution=scale)


def some_of(mesh: Any, seed: int = 0) -> list[BoxVolume]:
    """Boxes of all resolutions at random places of a level."""
    (x0, _, z0), (x1, _, z1) = bounds_of(mesh[0])
    random = np.random.default_rng(seed)
    low, high = np.array([x0, z0], np.float64), np.array([x1, z1], np.float64)
    volumes = []
    for scale in (2.0, 0.5, 0.25):
        at = random.uniform(low, high)
        volumes.append(around(*at, *(at + random.uniform(0.5, 8, 2)), scale))
    return volumes


def bundles_of(navmesh: NavMesh) -> dict[TileKey, Bundles]:
    """What tiles are, to the byte, whatever is linked to them."""
    return {
        tile.key: (
            *(array.tobytes() if isinstance(array, np.ndarray) else array for array in tile.polygon_mesh[:-1]),
            *(np.asarray(value).tobytes() for value in tile.polygon_mesh.grid),
            *(() if tile.detail_mesh is None else (array.tobytes() for array in tile.detail_mesh)),
            tile.doors, None if tile.too_small is None else tile.too_small.tobytes(),
        )
        for tile in navmesh.tiles
    }  # fmt: skip


def grid_of(navmesh: NavMesh) -> TileGrid:
    assert navmesh.tile_grid is not None
    return navmesh.tile_grid


def same(one: NavMesh, other: NavMesh) -> bool:
    return bundles_of(one) == bundles_of(other) and mset_bytes(one) == mset_bytes(other)


@pytest.mark.parametrize("marks", [(), (WATER,)])
@pytest.mark.parametrize("name", LEVELS)
def test_each_tile_is_that_of_a_build_with_its_cells_everywhere(name: str, marks: tuple[GivenVolume, ...]) -> None:
    mesh = LEVELS[name]
    mixed = build_navmesh(*mesh, TILED, volumes=[*some_of(mesh), *marks])
    grid, found = grid_of(mixed), bundles_of(mixed)
    box = (*grid.bounds_min.tolist(), *grid.bounds_max.tolist())
    scales = {grid.scale_of(key) for key in found}
    assert scales != {1.0}
    for scale in scales:
        alike = build_navmesh(*mesh, settings_at_resolution(TILED, scale), volumes=marks, bounds=box)
        wanted = bundles_of(alike)
        own = [key for key in found if grid.scale_of(key) == scale]
        assert [key for key in own if found[key] != wanted.get(key)] == []
        missing = [key for key in wanted if grid.scale_of(key) == scale and key not in found]
        assert all(key.x >= grid.columns or key.y >= grid.rows for key in missing)


def test_lengths_are_kept_in_metres() -> None:
    finer = settings_at_resolution(replace(TILED, edge_max_length=6.0), 0.5)
    assert (finer.cell_size, finer.tile_size, finer.cell_height) == (0.15, 64, TILED.cell_height)
    assert (finer.region_min_size, finer.region_merge_size) == (16, 40)
    assert finer.in_voxels().region_min_area_vx == 256 and finer.in_voxels().edge_max_length_vx == 40
    assert (finer.edge_max_error, finer.detail_sample_distance) == (2.6, 12)
    assert finer.detail_sample_max_error == TILED.detail_sample_max_error, "heights have the cells they had"
    assert finer.agent_radius == TILED.agent_radius
    assert settings_at_resolution(TILED, 1) is TILED
    assert settings_at_resolution(replace(TILED, detail_sample_distance=0.5), 0.25).detail_sample_distance == 0


def walkable(query: NavQuery, points: npt.NDArray[Any]) -> npt.NDArray[np.bool_]:
    """On the ground below, not on a slab above it nor beside a polygon whose box reaches there."""
    near = query.nearest(points, extents=(0.1, 0.5, 0.1))
    moved = np.abs(near.points - points).max(axis=1)
    return np.asarray((near.references != 0) & (moved < 0.2))


FINER = around(8, 8, 30, 30, 0.5), around(34, 10, 50, 24, 0.25)
COARSER = around(10, 40, 40, 60, 2), around(2, 2, 20, 20, 2)


@pytest.mark.parametrize(
    ("volumes", "scales"), [(FINER, (1.0, 0.25)), (COARSER, (2.0, 1.0)), (FINER + COARSER, (2.0, 1.0, 0.5, 0.25))]
)
def test_ways_across_seams_are_found_where_uniform_builds_find_them(
    volumes: tuple[BoxVolume, ...], scales: tuple[float, ...]
) -> None:
    """10,000 between tiles of other cells. What is lost is told, with the places."""
    mesh = scenes.join([scenes.city(4, 16), scenes.box(0, -1, 0, 64, 1, 64)])
    mixed = build_navmesh(*mesh, TILED, volumes=volumes)
    grid = grid_of(mixed)
    box = (*grid.bounds_min.tolist(), *grid.bounds_max.tolist())
    uniform = [build_navmesh(*mesh, settings_at_resolution(TILED, scale), bounds=box) for scale in scales]
    queries = [NavQuery(navmesh) for navmesh in (mixed, *uniform)]
    ends = pairs_across_seams(grid, queries, 10_000)
    answers = [query.find_paths(ends[:, :3], ends[:, 3:]) for query in queries]
    found = [np.asarray(answer.status) == PathStatus.COMPLETE for answer in answers]
    both = np.all(found[1:], axis=0)
    assert both.sum() > 9000
    lost = np.flatnonzero(both & ~found[0])
    told = [f"{ends[row].round(2).tolist()}: {PathStatus(int(answers[0].status[row])).name}" for row in lost]
    assert len(lost) <= 0.001 * both.sum(), "\n".join(told)


def pairs_across_seams(grid: TileGrid, queries: list[NavQuery], count: int) -> npt.NDArray[Any]:
    """Ends that stand in every navmesh, in tiles of other cells."""
    random, rows, side = np.random.default_rng(3), [], grid.size * float(grid.cell_size)
    while sum(map(len, rows)) < count:
        ends = random.uniform(0, 64, (4 * count, 2, 2))
        points = np.zeros((4 * count, 2, 3))
        points[..., 0], points[..., 2] = ends[..., 0], ends[..., 1]
        places = np.floor((ends - grid.bounds_min[[0, 2]]) / side).astype(int)
        places = np.clip(places, 0, [grid.columns - 1, grid.rows - 1])
        scale = np.ones((grid.columns, grid.rows))
        for some in grid.scaled:
            for key in some.tiles:
                scale[key.place] = some.scale
        of_ends = scale[places[..., 0], places[..., 1]]
        points = points[of_ends[:, 0] != of_ends[:, 1]]
        for end in (0, 1):
            for query in queries:
                points = points[walkable(query, points[:, end])]
        rows.append(points.reshape(-1, 6))
    return np.concatenate(rows)[:count]


def test_polygons_of_tiles_of_other_cells_are_linked_along_the_whole_seam() -> None:
    """On a plain all of the seam is open: the linked parts of each polygon's edge are as long as the edge."""
    mesh = scenes.flat(60)
    mixed = build_navmesh(*mesh, TILED, volumes=[around(15, 15, 25, 25, 0.5), around(40, 15, 45, 45, 2)])
    assert {grid_of(mixed).scale_of(tile.key) for tile in mixed.tiles} == {0.5, 1, 2}
    told = measure_ground(mixed)
    assert told["islands"] == 1 and told["unlinked"] == 0
    uniform = measure_ground(build_navmesh(*mesh, TILED))
    assert told["square_metres"] == pytest.approx(uniform["square_metres"], rel=0.02)


# --- which tiles


GRID = TileGrid(4, 4, 10, 3, np.float32([0, 0, 0]), np.float32([40, 5, 40]), np.float32(1), np.float32(1))


def under(volume: GivenVolume) -> set[tuple[int, int]]:
    return {key.place for key in tiles_under(GRID, volume)}


def test_what_a_volume_touches() -> None:
    assert under(around(10, 10, 20, 20, 0.5)) == {(1, 1)}, "sides that only meet do not touch"
    assert under(around(9.9, 10, 20, 20.1, 0.5)) == {(0, 1), (1, 1), (0, 2), (1, 2)}
    assert under(around(12, 12, 12, 12, 0.5)) == {(1, 1)}
    assert under(around(-5, -5, -1, 50, 0.5)) == set()
    at = {"resolution": 0.5, "min_height": 0.0, "max_height": 1.0}
    triangle = ConvexVolume(points=((1, 1), (38, 1), (1, 38)), **at)
    assert under(triangle) == {(x, y) for x in range(4) for y in range(4) if x + y <= 3}
    hollow = ConvexVolume(points=((1, 1), (39, 1), (39, 39), (1, 39), (1, 31), (31, 31), (31, 9), (1, 9)), **at)
    assert under(hollow) == {(x, y) for x in range(4) for y in range(4) if y in (0, 3) or x == 3}
    assert under(CylinderVolume(base=(20, 0, 20), radius=1, height=1, resolution=2)) == {(1, 1), (2, 1), (1, 2), (2, 2)}
    ring = CylinderVolume(base=(15, 0, 15), radius=6, height=1, resolution=2)
    assert under(ring) == {(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)}, "its corners are round"


def test_the_finest_counts_where_volumes_overlap_whatever_their_order() -> None:
    mesh = scenes.flat(40)
    volumes = [around(1, 1, 30, 30, 2), around(1, 1, 5, 5, 0.25), around(1, 1, 15, 5, 0.5)]
    one, other = (build_navmesh(*mesh, TILED, volumes=some) for some in (volumes, volumes[::-1]))
    assert same(one, other)
    assert [grid_of(one).scale_of(TileKey(x, 0)) for x in range(4)] == [0.25, 0.5, 2, 2]


def test_a_volume_beside_the_level_is_told() -> None:
    far = [around(1, 1, 2, 2, 0.5), around(500, 500, 510, 510, 0.5)]
    navmesh = build_navmesh(*scenes.flat(40), TILED, volumes=far)
    told = [(w.code, w.message[:33]) for w in navmesh.report.warnings]
    assert told == [("VOLUME_UNUSED", "Volume 2 changes no cells: it tou")]


# --- together with all else


def test_an_area_and_a_resolution_in_one_volume_are_both() -> None:
    mesh = scenes.flat(40)
    both = BoxVolume(area=3, min=(4, -1, 4), max=(9, 1, 9), resolution=0.5)
    apart = [replace(both, resolution=None), replace(both, area=None)]
    assert same(build_navmesh(*mesh, TILED, volumes=[both]), build_navmesh(*mesh, TILED, volumes=apart))


def test_doors_sizes_and_edits_are_those_of_a_uniform_build() -> None:
    mesh, sizes = scenes.city(2, 8), [("rat", 0.2, 0.6), ("ogre", 0.9, 2.5)]
    door = BoxVolume(door="gate", min=(3, -1, 3), max=(6, 2, 6))
    block = {"outline": [(4, 9), (7, 9), (7, 12), (4, 12)], "min_height": -1, "max_height": 2}
    given: dict[str, Any] = {"sizes": sizes, "edits": NavmeshEdits(block=[block])}
    mixed = build_navmesh(*mesh, TILED, volumes=[door, around(1, 1, 8, 8, 0.5)], **given)
    alike = build_navmesh(*mesh, settings_at_resolution(TILED, 0.5), volumes=[door], **given)
    assert grid_of(mixed).scale_of(TileKey(0, 0)) == 0.5
    assert bundles_of(mixed)[TileKey(0, 0)] == bundles_of(alike)[TileKey(0, 0)]
    assert mixed.doors and mixed.sizes == alike.sizes


def test_edits_report_cells_of_the_level() -> None:
    block = {"outline": [(2, 2), (8, 2), (8, 8), (2, 8)], "min_height": -1, "max_height": 2}
    cells = [
        build_navmesh(*scenes.flat(30), TILED, volumes=volumes, edits=NavmeshEdits(block=[block])).report.edits[0][
            "cells"
        ]
        for volumes in ([], [around(1, 1, 2, 2, 0.25)], [around(1, 1, 2, 2, 2)])
    ]
    assert cells[1] == pytest.approx(cells[0], rel=0.05) and cells[2] == pytest.approx(cells[0], rel=0.15)


def test_links_are_found_from_and_to_finer_and_coarser_tiles() -> None:
    """Two plateaus with a gap, in tiles of every resolution."""
    mesh = scenes.join([scenes.box(0, -1, 0, 40, 1, 9), scenes.box(0, -1, 10.5, 40, 1, 9.5)])
    settings = replace(TILED, generate_links=True, link_jump_distance=2.5)
    plain = build_navmesh(*mesh, settings)
    mixed = build_navmesh(*mesh, settings, volumes=[around(0, 0, 9, 20, 0.5), around(20, 0, 28, 20, 2)])
    assert plain.wide_links and mixed.wide_links
    for navmesh in (plain, mixed):
        starts = sorted({round(point.start[0]) // 10 for wide in navmesh.wide_links for point in wide.points})
        assert starts == [0, 1, 2, 3], "there are jumps along the whole gap"
        assert not any(any(ends) for ends in navmesh.failing_ends)


def test_stitched_and_merged_meshes_have_no_open_seams(tmp_path: Path) -> None:
    mesh = LEVELS["city"]
    mixed = build_navmesh(*mesh, TILED, volumes=some_of(mesh, 4))
    stitched = stitch_tiles(mixed)
    assert edge_violations(stitched) == 0
    smallest = min(float(tile.polygon_mesh.grid.cell_size) for tile in mixed.tiles)
    merged = mixed.polygon_mesh
    assert float(merged.grid.cell_size) == smallest
    assert len(merged.polygons) == sum(len(tile.polygon_mesh.polygons) for tile in mixed.tiles)
    write_navmesh(mixed, tmp_path / "mixed.json")
    told = json.loads((tmp_path / "mixed.json").read_text())
    assert len(told["polygon_mesh"]["polygons"]) == len(merged.polygons)


@pytest.mark.parametrize("scale", [0.5, 0.25, 2.0])
def test_files_that_are_one_mesh_are_read_with_the_cells_that_their_corners_lie_on(
    tmp_path: Path, scale: float
) -> None:
    """Also where the first tile has the level's own."""
    mesh = scenes.city(2, 14)
    navmesh = build_navmesh(*mesh, TILED, volumes=[around(12, 12, 18, 18, scale)])
    assert {float(tile.polygon_mesh.grid.cell_size) for tile in navmesh.tiles} > {float(np.float32(0.3))}
    assert float(navmesh.tiles[0].polygon_mesh.grid.cell_size) == float(np.float32(0.3))
    finest = pytest.approx(TILED.cell_size * min(scale, 1), rel=1e-5)
    for ending in (".json", ".glb", ".tscn"):
        write_navmesh(navmesh, tmp_path / f"n{ending}")
        assert file_facts(tmp_path / f"n{ending}")["cell_size"] == finest, ending
    plain = plain_of_file(read_navmesh(mset_bytes(navmesh)))
    assert plain.lattice == finest and plain.settings is not None
    assert plain.settings.cell_size == pytest.approx(TILED.cell_size, rel=1e-5)


def test_flat_ground_is_one_piece_once_it_is_stitched() -> None:
    """Around a plain there is one border, of four straight sides: no edge along a seam lacks its other half."""
    mixed = build_navmesh(*scenes.flat(40), TILED, volumes=[around(1, 1, 15, 15, 0.5), around(25, 25, 30, 30, 0.25)])
    mesh = stitch_tiles(mixed)
    ends = np.stack([mesh.vertices[mesh.corners], mesh.vertices[mesh.corners[next_of(mesh.first)]]], axis=1)
    border = ends[mesh.neighbors < 0]
    low, high = mesh.vertices.min(axis=0), mesh.vertices.max(axis=0)
    along = np.abs(border[:, 0] - border[:, 1])
    inside = (along[:, [0, 2]].min(axis=1) < 0.01) & np.all(np.abs(border.mean(1)[:, [0, 2]] - 20) < 15, axis=1)
    assert not inside.any() and low[0] < 1 and high[0] > 39


def next_of(first: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    following = np.arange(1, int(first[-1]) + 1, dtype=np.int32)
    following[first[1:] - 1] = first[:-1]
    return following


# --- the same however it is built


def test_threads_and_processes_make_the_same() -> None:
    mesh = LEVELS["city"]
    volumes = [*some_of(mesh), WATER]
    one = build_navmesh(*mesh, TILED, volumes=volumes, threads=1)
    with Remembering(2) as pool:
        others = [build_navmesh(*mesh, TILED, volumes=volumes, threads=2)]
        others.append(build_navmesh(*mesh, TILED, volumes=volumes, executor=pool))
    assert all(same(one, other) for other in others)


def test_a_store_tells_cells_apart_and_knows_tiles_of_uniform_builds(tmp_path: Path) -> None:
    mesh, fine = LEVELS["city"], around(1, 1, 12, 12, 0.5)
    plain = build_navmesh(*mesh, TILED, store=tmp_path)
    first = build_navmesh(*mesh, TILED, store=tmp_path, volumes=[fine])
    count = len([tile for tile in first.tiles if grid_of(first).scale_of(tile.key) != 1])
    assert first.report.store == {"reused": len(plain.tiles) - count, "built": count}
    again = build_navmesh(*mesh, TILED, store=tmp_path, volumes=[fine])
    assert again.report.store == {"reused": len(plain.tiles), "built": 0} and same(first, again)
    assert same(first, build_navmesh(*mesh, TILED, volumes=[fine]))
    grid = grid_of(first)
    box = (*grid.bounds_min.tolist(), *grid.bounds_max.tolist())
    uniform = build_navmesh(*mesh, settings_at_resolution(TILED, 0.5), store=tmp_path, bounds=box)
    assert uniform.report.store is not None and uniform.report.store["reused"] == count


def test_levels_follow_volumes_that_come_move_and_go() -> None:
    mesh = LEVELS["city"]
    level = Level(TILED)
    level.set_part("city", *mesh)
    level.set_part("more", *scenes.box(20, 0, 20, 2, 2, 2))
    whole = scenes.join([mesh, scenes.box(20, 0, 20, 2, 2, 2)])
    level.update()
    steps = [[around(1, 1, 5, 5, 0.5)], [around(11, 1, 15, 5, 0.5)], [around(11, 1, 15, 5, 2)],
             [around(11, 1, 15, 5, 2), WATER], [WATER], [WATER, *some_of(mesh)], []]  # fmt: skip
    for volumes in steps:
        level.volumes = tuple(volumes)
        assert same(level.update(), build_navmesh(*whole, TILED, volumes=volumes))
        assert len(level.rebuilt) < 16 or len(volumes) > 2
    level.volumes = (around(11, 1, 25, 25, 0.25),)
    level.update()
    level.set_part("more", *scenes.box(22, 0, 20, 2, 2, 2))
    now = level.update()
    assert same(now, build_navmesh(*mesh_with(mesh, 22), TILED, volumes=level.volumes))


def mesh_with(mesh: Any, x: float) -> Any:
    return scenes.join([mesh, scenes.box(x, 0, 20, 2, 2, 2)])


def test_rebuilt_tiles_are_those_of_a_full_build() -> None:
    mesh, volumes = LEVELS["city"], [around(1, 1, 5, 5, 0.5)]
    before = build_navmesh(*mesh, TILED, volumes=volumes)
    now = [around(11, 11, 15, 15, 0.25)]
    grid = grid_of(before)
    box = (*grid.bounds_min.tolist(), *grid.bounds_max.tolist())
    changed = [[1, 0, 1, 5, 0, 5], [11, 0, 11, 15, 0, 15]]
    after = rebuild_tiles(before, changed, *mesh, volumes=now)
    assert same(after, build_navmesh(*mesh, TILED, volumes=now, bounds=box))
    none = rebuild_tiles(after, [0, 0, 0, 0, 0, 0], *mesh, volumes=[])
    assert same(none, build_navmesh(*mesh, TILED, bounds=box)), "tiles whose cells change are built wherever they lie"


def test_why_answers_by_the_cells_of_the_tile() -> None:
    """A gap that is closed with the level's cells is open with finer ones."""
    walls = scenes.join([scenes.flat(40), scenes.box(4, 0, 0, 6, 2, 8), scenes.box(10.95, 0, 0, 6, 2, 8)])
    settings = replace(TILED, agent_radius=0.3, cell_size=0.4, tile_size=24)
    at = (10.475, 0, 4)
    closed, opened = (
        WhyHere(*walls, settings, volumes=volumes).ask(at) for volumes in ([], [around(8, 1, 12, 6, 0.25)])
    )
    assert not closed.walkable and opened.walkable
    near = WhyHere(*walls, settings, volumes=[around(8, 1, 12, 6, 0.25)]).ask((10.15, 0, 4))
    assert near.code == "TOO_CLOSE" and near.limit == pytest.approx(0.3)


def test_reasons_are_those_of_a_build_with_such_cells_everywhere() -> None:
    mesh = LEVELS["city"]
    volumes = [around(1, 1, 14, 14, 0.5)]
    mixed, alike = WhyHere(*mesh, TILED, volumes=volumes), WhyHere(*mesh, settings_at_resolution(TILED, 0.5))
    random = np.random.default_rng(1)
    for x, z in random.uniform(1, 15, (60, 2)):
        one, other = (level.ask((x, 0.3, z)) for level in (mixed, alike))
        assert (one.code, one.value, one.limit) == (other.code, other.value, other.limit)
        if other.setting == "edge_max_error" and other.suggested is not None:
            assert one.suggested == other.suggested / 2


def test_views_draw_each_tile_in_its_own_cells() -> None:
    mesh = LEVELS["city"]
    navmesh = build_navmesh(*mesh, TILED, volumes=some_of(mesh), keep_stages=True)
    for view in ("COMPACT", "VOXELS", "REASONS", "DISTANCE", "DETAIL", "TREE"):
        picture = stage_picture(navmesh, view, level=mesh)
        assert len(picture.corners) or len(picture.lines), view


def test_the_report_has_what_each_resolution_took() -> None:
    mesh = LEVELS["city"]
    report = build_navmesh(*mesh, TILED, volumes=[around(1, 1, 14, 14, 0.25)]).report
    rows = report.to_mapping()["resolutions"]
    assert [(row["scale"], row["tiles"]) for row in rows] == [(0.25, 4), (1.0, 12)]
    assert rows[0]["tile_mb"] > 4 * rows[1]["tile_mb"] and rows[0]["seconds"] > 0
    assert sum(row["polygons"] for row in rows) == report.counts["polygons"]
    assert build_navmesh(*mesh, TILED).report.to_mapping()["resolutions"] == []


# --- what is refused


@pytest.mark.parametrize(
    ("settings", "scale", "said"),
    [
        (replace(TILED, tile_size=33), 2, "tile_size that can be halved, and it is 33. Set it to 34"),
        (replace(TILED, tile_size=24), 2, "at least 32, and it is 24"),
        (replace(TILED, tile_size=0), 0.5, "tile_size is 0"),
        (replace(TILED, tile_size=2000), 0.25, "tile_size would be 8000 cells there (at most 4096)"),
        (replace(TILED, edge_max_error=60), 0.5, "edge_max_error would be 120 cells"),
        (replace(TILED, region_merge_size=600), 0.25, "region_merge_size would be 2400 cells"),
    ],
)
def test_settings_without_room_are_named(settings: Settings, scale: float, said: str) -> None:
    level = Level(settings, volumes=[around(1, 1, 2, 2, scale)])
    level.set_part("flat", *scenes.flat(40))
    for build in (
        lambda: build_navmesh(*scenes.flat(40), settings, volumes=[around(1, 1, 2, 2, scale)]),
        lambda: settings_at_resolution(settings, scale),
        lambda: WhyHere(*scenes.flat(40), settings, volumes=[around(1, 1, 2, 2, scale)]),
        level.update,
    ):
        with pytest.raises(BadSettings) as caught:
            build()
        assert said in str(caught.value) and caught.value.code == "BAD_RESOLUTION"


def test_tile_caches_refuse_it() -> None:
    with pytest.raises(BadSettings, match="Volume 1 asks for a resolution") as caught:
        TileCache(*scenes.flat(40), TILED, volumes=[around(1, 1, 2, 2, 0.5)])
    assert caught.value.code == "RESOLUTION_REFUSED"


def test_the_command_takes_it_from_scenes_and_flags(tmp_path: Path, capsys: Any) -> None:
    mesh = scenes.flat(40)
    np.savez(tmp_path / "flat.npz", verts=mesh[0], tris=mesh[1])
    volume = {"shape": "box", "min": [1, 0, 1], "max": [5, 0, 5], "resolution": 0.5}
    (tmp_path / "scene.json").write_text(json.dumps({"volumes": [volume]}))
    (tmp_path / "settings.json").write_text(json.dumps(TILED.to_mapping()))
    words = ["build", str(tmp_path / "flat.npz"), "--settings", str(tmp_path / "settings.json"), "--quiet"]
    assert main([*words, "--scene", str(tmp_path / "scene.json"), "-o", str(tmp_path / "a.bin")]) == 0
    assert main([*words, "--resolution", "0.5,1,1,5,5", "-o", str(tmp_path / "b.bin")]) == 0
    wanted = mset_bytes(build_navmesh(*mesh, TILED, volumes=[around(1, 1, 5, 5, 0.5)]))
    assert (tmp_path / "a.bin").read_bytes() == (tmp_path / "b.bin").read_bytes() == wanted
    capsys.readouterr()
    assert main(["info", str(tmp_path / "a.bin")]) == 0
    tiles = file_facts(tmp_path / "a.bin")["tiles"]
    assert f"cell size   0.3 m in {tiles - 1} tiles, 0.15 m in 1 tile\n" in capsys.readouterr().out
    assert main([*words, "--tile-size", "33", "--resolution", "2,1,1,5,5", "-o", str(tmp_path / "c.bin")]) == 1
    assert "BAD_RESOLUTION" in capsys.readouterr().err and not (tmp_path / "c.bin").exists()
    assert main([*words, "--resolution", "3,1,1,5,5", "-o", str(tmp_path / "d.bin")]) == 2
    assert "0.25 or 0.5 or 2" in capsys.readouterr().err


def test_a_level_source_carries_it() -> None:
    mesh = scenes.flat(40)
    volumes = [around(1, 1, 5, 5, 0.5)]
    one = build_navmesh(LevelSource(*mesh, volumes=volumes), settings=TILED)
    assert same(one, build_navmesh(*mesh, TILED, volumes=[volume.to_mapping() for volume in volumes]))
