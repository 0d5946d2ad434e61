"""Ten everyday tasks, counted before there were tabs and now: clicks, rows looked at, and the way of the mouse in rows.

Both are counted on what the panels ask Blender for, folded as they begin. Before there were tabs the same walk was
made by the shortest way there was: menus of the header, the panel from above to below.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from tests.blender.counted_rows import Row, place_of, rows_shown
from tests.blender.scenes import add_cube, two_floors


class Cost(NamedTuple):
    """What a task asks of a person: clicks, and rows looked at and travelled over with the mouse."""

    clicks: int
    looked: int  # rows from the top of the sidebar, or of a menu, to what is pressed
    travelled: int  # rows between what is pressed and what was pressed before it


MIDDLE = 18  # the row beside which the middle of the viewport lies, where a task begins
BEFORE = {
    "first_navmesh": Cost(1, 2, 16),
    "second_agent": Cost(4, 22, 36),
    "water": Cost(3, 34, 44),
    "door_volume": Cost(7, 69, 58),
    "link_by_hand": Cost(12, 87, 90),
    "reject_found_link": Cost(2, 50, 8),
    "why_not_here": Cost(3, 77, 26),
    "path_test": Cost(3, 13, 10),
    "compare": Cost(2, 71, 19),
    "export_for_godot": Cost(2, 10, 20),
}
"""Of the version before there were tabs, where the sidebar had 35 rows."""


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
    one.press("navmesh.setup_add")
    one.bpy.ops.navmesh.setup_add()
    one.press("NAVMESH_MT_presets").entry(GIANT).press("navmesh.build")


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
