"""Doors of a level in its tile cache: areas of their own, whose flags are those of their states."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    LevelSource,
    NavmeshEdits,
    NavQuery,
    Settings,
    TileCache,
    build_navmesh,
    read_navmesh,
    write_navmesh,
)
from navcore.errors import BadInput, TooLarge
from tests import scenes

SETTINGS = Settings(tile_size=32)
WEST, EAST = [3, 0, 10], [17, 0, 10]


def hall(**said: Any) -> TileCache:
    """Two halves with a wall between, and a gate in its gap."""
    parts = [scenes.box(0, -1, 0, 20, 1, 20), scenes.box(9, 0, 0, 2, 3, 8), scenes.box(9, 0, 12, 2, 3, 8)]
    gate = {"shape": "box", "door": "gate", "min": [9, -1, 7], "max": [11, 1, 13], **said}
    return TileCache(*scenes.join(parts), SETTINGS, volumes=[gate])


WIDE = [[0, 0], [20, 0], [20, 20], [0, 20]]
MARKS: dict[str, dict[str, Any]] = {
    "area": {"edits": NavmeshEdits(area=[{"outline": WIDE, "min_height": -1, "max_height": 1, "area": 2}])},
    "patch": {"edits": NavmeshEdits(patch=[{"vertices": [[x, 0.1, z] for x, z in WIDE], "faces": [[0, 1, 2, 3]]}])},
    "volume": {"volumes": [{"shape": "box", "area": 2, "min": [0, -1, 0], "max": [20, 1, 20]}]},
}


@pytest.mark.parametrize("mark", MARKS)
def test_no_mark_over_a_door_takes_it_away(mark: str) -> None:
    """As in a build, whose doors lie on whatever ground is there. Edits had the last word: the gate was gone."""
    vertices, triangles = scenes.box(0, -1, 0, 20, 1, 20)
    gate = {"shape": "box", "door": "gate", "closed": True, "min": [9, -1, 0], "max": [11, 1, 20]}
    source = LevelSource(
        vertices, triangles, volumes=[gate, *MARKS[mark].get("volumes", [])], edits=MARKS[mark].get("edits")
    )
    navmeshes = [TileCache(source, None, SETTINGS).navmesh, build_navmesh(source, settings=SETTINGS)]
    for query in map(NavQuery, navmeshes):
        assert query.doors == ("gate",) and not is_through(query)
        query.set_door("gate", closed=False)
        assert is_through(query)


def is_through(query: NavQuery) -> bool:
    return int(query.find_path(WEST, EAST).status) == 0


@pytest.mark.parametrize("closed", [False, True])
def test_a_door_has_the_state_that_the_scene_says_and_is_set_at_run_time(closed: bool) -> None:
    cache = hall(closed=closed, ability=4)
    [row] = cache.navmesh.doors
    assert (row.name, row.open, row.closed, row.is_closed) == ("gate", 4, 0, closed)
    query = NavQuery(cache.navmesh)
    assert is_through(query) != closed
    assert set(query.flags(np.array(row.polygons)).tolist()) == {0 if closed else 4}, "by its references"
    for state in (True, False, True):
        query.set_door("gate", closed=state)
        assert is_through(query) != state


def test_obstacles_come_and_go_around_it() -> None:
    """Tiles that are made anew have the state of the scene again, and the door its polygons."""
    cache = hall(closed=True)
    before = sum(len(door.polygons) for door in cache.navmesh.doors)
    query = NavQuery(cache.navmesh)
    crate = cache.add_box([9.5, -0.5, 8.2], [10.5, 1, 8.8])
    cache.update()
    query.update(cache.navmesh)
    assert not is_through(query)
    query.set_door("gate", closed=False)
    assert is_through(query), "past the crate"
    cache.remove(crate)
    cache.update()
    query.update(cache.navmesh)
    query.set_door("gate", closed=True)  # tiles that nothing touched are as they were set
    assert not is_through(query) and sum(len(door.polygons) for door in cache.navmesh.doors) == before


def test_files_keep_doors(tmp_path: Path) -> None:
    cache = hall(closed=True)
    cache.write(tmp_path / "hall.tilecache.bin")
    sidecar = json.loads((tmp_path / "hall.tilecache.json").read_text())
    [row] = sidecar["doors"]
    assert sidecar["areas"][str(row["area"])] == {"name": "gate", "flags": 0, "cost": 1.0}
    again = TileCache.read(tmp_path / "hall.tilecache.bin")
    assert again.files() == cache.files()
    [one], [other] = cache.navmesh.doors, again.navmesh.doors  # tiles are put in in another order
    assert one._replace(polygons=()) == other._replace(polygons=()) and len(one.polygons) == len(other.polygons)
    write_navmesh(again.navmesh, tmp_path / "now.bin")
    assert not is_through(NavQuery(read_navmesh(tmp_path / "now.bin")))
    query = NavQuery(again.navmesh)
    query.set_door("gate", closed=False)
    assert is_through(query)


def test_without_doors_nothing_is_said_of_them() -> None:
    cache = TileCache(*scenes.box(0, -1, 0, 20, 1, 20), SETTINGS)
    assert b"doors" not in cache.files()[1] and cache.navmesh.doors == ()


def test_it_has_the_cost_and_the_flags_of_its_area() -> None:
    [row] = hall(area=3).navmesh.doors
    assert row.open == 5, "as the area table says of doors"


def test_each_needs_an_area() -> None:
    floor = scenes.box(0, -1, 0, 20, 1, 20)
    doors = [
        {"shape": "box", "door": f"d{n}", "min": [n % 8, -1, n // 8], "max": [n % 8 + 0.9, 1, n // 8 + 0.9]}
        for n in range(60)
    ]
    with pytest.raises(TooLarge, match="60 doors are too many for a tile cache") as told:
        TileCache(*floor, SETTINGS, volumes=doors)
    assert told.value.code == "TOO_MANY_DOORS"


@pytest.mark.parametrize(
    "doors",
    [3, [3], [{}], [{"name": "a"}], [{"name": "a", "area": 99, "open": 1, "is_closed": True}],
     [{"name": "a", "area": 60, "open": -1, "is_closed": True}],
     [{"name": "a", "area": 60, "open": 1, "is_closed": 1}]],
)  # fmt: skip
def test_damaged_sidecars_are_refused(doors: Any) -> None:
    content, sidecar = hall().files()
    spoiled = json.dumps({**json.loads(sidecar), "doors": doors}).encode()
    with pytest.raises(BadInput, match="The doors of the tile cache's sidecar must be"):
        TileCache.from_bytes(content, spoiled)
