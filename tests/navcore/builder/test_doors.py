"""Doors: polygons exactly under them, flags of their states, and levels that follow them."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from navcore import (
    BadInput,
    BoxVolume,
    ConvexVolume,
    Level,
    NavMesh,
    NavQuery,
    PathStatus,
    Settings,
    build_navmesh,
    read_navmesh,
    rebuild_tiles,
    write_navmesh,
)
from navcore.formats.mset import mset_bytes
from navcore.result.navmesh import world_vertices
from navcore.types import NO_INDEX

FLOOR = np.array([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]], np.float32)
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)
WALL: list[Any] = [
    BoxVolume(area=0, min=(9.5, -1, 0), max=(10.5, 3, 8)),
    BoxVolume(area=0, min=(9.5, -1, 12), max=(10.5, 3, 20)),
]
GATE = BoxVolume(min=(9.5, -1, 8), max=(10.5, 3, 12), door="gate")
START, END = [4, 0, 10], [16, 0, 10]
TILED = Settings(tile_size=16)


def hall(*volumes: Any, settings: Settings = TILED) -> NavMesh:
    return build_navmesh(FLOOR, TRIANGLES, settings, volumes=[*WALL, *volumes])


def gets_there(query: NavQuery) -> bool:
    return bool(query.find_path(START, END).status == PathStatus.COMPLETE)


@pytest.mark.parametrize("settings", [Settings(), TILED, Settings(partition="monotone"), Settings(partition="layers")])
def test_a_closed_door_lets_nobody_pass_and_an_open_one_does(settings: Settings) -> None:
    for closed in (False, True):
        navmesh = hall(replace(GATE, closed=closed), settings=settings)
        query = NavQuery(navmesh)
        assert query.doors == ("gate",)
        assert gets_there(query) is not closed
        query.set_door("gate", closed=not closed)
        assert gets_there(query) is closed
        query.set_door("gate", closed=closed)
        assert gets_there(query) is not closed
        (door,) = navmesh.doors
        assert (door.name, door.open, door.closed, door.is_closed) == ("gate", 1, 0, closed)


def test_a_door_asks_for_its_ability_alone_while_it_is_open(tmp_path: Any) -> None:
    navmesh = hall(replace(GATE, area=3, ability=4))
    (door,) = navmesh.doors
    assert door.open == 4
    write_navmesh(navmesh, tmp_path / "hall.bin")
    query = NavQuery(read_navmesh(tmp_path / "hall.bin"))
    references = np.array(door.polygons)
    assert set(query.flags(references)) == {4} and set(query.areas(references)) == {3}
    others = np.setdiff1d(query.references(), references)
    assert set(query.flags(others)) == {1}


def test_on_ground_of_several_areas_a_door_has_a_row_for_each_kind_of_flags() -> None:
    water = BoxVolume(area=1, min=(0, -1, 0), max=(20, 3, 10))  # asks for swimming, 2
    navmesh = build_navmesh(FLOOR, TRIANGLES, TILED, volumes=[water, *WALL, GATE])
    assert {door.open for door in navmesh.doors} == {1, 2}
    query = NavQuery(navmesh)
    before = query.flags(query.references()).tolist()
    query.set_door("gate", closed=True)
    assert all((query.flags(np.array(door.polygons)) == 0).all() for door in navmesh.doors)
    query.set_door("gate", closed=False)
    assert query.flags(query.references()).tolist() == before


def test_doors_that_touch_stay_apart_and_those_of_one_name_are_one() -> None:
    left = BoxVolume(min=(9.5, -1, 8), max=(10.5, 3, 10), door="left")
    right = BoxVolume(min=(9.5, -1, 10), max=(10.5, 3, 12), door="right", closed=True)
    query = NavQuery(hall(left, right))
    assert gets_there(query)
    query.set_door("left", closed=True)
    assert not gets_there(query)
    both = NavQuery(hall(left, replace(right, door="left", closed=False)))
    assert both.doors == ("left",)
    both.set_door("left", closed=True)
    assert not gets_there(both)


def test_of_doors_that_overlap_the_later_one_has_the_ground() -> None:
    small = BoxVolume(min=(9.5, -1, 9), max=(10.5, 3, 11), door="small")
    names = [tile.doors for tile in hall(GATE, small, settings=Settings()).tiles]
    gate, inner = names[0]
    assert (gate.name, inner.name) == ("gate", "small") and not set(gate.polygons) & set(inner.polygons)
    assert [door.name for door in hall(small, GATE, settings=Settings()).tiles[0].doors] == ["gate"]


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
@pytest.mark.parametrize("tile_size", [0, 16])
def test_a_small_door_in_the_midst_of_ground_is_no_hole(partition: str, tile_size: int) -> None:
    """As an area it would be: Recast takes it for an island that is too small."""
    small = BoxVolume(min=(15, -1, 15), max=(16, 3, 16), door="small")
    navmesh = hall(small, settings=Settings(partition=partition, tile_size=tile_size))
    query = NavQuery(navmesh)
    at = query.nearest([[15.5, 0, 15.5]], (0.05, 2, 0.05)).references
    assert at[0] in navmesh.doors[0].polygons


# --- impossible doors


@pytest.mark.parametrize(
    ("volume", "says"),
    [
        ({"shape": "box", "min": [0, 0, 0], "max": [1, 1, 1]}, "area is missing"),
        ({"shape": "box", "min": [0, 0, 0], "max": [1, 1, 1], "door": "a", "ability": 3}, "one flag"),
        ({"shape": "box", "min": [0, 0, 0], "max": [1, 1, 1], "door": "a", "area": 0}, "walkable"),
        ({"shape": "box", "min": [0, 0, 0], "max": [1, 1, 1], "area": 1, "closed": True}, "doors"),
        ({"shape": "box", "min": [0, 0, 0], "max": [1, 1, 1], "door": 7}, "text"),
    ],
)
def test_an_impossible_door_is_refused(volume: dict[str, Any], says: str) -> None:
    with pytest.raises(BadInput, match=says) as refused:
        hall(volume)
    assert refused.value.code == "BAD_SCENE"


def test_volumes_of_one_name_in_two_states_are_refused() -> None:
    with pytest.raises(BadInput, match=r"volume 4: the door “gate” .* volume 3"):
        hall(GATE, replace(GATE, closed=True))


def test_a_door_without_polygons_is_told() -> None:
    narrow = BoxVolume(min=(9.5, -1, 2), max=(10.5, 3, 4), door="in the wall")
    for navmesh in (hall(narrow), hall(narrow, settings=Settings())):
        told = [warning for warning in navmesh.report.warnings if warning.code == "VOLUME_UNUSED"]
        assert [warning.name for warning in told] == ["in the wall"]


def test_a_door_high_above_the_ground_is_told_once() -> None:
    above = BoxVolume(min=(4, 30, 4), max=(6, 33, 6), door="in the air")
    for navmesh in (hall(above), hall(above, settings=Settings())):
        told = [warning.name for warning in navmesh.report.warnings if warning.code == "VOLUME_UNUSED"]
        assert told == ["in the air"]


def test_an_unknown_door_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(BadInput, match=r"no door “gat”.*Known are “gate”") as refused:
        NavQuery(hall(GATE)).set_door("gat", closed=True)
    assert refused.value.code == "NO_DOOR"


# --- exactly under them


def _inside(outline: np.ndarray, x: float, z: float) -> bool:
    """Even-odd; the twin of what marks cells."""
    found = False
    for (ax, az), (bx, bz) in zip(outline, np.roll(outline, 1, axis=0), strict=True):
        if (az > z) != (bz > z) and x < (bx - ax) * (z - az) / (bz - az) + ax:
            found = not found
    return found


def _depth(outline: np.ndarray, x: float, z: float) -> float:
    """Metres from a place to the outline."""
    starts, along = outline, np.roll(outline, -1, axis=0) - outline
    there = np.array([x, z])
    t = np.clip(((there - starts) * along).sum(1) / (along**2).sum(1), 0, 1)
    return float(np.linalg.norm(starts + along * t[:, None] - there, axis=1).min())


@pytest.mark.parametrize("seed", range(12))
def test_polygons_lie_under_a_door_or_beside_it(seed: int) -> None:
    random = np.random.default_rng(seed)
    corners = int(random.integers(3, 8))
    angles = (np.arange(corners) + random.uniform(0, 0.8, corners)) * (2 * np.pi / corners)
    reach = random.uniform(1.5, 3.5)
    outline = np.round(10 + random.uniform(-3, 3, 2) + reach * np.stack([np.cos(angles), np.sin(angles)], 1), 3)
    door = ConvexVolume(min_height=-1, max_height=3, points=[tuple(point) for point in outline.tolist()], door="gate")
    walls = [
        BoxVolume(area=0, min=(x, -1, z), max=(x + 1, 3, z + 1)) for x, z in random.uniform(2, 17, (6, 2)).tolist()
    ]
    partition = ("watershed", "monotone", "layers")[seed % 3]
    settings = Settings(tile_size=(0, 20)[seed % 2], partition=partition, edge_max_error=0.5, agent_radius=0.3)
    navmesh = build_navmesh(FLOOR, TRIANGLES, settings, volumes=[*walls, door])
    found = 0
    for tile in navmesh.tiles:
        under = {polygon for own in tile.doors for polygon in own.polygons}
        vertices = world_vertices(tile.polygon_mesh).astype(np.float64)
        for number, ring in enumerate(tile.polygon_mesh.polygons):
            ends = vertices[ring[ring != NO_INDEX]][:, [0, 2]]
            x, z = ends.mean(axis=0)
            for at in ((x, z), *ends, *((ends + np.roll(ends, 1, axis=0)) / 2)):
                # Outlines follow cells: what is less than one of them beside its own side may be a sliver.
                if _inside(outline, *at) != (number in under):
                    assert _depth(outline, *at) <= settings.cell_size, (number, ends.tolist())
        found += len(under)
    assert found


def test_a_level_without_doors_has_the_bytes_of_before() -> None:
    """The area of a door's ground is its own: with the door open, only where polygons are cut is another thing."""
    plain = hall()
    assert plain.doors == () and all(tile.doors == () for tile in plain.tiles)
    far = hall(BoxVolume(min=(16, -1, 16), max=(18, 3, 18), door="far"))
    alike = [
        (one.polygon_mesh.polygons.tobytes(), one.key) == (other.polygon_mesh.polygons.tobytes(), other.key)
        for one, other in zip(plain.tiles, far.tiles, strict=True)
    ]
    touched = [any(door.name == "far" for door in tile.doors) for tile in far.tiles]
    assert any(touched) and all(same or there for same, there in zip(alike, touched, strict=True))


