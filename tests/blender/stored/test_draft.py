"""A new scene has a draft, which becomes the first setup."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_plane


def test_the_draft_is_what_gets_built_and_stored(bpy: Any, addon: Any) -> None:
    """What was set before the first build becomes the first setup."""
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    stored.draft.scope, stored.draft.agent_radius, stored.draft.name = "VISIBLE", 1.5, "Ogre"
    stored.draft.skip_names = "*-nope"
    assert len(stored.setups) == 0
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    (setup,) = stored.setups
    assert (setup.name, setup.scope, setup.skip_names) == ("Ogre", "VISIBLE", "*-nope")
    assert addon("stored.setups").setup_settings(setup).agent_radius == 1.5
    assert max(v.co.x for v in bpy.data.objects["Navmesh Ogre"].data.vertices) < 8.6


def test_a_refused_build_leaves_the_draft_alone(bpy: Any) -> None:
    add_plane(bpy)
    stored = bpy.context.scene.navmesh
    stored.draft.scope, stored.draft.cell_size = "VISIBLE", -1.0
    with pytest.raises(RuntimeError, match="cell_size"):
        bpy.ops.navmesh.build()
    assert len(stored.setups) == 0 and stored.draft.cell_size == -1.0


def test_adding_the_first_setup_keeps_what_was_set(bpy: Any, addon: Any) -> None:
    bpy.context.scene.navmesh.draft.agent_height = 3.0
    bpy.ops.navmesh.setup_add()
    (setup,) = bpy.context.scene.navmesh.setups
    assert addon("stored.setups").setup_settings(setup).agent_height == 3.0


@pytest.mark.parametrize("scale", [0.01, 1.0])
def test_the_draft_speaks_the_scenes_units(bpy: Any, addon: Any, scale: float) -> None:
    """In a scene that counts centimetres, 2 m are 200; also before anything filled the draft in."""
    setups = addon("stored.setups")
    human = setups.usual_values()
    scene = bpy.context.scene
    scene.unit_settings.scale_length = scale
    assert setups.setup_settings(scene.navmesh.draft).to_mapping() == human
    scene.navmesh.draft.agent_radius = 0.75 / scale
    setups.fill_draft(scene)
    assert scene.navmesh.draft.agent_height == pytest.approx(2 / scale)
    assert setups.setup_settings(scene.navmesh.draft).to_mapping() == {**human, "agent_radius": 0.75}


def test_nothing_selected_is_said_before_the_build(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    forecast_level, draft = addon("gather.before_build.level_forecast").forecast_level, bpy.context.scene.navmesh.draft
    assert [(h.code, h.message[:19]) for h in forecast_level(bpy.context, draft).hints] == [
        ("NO_TRIANGLES", "Nothing is selected")
    ]
    add_cube(bpy, "Rock-noimp").select_set(True)
    (hint,) = forecast_level(bpy.context, draft).hints
    assert "“Rock-noimp”" in hint.message and "*-noimp" in hint.message
