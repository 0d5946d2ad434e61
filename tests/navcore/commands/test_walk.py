"""`navcore walk`: who arrives and when, the track, exit statuses, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from navcore import Settings, build_navmesh, write_navmesh
from navcore.__main__ import main
from tests import scenes
from tests.navcore.crowd.narrow_levels import LEVELS, ends_of


@pytest.fixture(scope="module")
def navmesh(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("walk") / "navmesh.bin"
    write_navmesh(build_navmesh(*scenes.flat(20), Settings(agent_radius=0.4)), path)
    return path


TWO = ("--from", "2,0,10", "--to", "18,0,10", "--from", "18,0,10", "--to", "2,0,10")


def test_two_agents_pass_each_other_and_leave_a_track(
    navmesh: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    track = tmp_path / "track.json"
    assert main(["walk", str(navmesh), *TWO, "--seconds", "20", "--json", "-o", str(track)]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert [agent["state"] for agent in answer["agents"]] == ["arrived"] * 2
    for agent in answer["agents"]:
        assert 16 / 1.5 < agent["arrival"] < 14
        assert agent["path_length"] == pytest.approx(16, abs=0.01) and 16 <= agent["length"] < 17
    written = json.loads(track.read_text())
    assert written["agents"] == answer["agents"] and written["frames_per_second"] == 24
    assert [len(written[name][1]) for name in ("positions", "headings", "states")] == [481] * 3


def test_the_same_words_give_the_same_bytes(navmesh: Path, tmp_path: Path) -> None:
    tracks = [tmp_path / f"{k}.json" for k in range(2)]
    for track in tracks:
        assert main(["walk", str(navmesh), *TWO, "--seconds", "5", "-o", str(track)]) == 3
    assert tracks[0].read_bytes() == tracks[1].read_bytes()


def test_for_people_it_is_a_line_for_each(navmesh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--from", "2,0,2", "--to", "4,0,2", "--from", "2,0,10", "--to", "18,0,10", "--from", "2,0,5", "--to"]
    assert main(["walk", str(navmesh), *words, "-90,0,5", "--seconds", "5"]) == 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("agent 1: arrived after 1.") and "its path was 2.00 m long" in lines[0]
    assert lines[1].startswith("agent 2: is still walking; it walked 7.")
    assert lines[2] == "agent 3: no way leads to its end"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--from", "2,0,2", "--to", "4,0,2", "--to", "5,0,2"), "--from stands there 1 times, and --to 2 times"),
        ((*TWO, "--radius", "0"), "radius is 0"),
        ((*TWO, "--seed", "-1"), "seed is -1"),
        ((*TWO, "-o", "/nowhere/track.json"), "nowhere"),
        ((*TWO, "-o", "heat.svg"), "a track is written as .json"),
    ],
)
def test_what_is_refused(navmesh: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["walk", str(navmesh), *words]) == 1
    assert said in capsys.readouterr().err


def test_heat_is_drawn_and_written_and_may_end_with_status_3(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    level = LEVELS["pillar"]()
    file, files = tmp_path / "navmesh.bin", [tmp_path / f"heat.{ending}" for ending in ("json", "svg", "png")]
    write_navmesh(build_navmesh(*level.mesh, Settings(agent_radius=0.3, cell_size=0.15)), file)
    words = ["walk", str(file), "--seconds", "20"]
    for start, end in zip(*ends_of(level, 20), strict=True):
        words += ["--from", ",".join(map(str, start)), "--to", ",".join(map(str, end))]
    for path in files:
        words += ["--heat", str(path)]
    main([*words, "--json"])
    answer = json.loads(capsys.readouterr().out)
    heat = json.loads(files[0].read_text())
    assert heat["format"] == 1 and heat["cell"] == 0.5 and len(heat["origin"]) == 2
    assert np.shape(heat["density"]) == np.shape(heat["time_lost"]) == np.shape(heat["waiting"])
    assert answer["chokepoints"] == heat["chokepoints"] and heat["agents"] == len(answer["time_lost"]) == 20
    worst = heat["chokepoints"][0]
    assert set(worst) == {"at", "width", "seconds", "agents"}
    assert 14.7 <= worst["at"][0] <= 16.8 and worst["at"][2] <= 1.3
    assert heat["mean_time_lost"] == pytest.approx(np.mean(answer["time_lost"]), abs=2e-3) and heat["agents"] == 20
    assert "held up: s lost" in files[1].read_text() and files[2].read_bytes()[:4] == b"\x89PNG"
    mean = answer["mean_time_lost"]
    assert main([*words, "--max-time-lost", f"{mean - 0.01}"]) == 3
    said = capsys.readouterr()
    assert f"agents lost {mean:.2f} s on average, more than" in said.err
    assert "chokepoint 1: 1" in said.out and " m wide: " in said.out


def test_a_gate_on_lost_time_is_open_where_nobody_is_in_the_way(navmesh: Path) -> None:
    alone = ("--from", "2,0,10", "--to", "18,0,10", "--seconds", "15")
    assert main(["walk", str(navmesh), *alone, "--max-time-lost", "0.5"]) == 0
    assert main(["walk", str(navmesh), *alone, "--max-time-lost", "0"]) == 3
    assert main(["walk", str(navmesh), *alone, "--heat", "heat.txt"]) == 1