# --- by tile


def test_a_door_that_changes_its_state_costs_no_build_and_one_that_moves_its_tiles() -> None:
    level = Level(TILED, volumes=[*WALL, GATE])
    level.set_part("floor", FLOOR, TRIANGLES)
    query = NavQuery(level.update())
    assert len(level.rebuilt) > 4 and gets_there(query)
    level.volumes = (*WALL, replace(GATE, closed=True))
    closed = level.update()
    assert level.rebuilt == () and closed.doors[0].is_closed
    query.update(closed)
    assert not gets_there(query)
    assert mset_bytes(closed) == mset_bytes(hall(replace(GATE, closed=True)))
    moved = replace(GATE, min=(15, -1, 15), max=(16, 3, 16))
    level.volumes = (*WALL, moved)
    away = level.update()
    assert 0 < len(level.rebuilt) < len(away.tiles)
    assert mset_bytes(away) == mset_bytes(hall(moved))
    query.update(away)
    query.set_door("gate", closed=True)
    assert gets_there(query)  # somewhere else


def test_tiles_that_are_rebuilt_or_stored_keep_their_doors(tmp_path: Any) -> None:
    navmesh = hall(replace(GATE, closed=True))
    again = rebuild_tiles(navmesh, (0, -1, 0, 1, 1, 1), FLOOR, TRIANGLES, volumes=[*WALL, GATE])
    assert again.doors == hall(GATE).doors
    for closed in (False, True):
        volumes = [*WALL, replace(GATE, closed=closed)]
        stored = build_navmesh(FLOOR, TRIANGLES, TILED, volumes=volumes, store=tmp_path)
        assert stored.doors == hall(replace(GATE, closed=closed)).doors
    assert stored.report.store is not None and stored.report.store["built"] == 0


