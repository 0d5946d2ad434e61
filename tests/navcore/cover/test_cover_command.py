"""`navcore cover`: of a level and of a navmesh on it, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import Settings, Sight, build_navmesh, find_cover, write_navmesh
from navcore.__main__ import main
from tests import scenes

from .made_levels import joined

LEVEL = joined(
    scenes.box(0, -1, 0, 16, 1, 12), scenes.box(4, 0, 4, 4, 1.1, 0.4), scenes.box(10, 0, 6, 0.4, 2.5, 4)
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cover")
    np.savez(folder / "level.npz", verts=LEVEL[0], tris=LEVEL[1])
    np.savez(folder / "far.npz", verts=LEVEL[0] + 100, tris=LEVEL[1])
    np.savez(folder / "upright.npz", verts=LEVEL[0][:, [0, 2, 1]] * [1, -1, 1], tris=LEVEL[1])
    for ending in (".bin", ".json", ".glb"):
        write_navmesh(build_navmesh(*LEVEL, Settings()), folder / f"navmesh{ending}")
    return folder


def written(folder: Path, *words: str) -> dict[str, Any]:
    assert main(["cover", *(word.replace("@", f"{folder}/") for word in words), "-o", str(folder / "cover.json")]) == 0
    content: dict[str, Any] = json.loads((folder / "cover.json").read_text())
    return content


def test_a_level_is_built_with_settings_and_cover_is_found(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    content = written(folder, "@level.npz", "--agent-radius", "0.3", "--spacing", "1")
    expected = find_cover(build_navmesh(*LEVEL, Settings(agent_radius=0.3)), Sight(*LEVEL), spacing=1.0)
    assert content == expected.to_mapping()
    low = int((expected.kind == "low").sum())
    out, error = capsys.readouterr()
    assert out.startswith(f"level.npz: {len(expected.at)} places of cover, {low} low and {len(expected.at) - low} high")
    assert error == "" and {point["kind"] for point in content["points"]} == {"low", "high"}


@pytest.mark.parametrize("ending", [".bin", ".json", ".glb"])
def test_a_navmesh_of_any_format_stands_on_its_level(folder: Path, ending: str) -> None:
    content = written(folder, f"@navmesh{ending}", "--level", "@level.npz", "--quiet")
    whole = written(folder, "@level.npz", "--quiet")
    assert len(content["points"]) == pytest.approx(len(whole["points"]), rel=0.05)
    assert {(p["kind"], p["height"]) for p in content["points"]} == {("low", 1.1), ("high", 2.5)}


@pytest.mark.parametrize("words", [["@level.npz"], ["@navmesh.bin", "--level", "@level.npz"]])
def test_a_picture_shows_every_place_on_its_level(folder: Path, words: list[str]) -> None:
    content = written(folder, *words, "--quiet", "-o", str(folder / "cover.svg"), "-o", str(folder / "cover.png"))
    drawn = (folder / "cover.svg").read_text()
    assert drawn.count("<circle ") == len(content["points"]) + 3  # and those of the legend
    assert all(said in drawn for said in ("high cover, towards the wall", "lean out to this side", ": cover"))
    assert (folder / "cover.png").read_bytes().startswith(b"\x89PNG")


def test_a_level_with_another_axis_up_is_turned(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    upright = written(folder, "@navmesh.bin", "--level", "@upright.npz", "--up", "z", "--quiet")
    assert upright == written(folder, "@navmesh.bin", "--level", "@level.npz", "--quiet")
    assert capsys.readouterr() == ("", "")


def test_a_level_without_any_is_said(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(folder / "plain.npz", verts=LEVEL[0][:8], tris=LEVEL[1][:12])
    assert written(folder, "@plain.npz") == {"format": 1, "points": []}
    assert "no cover: nothing of 0.8 m and more stands" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["@navmesh.bin"], "NEEDS_THE_LEVEL", "navmesh.bin is read as a navmesh"),
        (["@navmesh.glb"], "NEEDS_THE_LEVEL", "with --level"),
        (["@navmesh.bin", "--level", "@far.npz"], "LEVEL_ELSEWHERE", "no ground at any of the"),
        (
            ["@navmesh.bin", "--level", "@level.npz", "--cell-size", "0.2"],
            "WRONG_QUESTION",
            "(cell_size) is for a navmesh",
        ),
        (["@navmesh.bin", "--level", "@nothing.obj"], "CANNOT_READ", "nothing.obj"),
        (
            ["@level.npz", "-o", "@cover.txt"],
            "UNKNOWN_FORMAT",
            "cover.txt: cover is written to .json, .glb, .tscn, .svg, .png",
        ),
        (["@nothing.bin", "--level", "@level.npz"], "CANNOT_READ", "nothing.bin"),
        (["@level.npz", "--spacing", "5000"], "WRONG_QUESTION", "spacing is 5000.0. Give 0.05 to 1000 metres."),
        (["@level.npz", "--agent-radius", "-1"], "BAD_SETTINGS", "agent_radius"),
    ],
)
def test_what_is_refused_is_one_sentence_and_no_file(
    folder: Path, words: list[str], code: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    output = folder / "refused.json"
    assert main(["cover", *(word.replace("@", f"{folder}/") for word in words), "-o", str(output)]) == 1
    error = capsys.readouterr().err
    assert error.startswith(f"navcore: {code}: ") and said in error and error.count("\n") == 1
    assert not output.exists()


def test_a_scene_is_for_what_is_built(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "scene.json").write_text("{}")
    words = [str(folder / "navmesh.bin"), "--level", str(folder / "level.npz"), "--scene", str(folder / "scene.json")]
    assert main(["cover", *words, "-o", str(folder / "refused.json")]) == 1
    assert "WRONG_QUESTION: What is given (--scene) is for a navmesh that is built" in capsys.readouterr().err


def test_a_spacing_that_is_no_length_is_wrong_usage(folder: Path) -> None:
    assert main(["cover", str(folder / "level.npz"), "-o", str(folder / "no.json"), "--spacing", "0"]) == 2
