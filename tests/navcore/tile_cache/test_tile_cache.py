"""Tile caches: obstacles come and go and leave nothing behind, files, limits, refusals, queries on what is made."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    BadSettings,
    BoxVolume,
    LevelSource,
    Link,
    NavmeshError,
    NavQuery,
    Settings,
    TileCache,
    TooLarge,
    build_navmesh,
    find_islands,
    read_navmesh,
    write_navmesh,
)  # fmt: skip
from navcore.detour.file_checks import BadFile
from navcore.tile_cache.cache_sets import CACHE_HEADER, LAYER_HEADER, CacheSet, read_set, set_bytes
from navcore.tile_cache.fastlz import compress
from navcore.tile_cache.obstacle_queue import ObstacleRefused
from navcore.types import U8
from tests import scenes
from tests.navcore.tile_cache.cache_levels import (
    PLAIN,
    SETTINGS,
    before_linking,
    links_of,
    live_bytes_of,
    tiles_of,
    with_deck,
)  # fmt: skip

SEQUENCES = int(os.environ.get("NAVMESH_OBSTACLE_SEQUENCES", "25"))
LINKS = [Link(start=(2, 0, 2), end=(20, 0, 21), radius=0.8), Link(start=(12, 3, 12), end=(12, 0, 3), radius=1)]
VOLUMES = [BoxVolume(area=2, min=(3, -1, 14), max=(9, 1, 20))]


def deck(**given: Any) -> TileCache:
    return TileCache(*with_deck(), SETTINGS, links=LINKS, volumes=VOLUMES, threads=1, **given)


def put(cache: TileCache, random: np.random.Generator) -> int:
    """Any obstacle anywhere, often across borders."""
    at = (float(random.uniform(0, 24)), float(random.choice([-0.2, 0.1, 2.8])), float(random.uniform(0, 24)))
    kind, size = random.integers(3), random.uniform(0.2, 2.5, 3)
    if kind == 0:
        return cache.add_cylinder(at, float(size[0]), float(size[1]))
    if kind == 1:
        return cache.add_box(at, (at[0] + float(size[0]), at[1] + float(size[1]), at[2] + float(size[2])))
    return cache.add_oriented_box(at, (float(size[0]), float(size[1]), float(size[2])), float(random.uniform(-4, 4)))


@pytest.mark.parametrize("exact", [False, True])
def test_when_all_obstacles_are_gone_nothing_of_them_is_left(exact: bool) -> None:
    """NAVMESH_OBSTACLE_SEQUENCES=10000 is the long run."""
    cache = deck(exact=exact)
    tiles, links = tiles_of(cache), links_of(cache)
    for seed in range(SEQUENCES):
        random = np.random.default_rng(seed)
        standing: list[int] = []
        for _ in range(int(random.integers(2, 9))):
            if standing and random.random() < 0.4:
                cache.remove(standing.pop(int(random.integers(len(standing)))))
            else:
                standing.append(put(cache, random))
            if random.random() < 0.5:
                cache.step()
            if random.random() < 0.5:
                cache.update()
        cache.update()
        for obstacle in standing:
            cache.remove(obstacle)
        cache.update()
        if exact:  # what touches nothing is gone with the next tile that is built for anyone
            cache.remove(cache.add_cylinder((12, 0, 12), 1, 1))
            cache.update()
        assert cache.obstacles == []
        assert tiles_of(cache) == tiles, seed
        assert links_of(cache) == links, seed


def test_there_is_no_seam_after_an_obstacle_across_borders() -> None:
    cache = deck()
    x, z = np.meshgrid(np.arange(0.35, 23.7, 0.25), np.arange(0.35, 23.7, 0.25))
    points = np.stack([x.ravel(), np.zeros(x.size), z.ravel()], axis=1).astype(np.float32)

    def walkable() -> Any:
        return NavQuery(cache.navmesh).nearest(points, extents=(0.01, 0.6, 0.01)).over != 0

    before = walkable()
    door = cache.add_oriented_box((7.2, 0.2, 7.2), (2.5, 1, 0.5), 0.8)  # where four tiles meet
    cache.update()
    between = walkable()
    assert between.sum() < before.sum()
    cache.remove(door)
    cache.update()
    assert np.array_equal(walkable(), before)


def test_an_obstacle_grows_by_the_agents_radius_unless_exact() -> None:
    blocked = {}
    for exact in (False, True):
        cache = TileCache(*PLAIN, replace(SETTINGS, edge_max_error=0.0), exact=exact, threads=1)
        cache.add_cylinder((12, -0.1, 12), 2, 1)
        cache.update()
        query = NavQuery(cache.navmesh)
        blocked[exact] = [
            d for d in np.arange(0.1, 5, 0.1)
            if query.nearest([12 + d, 0, 12], extents=(0.01, 1, 0.01)).over[0] == 0
        ]  # fmt: skip
    assert max(blocked[True]) == pytest.approx(2.1, abs=0.3)
    assert max(blocked[False]) == pytest.approx(2.7, abs=0.3)


def test_a_wall_across_the_plain_parts_it_and_a_door_in_it_joins() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    cache.add_box((11, -1, 0), (11.5, 2, 11))
    cache.add_box((11, -1, 13), (11.5, 2, 24))
    door = cache.add_box((11, -1, 10), (11.5, 2, 14))
    for is_closed in (True, False, True):
        if not is_closed:
            cache.remove(door)
        elif not cache.obstacles or len(cache.obstacles) < 3:
            door = cache.add_box((11, -1, 10), (11.5, 2, 14))
        cache.update()
        paths = NavQuery(cache.navmesh).find_paths([4, 0, 12], [20, 0, 12])
        islands = len(find_islands(cache.navmesh).square_metres)
        assert (paths.status[0].item() == 0, islands) == (not is_closed, 2 if is_closed else 1)


def test_what_stands_off_the_level_is_told_once() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    for at in ((5, 3, 5), (500, 0, 5), (5, -9, 5)):
        cache.add_cylinder(at, 1, 1)
        cache.update()
    cache.update()
    assert [(warning.code, warning.place) for warning in cache.warnings] == [
        ("OBSTACLE_OFF_LEVEL", (5, 3, 5)), ("OBSTACLE_OFF_LEVEL", (500, 0, 5)), ("OBSTACLE_OFF_LEVEL", (5, -9, 5)),
    ]  # fmt: skip
    cache.add_cylinder((5, 0, 5), 1, 1)
    cache.update()
    assert len(cache.warnings) == 3


ODD: dict[str, Any] = {
    "volumes": [
        {"shape": "box", "area": 2, "min": [5, 6, 1], "max": [7, 8, 3]},
        {"shape": "box", "door": "lost", "min": [5, 6, 5], "max": [7, 8, 8]},
    ],
    "links": [
        {"start": [1, 9, 1], "end": [90, 0, 3], "name": "bad"},
        {"start": [3, 0, 3], "end": [9, 0, 9], "flags": 0},
    ],
}


def test_what_is_odd_about_a_level_is_told_as_a_build_tells_it() -> None:
    """A cache alone said nothing: a door that no agent comes by, links that lead nowhere, seeds in the air."""
    source = LevelSource(*PLAIN, **ODD, seeds=[(99, 0, 3)])
    cache, built = TileCache(source, None, SETTINGS, threads=1), build_navmesh(source, settings=SETTINGS)
    codes = ["NO_FLAGS", "VOLUME_UNUSED", "VOLUME_UNUSED", "LINK_UNATTACHED", "SEED_OFF_NAVMESH"]
    assert [warning.code for warning in cache.warnings] == codes
    assert cache.warnings == built.report.warnings == cache.navmesh.report.warnings
    with pytest.raises(BadInput, match="seed 1: point must be"):
        TileCache(LevelSource(*PLAIN, seeds=[(1, 2)]), None, SETTINGS)


def test_links_are_found_on_all_that_was_given_as_a_generator() -> None:
    level = scenes.join([scenes.box(0, -1, 0, 9, 1, 24), scenes.box(10, -1, 0, 9, 1, 24)])
    over_the_gap = [BoxVolume(area=0, min=(8, -1, 0), max=(12, 1, 24))]
    settings = replace(SETTINGS, generate_links=True, link_jump_distance=2.0)
    assert TileCache(*level, settings, threads=1).navmesh.links
    for volumes in (over_the_gap, iter(over_the_gap)):
        assert not TileCache(*level, settings, volumes=volumes, threads=1).navmesh.links


def test_a_navmesh_that_was_handed_out_stays_as_it_is() -> None:
    cache = deck()
    first = cache.navmesh
    assert cache.navmesh is first
    assert first.live is not None
    kept = [tile.data.tobytes() for tile in first.live.tiles]
    cache.add_cylinder((6, 0, 6), 1, 1)
    cache.update()
    second = cache.navmesh
    assert second is not first and second.live is not None
    assert [tile.data.tobytes() for tile in first.live.tiles] == kept
    # What did not change is the same: whoever follows looks at the rest alone.
    same = {id(tile.data) for tile in first.live.tiles} & {id(tile.data) for tile in second.live.tiles}
    assert 0 < len(same) < len(first.live.tiles)


def test_a_slot_is_used_again_with_a_higher_salt() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    before = {tile.key: tile.reference for tile in cache.navmesh.live.tiles}  # type: ignore[union-attr]
    cache.add_cylinder((3, 0, 3), 1, 1)
    cache.update()
    after = {tile.key: tile.reference for tile in cache.navmesh.live.tiles}  # type: ignore[union-attr]
    changed = [key for key in before if before[key] != after[key]]
    assert len(changed) == 1
    _, _, _, most_tiles, most_polygons = cache.navmesh.live.parameters  # type: ignore[union-attr]
    assert after[changed[0]] - before[changed[0]] == most_tiles * most_polygons


# --- limits


def test_with_exact_what_upstream_refuses_raises_with_its_status() -> None:
    cache = TileCache(*PLAIN, SETTINGS, exact=True, threads=1)
    references = [cache.add_cylinder((5, 0, 5), 0.3, 1) for _ in range(64)]
    assert references[0] == 65536 and references[1] == 65537
    with pytest.raises(ObstacleRefused) as refused:
        cache.add_cylinder((5, 0, 5), 0.3, 1)
    assert refused.value.status == 0x80000010 and refused.value.code == "TILE_CACHE_FULL"
    with pytest.raises(ObstacleRefused):
        cache.remove(references[0])
    cache.remove(0)  # succeeds always
    cache.update()
    for _ in range(64):
        cache.add_cylinder((5, 0, 5), 0.3, 1)
    cache.update()
    with pytest.raises(ObstacleRefused) as refused:
        cache.add_cylinder((5, 0, 5), 0.3, 1)
    assert refused.value.status == 0x80000004
    cache.remove(references[3])
    cache.update()
    assert cache.add_cylinder((5, 0, 5), 0.3, 1) == 2 << 16 | 3
    cache.remove(references[3])  # stale: nothing happens
    cache.update()
    assert len(cache.obstacles) == 128


def test_without_exact_nothing_is_lost() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    references = {cache.add_cylinder((x, 0, z), 0.05, 1) for x in np.arange(1, 23, 1.5) for z in np.arange(1, 23, 1.5)}
    assert len(references) == 225 and len(cache.obstacles) == 225
    cache.update()
    wide = cache.add_cylinder((12, 0, 12), 30, 1)  # touches all sixteen tiles
    cache.update()
    assert cache.navmesh.tiles == ()
    cache.remove(wide)
    cache.update()
    assert len(cache.navmesh.tiles) == 16


def test_a_tower_has_all_its_layers_without_exact_and_those_of_upstream_with() -> None:
    tower = scenes.tower(40, size=6.0, height=3.0)
    settings = Settings(tile_size=16, cell_height=0.1)
    roomy, exact = TileCache(*tower, settings, threads=1), TileCache(*tower, settings, exact=True, threads=1)
    counts = [len(read_set(cache.files()[0]).layers) for cache in (roomy, exact)]
    assert counts[0] > counts[1] and "LAYERS_LOST" in {warning.code for warning in exact.warnings}
    more = TileCache(*tower, settings, exact=True, layers_per_cell=40, threads=1)
    assert counts[1] < len(read_set(more.files()[0]).layers) <= counts[0]
    assert more.layers_per_cell == 40


def test_where_nothing_is_lost_the_file_is_that_of_exact() -> None:
    assert deck().files() == deck(exact=True).files()
    assert live_bytes_of(deck()) == live_bytes_of(deck(exact=True))


@pytest.mark.parametrize("size", [0, 256, 300])
def test_other_tile_sizes_are_refused(size: int) -> None:
    with pytest.raises(BadSettings, match=rf"{size}.*255") as refused:
        TileCache(*PLAIN, Settings(tile_size=size))
    assert refused.value.code == "TILE_CACHE_TILE_SIZE"


def test_the_largest_tile_size_works() -> None:
    cache = TileCache(*PLAIN, Settings(tile_size=255), threads=1)
    assert len(cache.navmesh.tiles) == 1
    cache.add_cylinder((12, 0, 12), 2, 1)
    cache.update()
    assert find_islands(cache.navmesh).square_metres[0] < 24 * 24


def test_ground_that_rises_too_far_within_a_tile_is_refused_with_numbers() -> None:
    ramp = np.float32([[0, 0, 0], [0, 0, 24], [24, 20, 24], [24, 20, 0]]), PLAIN[1]
    with pytest.raises(TooLarge, match=r"255 heights of 0\.03 m") as refused:
        TileCache(*ramp, Settings(tile_size=64, cell_height=0.03), threads=1)
    assert refused.value.code == "LAYER_TOO_TALL"


def test_a_level_without_walkable_ground_is_refused_with_the_reason_of_a_build() -> None:
    """With exact it is the empty cache that Recast's sample makes."""
    vertices, triangles = PLAIN
    with pytest.raises(NavmeshError, match="look down, so that nobody can walk there") as refused:
        TileCache(vertices, triangles[:, ::-1], SETTINGS, threads=1)
    assert refused.value.code == "NOTHING_WALKABLE"
    assert len(TileCache(vertices, triangles[:, ::-1], SETTINGS, exact=True, threads=1).navmesh.tiles) == 0


