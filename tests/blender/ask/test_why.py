"""“Why not here?” in Blender: answers with names of objects, what was not gathered or is out of date, and the panel."""

from __future__ import annotations

import json
import math
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


def test_outside_of_the_level_no_axis_is_named_that_blender_calls_otherwise(level: Any) -> None:
    """It told x and z, and numbers that no scene has."""
    answer = ask(level, (0, 1000, 0))
    answer = answer["next"] if answer["code"] == "STALE" else answer
    assert answer["code"] == "OUTSIDE_BOUNDS" and "seen from above, ends 9" in answer["sentence"]


def test_beside_a_wall_it_is_too_close(level: Any) -> None:
    answer = ask(level, (5, 3.6, 0))
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


def shown_in(bpy: Any, addon: Any) -> Any:
    return addon("ask.drawn_reason").shown_in(bpy.context.scene)


def test_the_place_is_shown_until_something_else_is_asked_or_it_is_closed(level: Any, addon: Any) -> None:
    ask(level, (-7, -7, 3.2))
    first = shown_in(level, addon)
    assert first.asked.reason.code == "TOO_STEEP" and len(first.picture.corners) == 6
    red = first.picture.lines[(first.picture.line_colors == (235, 50, 40, 255)).all(axis=1)]
    assert len(red) == 3 and red[..., 0].min() >= -9.01 and red[..., 0].max() <= -4.99, "the triangle of the ramp"
    ask(level, (5, 3.6, 0))
    assert shown_in(level, addon).asked.reason.code == "TOO_CLOSE"
    assert level.ops.navmesh.forget_reason() == {"FINISHED"}
    assert shown_in(level, addon) is None and not level.context.scene.navmesh.why_answer


def test_a_rebuilt_navmesh_has_no_old_answer_in_the_viewport(level: Any, addon: Any) -> None:
    ask(level, (-7, -7, 3.2))
    level.ops.navmesh.rebuild()
    assert shown_in(level, addon) is None


CHANGES = (("agent_height", (6, -6, 0)), ("agent_radius", (5, 3.6, 0)), ("agent_max_climb", (-8.01, 5, 0.6)))


@pytest.mark.parametrize(("setting", "place"), CHANGES)
def test_a_preview_says_what_the_change_brings_and_making_it_does(
    level: Any, addon: Any, setting: str, place: tuple[float, float, float]
) -> None:
    slab, roof = add_cube(level, "Slab", (-5.08, 5, -0.4)), add_plane(level, "Roof", 5.0, (6, -6, 1.7))
    slab.scale, roof.rotation_euler = (3, 3, 1), (math.pi, 0, 0)
    level.ops.navmesh.rebuild()
    answer = ask(level, place)
    assert answer["setting"] == setting, answer
    before = len(level.data.objects["Navmesh"].data.polygons), level.context.scene.navmesh.setups[0].agent_radius
    changes = json.dumps({setting: answer["suggested"]})
    assert level.ops.navmesh.preview_change(changes=changes) == {"FINISHED"}
    preview = shown_in(level, addon).preview()
    assert "more" in preview.sentence and len(preview.picture.corners), preview.sentence
    after = len(level.data.objects["Navmesh"].data.polygons), level.context.scene.navmesh.setups[0].agent_radius
    assert after == before, "nothing was changed"
    level.ops.navmesh.set_settings(changes=changes)
    level.ops.navmesh.rebuild()
    assert ask(level, place)["code"] != answer["code"]


def test_a_preview_without_an_answer_is_refused(level: Any) -> None:
    with pytest.raises(RuntimeError, match="Ask again"):
        level.ops.navmesh.preview_change(changes=json.dumps({"agent_radius": 0.1}))


def test_a_preview_that_cannot_be_built_says_why(level: Any, addon: Any) -> None:
    ask(level, (5, 3.6, 0))
    level.ops.navmesh.preview_change(changes=json.dumps({"cell_size": -1.0}))
    preview = shown_in(level, addon).preview()
    assert "cell_size" in preview.sentence and len(preview.picture.corners) == 0


def test_the_panel_offers_the_preview_and_says_what_came_of_it(level: Any, draw: Any) -> None:
    answer = ask(level, (5, 3.6, 0))
    level.ops.navmesh.preview_change(changes=json.dumps({"agent_radius": answer["suggested"]}))
    drawn = draw()
    assert "navmesh.preview_change" in [name for name, _ in drawn.operators]
    assert "Around here" in drawn.text.replace("\n", " ")


def test_the_first_question_has_the_level_prepared_for_those_that_need_its_polygons(level: Any, addon: Any) -> None:
    assert ask(level, (0, 0, 9))["code"] == "NOTHING_HERE"
    addon("ask.shown_reason").stop()  # which waits for the thread
    _, prepared = addon("ask.why_here")._ready.value
    asked = []
    prepared._level._built = asked.append
    assert ask(level, (0, 0, 0))["walkable"] and not asked, "nothing more is built"
