"""Doors go through files and come back: the same ground below them, in the same state."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BoxVolume,
    Link,
    NavMesh,
    NavmeshError,
    NavQuery,
    PathStatus,
    Settings,
    build_navmesh,
    read_navmesh,
)
from navcore import write_navmesh as write
from navcore.__main__ import main
from navcore.detour.byte_layout import sections
from navcore.detour.reader import NavmeshFile
from navcore.formats import read_navmesh_file
from navcore.result.navmesh import world_vertices
from navcore.types import NO_INDEX

FLOOR = np.array([[0, 0, 0], [0, 0, 20], [20, 0, 20], [20, 0, 0]], np.float32)
TRIANGLES = np.array([[0, 1, 2], [0, 2, 3]], np.int32)


def hall(closed: bool, tile_size: int = 16) -> NavMesh:
    """A wall with two doors, one of which lies on water in part; the other asks for an ability."""
    walls = [
        BoxVolume(area=0, min=(9.5, -1, z), max=(10.5, 3, z + length)) for z, length in ((0, 4), (6.5, 7), (16, 4))
    ]
    water = BoxVolume(area=1, min=(0, -1, 0), max=(20, 3, 5))
    first = BoxVolume(min=(9.5, -1, 4), max=(10.5, 3, 6.5), door="first", closed=closed)
    second = BoxVolume(min=(9.5, -1, 13.5), max=(10.5, 3, 16), door="second", closed=True, ability=32)
    volumes = [*walls, water, first, second]
    return build_navmesh(FLOOR, TRIANGLES, Settings(tile_size=tile_size, agent_radius=0.3), volumes=volumes)


def ground(navmesh: NavMesh) -> dict[str, float]:
    """Square metres below each door, in each state and of each flag."""
    found: dict[str, float] = {}
    for tile in navmesh.tiles:
        vertices = world_vertices(tile.polygon_mesh).astype(np.float64)
        for door in tile.doors:
            for polygon in door.polygons:
                ring = tile.polygon_mesh.polygons[polygon]
                x, _, z = vertices[ring[ring != NO_INDEX]].T
                size = abs(np.dot(x, np.roll(z, 1)) - np.dot(z, np.roll(x, 1))) / 2
                area = int(tile.polygon_mesh.area[polygon])
                key = f"{door.name} {door.closed} {door.ability} {area}"
                found[key] = found.get(key, 0.0) + float(size)
    return found


def gets_there(query: NavQuery) -> bool:
    return bool(query.find_path([4, 0, 10], [16, 0, 10]).status == PathStatus.COMPLETE)


@pytest.mark.parametrize("ending", ["json", "glb", "tscn"])
@pytest.mark.parametrize("closed", [False, True])
@pytest.mark.parametrize("tile_size", [0, 16])
def test_there_and_back(tmp_path: Path, ending: str, closed: bool, tile_size: int) -> None:
    navmesh = hall(closed, tile_size)
    write(navmesh, tmp_path / f"hall.{ending}")
    again = read_navmesh(tmp_path / f"hall.{ending}")
    assert isinstance(again, NavMesh)
    assert ground(again) == pytest.approx(ground(navmesh), abs=1e-3) and len(ground(again)) == 3
    states = [sorted((door.name, door.open, door.closed, door.is_closed) for door in n.doors) for n in (navmesh, again)]
    assert states[0] == states[1] and len(states[0]) == 3
    query = NavQuery(again)
    assert query.doors and gets_there(query) is not closed
    query.set_door("first", closed=not closed)
    assert gets_there(query) is closed
    query.set_door("second", closed=False)
    assert gets_there(query)
    write(again, tmp_path / f"again.{ending}")
    third = read_navmesh(tmp_path / f"again.{ending}")
    assert isinstance(third, NavMesh) and ground(third) == pytest.approx(ground(navmesh), abs=1e-3)


def test_references_in_files_are_those_of_the_bin(tmp_path: Path) -> None:
    navmesh = hall(closed=True)
    write(navmesh, tmp_path / "hall.json")
    write(navmesh, tmp_path / "hall.bin")
    query = NavQuery(read_navmesh(tmp_path / "hall.bin"))
    content = json.loads((tmp_path / "hall.json").read_text())
    schema = json.loads((Path(__file__).resolve().parents[3] / "docs/navmesh.schema.json").read_text())
    pytest.importorskip("jsonschema").validate(content, schema)
    assert {door["name"] for door in content["doors"]} == {"first", "second"}
    for door in content["doors"]:
        assert len(door["polygons"]) == len(door["numbers"]) > 0
        assert (query.flags(np.array(door["polygons"])) == door["closed"]).all()
        assert {content["polygon_mesh"]["flags"][number] for number in door["numbers"]} == {door["closed"]}
        query.set_flags(np.array(door["polygons"]), door["open"])
    assert gets_there(query)


@pytest.mark.parametrize("tile_size", [0, 16])
@pytest.mark.parametrize("ending", ["json", "glb", "tscn"])
def test_with_64_bits_they_are_those_of_such_a_bin(tmp_path: Path, ending: str, tile_size: int) -> None:
    """They were those of 32 bits, which name nothing in an engine that reads the .bin."""
    navmesh = hall(closed=True, tile_size=tile_size)
    write(navmesh, tmp_path / f"hall.{ending}", reference_bits=64)
    write(navmesh, tmp_path / "hall.bin", reference_bits=64)
    read = read_navmesh(tmp_path / "hall.bin")
    assert isinstance(read, NavmeshFile)
    flags = {  # by what an engine calls each polygon: 16 bits of salt, 28 of the slot, 20 of the polygon
        1 << 48 | slot << 20 | number: int(row["flags"])
        for slot, tile in enumerate(read.tiles)
        for number, row in enumerate(sections(tile.data).polygons)
    }
    doors = read_navmesh_file(tmp_path / f"hall.{ending}").doors
    assert doors is not None and {door.name for door in doors.rows} == {"first", "second"}
    under = [reference for door in doors.rows for reference in door.polygons]
    assert set(under) == {reference for reference, flag in flags.items() if flag == 0}


@pytest.mark.parametrize("corners", [6, 12])
def test_a_level_in_one_piece_has_the_references_of_its_bin_also_beside_links(tmp_path: Path, corners: int) -> None:
    """Links count among its polygons; what no .bin can hold has doors all the same."""
    walls = [BoxVolume(area=0, min=(9.5, -1, z), max=(10.5, 3, z + 8)) for z in (0, 12)]
    gate = BoxVolume(min=(9.5, -1, 8), max=(10.5, 3, 12), door="gate", closed=True)
    away = Link(start=(4, 9, 4), end=(6, 9, 4))  # above all ground: none of its own
    for count in range(6):
        links = [away, *(Link(start=(4, 0, 4 + step), end=(7, 0, 4 + step)) for step in range(count))]
        settings = Settings(vertices_per_polygon=corners)
        navmesh = build_navmesh(FLOOR, TRIANGLES, settings, volumes=[*walls, gate], links=links)
        write(navmesh, tmp_path / "hall.json")
        [door] = json.loads((tmp_path / "hall.json").read_text())["doors"]
        assert door["numbers"]
        if corners == 6:
            query = NavQuery(navmesh)
            known = query.references()
            under = known[query.flags(known) == 0].tolist()
            assert under == door["polygons"] == list(navmesh.doors[0].polygons)


def test_other_references_than_those_of_the_file_are_told(tmp_path: Path) -> None:
    """What is read is one piece. Written again, it has the references of its own .bin, and not of the one in tiles."""
    for tile_size, told in ((0, []), (16, ["DOORS_RENUMBERED"])):
        write(hall(closed=True, tile_size=tile_size), tmp_path / "hall.json")
        again = read_navmesh(tmp_path / "hall.json")
        assert isinstance(again, NavMesh) and [warning.code for warning in again.report.warnings] == told
        query = NavQuery(again)
        assert all((query.flags(np.array(door.polygons)) == door.closed).all() for door in again.doors)


def test_convert_keeps_references_unless_it_writes_a_bin(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write(hall(closed=True), "hall.json")
    assert main(["convert", "hall.json", "-o", "same.json"]) == 0
    assert (tmp_path / "same.json").read_bytes() == (tmp_path / "hall.json").read_bytes()
    assert capsys.readouterr().err == ""
    assert main(["convert", "hall.json", "-o", "other.json", "-o", "other.bin"]) == 0
    assert "DOORS_RENUMBERED" in capsys.readouterr().err
    before, after = (json.loads((tmp_path / name).read_text()) for name in ("hall.json", "other.json"))
    query = NavQuery(read_navmesh("other.bin"))
    under = [reference for door in after["doors"] for reference in door["polygons"]]
    known = query.references()
    assert sorted(under) == known[query.flags(known) == 0].tolist()
    for content in (before, after):
        for door in content["doors"]:
            door["polygons"] = []
    assert after == before, "all else stays"


def test_in_godot_a_door_is_a_region_of_its_name(tmp_path: Path) -> None:
    write(hall(closed=False), tmp_path / "hall.tscn")
    text = (tmp_path / "hall.tscn").read_text()
    assert '[node name="second" type="NavigationRegion3D" parent="."]' in text
    closed, opened = (text.split(f'[node name="{name}"')[1].split("metadata")[0] for name in ("second", "first"))
    assert "\nenabled = false\n" in closed and "enabled" not in opened
    layers = [int(region.split("navigation_layers = ")[1].split("\n")[0]) for region in (closed, opened)]
    assert layers[0] == 32 | 1 and layers[1] in (1, 2 | 1), "whoever enables it opens it"
    assert '[node name="first ' in text, "on water and beside it: two regions"


@pytest.mark.parametrize(
    "change", [{"numbers": [10_000]}, {"name": 7}, {"open": -1}, {"numbers": [1, 1]}, {"polygons": 3}, {"more": 1}]
)
def test_doors_that_no_file_has_are_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    write(hall(closed=False), tmp_path / "hall.json")
    content = json.loads((tmp_path / "hall.json").read_text())
    content["doors"][0] |= change
    (tmp_path / "hall.json").write_text(json.dumps(content))
    with pytest.raises(NavmeshError, match=r"[Dd]oor"):
        read_navmesh(tmp_path / "hall.json")


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        (
            "hall.tres",
            None,
            "A NavigationMesh has no areas and no doors: left out. A closed door is open ground there. ",
        ),
        ("hall.obj", None, "An .obj holds no doors: left out. A closed door is open ground there. "),
        (
            "hall.glb",
            "pathfinding",
            "Three-pathfinding and yuka have no areas and no doors: left out. A closed door is ",
        ),
    ],
)
def test_a_file_without_doors_is_told_to_have_none(tmp_path: Path, name: str, target: str | None, said: str) -> None:
    warnings = write(hall(closed=False), tmp_path / name, target)
    [told] = [w.message for w in warnings if "doors" in w.message]
    assert told.startswith(said) and told.endswith("Export to .json where they are needed.")


def test_a_file_for_one_size_of_agents_is_told_to_be(tmp_path: Path) -> None:
    navmesh = build_navmesh(FLOOR, TRIANGLES, sizes=[("human", 0.6, 2.0), ("ogre", 1.2, 3.0)])
    warnings = write(navmesh, tmp_path / "hall.obj")
    assert [w.message for w in warnings if w.code == "LOST_IN_EXPORT"] == [
        "An .obj holds no sizes of agents: left out. Export to .json where they are needed."
    ]


def test_a_set_for_recastdemo_leaves_doors_out_and_says_so(tmp_path: Path) -> None:
    from navcore import LevelSource
    from navcore.formats.target_catalog import ExportOptions

    door = BoxVolume(min=(9.5, -1, 4), max=(10.5, 3, 6.5), door="first")
    level = LevelSource(FLOOR, TRIANGLES, volumes=[BoxVolume(area=1, min=(0, -1, 0), max=(5, 3, 5)), door])
    warnings = write(build_navmesh(level), tmp_path / "hall.gset", options=ExportOptions(level=level))
    assert [w.code for w in warnings if "“first”" in w.message] == ["LOST_IN_EXPORT"]
    volumes = [line for line in (tmp_path / "hall.gset").read_text().splitlines() if line.startswith("v ")]
    assert [line.split()[2] for line in volumes] == ["1"]
