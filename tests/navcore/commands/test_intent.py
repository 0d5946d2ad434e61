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
