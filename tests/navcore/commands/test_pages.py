"""`navcore page`, `build --page`, `compare -o`, and what `picture` draws beneath and on top of a navmesh."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore.__main__ import main
from navcore.commands.picture_command import height_lines, level_patches
from navcore.formats import read_navmesh_file
from navcore.pictures.drawing import Patches
from tests import scenes


@pytest.fixture
def level(tmp_path: Path) -> Path:
    vertices, triangles = scenes.plaza(3)
    np.savez(tmp_path / "level.npz", verts=vertices, tris=triangles)
    return tmp_path / "level.npz"


def facts_of(page: Path) -> Any:
    return json.loads(re.search(r'id="facts">(.*?)</script>', page.read_text(encoding="utf-8"))[1])  # type: ignore[index]


def built(level: Path, name: str, *flags: str) -> Path:
    assert main(["build", str(level), "-o", str(level.with_name(name)), "--quiet", *flags]) == 0
    return level.with_name(name)


def test_a_page_of_a_file_its_level_and_the_one_before(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before, after = built(level, "before.bin"), built(level, "after.bin", "--agent-radius", "1")
    page = level.with_name("page.html")
    command = ["page", str(after), "--level", str(level), "--compare", str(before), "-o", str(page)]
    assert main(command) == 0
    facts = facts_of(page)
    assert facts["title"] == "after.bin" and facts["difference"]["removed"] > 1 and facts["level"]["shown"] > 0
    assert re.fullmatch(r"page\.html: [\d.]+ MB, opens in any browser\n", capsys.readouterr().out)
    assert main([*command, "--quiet"]) == 0 and capsys.readouterr().out == ""


@pytest.mark.parametrize("ending", ["bin", "json", "obj"])
def test_files_that_are_compared_are_read_once(level: Path, monkeypatch: pytest.MonkeyPatch, ending: str) -> None:
    """Who writes one meanwhile would get a page of two navmeshes."""
    before, after = built(level, f"before.{ending}"), built(level, f"after.{ending}", "--agent-radius", "1")
    opened, by_path = list[str](), Path.open
    monkeypatch.setattr(
        Path, "open", lambda path, *how, **more: opened.append(path.name) or by_path(path, *how, **more)
    )
    page = level.with_name("page.html")
    assert main(["page", str(after), "--compare", str(before), "-o", str(page), "--quiet"]) == 0
    assert [opened.count(path.name) for path in (before, after)] == [1, 1]
    assert facts_of(page)["difference"]["removed"] > 1


def test_a_build_leaves_its_page_also_when_a_gate_fails(level: Path, tmp_path: Path) -> None:
    page, output = tmp_path / "page.html", tmp_path / "level.bin"
    places = tmp_path / "places.json"
    places.write_text(json.dumps({"points": [[500, 0, 500]]}))
    command = ["build", str(level), "-o", str(output), "--page", str(page), "--must-reach", str(places)]
    assert main(command) == 3 and not output.exists()
    (place,) = facts_of(page)["mustReach"]
    assert place["ok"] is False and place["point"] == [500.0, 0.0, 500.0] and place["why"]
    assert main(["build", str(level), "--page", str(tmp_path / "alone.html"), "--quiet"]) == 0
    assert facts_of(tmp_path / "alone.html")["navmesh"]["polygons"] > 0


def test_a_page_is_made_where_the_build_could_have_been_left_out(level: Path, tmp_path: Path) -> None:
    output = built(level, "level.bin", "--skip-unchanged")
    page = tmp_path / "page.html"
    assert main(["build", str(level), "-o", str(output), "--skip-unchanged", "--page", str(page), "--quiet"]) == 0
    assert page.exists()


def test_a_dry_run_writes_no_page(level: Path, tmp_path: Path) -> None:
    assert main(["build", str(level), "--dry-run", "--page", str(tmp_path / "page.html"), "--quiet"]) == 0
    assert not (tmp_path / "page.html").exists()


def test_a_report_of_an_earlier_build(level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report, page = level.with_name("report.json"), level.with_name("page.html")
    navmesh = built(level, "level.bin", "--report", str(report))
    assert main(["page", str(navmesh), "--report", str(report), "-o", str(page), "--quiet"]) == 0
    assert len(facts_of(page)["warnings"]) == len(json.loads(report.read_text())["warnings"])
    report.write_text("{}")
    assert main(["page", str(navmesh), "--report", str(report), "-o", str(page)]) == 1
    assert "BAD_REPORT" in capsys.readouterr().err


@pytest.mark.parametrize("ending", [".svg", ".png", ".html"])
def test_a_comparison_is_shown(level: Path, ending: str) -> None:
    before, after = built(level, "before.bin"), built(level, "after.bin", "--agent-radius", "1")
    shown = level.with_name(f"changes{ending}")
    assert main(["compare", str(before), str(after), "-o", str(shown)]) == 0
    content = shown.read_bytes()
    if ending == ".svg":
        assert b"Removed" in content
    assert len(content) > 2_000


@pytest.mark.parametrize("command", ["page", "compare", "build"])
def test_another_ending_is_refused_before_anything_is_done(
    level: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong, missing = str(level.with_name("x.gif")), str(level.with_name("missing.bin"))
    words = {
        "page": ["page", missing, "-o", wrong], "compare": ["compare", missing, missing, "-o", wrong],
        "build": ["build", missing, "--page", wrong],
    }[command]  # fmt: skip
    assert main(words) == 1
    assert "UNKNOWN_FORMAT" in capsys.readouterr().err


def test_the_level_lies_beneath_and_heights_on_top(level: Path) -> None:
    navmesh, picture = built(level, "level.bin"), level.with_name("plain.svg")
    assert main(["picture", str(navmesh), "-o", str(picture)]) == 0
    plain = picture.read_text()
    command = ["picture", str(navmesh), "-o", str(picture), "--beneath", str(level), "--contours", "0.5"]
    assert main(command) == 0
    more = picture.read_text()
    assert len(more) > len(plain) and "heights, every 0.5 m" in more and "heights" not in plain


@pytest.fixture
def ramp(tmp_path: Path) -> Path:
    """A plane that rises by a quarter along x."""
    vertices = np.array([[0, 0, 0], [0, 0, 20], [40, 10, 20], [40, 10, 0]], np.float32)
    np.savez(tmp_path / "ramp.npz", verts=vertices, tris=np.array([[0, 1, 2], [0, 2, 3]], np.int32))
    return built(tmp_path / "ramp.npz", "ramp.bin")


def test_lines_of_height_lie_where_the_ground_has_it(ramp: Path) -> None:
    """Every metre of height is four metres away."""
    navmesh = read_navmesh_file(ramp)
    ((lines,), _) = height_lines(navmesh, 1.0)
    x = lines.points[:, 0]  # type: ignore[union-attr]
    above = np.round(x / 4) - x / 4  # metres by which the navmesh lies above the plane there
    assert len(x) > 10 and np.abs(above).max() < 0.2 + 0.3 / 4  # a cell's height, and what it rises within a cell
    assert len(np.unique(np.round(x / 4))) >= 8  # the ground begins and ends an agent's radius beside the plane


def test_walls_are_not_drawn_beneath() -> None:
    vertices, triangles = scenes.box(0, 0, 0, 2, 1, 3)
    patches = level_patches(vertices, triangles)
    corners = np.concatenate([patch.points for patch in patches if isinstance(patch, Patches)])
    assert len(corners) == 12  # two triangles above and two below


def test_too_many_lines_of_height_are_refused(ramp: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["picture", str(ramp), "-o", str(ramp.with_name("x.svg")), "--contours"]
    assert main([*words, "0.0000001"]) == 1 and "Give more metres" in capsys.readouterr().err
    assert main([*words, "0"]) == 2
