"""The add-on of `loaders/godot` in Godot 4: `python3 dev.py clients`."""

from __future__ import annotations

import json
import shutil
import statistics
import subprocess
from itertools import pairwise
from math import dist
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.formats import write_navmesh
from tests import scenes
from tests.clients.test_clients import HERE, OUT, built, export, godot, pairs, pytestmark, two_platforms
from tests.clients.test_loaders import ford, with_door
from tests.wide_links import ACROSS, DROP, HIGH, JUMP, LOW, platforms

__all__ = ["pytestmark"]  # as all tests of clients: only where the npm packages are

ADDON = HERE.parents[1] / "loaders/godot/addons"
FOLDER = OUT / "godot-loader"
FORD = {"from": (4, 0, 6), "to": (28, 0, 6)}
WIDE = [
    {"from": HIGH, "to": ACROSS},
    {"from": ACROSS, "to": HIGH},
    {"from": HIGH, "to": LOW},
    {"from": LOW, "to": HIGH},
]
LINK = [{"from": (1, 0, 5), "to": (22, 0, 5)}, {"from": (22, 0, 5), "to": (1, 0, 5)}]

FINE = build_navmesh(*scenes.box(0, -1, 0, 6, 1, 6), Settings(cell_size=0.1))


PROJECT = """\
config_version=5

[application]
config/name="loader"

[editor_plugins]
enabled=PackedStringArray("res://addons/navmesh/plugin.cfg")
"""


@pytest.fixture(scope="module")
def told_by_godot() -> dict[str, Any]:
    """What Godot makes of every file, in one run of it."""
    if godot() is None:
        pytest.skip("no Godot: put godot on the PATH, or be root on a Linux with mmdebstrap")
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    (FOLDER / "project.godot").write_text(PROJECT)
    shutil.copytree(ADDON, FOLDER / "addons")
    shutil.copy(HERE / "godot/loader.gd", FOLDER)
    shutil.copy(export("plaza", 32, "json"), FOLDER / "plaza.json")
    job("plaza", pairs=json.loads(pairs("plaza", 32).read_text()))
    for name, navmesh, ways in (
        ("ford", ford(20.0), [FORD]), ("meadow", ford(1.0), [FORD]), ("wide", platforms(JUMP, DROP), WIDE),
        ("z-fine", FINE, []), ("both", two_platforms(True), LINK), ("one", two_platforms(False), LINK),
    ):  # fmt: skip
        write_navmesh(navmesh, FOLDER / f"{name}.json")
        job(name, pairs=ways)
    with_door(FOLDER / "gate.json", by_reference=True)
    states: list[dict[str, bool]] = [{}, {"gate": False}, {"gate": True}]
    job("gate", pairs=[{"from": [3, 0, 10], "to": [17, 0, 10]}], states=states)
    whole = json.loads((FOLDER / "ford.json").read_text())
    write("half", json.dumps(whole)[:500])
    write("other", '{"format": "gltf"}')
    write("newer", json.dumps({**whole, "version": 9}))
    whole["polygon_mesh"]["polygons"][0][1] = 10_000
    write("corner", json.dumps(whole))
    job("missing")
    shutil.copy(FOLDER / "plaza.json", FOLDER / "level.json")
    job("level", page=True)
    page = (HERE.parents[1] / "docs/engines/godot.md").read_text(encoding="utf-8").split("## With files")[0]
    (FOLDER / "page.gd").write_text("extends Node\n" + page.split("```gdscript\n")[1].split("```")[0])
    assert not [line for line in said_by("--import").splitlines() if "ERROR" in line and "Certificate" not in line]
    said = said_by("--script", "loader.gd")
    assert "edge" not in said.lower() and "SCRIPT ERROR" not in said, said
    assert said.count("ERROR:") == said.count("ERROR: Navmesh: ") == 5, said
    return {path.name.split(".")[0]: json.loads(path.read_text()) for path in FOLDER.glob("*.told.json")}


