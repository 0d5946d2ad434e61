"""The list of path tests: what became of each in the last build, and why."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy

from ....navcore.settings import setting_info
from ...blender_types import Icon, layout_of, not_none, scene_of
from ...builds import finished_navmeshes
from ...gather.scene_intent import in_units, question_of
from ...objects.kept_outcome import is_or_are, outcome_of
from ...objects.navmesh_objects import metres_of, navmesh_of_setup, shown_build
from ...operator_types import RowList
from ...stored.intent_results import ResultRow
from ...stored.object_properties import door_of, object_use
from ...stored.path_tests import AS_IT_IS, DOOR_STATES, NavmeshPathTest, chosen_test
from ...stored.setting_properties import title
from ...stored.setups import active_setup, scene_properties
from ...stored.view_properties import TEST
from ...views.drawn_marks import marks_in
from ...watch.out_of_date import out_of_date
from .sidebar_panel import (
    MAX_LINES,
    PAGE_BUTTON,
    PopoverPanel,
    SidebarPanel,
    draw_named,
    draw_page_button,
    draw_text,
    room,
)

if TYPE_CHECKING:
    from ...stored.setup_properties import NavmeshSetup

# --- The panel of places that must be walkable: which collection says them, and which are not.


class NAVMESH_PT_places(SidebarPanel, bpy.types.Panel):
    """Places on which agents must be able to stand after every build"""

    bl_idname = "NAVMESH_PT_places"
    bl_label = "Must Be Walkable"
    bl_options = {"DEFAULT_CLOSED"}
    tab = TEST

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene, points = layout_of(self), scene_of(context), room(context)
        stored = scene_properties(scene)
        draw_named(layout, stored, "must_reach")
        layout.operator("navmesh.place_add", icon="ADD")
        home = stored.must_reach
        if home is not None and home not in scene.collection.children_recursive:
            draw_text(layout, f"“{home.name}” is not in this scene: nothing of it is asked for.", points, "ERROR")
        setup = active_setup(scene)
        rows = () if setup is None else outcome_of(scene, setup).must_reach
        failed = [row for row in rows if not row["ok"]]
        if not rows:
            draw_text(layout, "Not tested yet. Empties of this collection and seeds are asked for.", points)
        elif failed:
            draw_text(
                layout, f"{len(failed):,} of {len(rows):,} places {is_or_are(failed)} not walkable.", points, "CANCEL"
            )
        else:
            draw_text(layout, f"All {len(rows):,} places can be reached.", points, "CHECKMARK")
        for row in failed[:MAX_LINES]:
            _draw_place(layout, scene, row, points)
        if len(failed) > MAX_LINES:
            layout.label(text=f"… and {len(failed) - MAX_LINES:,} more")
        line = layout.row(align=True)
        line.operator_context = "INVOKE_DEFAULT"
        line.operator("navmesh.tests_import", text="Import", icon="IMPORT").what = "PLACES"
        line.operator("navmesh.tests_export", text="Export", icon="EXPORT").what = "PLACES"


def _draw_place(layout: bpy.types.UILayout, scene: bpy.types.Scene, row: ResultRow, points: float) -> None:
    """A place that is not walkable: a click looks at it, another one selects its empty."""
    box = layout.box()
    line = box.row(align=True)
    button: Any = line.operator("navmesh.look_at", text=row["name"], icon="VIEWZOOM")
    button.location = in_units(row["point"], metres_of(scene))
    if row["name"] in scene.objects:
        button = line.operator("navmesh.select_object", text="", icon="RESTRICT_SELECT_OFF")
        button.name = row["name"]
    line = box.row()
    gone = "" if row["name"] in scene.objects else "It is gone since. "
    draw_text(line, f"{gone}{row['why']}", points - PAGE_BUTTON)
    draw_page_button(line, row["code"])


class TestState(NamedTuple):
    """How a test is shown."""

    icon: Icon
    length: str
    sentence: str  # whole sentences
    row: ResultRow | None = None


_NOT_TESTED = TestState("RADIOBUT_OFF", "", "Not tested yet. The next build asks for it, or Check Now.")


def state_of(scene: bpy.types.Scene, test: NavmeshPathTest) -> TestState:
    """What became of a test in the navmesh of the active setup."""
    setup = active_setup(scene)
    asked = question_of(test, metres_of(scene))
    row = None if setup is None else outcome_of(scene, setup).of_path(asked)
    if row is None:
        return _NOT_TESTED
    if row["ok"] and not asked.wants_a_way:
        return TestState("CHECKMARK", "", "Passed: no way leads there.", row)
    length = "" if row["length"] is None else f"{row['length']:.1f} m"
    if row["ok"]:
        return TestState("CHECKMARK", length, f"Passed: {row['length']:.2f} m.", row)
    return TestState("CANCEL", length, str(row["why"]), row)


class NAVMESH_UL_tests(RowList, bpy.types.UIList):
    """Path tests"""

    bl_idname = "NAVMESH_UL_tests"

    def draw_row(self, context: bpy.types.Context, layout: bpy.types.UILayout, item: NavmeshPathTest) -> None:
        state = state_of(scene_of(context), item)
        row = layout.row(align=True)
        row.prop(item, "name", text="", emboss=False, icon=state.icon)
        length = row.row()
        length.alignment = "RIGHT"
        length.label(text=state.length)


class NAVMESH_PT_tests(SidebarPanel, bpy.types.Panel):
    """Paths that must be there after every build"""

    bl_idname = "NAVMESH_PT_tests"
    bl_label = "Path Tests"
    bl_options = {"DEFAULT_CLOSED"}
    tab = TEST

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene, points = layout_of(self), scene_of(context), room(context)
        stored = scene_properties(scene)
        row = layout.row()
        row.template_list("NAVMESH_UL_tests", "", stored, "tests", stored, "active_test", rows=4)
        buttons = row.column(align=True)
        buttons.operator("navmesh.test_add", text="", icon="ADD")
        buttons.operator("navmesh.test_remove", text="", icon="REMOVE")
        buttons.separator()
        buttons.operator("navmesh.test_move", text="", icon="TRIA_UP").direction = "UP"
        buttons.operator("navmesh.test_move", text="", icon="TRIA_DOWN").direction = "DOWN"
        test = chosen_test(stored.tests, stored.active_test)
        if test is None:
            draw_text(layout, "Set start and end with the tool, then press +: every build is tested.", points)
        else:
            _draw_chosen(layout, scene, test, points)
        draw_freshness(layout, scene, points)
        row = layout.row(align=True)
        row.operator("navmesh.check_tests", icon="FILE_REFRESH")
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("navmesh.tests_import", text="", icon="IMPORT")
        row.operator("navmesh.tests_export", text="", icon="EXPORT")


def _draw_chosen(layout: bpy.types.UILayout, scene: bpy.types.Scene, test: NavmeshPathTest, points: float) -> None:
    """What became of it, and what to press about it."""
    state, stored = state_of(scene, test), scene_properties(scene)
    box = layout.box()
    row = box.row()
    draw_text(row, f"“{test.name}”: {state.sentence}", points - PAGE_BUTTON, state.icon)
    if state.row is not None and not state.row["ok"]:
        draw_page_button(row, state.row["code"])
        _draw_remedies(box, scene, state.row)
    row = box.row(align=True)
    row.prop(test, "expect", text="")
    row.popover("NAVMESH_PT_test_doors", text=_doors_in_words(test), icon="UNLOCKED")
    if tuple(test.start) != tuple(stored.test_start) or tuple(test.end) != tuple(stored.test_end):
        box.operator("navmesh.test_set_ends")


def _doors_in_words(test: NavmeshPathTest) -> str:
    """What a test says of doors, in a button."""
    said = ", ".join(f"{door.name} {door.state.lower()}" for door in test.doors)
    return said or "Doors as They Are"


class NAVMESH_PT_test_doors(PopoverPanel, bpy.types.Panel):
    """In which states doors are while this path is tested"""

    bl_idname = "NAVMESH_PT_test_doors"
    bl_label = "Doors While Testing"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        stored = scene_properties(scene)
        test = chosen_test(stored.tests, stored.active_test)
        if test is None:
            return
        names = _door_names(scene, test)
        if not names:
            layout.label(text="There are no doors. Add one: Add > Navmesh > Door", icon="INFO")
        states = {door.name: door.state for door in test.doors}
        for name in names:
            row = layout.row(align=True)
            row.label(text=name)
            for state, label, _ in DOOR_STATES:
                chosen = states.get(name, AS_IT_IS) == state
                button: Any = row.operator("navmesh.test_door", text=label, depress=chosen)
                button.name, button.state = name, state


def _door_names(scene: bpy.types.Scene, test: NavmeshPathTest) -> list[str]:
    """Those of the scene, those of the navmesh, where instances show some, and those that the test knows."""
    names = {door_of(object_) for object_ in marks_in(scene) if object_use(object_) == "DOOR"}
    built = finished_navmeshes.find(shown_build(scene))
    if built is not None:
        names |= {str(volume["door"]) for volume in built.request.gathered.volumes if "door" in volume}
    return sorted(names | {door.name for door in test.doors})


def _draw_remedies(box: bpy.types.UILayout, scene: bpy.types.Scene, row: ResultRow) -> None:
    """Buttons for what would join both ends."""
    metres = metres_of(scene)
    if row["link"] is not None:
        button: Any = box.operator("navmesh.add_link", text="Add a Link")
        button.start, button.end = in_units(row["link"]["start"], metres), in_units(row["link"]["end"], metres)
        button.radius = 0.6 / scene.unit_settings.scale_length
    if row["setting"] is not None:
        name, value = row["setting"], row["suggested"]
        text = f"{title(name)}: {value:g} {setting_info(name).unit}".rstrip()
        box.operator("navmesh.set_settings", text=text).changes = json.dumps({name: value})


def draw_freshness(layout: bpy.types.UILayout, scene: bpy.types.Scene, points: float) -> None:
    """Where what is shown is that of a level that has changed since, or where another setup's navmesh fails."""
    active = active_setup(scene)
    for setup in scene_properties(scene).setups:
        failed = [row for results in (outcome_of(scene, setup),) for row in results.tests if not row["ok"]]
        if setup.uid == not_none(active).uid:
            _draw_stale(layout, scene, setup, points)
        elif failed:
            is_or_are = "fails" if len(failed) == 1 else "fail"
            draw_text(layout, f"{len(failed):,} {is_or_are} for “{setup.name}”.", points, "CANCEL")


def _draw_stale(layout: bpy.types.UILayout, scene: bpy.types.Scene, setup: NavmeshSetup, points: float) -> None:
    object_ = navmesh_of_setup(scene, setup)
    why = "" if object_ is None or not setup.outcome else out_of_date(object_, setup)
    if why:
        draw_text(layout, f"{why}. Build again to test what is there now.", points, "INFO")


CLASSES = (NAVMESH_UL_tests, NAVMESH_PT_tests, NAVMESH_PT_test_doors, NAVMESH_PT_places)
