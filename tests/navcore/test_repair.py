"""Mending: what Recast leaves broken becomes sound, and what is sound stays as it is, to the bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.__main__ import main
from navcore.dump import dumped
from navcore.repair import BrokenMesh
from navcore.validate import Ground, validate
from tests import scenes
from tests.golden import scene_builds

VOLUME = {"shape": "box", "area": 5, "min": [-7, -1, -7], "max": [-5, 1, -5]}


def pieces(navmesh: NavMesh) -> list[dict[str, Any]]:
    """The stages of every tile."""
    found = [navmesh.stages] if navmesh.tile_grid is None else list(navmesh.stages.values())
    return [stages for stages in found if len(stages["polygon_mesh"].polygons)]


def violations(navmesh: NavMesh) -> list[str]:
    climb_vx = navmesh.settings.in_voxels().climb_vx
    found = []
    for stages in pieces(navmesh):
        compact = next(stages[name] for name in ("marked", "median", "eroded") if name in stages)
        ground = Ground(compact, stages["regions"], stages["contours"])
        found += validate(stages["polygon_mesh"], stages.get("detail_mesh"), ground, climb_vx)
    return [violation.code for violation in found]


def codes(navmesh: NavMesh) -> set[str]:
    return {warning.code for warning in navmesh.report.warnings}


@pytest.mark.parametrize(
    "build", [build for _, build in scene_builds.builds()], ids=[n for n, _ in scene_builds.builds()]
)
def test_sound_scenes_are_the_same_bytes_and_the_others_are_mended(build: dict[str, Any]) -> None:
    mesh, settings, extra = scene_builds.inputs(build)
    literal = build_navmesh(*mesh, settings, keep_stages=True, **extra)
    mended = build_navmesh(*mesh, Settings(**settings.to_mapping() | {"repair": True}), keep_stages=True, **extra)
    broken = violations(literal)
    assert violations(mended) == []
    assert ("BROKEN" in codes(literal)) == ("REPAIRED" in codes(mended)) == bool(broken)
    if not broken:
        before, after = dumped(literal), dumped(mended)
        assert before.keys() == after.keys()
        assert all(before[name].tobytes() == after[name].tobytes() for name in before)


def never(*_: object) -> bool:
    return False


@pytest.mark.parametrize("tile_size", [0, 64])
def test_what_cannot_be_mended_fails_with_its_place_and_files_that_show_it_again(
    tile_size: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(tile_size=tile_size)
    monkeypatch.setattr("navcore.repair.Ladder.climb", never)
    with pytest.raises(BrokenMesh) as caught:
        build_navmesh(*scenes.spiral(1.5), settings, failures=tmp_path, volumes=[VOLUME], threads=1)
    assert caught.value.code == "BROKEN_MESH"
    said = str(caught.value)
    assert "near (" in said and ("Tile (" in said) == (tile_size > 0)
    (mesh,) = tmp_path.glob("*.npz")
    assert str(mesh) in said
    arguments = [mesh, "--settings", mesh.with_suffix(".json"), "--scene", mesh.with_suffix(".scene.json")]
    report = tmp_path / "report.json"
    assert main(["build", *map(str, arguments), "--failures", str(tmp_path), "--report", str(report)]) == 1
    told = json.loads(report.read_text())
    assert told["error"] == {"code": "BROKEN_MESH", "message": said}
    assert len(list(tmp_path.glob("*.npz"))) == 1, "the same failure takes no more room"


def test_a_failure_that_cannot_be_kept_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.repair.Ladder.climb", never)
    with pytest.raises(BrokenMesh, match="could not be kept"):
        build_navmesh(*scenes.spiral(1.5), failures=tmp_path / "missing")


def test_our_own_folder_keeps_the_newest_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("navcore.repair.Ladder.climb", never)
    monkeypatch.setattr("navcore.reproduction.users_cache_folder", lambda: tmp_path)
    monkeypatch.setattr("navcore.reproduction._KEPT", 2)
    for edge in (0.0, 5.0, 12.0):
        with pytest.raises(BrokenMesh):
            build_navmesh(*scenes.spiral(1.5), Settings(edge_max_length=edge))
    assert len(list((tmp_path / "navmesh-failures").iterdir())) == 2 * 3


def test_a_warning_tells_where_something_was_mended() -> None:
    navmesh = build_navmesh(*scenes.spiral(1.5))
    mended = [warning for warning in navmesh.report.to_mapping()["warnings"] if warning["code"] == "REPAIRED"]
    assert mended
    low, high = np.min(scenes.spiral(1.5)[0], axis=0) - 1, np.max(scenes.spiral(1.5)[0], axis=0) + 3
    for warning in mended:
        assert (low <= warning["place"]).all() and (warning["place"] <= high).all()
