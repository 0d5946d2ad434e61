"""Levels of which nothing would be left are told before the build, and the buttons lead to a navmesh."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane


@pytest.fixture
def forecast(bpy: Any, addon: Any) -> Any:
    """forecast(**settings): of everything visible."""

    draft = bpy.context.scene.navmesh.draft
    draft.set_metres(**addon("settings", "navcore").Settings().to_mapping())

    def run(**values: Any) -> Any:
        draft.scope = "VISIBLE"
        draft.set_metres(**values)
        bpy.context.view_layer.update()
        return addon("gather.before_build.level_forecast").forecast_level(bpy.context, draft)

    return run


def codes(forecast: Any) -> list[str]:
    return [hint.code for hint in forecast.hints]


@pytest.mark.parametrize("size", [0.05, 0.3, 1.0, 2.0, 2.7])
@pytest.mark.parametrize("button", [0, 1])
def test_a_level_too_small_and_both_ways_out(bpy: Any, forecast: Any, size: float, button: int) -> None:
    add_plane(bpy, size=size)
    first = next(hint for hint in forecast(agent_max_climb=1.0).hints if hint.code.startswith("LEVEL_TOO_"))
    assert f"{size:.3g} × {size:.3g} m" in first.message
    with pytest.raises(RuntimeError, match=r"island|narrower|less than one cell|within 1 m"):
        bpy.ops.navmesh.build()
    fix = first.fixes[button]
    assert getattr(bpy.ops.navmesh, fix.operator.split(".")[1])(**dict(fix.arguments)) == {"FINISHED"}
    assert [code for code in codes(forecast()) if code != "STEPS_OF_FEW_CELLS"] == []
    assert bpy.ops.navmesh.build() == {"FINISHED"}
    assert len(bpy.data.objects["Navmesh"].data.polygons) > 0


def test_what_can_be_built_is_not_called_too_small(bpy: Any, forecast: Any) -> None:
    """The smallest square of which something is left, found by building: no hint where a build succeeds."""
    ground = add_plane(bpy, size=1.0)
    seen = []
    for size in (2.4, 3.0, 3.6, 4.2, 4.8, 5.4):
        ground.scale = (size, size, 1)
        hinted = any(code.startswith("LEVEL_TOO_") for code in codes(forecast()))
        try:
            bpy.ops.navmesh.build()
        except RuntimeError:
            seen.append((hinted, False))
        else:
            seen.append((hinted, True))
    assert (True, True) not in seen, "a false alarm"
    assert (True, False) in seen and (False, True) in seen


def test_many_floors_and_loose_pieces_are_no_false_alarm(bpy: Any, forecast: Any) -> None:
    tower = [(x, y, 3.0 * k) for k in range(20) for x, y in ((0, 0), (3, 0), (3, 3), (0, 3))]
    add_mesh(bpy, "Tower", tower, [(4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3) for k in range(20)])
    assert "LEVEL_TOO_SMALL" not in codes(forecast())
    bpy.data.objects.remove(bpy.data.objects["Tower"])
    for k in range(25):
        add_cube(bpy, f"Tile {k}", (2 * (k % 5), 2 * (k // 5), 0))
    assert "LEVEL_TOO_SMALL" not in codes(forecast())


def test_regions_that_are_kept_whatever_their_size(bpy: Any, forecast: Any) -> None:
    add_plane(bpy, size=2.0)
    assert "LEVEL_TOO_SMALL" in codes(forecast())
    assert "LEVEL_TOO_SMALL" not in codes(forecast(region_min_size=0))


# ---------------------------------------------------------------- bounds


def test_bounds_limit_grid_memory_and_time(bpy: Any, forecast: Any) -> None:
    add_plane(bpy, size=300.0)
    add_plane(bpy, "Far", at=(4000, 0, 0))
    wide = forecast(agent_max_climb=1.0)
    assert not wide.size.startswith("100 × 50 cells") and "outside" not in wide.looked
    box = add_cube(bpy, "Box")
    box.scale, box.navmesh.use = (15, 7.5, 3), "BOUNDS"
    inside = forecast()
    assert inside.size.startswith("100 × 50 cells, about")
    assert "1 outside the bounds" in inside.looked and codes(inside) == []
    bpy.ops.navmesh.build()
    assert max(v.co.x for v in bpy.data.objects["Navmesh"].data.vertices) < 15.1


def test_bounds_make_a_large_level_small_enough(bpy: Any, forecast: Any) -> None:
    add_plane(bpy, size=5000.0)
    assert "TOO_LARGE" in codes(forecast(agent_max_climb=1.0))
    empty = add_empty(bpy, "Zone")
    empty.empty_display_size, empty.navmesh.use = 20, "BOUNDS"
    assert codes(forecast()) == []


@pytest.mark.parametrize("hide", [False, True])
def test_bounds_that_contain_nothing(bpy: Any, forecast: Any, hide: bool) -> None:
    add_plane(bpy)
    for k in range(2):
        box = add_cube(bpy, f"Box {k}", (500, 90 * k, 0))
        box.navmesh.use = "BOUNDS"
        box.hide_set(hide)
    found = forecast(agent_max_climb=1.0)
    assert codes(found) == ([] if hide else ["BOUNDS_HOLD_NOTHING"]), "what is hidden is not used"
    if not hide:
        (hint,) = found.hints
        assert hint.name == "Box 0" and "with 1 more" in hint.message


@pytest.mark.parametrize("scale", [(0, 0, 0), (1, 0, 1), (float("nan"), 1, 1)])
def test_bounds_that_builds_leave_out(bpy: Any, forecast: Any, scale: Any) -> None:
    add_plane(bpy)
    box = add_cube(bpy, "Box", (500, 0, 0))
    box.navmesh.use, box.scale = "BOUNDS", scale
    assert codes(forecast(agent_max_climb=1.0)) == []


# ---------------------------------------------------------------- instances


def test_an_instance_lies_where_its_collection_says(bpy: Any, forecast: Any) -> None:
    """A collection's own origin moves what its instances show."""
    kit = bpy.data.collections.new("Kit")
    add_plane(bpy, size=30.0, at=(1000, 0, 0), collection=kit)
    kit.instance_offset = (1000, 0, 0)
    for k in range(2):
        shown = add_empty(bpy, f"Shown {k}", (30 * k, 0, 0))
        shown.instance_type, shown.instance_collection = "COLLECTION", kit
    found = forecast(agent_max_climb=1.0)
    assert found.size.startswith("200 × 100 cells") and codes(found) == []
