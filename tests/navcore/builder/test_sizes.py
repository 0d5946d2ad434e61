"""Several sizes of agents in one navmesh: each has the ground of its own build, and a flag for all else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import (
    AgentSize,
    AgentState,
    AreaType,
    BadInput,
    BadSettings,
    BoxVolume,
    Crowd,
    Level,
    LevelSource,
    Link,
    LinkEdits,
    NavMesh,
    NavmeshError,
    NavQuery,
    PathStatus,
    QueryFilter,
    Settings,
    TooLarge,
    WhyHere,
    build_navmesh,
    read_navmesh,
    rebuild_tiles,
    write_navmesh,
)
from navcore.__main__ import main
from navcore.builder.size_ground import (
    MOST_PAIRS,
    MaskedGround,
    _distance_by_own_links,
    _is_under_open_sky,
    _mark_inner,
    size_pairs,
)
from navcore.formats.mset import mset_bytes
from navcore.formats.plain_navmesh import plain_navmesh
from navcore.geometry.edge_distance import edge_distance
from navcore.threads import Workers
from navcore.types import CompactHeightfield, Heightfield
from tests import scenes

from ..geometry.compact_worlds import field

SIZES = (("rat", 0.2, 0.6), ("human", 0.5, 1.8), ("ogre", 1.2, 3.0))
FINE = Settings(cell_size=0.2, cell_height=0.1, agent_max_climb=0.4)
TILED = replace(FINE, tile_size=32)
WATER = BoxVolume(area=1, min=(-50, -50, -50), max=(6, 50, 6))
LEVELS = {
    "slabs": scenes.slabs(3, 20, 12), "stairs": scenes.stairs(), "tower": scenes.tower(3), "spiral": scenes.spiral(),
    "city": scenes.city(1, 14), "terrain": scenes.terrain(40, 0.45, 0.25), "plaza": scenes.plaza(3),
}  # fmt: skip

Spans = set[tuple[int, int, int]]


def spans_of(compact: CompactHeightfield, walks: npt.NDArray[Any], area: npt.NDArray[Any]) -> Spans:
    """Column, floor and area of each span that somebody walks on."""
    column = np.repeat(np.arange(len(compact.first) - 1), np.diff(compact.first))
    chosen = walks != 0
    return set(zip(column[chosen].tolist(), compact.floor[chosen].tolist(), area[chosen].tolist(), strict=True))


def with_plain(mesh: Any) -> Any:
    """The level and a plain beside it, so that there is a navmesh for every size."""
    return scenes.join([mesh, scenes.box(-16, -1, -16, 14, 0.5, 14)])


def own_spans(mesh: Any, settings: Settings, volumes: Any) -> Spans:
    stages = build_navmesh(*mesh, settings, volumes=volumes, keep_stages=True).stages
    compact = stages["marked"] if volumes else stages["eroded"]
    return spans_of(compact, compact.area, compact.area)


@pytest.mark.parametrize("volumes", [(), (WATER,)])
@pytest.mark.parametrize("name", LEVELS)
def test_each_size_has_the_spans_of_its_own_build(name: str, volumes: Any) -> None:
    mesh = with_plain(LEVELS[name])
    stages = build_navmesh(*mesh, FINE, sizes=SIZES, volumes=volumes, keep_stages=True).stages
    ground, compact = stages["sizes"], stages["compact"]
    for bit, (_, radius, height) in enumerate(SIZES):
        alone = replace(FINE, agent_radius=radius, agent_height=height)
        assert spans_of(compact, ground.mask >> bit & 1, ground.area) == own_spans(mesh, alone, volumes)


@pytest.mark.parametrize("seed", range(20))
def test_random_sizes_on_random_levels_have_the_spans_of_their_own_builds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mesh = scenes.slabs(seed, int(rng.integers(8, 40)), 10) if seed % 2 else scenes.snapped_soup(150, seed)
    sizes = [(f"size {i}", float(rng.choice([0, 0.2, 0.45, 0.9])), float(rng.uniform(0.3, 3))) for i in range(3)]
    volumes = (WATER,) if seed % 3 == 0 else ()
    settings = replace(FINE, agent_max_climb=float(rng.uniform(0.1, 0.5)))
    mesh = with_plain(mesh)
    stages = build_navmesh(*mesh, settings, sizes=sizes, volumes=volumes, keep_stages=True).stages
    for bit, (_, radius, height) in enumerate(sizes):
        own = own_spans(mesh, replace(settings, agent_radius=radius, agent_height=height), volumes)
        assert spans_of(stages["compact"], stages["sizes"].mask >> bit & 1, stages["sizes"].area) == own


@pytest.mark.parametrize(
    "settings", [FINE, TILED, replace(TILED, partition="layers"), replace(TILED, median_filter=True)]
)
def test_one_size_alone_is_its_own_build_but_for_nothing(settings: Settings) -> None:
    for name in ("stairs", "plaza"):
        alone = build_navmesh(*LEVELS[name], replace(settings, agent_radius=0.5, agent_height=1.8))
        joint = build_navmesh(*LEVELS[name], settings, sizes=[("human", 0.5, 1.8)])
        assert mset_bytes(joint) == mset_bytes(alone)


def test_a_tile_in_one_call_is_the_one_that_stages_make() -> None:
    for name in ("city", "plaza", "slabs"):
        quick = build_navmesh(*LEVELS[name], TILED, sizes=SIZES, threads=1)
        slow = build_navmesh(*LEVELS[name], TILED, sizes=SIZES, threads=1, keep_stages=True)
        assert mset_bytes(quick) == mset_bytes(slow)
        far = BoxVolume(area=2, min=(-900, 0, -900), max=(-899, 1, -899))
        assert mset_bytes(build_navmesh(*LEVELS[name], TILED, sizes=SIZES, volumes=[far], threads=2)) == mset_bytes(
            slow
        )


def test_heights_count_where_something_hangs_or_a_floor_lies_below() -> None:
    """Else the filters and links of one size are those of all."""
    first, area = np.arange(26, dtype=np.int32), np.full(25, 63, np.uint8)
    bottom, top = np.zeros(25, np.uint16), np.full(25, 4, np.uint16)
    flat = Heightfield(5, 5, first, bottom, top, area)
    assert _is_under_open_sky(flat, np.int32(6))
    bottom[13], top[13] = 12, 14  # a slab in the midst, eight above the floor beside it
    assert not _is_under_open_sky(flat, np.int32(6)) and not _is_under_open_sky(flat, np.int32(8))
    assert _is_under_open_sky(flat, np.int32(9)), "nobody fits below"
    bottom[13], top[13] = 0, 4
    bottom[2] = top[2] = 50  # at the rim, over what is beside it
    assert not _is_under_open_sky(flat, np.int32(6))
    two = first.copy()
    two[1:] += 1
    above = Heightfield(5, 5, two, np.append(bottom * 0, 90).astype(np.uint16), np.append(top, 91), np.append(area, 63))
    assert not _is_under_open_sky(above._replace(area=above.area.astype(np.uint8)), np.int32(6))


@pytest.mark.parametrize("slope", [0.1, 0.2])
def test_terrain_has_the_spans_of_own_builds_for_every_height(slope: float) -> None:
    """Under an open sky one size's filters are those of all: where it is steep, and beside blocks that hang."""
    blocks = [scenes.box(4.0, 1.2, 4.0, 3.0, 0.3, 3.0), scenes.box(9.0, 2.4, 2.0, 3.0, 0.3, 3.0)]
    for mesh in (scenes.terrain(40, 0.45, slope), scenes.join([scenes.terrain(40, 0.45, slope), *blocks])):
        settings = replace(FINE, region_min_size=0)
        stages = build_navmesh(*mesh, settings, sizes=SIZES, threads=1, keep_stages=True).stages
        ground, compact = stages["sizes"], stages["compact"]
        for bit, (_, radius, height) in enumerate(SIZES):
            own = own_spans(mesh, replace(settings, agent_radius=radius, agent_height=height), ())
            assert spans_of(compact, ground.mask >> bit & 1, ground.area) == own


