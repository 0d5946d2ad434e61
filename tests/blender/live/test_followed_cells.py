"""Live follows objects that ask for finer or coarser cells, byte for byte as a build makes them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.scenes import add_cube


def test_cells_that_come_move_change_and_go(bpy: Any, follow: Any, level: Any) -> None:
    followed = follow(tile_size=32)
    followed.settle()
    plain = followed.content()
    volume = add_cube(bpy, "Finer", (-9, -9, 0))
    volume.navmesh.use = "RESOLUTION"
    steps = (
        lambda: None,
        lambda: setattr(volume, "location", (6, 6, 0)),
        lambda: setattr(volume.navmesh, "resolution", "QUARTER"),
        lambda: setattr(level, "location", (6, 5, 0)),
        lambda: setattr(volume.navmesh, "resolution", "DOUBLE"),
        lambda: setattr(level, "location", (2, 3, 0)),
    )
    for step in steps:
        step()
        followed.settle()
        now = followed.content()
        assert now != plain and now == followed.rebuilt()
    bpy.data.objects.remove(volume)
    followed.settle()
    assert followed.content() == plain == followed.rebuilt()


@pytest.mark.usefixtures("level")
def test_without_tiles_it_says_why(bpy: Any, follow: Any) -> None:
    followed = follow(tile_size=0)
    followed.settle()
    add_cube(bpy, "Finer", (-9, -9, 0)).navmesh.use = "RESOLUTION"
    bpy.context.view_layer.update()
    followed.following.settle(bpy.context)
    assert "tile_size is 0" in followed.following.status_line()
