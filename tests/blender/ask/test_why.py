"""“Why not here?” in Blender: answers with names of objects, what was not gathered or is out of date, and the panel."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_mesh, add_plane


@pytest.fixture
def level(bpy: Any) -> Any:
    """A floor with a block, and a ramp that is too steep."""
    add_plane(bpy)
    add_cube(bpy, "Block", (5, 5, 1))
    add_mesh(bpy, "Ramp", [(-9, -9, 0), (-5, -9, 6), (-5, -5, 6), (-9, -5, 0)], [(0, 1, 2, 3)])
    bpy.ops.navmesh.build(scope="VISIBLE")
    return bpy


def ask(bpy: Any, location: Any) -> dict[str, Any]:
    assert bpy.ops.navmesh.why(location=location) == {"FINISHED"}
    answer: dict[str, Any] = json.loads(bpy.context.scene.navmesh.why_answer)
    return answer


def test_walkable_ground_is(level: Any) -> None:
    answer = ask(level, (0, 0, 0))
    assert answer["walkable"] and answer["code"] == "WALKABLE" and answer["setup"] == "Navmesh"


def test_a_steep_ramp_is_named_with_the_slope_that_would_do(level: Any) -> None:
    answer = ask(level, (-7, -7, 3.2))
    assert answer["code"] == "TOO_STEEP" and answer["object"] == "Ramp" and not answer["walkable"]
    assert answer["setting"] == "agent_max_slope" and 56 < answer["value"] < 57 and answer["limit"] == 45
    level.ops.navmesh.set_settings(changes=json.dumps({answer["setting"]: answer["suggested"]}))
    assert ask(level, (-7, -7, 3.2))["code"] == "STALE"
    level.ops.navmesh.rebuild()
    assert ask(level, (-7, -7, 3.2))["code"] != "TOO_STEEP"


def test_beside_a_wall_it_is_too_close(level: Any) -> None:
    answer = ask(level, (5, 3.8, 0))
    assert answer["code"] == "TOO_CLOSE" and answer["setting"] == "agent_radius"


def test_what_was_left_out_is_said(level: Any) -> None:
    far = add_plane(level, "Far", 8.0, (40, 0, 0))
    far.navmesh.use = "EXCLUDE"
    answer = ask(level, (40, 0, 0))
    answer = answer["next"] if answer["code"] == "STALE" else answer
    assert answer["code"] == "NOT_GATHERED" and answer["object"] == "Far"


def test_a_changed_level_says_so_first(level: Any) -> None:
    level.data.objects["Block"].location.x = 0
    level.context.view_layer.update()
    answer = ask(level, (5, 5, 0))
    assert answer["code"] == "STALE" and answer["next"]["code"] != "STALE"


def test_without_a_navmesh_it_says_what_to_do(bpy: Any) -> None:
    with pytest.raises(RuntimeError, match="Press Build Navmesh first"):
        bpy.ops.navmesh.why(location=(0, 0, 0))
    assert json.loads(bpy.context.scene.navmesh.why_answer)["code"] == "NOTHING_TO_ASK"


def test_the_panel_shows_the_answer_and_its_buttons(level: Any, draw: Any) -> None:
    answer = ask(level, (-7, -7, 3.2))
    level.ops.navmesh.find_path(start=(-8, 8, 0), end=(8, -8, 0))
    drawn = draw()
    text = drawn.text.replace("\n", " ")
    assert answer["sentence"].split(":")[0] in text and "polygons" in text
    changes = [json.loads(p.changes) for name, p in drawn.operators if name == "navmesh.set_settings"]
    assert {"agent_max_slope": answer["suggested"]} in changes
    assert "Ramp" in [p.name for name, p in drawn.operators if name == "navmesh.select_object"]