def test_pruned_ground_takes_its_doors_along() -> None:
    from navcore import prune_navmesh

    apart = BoxVolume(area=0, min=(9.5, -1, 8), max=(10.5, 3, 12))
    here, there = (BoxVolume(min=(x, -1, 8), max=(x + 2, 3, 12), door=f"at {x}") for x in (4, 14))
    pruned = prune_navmesh(hall(apart, here, there), [[2, 0, 2]])
    assert [door.name for door in pruned.doors] == ["at 4"]
    query = NavQuery(pruned)
    query.set_door("at 4", closed=True)
    closed = query.references()[query.flags(query.references()) == 0]
    assert closed.tolist() == sorted(pruned.doors[0].polygons)


# --- a door that is set again and again


def test_a_door_is_found_again_after_its_tiles_have_moved_and_in_copies() -> None:
    """Where its polygons lie is kept from one change to the next, and is another once tiles have changed."""
    level = Level(TILED, volumes=[*WALL, GATE])
    level.set_part("floor", FLOOR, TRIANGLES)
    query = NavQuery(level.update())
    query.set_door("gate", closed=True)
    crate = BoxVolume(area=0, min=(2, -1, 2), max=(5, 3, 5))
    for volumes in ([*WALL, GATE, crate], [crate, *WALL, replace(GATE, min=(9.5, -1, 7.5))], [*WALL, GATE]):
        level.volumes = tuple(volumes)
        query.update(level.update())
        kept = query.as_it_is()
        for closed in (True, False, True):
            query.set_door("gate", closed=closed)
            new = NavQuery(level.update())
            new.set_door("gate", closed=closed)
            assert gets_there(query) is not closed
            for one in (query, pickle.loads(pickle.dumps(query))):
                assert sorted(one.flags(one.references()).tolist()) == sorted(new.flags(new.references()).tolist())
            kept.set_door("gate", closed=not closed)
            assert gets_there(kept) is closed and gets_there(query) is not closed
