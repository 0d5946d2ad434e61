"""Add > Navmesh: each is made at the 3D cursor on the ground below it, selected, and a build knows what it is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.drawn_panels import Drawn, Layout
from tests.blender.scenes import add_cube, add_plane

KINDS = ("LINK", "LADDER", "DROP", "VOLUME", "BLOCKER", "BOUNDS", "SEED", "DOOR", "OBSTACLE", "RESOLUTION")
USES = ("LINK", "LINK", "LINK", "VOLUME", "VOLUME", "BOUNDS", "SEED", "DOOR", "OBSTACLE", "RESOLUTION")


def added(bpy: Any, kind: str) -> Any:
    before = set(bpy.data.objects)
    assert bpy.ops.navmesh.add_helper(kind=kind) == {"FINISHED"}
    [object_] = set(bpy.data.objects) - before
    return object_


@pytest.mark.parametrize(("kind", "use"), zip(KINDS, USES, strict=True))
@pytest.mark.parametrize("metres", [1.0, 0.01])
def test_it_stands_on_the_ground_and_is_selected(bpy: Any, kind: str, use: str, metres: float) -> None:
    add_cube(bpy)
    add_plane(bpy)
    bpy.context.scene.unit_settings.scale_length = metres
    bpy.context.scene.cursor.location = (5.0, 3.0, 7.0 / metres)
    object_ = added(bpy, kind)
    assert object_.navmesh.use == use and [*bpy.context.selected_objects] == [object_]
    assert bpy.context.view_layer.objects.active == object_
    low, high = (limit(object_, pick) for pick in (min, max))
    if kind == "DROP":
        assert abs(high[2]) < 1e-4, "it begins on the ground"
    elif kind in ("VOLUME", "BLOCKER", "BOUNDS", "DOOR", "OBSTACLE", "RESOLUTION"):
        assert low[2] < 0 < high[2], "it holds the ground"
    else:
        assert abs(low[2]) < 1e-4
    middle = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    assert abs(middle[0] - 5) * metres < 2 and abs(middle[1] - 3) * metres < 2


def limit(object_: Any, pick: Any) -> list[float]:
    """The lowest or highest corner of its points in the scene."""
    if object_.type == "MESH":
        points = [object_.matrix_world @ vertex.co for vertex in object_.data.vertices]
    elif object_.type == "CURVE":
        points = [object_.matrix_world @ point.co.to_3d() for point in object_.data.splines[0].points]
    else:
        points = [object_.matrix_world.translation]
    return [pick(point[axis] for point in points) for axis in range(3)]


def test_helpers_and_navmeshes_are_no_ground(bpy: Any) -> None:
    """What is added over another helper stands on the level."""
    add_plane(bpy)
    bpy.context.scene.cursor.location = (0, 0, 1.5)
    first = added(bpy, "VOLUME")
    second = added(bpy, "SEED")
    assert limit(first, max)[2] > 0.5 and abs(second.location.z) < 1e-4


def test_where_there_is_no_ground_it_is_at_the_cursor(bpy: Any) -> None:
    bpy.context.scene.cursor.location = (1, 2, 3)
    assert tuple(added(bpy, "SEED").location) == (1, 2, 3)


def test_a_volume_has_the_area_that_is_chosen_in_the_list(bpy: Any) -> None:
    assert added(bpy, "VOLUME").navmesh.area == 1, "water, where plain ground is chosen"
    bpy.context.scene.navmesh.active_area_type = 2
    assert added(bpy, "VOLUME").navmesh.area == 2
    assert added(bpy, "BLOCKER").navmesh.area == -1
    bpy.ops.navmesh.area_types_edit()
    bpy.context.scene.navmesh.active_area_type = 6
    assert added(bpy, "VOLUME").navmesh.area == 6


def test_a_build_knows_them(bpy: Any) -> None:
    """Water in a volume, a hole in the ground, a link; nothing outside of the bounds."""
    add_plane(bpy)
    bpy.context.scene.cursor.location = (6, 6, 0)
    added(bpy, "VOLUME")
    bpy.context.scene.cursor.location = (-6, -6, 0)
    added(bpy, "BLOCKER")
    bpy.context.scene.cursor.location = (4, -6, 0)
    added(bpy, "LINK")
    bpy.context.view_layer.update()
    assert bpy.ops.navmesh.build(scope="VISIBLE") == {"FINISHED"}
    mesh = bpy.data.objects["Navmesh"].data
    assert {value.value for value in mesh.attributes["navmesh_area"].data} == {0, 1}
    assert bpy.context.scene.navmesh.move_links, "with handles at both ends"


def test_undone_in_one_step(bpy: Any) -> None:
    add_plane(bpy)
    bpy.ops.ed.undo_push(message="before")
    assert bpy.ops.navmesh.add_helper("EXEC_DEFAULT", True, kind="BLOCKER") == {"FINISHED"}
    assert "Blocker" in bpy.data.objects
    bpy.ops.ed.undo()
    assert "Blocker" not in bpy.data.objects


def test_menus_and_buttons_read_one_table(bpy: Any, addon: Any, draw: Any) -> None:
    table = [row.kind for row in addon("interface.helpers.helper_kinds").KINDS]
    assert table[: len(KINDS)] == list(KINDS)
    drawn = Drawn()
    bpy.types.NAVMESH_MT_add.draw(type("Menu", (), {"layout": Layout(drawn.texts, drawn.operators)})(), bpy.context)
    assert [properties.kind for name, properties in drawn.operators] == table
    in_panel = [properties.kind for name, properties in draw().operators if name == "navmesh.add_helper"]
    table.remove("RESOLUTION")
    table.insert(table.index("VOLUME") + 1, "RESOLUTION")
    assert in_panel == table, "as an icon, as there is no room for a row more"
    add_cube(bpy)
    bpy.context.view_layer.objects.active = bpy.data.objects["Cube"]
    bpy.ops.object.mode_set(mode="EDIT")
    assert not bpy.ops.navmesh.add_helper.poll()
    bpy.ops.object.mode_set(mode="OBJECT")


def test_on_a_level_that_is_scaled_it_is_as_large_as_on_one_in_metres(bpy: Any) -> None:
    """A door was 4 cm wide there, and a link reached 2 cm."""
    add_plane(bpy, size=2000.0)
    bpy.context.scene.navmesh.draft.scale = 0.01
    door, jump, block = added(bpy, "DOOR"), added(bpy, "LINK"), added(bpy, "BLOCK")
    assert tuple(door.dimensions) == pytest.approx((400, 100, 250))
    assert jump.dimensions.y == pytest.approx(200) and jump.navmesh.link_radius == pytest.approx(0.6), "an agent's"
    assert block.dimensions.x == pytest.approx(200)
    assert (block.navmesh.edit_below, block.navmesh.edit_above) == pytest.approx((50, 100))


@pytest.mark.parametrize(
    ("unit", "scale", "below", "radius"), [(1, 1, 0.5, 0.6), (0.01, 1, 50, 60), (1, 0.01, 50, 0.6)]
)
def test_lengths_of_a_use_are_metres_until_somebody_gives_them(
    bpy: Any, unit: float, scale: float, below: float, radius: float
) -> None:
    """A block in centimetres marked ground half a centimetre below it, and a link was for who came as near as 6 mm."""
    scene = bpy.context.scene
    scene.unit_settings.scale_length, scene.navmesh.draft.scale = unit, scale
    block, jump, given = add_cube(bpy, "Block"), add_cube(bpy, "Jump"), add_cube(bpy, "Given")
    given.navmesh.link_radius = 0.6
    block.navmesh.use, jump.navmesh.use, given.navmesh.use = "BLOCK", "LINK", "LINK"
    assert (block.navmesh.edit_below, block.navmesh.edit_above) == pytest.approx((below, 2 * below))
    assert jump.navmesh.link_radius == pytest.approx(radius) and given.navmesh.link_radius == pytest.approx(0.6)