def test_some_sizes_are_led_to_other_spans_than_the_lowest() -> None:
    """Beside a block a child fits over a low sill, and who is taller is led to the floor above it: an inner span."""
    rows = [[[(0, 255, 63)] for _ in range(3)] for _ in range(3)]
    rows[1][2] = [(0, 6, 63), (8, 255, 63)]
    low, tall = field(rows, 9, 5), field(rows, 9, 12)
    heights, climb = np.array([5, 12], np.int32), np.int32(9)
    own, inner = np.full(len(low.floor), 3, np.uint16), np.zeros(len(low.floor), np.uint16)
    assert _mark_inner(low, own, heights, climb, inner) == 2, "the second height alone"
    for row, ground in enumerate((low, tall)):
        assert (inner >> row & 1).tolist() == (ground.neighbors >= 0).all(axis=1).astype(int).tolist()
        with Workers(1) as workers:
            distance = edge_distance(ground, False, workers)
        agent = heights[row], climb
        assert _distance_by_own_links(low, own, row, agent, np.zeros(1, np.uint8)).tolist() == distance.tolist()


# --- filters


def filters(navmesh: NavMesh) -> dict[str, QueryFilter]:
    return {size.name: QueryFilter(exclude=size.exclude) for size in navmesh.sizes}


@pytest.mark.parametrize("settings", [FINE, TILED])
def test_a_filtered_path_stays_on_the_ground_of_its_own_build(settings: Settings) -> None:
    """Walls do not lie between two cells, where rounding decides: by the border of tiles, that of the widest size."""
    mesh = LEVELS["city"][0] + np.float32([0.037, 0, 0.053]), LEVELS["city"][1]
    query = NavQuery(navmesh := build_navmesh(*mesh, settings, sizes=SIZES))
    points = np.concatenate([query.random_points(60, seed=seed).points for seed in range(4)])
    slack = settings.cell_size * (settings.edge_max_error + 1)
    for name, radius, height in SIZES:
        alone = replace(settings, agent_radius=radius, agent_height=height, region_min_size=0)  # all of its ground
        own = NavQuery(build_navmesh(*mesh, alone))
        paths = query.find_paths(points[::2], points[1::2], filter=filters(navmesh)[name])
        assert (paths.status == PathStatus.COMPLETE).any(), name
        near = own.nearest(paths.points, extents=(2, 4, 2))
        assert (near.references != 0).all()
        apart = np.abs(near.points - paths.points)[:, ::2].max(axis=1)
        assert apart.max() <= 2**0.5 * slack, name


