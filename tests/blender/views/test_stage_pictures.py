"""What is drawn over the viewport."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_plane


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("view", ["OUTLINES", "WALKABLE", "REGIONS", "CONTOURS"])
def test_overlay_pictures(bpy: Any, addon: Any, view: str, tile_size: int) -> None:
    """Every stage lies on the level."""
    add_plane(bpy)
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope, setup.keep_stages, setup.tile_size = "VISIBLE", True, tile_size
    bpy.ops.navmesh.build()
    built = addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    kind, positions, colors = addon("views.stage_pictures").picture(built.navmesh, view, 1.0)
    assert kind == ("POINTS" if view in ("WALKABLE", "REGIONS") else "LINES")
    assert positions.shape == (len(colors), 3) and colors.shape[1] == 4 and len(positions) > 3
    low, high = positions.min(0), positions.max(0)
    margin = 1.2 if tile_size == 0 else 3.0  # kept stages of tiles have their borders
    assert (low[:2] >= -10.1).all() and (high[:2] <= 10.1).all()
    assert (low[:2] < -10 + margin).all() and (high[:2] > 10 - margin).all()
    assert low[2] >= 0 and high[2] < 0.5
    if kind == "LINES":
        assert len(positions) % 2 == 0
        ends = np.linalg.norm(positions[::2] - positions[1::2], axis=1)
        assert (ends > 0).all()


def test_stages_that_were_not_kept(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")
    built = addon("builds.finished_navmeshes").find(bpy.data.objects["Navmesh"]["navmesh_build"])
    assert addon("views.stage_pictures").picture(built.navmesh, "REGIONS", 1.0) is None