def said_by(*arguments: str) -> str:
    """What Godot says; with `--import` its editor, which switches the add-on on."""
    run = [*(godot() or []), "--headless", "--path", str(FOLDER), *arguments]
    done = subprocess.run(run, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def job(name: str, **content: Any) -> None:
    (FOLDER / f"{name}.job.json").write_text(json.dumps({"file": f"{name}.json", **content}))


def write(name: str, text: str) -> None:
    (FOLDER / f"{name}.json").write_text(text)
    job(name)


def length(path: list[list[float]]) -> float:
    return sum(dist(a, b) for a, b in pairwise(path))


def own_length(navmesh: NavMesh, way: dict[str, Any], costs: dict[int, float]) -> float:
    start, end = (np.array([way[name]], np.float32) for name in ("from", "to"))
    return float(NavQuery(navmesh).find_paths(start, end, filter=QueryFilter(costs=costs)).length[0])


def test_ways_are_as_long_as_detours(told_by_godot: dict[str, Any]) -> None:
    told, asked = told_by_godot["plaza"], json.loads(pairs("plaza", 32).read_text())
    ratios = [length(path) / pair["length"] for path, pair in zip(told["paths"][0], asked, strict=True)]
    assert statistics.median(ratios) == pytest.approx(1, abs=0.01)
    assert told["error"] == "" and told["nodes"] == [["ground", "NavigationRegion3D", 1, 1.0, None]]
    assert len(built("plaza", 32).tiles) > 1


def test_the_script_of_the_documentation_loads_it(told_by_godot: dict[str, Any]) -> None:
    assert told_by_godot["level"]["nodes"] == told_by_godot["plaza"]["nodes"]


def test_what_areas_cost_changes_the_way(told_by_godot: dict[str, Any]) -> None:
    for name, cost in (("ford", 20.0), ("meadow", 1.0)):
        told = told_by_godot[name]
        assert [node[:4] for node in told["nodes"]] == [
            ["ground", "NavigationRegion3D", 1, 1.0], ["water", "NavigationRegion3D", 3, cost],
        ]  # fmt: skip
        assert length(told["paths"][0][0]) == pytest.approx(own_length(ford(cost), FORD, {1: cost}), rel=0.01)
    assert length(told_by_godot["ford"]["paths"][0][0]) > 1.5 * length(told_by_godot["meadow"]["paths"][0][0])


def test_links_are_taken_and_know_their_kinds(told_by_godot: dict[str, Any]) -> None:
    told = told_by_godot["wide"]
    ends = [
        max(abs(path[-1][k] - way["to"][k]) for k in (0, 2)) < 0.5
        for path, way in zip(told["paths"][0], WIDE, strict=True)
    ]
    assert ends == [True, True, True, False]
    links = [node for node in told["nodes"] if node[1] == "NavigationLink3D"]
    assert [node[4] for node in links] == ["jump"] * 5 + ["drop"] * 5 and {node[2] for node in links} == {9}


def test_doors_open_and_close(told_by_godot: dict[str, Any]) -> None:
    told = told_by_godot["gate"]
    assert told["doors"] == ["gate"] and ["gate", "NavigationRegion3D", 5, 1.0, None] in told["nodes"]
    assert [path[0][-1][0] > 16 for path in told["paths"]] == [True, False, True]


def test_given_links_lead_one_way_or_both(told_by_godot: dict[str, Any]) -> None:
    both, one = told_by_godot["both"], told_by_godot["one"]
    assert both["nodes"][-1] == one["nodes"][-1] == ["Link 1", "NavigationLink3D", 9, 1.0, "given"]
    ends = [[path[-1][0] for path in told["paths"][0]] for told in (both, one)]
    assert ends[0] == [pytest.approx(22, abs=0.1), pytest.approx(1, abs=0.1)]
    assert ends[1] == [pytest.approx(22, abs=0.1), pytest.approx(14, abs=1)]  # no way back


def test_the_map_gets_cells_in_which_no_two_vertices_are_one(told_by_godot: dict[str, Any]) -> None:
    assert told_by_godot["plaza"]["cell"] == pytest.approx([0.25, 0.25])
    assert told_by_godot["z-fine"]["cell"] == pytest.approx([0.1, 0.25])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("half", "no JSON, or was cut off"), ("other", "It is no navmesh"), ("newer", "has version 9; 1"),
        ("corner", "a corner that is not there"), ("missing", "There is no file res://missing.json"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_said(told_by_godot: dict[str, Any], name: str, words: str) -> None:
    told = told_by_godot[name]
    assert words in told["error"] and told["nodes"] == []