def test_a_tile_that_needs_much_is_warned_of() -> None:
    cache = TileCache(*PLAIN, Settings(tile_size=96), threads=1)
    [warning] = cache.warnings
    assert warning.code == "TILE_CACHE_ROOM" and "32,000" in warning.message


@pytest.mark.parametrize(
    "add",
    [
        lambda c: c.add_cylinder((1, 2), 1, 1), lambda c: c.add_cylinder((1, np.nan, 2), 1, 1),
        lambda c: c.add_cylinder((1, 2, 3), -1, 1), lambda c: c.add_cylinder("abc", 1, 1),
        lambda c: c.add_box((1, 1, 1), (0, 2, 2)), lambda c: c.add_oriented_box((1, 1, 1), (1, 1, 1), np.inf),
        lambda c: c.add_oriented_box((1, 1, 1), (1, -1, 1), 0), lambda c: c.add_cylinder((1e12, 0, 0), 1, 1),
    ],
)  # fmt: skip
def test_wrong_obstacles_are_refused_by_name(add: Any) -> None:
    with pytest.raises(BadInput) as refused:
        add(TileCache(*PLAIN, SETTINGS, threads=1))
    assert refused.value.code == "BAD_OBSTACLE"


def test_far_and_huge_obstacles_are_taken() -> None:
    cache = TileCache(*PLAIN, SETTINGS, threads=1)
    cache.add_box((-1e9, -1e9, -1e9), (1e9, 1e9, 1e9))
    cache.update()
    assert cache.navmesh.tiles == ()


