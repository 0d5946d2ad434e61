"""What helps to make a level is no part of it: operands of Boolean modifiers, and what only shows as a wire."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blender.gather.conftest import refused
from tests.blender.scenes import add_cube, add_instance, add_plane, new_collection, volume_of


def add_archway(bpy: Any, collection: Any = None) -> tuple[Any, Any]:
    """A wall of 8 m³ and what cuts 0.5 m³ out of it."""
    wall, arch = add_cube(bpy, "Wall", collection=collection), add_cube(bpy, "Arch", collection=collection)
    arch.scale = (0.25, 2, 0.25)
    modifier = wall.modifiers.new("Opening", "BOOLEAN")
    modifier.object = arch
    return wall, arch


def test_an_archway_that_a_boolean_cuts_is_open(bpy: Any, gather: Any) -> None:
    add_archway(bpy)
    found = gather()
    assert found.used == ["Wall"] and volume_of(found) == pytest.approx(7.5)
    assert found.skipped == (("Arch", "the Boolean modifier of Wall takes it"),)


def test_a_collection_of_operands(bpy: Any, gather: Any) -> None:
    wall, _ = add_archway(bpy, new_collection(bpy, "Cutters"))
    wall.modifiers["Opening"].operand_type = "COLLECTION"
    wall.modifiers["Opening"].collection = bpy.data.collections["Cutters"]
    assert gather().used == ["Wall"]


def test_an_archway_that_is_only_instanced(bpy: Any, gather: Any) -> None:
    kit = bpy.data.collections.new("Kit")
    add_archway(bpy, kit)
    add_instance(bpy, "Copy", kit, (9, 0, 0))
    assert volume_of(gather()) == pytest.approx(7.5)


@pytest.mark.parametrize("how", ["hidden", "left out", "not selected", "switched off"])
def test_what_cuts_nothing_that_is_built_is_a_wall(bpy: Any, gather: Any, how: str) -> None:
    wall, arch = add_archway(bpy)
    add_plane(bpy)
    if how == "hidden":
        wall.hide_set(True)
    elif how == "left out":
        wall.navmesh.use = "EXCLUDE"
    elif how == "switched off":
        wall.modifiers["Opening"].show_viewport = False
    for object_ in bpy.data.objects:
        object_.select_set(object_ != wall)
    assert arch.name in gather("SELECTED" if how == "not selected" else "VISIBLE").used


@pytest.mark.parametrize("mark", ["use", "property", "area"])
def test_what_is_marked_counts_for_more(bpy: Any, gather: Any, mark: str) -> None:
    _, arch = add_archway(bpy)
    wire = add_cube(bpy, "Wire", (9, 0, 0))
    wire.display_type, wire.hide_render = "WIRE", True
    for object_ in (arch, wire):
        if mark == "use":
            object_.navmesh.use = "INCLUDE"
        elif mark == "property":
            object_["navmesh_use"] = True
        else:
            object_.navmesh.area = 63
    assert sorted(gather().used) == ["Arch", "Wall", "Wire"]


@pytest.mark.parametrize("how", ["WIRE", "BOUNDS"])
@pytest.mark.parametrize("by_collection", [False, True])
def test_what_shows_as_an_outline_and_in_no_render_is_no_wall(
    bpy: Any, gather: Any, how: str, by_collection: bool
) -> None:
    add_plane(bpy)
    helpers = new_collection(bpy, "Helpers")
    helper = add_cube(bpy, "Helper", collection=helpers)
    helper.display_type = how
    assert sorted(gather().used) == ["Ground", "Helper"], "renders show it"
    (helpers if by_collection else helper).hide_render = True
    found = gather()
    outline = {"WIRE": "a wire", "BOUNDS": "bounds"}[how]
    assert found.used == ["Ground"] and found.skipped == (("Helper", f"shown as {outline} and hidden in renders"),)
    assert sorted(gather(only_names="Hel*, Gr*").used) == ["Ground", "Helper"], "it is asked for by name"


def test_nothing_but_helpers_says_the_way_out(bpy: Any, addon: Any, gather: Any) -> None:
    helper = add_cube(bpy, "Helper")
    helper.display_type, helper.hide_render = "WIRE", True
    with pytest.raises(refused(addon), match=r"“Helper” was not used: shown as a wire .* Set its Use to Always"):
        gather()


def test_helpers_are_told_before_the_build(bpy: Any, addon: Any) -> None:
    add_plane(bpy)
    add_archway(bpy)
    kit = new_collection(bpy, "Kit")
    add_cube(bpy, "Crate", (5, 0, 0), kit)
    add_instance(bpy, "Copy", kit, (9, 0, 0))
    setups = addon("stored.setups")
    setup = setups.add_setup(bpy.context.scene)
    setup.scope = "VISIBLE"
    bpy.context.view_layer.update()
    found = addon("interface.checks_before_build").check(bpy.context, setup)
    told = {hint.code: (hint.name, hint.message) for hint in found.hints}
    assert told["HELPER"][0] == "Arch" and "the Boolean modifier of Wall takes it" in told["HELPER"][1]
    assert (
        told["INSTANCE_SOURCE"][0] == "Crate" and "where “Copy” shows its collection Kit" in told["INSTANCE_SOURCE"][1]
    )
