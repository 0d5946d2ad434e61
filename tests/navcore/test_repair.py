"""Mending: what Recast leaves broken becomes sound, and what is sound stays as it is, to the bit."""

from __future__ import annotations

from typing import Any

import pytest

from navcore import NavMesh, Settings, build_navmesh
from navcore.dump import dumped
from navcore.validate import Ground, validate
from tests.golden import scene_builds


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
