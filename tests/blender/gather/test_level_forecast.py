"""What can be said before a build, and warnings."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_mesh, add_plane


@pytest.fixture
def hints(bpy: Any, addon: Any) -> Any:
    """hints(): code → names, of a forecast of what is visible with these settings."""

    def run(check: bool = False, **values: Any) -> dict[str, list[str]]:
        setups, forecasts = addon("stored.setups"), addon("gather.before_build.level_forecast")
        setup = setups.active_setup(bpy.context.scene) or setups.add_setup(bpy.context.scene)
        setup.scope = "VISIBLE"
        setup.set_metres(**values)
        bpy.context.view_layer.update()
        look = addon("interface.checks_before_build").check if check else forecasts.forecast_level
        found = look(bpy.context, setup)
        names_of: dict[str, list[str]] = {}
        for hint in found.hints:
            names_of.setdefault(hint.code, []).append(hint.name)
        return names_of

    return run


def test_effective_sizes(bpy: Any, addon: Any, hints: Any) -> None:
    add_plane(bpy)
    assert hints(cell_size=0.3, cell_height=0.2, agent_radius=0.6, agent_max_climb=1.0) == {}
    forecasts, setup = addon("gather.before_build.level_forecast"), bpy.context.scene.navmesh.setups[0]
    setup.agent_max_climb = 0.9
    found = forecasts.forecast_level(bpy.context, setup)
    assert "Climb 0.9 m → 0.8 m effective (4 cells)" in found.effective
    assert found.size.startswith("67 × 67 cells, about")


def test_sizes_that_cells_cannot_represent(bpy: Any, hints: Any) -> None:
    add_plane(bpy)
    assert "UNREPRESENTABLE" in hints(agent_radius=0.35)
    assert "UNREPRESENTABLE" not in hints(agent_radius=0.35, cell_size=0.175, agent_max_climb=1.0)


def test_the_way_out_of_a_size_that_does_not_fit_is_right(bpy: Any, hints: Any, addon: Any) -> None:
    add_plane(bpy)
    hints(agent_radius=0.35, agent_max_climb=1.0)
    setup = bpy.context.scene.navmesh.setups[0]
    (hint,) = addon("gather.before_build.level_forecast").forecast_level(bpy.context, setup).hints
    smaller = float(hint.message.split("Lower Cell Size to ")[1].split(" m")[0])
    assert "UNREPRESENTABLE" not in hints(cell_size=smaller)


def test_settings_that_cannot_be(bpy: Any, hints: Any) -> None:
    add_plane(bpy)
    assert hints(cell_size=-1.0) == {"BAD_SETTINGS": [""]}


def test_a_grid_too_large(bpy: Any, hints: Any) -> None:
    add_plane(bpy, size=5000.0)
    assert hints(agent_max_climb=1.0) == {"TOO_LARGE": [""]}
    assert hints(tile_size=64) == {"TOO_MANY_TILES": [""]}
    assert hints(tile_size=256) == {}


def test_scales(bpy: Any, hints: Any) -> None:
    add_plane(bpy, "Fine").rotation_euler = (0.1, 0.2, 0.3)
    add_cube(bpy, "Mirrored, as built").scale = (1, -1, 1)
    add_cube(bpy, "Scaled").scale = (2, 2, 2)
    add_cube(bpy, "Nothing").scale = (1, 1, 0)
    assert hints(agent_max_climb=1.0) == {"SCALE": ["Scaled"], "ZERO_SCALE": ["Nothing"]}


def test_an_outlier(bpy: Any, hints: Any) -> None:
    for k in range(4):
        add_cube(bpy, f"House {k}", (5 * k, 3 * k, 0))
    assert hints(agent_max_climb=1.0) == {}
    add_cube(bpy, "Lost", (3000, 2000, 0))
    assert hints()["OUTLIER"] == ["Lost"]
    big = add_plane(bpy, "Ground", 8000.0)
    assert "OUTLIER" not in hints(), "a large ground is no outlier"
    big.navmesh.use = "EXCLUDE"
    assert hints()["OUTLIER"] == ["Lost"]


def test_flipped_floors(bpy: Any, hints: Any) -> None:
    add_plane(bpy, "Fine")
    add_cube(bpy, "Closed")
    add_mesh(bpy, "Flipped", [(0, 0, 0), (9, 0, 0), (9, 9, 0), (0, 9, 0)], [(3, 2, 1, 0)])
    assert hints(check=True, agent_max_climb=1.0) == {"FLIPPED": ["Flipped"]}


def test_a_flipped_floor_is_told_after_the_build_too(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    add_mesh(bpy, "Flipped", [(0, 0, 5), (9, 0, 5), (9, 9, 5), (0, 9, 5)], [(3, 2, 1, 0)])
    bpy.ops.navmesh.build(scope="VISIBLE")
    drawn = draw()
    assert "floors that look down" in drawn.text
    assert [p.name for name, p in drawn.operators if name == "navmesh.select_object"] == ["Flipped"]


def test_the_check_button_and_a_click_on_a_warning(bpy: Any, draw: Any) -> None:
    add_plane(bpy)
    add_cube(bpy, "Scaled").scale = (2, 2, 2)
    bpy.ops.navmesh.setup_add()
    bpy.context.scene.navmesh.setups[0].scope = "VISIBLE"
    assert bpy.ops.navmesh.check() == {"FINISHED"}
    drawn = draw()
    assert "2 objects, 14 triangles; 0 not used" in drawn.text
    properties, in_line = [p for name, p in drawn.operators if name == "navmesh.select_object"]
    assert properties.name == in_line.name == "Scaled"  # in the popover, and in the line that has its place
    assert bpy.ops.navmesh.select_object(name=properties.name) == {"FINISHED"}
    assert bpy.context.view_layer.objects.active.name == "Scaled"
    assert [o.name for o in bpy.context.selected_objects] == ["Scaled"]
    assert bpy.ops.navmesh.select_object(name="gone") == {"CANCELLED"}


def test_what_is_there_is_judged_as_it_would_be_rebuilt(bpy: Any, addon: Any) -> None:
    """Whatever is selected meanwhile, and with what a script gave beside the setup."""
    add_plane(bpy)
    assert bpy.ops.navmesh.build(scope="VISIBLE", agent_radius=1.2) == {"FINISHED"}
    [setup] = bpy.context.scene.navmesh.setups
    assert setup.scope == "SELECTED"
    crate = add_cube(bpy, "Crate")
    for selected in (False, True):
        for object_ in bpy.context.view_layer.objects:
            object_.select_set(selected and object_ == crate)
        forecast = addon("interface.checks_before_build").check(bpy.context, setup)
        assert forecast.looked.startswith("2 objects, "), forecast.looked
        assert "Radius 1.2 m → 1.2 m effective (4 cells)" in forecast.effective
        assert forecast.hints == ()


def test_a_navmesh_that_comes_takes_the_place_of_the_selection(bpy: Any, addon: Any) -> None:
    """What the forecast was made for says so."""
    add_plane(bpy)
    checks, scene = addon("interface.checks_before_build"), bpy.context.scene
    bpy.ops.navmesh.setup_add()
    [setup] = scene.navmesh.setups
    before = checks.key_of(scene, setup)
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    built = checks.key_of(scene, setup)
    assert before != built and before[:2] == built[:2]
    bpy.ops.navmesh.rebuild()
    assert checks.key_of(scene, setup) != built
