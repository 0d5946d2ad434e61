"""No gate passes where it must not: places aside, in solids or in the air, lost seeds, words that ask nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import BoxVolume, LevelSource, Settings, build_navmesh, prune_navmesh, write_navmesh
from navcore.__main__ import main
from navcore.build_warning import WARNING_CODES
from tests import scenes

SMALL_BOX = scenes.box(4, 0, 4, 2, 3, 2)  # 1 m from its middle to its sides: no navmesh fits inside
WIDE_BOX = scenes.box(12, 0, 4, 6, 3, 6)  # with room for navmesh inside
FLOOR = scenes.box(0, -1, 0, 24, 1, 20)
OUTSIDE, IN_SMALL, IN_WIDE = [2, 0, 2], [5, 0, 5], [15, 0, 7]


@pytest.fixture
def level(tmp_path: Path) -> Path:
    """A floor with two closed boxes."""
    save(tmp_path, [FLOOR, SMALL_BOX, WIDE_BOX])
    return tmp_path


def save(folder: Path, parts: list[Any]) -> None:
    mesh = scenes.join(parts)
    np.savez(folder / "level.npz", verts=mesh[0], tris=mesh[1])


def build(level: Path, *more: object) -> int:
    words = ["build", level / "level.npz", "-o", level / "n.bin", "--report", level / "r.json", *more]
    return main([str(word) for word in words])


def reach(level: Path, rows: list[object], *more: object) -> int:
    (level / "must.json").write_text(json.dumps({"points": rows}))
    return build(level, "--must-reach", level / "must.json", *more)


def report(level: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((level / "r.json").read_text())
    return content


@pytest.mark.parametrize("place", [IN_SMALL, IN_WIDE, [4.1, 0.5, 5], [5, 1.5, 5], [12.3, 0, 7]])
def test_no_place_in_a_solid_passes(level: Path, place: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    """However near the navmesh is, and whatever limit is asked for; also where there is navmesh inside."""
    for more in ([], ["--within", "5"], ["--tile-size", "48"]):
        assert reach(level, [OUTSIDE, place], *more) == 3
        assert [row["ok"] for row in report(level)["must_reach"]] == [True, False]
    assert "m aside" in capsys.readouterr().err and not (level / "n.bin").exists()


def test_a_house_with_a_door_is_no_solid_and_neither_is_a_shell_around_the_level(tmp_path: Path) -> None:
    """Walls that show their backs inside: their ground goes on outside, or everything lies inside."""
    vertices, triangles = scenes.box(6, 0, 6, 8, 3, 8)
    vertices, triangles = np.asarray(vertices), np.asarray(triangles)
    corners = vertices[triangles]
    side = (corners[:, :, 0] == 6).all(axis=1)  # one wall is open
    save(tmp_path, [FLOOR, (vertices, triangles[~side])])
    assert reach(tmp_path, [OUTSIDE, [10, 0, 10]]) == 0
    save(tmp_path, [FLOOR, scenes.box(-5, -5, -5, 40, 30, 40)])
    assert reach(tmp_path, [OUTSIDE, [10, 0, 10]]) == 0


def test_ground_that_lies_a_little_higher_than_a_place_is_no_solid(level: Path) -> None:
    assert reach(level, [[2, -0.05, 2], [2, 0.3, 2]]) == 0


@pytest.mark.parametrize(
    ("place", "ok"), [([0.1, 0, 2], True), ([-0.2, 0, 2], False), ([2, 0.85, 2], True), ([2, 1.2, 2], False)]
)
def test_the_limit_is_radius_and_a_cell_aside_and_the_climb_in_height(
    level: Path, place: list[float], ok: bool
) -> None:
    """The navmesh ends at x = 0.9; defaults are 0.6 + 0.3 m, and 0.9 m."""
    assert reach(level, [place]) == (0 if ok else 3)
    row = report(level)["must_reach"][0]
    assert row["ok"] is ok and row["aside"] == pytest.approx(max(0.9 - place[0], 0), abs=1e-3)
    assert row["above"] == pytest.approx(place[1], abs=0.25)


def test_how_far_aside_is_said_and_the_limit_can_be_given(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    near, far = [0.2, 0, 2], [-1.0, 0, 2]
    assert reach(level, [near]) == 0
    said = report(level)["gates"][0]["message"]
    assert "The farthest lies 0." in said and "m aside of the navmesh: (0.2, 0, 2)" in said
    assert reach(level, [near], "--within", "0.1") == 3
    assert "m aside (limit 0.10 m)" in capsys.readouterr().err
    assert reach(level, [{"point": near, "within": 0.1}, OUTSIDE]) == 3
    assert reach(level, [far]) == 3 and reach(level, [{"point": far, "within": 2}], "--within", "0.1") == 0


@pytest.mark.parametrize(
    "row",
    [{"point": OUTSIDE, "within": within} for within in (-1, "1", True, 1e300)],
)
def test_a_limit_that_is_none_is_refused(
    level: Path, row: dict[str, object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert reach(level, [row]) == 1
    assert "'within' must be metres" in capsys.readouterr().err
    assert all(reach(level, [OUTSIDE], "--within", wide) == 1 for wide in ("nan", "1e300"))
    assert "--within must be metres from 0 to" in capsys.readouterr().err
    assert build(level, "--within", "1") == 1


@pytest.mark.parametrize(
    ("start", "end", "status"),
    [(IN_SMALL, OUTSIDE, "no_start"), (OUTSIDE, IN_SMALL, "no_end"), (OUTSIDE, [2, 3.3, 8], "no_end")],
)
def test_no_path_begins_in_a_solid_or_ends_in_the_air(
    level: Path, start: list[float], end: list[float], status: str
) -> None:
    (level / "t.json").write_text(
        json.dumps({"tests": [{"from": start, "to": end}, {"from": OUTSIDE, "to": [2, 0, 8]}]})
    )
    assert build(level, "--test", level / "t.json") == 3
    rows = report(level)["tests"]
    assert [row["status"] for row in rows] == [status, "complete"] and rows[0]["why"]
    assert rows[1]["aside"] == [0.0, 0.0]


@pytest.mark.parametrize("more", [[], ["--tile-size", "32"], ["--tile-size", "32", "--generate-links"], ["--prune"]])
@pytest.mark.parametrize("code", ["SEED_OFF_NAVMESH", "ANY"])
def test_a_seed_off_the_navmesh_is_told_in_every_way_of_building(level: Path, more: list[str], code: str) -> None:
    """Also where tiles are written as they come, and once each."""
    (level / "scene.json").write_text(json.dumps({"seeds": [OUTSIDE, [114, 0, 2]]}))
    scene = ["--scene", level / "scene.json"]
    assert build(level, *scene, *more) == 0
    told = [w for w in report(level)["warnings"] if w["code"] == "SEED_OFF_NAVMESH"]
    assert len(told) == 1 and told[0]["place"] == [114, 0, 2]
    assert build(level, *scene, *more, "--fail-on", code) == 3
    (level / "scene.json").write_text(json.dumps({"seeds": [OUTSIDE, [20, 0, 15]]}))
    assert build(level, *scene, *more, "--fail-on", code) == 0


def test_python_tells_of_lost_seeds_once() -> None:
    mesh = scenes.join([FLOOR, SMALL_BOX])
    source = LevelSource(mesh[0], mesh[1], seeds=[OUTSIDE, [114, 0, 2]])
    navmesh = build_navmesh(source, settings=Settings())
    assert [w.code for w in navmesh.report.warnings].count("SEED_OFF_NAVMESH") == 1
    assert [w.code for w in prune_navmesh(navmesh, source.seeds).report.warnings].count("SEED_OFF_NAVMESH") == 1


@pytest.mark.parametrize("words", [[""], [","], [" , "]])
def test_fail_on_nothing_is_refused(level: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert build(level, "--fail-on", *words) == 1
    assert "its gate would never close" in capsys.readouterr().err


def test_the_area_gate_compares_with_reports_alone(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (level / "r.json").write_text('{"some": "file"}')
    assert build(level, "--max-area-change", "1") == 1
    assert "tells no walkable ground" in capsys.readouterr().err


def test_ground_that_moved_is_a_gate_of_its_own(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = scenes.join([FLOOR])
    for name, up in (("a", 0.0), ("b", 0.6)):
        write_navmesh(build_navmesh(np.add(mesh[0], (0, up, 0)), mesh[1]), level / f"{name}.bin")
    words = ["compare", str(level / "a.bin"), str(level / "b.bin"), "--max-added", "1", "--max-removed", "1"]
    assert main(words) == 0
    assert main([*words, "--max-moved", "1"]) == 3
    assert "m² of ground were moved, and --max-moved is 1" in capsys.readouterr().err


# --- points of questions that are moved


@pytest.fixture
def navmesh(level: Path) -> str:
    assert build(level, "--quiet") == 0
    return str(level / "n.bin")


@pytest.mark.parametrize(
    ("start", "end", "moved", "far"),
    [("2,0,2", "2,0,8", [0, 0], 0), ("5,0,5", "2,3.3,8", [1.6, 3.2], 2), ("2,0.5,2", "0.4,0,8", [0.5, 0.5], 0)],
)
def test_a_path_says_by_how_much_its_ends_were_moved(
    navmesh: str, start: str, end: str, moved: list[float], far: int, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["path", navmesh, "--from", start, "--to", end]
    assert main([*words, "--json"]) == 0
    out, told = capsys.readouterr()
    answer = json.loads(out)
    assert answer["moved"] == pytest.approx(moved, abs=0.3) and len(answer["warnings"]) == far
    assert told.count("navcore: warning: MOVED_FAR: ") == far and "MOVED_FAR" in WARNING_CODES
    assert main(words) == 0
    assert ("was moved by" in capsys.readouterr().out) == (max(answer["moved"]) > 0)
    assert main([*words, "--fail-on", "MOVED_FAR"]) == (3 if far else 0)
    assert main([*words, "--fail-on", "no_such"]) == 1


def test_a_path_that_has_no_start_was_moved_nowhere(navmesh: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["path", navmesh, "--from", "200,0,2", "--to", "2,0,8", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["moved"][0] is None


def test_agents_whose_end_is_in_a_solid_do_not_just_arrive(navmesh: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["walk", navmesh, "--from", "2,0,2", "--to", "5,0,5", "--seconds", "20"]
    assert main(words) == 0
    assert "warning: MOVED_FAR: The end of agent 1 (5, 0, 5)" in capsys.readouterr().err
    assert main([*words, "--fail-on", "ANY"]) == 3


def test_volumes_that_clear_ground_are_no_solids(level: Path) -> None:
    """A place is off the navmesh there for the reason that is so."""
    volume = BoxVolume(area=0, min=(1, -1, 1), max=(5, 1, 3.5))
    (level / "scene.json").write_text(json.dumps({"volumes": [volume.to_mapping()]}))
    assert reach(level, [[2.5, 0, 2.2]], "--scene", level / "scene.json") == 3
    assert report(level)["must_reach"][0]["code"] not in ("", "INSIDE_SOLID")
