"""`navcore compare-paths` and `navcore picture`: figures, tables, files, exit statuses, what is refused."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from navcore import Settings, build_navmesh, write_navmesh
from navcore.__main__ import main
from navcore.path_comparison import meadow
from tests import scenes
from tests.navcore.navquery.query_examples import town
from tests.navcore.pictures.plans import pixels_of

WAYS = ["middle", "edges", "greedy", "choice", "funnel", "exact"]


@pytest.fixture(scope="module")
def navmesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("ways") / "town.bin"
    write_navmesh(town(32), path)
    return path


def test_figures_as_json(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare-paths", str(navmesh), "--pairs", "400", "--seed", "3", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert list(answer) == ["pairs", "compared", "ways", "meadow"] and answer["pairs"] == 400 > answer["compared"] > 100
    ways = {row["way"]: row for row in answer["ways"]}
    assert list(ways) == WAYS
    assert ways["middle"]["longer_percent"] > ways["choice"]["longer_percent"] > ways["funnel"]["longer_percent"]
    assert answer["ways"][-1]["longer_percent"] == 0
    assert ways["middle"]["points"] == ways["choice"]["points"] > ways["funnel"]["points"] >= 2
    assert all(
        row["longer_percent_p95"] >= row["longer_percent"] and row["microseconds"] > 0 for row in answer["ways"][:4]
    )
    divided = answer["meadow"]
    assert 0 < divided["pieces"] < divided["polygons"] and divided["islands"] > 3 and divided["not_divided"] == {}


def test_the_same_seed_gives_the_same_pairs(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for seed in ("1", "1", "2"):
        assert main(["compare-paths", str(navmesh), "--pairs", "50", "--seed", seed, "--json"]) == 0
        said.append([row["length"] for row in json.loads(capsys.readouterr().out)["ways"]])
    assert said[0] == said[1] != said[2]


def test_one_pair_as_a_table_and_a_picture(navmesh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "ways.svg"
    words = ["compare-paths", str(navmesh), "--from", "3,0,3", "--to", "28,0,28", "-o", str(picture)]
    status = main(words)
    lines = capsys.readouterr().out.splitlines()
    assert status == 0 and lines[0].startswith("1 of 1 pairs")
    assert [line.split()[0] for line in lines[2 : 2 + len(WAYS)]] == WAYS and lines[-1].startswith("Meadow mapping: ")
    text = picture.read_text(encoding="utf-8")
    assert ElementTree.fromstring(text).tag.endswith("svg") and all(f">{way}: " in text for way in WAYS)


def test_no_path_is_status_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, picture = tmp_path / "plates.bin", tmp_path / "plates.svg"
    plates = scenes.join([scenes.box(14.0 * k, -1, 0, 10, 1, 10) for k in range(2)])
    write_navmesh(build_navmesh(*plates, Settings(tile_size=32)), path)
    words = ["compare-paths", str(path), "--from", "5,0,5", "--to", "19,0,5"]
    assert main([*words, "-o", str(picture)]) == 3
    assert capsys.readouterr().out.startswith("0 of 1 pairs") and picture.exists()
    assert main([*words, "--json"]) == 3
    answer = json.loads(capsys.readouterr().out)
    assert answer["compared"] == 0 and answer["ways"][0]["length"] is None


def test_islands_that_are_not_divided_are_told_of(
    navmesh: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(meadow, "MAX_CORNERS", 8)
    assert main(["compare-paths", str(navmesh), "--pairs", "20"]) == 0
    assert re.search(r"  \d+ more could not be divided: TOO_LARGE$", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--pairs", "0"], 2, "not a number of pairs"),
        (["--from", "1,2,3"], 1, "Give both --from and --to"),
        (["-o", "ways.pdf"], 1, "pictures are written as .svg, .png"),
        (["-o", "no/such/folder/ways.svg"], 1, "no/such/folder"),
    ],
)
def test_what_is_refused(
    navmesh: Path, words: list[str], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["compare-paths", str(navmesh), *words]) == status
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".bin", ".json", ".glb", ".tres"])
def test_pictures_of_navmeshes_of_every_format(tmp_path: Path, ending: str) -> None:
    path, picture = tmp_path / f"level{ending}", tmp_path / "level.svg"
    write_navmesh(town(), path)
    assert main(["picture", str(path), "-o", str(picture), "--width", "600"]) == 0
    root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
    assert root.get("width") == "600" and f"level{ending}" in "".join(root.itertext())


def test_pictures_of_pixels(navmesh: Path, tmp_path: Path) -> None:
    picture = tmp_path / "town.png"
    assert main(["picture", str(navmesh), "-o", str(picture), "--width", "500"]) == 0
    assert pixels_of(picture.read_bytes()).shape[1] == 500


def test_pictures_that_are_refused(navmesh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "a.svg")
    assert main(["picture", str(tmp_path / "missing.bin"), "-o", out]) == 1 and "CANNOT_READ" in capsys.readouterr().err
    assert main(["picture", str(tmp_path / "level.obj"), "-o", out]) == 1
    assert "UNKNOWN_FORMAT" in capsys.readouterr().err
    assert main(["picture", str(navmesh), "-o", out, "--width", "10"]) == 1
    assert "points wide" in capsys.readouterr().err and not (tmp_path / "a.svg").exists()
