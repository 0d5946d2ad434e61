"""What docs/guide/doors.md says is done as it says it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from navcore import NavMesh, NavQuery, read_navmesh
from navcore.__main__ import main

PAGE = (Path(__file__).resolve().parents[3] / "docs/guide/doors.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_python_of_the_page_says_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    script, _ = blocks("python")  # the other one is Blender's
    exec(compile(script, "doors.md", "exec"), {})
    assert capsys.readouterr().out.split() == ["True", "False"]
    assert "It says `True`, then `False`." in PAGE


def test_the_command_of_the_page_builds_and_tests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scene, tests = (json.loads(block) for block in blocks("json"))
    (tmp_path / "hall.obj").write_text("v 0 0 0\nv 0 0 20\nv 20 0 20\nv 20 0 0\nf 1 2 3 4\n")
    (tmp_path / "hall.json").write_text(json.dumps(scene))
    (tmp_path / "tests.json").write_text(json.dumps(tests))
    monkeypatch.chdir(tmp_path)
    (command,) = re.findall(r"```\nnavcore (.*?)\n```", PAGE)
    words = command.split()
    assert main(words) == 0
    again = read_navmesh(tmp_path / "hall.navmesh.json")
    assert isinstance(again, NavMesh)
    query = NavQuery(read_navmesh(tmp_path / "hall.bin"))
    for door in json.loads((tmp_path / "hall.navmesh.json").read_text())["doors"]:
        assert door["name"] == "gate" and door["is_closed"]
        assert (query.flags(np.array(door["polygons"])) == door["closed"]).all()
    ask_for_a_way(words=re.findall(r"`navcore (path .*?)`", PAGE)[0].split())
    tests["tests"][0]["doors"] = {"gate": "open"}
    (tmp_path / "tests.json").write_text(json.dumps(tests))
    assert main(words) == 3


def ask_for_a_way(words: list[str]) -> None:
    """As the page does, with the door open; else it is as it was built. No .bin knows doors."""
    assert words[-1] == "gate=open" and main(words) == 0
    assert main(words[:-2]) == 3 and main([*words[:-1], "gate=closed"]) == 3
    assert main([*words[:-1], "door=open"]) == 1 and main([words[0], "hall.bin", *words[2:]]) == 1
    assert main([*words[:-1], "gate=ajar"]) == 2


def test_what_asks_for_an_ability_is_one_flag(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An impossible door is said with its volume, and what would be one."""
    scene = json.loads(blocks("json")[0])
    scene["volumes"][2]["ability"] = 6
    (tmp_path / "hall.json").write_text(json.dumps(scene))
    (tmp_path / "hall.obj").write_text("v 0 0 0\nv 0 0 20\nv 20 0 20\nf 1 2 3\n")
    files = [str(tmp_path / name) for name in ("hall.obj", "hall.json", "hall.bin")]
    assert main(["build", files[0], "--scene", files[1], "-o", files[2]]) == 1
    assert "BAD_SCENE: volume 3 (box): ability must be one flag (1, 2, 4, 8 …)" in capsys.readouterr().err