def nets(size: int) -> scenes.Mesh:
    """A floor with pillars, between which the ogre does not pass: what the others walk on there hangs together."""
    pillars = [scenes.box(x, 0, z, 1, 4, 1) for x in range(3, size - 3, 3) for z in range(3, size - 3, 3)]
    return scenes.join([scenes.flat(size), *pillars])


def test_strips_are_cut_so_that_no_outline_has_a_hole_for_each_pillar() -> None:
    """And each span is for whom it was; pieces are of some size."""
    stages = build_navmesh(*nets(40), replace(FINE, region_min_size=0), sizes=SIZES, keep_stages=True).stages
    assert np.bincount(stages["contours"].region).max() - 1 < 24, "of 144 pillars"
    whole, cut = (size_pairs(stages["sizes"], len(SIZES), compact) for compact in (None, stages["compact"]))
    of_number = np.zeros((2, 256), np.int64)
    of_number[0, whole.numbers], of_number[1, cut.numbers] = whole.values, cut.values
    assert (of_number[0][whole.of_span] == of_number[1][cut.of_span]).all()
    assert len(cut.values) > len(whole.values) and len(set(cut.numbers.tolist())) == len(cut.numbers)
    second = cut.numbers[len(whole.numbers) :]
    assert np.isin(cut.of_span, second).any() and np.isin(cut.of_span, whole.numbers).any(), "in turns"


