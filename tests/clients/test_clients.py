"""Exports in the engines and libraries they are for: `python3 dev.py clients`."""

from __future__ import annotations

import json
import os
import re
import shutil
import statistics
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.area_types import AREA_TYPES
from navcore.formats import write_navmesh
from navcore.formats.target_catalog import ExportOptions
from navcore.wide_links import Point, WideLink
from tests import scenes
from tests.wide_links import ACROSS, CLIMB, DROP, HIGH, JUMP, LOW, PLATFORMS, platforms

HERE = Path(__file__).parent
OUT = HERE.parents[1] / "out/clients"
LEVELS = {
    "plaza": scenes.plaza(6),
    "city": scenes.city(3),
    "terrain": scenes.terrain(120, 0.3),
    "stairs": scenes.stairs(),
}
BUILDS = [(level, size) for level in LEVELS for size in (0, 32)]
PAIRS = 60

pytestmark = pytest.mark.skipif(
    not (HERE / "node_modules").is_dir(), reason="the npm packages are not there: run `python3 dev.py clients`"
)


@cache
def built(level: str, tile_size: int) -> NavMesh:
    return build_navmesh(*LEVELS[level], Settings(tile_size=tile_size))


@cache
def export(level: str, tile_size: int, name: str) -> Path:
    """The file `level.name` of a build, for instance city-32.pathfinding.glb."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{level}-{tile_size}.{name}"
    write_navmesh(built(level, tile_size), path)
    return path


def client(name: str, *arguments: Path | str) -> Any:
    """What a client says of a file."""
    command = ["node", str(HERE / "clients.mjs"), name, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@cache
def pairs(level: str, tile_size: int) -> Path:
    """Pairs of points with the length of the way that Detour finds between them."""
    path = OUT / f"{level}-{tile_size}.pairs.json"
    path.write_text(json.dumps(client("pairs", export(level, tile_size, "bin"), str(PAIRS))))
    return path


def lengths_of(level: str, tile_size: int) -> list[float]:
    return [pair["length"] for pair in json.loads(pairs(level, tile_size).read_text())]


def ratios(found: list[float | None], wanted: list[float]) -> list[float]:
    return [a / b for a, b in zip(found, wanted, strict=True) if a is not None]


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("closed", [False, True])
def test_a_game_opens_and_closes_doors_by_the_flags_of_a_file(closed: bool, tile_size: int, tmp_path: Path) -> None:
    """The .bin has the state that the scene says; references and flags of both come from the .json beside it."""
    hall = scenes.join([scenes.box(0, -1, 0, 20, 1, 20), scenes.box(9, 0, 0, 2, 3, 8), scenes.box(9, 0, 12, 2, 3, 8)])
    gate = {"shape": "box", "door": "gate", "closed": closed, "ability": 4, "min": [9, -1, 7], "max": [11, 1, 13]}
    navmesh = build_navmesh(*hall, Settings(tile_size=tile_size), volumes=[gate])
    for name in ("hall.bin", "hall.json"):
        write_navmesh(navmesh, tmp_path / name)
    doors = json.loads((tmp_path / "hall.json").read_text())["doors"]
    (tmp_path / "asked.json").write_text(json.dumps({"doors": doors, "from": [3, 0, 10], "to": [17, 0, 10]}))
    told = client("doors", tmp_path / "hall.bin", tmp_path / "asked.json")
    assert told["found"] == [not closed, False, True, False]
    assert [set(flags) for flags in told["flags"]] == [{0}]
    assert [(door["open"], door["closed"]) for door in doors] == [(4, 0)]


@pytest.mark.parametrize(("level", "size"), BUILDS)
@pytest.mark.parametrize("name", ["glb", "pathfinding.glb"])
def test_khronos_validator_has_nothing_to_say(level: str, size: int, name: str) -> None:
    told = client("khronos", export(level, size, name))
    assert (told["errors"], told["warnings"], told["infos"]) == (0, 0, 0), told["messages"]


@pytest.mark.parametrize(("level", "size"), BUILDS)
@pytest.mark.parametrize("name", ["glb", "pathfinding.glb"])
def test_three_pathfinding_finds_ways_as_long_as_detours(level: str, size: int, name: str) -> None:
    """Its search is greedier than Detour's (whole triangles against squared metres), so not each way is as short."""
    told = client("three", export(level, size, name), pairs(level, size))
    found = ratios(told["lengths"], lengths_of(level, size))
    assert len(found) > 0.8 * PAIRS
    assert statistics.median(found) == pytest.approx(1, abs=0.01)
    assert sum(abs(ratio - 1) < 0.05 for ratio in found) > 0.6 * len(found)
    if name == "glb":
        assert told["meshes"] == ["navmesh", "navmesh_detail"] and "_area" in told["attributes"]
        assert told["extras"]["navmesh"]["settings"]["cell_size"] == 0.3
    else:
        assert told["meshes"] == ["navmesh"] and told["attributes"] == ["position"]


