"""How many rows each tab has, and that no row moves; ten everyday tasks, counted before there were tabs and now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.blender.counted_rows import Row, place_of, rows_shown
from tests.blender.scenes import add_cube, add_empty, add_mesh, add_plane

MOST = 18
TABS = ("BUILD", "MARK", "TEST")


def two_floors(bpy: Any) -> None:
    """With a gap of a metre between them, over which agents jump."""
    for name, x in (("West", -6.0), ("East", 6.0)):
        corners = [(x + a * 5.5, b * 7.0, 0.0) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        add_mesh(bpy, name, corners, [(0, 1, 2, 3)])


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
    for use in ("AUTO", "INCLUDE", "EXCLUDE", "VOLUME", "LINK", "BOUNDS", "SEED"):
        cube.navmesh.use = use
        after = stands(bpy, addon, "MARK")
        assert after["navmesh.add_helper"] == before["navmesh.add_helper"], use
        assert after["NAVMESH_UL_area_types"] == before["NAVMESH_UL_area_types"], use
    bpy.context.view_layer.objects.active = add_empty(bpy, "Nothing")
    assert stands(bpy, addon, "MARK")["navmesh.add_helper"] == before["navmesh.add_helper"]


# --- Ten everyday tasks.


class Cost(NamedTuple):
    """What a task asks of a person: clicks, and rows looked at and travelled over with the mouse."""

    clicks: int
    looked: int  # rows from the top of the sidebar, or of a menu, to what is pressed
    travelled: int  # rows between what is pressed and what was pressed before it


MIDDLE = 18  # the row beside which the middle of the viewport lies, where a task begins
@@BEFORE@@


class Person:
    """Counts what they do."""

    def __init__(self, bpy: Any, addon: Any) -> None:
        self.bpy, self.addon, self.unfolded = bpy, addon, set[str]()
        self.clicks = self.looked = self.travelled = 0
        self.at = MIDDLE

    def _go(self, row: int, looked: int) -> None:
        self.looked += looked
        self.travelled += abs(row - self.at)
        self.at = row
        self.clicks += 1

    def rows(self) -> list[Row]:
        return rows_shown(self.bpy, self.addon, self.unfolded)

    def press(self, what: str) -> Person:
        row = place_of(self.rows(), what)
        self._go(row, row)
        return self

    def unfold(self, panel: str) -> Person:
        self.press(f"header {panel}")
        self.unfolded.add(panel)
        return self

    def tab(self, name: str) -> Person:
        self._go(1, 1)
        self.bpy.context.scene.navmesh.tab = name
        return self

    def entry(self, number: int) -> Person:
        """Of a menu that is open."""
        self._go(self.at + number, number)
        return self

    def header_menu(self, *entries: int) -> Person:
        """A menu of the viewport's header, and entries of it and of those within."""
        self._go(0, 1)
        for number in entries:
            self.entry(number)
        return self

    def pie(self, *entries: int) -> Person:
        """Around the mouse, by a key: its entry lies two rows away; then entries of the menu which that opens."""
        self.clicks += 1
        self.looked += 1
        self.travelled += 2
        for number in entries:
            self.entry(number)
        return self

    def view(self, count: int = 1) -> Person:
        """Clicks in the viewport."""
        self.clicks += count
        self.travelled += abs(MIDDLE - self.at)
        self.at = MIDDLE
        return self

    @property
    def cost(self) -> Cost:
        return Cost(self.clicks, self.looked, self.travelled)


WATER, DOOR = 4, 6  # entries of the menu of areas
GODOT = 6  # entry of the menu of targets
GIANT = 3  # entry of the menu of presets


def first_navmesh(one: Person) -> None:
    one.press("navmesh.build")


def second_agent(one: Person) -> None:
    one.press("navmesh.setup_add").press("NAVMESH_MT_presets").entry(GIANT).press("navmesh.rebuild")


def water(one: Person) -> None:
    """The active object's ground is water, and built again: by the key of the pie menu, twice."""
    one.pie(WATER).pie()


def door_volume(one: Person) -> None:
    """Door in the list, then Area."""
    one.tab("MARK")
    row = place_of(one.rows(), "NAVMESH_UL_area_types") + 3
    one._go(row, row)
    one.press("navmesh.add_helper")


def link_by_hand(one: Person) -> None:
    one.tab("MARK").press("navmesh.add_helper").view(2)


def reject_found_link(one: Person) -> None:
    one.unfold("NAVMESH_PT_links").press("NAVMESH_UL_links")


def why_not_here(one: Person) -> None:
    one.view().pie()


def path_test(one: Person) -> None:
    one.pie().view(2)


def compare(one: Person) -> None:
    one.pie()


def export_for_godot(one: Person) -> None:
    one.press("NAVMESH_MT_export").entry(GODOT)


TASKS = (
    first_navmesh, second_agent, water, door_volume, link_by_hand, reject_found_link, why_not_here, path_test,
    compare, export_for_godot,
)  # fmt: skip


def done(bpy: Any, addon: Any, task: Callable[[Person], None]) -> Cost:
    """What a task costs, where a level with found links lies there."""
    two_floors(bpy)
    cube = add_cube(bpy)
    cube.data.materials.append(bpy.data.materials.new("Road"))
    bpy.context.view_layer.objects.active = cube
    if task is not first_navmesh:
        bpy.context.scene.navmesh.draft.generate_links = True
        bpy.ops.navmesh.build(scope="VISIBLE")
    bpy.context.scene.navmesh.tab = "BUILD"
    person = Person(bpy, addon)
    task(person)
    return person.cost


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.__name__)
def test_no_task_takes_more_clicks(bpy: Any, addon: Any, task: Callable[[Person], None]) -> None:
    cost = done(bpy, addon, task)
    print(task.__name__, cost)
    assert cost.clicks <= BEFORE[task.__name__].clicks, (cost, BEFORE[task.__name__])


def test_people_look_at_less_and_move_less(bpy: Any, addon: Any) -> None:
    """All ten together: at most 60 % of the rows looked at and of the way of the mouse."""
    total = 0
    for task in TASKS:
        bpy.ops.wm.read_homefile(use_empty=True)
        cost = done(bpy, addon, task)
        total += cost.looked + cost.travelled
    before = sum(cost.looked + cost.travelled for cost in BEFORE.values())
    print(f"{total} rows, before {before}")
    assert total <= 0.6 * before, (total, before)
