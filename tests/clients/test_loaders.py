"""The npm package of `loaders/npm`, from its packed archive in an empty project: `python3 dev.py clients`."""

from __future__ import annotations

import json
import re
import shutil
import statistics
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import (
    BoxVolume,
    NavMesh,
    NavQuery,
    QueryFilter,
    Settings,
    build_navmesh,
    navmesh_from_polygons,
    read_navmesh,
)
from navcore.area_types import AREA_TYPES
from navcore.formats import read_navmesh_file, write_navmesh
from navcore.wide_links import Point
from tests import scenes
from tests.clients.test_clients import BUILDS, HERE, PAIRS, PRELUDE, client, export, pairs, pytestmark, told_of
from tests.clients.test_page import CHROMIUM
from tests.wide_links import ACROSS, CLIMB, DROP, HIGH, JUMP, LOW, PLATFORMS, platforms

__all__ = ["pytestmark"]  # as all tests of clients: only where the npm packages are

PACKAGE = HERE.parents[1] / "loaders/npm"
LIBRARIES = ("@recast-navigation", "navcat", "mathcat", "three", "three-pathfinding")
CLIENTS = ("recast", "detour", "navcat", "three")


def empty_project(folder: Path) -> Path:
    """One that nothing but the archive was installed into."""
    packed = run("npm", "pack", str(PACKAGE), "--pack-destination", str(folder), cwd=folder).split()[-1]
    (folder / "package.json").write_text('{"name": "empty", "private": true, "type": "module"}')
    quiet = ("--offline", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", "--no-fund")
    run("npm", "install", *quiet, str(folder / packed), cwd=folder)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty project with the libraries that the tests of clients have."""
    folder = empty_project(tmp_path_factory.mktemp("loaders"))
    for name in LIBRARIES:
        (folder / "node_modules" / name).symlink_to(HERE / "node_modules" / name)
    shutil.copy(HERE / "loaders.mjs", folder)
    return folder


def run(*command: str, cwd: Path) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def told(project: Path, file: Path, asked: Path) -> dict[str, Any]:
    return json.loads(run("node", "loaders.mjs", str(file), str(asked), cwd=project).splitlines()[-1])


def own_lengths(file: Path, asked: Path, costs: dict[int, float] | None = None) -> list[float]:
    """What navcore's own queries say."""
    ways = json.loads(asked.read_text())
    starts, ends = (np.array([way[name] for way in ways], np.float32) for name in ("from", "to"))
    return NavQuery(read_navmesh(file)).find_paths(starts, ends, filter=QueryFilter(costs=costs or {})).length.tolist()


@pytest.mark.parametrize(("level", "size"), BUILDS)
@pytest.mark.parametrize("name", ["json", "glb"])
def test_ways_are_as_long_as_navcores(project: Path, level: str, size: int, name: str) -> None:
    """In one piece each way of Recast and navcat; else, as a .glb has triangles and tiles become one, most."""
    asked = pairs(level, size)
    found, own = told(project, export(level, size, name), asked), own_lengths(export(level, size, "bin"), asked)
    for library in CLIENTS:
        ratios = [way["length"] / length for way, length in zip(found[library], own, strict=True)]
        assert len(ratios) == PAIRS
        assert statistics.median(ratios) == pytest.approx(1, abs=0.01), library
        if name == "json" and size == 0 and library != "three":
            assert ratios == pytest.approx([1] * PAIRS, abs=0.01), library


TO_DETOUR = """
import fs from 'node:fs';
import { loadNavmesh, toDetour } from 'navmesh-loader';
fs.writeFileSync('made.bin', toDetour(loadNavmesh(fs.readFileSync(process.argv[2]))));
"""


@pytest.mark.parametrize("level", ["city", "stairs"])
def test_bytes_for_detour_are_sound_and_load_in_babylon_and_playcanvas(project: Path, level: str) -> None:
    """navcore's own reader refuses what is unsound."""
    (project / "to-detour.mjs").write_text(TO_DETOUR)
    run("node", "to-detour.mjs", str(export(level, 0, "json")), cwd=project)
    made, asked = project / "made.bin", pairs(level, 0)
    own = own_lengths(export(level, 0, "bin"), asked)
    assert own_lengths(made, asked) == pytest.approx(own, rel=1e-4)
    for name in ("babylon", "babylon-addon"):
        assert client(name, made, asked)["lengths"] == pytest.approx(own, rel=0.01)
    assert client("playcanvas", made, asked)["left"] < 0.31


def test_links_are_those_of_the_file_in_bytes_for_detour(project: Path, tmp_path: Path) -> None:
    (project / "to-detour.mjs").write_text(TO_DETOUR)
    write_navmesh(platforms(JUMP, DROP), tmp_path / "wide.json")
    run("node", "to-detour.mjs", str(tmp_path / "wide.json"), cwd=project)
    again, navmesh = read_navmesh_file(project / "made.bin"), read_navmesh_file(tmp_path / "wide.json")
    assert [link.to_mapping() for link in again.links] == [link.to_mapping() for link in navmesh.links]
    assert len(again.links) == 10


def test_polygons_of_many_corners_are_cut_for_detour(project: Path, tmp_path: Path) -> None:
    (project / "to-detour.mjs").write_text(TO_DETOUR)
    turns = [2 * np.pi * (k + 0.5) / 12 for k in range(12)]
    apothem = 5 * np.cos(np.pi / 12)
    vertices = [(x + 5 * np.cos(t), 0, -5 * np.sin(t)) for x in (0, 2 * apothem) for t in turns]
    faces = [list(range(12)), list(range(12, 24))]
    room = navmesh_from_polygons(vertices, faces, Settings(vertices_per_polygon=12), keep_faces=True)
    write_navmesh(room, tmp_path / "room.json")
    (tmp_path / "pairs.json").write_text(json.dumps([{"from": [-3, 0, 0], "to": [2 * apothem + 3, 0, 1]}]))
    run("node", "to-detour.mjs", str(tmp_path / "room.json"), cwd=project)
    rings = json.loads((tmp_path / "room.json").read_text())["polygon_mesh"]["polygons"]
    assert [len(ring) for ring in rings] == [12, 12]
    assert len(read_navmesh_file(project / "made.bin").area) == 2 * 3  # 6, 6 and 4 corners
    found = told(project, tmp_path / "room.json", tmp_path / "pairs.json")
    for library in CLIENTS:
        assert found[library][0]["length"] == pytest.approx(np.hypot(2 * apothem + 6, 1), rel=1e-3), library


WAYS: list[tuple[Point, Point, list[str]]] = [
    (HIGH, ACROSS, ["jump"]), (ACROSS, HIGH, ["jump"]), (HIGH, LOW, ["drop"]), (ACROSS, LOW, ["jump", "drop"]),
]  # fmt: skip


@pytest.mark.parametrize("name", ["json", "glb"])
def test_links_are_taken_and_know_their_kinds(project: Path, name: str, tmp_path: Path) -> None:
    asked = tmp_path / "pairs.json"
    asked.write_text(json.dumps([{"from": start, "to": end} for start, end, _ in WAYS]))
    navmesh = platforms(JUMP, DROP)
    for ending in (name, "bin"):
        write_navmesh(navmesh, tmp_path / f"wide.{ending}")
    found, own = told(project, tmp_path / f"wide.{name}", asked), own_lengths(tmp_path / "wide.bin", asked)
    for library in CLIENTS:
        for way, length, (_, end, kinds) in zip(found[library], own, WAYS, strict=True):
            assert way["end"] == pytest.approx(end, abs=0.3), library
            if name == "json":
                assert way["length"] == pytest.approx(length, rel=0.01), library
            assert library == "detour" or way["kinds"] == kinds
    links = found["navmesh"]["links"]
    assert {link["kind"] for link in links} == {"jump", "drop"}
    assert all(len(link["corners"]) == 4 for link in links)


def test_links_that_nobody_numbered_are_told_apart(project: Path, tmp_path: Path) -> None:
    """All have the id 0 then: a connection knows its link, the number alone none."""
    across, down = ([9, 2, 6], [13, 2, 6]), ([1, 2, 6], [-2, 0, 6])
    links = [{"start": start, "end": end} for start, end in (across, down)]
    write_navmesh(build_navmesh(*PLATFORMS, Settings(), links=links), tmp_path / "given.json")
    (tmp_path / "pairs.json").write_text(json.dumps([{"from": HIGH, "to": ACROSS}, {"from": HIGH, "to": LOW}]))
    ways = told(project, tmp_path / "given.json", tmp_path / "pairs.json")["recast"]
    assert [way["starts"] for way in ways] == [[across[0]], [down[0]]]
    assert [way["byId"] for way in ways] == [[None], [None]]


def test_where_no_link_leads_there_is_no_way(project: Path, tmp_path: Path) -> None:
    asked = tmp_path / "pairs.json"
    asked.write_text(json.dumps([{"from": LOW, "to": ACROSS}, {"from": LOW, "to": HIGH}]))
    write_navmesh(platforms(CLIMB), tmp_path / "climb.json")
    found = told(project, tmp_path / "climb.json", asked)
    assert found["three"][0] is None
    assert found["recast"][0]["end"][0] < 11 and found["navcat"][0]["end"][0] < 11
    assert all(found[library][1]["kinds"] == ["climb"] for library in ("recast", "navcat", "three"))


@cache
def ford(cost: float) -> NavMesh:
    """A meadow with water across, but for a strip at its far end; what a metre of water costs."""
    water = {"shape": "box", "area": 1, "min": [14, -1, -1], "max": [18, 1, 24]}
    types = {**AREA_TYPES, 1: AREA_TYPES[1]._replace(cost=cost)}
    return build_navmesh(*scenes.box(0, -1, 0, 32, 1, 32), Settings(), volumes=[water], area_types=types)


@pytest.mark.parametrize("name", ["json", "glb"])
def test_what_areas_cost_changes_the_way(project: Path, name: str, tmp_path: Path) -> None:
    asked = tmp_path / "pairs.json"
    asked.write_text(json.dumps([{"from": [4, 0, 6], "to": [28, 0, 6]}]))
    lengths: dict[float, dict[str, float]] = {}
    for cost in (1.0, 20.0):
        for ending in (name, "bin"):
            write_navmesh(ford(cost), tmp_path / f"ford.{ending}")
        found = told(project, tmp_path / f"ford.{name}", asked)
        assert found["navmesh"]["areaTypes"]["1"] == {"name": "water", "flags": 2, "cost": cost}
        lengths[cost] = {library: found[library][0]["length"] for library in CLIENTS}
        [own] = own_lengths(tmp_path / "ford.bin", asked, {1: cost})
        for library in ("recast", "navcat", "three"):
            assert lengths[cost][library] == pytest.approx(own, rel=0.01), library
    assert all(lengths[20.0][library] > 1.5 * lengths[1.0][library] for library in ("recast", "navcat", "three"))
    assert lengths[20.0]["detour"] == pytest.approx(lengths[1.0]["detour"])  # bytes have no costs


def test_the_code_of_the_page_walks_to_the_goal(project: Path) -> None:
    """The page's code as one program."""
    page = (HERE.parents[1] / "docs/engines/loaders.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```js\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    shutil.copy(export("city", 0, "json"), project / "level.json")
    (project / "page.mjs").write_text(PRELUDE + "".join(blocks) + "process.exit(0);\n", encoding="utf-8")
    ends = told_of(run("node", "page.mjs", cwd=project))
    assert len(ends) == len(blocks) == 3
    for end in ends:
        x, _, z = (float(number) for number in re.findall(r"-?\d+\.?\d*", end)[-3:])
        assert abs(x - 40) < 0.7 and abs(z - 40) < 0.7, end


@cache
def gate() -> NavMesh:
    """Two meadows with a wall between, and a gate in it: an area of its own."""
    parts = [scenes.box(0, -1, 0, 20, 1, 20), scenes.box(9, 0, 0, 2, 3, 8), scenes.box(9, 0, 12, 2, 3, 8)]
    area = {"shape": "box", "area": 3, "min": [9, -1, 7], "max": [11, 1, 13]}
    return build_navmesh(*scenes.join(parts), Settings(), volumes=[area])


def with_door(path: Path, by_reference: bool) -> list[int]:
    """Write the gate with its polygons as a door, by number or by reference of the .bin; returns the numbers."""
    write_navmesh(gate(), path)
    content = json.loads(path.read_text())
    numbers = [k for k, area in enumerate(content["polygon_mesh"]["areas"]) if area == 3]
    first = 1 << (len(content["polygon_mesh"]["areas"]) - 1).bit_length() if by_reference else 0
    row = {"name": "gate", "polygons": [first + k for k in numbers], "open": 5, "closed": 0}
    path.write_text(json.dumps({**content, "doors": [row]}))
    return numbers


@pytest.mark.parametrize("by_reference", [False, True])
def test_doors_open_and_close(project: Path, by_reference: bool, tmp_path: Path) -> None:
    assert with_door(tmp_path / "gate.json", by_reference)
    states: list[dict[str, bool]] = [{}, {"gate": False}, {"gate": True}]
    asked = [{"from": [3, 0, 10], "to": [17, 0, 10], "doors": state} for state in states]
    (tmp_path / "pairs.json").write_text(json.dumps(asked))
    found = told(project, tmp_path / "gate.json", tmp_path / "pairs.json")
    for library in ("recast", "navcat", "three"):
        is_through = [way is not None and way["end"][0] > 16 for way in found[library]]
        assert is_through == [True, False, True], library


@pytest.mark.parametrize(("ending", "tile_size"), [("json", 0), ("json", 32), ("glb", 0)])
def test_doors_are_those_that_the_file_counts(project: Path, ending: str, tile_size: int, tmp_path: Path) -> None:
    """Of a .tscn polygons come in another order than in the .bin: its references name ground beside the door."""
    parts = [scenes.box(0, -1, 0, 20, 1, 20), scenes.box(9, 0, 0, 2, 3, 8), scenes.box(9, 0, 12, 2, 3, 8)]
    door = BoxVolume(door="gate", closed=True, min=(9, -1, 7), max=(11, 1, 13))
    write_navmesh(
        build_navmesh(*scenes.join(parts), Settings(tile_size=tile_size), volumes=[door]), tmp_path / "n.tscn"
    )
    write_navmesh(read_navmesh_file(tmp_path / "n.tscn"), tmp_path / f"n.{ending}")
    states: list[dict[str, bool]] = [{}, {"gate": True}, {"gate": False}]
    (tmp_path / "pairs.json").write_text(
        json.dumps([{"from": [3, 0, 10], "to": [17, 0, 10], "doors": state} for state in states])
    )
    found = told(project, tmp_path / f"n.{ending}", tmp_path / "pairs.json")
    for library in ("recast", "navcat", "three"):
        is_through = [way is not None and way["end"][0] > 16 for way in found[library]]
        assert is_through == [False, True, False], library


def test_doors_open_and_close_beside_polygons_of_many_corners(project: Path, tmp_path: Path) -> None:
    """Detour holds six corners: what has more comes in pieces, and the door's own polygons have other numbers then."""
    numbers = with_door(tmp_path / "n.json", by_reference=False)
    content = json.loads((tmp_path / "n.json").read_text())
    mesh = content["polygon_mesh"]
    first = len(mesh["vertices"])
    mesh["vertices"] += [[40 + 3 * np.cos(a), 0.2, 10 - 3 * np.sin(a)] for a in np.arange(10) * np.pi / 5]
    mesh["polygons"].insert(0, list(range(first, first + 10)))
    mesh["areas"].insert(0, 0)
    mesh["flags"].insert(0, 1)
    content["doors"][0]["numbers"] = [number + 1 for number in numbers]
    (tmp_path / "n.json").write_text(json.dumps({**content, "detail_mesh": None}))
    states: list[dict[str, bool]] = [{}, {"gate": False}, {"gate": True}]
    (tmp_path / "pairs.json").write_text(
        json.dumps([{"from": [3, 0, 10], "to": [17, 0, 10], "doors": state} for state in states])
    )
    found = told(project, tmp_path / "n.json", tmp_path / "pairs.json")
    for library in ("recast", "navcat", "three"):
        is_through = [way is not None and way["end"][0] > 16 for way in found[library]]
        assert is_through == [True, False, True], library


def test_who_asks_from_a_closed_door_starts_beside_it(project: Path, tmp_path: Path) -> None:
    """The nearest ground that lets somebody pass, in three-pathfinding as in the others."""
    with_door(tmp_path / "gate.json", by_reference=False)
    places = [([10.8, 0, 10], [17, 0, 10]), ([3, 0, 10], [9.2, 0, 10])]
    asked = [{"from": start, "to": end, "doors": {"gate": False}} for start, end in places]
    (tmp_path / "pairs.json").write_text(json.dumps(asked))
    found = told(project, tmp_path / "gate.json", tmp_path / "pairs.json")
    for one, other in zip(found["three"], found["recast"], strict=True):
        assert one["end"][::2] == pytest.approx(other["end"][::2], abs=0.05)  # seen from above
        assert one["length"] == pytest.approx(other["length"], rel=0.02)


@pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium here (Debian: apt-get install chromium)")
def test_a_page_in_chromium_loads_it_without_a_build_step(project: Path) -> None:
    shutil.copy(export("city", 0, "json"), project / "level.json")
    found = json.loads(run("node", str(HERE / "loader-page.mjs"), str(project), cwd=project).splitlines()[-1])
    assert found["errors"] == []
    for library in ("recast", "navcat", "three"):
        x, _, z = found["ends"][library]
        assert abs(x - 40) < 0.7 and abs(z - 40) < 0.7, library


def test_foreign_and_damaged_files_are_refused_by_name(project: Path) -> None:
    for name in ("json", "glb", "bin"):
        shutil.copy(export("stairs", 0, name), project / f"level.{name}")
    shutil.copy(HERE / "damaged.mjs", project)
    found = json.loads(run("node", "damaged.mjs", cwd=project))
    codes = {name: None if told is None else told[0] for name, told in found["told"].items()}
    assert codes == {
        "empty": "CUT_OFF", "html": "NOT_A_NAVMESH", "other": "NOT_A_NAVMESH", "number": "NOT_A_NAVMESH",
        "nothing": "NOT_A_NAVMESH", "half": "NOT_A_NAVMESH", "halfGlb": "CUT_OFF", "foreign": "NOT_A_NAVMESH",
        "bin": "NOT_A_NAVMESH", "list": "BAD_INPUT", "version": "BAD_VERSION", "unit": "BAD_UNIT", "corner": "UNSOUND",
        "point": "UNSOUND", "areas": "UNSOUND", "links": "UNSOUND", "door": "UNSOUND",
        "numbers": "UNSOUND",
        "cost": "UNSOUND", "wide": "UNSOUND", "half points": "UNSOUND", "detail": "UNSOUND", "of no polygon": "UNSOUND",
        "no extras": None, "no primitive": "UNSOUND", "half a number": "UNSOUND",
    }  # fmt: skip
    assert "web page" in found["told"]["html"][1] and "importNavMesh" in found["told"]["bin"][1]
    assert "Polygon 3" in found["told"]["corner"][1]
    assert len(set(found["same"])) == 1 and found["doors"][0]["name"] == "gate" and found["none"] == []


TYPED = """
import { loadNavmesh, toNavcat, toRecast, toThreePathfinding, type Link, type Navmesh } from 'navmesh-loader';
const navmesh: Navmesh = loadNavmesh(new ArrayBuffer(4));
const kind: 'given' | 'drop' | 'jump' | 'climb' = navmesh.links[0].kind;
const cost: number = navmesh.areaTypes[1].cost;
const { query } = await toRecast(navmesh);
const { filter } = await toNavcat(navmesh);
const way = (await toThreePathfinding(navmesh)).findPath({ x: 0, y: 0, z: 0 }, { x: 1, y: 0, z: 0 });
const links: Link[] = way === null ? [] : way.links;
// @ts-expect-error
loadNavmesh(5);
// @ts-expect-error
navmesh.polygon_mesh;
export { kind, cost, query, filter, links };
"""

OF_THE_LIBRARIES = """
// @ts-expect-error
query.computeWay();
// @ts-expect-error
filter.price();
"""


@pytest.mark.parametrize("has_libraries", [False, True])
def test_types_are_those_of_the_package(project: Path, has_libraries: bool, tmp_path: Path) -> None:
    """Also where none of the libraries is installed."""
    folder = project if has_libraries else empty_project(tmp_path)
    (folder / "typed.ts").write_text(TYPED + OF_THE_LIBRARIES * has_libraries)
    rules = ["--noEmit", "--strict", "--module", "esnext", "--moduleResolution", "bundler", "--target", "es2022"]
    rules += ["--skipLibCheck"] * has_libraries  # their own types do not all pass
    run("node", str(HERE / "node_modules/typescript/bin/tsc"), *rules, "typed.ts", cwd=folder)