@pytest.mark.parametrize(("level", "size"), [(level, size) for level, size in BUILDS if level != "city"])
def test_yuka_finds_ways_as_long_as_detours(level: str, size: int) -> None:
    """Not in the city: yuka can't be asked for a way to an island that is a single convex piece."""
    told = client("yuka", export(level, size, "pathfinding.glb"), pairs(level, size))
    found = ratios(told["lengths"], lengths_of(level, size))
    assert len(found) > 0.9 * PAIRS
    assert statistics.median(found) == pytest.approx(1, abs=0.06)


@pytest.mark.parametrize(("level", "size"), BUILDS)
def test_recast_navigation_js_walks_a_crowd_to_its_goal(level: str, size: int) -> None:
    told = client("recast", export(level, size, "bin"), pairs(level, size))
    assert told["lengths"] == lengths_of(level, size)
    assert told["left"] < 0.31 and told["seconds"] < 60


@pytest.mark.parametrize(("found", "goal"), [(JUMP, ACROSS), (DROP, LOW), (CLIMB, LOW)])
@pytest.mark.parametrize("name", ["recast", "babylon-addon"])
def test_a_crowd_of_recast_navigation_js_takes_wide_links(
    name: str, found: WideLink, goal: Point, tmp_path: Path
) -> None:
    write_navmesh(platforms(found), tmp_path / "n.bin")
    (tmp_path / "pairs.json").write_text(json.dumps([{"from": HIGH, "to": goal}]))
    told = client(name, tmp_path / "n.bin", tmp_path / "pairs.json")
    assert told["left"] < 0.31 and told["seconds"] < 60


@pytest.mark.parametrize(("level", "size"), BUILDS)
@pytest.mark.parametrize("name", ["babylon", "babylon-addon"])
def test_babylon_finds_the_same_ways(level: str, size: int, name: str) -> None:
    told = client(name, export(level, size, "bin"), pairs(level, size))
    assert told["lengths"] == pytest.approx(lengths_of(level, size), rel=1e-5)
    if name == "babylon-addon":
        assert told["left"] < 0.31 and told["seconds"] < 60


def test_playcanvas_moves_an_entity_to_its_goal() -> None:
    told = client("playcanvas", export("city", 32, "bin"), pairs("city", 32))
    assert told["left"] < 0.31 and told["seconds"] < 60


# ----------------------------------------------------------------- documentation

PRELUDE = """
import { readFileSync } from 'node:fs';
globalThis.self = globalThis;
globalThis.fetch = async (name) => new Response(readFileSync(`${process.cwd()}/${name}`));
"""


