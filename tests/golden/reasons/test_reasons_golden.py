"""Reasons on the levels of the C++ library's dumps (NAVMESH_GOLDENS), against the kept stages of our own builds."""

from __future__ import annotations

from typing import Any

import pytest

from tests import dumps, scenes
from tests.navcore.reasons.judge import compared, different_windows


def level(mesh: str, variant: str) -> tuple[scenes.Mesh, Any, dict[str, Any]]:
    dump = dumps.Dump(mesh, variant)
    vertices, triangles, areas = dump.geometry()
    scene = dump.scene()
    more = {"areas": areas, "volumes": scene["volumes"], "bounds": scene.get("bounds")}
    return (vertices, triangles), dump.settings(), more


@pytest.mark.parametrize(("mesh", "variant"), [*dumps.variants(), *dumps.variants("tiled")])
def test_reasons_agree_with_the_stages_of_a_build(mesh: str, variant: str) -> None:
    triangles, settings, more = level(mesh, variant)
    judgements, wrong = compared(triangles, settings, **more)
    assert wrong == [] and judgements.total() > 0


@pytest.mark.parametrize(("mesh", "variant"), [*dumps.variants(), *dumps.variants("tiled")])
def test_windows_are_what_the_whole_grid_has_there(mesh: str, variant: str) -> None:
    triangles, settings, more = level(mesh, variant)
    assert different_windows(triangles, settings, **more) == []
