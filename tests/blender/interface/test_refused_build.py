"""A build that makes nothing ends as a hint where the person looks, with a button that leads somewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.blender.builds.stepped_operator import Stepped
from tests.blender.scenes import add_cube, add_mesh, add_plane, save


@pytest.fixture
def refused(bpy: Any, addon: Any) -> Any:
    """refused(): what the panel says of the last build."""
    return lambda: addon("interface.refused_build").shown(bpy.context.scene)


def start_with_window(bpy: Any, addon: Any, monkeypatch: Any, panel: bool = True, **wanted: Any) -> Stepped:
    monkeypatch.setattr(addon("interface.refused_build"), "is_shown", lambda: panel)
    return Stepped(bpy, addon, **wanted)


@pytest.mark.parametrize("button", ["Add Ground Plane", "Fit Settings to Level"])
def test_the_first_build_of_blenders_new_file_leads_somewhere(
    bpy: Any, addon: Any, draw: Any, refused: Any, monkeypatch: Any, button: str
) -> None:
    """Its cube is 2 m wide and selected: too little for an agent with a radius of 0.5 m and the smallest region."""
    add_cube(bpy).select_set(True)
    bpy.context.view_layer.update()
    stepped = start_with_window(bpy, addon, monkeypatch, sources=lambda stored: stored)
    assert stepped.run() == {"CANCELLED"}
    assert [kind for kind, _ in stepped.reports] == ["WARNING"], "a pop-up would be an ERROR"
    hint = refused()
    assert "The level is 2 × 2 m" in hint.message and "0.5 m away from its edges" in hint.message
    drawn = draw()
    first = hint.fixes[0].label  # it stands in the panel, all of them in the popover
    assert hint.message[:19] in drawn.text and drawn.texts.count(button) == 1 + (button == first)
    fix = next(fix for fix in hint.fixes if fix.label == button)
    getattr(bpy.ops.navmesh, fix.operator.split(".")[1])(**dict(fix.arguments))
    assert refused() is None
    assert start_with_window(bpy, addon, monkeypatch, sources=lambda stored: stored).run() == {"FINISHED"}
    assert bpy.data.objects["Navmesh"].data.polygons and refused() is None


def test_who_does_not_see_the_panel_gets_a_pop_up(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    add_cube(bpy)
    stepped = start_with_window(bpy, addon, monkeypatch, panel=False)
    assert stepped.run() == {"CANCELLED"} and [kind for kind, _ in stepped.reports] == ["ERROR"]


def roof(bpy: Any) -> None:
    add_plane(bpy)
    add_mesh(bpy, "Roof", [(-10, -10, 1.5), (10, -10, 1.5), (10, 10, 1.5), (-10, 10, 1.5)], [(3, 2, 1, 0)])


def steep(bpy: Any) -> None:
    add_mesh(bpy, "Steep", [(0, 0, 0), (10, 0, 11), (10, 10, 11), (0, 10, 0)], [(0, 1, 2, 3)])


def upside_down(bpy: Any) -> None:
    add_mesh(bpy, "Flipped", [(0, 0, 5), (9, 0, 5), (9, 9, 5), (0, 9, 5)], [(3, 2, 1, 0)])


REFUSED: list[tuple[Any, dict[str, Any], str]] = [
    (steep, {}, "Set Max Slope to 48°"),
    (roof, {}, "Set Height to 1 m"),
    (add_plane, {"agent_max_slope": 0.0}, "Set Max Slope to 45°"),
    (add_plane, {"region_min_size": 80.0}, "Fit Settings to Level"),
    (upside_down, {}, "Flip Normals"),
    (add_plane, {"cell_size": -1.0}, "Set Cell Size to 0.3 m"),
    (lambda _: None, {}, "Add Ground Plane"),
]


@pytest.mark.parametrize(("make", "values", "button"), REFUSED, ids=[button for _, _, button in REFUSED])
def test_every_refusal_has_a_button_after_which_the_build_goes_on(
    bpy: Any, addon: Any, refused: Any, make: Any, values: dict[str, Any], button: str
) -> None:
    make(bpy)
    draft = bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    draft.set_metres(**addon("settings", "navcore").Settings().to_mapping())
    draft.set_metres(**values)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError):
        bpy.ops.navmesh.build()
    fix = refused().fixes[0]
    assert fix.label.startswith(button)
    getattr(bpy.ops.navmesh, fix.operator.split(".")[1])(**dict(fix.arguments))
    assert refused() is None
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.build() == {"FINISHED"}


def test_it_is_said_until_something_is_done(bpy: Any, addon: Any, refused: Any) -> None:
    cube = add_cube(bpy)
    draft = bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    look = addon("watch.level_changes").look_now

    def build() -> None:
        with pytest.raises(RuntimeError):
            bpy.ops.navmesh.build()
        assert refused() is not None

    build()
    cube.select_set(True)
    bpy.context.view_layer.update()
    look()
    assert refused() is not None, "a click is nothing"
    draft.agent_radius = 0.4
    assert refused() is None
    build()
    cube.scale = (9, 9, 1)
    bpy.context.view_layer.update()
    look()
    assert refused() is None


@pytest.mark.parametrize("name", ["build", "example_level", "place_add", "add_ground", "setup_add"])
def test_nothing_is_made_in_a_scene_of_another_file(bpy: Any, tmp_path: Path, name: str) -> None:
    """Some ended with a traceback, and what others made was lost with the next saving."""
    add_plane(bpy)
    bpy.context.scene.name = "Level"
    path = save(bpy, tmp_path / "level.blend")
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.scenes = ["Level"]
    level = bpy.data.scenes["Level"]
    # (Not in the window: in background, to show another scene there has crashed Blender 4.2 itself.)
    with (
        bpy.context.temp_override(scene=level, view_layer=level.view_layers[0]),
        pytest.raises(RuntimeError, match=r"The scene “Level” is linked from .*level\.blend\. Open that file"),
    ):
        getattr(bpy.ops.navmesh, name)()
    assert not bpy.data.collections and not level.navmesh.setups
