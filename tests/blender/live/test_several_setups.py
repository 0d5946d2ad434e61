"""All setups of a scene are followed, the active one first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.live.conftest import mesh_content


@pytest.fixture
def followed(bpy: Any, addon: Any, level: Any) -> Any:
    """Two agents whose navmeshes are there, and what follows them; the second is the active one."""
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=16)
    bpy.ops.navmesh.setup_add()
    bpy.ops.navmesh.build(scope="VISIBLE", tile_size=32, agent_radius=1.2)
    bpy.ops.navmesh.live()
    now = addon("live.followed_setups").begin(bpy.context, None)

    def heard(_scene: Any, depsgraph: Any) -> None:
        for one in now:
            one.note(addon("scene_update").SceneUpdate(depsgraph), 0.0)

    bpy.app.handlers.depsgraph_update_post.append(heard)
    yield now
    bpy.app.handlers.depsgraph_update_post.remove(heard)
    assert level.name == "Crate"


def contents(bpy: Any, addon: Any) -> dict[str, Any]:
    polygon_mesh_of = addon("objects.navmesh_objects").polygon_mesh_of
    scene = bpy.context.scene
    return {setup.name: mesh_content(polygon_mesh_of(scene, setup.uid).data) for setup in scene.navmesh.setups}


def settle(bpy: Any, now: Any) -> None:
    bpy.context.view_layer.update()
    now.look_at_settings(bpy.context, 0.0, at_once=True)
    now.settle(bpy.context)


def test_each_is_what_a_build_of_it_gives(bpy: Any, addon: Any, followed: Any) -> None:
    settle(bpy, followed)
    first = contents(bpy, addon)
    assert len(first) == 2
    bpy.data.objects["Crate"].location.x += 2
    settle(bpy, followed)
    live = contents(bpy, addon)
    assert all(live[name] != first[name] for name in first)
    assert followed.is_at_rest
    for number in range(2):
        bpy.context.scene.navmesh.active = number
        bpy.ops.navmesh.rebuild()
    assert contents(bpy, addon) == live


def test_the_active_one_goes_first(bpy: Any, addon: Any, followed: Any) -> None:
    """And only it is stepped as long as it is not done."""
    setups = bpy.context.scene.navmesh.setups
    assert [one.setup for one in followed] == [setups[1].uid, setups[0].uid]
    settle(bpy, followed)
    bpy.context.scene.navmesh.active = 0
    assert addon("live.followed_setups").begin(bpy.context, followed) is followed
    assert [one.setup for one in followed] == [setups[0].uid, setups[1].uid]
    bpy.data.objects["Crate"].location.x += 2
    bpy.context.view_layer.update()
    first, second = followed
    followed.step(bpy.context, 10.0, False)
    assert first.is_working and second.looking.hints, "the second waits"
    assert followed.status_line(bpy.context.scene, "none").startswith("Live: ")
    first.settle(bpy.context)
    assert f"(“{setups[1].name}”)" in followed.status_line(bpy.context.scene, "none")
    followed.settle(bpy.context)
    assert followed.status_line(bpy.context.scene, "none") == "Live: following"


def test_settings_of_any_are_followed_and_a_setup_that_goes_is_not(bpy: Any, addon: Any, followed: Any) -> None:
    settle(bpy, followed)
    before, setups = contents(bpy, addon), bpy.context.scene.navmesh.setups
    setups[0].agent_radius = 0.2
    settle(bpy, followed)
    now = contents(bpy, addon)
    assert now[setups[0].name] != before[setups[0].name]
    assert now[setups[1].name] == before[setups[1].name]
    bpy.data.objects.remove(addon("objects.navmesh_objects").polygon_mesh_of(bpy.context.scene, setups[0].uid))
    assert addon("live.followed_setups").begin(bpy.context, followed) is followed
    assert [one.setup for one in followed] == [setups[1].uid]
    bpy.context.scene.navmesh.active = 0
    assert followed.status_line(bpy.context.scene, "press Build") == "press Build"
