"""A query that follows: after every edit it answers as a new one, and old references are refused."""

from __future__ import annotations

import copy
import os
import pickle
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    Crowd,
    Level,
    NavMesh,
    NavQuery,
    PathStatus,
    QueryFilter,
    Settings,
    build_navmesh,
    read_navmesh,
)
from navcore.formats.mset import mset_bytes
from navcore.types import F32, U32
from tests import scenes

SUCCESS, INVALID = 1 << 30, 1 << 31 | 8
BOX = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], np.float32)
_SIDES = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [1, 5, 7], [1, 7, 3], [0, 2, 6], [0, 6, 4]]
FACES = np.array([*_SIDES, [2, 3, 7], [2, 7, 6]], np.int32)  # without a bottom
LINKS = [
    {"start": [3, 0, 3], "end": [12, 0, 12], "radius": 2.0, "area": 5, "flags": 8, "id": 7},
    {"start": [20, 0, 4], "end": [4, 0, 20], "radius": 2.0, "bidirectional": False, "area": 5, "flags": 8, "id": 8},
    {"start": [9, 0, 25], "end": [17, 0, 25], "radius": 1.5, "id": 9},
]
SIDE = 30.0
EDITS = int(os.environ.get("NAVMESH_FOLLOWED_EDITS", "14"))
QUESTIONS = int(os.environ.get("NAVMESH_FOLLOWED_QUESTIONS", "25"))  # after each of them


