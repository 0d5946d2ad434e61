"""`navcore why`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from navcore import why
from navcore.__main__ import main
from tests import scenes

KEYS = ["walkable", "code", "stage", "value", "limit", "setting", "suggested", "sentence", "triangle", "next"]


@pytest.fixture
def level(tmp_path: Path) -> str:
    path = tmp_path / "level.obj"
    path.write_text(scenes.obj_text(scenes.join([scenes.flat(12), scenes.box(3, 0, 3, 6, 2, 6)])))
    return str(path)


def test_a_place_that_is_walkable(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", level, "--at", "6,2,6"]) == 0
    assert capsys.readouterr().out == "WALKABLE: This place is part of the navmesh.\n"


def test_a_place_that_is_not(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", level, "--at", "6,2,3.1"]) == 3
    first, culprit = capsys.readouterr().out.splitlines()  # nobody climbs as high as that
    assert first == "LEDGE: Ledge: the ground drops 2.00 m to the north, the agent climbs 0.80 m."
    assert culprit == "  triangle 0"
    assert main(["why", level, "--at", "6,2,3.1", "--agent-max-climb", "2"]) == 0


def test_json_holds_what_python_answers(level: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", level, "--at", "-0.5,2,3.1", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["code"] == "OUTSIDE_BOUNDS"
    assert main(["why", level, "--json", "--tile-size", "16", "--at", "0.45,0,6"]) == 3
    answer = json.loads(capsys.readouterr().out)
    from navcore import Settings, read_mesh

    vertices, triangles, areas = read_mesh(Path(level))[:3]
    reason = why(vertices, triangles, Settings(tile_size=16), areas=areas, at=(0.45, 0, 6))
    assert list(answer) == KEYS and answer == json.loads(json.dumps(reason.to_mapping()))


def test_volumes_and_seeds_of_a_scene_count(tmp_path: Path, level: str, capsys: pytest.CaptureFixture[str]) -> None:
    scene = tmp_path / "scene.json"
    volume = {"shape": "box", "min": [0, -1, 0], "max": [2.9, 1, 12], "area": 0}
    scene.write_text(json.dumps({"volumes": [volume], "seeds": [[10, 0, 6]]}))
    assert main(["why", level, "--scene", str(scene), "--at", "1.5,0,6"]) == 3
    assert capsys.readouterr().out.startswith("MARKED: ")
    assert main(["why", level, "--scene", str(scene), "--at", "6,2,6"]) == 3
    assert capsys.readouterr().out.startswith("UNREACHABLE: ")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--at", "1,2"], 2, "is not three numbers"),
        (["--at", "1,2,nan"], 2, "is not a finite point"),
        ([], 2, "--at"),
        (["--at", "1,2,3", "--agent-radius", "-1"], 1, "BAD_SETTINGS: agent_radius"),
        (["--at", "1,2,3", "--scene", "nowhere.json"], 1, "nowhere.json"),
    ],
)
def test_bad_input_is_refused_by_name(
    level: str, words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", level, *words]) == status
    assert said in capsys.readouterr().err


def test_a_level_that_is_not_there_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(tmp_path / "gone.obj"), "--at", "0,0,0"]) == 1
    assert "gone.obj" in capsys.readouterr().err