@pytest.mark.parametrize("page", ["recast-navigation-js", "three", "babylon", "playcanvas"])
def test_the_code_of_the_documentation_walks_to_the_goal(page: str, tmp_path: Path) -> None:
    """Each page's code as one program; `fetch` reads the exports instead of a server."""
    text = (HERE.parents[1] / f"docs/engines/{page}.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```js\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    program = HERE / f".{page}.mjs"  # beside node_modules, from where the imports are found
    for name in ("bin", "pathfinding.glb"):
        shutil.copy(export("city", 0, name), tmp_path / f"level.{name}")
    try:
        program.write_text(PRELUDE + "".join(blocks) + "process.exit(0);\n", encoding="utf-8")
        done = subprocess.run(["node", str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    finally:
        program.unlink()
    assert done.returncode == 0, done.stderr
    ends = [re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line) for line in told_of(done.stdout)]
    assert len(ends) == len(re.findall(r"'walked to'", text)) > 0
    for numbers in ends:
        x, z = float(numbers[-3]), float(numbers[-1])
        assert abs(x - 40) < 0.7 and abs(z - 40) < 0.7, done.stdout


def links_of_the_page(goal: str) -> str:
    """The page's own code for links, from the middle platform to another, without what walks on one island."""
    text = (HERE.parents[1] / "docs/engines/three.md").read_text(encoding="utf-8")
    first, loaded, links, yuka = re.findall(r"^```js\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    program = first.split("const position")[0] + loaded.split("const way")[0] + links + yuka
    start, end = str(list(HIGH)), goal
    return PRELUDE + program.replace("[1.2, 0.3, 1.2]", start).replace("[40, 0.3, 40]", end) + "process.exit(0);\n"


@pytest.mark.parametrize(
    ("goal", "found", "wanted"),
    [
        (ACROSS, (JUMP,), ACROSS), (ACROSS, (JUMP, DROP), ACROSS), (LOW, (DROP, JUMP), LOW),
        (LOW, (JUMP, CLIMB), LOW), (ACROSS, (DROP,), None), (LOW, (JUMP,), None),
    ],
)  # fmt: skip
def test_three_pathfinding_and_yuka_walk_wide_links_by_the_documentation(
    goal: Point, found: tuple[WideLink, ...], wanted: Point | None, tmp_path: Path
) -> None:
    """Over a gap, down a ledge, and up again; nowhere without a link that leads there."""
    write_navmesh(platforms(*found), tmp_path / "level.pathfinding.glb")
    program = HERE / f".links-{tmp_path.name}.mjs"
    try:
        program.write_text(links_of_the_page(str(list(goal))), encoding="utf-8")
        done = subprocess.run(["node", str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    finally:
        program.unlink()
    if wanted is None:
        assert done.returncode != 0 and "null" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    ends = [[float(n) for n in re.findall(r"-?\d+\.?\d*(?:e-?\d+)?", line)[-3:]] for line in told_of(done.stdout)]
    assert len(ends) == 2
    for end in ends:
        assert end[0] == pytest.approx(wanted[0], abs=0.2) and end[2] == pytest.approx(wanted[2], abs=0.2)


def told_of(output: str) -> list[str]:
    """What was logged after each "walked to", on one line."""
    return [" ".join(part.split("BJS")[0].split()) for part in output.split("walked to")[1:]]


# ------------------------------------------------------------------------- Godot


def godot() -> list[str] | None:
    """How to start Godot here; None where there is none."""
    found = shutil.which("godot") or shutil.which("godot4")
    if found:
        return [found]
    if sys.platform == "linux" and os.geteuid() == 0 and shutil.which("mmdebstrap"):
        return [sys.executable, str(HERE.parents[1] / "tools/window.py"), "godot", "godot"]
    return None


@pytest.fixture(scope="module")
def told_by_godot() -> dict[str, Any]:
    """What Godot makes of every mesh and scene, in one run of it."""
    start = godot()
    if start is None:
        pytest.skip("no Godot: put godot on the PATH, or be root on a Linux with mmdebstrap")
    folder = OUT / "godot"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    (folder / "project.godot").write_text('config_version=5\n\n[application]\nconfig/name="clients"\n')
    shutil.copy(HERE / "godot/client.gd", folder)
    for level, size in BUILDS:
        shutil.copy(export(level, size, "tres"), folder)
        job = {"file": f"{level}-{size}.tres", "pairs": json.loads(pairs(level, size).read_text())}
        (folder / f"{level}-{size}.job.json").write_text(json.dumps(job))
    for way in ("both", "one"):
        write_navmesh(two_platforms(way == "both"), folder / f"{way}.tscn", options=ExportOptions(name="Level"))
        there = {"from": [1, 0, 5], "to": [22, 0, 5]}
        back = {"from": there["to"], "to": there["from"]}
        (folder / f"{way}.job.json").write_text(json.dumps({"file": f"{way}.tscn", "pairs": [there, back]}))
    shutil.copy(export("city", 0, "tscn"), folder)
    (folder / "z-walk.job.json").write_text(json.dumps({"file": "city-0.tscn", "walk": [1.2, 0.3, 1.2]}))
    write_navmesh(platforms(JUMP, DROP), folder / "wide.tscn")
    write_navmesh(platforms(CLIMB), folder / "climb.tscn")
    write_navmesh(build_navmesh(*PLATFORMS, Settings(generate_links=True)), folder / "found.tscn")
    for name, ways in WAYS.items():
        asked = [{"from": there, "to": back} for there, back in ways]
        (folder / f"{name}.job.json").write_text(json.dumps({"file": f"{name}.tscn", "pairs": asked}))
    for name, goal in (("across", ACROSS), ("low", LOW)):
        job = {"file": "wide.tscn", "walk": HIGH, "goal": goal}
        (folder / f"z-{name}.job.json").write_text(json.dumps(job))
    page = (HERE.parents[1] / "docs/engines/godot.md").read_text(encoding="utf-8").split("## With files")[1]
    (folder / "agent.gd").write_text("\n".join(re.findall(r"^```gdscript\n(.*?)^```", page, re.MULTILINE | re.DOTALL)))
    run = [*start, "--headless", "--path", str(folder), "--script", "client.gd"]
    done = subprocess.run(run, capture_output=True, text=True, timeout=900)
    said = done.stdout + done.stderr
    assert done.returncode == 0 and "edge" not in said.lower(), said
    return {path.name.split(".")[0]: json.loads(path.read_text()) for path in folder.glob("*.told.json")}


WAYS = {
    "wide": [(HIGH, ACROSS), (ACROSS, HIGH), (HIGH, LOW), (LOW, HIGH), (ACROSS, LOW)],
    "climb": [(HIGH, LOW), (LOW, HIGH), (HIGH, ACROSS)],
    "found": [(HIGH, ACROSS), (ACROSS, HIGH), (HIGH, LOW), (LOW, HIGH), (ACROSS, LOW)],
}


def two_platforms(both_ways: bool) -> NavMesh:
    """Two platforms three metres apart, a link between them, and a strip of water on the first."""
    mesh = scenes.join([scenes.box(0, -1, 0, 10, 1, 10), scenes.box(13, -1, 0, 10, 1, 10)])
    link = {"start": [9, 0, 5], "end": [14, 0, 5], "bidirectional": both_ways}
    water = {"shape": "box", "area": 1, "min": [3, -1, -1], "max": [6, 1, 11]}
    types = {**AREA_TYPES, 1: AREA_TYPES[1]._replace(cost=2.5)}
    return build_navmesh(*mesh, links=[link], volumes=[water], area_types=types)


def in_plan(path: list[list[float]]) -> float:
    return sum(((a[0] - b[0]) ** 2 + (a[2] - b[2]) ** 2) ** 0.5 for a, b in pairwise(path))


@pytest.mark.parametrize(("level", "size"), BUILDS)
def test_godot_finds_ways_as_long_as_detours(told_by_godot: dict[str, Any], level: str, size: int) -> None:
    """Compared where the ground is flat: Godot's ways have a point at each edge and follow slopes, Detour's don't."""
    told = told_by_godot[f"{level}-{size}"]
    assert told["polygons"] == built(level, size).report.counts["polygons"] and told["cell_size"] == 0.25
    asked = json.loads(pairs(level, size).read_text())
    reached = [
        in_plan(path) / pair["length"]
        for path, pair in zip(told["paths"], asked, strict=True)
        if path and max(abs(path[-1][k] - pair["to"][k]) for k in (0, 2)) < 0.5
    ]
    assert len(reached) > 0.8 * PAIRS
    if level == "plaza":
        assert statistics.median(reached) == pytest.approx(1, abs=0.005)


def test_godot_crosses_areas_and_links(told_by_godot: dict[str, Any]) -> None:
    nodes = [
        ["ground", "NavigationRegion3D", 1, 1.0],
        ["water", "NavigationRegion3D", 3, 2.5],  # the cost of a metre is read as Godot means it
        ["Link 1", "NavigationLink3D", 9, 1.0],
    ]
    both, one = told_by_godot["both"], told_by_godot["one"]
    assert both["nodes"] == one["nodes"] == nodes
    ends = [[path[-1][0] for path in told["paths"]] for told in (both, one)]
    assert ends[0] == [pytest.approx(22, abs=0.1), pytest.approx(1, abs=0.1)]
    assert ends[1] == [pytest.approx(22, abs=0.1), pytest.approx(14, abs=1)]  # no way back


def test_godot_finds_ways_over_the_points_of_wide_links(told_by_godot: dict[str, Any]) -> None:
    """A jump both ways, a drop one way, a climb both ways; nowhere without a link."""
    reached = {
        name: [
            max(abs(path[-1][k] - end[k]) for k in (0, 2)) < 0.5
            for path, (_, end) in zip(told_by_godot[name]["paths"], ways, strict=True)
        ]
        for name, ways in WAYS.items()
    }
    without_climbs = [True, True, True, False, True]
    assert reached == {"wide": without_climbs, "climb": [True, True, False], "found": without_climbs}
    nodes = [node for node in told_by_godot["wide"]["nodes"] if node[1] == "NavigationLink3D"]
    assert nodes == [[f"Link {number}", "NavigationLink3D", 9, 1.0] for number in range(1, 11)]


@pytest.mark.parametrize(("name", "goal", "kind"), [("across", ACROSS, "jump"), ("low", LOW, "drop")])
def test_an_agent_in_godot_knows_the_kinds_of_links_it_takes(
    told_by_godot: dict[str, Any], name: str, goal: Point, kind: str
) -> None:
    told = told_by_godot[f"z-{name}"]
    assert told["kinds"] == [kind] * 2  # Godot 4.6 sends its signal twice, where a link begins
    assert abs(told["end"][0] - goal[0]) < 1.5 and abs(told["end"][2] - goal[2]) < 1.5


def test_the_agent_of_the_documentation_walks_to_its_goal_in_godot(told_by_godot: dict[str, Any]) -> None:
    x, _, z = told_by_godot["z-walk"]["end"]
    assert abs(x - 40) < 1.5 and abs(z - 40) < 1.5  # an agent stops within its target_desired_distance of 1 m