# --- files


def test_a_cache_comes_back_from_its_files(tmp_path: Path) -> None:
    cache, path = deck(), tmp_path / "level.tilecache.bin"
    cache.add_cylinder((6, 0, 6), 1, 2)
    cache.add_oriented_box((18, 0, 18), (2, 1, 1), 0.4)
    cache.update()
    cache.write(path)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["level.tilecache.bin", "level.tilecache.json"]
    again = TileCache.read(path)
    assert again.files() == cache.files() and again.obstacles == cache.obstacles
    assert tiles_of(again) == tiles_of(cache) and links_of(again) == links_of(cache)
    assert TileCache.read(path, exact=True).obstacles == []
    assert len(TileCache.read(path, links=()).navmesh.links) == 0 and len(again.navmesh.links) == 2
    (tmp_path / "level.tilecache.json").unlink()
    assert TileCache.read(path).navmesh.links == ()


def test_its_navmesh_is_written_in_every_format_and_asked(tmp_path: Path) -> None:
    cache = deck()
    write_navmesh(cache.navmesh, tmp_path / "a.bin")
    assert (tmp_path / "a.bin").read_bytes() == live_bytes_of(cache)
    file = read_navmesh(tmp_path / "a.bin")
    answers = [NavQuery(navmesh).find_paths([2, 0, 2], [12, 3, 12]) for navmesh in (file, cache.navmesh)]
    assert answers[0].status[0] == answers[1].status[0] == 0
    assert answers[0].length[0] == answers[1].length[0]
    for ending in (".glb", ".json", ".obj"):
        write_navmesh(cache.navmesh, tmp_path / f"a{ending}")
    plain = TileCache(*PLAIN, SETTINGS, threads=1)
    plain.add_cylinder((6, 0, 6), 1, 1)
    plain.update()
    for ending in (".tres", ".tscn", ".pathfinding.glb"):
        write_navmesh(plain.navmesh, tmp_path / f"b{ending}")
    with pytest.raises(BadInput, match="built from the level"):
        write_navmesh(cache.navmesh, tmp_path / "a.tilecache.bin")
    with pytest.raises(BadFile, match=r"TileCache\.read"):
        read_navmesh(deck().files()[0])


