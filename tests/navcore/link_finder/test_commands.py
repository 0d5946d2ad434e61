"""Links that are found by the command, in files of every way of writing them."""

import json
from pathlib import Path

import pytest

from navcore.__main__ import main
from tests import scenes
from tests.navcore.link_finder.link_scenes import floors


@pytest.fixture
def level(tmp_path: Path) -> Path:
    path = tmp_path / "level.obj"
    path.write_text(scenes.obj_text(floors(1.5)))
    return path


@pytest.mark.parametrize("tiles", [[], ["--tile-size", "24"]])
def test_files_hold_the_links(tiles: list[str], level: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output, report = level.with_suffix(".bin"), level.with_suffix(".json")
    build = ["build", str(level), "-o", str(output), "--report", str(report), *tiles]
    assert main([*build, "--generate-links", "--link-spacing", "1"]) == 0
    said = json.loads(report.read_text())
    assert said["counts"]["links_jump"] >= 1 and said["seconds"]["stages"]["links"] > 0
    capsys.readouterr()
    assert main(["info", str(output), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["links"] >= 8 and facts["islands"] == 1
    assert main([*build, "--no-generate-links"]) == 0
    assert "links_jump" not in json.loads(report.read_text())["counts"]


def test_seeds_are_connected_by_links_that_are_found(level: Path) -> None:
    scene = level.with_suffix(".scene.json")
    scene.write_text(json.dumps({"seeds": [{"point": [3, 9, 3]}, {"point": [20, 9, 3]}]}))
    build = ["build", str(level), "--dry-run", "--scene", str(scene), "--connected-seeds"]
    assert main(build) == 3
    assert main([*build, "--generate-links"]) == 0
    assert main([*build, "--generate-links", "--prune"]) == 0
