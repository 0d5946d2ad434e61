"""`navcore walk`: who arrives and when, the track, exit statuses, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from navcore import Settings, build_navmesh, write_navmesh
from navcore.__main__ import main
from tests import scenes


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
    ],
)
def test_what_is_refused(navmesh: Path, words: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["walk", str(navmesh), *words]) == 1
    assert said in capsys.readouterr().err
