"""A change of the level is seen at once."""

from __future__ import annotations

from typing import Any

from tests.blender.scenes import add_plane


def test_out_of_date_when_the_level_changes(bpy: Any, addon: Any) -> None:
    ground = add_plane(bpy)
    add_plane(bpy, "Elsewhere", at=(0, 0, 50)).navmesh.use = "EXCLUDE"
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope = "VISIBLE"
    bpy.ops.navmesh.build()
    ui = addon("interface.panels.build_panel")

    def why() -> str:
        bpy.context.view_layer.update()
        return ui.out_of_date(bpy.data.objects["Navmesh"], setup)

    assert why() == ""
    bpy.data.objects["Elsewhere"].location.x += 1
    assert why() == ""
    setup.agent_radius = 0.9
    assert "setting" in why()
    setup.agent_radius = 0.5
    assert why() == ""
    ground.location.x += 1
    assert "level" in why()
    bpy.ops.navmesh.build()
    assert why() == ""
    ground.data.vertices[0].co.x -= 5
    ground.data.update()
    assert "level" in why()
    bpy.ops.navmesh.build()
    bpy.data.objects.remove(ground)
    assert "level" in why()