def plain(links: bool = True, **changed: Any) -> Level:
    """A plain of 30 × 30 m in tiles, with links over it."""
    level = Level(Settings(tile_size=24, **changed), bounds=(0, -1, 0, SIDE, 6, SIDE))
    ground = np.array([[0, 0, 0], [0, 0, SIDE], [SIDE, 0, SIDE], [SIDE, 0, 0]], np.float32)
    level.set_part("ground", ground, np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    level.volumes = [{"shape": "box", "area": 1, "min": [6, -1, 6], "max": [14, 3, 26]}]
    level.links = LINKS if links else []
    return level


def put_box(level: Level, name: str, rng: np.random.Generator) -> None:
    size, place = rng.uniform([0.5, 0.2, 0.5], [6, 3, 6]), rng.uniform([0, -0.1, 0], [SIDE - 2, 0, SIDE - 2])
    level.set_part(name, (BOX * size + place).astype(np.float32), FACES)


def in_tiles(query: NavQuery, references: U32) -> list[tuple[int, ...]]:
    found = query.tile_of(references)
    return list(zip(found.x.tolist(), found.y.tolist(), found.numbers.tolist(), strict=True))


def random_points(rng: np.random.Generator, count: int) -> F32:
    points: F32 = rng.uniform([-1, -1, -1], [SIDE + 1, 4, SIDE + 1], (count, 3)).astype(np.float32)
    return points


def check_same(query: NavQuery, new: NavQuery, rng: np.random.Generator, everything: bool = False) -> None:
    """Both answer the same, polygon by polygon, whatever their references are."""
    starts, ends = random_points(rng, QUESTIONS), random_points(rng, QUESTIONS)
    rule = QueryFilter({1: float(rng.choice([1.0, 4.0]))}, exclude=int(rng.choice([0, 8])))

    def asked(each: NavQuery) -> list[Any]:
        near = each.nearest(starts, filter=rule)
        paths = each.find_paths(starts, ends, rule)
        rays = each.raycast(near.references, near.points, ends, rule)
        around = each.polygons_around(near.references, near.points, 6.0, rule)
        walls = each.distance_to_wall(near.references, near.points, 4.0, rule)
        costs = each.path_costs(starts[:4], ends[:4], rule)
        found = [
            in_tiles(each, near.references), near.points.tobytes(), paths.status.tobytes(), paths.points.tobytes(),
            paths.length.tobytes(), paths.cost.tobytes(), in_tiles(each, paths.polygons),
            in_tiles(each, paths.references), rays.parts.tobytes(), in_tiles(each, rays.references),
            in_tiles(each, around.references),
            around.costs.tobytes(), walls.points.tobytes(), costs.costs.tobytes(),
            sorted(in_tiles(each, each.references())), each.link_ids(near.references).tobytes(),
            [t.tobytes() for t in each.tiles()[1:]],
        ]  # fmt: skip
        if everything:
            shortest = each.find_paths(starts[:8], ends[:8], exact=True)
            random = [each.random_points(5, seed=3, like_detour=like) for like in (False, True)]
            some = np.array(
                sorted(each.references().tolist(), key=lambda r: in_tiles(each, np.array([r]))[0]), np.uint32
            )
            islands = each.islands(some, rule)
            found += [
                shortest.status.tobytes(), shortest.length.tobytes(), in_tiles(each, shortest.polygons),
                *[p.points.tobytes() for p in random], *[in_tiles(each, p.references) for p in random],
                islands.numbers.tobytes(), islands.square_metres.tobytes(),
                [a.tobytes() for a in each.narrowest(starts[:6], ends[:6])[:2]], len(each.meadow().meadow.status),
            ]  # fmt: skip
        return found

    for mine, its in zip(asked(query), asked(new), strict=True):
        assert mine == its


@pytest.mark.parametrize("links", [False, True])
def test_after_every_edit_it_answers_as_a_new_one(links: bool) -> None:
    """NAVMESH_FOLLOWED_EDITS=500 NAVMESH_FOLLOWED_QUESTIONS=1000 is the long run."""
    rng = np.random.default_rng(5 + links)
    level = plain(links)
    query = NavQuery(level.update())
    kept = 0
    for edit in range(EDITS):
        before = query.references()
        places = in_tiles(query, before)
        name = f"box {rng.integers(3)}"
        if rng.random() < 0.25 and edit > 2:
            level.remove_part(name) if name in level._parts else put_box(level, name, rng)
        else:
            put_box(level, name, rng)
        query.update(level.update())
        check_same(query, NavQuery(level.update()), rng, edit % 4 == 3)
        valid = query.is_valid(before)
        kept += int(valid.sum())
        # A reference that still names a polygon names the same one; one of a tile that has changed names none.
        again = [place for place, still in zip(places, valid, strict=True) if still]
        assert in_tiles(query, before[valid]) == again
    assert kept > 100


@pytest.mark.parametrize("seed", range(3))
def test_clearances_of_polygons_are_kept_where_nothing_near_has_changed(seed: int) -> None:
    rng, level = np.random.default_rng(seed), plain(seed == 1)
    for pillar in range(30):  # walls all over: room is little
        size, place = rng.uniform([0.4, 2, 0.4], [1, 3, 1]), rng.uniform([0, 0, 0], [SIDE, 0, SIDE])
        level.set_part(f"pillar {pillar}", (BOX * size + place).astype(np.float32), FACES)
    query = NavQuery(level.update())
    query.polygon_clearances()
    kept = 0
    for edit in range(8):
        if edit % 3 == 2:
            level.remove_part(f"box {edit // 3}")
        else:
            put_box(level, f"box {edit // 3}", rng)
        query.update(level.update())
        new = NavQuery(level.update())
        if edit % 4 == 1:
            query.set_flags(query.references()[:5], 0)
        known = query._in_one_piece()._roomiest().known
        kept += int(known.sum())
        some = rng.integers(0, len(known), 20)
        for ours, its in (
            (query.polygon_clearances(in_order(query)[some]), new.polygon_clearances(new.references()[some])),
            (query.polygon_clearances(), new.polygon_clearances()),
        ):
            assert [a.tobytes() for a in ours] == [a.tobytes() for a in its]
    assert kept > 200


def in_order(query: NavQuery) -> U32:
    """References in the order of the navmesh."""
    return query._in_one_piece().references()


def test_found_links_come_and_go() -> None:
    rng = np.random.default_rng(11)
    level = plain(False, generate_links=True, link_jump_height=1.0, link_climb_height=2.0)
    query = NavQuery(level.update())
    most = 0
    for edit in range(6):
        size, place = [8, 1.5, 8], [*rng.uniform(2, 20, 3)]
        level.set_part(f"box {edit % 3}", (BOX * size + place * np.array([1, 0, 1])).astype(np.float32), FACES)
        navmesh = level.update()
        query.update(navmesh)
        check_same(query, NavQuery(navmesh), rng)
        most = max(most, len(navmesh.links))
    assert most > 5


def test_links_that_somebody_changes() -> None:
    rng, level = np.random.default_rng(12), plain()
    query = NavQuery(level.update())
    for links in (LINKS[::-1], LINKS[:1], [], [{**LINKS[0], "end": [28, 0, 2]}], LINKS):
        level.links = links
        query.update(level.update())
        check_same(query, NavQuery(level.update()), rng)
        assert len(query.link_ids(query.references()).nonzero()[0]) == len(links)


def test_tiles_vanish_and_come_back() -> None:
    """Also the first ones, by whose places others are numbered."""
    level = Level(Settings(tile_size=24), bounds=(0, -1, 0, SIDE, 6, SIDE))
    rng = np.random.default_rng(6)
    for x in range(3):
        for z in range(3):
            level.set_part(f"{x} {z}", (BOX * [8, 1, 8] + [x * 10 + 1, -1, z * 10 + 1]).astype(np.float32), FACES)
    query = NavQuery(level.update())
    for name in ("0 0", "2 2", "1 1", "0 1"):
        part = level._parts[name]
        dead = query.nearest([[int(name[0]) * 10 + 5, 0, int(name[2]) * 10 + 5]]).references
        level.remove_part(name)
        query.update(level.update())
        check_same(query, NavQuery(level.update()), rng, True)
        assert not query.is_valid(dead)[0]
        if name != "1 1":
            level.set_part(name, part.geometry.vertices, part.geometry.triangles)
            query.update(level.update())
            check_same(query, NavQuery(level.update()), rng)
            assert not query.is_valid(dead)[0]


def test_another_navmesh_altogether() -> None:
    """Other bounds, other settings, no tiles: all is made anew, and no reference from before names anything."""
    query, dead = NavQuery(plain().update()), []
    rng = np.random.default_rng(7)
    for navmesh in others():
        dead += query.references().tolist()
        query.update(navmesh)
        assert not query.is_valid(dead).any()
        check_same(query, NavQuery(navmesh), rng, True)
    with pytest.raises(BadInput, match="Make a new NavQuery"):
        query.update(read_navmesh(mset_bytes(navmesh)))  # type: ignore[arg-type]
    file = NavQuery(read_navmesh(mset_bytes(navmesh)))
    before = file.references()
    file.update(plain().update())
    assert not file.is_valid(before).any()


def others() -> list[NavMesh]:
    mesh = scenes.city(2, seed=4)
    return [
        build_navmesh(*mesh, Settings()), build_navmesh(*mesh, Settings(tile_size=32)),
        build_navmesh(*mesh, Settings(tile_size=32, agent_max_climb=0.5)),
        build_navmesh(*mesh, Settings(agent_radius=0.3)),
    ]  # fmt: skip


def test_a_list_of_links_that_is_full() -> None:
    """Then links are made anew, because a fresh build may leave out others."""
    rng, level = np.random.default_rng(8), plain()
    query = NavQuery(level.update())
    full = query._followed._linked
    for tile in full.values():
        tile.free[0] = 0xFFFFFFFF
    put_box(level, "box", rng)
    query.update(level.update())
    check_same(query, NavQuery(level.update()), rng)


def test_a_level_that_rises_and_falls() -> None:
    """All its tiles are as high as it is: each of them changes by that alone, and links that come later find it so."""
    rng, level = np.random.default_rng(12), plain(False)
    level.bounds = None
    query = NavQuery(level.update())
    tops = set()
    for edit in range(8):
        level.set_part(
            "box", (BOX * [3, 1 + edit % 3, 3] + rng.uniform(0, 25, 3) * [1, 0, 1]).astype(np.float32), FACES
        )
        references = query.references()
        query.update(level.update())
        check_same(query, NavQuery(level.update()), rng, edit % 4 == 3)
        tops.add(float(query.tiles().high[:, 1].max()))
        assert query.is_valid(references).sum() > len(references) / 4, "tiles that are higher are the same ones"
    assert len(tops) == 3
    level.links = LINKS
    for _ in range(3):
        query.update(level.update())
        check_same(query, NavQuery(level.update()), rng, True)
        put_box(level, "other", rng)


def test_nothing_has_changed() -> None:
    level = plain()
    query = NavQuery(level.update())
    before, mesh = query.references(), query._mesh
    query.update(level.update())
    assert query._mesh is mesh and query.is_valid(before).all()


def test_room_that_is_left_over_is_taken_back() -> None:
    rng, level = np.random.default_rng(9), plain(False)
    query = NavQuery(level.update())
    query._in_tiles()
    for _ in range(3):
        put_box(level, "box", rng)
        query.update(level.update())
    gaps = len(query._mesh.polygons) - len(query.references())
    assert gaps > 0 and not query._tiled.is_wasteful
    monkey = pytest.MonkeyPatch()
    monkey.setattr("navcore.navquery.mesh_in_tiles._SPARE", -10_000)
    put_box(level, "box", rng)
    query.update(level.update())
    monkey.undo()
    assert len(query._mesh.polygons) == len(query.references())
    check_same(query, NavQuery(level.update()), rng, True)


def test_who_keeps_what_was_there_is_not_disturbed() -> None:
    rng, level = np.random.default_rng(10), plain()
    first = level.update()
    query = NavQuery(first)
    kept = [query.as_it_is()]
    crowd, alone = Crowd(query), Crowd(NavQuery(first))
    for each in (crowd, alone):
        each.add_many([[2, 0, 2], [28, 0, 28]], [[28, 0, 27], [2, 0, 3]])
    put_box(level, "box", rng)
    query.update(level.update())
    second = level.update()
    kept.append(query.as_it_is())
    query.set_flags(query.references(), 0)
    assert query.find_path([2, 0, 2], [28, 0, 28]).status == PathStatus.NO_START
    for each, navmesh in zip(kept, (first, second), strict=True):
        check_same(each, NavQuery(navmesh), rng, True)
    for _ in range(20):
        crowd.step(0.1)
        alone.step(0.1)
    assert crowd.positions.tobytes() == alone.positions.tobytes()


def test_a_sliced_search_under_way() -> None:
    """It goes on where its polygons are still there, and fails where one is gone."""
    level, rng = plain(False), np.random.default_rng(3)
    query = NavQuery(level.update())
    ends = np.array([[2, 0, 28], [28, 0, 28]], np.float32)
    near = query.nearest(ends)

    def begun() -> Any:
        search = query.sliced_search(near.references[0], near.references[1], *near.points)
        search.update(1)
        return search

    stays, goes = begun(), begun()
    level.set_part("far", (BOX * [1, 2, 1] + [20, 0, 2]).astype(np.float32), FACES)
    query.update(level.update())
    while not stays.done:
        stays.update(2)
    corridor, status = stays.finalize()
    assert status == SUCCESS and query.is_valid(corridor).all() and corridor[-1] == near.references[1]
    level.set_part("near", (BOX * [1, 2, 1] + [3, 0, 26]).astype(np.float32), FACES)
    query.update(level.update())
    goes.update(1)
    assert goes.done and goes.status == INVALID and len(goes.finalize()[0]) == 0
    for _ in range(3):
        put_box(level, "box", rng)
        query.update(level.update())


def test_a_copy_is_changed_and_follows_alone() -> None:
    """A flat one shared arrays that only one of the two knew to have grown: kernels wrote beyond them."""
    level, rng = plain(), np.random.default_rng(3)
    before = level.update()
    query = NavQuery(before)
    some = query.references()[:3]
    areas = query.areas(some).copy()
    query.set_areas(some, 5)
    other = copy.copy(query)
    other.set_areas(some, 7)
    assert query.areas(some).tolist() == [5, 5, 5]
    other.set_areas(some, areas)
    put_box(level, "box", rng)
    other.update(level.update())
    check_same(other, NavQuery(level.update()), rng)
    query.set_areas(some, areas)
    check_same(query, NavQuery(before), rng)


@pytest.mark.parametrize("changes", [0, 3])
def test_it_can_be_pickled_and_says_what_it_is(changes: int) -> None:
    level, rng = plain(), np.random.default_rng(2)
    query = NavQuery(level.update())
    for _ in range(changes):
        put_box(level, "box", rng)
        query.update(level.update())
    query.set_areas(query.references()[:3], 5)
    again = pickle.loads(pickle.dumps(query))
    assert repr(again) == repr(query)
    ground = len(query.references()) - 3
    assert repr(query) == f"<NavQuery: {ground:,} polygons, 3 off-mesh links, {len(query.tiles().x)} tiles>"
    check_same(again, query, rng, True)
    assert again.areas(query.references()).tolist() == query.areas(query.references()).tolist()
    put_box(level, "box", rng)
    for each in (again, query):
        each.update(level.update())
    check_same(again, query, rng)