def _damaged(at: int, value: bytes) -> bytes:
    content = deck().files()[0]
    return content[:at] + value + content[at + len(value) :]


def _field(name: str, header: np.dtype[Any] = CACHE_HEADER, begin: int = 0) -> int:
    assert header.fields is not None
    return begin + int(header.fields[name][1])


FIRST = CACHE_HEADER.itemsize + 8
MINUS, BIG, NAN = b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", np.float32(np.nan).tobytes()


@pytest.mark.parametrize(
    ("at", "value", "code"),
    [
        (0, b"X", "NOT_A_TILE_CACHE"), (0, b"TSET", "BIG_ENDIAN"), (4, b"\2", "BAD_VERSION"),
        (8, BIG, "BAD_TILE_COUNT"), (8, b"\0", "TRAILING_BYTES"),
        (_field("mesh_origin"), NAN, "BAD_ORIGIN"), (_field("origin"), NAN, "BAD_ORIGIN"),
        (_field("tile_width"), MINUS, "BAD_TILE_SIZE"), (_field("most_tiles"), BIG, "BAD_MOST_TILES"),
        (_field("most_polygons"), BIG, "BAD_MOST_POLYGONS"), (_field("cell_size"), bytes(4), "BAD_QUANTIZATION"),
        (_field("cell_height"), NAN, "BAD_QUANTIZATION"), (_field("width"), b"\0\1\0\0", "BAD_LAYER_SIZE"),
        (_field("agent_height"), NAN, "BAD_AGENT"), (_field("max_edge_error"), MINUS, "BAD_AGENT"),
        (_field("most_layers"), MINUS, "BAD_MOST_TILES"), (CACHE_HEADER.itemsize, bytes(4), "BAD_REFERENCE"),
        (CACHE_HEADER.itemsize + 4, b"\1\0\0\0", "BAD_DATA_SIZE"), (CACHE_HEADER.itemsize + 4, BIG, "TRUNCATED"),
        (FIRST, b"X", "BAD_TILE_MAGIC"), (FIRST + 4, b"\7", "BAD_TILE_VERSION"),
        (_field("x", LAYER_HEADER, FIRST), BIG, "BAD_TILE_PLACE"),
        (_field("layer", LAYER_HEADER, FIRST), MINUS, "BAD_TILE_PLACE"),
        (_field("bounds_min", LAYER_HEADER, FIRST), NAN, "BAD_BOUNDS"),
        (_field("width", LAYER_HEADER, FIRST), b"\1", "BAD_LAYER_SIZE"),
        (_field("last_x", LAYER_HEADER, FIRST), b"\xff", "BAD_LAYER_INSIDE"),
        (_field("lowest", LAYER_HEADER, FIRST), b"\xff\xff", "BAD_LAYER_HEIGHTS"),
        (FIRST + LAYER_HEADER.itemsize, b"\xff\xff\xff\xff", "BAD_LAYER_CELLS"),
    ],
)  # fmt: skip
def test_a_damaged_cache_is_refused_by_its_rule(at: int, value: bytes, code: str) -> None:
    with pytest.raises(BadFile) as refused:
        TileCache.from_bytes(_damaged(at, value))
    assert refused.value.code == code


