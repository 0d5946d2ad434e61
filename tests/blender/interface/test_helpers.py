"""What people add looks like a helper, and its sides can be dragged; the example level; the first run; cells."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from tests.blender.scenes import add_cube, add_empty, add_plane


def added(bpy: Any, kind: str) -> Any:
    bpy.ops.navmesh.add_helper(kind=kind)
    bpy.context.view_layer.update()
    return bpy.context.object


@pytest.mark.parametrize("use", ["VOLUME", "BOUNDS"])
def test_a_volume_is_an_outline_that_no_picture_shows(bpy: Any, use: str) -> None:
    cube = add_cube(bpy)
    assert (cube.display_type, cube.hide_render) == ("TEXTURED", False)
    cube.navmesh.use = use
    assert (cube.display_type, cube.hide_render) == ("WIRE", True)
    cube.navmesh.use = "AUTO"
    assert (cube.display_type, cube.hide_render) == ("TEXTURED", False), "as it was"
    cube.display_type, cube.hide_render = "BOUNDS", False
    cube.navmesh.use = use
    cube.navmesh.use = "AUTO"
    assert (cube.display_type, cube.hide_render) == ("BOUNDS", False), "what somebody chose is kept"
    seed = add_empty(bpy, "Seed")
    seed.navmesh.use = "SEED"
    assert not seed.hide_render


@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("is_far", [False, True])
def test_one_side_moves_and_the_one_across_stays(bpy: Any, addon: Any, axis: int, is_far: bool) -> None:
    handles = addon("interface.helpers.box_handles")
    box = added(bpy, "VOLUME")
    box.rotation_euler, box.location = (0.2, 0.1, 0.7), (3, -2, 1)
    bpy.context.view_layer.update()
    sides = {(k, far): handles.side_of(box, k, far) for k in range(3) for far in (False, True)}
    handles.move_side(box, axis, is_far, 7.5)
    bpy.context.view_layer.update()
    after = {key: handles.side_of(box, *key) for key in sides}
    assert (after[axis, not is_far].middle - sides[axis, not is_far].middle).length < 1e-5
    moved = after[axis, is_far].middle
    assert (moved - sides[axis, not is_far].middle).length == pytest.approx(7.5, abs=1e-4)
    assert (moved - sides[axis, is_far].middle).cross(sides[axis, is_far].outward).length < 1e-4, "along its own axis"
    for other in {0, 1, 2} - {axis}:
        before_size = (sides[other, True].middle - sides[other, False].middle).length
        assert (after[other, True].middle - after[other, False].middle).length == pytest.approx(before_size, abs=1e-4)


def test_handles_are_there_for_boxes_that_are_selected(bpy: Any, addon: Any) -> None:
    handles = addon("interface.helpers.box_handles")
    assert handles.box_with_handles(bpy.context) is None
    box = added(bpy, "BLOCKER")
    assert handles.box_with_handles(bpy.context) == box
    box.scale.x = 0
    bpy.context.view_layer.update()
    assert handles.box_with_handles(bpy.context) is None, "it has no sides"
    added(bpy, "SEED")
    assert handles.box_with_handles(bpy.context) is None


def test_marks_are_drawn_in_the_color_of_their_area(bpy: Any, addon: Any) -> None:
    marks, rows = addon("views.drawn_marks"), addon("stored.area_types").area_rows(bpy.context.scene)
    volume, blocker, bounds, seed, link = (added(bpy, kind) for kind in ("VOLUME", "BLOCKER", "BOUNDS", "SEED", "LINK"))
    add_cube(bpy)
    marks.look_again()
    assert set(marks.marks_in(bpy.context.scene)) == {volume, blocker, bounds, seed, link}
    colors = {object_: marks.color_of(object_, rows) for object_ in (volume, blocker, bounds, seed, link)}
    assert colors[volume][2] > 200 and colors[volume][0] < 120 and colors[blocker][0] > 150 > colors[blocker][1]
    for object_, lines, faces in ((volume, 12, 6), (blocker, 12, 6), (bounds, 12, 6), (seed, 25, 0), (link, 5, 0)):
        picture = marks.picture_of(object_, colors[object_], 1.0)
        assert (len(picture.lines), len(picture.corners)) == (lines, faces), object_.name
        assert (picture.line_colors[:, :3] == colors[object_]).all()
    volume.navmesh.use = "AUTO"
    assert volume not in marks.marks_in(bpy.context.scene)


def test_what_is_drawn_is_drawn_anew_when_it_changes(bpy: Any, addon: Any) -> None:
    marks, rows = addon("views.drawn_marks"), addon("stored.area_types").area_rows(bpy.context.scene)
    volume = added(bpy, "VOLUME")
    looks = [marks.look_of(volume, rows)]
    volume.location.x += 1
    bpy.context.view_layer.update()
    looks.append(marks.look_of(volume, rows))
    volume.navmesh.area = 2
    looks.append(marks.look_of(volume, rows))
    assert len(set(looks)) == 3
    assert marks.look_of(volume, rows) == looks[-1]


def test_an_outline_lies_where_its_object_is(bpy: Any, addon: Any) -> None:
    marks = addon("views.drawn_marks")
    bpy.context.scene.unit_settings.scale_length = 0.5
    volume = added(bpy, "VOLUME")
    volume.rotation_euler.z = 0.6
    bpy.context.view_layer.update()
    lines = marks.picture_of(volume, (1, 2, 3), 0.5).lines.reshape(-1, 3)
    corners = np.array([tuple(volume.matrix_world @ vertex.co) for vertex in volume.data.vertices])
    in_metres = np.stack([corners[:, 0], corners[:, 2], -corners[:, 1]], axis=1) * 0.5
    assert np.abs(lines[:, None] - in_metres[None]).max(axis=2).min(axis=1).max() < 1e-5


def test_lines_are_as_wide_as_the_interface_is_drawn(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    from types import SimpleNamespace

    layers = addon("views.gpu_layers")
    for size, width in ((0.0, 2.0), (1.0, 2.0), (2.0, 4.0)):
        system = SimpleNamespace(system=SimpleNamespace(pixel_size=size))
        monkeypatch.setattr(bpy, "context", SimpleNamespace(preferences=system))
        assert layers.line_weight(2.0) == width
        monkeypatch.undo()


def test_the_example_level_is_built_with_one_click_more(bpy: Any) -> None:
    assert bpy.ops.navmesh.example_level() == {"FINISHED"}
    level = bpy.data.collections["Example Level"]
    assert bpy.context.scene.navmesh.draft.collection == level
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    navmesh = bpy.data.objects["Navmesh"]
    assert json.loads(navmesh["navmesh_report"])["warnings"] == [], "a first build warns of nothing"
    outcome = json.loads(bpy.context.scene.navmesh.setups[0].outcome)
    assert [row["ok"] for row in (*outcome["tests"], *outcome["must_reach"])] == [True], outcome
    areas = [value.value for value in navmesh.data.attributes["navmesh_area"].data]
    assert set(areas) == {0, 1} and len(areas) > 500, "ground and water"
    stored = bpy.context.scene.navmesh
    assert bpy.ops.navmesh.find_path(start=stored.test_start, end=stored.test_end, mode="PATH") == {"FINISHED"}
    assert '"complete"' in stored.path_answer, stored.path_answer


@pytest.mark.parametrize(("name", "cells"), [("COARSE", 2), ("NORMAL", 3), ("FINE", 5)])
@pytest.mark.parametrize(("radius", "climb"), [(0.5, 0.4), (0.34, 0.45), (0.6, 0.9), (1.2, 0.0)])
def test_cells_fit_the_agent(bpy: Any, addon: Any, name: str, cells: int, radius: float, climb: float) -> None:
    """As many to the radius as is said, and a whole number to the climb: voxels take nothing from either."""
    setup = bpy.context.scene.navmesh.active_setup()
    setup.agent_radius, setup.agent_max_climb = radius, climb
    setup.detail = name
    assert setup.detail == name
    settings = addon("stored.setups").setup_settings(setup)
    voxels = settings.in_voxels()
    assert voxels.radius_vx == cells
    if climb:
        assert voxels.climb_vx >= 2 and voxels.climb_vx * settings.cell_height == pytest.approx(climb, rel=2e-3)
    setup.cell_size *= 1.1
    assert setup.detail == "OWN"


def test_normal_cells_are_those_of_the_human(bpy: Any, addon: Any) -> None:
    setup = bpy.context.scene.navmesh.active_setup()
    assert setup.detail == "NORMAL"
    setup.detail = "FINE"
    setup.detail = "NORMAL"
    assert addon("stored.agent_presets").preset_of(setup).name == "Human"


def test_the_first_run_shows_few_rows(bpy: Any, addon: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(addon("interface.panels.build_panel"), "is_first_run", lambda: True)
    monkeypatch.setattr(addon("interface.panels.settings_panels"), "is_first_run", lambda: True)
    add_plane(bpy)
    from tests.blender.drawn_panels import draw_panels

    shown = draw_panels(bpy, addon, "BUILD")
    assert {"navmesh.build", "navmesh.example_level", "navmesh.show_everything"} <= set(shown.operator_names())
    assert "agent_radius" not in shown.texts and "cell_size" not in shown.texts and "scope" in shown.texts
    bpy.ops.navmesh.build(scope="VISIBLE")
    shown = draw_panels(bpy, addon, "BUILD")
    assert "agent_radius" in shown.texts and "navmesh.example_level" not in shown.operator_names()
