"""Areas and flags that change while a game runs, states of tiles, tiles by place, ends of links; one path quickly."""

from __future__ import annotations

import numpy as np
import pytest

from navcore import BadInput, NavQuery, PathStatus, QueryFilter, Settings, build_navmesh, read_navmesh
from navcore.detour.byte_layout import sections
from navcore.formats.mset import mset_bytes
from navcore.types import U32
from tests.navcore.navquery.query_examples import by_hand, random_points, town

SUCCESS, INVALID = 1 << 30, 1 << 31 | 8


def corridor_level(tile_size: int = 16) -> NavQuery:
    """Two halls with a passage between them."""
    boxes = [(0, 0, 10, 10), (10, 4, 20, 7), (20, 0, 30, 10)]
    vertices = np.array([[x, 0, z] for a, b, c, d in boxes for x, z in ((a, b), (a, d), (c, d), (c, b))], np.float32)
    triangles = np.array([[4 * k + i for i in face] for k in range(3) for face in ((0, 1, 2), (0, 2, 3))], np.int32)
    return NavQuery(build_navmesh(vertices, triangles, Settings(tile_size=tile_size)))


def in_passage(query: NavQuery) -> U32:
    found = query.polygons_in_box([[15, 0, 5.5]], (2, 2, 1)).references
    assert len(found)
    return found


@pytest.mark.parametrize("tile_size", [0, 16])
def test_a_door(tile_size: int) -> None:
    query = corridor_level(tile_size)
    if tile_size == 0:  # one polygon may be the whole level: the passage is one of its own where areas differ
        volume = {"shape": "box", "area": 3, "min": [13, -1, 0], "max": [17, 2, 10]}
        query = NavQuery(build_navmesh(*corridor_mesh(), Settings(), volumes=[volume]))
    door, ends = in_passage(query), ([2, 0, 5], [28, 0, 5])
    first, last = (query.nearest([end]).references for end in ends)
    before = query.flags(door)
    for _ in range(3):
        assert query.find_path(*ends).status == PathStatus.COMPLETE
        assert (query.set_flags(door, 0) == SUCCESS).all()
        assert query.find_path(*ends).status == PathStatus.PARTIAL
        assert query.find_paths([ends[0]], [ends[1]]).status[0] == PathStatus.PARTIAL
        assert query.find_paths([ends[0]], [ends[1]], exact=True).status[0] == PathStatus.PARTIAL
        assert last[0] not in query.reachable_from(first, QueryFilter()).references
        islands = query.islands([first[0], last[0], door[0]], QueryFilter()).numbers
        assert islands[0] != islands[1] and islands[2] == -1
        assert query.path_costs([ends[0]], [ends[1]]).status[0, 0] == PathStatus.UNREACHABLE
        query.set_flags(door, before)
        assert query.flags(door).tolist() == before.tolist()
        assert last[0] in query.reachable_from(first, QueryFilter()).references
        assert len(set(query.islands([first[0], last[0]], QueryFilter()).numbers.tolist())) == 1
    query.set_flags(door, 0x20)
    assert query.find_path(*ends, QueryFilter(include=1)).status == PathStatus.PARTIAL
    assert query.find_path(*ends, QueryFilter(include=0x21)).status == PathStatus.COMPLETE


def corridor_mesh() -> tuple[np.ndarray, np.ndarray]:
    boxes = [(0, 0, 10, 10), (10, 4, 20, 7), (20, 0, 30, 10)]
    vertices = np.array([[x, 0, z] for a, b, c, d in boxes for x, z in ((a, b), (a, d), (c, d), (c, b))], np.float32)
    triangles = np.array([[4 * k + i for i in face] for k in range(3) for face in ((0, 1, 2), (0, 2, 3))], np.int32)
    return vertices, triangles


