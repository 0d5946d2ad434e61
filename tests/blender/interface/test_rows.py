"""How many rows each tab has, and that no row moves, whatever happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.blender.counted_rows import rows_shown
from tests.blender.scenes import add_cube, add_empty, add_plane, two_floors

MOST = 18
TABS = ("BUILD", "MARK", "TEST")


def counts(bpy: Any, addon: Any) -> dict[str, int]:
    found = {}
    for tab in TABS:
        bpy.context.scene.navmesh.tab = tab
        found[tab] = len(rows_shown(bpy, addon))
    return found


def fresh(bpy: Any) -> None:
    add_plane(bpy)


def built(bpy: Any) -> None:
    add_plane(bpy)
    bpy.ops.navmesh.build(scope="VISIBLE")


def links(bpy: Any) -> None:
    two_floors(bpy)
    bpy.context.scene.navmesh.draft.generate_links = True
    bpy.ops.navmesh.build(scope="VISIBLE")


def setups(bpy: Any) -> None:
    built(bpy)
    for _ in range(3):
        bpy.ops.navmesh.setup_add()


def marked(bpy: Any) -> None:
    """A link is active, with a material and in a collection, and areas are the scene's own."""
    built(bpy)
    bpy.ops.navmesh.area_types_edit()
    bpy.ops.navmesh.add_helper(kind="LADDER")


def material(bpy: Any) -> None:
    cube = add_cube(bpy)
    cube.data.materials.append(bpy.data.materials.new("A material with a long name"))
    bpy.context.view_layer.objects.active = cube


def asked(bpy: Any) -> None:
    built(bpy)
    bpy.ops.navmesh.find_path(start=(0, 0, 0), end=(5, 5, 0), mode="PATH")
    bpy.ops.navmesh.why(location=(90, 0, 0))
    bpy.ops.navmesh.build(scope="VISIBLE")


STATES = (fresh, built, links, setups, marked, material, asked)


@pytest.mark.parametrize("state", STATES, ids=lambda state: state.__name__)
def test_no_tab_has_more_rows(bpy: Any, addon: Any, state: Callable[[Any], None]) -> None:
    state(bpy)
    found = counts(bpy, addon)
    assert max(found.values()) <= MOST, found


def stands(bpy: Any, addon: Any, tab: str) -> dict[str, int]:
    """The row of each thing that is pressed, but for ways out, which come and go in a place of theirs."""
    bpy.context.scene.navmesh.tab = tab
    places: dict[str, int] = {}
    for number, row in enumerate(rows_shown(bpy, addon), 1):
        for what in row.holds:
            if not what.startswith("“"):
                places.setdefault({"navmesh.rebuild": "navmesh.build"}.get(what, what), number)
    return places


def moved(before: dict[str, int], after: dict[str, int]) -> dict[str, tuple[int, int]]:
    return {what: (row, after[what]) for what, row in before.items() if what in after and after[what] != row}


@pytest.mark.parametrize("tab", TABS)
def test_no_row_moves(bpy: Any, addon: Any, tab: str) -> None:
    """Through a build, links that are found, a change, a warning, a refusal, a rename, an answer."""
    two_floors(bpy)
    before = stands(bpy, addon, tab)
    bpy.ops.navmesh.setup_add()
    setup = bpy.context.scene.navmesh.setups[0]
    setup.generate_links = True
    for step in (
        lambda: bpy.ops.navmesh.build(scope="VISIBLE"),
        lambda: setattr(setup, "name", "A very long name of a setup, longer than any field"),
        lambda: setattr(setup, "agent_max_climb", 0.12),
        lambda: setattr(setup, "cell_size", -1.0),
        lambda: bpy.ops.navmesh.find_path(start=(0, 0, 0), end=(5, 5, 0), mode="PATH"),
        lambda: bpy.ops.navmesh.why(location=(90, 0, 0)),
        lambda: bpy.ops.navmesh.setup_add(),
        lambda: setattr(bpy.context.scene.navmesh, "live", True),
    ):
        step()
        after = stands(bpy, addon, tab)
        assert not moved(before, after), moved(before, after)
        before = {**after, **before}


def test_what_is_marked_moves_no_button(bpy: Any, addon: Any) -> None:
    """Whatever the active object is for, and where there is none."""
    add_plane(bpy)
    before = stands(bpy, addon, "MARK")
    cube = add_cube(bpy)
    cube.data.materials.append(bpy.data.materials.new("Road"))
    bpy.context.view_layer.objects.active = cube
    for use in (
        "AUTO",
        "INCLUDE",
        "EXCLUDE",
        "VOLUME",
        "LINK",
        "BOUNDS",
        "SEED",
        "BLOCK",
        "PATCH",
        "NAVMESH",
        "DOOR",
        "OBSTACLE",
        "RESOLUTION",
    ):
        cube.navmesh.use = use
        after = stands(bpy, addon, "MARK")
        assert after["navmesh.add_helper"] == before["navmesh.add_helper"], use
        assert after["NAVMESH_UL_area_types"] == before["NAVMESH_UL_area_types"], use
    bpy.context.view_layer.objects.active = add_empty(bpy, "Nothing")
    assert stands(bpy, addon, "MARK")["navmesh.add_helper"] == before["navmesh.add_helper"]
