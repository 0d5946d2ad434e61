"""`navcore query` and `navcore path`: files of questions, one way, exit statuses, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Settings, build_navmesh, write_navmesh
from navcore.__main__ import main
from tests import scenes

LINK = {"start": [8, 0, 5], "end": [16, 0, 5], "radius": 1.0, "area": 5, "flags": 8, "id": 7, "bidirectional": False}


@pytest.fixture(scope="module")
def navmesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two plates around (5, 5) and (19, 5); a link leads from the first to the second, and none back."""
    path = tmp_path_factory.mktemp("questions") / "navmesh.bin"
    plates = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(2)])
    write_navmesh(build_navmesh(*plates, Settings(tile_size=32), links=[LINK]), path)
    return path


def asked(navmesh: Path, *words: str) -> list[str]:
    return ["path", str(navmesh), *words]


def test_a_complete_path_as_json(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--json")) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == [
        "status", "length", "cost", "points", "polygons", "missing", "moved", "links", "warnings", "microseconds",
    ]  # fmt: skip
    assert answer["status"] == "complete" and answer["links"] == [7] and answer["missing"] == 0
    assert answer["length"] == pytest.approx(20, abs=0.1) and answer["polygons"] >= 3
    assert answer["points"][0] == pytest.approx([2, 0, 5], abs=0.3) and answer["microseconds"] > 0


