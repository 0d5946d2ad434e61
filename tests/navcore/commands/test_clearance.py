"""`--clearance` of `navcore path` and `navcore info`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from navcore import Settings, build_navmesh, build_uneroded, write_navmesh
from navcore.__main__ import main
from tests.navcore.clearance.levels import two_rooms

FAR = ("--from", "3,0,6", "--to", "21,0,6")
DOORS = [(5.1, 1.8), (9.1, 2.3)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two rooms with two doors: of the agent's navmesh, and of the ground before erosion."""
    folder = tmp_path_factory.mktemp("doors")
    settings = Settings(region_min_size=0)
    write_navmesh(build_navmesh(*two_rooms(DOORS), settings), folder / "outline.bin")
    write_navmesh(build_navmesh(*two_rooms(DOORS), settings), folder / "outline.json")
    write_navmesh(build_uneroded(*two_rooms(DOORS), settings), folder / "field.bin")
    return folder


def asked(capsys: pytest.CaptureFixture[str], status: int, *words: str) -> str:
    assert main(words) == status
    return capsys.readouterr().out


@pytest.mark.parametrize("file", ["outline", "field"])
def test_a_path(folder: Path, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    narrow, wide = 0.75, 0.9
    words = ("path", str(folder / f"{file}.bin"), *FAR, "--clearance")
    answer: dict[str, Any] = json.loads(asked(capsys, 0, *words, "--json"))
    assert list(answer)[-8:] == [
        "links", "clearance", "narrowest", "gap", "widest_way", "clearance_from", "warnings", "microseconds",
    ]  # fmt: skip
    assert answer["clearance"] == answer["gap"] == pytest.approx(narrow, abs=0.01) and answer["clearance_from"] == file
    assert answer["narrowest"]["at"] == "gap" and answer["narrowest"]["place"] == pytest.approx([12.5, 0.2, 6], abs=1.1)
    assert answer["widest_way"]["clearance"] == pytest.approx(wide, abs=0.01)
    assert answer["widest_way"]["narrowest"]["place"][2] > 9
    text = asked(capsys, 0, *words)
    assert text.count("\n(") == 1 and ("(measured to the cells of walls)" in text) == (file == "field")
    assert f"clearance {narrow:.2f} m: the radius of the widest agent, between walls at (" in text
    assert f"the widest way there lets {wide:.2f} m pass, between walls at (" in text


def test_a_path_that_begins_at_a_wall(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The agent itself has no room there; what is between start and end is told beside it."""
    text = asked(capsys, 0, "path", str(folder / "outline.bin"), "--from", "0.9,0,6", "--to", "21,0,6", "--clearance")
    assert "clearance 0.60 m: the radius of the widest agent, at the start (" in text
    assert "between start and end 0.75 m\n" in text


def test_no_way(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("path", str(folder / "outline.bin"), "--from", "90,0,6", "--to", "21,0,6", "--clearance")
    answer = json.loads(asked(capsys, 3, *words, "--json"))
    assert answer["clearance"] is answer["narrowest"] is answer["widest_way"]["clearance"] is None
    assert "clearance" not in asked(capsys, 3, *words)


def test_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("info", str(folder / "outline.bin"), "--clearance")
    facts = json.loads(asked(capsys, 0, *words, "--json"))["clearance"]
    assert facts["from"] == "outline" and facts["portals"]["least"] == pytest.approx(0.75, abs=0.03)
    assert 0.6 < facts["polygons"]["least"] <= facts["polygons"]["median"] <= facts["polygons"]["most"] < 6
    first = facts["chokepoints"][0]
    assert first["clearance"] == pytest.approx(0.9) and 9 < first["place"][2] < 12 and first["square_metres"] > 90
    text = asked(capsys, 0, *words)
    assert "  closes    at 0.90 m, (" in text and "are cut off for wider agents" in text
    assert "clearance" not in asked(capsys, 0, "info", str(folder / "outline.bin"))


def test_other_formats_are_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder / "outline.json"), "--clearance"]) == 1
    assert "outline.json: how wide agents may be is told of a .bin only" in capsys.readouterr().err