def _small_set(grids: U8, size: int) -> bytes:
    """One layer of a few cells."""
    mesh, cache, layers = read_set(deck().files()[0])
    layer = layers[0]._replace(inner=(0, 0, 0, 0), packed=compress(grids.ravel()))
    return set_bytes(CacheSet(mesh, cache._replace(size=size), (layer,)))


@pytest.mark.parametrize(("plane", "value", "code"), [(1, 64, "BAD_LAYER_AREA"), (2, 15, "BAD_LAYER_SIDES")])
def test_impossible_cells_are_refused(plane: int, value: int, code: str) -> None:
    size = 4
    grids = np.zeros((3, size * size), np.uint8)
    grids[plane, 0] = value
    with pytest.raises(BadFile) as refused:
        TileCache.from_bytes(_small_set(grids, size))
    assert refused.value.code == code


def test_a_cut_file_is_refused_everywhere() -> None:
    content = deck().files()[0]
    for end in [*range(FIRST + 80), *range(FIRST + 80, len(content), 37)]:
        with pytest.raises(BadFile):
            read_set(content[:end])


@pytest.mark.parametrize(
    "sidecar",
    [b"[]", b"{}", b'{"format": 2}', b"nonsense", b'{"format": 1, "links": [7]}', b'{"format": 1, "areas": []}',
     b'{"format": 1, "obstacles": [{"kind": "cone"}]}', b'{"format": 1, "obstacles": [{"kind": "cylinder"}]}'],
)  # fmt: skip
def test_a_broken_sidecar_is_refused_by_name(sidecar: bytes) -> None:
    with pytest.raises(NavmeshError) as refused:
        TileCache.from_bytes(deck().files()[0], sidecar)
    assert refused.value.code


