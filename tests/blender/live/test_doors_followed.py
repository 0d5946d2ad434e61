"""A door that changes its state while a level is followed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.halls import add_hall, flags, gate


@pytest.mark.parametrize("tile_size", [0, 16])
def test_live_builds_nothing_for_a_state(bpy: Any, follow: Any, tile_size: int) -> None:
    add_hall(bpy)
    now = follow(tile_size=tile_size)
    now.settle()
    before = set(bpy.data.meshes) | set(bpy.data.objects)
    gate(bpy).door_closed = True
    now.following.looking.hints.something = True  # as our events say
    now.settle()
    assert now.following._level._level.rebuilt == (), "no tile is built"
    assert flags(bpy) == [0, 1] and set(bpy.data.meshes) | set(bpy.data.objects) == before
    assert now.content() == now.rebuilt()
    bpy.data.objects["Gate"].location.y += 1
    now.settle()
    assert now.following._level._level.rebuilt != ()
    assert now.content() == now.rebuilt()
