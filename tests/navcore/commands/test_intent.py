"""What a level is meant for: paths and places that a build must have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.__main__ import main
from tests import scenes

GROUND, ROOF = [2, 0, 2], [7, 3, 7]


@pytest.fixture
def level(tmp_path: Path) -> Path:
    """A floor with a block on it, whose roof nobody can reach."""
    mesh = scenes.join([scenes.box(0, -1, 0, 20, 1, 20), scenes.box(4, 0, 4, 6, 3, 6)])
    np.savez(tmp_path / "level.npz", verts=mesh[0], tris=mesh[1])
    return tmp_path


def build(level: Path, flag: str, content: object, *more: str) -> int:
    (level / "intent.json").write_text(json.dumps(content))
    files = ["-o", str(level / "n.bin"), "--report", str(level / "r.json")]
    return main(["build", str(level / "level.npz"), *files, flag, str(level / "intent.json"), *more])


def report_of(level: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((level / "r.json").read_text())
    return content


@pytest.mark.parametrize("tile_size", ["0", "32"])
def test_paths_that_are_there_pass(level: Path, tile_size: str) -> None:
    """Also where tiles would be written as they come: the test needs all of them."""
    test = {"name": "around", "from": GROUND, "to": [18, 0, 18]}
    assert build(level, "--test", {"tests": [test]}, "--tile-size", tile_size) == 0
    row = report_of(level)["tests"][0]
    assert row["ok"] and row["status"] == "complete" and 22 < row["length"] < 30
    assert [gate["ok"] for gate in report_of(level)["gates"]] == [True]


def test_a_path_that_is_missing_fails_by_name(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = [
        {"name": "to the roof", "from": GROUND, "to": ROOF},
        {"from": [200, 0, 2], "to": GROUND},
        {"name": "fine", "from": GROUND, "to": [18, 0, 2]},
    ]
    assert build(level, "--test", {"tests": tests}) == 3
    said = capsys.readouterr().err
    assert "GATE_FAILED: 2 of 3 tested paths are not there. “to the roof”: The end cannot be reached," in said
    assert "“test 2”: There is no navmesh near the start. " in said
    assert not (level / "n.bin").exists()
    rows = report_of(level)["tests"]
    assert [row["status"] for row in rows] == ["partial", "no_start", "complete"]
    assert rows[0]["missing"] > 2 and rows[1]["length"] is None


def test_places_must_be_on_the_navmesh(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    points = [GROUND, {"name": "Flag", "point": ROOF}]
    assert build(level, "--must-reach", {"points": points}) == 0
    assert [row["ok"] for row in report_of(level)["must_reach"]] == [True, True]
    (level / "scene.json").write_text(json.dumps({"seeds": [GROUND]}))
    pruned = ["--prune", "--scene", str(level / "scene.json")]
    assert build(level, "--must-reach", {"points": [*points, [40, 0, 40], [2, 5, 2]]}, *pruned) == 3
    said = capsys.readouterr().err
    assert "3 of 4 places that must be walkable are not." in said and "Flag: It was left out" in said
    codes = [row["code"] for row in report_of(level)["must_reach"]]
    assert codes == ["", "UNREACHABLE", "OUTSIDE_BOUNDS", "NOTHING_HERE"]


def test_places_must_be_reached_from_a_seed(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where nothing is pruned; a seed that stands on no navmesh reaches nothing."""
    points = {"points": [GROUND, {"name": "Flag", "point": ROOF}]}
    (level / "scene.json").write_text(json.dumps({"seeds": [[200, 0, 2]]}))
    assert build(level, "--must-reach", points, "--scene", str(level / "scene.json")) == 3
    assert "No seed stands on the navmesh" in capsys.readouterr().err
    (level / "scene.json").write_text(json.dumps({"seeds": [[18, 0, 2]]}))
    assert build(level, "--must-reach", points, "--scene", str(level / "scene.json")) == 3
    assert "Flag: No way leads here from the seed that stands on the navmesh." in capsys.readouterr().err


def test_what_is_left_out_as_unchanged_is_judged_again(level: Path) -> None:
    test = {"tests": [{"name": "a", "from": GROUND, "to": [18, 0, 2]}]}
    for _ in range(2):
        assert build(level, "--test", test, "--skip-unchanged") == 0
    assert report_of(level)["unchanged"] and report_of(level)["tests"][0]["ok"]