@pytest.mark.parametrize("tile_size", [0, 32])
def test_as_if_it_had_been_built_or_read_so(tile_size: int) -> None:
    """Random flags and areas, set polygon by polygon: the answers are those of a file that has them."""
    query = NavQuery(read_navmesh(mset_bytes(town(tile_size))))
    rng, every = np.random.default_rng(1), query.references()
    chosen = rng.choice(every, len(every) // 3, replace=False)
    flags, areas = rng.integers(0, 4, len(chosen)), rng.integers(0, 64, len(chosen))
    assert (query.set_flags(chosen, flags) == SUCCESS).all() and (query.set_areas(chosen, areas) == SUCCESS).all()
    assert query.flags(chosen).tolist() == flags.tolist() and query.areas(chosen).tolist() == areas.tolist()
    mesh = query._mesh
    assert mesh.links["flags_there"].tolist() == mesh.polygons["flags"][mesh.links["target"]].tolist()
    starts, ends = random_points(40, 3), random_points(40, 4)
    rule = QueryFilter({int(area): 1 + int(area) / 9 for area in set(areas.tolist())}, include=3, exclude=2)
    paths = query.find_paths(starts, ends, rule)
    entered = query.flags(paths.polygons)
    inner = np.ones(len(entered), bool)
    inner[paths.polygon_offsets[:-1][np.diff(paths.polygon_offsets) > 0]] = False  # where one stands is not asked
    assert ((entered[inner] & 2) == 0).all() and inner.sum() > 10
    file = read_navmesh(mset_bytes(town(tile_size)))
    tiles = []
    for tile in file.tiles:
        data = tile.data.copy()
        stored = sections(data).polygons
        own = np.uint32(tile.reference) + np.arange(len(stored), dtype=np.uint32)
        stored["flags"], kinds = query.flags(own), stored["area_and_kind"] & 0xC0
        stored["area_and_kind"] = query.areas(own) | kinds
        tiles.append(tile._replace(data=data))
    other = NavQuery(file._replace(tiles=tuple(tiles)))
    for mine, its in zip(paths, other.find_paths(starts, ends, rule), strict=True):
        assert mine.tobytes() == its.tobytes()
    assert query._areas.tolist() == sorted(set(query.areas(every).tolist()))


def test_what_is_refused() -> None:
    query = by_hand()
    assert query.set_flags([256, 5, 0, 256 + (1 << 20)], [7, 7, 7, 7]).tolist() == [SUCCESS, INVALID, INVALID, INVALID]
    assert query.flags([256, 5]).tolist() == [7, 0] and query.areas([5]).tolist() == [255]
    query.set_flags(256, 1)
    for wrong in (-1, 1 << 16, 1.5, [1, 2]):
        with pytest.raises(BadInput):
            query.set_flags([256], wrong)
    with pytest.raises(BadInput, match="64"):
        query.set_areas([256], 64)
    with pytest.raises(BadInput, match="no tile"):
        query.tile_state(257)
    with pytest.raises(BadInput, match="three numbers"):
        query.find_path([1, 2], [1, 2, 3])


def test_the_state_of_a_tile() -> None:
    query = NavQuery(town(32))
    tile = int(query.tiles().references[1])
    before = query.tile_state(tile)
    every = query.references()
    untouched = query.flags(every).copy(), query.areas(every).copy()
    own = every[(query.tile_of(every).x == query.tiles().x[1]) & (query.tile_of(every).y == query.tiles().y[1])]
    assert len(before.flags) == len(own) == query.tiles().polygons[1]
    query.set_flags(own, 0)
    query.set_areas(own, 9)
    changed = query.tile_state(tile)
    assert query.restore_tile_state(before) == SUCCESS
    assert query.flags(every).tolist() == untouched[0].tolist() and query.areas(every).tolist() == untouched[1].tolist()
    assert query.restore_tile_state(changed) == SUCCESS and (query.flags(own) == 0).all()
    assert query.restore_tile_state(before._replace(reference=tile + 1)) == INVALID
    assert query.restore_tile_state(before._replace(flags=before.flags[1:], areas=before.areas[1:])) == INVALID


def test_tiles_by_place() -> None:
    query = NavQuery(town(32))
    tiles = query.tiles()
    middles = (tiles.low + tiles.high) / 2
    assert query.tile_at(middles).tolist() == np.stack([tiles.x, tiles.y], axis=1).tolist()
    assert query.tile_at([[np.nan, 0, 0], [-1000, 0, 0]]).tolist()[0] == [-1, -1]
    assert (query.tile_at([[-1000, 0, 0]]) < 0).any()
    every = query.references()
    places = query.tile_of([*every.tolist(), 5])
    assert places.status.tolist() == [SUCCESS] * len(every) + [INVALID] and places.numbers[-1] == -1
    by_place = {
        (x, y): int(r) for x, y, r in zip(tiles.x.tolist(), tiles.y.tolist(), tiles.references.tolist(), strict=True)
    }
    rows = zip(every.tolist(), places.x.tolist(), places.y.tolist(), places.numbers.tolist(), strict=False)
    assert all(by_place[x, y] + number == reference for reference, x, y, number in rows)
    assert tiles.polygons.sum() == len(every)


def test_which_references_are_valid() -> None:
    query = NavQuery(town(32))
    every = query.references()
    assert query.is_valid(every).all() and not query.is_valid([0, 5, int(every[0]) + (1 << 22)]).any()
    water = QueryFilter(exclude=int(query.flags(every[query.areas(every) == 1])[0]))
    valid = query.is_valid(every, water)
    assert valid.tolist() == ((query.flags(every) & water.exclude) == 0).tolist() and 0 < valid.sum() < len(every)


def test_both_ends_of_a_link() -> None:
    query = NavQuery(town(32))
    every = query.references()
    links = every[query.is_link(every)]
    assert len(links)
    mesh, names = query._mesh, query._names
    for link in links.tolist():
        number = int(names.polygons(np.array([link]))[0])
        row = mesh.polygons[number]
        beside = {
            int(mesh.links[k].edge): int(names.of_polygon[mesh.links[k].target])
            for k in range(row.first_link, row.end_link)
        }
        corners = mesh.outline[number, :2]
        for edge, reference in beside.items():
            ends = query.connection_ends(reference, link)
            assert ends.status[0] == SUCCESS
            assert (
                ends.starts[0].tolist() == corners[edge].tolist()
                and ends.ends[0].tolist() == corners[1 - edge].tolist()
            )
    ground = every[~query.is_link(every)][0]
    wrong = query.connection_ends([5, ground, ground], [links[0], ground, 5])
    assert wrong.status.tolist() == [INVALID] * 3 and (wrong.starts == 0).all()


@pytest.mark.parametrize(
    "rule",
    [QueryFilter(), QueryFilter({1: 8.0, 0: 0.5}, exclude=8), QueryFilter({1: 0.1, 5: 9.0}), QueryFilter(include=2)],
)
@pytest.mark.parametrize("tile_size", [0, 32])
def test_one_path_is_the_row_of_a_batch(tile_size: int, rule: QueryFilter) -> None:
    query = NavQuery(town(tile_size))
    starts, ends = random_points(80, 5), random_points(80, 6)
    starts[0], ends[1], starts[2] = np.nan, 1e30, [2, 0, 2]
    ends[2] = starts[2]
    paths = query.find_paths(starts, ends, rule)
    for row, (start, end) in enumerate(zip(starts, ends, strict=True)):
        one = query.find_path(start, end, rule)
        assert one.status == paths.status[row] and isinstance(one.status, PathStatus)
        assert one.points.tobytes() == paths.points[paths.offsets[row] : paths.offsets[row + 1]].tobytes()
        assert np.float32(one.length) == paths.length[row] and np.float32(one.cost) == paths.cost[row]
        part = slice(paths.polygon_offsets[row], paths.polygon_offsets[row + 1])
        assert one.polygons.tolist() == paths.polygons[part].tolist()
    near = query.find_path(starts[3] + 3, ends[3], rule, extents=(9, 9, 9))
    assert near.status == query.find_paths(starts[3:4] + 3, ends[3:4], rule, extents=(9, 9, 9)).status[0]
