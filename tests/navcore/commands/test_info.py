"""`navcore info` of every format that holds a navmesh: text, JSON, and a sentence where something is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from navcore.__main__ import main
from tests import scenes

ROOT = Path(__file__).resolve().parents[3]
ENDINGS = (".bin", ".json", ".glb", ".tres", ".tscn")
SCENE = {
    "volumes": [{"shape": "box", "area": 1, "min": [0, -1, 0], "max": [4, 3, 4]}],
    "links": [{"start": [1, 0, 1], "end": [8, 0, 8]}],
    "area_types": {"1": {"name": "swamp", "flags": 2, "cost": 7.5, "color": [0, 0.5, 0]}},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("info")
    vertices, triangles = scenes.plaza(2)
    np.savez(folder / "level.npz", verts=vertices, tris=triangles)
    (folder / "scene.json").write_text(json.dumps(SCENE))
    outputs = [word for ending in ENDINGS for word in ("-o", str(folder / f"n{ending}"))]
    assert main(["build", str(folder / "level.npz"), "--scene", str(folder / "scene.json"), "--quiet", *outputs]) == 0
    return folder


def test_building_says_where_costs_are_lost(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In one piece, and with tiles that are written as they are built."""
    argv = ["build", str(folder / "level.npz"), "--scene", str(folder / "scene.json")]
    for more in ([], ["--tile-size", "16"]):
        assert main([*argv, "-o", str(tmp_path / "n.bin"), *more]) == 0
        told = [line for line in capsys.readouterr().err.splitlines() if "LOST_IN_EXPORT" in line]
        assert len(told) == 1 and "A .bin holds no costs of areas: swamp 7.5." in told[0]
        assert main([*argv, "-o", str(tmp_path / "n.json"), *more]) == 0
        assert "LOST_IN_EXPORT" not in capsys.readouterr().err


@pytest.mark.parametrize("ending", ENDINGS)
def test_text_says_what_people_ask_for(folder: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(folder / f"n{ending}")]) == 0
    rows = {line[:12].rstrip(): line[12:] for line in capsys.readouterr().out.splitlines()}
    assert rows["file"].startswith(str(folder / f"n{ending} (")) and " bytes)" in rows["file"]
    assert ("tiles" in rows) == (ending == ".bin")
    assert rows["polygons"].endswith(" triangles)") and rows["links"] == ("0" if ending == ".tres" else "1")
    assert rows["agent"] == "2 m tall, radius 0.6 m, climbs 0.9 m" and rows["cell size"] == "0.3 m"
    assert " to " in rows["bounds"]
    names = ("ground", "water") if ending == ".bin" else ("ground", "swamp")
    costs = ("", "") if ending == ".bin" else (", cost 1", ", cost 7.5")
    for name, cost in zip(names, costs, strict=True):
        assert rows[f"  {name}"].endswith(f" polygons{cost}")


@pytest.mark.parametrize("ending", ENDINGS)
def test_json_is_one_object(folder: Path, ending: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "--json", str(folder / f"n{ending}")]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {area["area"]: area["cost"] for area in told["areas"]} == (
        {0: None, 1: None} if ending == ".bin" else {0: 1.0, 1: 7.5}
    )
    if ending != ".bin":
        assert told["area_types"]["1"] == SCENE["area_types"]["1"]  # type: ignore[index]


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("n.json", b"", "BAD_JSON"), ("n.json", b'{"format": "navmesh"}', "BAD_VERSION"),
        ("n.json", b'{"name": "package"}', "NOT_A_NAVMESH"), ("n.json", b"\xff\xfe", "BAD_JSON"),
        ("n.glb", b"", "NOT_A_NAVMESH"), ("n.glb", b"glTF\2\0\0\0", "TRUNCATED"),
        ("n.tres", b"[gd_resource]", "NOT_A_NAVMESH"), ("n.tscn", b"[gd_scene]", "NOT_A_NAVMESH"),
        ("n.tscn", b"", "NOT_A_NAVMESH"), ("n.bin", b"", "TRUNCATED"), ("n.dat", b"12345", "NOT_A_NAVMESH"),
        ("n.obj", b"v 0 0 0\n", "UNKNOWN_FORMAT"), ("n.gset", b"f a.obj\n", "UNKNOWN_FORMAT"),
        (".", b"", "CANNOT_READ"), ("none.json", None, "CANNOT_READ"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence_and_exit_1(
    tmp_path: Path, name: str, content: bytes | None, code: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if content is not None and name != ".":
        (tmp_path / name).write_bytes(content)
    assert main(["info", str(tmp_path / name), "--json"]) == 1
    output = capsys.readouterr()
    assert output.out == "" and output.err.startswith(f"navcore: {code}: ") and output.err.count("\n") == 1


def test_names_from_files_stay_on_their_line(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = (folder / "n.json").read_text()
    (tmp_path / "n.json").write_text(content.replace('"swamp"', json.dumps("a\x1b[31m\nislands     9")))
    assert main(["info", str(tmp_path / "n.json")]) == 0
    output = capsys.readouterr().out
    assert "\x1b" not in output and "\nislands     9" not in output and "  a?[31m?islands     9 " in output


@pytest.mark.parametrize("ending", ENDINGS)
def test_nobody_reads_and_it_is_no_error(folder: Path, ending: str) -> None:
    argv = [sys.executable, "-m", "navcore", "info", str(folder / f"n{ending}")]
    asked = subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert asked.stdout is not None and asked.stderr is not None
    asked.stdout.close()
    assert asked.wait(60) == 0 and asked.stderr.read() == b""


@pytest.fixture(scope="module")
def two_islands(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A step of 1.2 m between two floors, for an agent that climbs 0.9 m."""
    folder = tmp_path_factory.mktemp("islands")
    vertices, triangles = scenes.join([scenes.box(0, -1, 0, 10, 1, 10), scenes.box(10, 0, 0, 6, 1.2, 10)])
    np.savez(folder / "level.npz", verts=vertices, tris=triangles)
    outputs = [word for ending in ENDINGS for word in ("-o", str(folder / f"n{ending}"))]
    assert main(["build", str(folder / "level.npz"), "--quiet", *outputs]) == 0
    return folder


@pytest.mark.parametrize("ending", ENDINGS)
def test_islands_are_listed_with_what_is_missing(
    two_islands: Path, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(two_islands / f"n{ending}"), "--joins", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    large, small = facts["island_list"]
    assert facts["islands"] == 2 and large["square_metres"] > small["square_metres"] > 20
    assert large["polygons"] + small["polygons"] == facts["polygons"]
    assert small["bounds"][0] > 10 > large["bounds"][3]
    join = small["join"]
    assert join["other"] == 0 and join["rise"] == pytest.approx(-1.2, abs=0.25)
    assert join["from"][0] > 10 > join["to"][0]
    assert (join["missing"], join["setting"]) == ("STEP", "agent_max_climb") and 1.2 <= join["value"] <= 1.5
    assert main(["info", str(two_islands / f"n{ending}"), "--islands"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  island")]
    assert len(lines) == 2 and f"{small['square_metres']:,.1f} m² in {small['polygons']} polygon" in lines[1]
    assert main(["info", str(two_islands / f"n{ending}"), "--joins"]) == 0
    assert f"to island 0: {join['sentence']}" in capsys.readouterr().out


def test_without_being_asked_no_islands_are_listed(two_islands: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", str(two_islands / "n.bin"), "--json"]) == 0
    assert "island_list" not in json.loads(capsys.readouterr().out)