@pytest.mark.parametrize(
    ("flag", "content", "said"),
    [
        ("--test", {"tests": []}, "at least one row"),
        ("--test", {"points": [GROUND]}, "at least one row"),
        ("--test", {"tests": [{"from": GROUND}]}, "test 1 must be"),
        ("--test", {"tests": [{"from": GROUND, "to": [1, 2]}]}, "test 1, 'to' must be three numbers"),
        ("--test", {"tests": [{"from": GROUND, "to": [1, 2, True]}]}, "three numbers"),
        ("--test", {"tests": [{"from": GROUND, "to": ROOF, "name": 4}]}, "the name of test 1 must be a text"),
        ("--must-reach", {"points": [GROUND, "roof"]}, "point 2 must be three numbers"),
        ("--must-reach", {"points": [{"name": "a"}]}, "point 1 must be"),
        ("--must-reach", [GROUND], "at least one row"),
    ],
)
def test_bad_files_are_refused(
    level: Path, flag: str, content: object, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(level, flag, content) == 1
    error = capsys.readouterr().err
    assert "BAD_INTENT" in error and said in error and "intent.json" in error


GATE = {"shape": "box", "min": [9.5, -1, 0], "max": [10.5, 3, 20], "door": "gate"}


def test_paths_are_tested_with_doors_open_and_closed(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever state the scene builds the door in."""
    ends = {"from": GROUND, "to": [18, 0, 18]}
    tests = [
        {"name": "as built", **ends},
        {"name": "shut", **ends, "doors": {"gate": "closed"}, "expect": "unreachable"},
        {"name": "open", **ends, "doors": {"gate": "open"}},
    ]
    for closed in (False, True):
        (level / "scene.json").write_text(json.dumps({"volumes": [{**GATE, "closed": closed}]}))
        given = {"tests": tests[closed:]}
        assert build(level, "--test", given, "--scene", str(level / "scene.json"), "--tile-size", "32") == 0
        assert all(row["ok"] for row in report_of(level)["tests"])
        assert report_of(level)["gates"][0]["message"] == f"All {3 - closed} path tests hold."
    assert report_of(level)["tests"][0]["doors"] == {"gate": "closed"}
    capsys.readouterr()
    wrong = [{**tests[1], "expect": "reachable"}, {**tests[2], "expect": "unreachable"}]
    assert build(level, "--test", {"tests": wrong}, "--scene", str(level / "scene.json")) == 3
    said = capsys.readouterr().err
    assert "2 of 2 path tests fail." in said and "“shut”: With “gate” closed" in said
    assert "“open”: With “gate” open the end can be reached in" in said
    assert [row["code"] for row in report_of(level)["tests"]] == ["NO_WAY", "REACHABLE"]


def test_an_end_off_the_navmesh_is_no_proof_of_a_closed_door(level: Path) -> None:
    (level / "scene.json").write_text(json.dumps({"volumes": [GATE]}))
    test = {"from": GROUND, "to": [200, 0, 2], "doors": {"gate": "closed"}, "expect": "unreachable"}
    assert build(level, "--test", {"tests": [test]}, "--scene", str(level / "scene.json")) == 3


def test_a_door_that_is_not_there_is_refused_with_those_that_are(
    level: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (level / "scene.json").write_text(json.dumps({"volumes": [GATE]}))
    test = {"name": "shut", "from": GROUND, "to": [18, 0, 18], "doors": {"gat": "closed"}}
    assert build(level, "--test", {"tests": [test]}, "--scene", str(level / "scene.json")) == 1
    said = capsys.readouterr().err
    assert "NO_DOOR: Path test “shut”: There is no door “gat” in this navmesh. Known are “gate”." in said


@pytest.mark.parametrize(
    ("more", "says"), [({"doors": {"gate": "ajar"}}, "'doors' must be"), ({"expect": "maybe"}, "'expect' must be")]
)
def test_what_no_test_says_of_doors_is_refused(
    level: Path, capsys: pytest.CaptureFixture[str], more: dict[str, Any], says: str
) -> None:
    assert build(level, "--test", {"tests": [{"from": GROUND, "to": ROOF, **more}]}) == 1
    assert says in capsys.readouterr().err
