"""Values changed in the redo panel are the setup's; those that a script gives are told apart, and can be kept."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_plane, new_collection


@pytest.fixture
def redo(bpy: Any, addon: Any, tmp_path: Path, monkeypatch: Any) -> Callable[..., None]:
    """redo(first, **by_hand): what Blender does when somebody changes the redo panel of a build: takes the build back,
    and executes the operator again with all properties that it had, but for those that were changed."""
    operator, had = addon("interface.build_operators").NAVMESH_OT_build, dict[str, Any]()
    real = operator.make_plans

    def watched(self: Any, context: Any) -> Any:
        plans = real(self, context)
        names = [p.identifier for p in self.properties.bl_rna.properties if p.identifier != "rna_type"]
        had.update({name: getattr(self, name) for name in names if self.properties.is_property_set(name)})
        return plans

    def run(first: dict[str, Any], **by_hand: Any) -> None:
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "before.blend"))
        assert bpy.ops.navmesh.build(**first) == {"FINISHED"}
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "before.blend"))
        assert bpy.ops.navmesh.build(**{**had, **by_hand}) == {"FINISHED"}

    monkeypatch.setattr(operator, "make_plans", watched)
    return run


@pytest.fixture
def setup(bpy: Any) -> Callable[[], Any]:
    """A level with a setup; setup() finds that again after another file was opened."""
    add_plane(bpy)
    bpy.ops.navmesh.setup_add(name="Human")
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    return lambda: bpy.context.scene.navmesh.setups["Human"]


def built(bpy: Any, name: str = "Navmesh Human") -> dict[str, Any]:
    return dict(json.loads(bpy.data.objects[name]["navmesh_settings"]))


def test_what_is_changed_in_the_redo_panel_is_the_setups(bpy: Any, draw: Any, setup: Any, redo: Any) -> None:
    """And nothing else; the navmesh is not out of date the moment it appears."""
    setup().set_metres(agent_radius=0.4)
    redo({}, cell_size=0.2, prune=False)
    assert (built(bpy)["cell_size"], built(bpy)["agent_radius"]) == (0.2, 0.4)
    assert (setup().cell_size, setup().agent_radius) == (pytest.approx(0.2), pytest.approx(0.4))
    assert "Out of date" not in draw().text and "navmesh.setup_keep" not in draw().operator_names()
    setup().cell_size = 0.25
    assert "Out of date: a setting changed" in draw().text


def test_the_redo_panel_of_the_first_build_of_a_scene(bpy: Any, draw: Any, redo: Any) -> None:
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "VISIBLE"
    redo({}, cell_size=0.2)
    (first,) = bpy.context.scene.navmesh.setups
    assert first.cell_size == pytest.approx(0.2) and first.agent_max_climb == pytest.approx(0.4)
    assert "Out of date" not in draw().text


def test_sources_changed_in_the_redo_panel(bpy: Any, setup: Any, redo: Any) -> None:
    add_plane(bpy, "Inside", collection=new_collection(bpy, "Level"))
    redo({}, scope="COLLECTION", collection="Level")
    assert (setup().scope, setup().collection.name) == ("COLLECTION", "Level")


def test_a_redo_that_fails_leaves_the_setup_alone(bpy: Any, setup: Any, redo: Any) -> None:
    with pytest.raises(RuntimeError, match="cell_size"):
        redo({}, cell_size=-1.0)
    assert setup().cell_size == pytest.approx(0.16667)
    assert "Navmesh Human" not in bpy.data.objects


def test_values_that_a_script_gives_are_no_change_of_a_setting(
    bpy: Any, addon: Any, draw: Any, setup: Any, tmp_path: Path
) -> None:
    """The setup stays as it is; the panel names them and offers to keep them."""
    bpy.ops.navmesh.build(cell_size=0.2, prune=False)
    assert setup().cell_size == pytest.approx(0.16667)
    for _ in ("now", "after the file was opened again"):
        drawn = draw()
        assert "Out of date" not in drawn.text
        assert "Built with values that the setup does not have: Cell Size" in " ".join(drawn.texts)
        assert "navmesh.setup_keep" in drawn.operator_names()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "level.blend"))
        bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "level.blend"))
    assert bpy.ops.navmesh.rebuild() == {"FINISHED"}
    assert "Out of date" not in draw().text and built(bpy)["cell_size"] == 0.2
    setup().agent_radius = 0.7
    assert "Out of date: a setting changed" in draw().text
    setup().agent_radius = 0.5
    assert "Out of date" not in draw().text
    assert bpy.ops.navmesh.setup_keep(setup=setup().uid) == {"FINISHED"}
    assert setup().cell_size == pytest.approx(0.2)
    assert "Out of date" not in draw().text and "navmesh.setup_keep" not in draw().operator_names()
    assert "UNDO" in addon("interface.setup_operators").NAVMESH_OT_setup_keep.bl_options


def test_values_that_a_script_gives_are_not_kept_when_another_is_changed_by_hand(
    bpy: Any, draw: Any, setup: Any, redo: Any
) -> None:
    redo({"cell_size": 0.2}, agent_radius=0.8)
    assert (built(bpy)["cell_size"], built(bpy)["agent_radius"]) == (0.2, 0.8)
    assert (setup().cell_size, setup().agent_radius) == (pytest.approx(0.16667), pytest.approx(0.8))
    assert "Out of date" not in draw().text


def test_a_setting_that_changes_after_a_script_gave_it(bpy: Any, draw: Any, setup: Any) -> None:
    bpy.ops.navmesh.build(cell_size=0.2)
    setup().cell_size = 0.3
    assert "Out of date: a setting changed" in draw().text and "navmesh.setup_keep" not in draw().operator_names()
    bpy.ops.navmesh.build()
    assert "Out of date" not in draw().text and built(bpy)["cell_size"] == 0.3


def test_the_redo_panel_of_all_setups(bpy: Any, setup: Any, redo: Any) -> None:
    """What is changed there is every setup's."""
    bpy.ops.navmesh.setup_add(name="Giant")
    bpy.context.scene.navmesh.setups["Giant"].agent_radius = 2.0
    redo({"all_setups": True}, cell_size=0.25)
    setups = bpy.context.scene.navmesh.setups
    assert [s.cell_size for s in setups] == [0.25, 0.25]
    assert [s.agent_radius for s in setups] == [pytest.approx(0.5), 2.0]
    assert setup().name == "Human"