def test_every_number_of_threads_makes_the_same_file() -> None:
    one, two = (TileCache(*with_deck(), SETTINGS, threads=threads) for threads in (1, 2))
    assert one.files() == two.files()


def test_links_of_either_kind_are_there_and_stay_after_obstacles() -> None:
    cache = deck()
    query = NavQuery(cache.navmesh)
    assert sorted(link.id for link in cache.navmesh.links) == [0, 0]
    kept = {tile.key: before_linking(tile) for tile in cache.navmesh.live.tiles}  # type: ignore[union-attr]
    assert query.find_paths([2, 0, 2], [20, 0, 21]).status[0] == 0
    place = cache.add_cylinder((20, -0.2, 21), 1.5, 1)
    cache.update()
    cache.remove(place)
    cache.update()
    assert {tile.key: before_linking(tile) for tile in cache.navmesh.live.tiles} == kept  # type: ignore[union-attr]


def test_a_folder_in_the_sidecar_s_place_is_told(tmp_path: Path) -> None:
    """It was read as one without a sidecar."""
    path = tmp_path / "deck.tilecache.bin"
    path.write_bytes(deck().files()[0])
    path.with_suffix(".json").mkdir()
    with pytest.raises(BadInput, match=r"Could not read .*deck\.tilecache\.json"):
        TileCache.read(path)


def test_obstacles_of_the_sidecar_that_do_not_stand_are_told() -> None:
    cache = deck()
    assert not TileCache.from_bytes(*cache.files(), exact=True).warnings
    cache.add_cylinder((20, -0.2, 21), 1.5, 1)
    cache.update()
    assert not TileCache.from_bytes(*cache.files()).warnings
    [warning] = TileCache.from_bytes(*cache.files(), exact=True).warnings
    assert warning.code == "OBSTACLES_LEFT_OUT" and warning.message.startswith(
        "The obstacle of the sidecar is left out"
    )
