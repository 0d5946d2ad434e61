"""What reasons suggest is pressed in Blender: each value is of its setting's kind, and the place is walkable after."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from navcore import Reason, Settings, WhyHere
from tests import scenes
from tests.blender.scenes import add_mesh
from tests.navcore.reasons.test_each_reason import SCENES, Scene, ask, strip
from tests.navcore.reasons.test_odd_places import ridge

BORDER = scenes.join([scenes.flat(9), strip(0, 0, 4.5, 4.5)])  # an area that covers a quarter of the other
CORNER = (4.4, 0, 4.4)  # most of what lies around is the other
FLAT = {"edge_max_length": 0.0}
ODD = {
    "HOVERING, no detail": Scene(ridge(), (10.05, 3.6, 5), Settings(**FLAT, detail_mesh=False)),
    "HOVERING, no samples": Scene(ridge(), (10.05, 3.6, 5), Settings(**FLAT, detail_sample_distance=0)),
    "HOVERING, coarse": Scene(ridge(), (10.05, 3.6, 5), Settings(**FLAT, detail_sample_max_error=40)),
    "SMOOTHED": Scene(BORDER, CORNER, Settings(median_filter=True), {"areas": [3, 3, 5, 5]}),
}
SUGGESTING = {name: scene for name, scene in SCENES.items() if scene.setting} | ODD


def suggested(name: str) -> Reason:
    """The reason that suggests something; of a place that is walkable the one that is odd about it."""
    scene = SUGGESTING[name]
    reason = ask(scene, scene.settings)
    found = reason.next if reason.walkable else reason
    assert found is not None and found.code == name.split(",")[0] and found.suggested is not None
    return found


def add_level(bpy: Any, scene: Scene) -> None:
    """With a floor beside it, where there is a navmesh in any case. Both begin where the level alone does."""
    vertices, triangles = scene.mesh
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    floor = scenes.flat(9)
    mesh = scenes.join([(vertices, triangles), (floor[0] + np.float32([high[0] + 2, low[1], low[2]]), floor[1])])
    add_mesh(bpy, "Level", np.stack([mesh[0][:, 0], -mesh[0][:, 2], mesh[0][:, 1]], axis=1), mesh[1])


def apply(bpy: Any, changes: dict[str, Any]) -> None:
    """As the button does: through JSON."""
    assert bpy.ops.navmesh.set_settings(changes=json.dumps(changes)) == {"FINISHED"}


def settings_of(bpy: Any, addon: Any) -> dict[str, Any]:
    scene = bpy.context.scene
    values: dict[str, Any] = addon("stored.setting_properties").read_values(scene.navmesh.setups[0], 1.0)
    return values


@pytest.mark.parametrize("name", SUGGESTING)
def test_the_value_is_of_the_setting_s_kind(bpy: Any, addon: Any, name: str) -> None:
    settings, reason = SUGGESTING[name].settings.to_mapping(), suggested(name)
    add_mesh(bpy, "Level", [(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], [(0, 1, 2, 3)])
    bpy.ops.navmesh.build(scope="VISIBLE")
    apply(bpy, settings)
    apply(bpy, {reason.setting: reason.suggested})
    found = settings_of(bpy, addon)[reason.setting]
    assert found == pytest.approx(reason.suggested) and type(found) is type(settings[reason.setting])


@pytest.mark.parametrize("name", [name for name, scene in SUGGESTING.items() if not scene.more])
def test_pressed_and_built_it_makes_the_place_walkable(bpy: Any, name: str) -> None:
    scene = SUGGESTING[name]
    add_level(bpy, scene)
    bpy.ops.navmesh.build(scope="VISIBLE", **scene.settings.to_mapping())
    at = scene.at[0], -scene.at[2], scene.at[1]
    bpy.ops.navmesh.why(location=at)
    before = json.loads(bpy.context.scene.navmesh.why_answer)
    reason = before["next"] if before["walkable"] else before
    assert reason["code"] == name.split(",")[0], before
    apply(bpy, {reason["setting"]: reason["suggested"]})
    bpy.ops.navmesh.rebuild()
    bpy.ops.navmesh.why(location=at)
    after = json.loads(bpy.context.scene.navmesh.why_answer)
    assert after["walkable"] and (after["next"] or {}).get("code") != reason["code"], after


def test_a_switch_that_is_suggested_is_a_button_in_the_panel(bpy: Any, draw: Any) -> None:
    add_level(bpy, ODD["HOVERING, no detail"])
    bpy.ops.navmesh.build(scope="VISIBLE", edge_max_length=0.0, detail_mesh=False)
    bpy.ops.navmesh.why(location=(10.05, -5, 3.6))
    drawn = draw()
    changes = [json.loads(p.changes) for name, p in drawn.operators if name == "navmesh.set_settings"]
    assert {"detail_mesh": True} in changes and "Detail Mesh: on" in drawn.text
    previewed = [p.changes for name, p in drawn.operators if name == "navmesh.preview_change"]
    assert bpy.ops.navmesh.preview_change(changes=previewed[0]) == {"FINISHED"}


def test_what_is_suggested_is_taken_by_settings_as_it_is() -> None:
    for name, scene in SUGGESTING.items():
        reason = suggested(name)
        changed = Settings.from_mapping({**scene.settings.to_mapping(), str(reason.setting): reason.suggested})
        assert WhyHere(*scene.mesh, changed, **scene.more).ask(scene.at).walkable, name