def test_what_has_few_holes_is_not_cut() -> None:
    stages = build_navmesh(*nets(10), replace(FINE, region_min_size=0), sizes=SIZES, keep_stages=True).stages
    whole, cut = (size_pairs(stages["sizes"], len(SIZES), compact) for compact in (None, stages["compact"]))
    assert cut.of_span.tolist() == whole.of_span.tolist() and cut.numbers.tolist() == whole.numbers.tolist()


def test_pieces_of_a_few_spans_go_with_those_beside_them() -> None:
    """A ladder through three blocks, the last of which it reaches with a few spans: rungs make holes of it."""
    length = 66
    cells = [(x, z) for x in range(length) for z in range(3) if z != 1 or x % 2 == 0 or x > 60]
    cells.sort(key=lambda cell: (cell[1], cell[0]))
    number = {cell: k for k, cell in enumerate(cells)}
    first = np.cumsum([0, *((x, z) in number for z in range(3) for x in range(length))]).astype(np.int32)
    steps = ((-1, 0), (0, 1), (1, 0), (0, -1))
    neighbors = np.int32([[number.get((x + dx, z + dz), -1) for dx, dz in steps] for x, z in cells])
    floor, area = np.zeros(len(cells), np.uint16), np.full(len(cells), 63, np.uint8)
    ladder = CompactHeightfield(length, 3, first, floor, np.full(len(cells), 255, np.uint8), neighbors, area)
    cut = size_pairs(MaskedGround(area, np.ones(len(cells), np.uint16)), 2, ladder).of_span
    blocks = [{int(cut[number[cell]]) for cell in cells if cell[0] // 32 == block} for block in range(3)]
    assert all(len(block) == 1 for block in blocks) and blocks[0] != blocks[1] == blocks[2]


def test_a_low_door_lets_the_small_pass_alone() -> None:
    query = NavQuery(navmesh := hall())
    start, end = (3, 0, 5), (17, 0, 5)
    found = {name: query.find_path(start, end, filter=own).status for name, own in filters(navmesh).items()}
    assert found["rat"] == PathStatus.COMPLETE
    assert found["ogre"] != PathStatus.COMPLETE
    islands = {name: query.islands(query.references(), filter=own) for name, own in filters(navmesh).items()}
    assert len(islands["ogre"].square_metres) == 2  # a room each
    assert islands["rat"].square_metres.max() > islands["ogre"].square_metres.sum()


def hall(settings: Settings = FINE, **more: Any) -> NavMesh:
    """Two rooms, and a gate in the wall between them that is one metre high."""
    wall = [scenes.box(9, 0, 0, 1, 4, 4), scenes.box(9, 0, 6, 1, 4, 4), scenes.box(9, 1, 4, 1, 3, 2)]
    return build_navmesh(*scenes.join([hall_floor(), *wall]), settings, sizes=SIZES, **more)


def hall_floor() -> scenes.Mesh:
    corners = np.array([[0, 0, 0], [0, 0, 10], [20, 0, 10], [20, 0, 0]], np.float32)
    return corners, np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def test_flags_leave_those_of_areas_doors_and_links_alone() -> None:
    types = {1: AreaType("mud", 0x8000), 2: AreaType("lava", 0x2000)}
    navmesh = hall(area_types=types, links=[Link(start=(2, 0, 2), end=(2, 0, 8), flags=0x1000)])
    assert [size.exclude for size in navmesh.sizes] == [0x4000, 0x0800, 0x0400]
    assert navmesh.report.to_mapping()["sizes"] == [size.to_mapping() for size in navmesh.sizes]


def test_ground_that_nobody_may_walk_on_stays_so() -> None:
    closed = BoxVolume(door="gate", closed=True, min=(8, -1, 3), max=(11, 3, 7))
    navmesh = hall(volumes=[closed])
    flags = NavQuery(navmesh).flags(np.array([polygon for door in navmesh.doors for polygon in door.polygons]))
    assert set(flags.tolist()) == {0}
    assert all(door.open & 1 for door in navmesh.doors)


# --- levels that change, and stores


def test_a_level_follows_and_rebuilt_tiles_equal_a_full_build(tmp_path: Path) -> None:
    floor, crate = hall_floor(), scenes.box(4, 0, 4, 1, 1, 1)
    bounds = (0, -1, 0, 20, 5, 10)
    level = Level(TILED, sizes=SIZES, bounds=bounds, store=tmp_path / "store")
    level.set_part("floor", *floor)
    before = level.update()
    level.set_part("crate", *crate)
    joint = scenes.join([floor, crate])
    whole = build_navmesh(*joint, TILED, sizes=SIZES, bounds=bounds)
    after = level.update()
    assert mset_bytes(after) == mset_bytes(whole) and after.sizes == whole.sizes
    changed = (3, -1, 3, 6, 2, 6)
    assert mset_bytes(rebuild_tiles(before, changed, *joint)) == mset_bytes(whole)
    query = NavQuery(before)
    query.update(after)
    fresh = NavQuery(whole)
    assert sorted(query.flags(query.references()).tolist()) == sorted(fresh.flags(fresh.references()).tolist())
    level.sizes = SIZES[:2]
    assert mset_bytes(level.update()) == mset_bytes(build_navmesh(*joint, TILED, sizes=SIZES[:2], bounds=bounds))


def test_a_store_gives_the_same_back_and_knows_sizes_apart(tmp_path: Path) -> None:
    mesh = LEVELS["plaza"]
    for sizes in (SIZES, SIZES[:2], ()):
        kept = [build_navmesh(*mesh, TILED, sizes=sizes, store=tmp_path / "store") for _ in range(2)]
        assert kept[0].report.store is not None and kept[0].report.store["built"] > 0
        assert kept[1].report.store is not None and kept[1].report.store["built"] == 0
        assert mset_bytes(kept[0]) == mset_bytes(kept[1]) == mset_bytes(build_navmesh(*mesh, TILED, sizes=sizes))


# --- files


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn"])
def test_files_carry_sizes_and_come_back_with_them(ending: str, tmp_path: Path) -> None:
    door = BoxVolume(door="gate", min=(8, -1, 3), max=(11, 3, 7))
    navmesh = hall(volumes=[door, WATER])
    path = tmp_path / f"hall{ending}"
    write_navmesh(navmesh, path)
    again = read_navmesh(path)
    assert isinstance(again, NavMesh) and again.sizes == navmesh.sizes
    both = [NavQuery(navmesh), NavQuery(again)]
    points = both[0].random_points(40, seed=1).points
    for own in filters(navmesh).values():
        found = [query.find_paths(points[:20], points[20:], filter=own).status.tolist() for query in both]
        assert found[0] == found[1]


def test_json_and_reports_have_the_form_that_games_read(tmp_path: Path) -> None:
    navmesh = hall()
    write_navmesh(navmesh, tmp_path / "hall.json")
    content = json.loads((tmp_path / "hall.json").read_text())
    assert content["sizes"] == [
        {"name": "rat", "radius": 0.2, "height": 0.6, "exclude": 0x8000},
        {"name": "human", "radius": 0.5, "height": 1.8, "exclude": 0x4000},
        {"name": "ogre", "radius": 1.2, "height": 3.0, "exclude": 0x2000},
    ]
    assert plain_navmesh(navmesh).flags.tolist() == content["polygon_mesh"]["flags"]


@pytest.mark.parametrize("change", [{"exclude": 0}, {"exclude": 3}, {"radius": -1}, {"name": ""}, {"size": 1}])
def test_sizes_that_no_file_has_are_refused(change: dict[str, Any], tmp_path: Path) -> None:
    write_navmesh(hall(), tmp_path / "hall.json")
    content = json.loads((tmp_path / "hall.json").read_text())
    content["sizes"][0] |= change
    (tmp_path / "hall.json").write_text(json.dumps(content))
    with pytest.raises(NavmeshError, match=r"[Ss]ize|radius"):
        read_navmesh(tmp_path / "hall.json")


# --- why


def test_why_says_for_which_size() -> None:
    floor = hall_floor()
    asked = WhyHere(LevelSource(*floor, sizes=SIZES), settings=FINE)
    reason = asked.ask((1.1, 0, 5))
    assert (reason.size, reason.code, reason.walkable) == ("ogre", "TOO_CLOSE", False)
    assert "ogre" in reason.sentence
    each = asked.ask_for_each_size((1.1, 0, 5))
    assert [each[name].walkable for name, *_ in SIZES] == [True, True, False]
    assert asked.ask((10, 0, 5)).walkable


# --- refused


@pytest.mark.parametrize(
    "sizes",
    [
        "ogre", [("ogre", 1)], [("", 1, 2)], [("a", -1, 2)], [("a", 1, 0)], [("a", float("nan"), 2)],
        [("a", 1, 2), ("a", 2, 3)], [("a", True, 2)], [{"name": "a", "radius": 1}], 5,
    ],
)  # fmt: skip
def test_what_is_no_list_of_sizes_is_refused(sizes: Any) -> None:
    with pytest.raises(BadInput, match=r"[Ss]ize|radius|height") as refused:
        build_navmesh(*hall_floor(), FINE, sizes=sizes)
    assert refused.value.code == "BAD_SIZES"


def test_a_size_that_voxels_cannot_hold_is_named() -> None:
    with pytest.raises(BadSettings, match="“giant”"):
        build_navmesh(*hall_floor(), FINE, sizes=[("giant", 1.0, 99.0)])


def test_more_sizes_than_flags_are_refused(tmp_path: Path) -> None:
    sizes = [AgentSize(f"size {i}", 0.2, 1.0) for i in range(12)]
    with pytest.raises(BadInput, match="12 sizes need a flag each, and 11 of 16 are left") as refused:
        build_navmesh(*hall_floor(), TILED, sizes=sizes, store=tmp_path / "store")
    assert refused.value.code == "NO_FLAG_FOR_SIZE"
    assert len(build_navmesh(*hall_floor(), FINE, sizes=sizes[:11]).sizes) == 11


def test_more_pairs_than_areas_are_refused() -> None:
    areas = np.arange(1, MOST_PAIRS + 2).astype(np.uint8)
    fits = MaskedGround(areas[:MOST_PAIRS], np.full(MOST_PAIRS, 3, np.uint16))
    assert size_pairs(fits, 2).of_span.tolist() == areas[:MOST_PAIRS].tolist()
    with pytest.raises(TooLarge, match="63 pairs") as refused:
        size_pairs(MaskedGround(areas, np.full(len(areas), 1, np.uint16)), 2)
    assert refused.value.code == "TOO_MANY_SIZES"


# --- links that are found

LINKED = replace(FINE, generate_links=True, link_jump_distance=2.5)


def blocks(roof: float) -> scenes.Mesh:
    """Two blocks with a gap of a metre between them, and so much room under a roof over it."""
    return scenes.join([
        scenes.box(0, 0, 0, 8, 1, 8), scenes.box(9, 0, 0, 8, 1, 8), scenes.box(5, 1 + roof, 0, 7, 0.2, 8),
    ])  # fmt: skip


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize(("roof", "across"), [(6.0, ["rat", "human", "ogre"]), (2.8, ["rat", "human"])])
def test_links_are_found_for_each_size_on_its_own_ground(roof: float, across: list[str], tile_size: int) -> None:
    """A size gets over the gap where its own build has links over it, and over no link that is too small for it."""
    settings, ends = replace(LINKED, tile_size=tile_size), ((2.5, 1, 4), (14.5, 1, 4))
    navmesh = build_navmesh(*blocks(roof), settings, sizes=SIZES)
    query, got = NavQuery(navmesh), dict[str, list[str]]()
    for name, radius, height in SIZES:
        own = build_navmesh(*blocks(roof), replace(settings, agent_radius=radius, agent_height=height))
        found = NavQuery(own).find_path(*ends).status, query.find_path(*ends, filter=filters(navmesh)[name]).status
        for which, status in zip(("own", "joint"), found, strict=True):
            got.setdefault(which, []).extend([name] if status == PathStatus.COMPLETE else [])
    assert got == {"own": across, "joint": across}
    keeps_out = {name: size.exclude for size in navmesh.sizes for name in [size.name]}
    found_for = {wide.flags & sum(keeps_out.values()) for wide in navmesh.wide_links}
    of_rat, of_human = keeps_out["human"] | keeps_out["ogre"], keeps_out["ogre"]
    assert found_for == {of_rat, of_human, *([0] if "ogre" in across else [])}
    assert len({wide.id for wide in navmesh.wide_links}) == len(navmesh.wide_links)
    assert all(point.flags == wide.flags for wide in navmesh.wide_links for point in wide.points)


def test_links_of_sizes_follow_a_level() -> None:
    """Moved, and moved back, an update finds what a build of everything does."""
    settings = replace(LINKED, tile_size=32)
    bounds = (-1, -1, -1, 18, 9, 9)
    level = Level(settings, sizes=SIZES, bounds=bounds)
    level.set_part("blocks", *blocks(6.0))
    level.update()
    for x in (7.0, 1.0, 7.0):
        crate = scenes.box(x, 1, 3, 1.0, 1.0, 1.0)
        level.set_part("crate", *crate)
        whole = build_navmesh(*scenes.join([blocks(6.0), crate]), settings, sizes=SIZES, bounds=bounds)
        after = level.update()
        assert after.wide_links == whole.wide_links and mset_bytes(after) == mset_bytes(whole)


def test_a_link_that_is_kept_keeps_out_who_cannot_take_it() -> None:
    navmesh = build_navmesh(*blocks(2.8), LINKED, sizes=SIZES)
    ogre = navmesh.sizes[2].exclude
    wide = next(wide for wide in navmesh.wide_links if wide.flags & 0xE000 == ogre)
    kept = replace(wide, flags=wide.flags & ~0xE000)
    again = build_navmesh(*blocks(2.8), LINKED, sizes=SIZES, link_edits=LinkEdits(kept=(kept,)))
    (own,) = (one for one in again.wide_links if one.id == wide.id)
    assert own.flags == wide.flags and own.points and not again.report.warnings


# --- who walks as what


def test_a_query_knows_sizes_by_name(tmp_path: Path) -> None:
    navmesh = hall()
    write_navmesh(navmesh, tmp_path / "hall.json")
    write_navmesh(navmesh, tmp_path / "hall.bin")
    for query in (NavQuery(navmesh), NavQuery(read_navmesh(tmp_path / "hall.json"))):
        assert query.sizes == navmesh.sizes
        mine = query.filter_of_size("ogre", QueryFilter({0: 2.0}, exclude=0x10))
        assert (mine.exclude, mine.costs) == (navmesh.sizes[2].exclude | 0x10, {0: 2.0})
        with pytest.raises(BadInput, match=r"no size “troll” in this navmesh\. Known are “rat”, “human”, “ogre”"):
            query.filter_of_size("troll")
    with pytest.raises(BadInput, match=r"a \.bin cannot") as refused:
        NavQuery(read_navmesh(tmp_path / "hall.bin")).filter_of_size("rat")
    assert refused.value.code == "NO_SIZE"


@pytest.mark.parametrize("way", ["radius", "size"])
def test_agents_of_a_crowd_keep_to_the_ground_of_their_size(way: str) -> None:
    """The rat slips under the gate, the others have no way; nobody comes nearer to a wall than it is wide."""
    query = NavQuery(hall())
    crowd, lone = Crowd(query), [[3.0, 0.0, 2.0 + 2 * k] for k in range(4)]
    ends = [[17.0, 0.0, z] for _, _, z in lone]
    if way == "radius":
        numbers = crowd.add_many(lone[:3], ends[:3], radius=[1.0, 0.2, 0.4])
    else:
        numbers = np.concatenate(
            [
                crowd.add_many(lone[k : k + 1], ends[k : k + 1], size=name)
                for k, name in enumerate(["ogre", "rat", "human"])
            ]
        )
    assert numbers.tolist() == [0, 1, 2]
    assert crowd.radii.tolist() == pytest.approx([1.0, 0.2, 0.4] if way == "radius" else [1.2, 0.2, 0.5])
    for _ in range(20):
        crowd.step(1.0)
        x = crowd.positions[:, 0]
        assert x[0] < 9 - 1.0 and x[2] < 9 - 0.4
    assert [AgentState(int(state)).name for state in crowd.states][1] == "ARRIVED"
    with pytest.raises(BadInput, match=r"wider than the 1\.2 m") as refused:
        crowd.add_many(lone[:2], ends[:2], radius=[0.2, 1.5])
    assert refused.value.code == "AGENT_TOO_WIDE" and len(crowd) == 3
    with pytest.raises(BadInput, match=r"wider than the 0\.5 m"):
        crowd.add_many(lone[:1], ends[:1], radius=0.6, size="human")


def test_a_crowd_of_one_size() -> None:
    crowd = Crowd(NavQuery(hall()), size="ogre")
    crowd.add((3, 0, 5), (17, 0, 5))
    assert crowd.radius == pytest.approx(1.2)
    assert crowd.states[0] != AgentState.ARRIVED
    crowd.step(10)
    assert crowd.positions[0, 0] < 9 - 1.2
    with pytest.raises(BadInput, match="no size “troll”"):
        Crowd(NavQuery(hall()), size="troll")


def said_in_json(capsys: pytest.CaptureFixture[str]) -> Any:
    """What a command has said; one that was refused has said why elsewhere."""
    said = capsys.readouterr()
    assert said.out.startswith("{"), f"{said.out!r} and {said.err!r}"
    return json.loads(said.out)


def test_the_commands_take_a_size(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "hall.json"
    write_navmesh(hall(), path)
    words = [str(path), "--from", "3,0,5", "--to", "17,0,5", "--json"]
    for name, status in (("rat", "complete"), ("ogre", "partial")):
        main(["path", *words, "--size", name])
        assert said_in_json(capsys)["status"] == status
    main(["walk", *words, "--size", "ogre", "--seconds", "15"])
    assert said_in_json(capsys)["agents"][0]["end"][0] < 9 - 1.2
    for asked in (["path", *words], ["info", str(path)]):
        assert main([*asked, "--size", "troll"]) == 1
        assert "NO_SIZE" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".json", ".glb", ".tscn"])
def test_info_lists_the_islands_of_a_size(ending: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / f"hall{ending}"
    write_navmesh(navmesh := hall(), path)
    query = NavQuery(navmesh)
    for name, own in filters(navmesh).items():
        assert main(["info", str(path), "--size", name, "--json"]) == 0
        listed = said_in_json(capsys)["island_list"]
        wanted = query.islands(query.references(), filter=own).square_metres
        assert [row["square_metres"] for row in listed] == pytest.approx(wanted, rel=0.01)
        assert all(row["bounds"][0] < row["bounds"][3] and row["polygons"] for row in listed)
    assert main(["info", str(path), "--size", "ogre"]) == 0
    assert "  island 1" in capsys.readouterr().out
