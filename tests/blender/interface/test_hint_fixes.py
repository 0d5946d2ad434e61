"""Every hint before a build has a button that does what it advises: after a click it is gone."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane, new_collection
from tests.house import ADDON
from tools.docs_site.codes_in_sources import HINT, WARNING, codes_in_sources

WITHOUT_BUTTON = {
    "NOT_CONVEX": "where to divide it only its maker knows; the hull that is used is said",
    "INSTANCE_SOURCE": "whether the objects themselves are meant only their maker knows",
    "MISSING_DATA": "where the file is only its maker knows",
    "MISSING_LIBRARY": "where the file is only its maker knows",
    "MODIFIER_FAILED": "what the modifier is to take only its maker knows",
    "NOT_FINITE": "where the points belong only their maker knows; the faces are left out",
}
FINE = {"agent_max_climb": 1.0}  # whole cells: nothing to say about them


def two_planes(bpy: Any, name: str) -> Any:
    add_plane(bpy)
    return add_plane(bpy, name, at=(30, 0, 0))


def flipped(bpy: Any) -> None:
    add_plane(bpy)
    add_mesh(bpy, "Flipped", [(0, 0, 5), (9, 0, 5), (9, 9, 5), (0, 9, 5)], [(3, 2, 1, 0)])


def odd_attribute(bpy: Any) -> None:
    ground = add_plane(bpy)
    ground.data.attributes.new("navmesh_area", "FLOAT", "POINT")


def bad_marker(bpy: Any) -> None:
    add_plane(bpy)
    add_empty(bpy, "Nowhere").navmesh.use = "LINK"


def empty_bounds(bpy: Any) -> None:
    add_plane(bpy)
    box = add_cube(bpy, "Box", (500, 0, 0))
    box.navmesh.use = "BOUNDS"


def outlier(bpy: Any) -> None:
    for k in range(4):
        add_cube(bpy, f"House {k}", (5 * k, 3 * k, 0))
    add_cube(bpy, "Lost", (3000, 2000, 0))


def scaled(bpy: Any, scale: tuple[float, float, float]) -> None:
    two_planes(bpy, "Scaled").scale = scale


def hidden(bpy: Any) -> None:
    add_plane(bpy).hide_set(True)


def helper(bpy: Any) -> None:
    add_plane(bpy)
    wire = add_cube(bpy, "Wire", (5, 5, 0))
    wire.display_type, wire.hide_render = "WIRE", True


def in_no_collection(bpy: Any) -> None:
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "COLLECTION"


def nothing_selected(bpy: Any) -> None:
    add_plane(bpy)
    bpy.context.scene.navmesh.draft.scope = "SELECTED"


Made = tuple[str, Callable[[Any], object], dict[str, Any]]
HINTS: list[Made] = [
    ("BAD_SETTINGS", add_plane, {"cell_size": -1.0}),
    ("BAD_SETTINGS", add_plane, {"cell_size": -1.0, "agent_radius": -3.0}),
    ("BAD_SETTINGS", add_plane, {"agent_height": 100.0}),
    ("BAD_SETTINGS", add_plane, {"cell_height": 1e-40}),
    ("BAD_MARKER", bad_marker, FINE),
    ("BOUNDS_HOLD_NOTHING", empty_bounds, FINE),
    ("FLIPPED", flipped, FINE),
    ("HELPER", helper, FINE),
    ("LEVEL_TOO_NARROW", lambda bpy: add_plane(bpy, size=0.5), FINE),
    ("LEVEL_TOO_SMALL", add_cube, FINE),
    ("NO_COLLECTION", in_no_collection, FINE),
    ("NO_TRIANGLES", hidden, FINE),
    ("NO_TRIANGLES", lambda _: None, FINE),
    ("NO_TRIANGLES", nothing_selected, FINE),
    ("ODD_ATTRIBUTE", odd_attribute, FINE),
    ("OUTLIER", outlier, FINE),
    ("SCALE", lambda bpy: scaled(bpy, (2, 2, 2)), FINE),
    ("STEPS_OF_FEW_CELLS", add_plane, {"agent_max_climb": 0.3}),
    ("STEPS_OF_FEW_CELLS", add_plane, {"agent_max_climb": 0.1}),
    ("STEPS_OF_FEW_CELLS", add_plane, {"agent_max_climb": 0.0}),
    ("STEPS_OF_FEW_CELLS", add_plane, {"agent_max_climb": 0.01, "agent_height": 200.0, "cell_height": 1.0}),
    ("TAKES_LONG", lambda bpy: add_plane(bpy, size=5000.0), {**FINE, "tile_size": 256, "cell_size": 0.1}),
    ("TOO_LARGE", lambda bpy: add_plane(bpy, size=5000.0), FINE),
    ("TOO_MANY_TILES", lambda bpy: add_plane(bpy, size=5000.0), {**FINE, "tile_size": 64}),
    ("UNREPRESENTABLE", add_plane, {**FINE, "agent_radius": 0.35}),
    ("UNREPRESENTABLE", add_plane, {**FINE, "agent_height": 0.25}),
    ("UNREPRESENTABLE", add_plane, {"agent_max_climb": 0.59}),
    ("ZERO_SCALE", lambda bpy: scaled(bpy, (1, 1, 0)), FINE),
]


def hint_codes() -> Iterator[str]:
    """All codes that hints before a build can have: those of `Hint(…)`, and those of what gathering notes."""
    ours = [given for given in codes_in_sources() if given.file.startswith("navmesh_addon/")]
    yield from (given.code for given in ours if given.kind in (HINT, WARNING))
    for path in ADDON:
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple):  # rows of source_hints
                first = node.value.elts[0]
                if isinstance(first, ast.Constant) and str(first.value).isupper():
                    yield str(first.value)


def test_every_hint_has_a_button_or_a_reason_for_having_none() -> None:
    refused = {"BAD_SETTINGS", "NO_COLLECTION"}  # hints that carry the code of an error
    after_the_build = {"SEED_OFF_NAVMESH", "NOTHING_WALKABLE"}  # these are no checks before it
    after_the_build |= {"PATH_LOST", "PLACE_LOST", "VOLUME_UNUSED"}
    made = {code for code, _, _ in HINTS}
    assert made | WITHOUT_BUTTON.keys() == ({*hint_codes()} | refused) - after_the_build
    assert made.isdisjoint(WITHOUT_BUTTON)


@pytest.mark.parametrize(("code", "make", "values"), HINTS, ids=lambda value: value if isinstance(value, str) else "")
def test_a_click_on_the_button_and_the_hint_is_gone(
    bpy: Any, addon: Any, draw: Any, code: str, make: Callable[[Any], object], values: dict[str, Any]
) -> None:
    checks, draft = addon("interface.checks_before_build"), bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    make(bpy)
    draft.set_metres(**addon("settings", "navcore").Settings().to_mapping())
    draft.set_metres(**values)
    bpy.context.view_layer.update()

    def found() -> Any:
        hints = checks.check(bpy.context, draft).hints
        return next((hint for hint in hints if hint.code == code), None)

    hint = found()
    assert hint is not None and hint.fixes
    drawn = draw()
    for fix in hint.fixes:
        assert fix.label in drawn.texts and fix.operator in drawn.operator_names()
    click(bpy, hint.fixes[0])
    bpy.context.view_layer.update()
    assert found() is None
    assert len(bpy.context.scene.navmesh.setups) == 0, "a button makes no setup of the draft"


def click(bpy: Any, fix: Any) -> None:
    room, name = fix.operator.split(".")
    assert getattr(getattr(bpy.ops, room), name)(**dict(fix.arguments)) == {"FINISHED"}


@pytest.mark.parametrize("preset", ["recast_default", "vehicle", "human", "small_robot", "godot_4", "unreal_5"])
def test_shipped_presets_have_steps_of_enough_cells(bpy: Any, addon: Any, preset: str) -> None:
    add_plane(bpy)
    bpy.context.view_layer.update()
    (file,) = (
        path
        for path in (Path(__file__).parents[3] / "navmesh_addon/presets/navmesh").iterdir()
        if path.stem.lower() == preset
    )
    bpy.utils.execfile(str(file))
    setup = bpy.context.scene.navmesh.setups[0]
    setup.scope = "VISIBLE"
    hints = addon("gather.before_build.level_forecast").forecast_level(bpy.context, setup).hints
    assert "STEPS_OF_FEW_CELLS" not in [hint.code for hint in hints]


def test_a_scale_that_is_not_the_objects_own_has_no_button(bpy: Any, addon: Any) -> None:
    """Applying it would change nothing, or damage what others share."""
    parent = add_empty(bpy, "Parent")
    parent.scale = (2, 2, 2)
    two_planes(bpy, "Child").parent = parent
    bpy.context.view_layer.update()
    draft = bpy.context.scene.navmesh.draft
    draft.scope = "VISIBLE"
    (hint,) = (
        hint
        for hint in addon("gather.before_build.level_forecast").forecast_level(bpy.context, draft).hints
        if hint.code == "SCALE"
    )
    assert hint.name == "Child" and hint.fixes == ()


def test_buttons_of_objects_that_are_gone_or_linked_say_so(bpy: Any) -> None:
    assert bpy.ops.navmesh.leave_out(name="gone") == {"CANCELLED"}
    with pytest.raises(RuntimeError, match="Expecting"):
        bpy.ops.navmesh.set_settings(changes="{")
    for wrong in ("null", "[1]"):
        with pytest.raises(RuntimeError, match=r"Error: .* must be changes, as"):
            bpy.ops.navmesh.set_settings(changes=wrong)
    with pytest.raises(RuntimeError, match="cell_size"):
        bpy.ops.navmesh.set_settings(changes='{"cell_size": -1}')


@pytest.mark.parametrize("scope", ["SELECTED", "COLLECTION", "LISTED", "VISIBLE"])
def test_the_added_ground_is_built_whatever_the_setup_builds_from(bpy: Any, addon: Any, scope: str) -> None:
    home = new_collection(bpy, "Level")
    cube = add_cube(bpy, at=(100, 50, 7), collection=home)
    cube.select_set(True)
    draft = bpy.context.scene.navmesh.draft
    draft.scope, draft.collection, draft.listed, draft.only_names = scope, home, "Cube", "Cube*"
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.add_ground() == {"FINISHED"}
    ground = bpy.data.objects["Ground"]
    assert tuple(ground.location) == (100, 50, 6) and ground.dimensions.x == 20
    bpy.context.view_layer.update()
    assert addon("gather.before_build.level_forecast").forecast_level(bpy.context, draft).looked.startswith("2 objects")
    assert bpy.ops.navmesh.build() == {"FINISHED"}