@pytest.mark.parametrize(
    ("start", "end", "status"),
    [
        ("22,0,5", "2,0,5", "partial"), ("-40,0,5", "2,0,5", "no_start"), ("2,0,5", "-40,0,5", "no_end"),
    ],
)  # fmt: skip
def test_any_other_answer_is_status_3(
    navmesh: Path, start: str, end: str, status: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(asked(navmesh, "--from", start, "--to", end, "--json")) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == status and (answer["missing"] is None) == (status != "partial")
    assert main(asked(navmesh, f"--from={start}", f"--to={end}", "--partial", "closest")) == 3
    assert capsys.readouterr().out.startswith(f"{status}: ")


@pytest.mark.parametrize("words", [[], ["--long"], ["--exact"], ["--json"]])
@pytest.mark.filterwarnings("error")
def test_a_place_beyond_all_numbers_is_an_answer_too(
    navmesh: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """1e300 is finite, and float32 has no number for it; 1e30 is one that no distance can be computed with."""
    for far in ("1e30,0,5", "1e300,0,5"):
        assert main(asked(navmesh, "--from", far, "--to", "22,0,5", *words)) == 3
        assert "not_finite" in capsys.readouterr().out
    assert main(["compare-paths", str(navmesh), "--from", "1e300,0,5", "--to", "22,0,5"]) == 3


@pytest.mark.filterwarnings("error")
def test_a_cost_that_no_number_holds(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON has no infinity: programs that read it would refuse the whole answer."""
    words = asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--cost", "0=3e38")
    assert main([*words, "--json"]) == 0

    def refuse(word: str) -> None:
        raise AssertionError(word)

    assert json.loads(capsys.readouterr().out, parse_constant=refuse)["cost"] is None
    assert main(words) == 0 and "cost more than a number holds" in capsys.readouterr().out
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--cost", "0=1e300")) == 1
    assert "BAD_FILTER" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["path", "walk", "query", "compare-paths"])
def test_help_names_what_is_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """--door and --size need a .json, .glb or .tscn."""
    assert main([command, "--help"]) == 0
    assert ".bin, .json, .glb, .tres or .tscn" in " ".join(capsys.readouterr().out.split())


def test_the_shortest_path(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(navmesh, "--from", "2,0,2", "--to", "22,0,8", "--exact", "--json")) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "complete" and answer["links"] == [7] and len(answer["points"]) == 4
    assert main(asked(navmesh, "--from", "22,0,5", "--to", "2,0,5", "--exact", "--json")) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "partial" and answer["missing"] == pytest.approx(12.6, abs=0.5)
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--exact", "--cost", "0=2")) == 1
    assert "UNEQUAL_COSTS" in capsys.readouterr().err


def test_a_long_way(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--long", "--json")) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["status"] == "complete" and answer["links"] == [7] and answer["by_districts"] is False
    assert main(asked(navmesh, "--from", "22,0,5", "--to", "2,0,5", "--long")) == 3
    assert "found by the whole search" in capsys.readouterr().out
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--long", "--exact")) == 1
    assert "WRONG_QUESTION" in capsys.readouterr().err


def test_costs_and_text(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(navmesh, "--from", "2,0,5", "--to", "22,0,5", "--cost", "5=3")) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0] == "complete: the path leads to its end" and out[-1] == "over the links 7"
    assert out[1].startswith("20.00 m through ") and out[1].endswith("cost 36.00")


@pytest.mark.parametrize(
    "words",
    [["--from", "1,2", "--to", "1,2,3"], ["--from", "1,2,nan", "--to", "1,2,3"], ["--from", "1,2,3"],
     ["--from", "1,2,3", "--to", "1,2,3", "--cost", "64=1"], ["--from", "1,2,3", "--to", "1,2,3", "--cost", "1=-1"],
     ["--from", "1,2,3", "--to", "1,2,3", "--cost", "water"]],
)  # fmt: skip
def test_wrong_usage(navmesh: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(asked(navmesh, *words)) == 2
    assert "usage: " in capsys.readouterr().err


def query(navmesh: Path, folder: Path, **arrays: Any) -> int:
    np.savez(folder / "questions.npz", **arrays)
    return main(["query", str(navmesh), str(folder / "questions.npz"), "-o", str(folder / "answers.npz")])


def test_questions_from_a_file(navmesh: Path, tmp_path: Path) -> None:
    points = np.array([[2, 0, 5, 22, 0, 5], [22, 0, 5, 2, 0, 5], [2, 0, 5, 90, 0, 5]], np.float32)
    assert query(navmesh, tmp_path, points=points) == 0
    usual = dict(np.load(tmp_path / "answers.npz"))
    assert usual["path_status"].tolist() == [1 << 30, 1 << 30 | 64, 0] and usual["points"].tolist() == points.tolist()
    given = {
        "extents": np.array([2, 4, 2], np.float32), "include": np.uint16(0xFFEF), "exclude": np.uint16(0),
        "costs": np.array([1, 10, 1, 1, 2, 1.5, *[1] * 58], np.float32), "max_nodes": 2048, "max_path": 256,
    }  # fmt: skip
    assert query(navmesh, tmp_path, points=points, **given) == 0
    same = np.load(tmp_path / "answers.npz")
    assert all(same[name].tobytes() == array.tobytes() for name, array in usual.items())
    assert query(navmesh, tmp_path, points=points, exclude=np.array([8], np.uint16), max_path=np.int32(1)) == 0
    other = np.load(tmp_path / "answers.npz")
    assert other["path_count"].tolist() == [1, 1, 0] and (other["path_status"][:2] & 64 != 0).all()


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({}, "points of (N, 6) numbers"),
        ({"points": np.zeros((2, 5))}, "points of (N, 6) numbers"),
        ({"points": np.zeros((2, 6)), "cost": np.zeros(64)}, "holds cost. Questions are"),
        ({"points": np.zeros((2, 6)), "costs": np.zeros(63)}, "Give 64 numbers"),
        ({"points": np.zeros((2, 6)), "costs": np.full(64, -1.0)}, "a finite cost of 0 or more"),
        ({"points": np.zeros((2, 6)), "include": np.zeros(2, np.uint16)}, "include is not one whole number"),
        ({"points": np.zeros((2, 6)), "max_nodes": 0}, "max_nodes is 0"),
        ({"points": np.zeros((2, 6)), "extents": np.array([1, 1, -1])}, "extents are"),
    ],
)
def test_questions_that_are_refused(
    navmesh: Path, tmp_path: Path, arrays: dict[str, Any], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert query(navmesh, tmp_path, **arrays) == 1
    assert said in capsys.readouterr().err and not (tmp_path / "answers.npz").exists()


def test_files_that_are_not_there(navmesh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    missing, out = str(tmp_path / "missing.npz"), str(tmp_path / "a.npz")
    assert main(["query", str(navmesh), missing, "-o", out]) == 1 and "CANNOT_READ" in capsys.readouterr().err
    (tmp_path / "damaged.npz").write_bytes(b"PK nonsense")
    assert main(["query", str(navmesh), str(tmp_path / "damaged.npz"), "-o", out]) == 1
    assert main(["path", missing, "--from", "0,0,0", "--to", "1,0,1"]) == 1 and "CANNOT_READ" in capsys.readouterr().err
