"""The panel that asks the navmesh: a way from here to there, and why there is none."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ....navcore.build_warning import counted
from ....navcore.settings import setting_info
from ...ask import drawn_reason
from ...ask.walking import current_walk
from ...blender_types import Icon, layout_of, scene_of
from ...gather.scene_intent import in_units
from ...objects.navmesh_objects import metres_of
from ...stored.setting_properties import title
from ...stored.setups import NavmeshScene, scene_properties
from ...stored.view_properties import NO_HEAT, TEST
from ..questions.test_tool import draw_size
from .sidebar_panel import PopoverPanel, SidebarPanel, beside, draw_lines, draw_page_button, draw_text, named_line, room

_CHOKEPOINTS = 6  # that are listed


class NAVMESH_PT_ask(SidebarPanel, bpy.types.Panel):
    """Ways on the navmesh, why there is none somewhere, and agents that walk"""

    bl_idname = "NAVMESH_PT_ask"
    bl_label = "Ask"
    bl_options = {"HIDE_HEADER"}
    tab = TEST

    def draw(self, context: bpy.types.Context) -> None:
        """Each row stands where it stands, whatever is answered."""
        layout, points, scene = layout_of(self), room(context), scene_of(context)
        stored = scene_properties(scene)
        row = layout.row(align=True)
        row.scale_y = 1.5
        button = row.operator("wm.tool_set_by_id", text="Navmesh Test", icon="MOD_DYNAMICPAINT")
        button.name = "navmesh.test"
        row = named_line(layout, "Ask")
        row.prop(stored, "test_mode", text="")
        button = row.operator("navmesh.find_path", text="", icon="VIEWZOOM")
        button.start, button.end, button.mode = stored.test_start, stored.test_end, stored.test_mode
        row.popover("NAVMESH_PT_test_points", text="", icon="EMPTY_ARROWS")
        answer = json.loads(stored.path_answer)["sentence"] if stored.path_answer else ""
        draw_lines(layout, answer, points, "INFO" if answer else "BLANK1")
        row = layout.row(align=True)
        row.operator_context = "EXEC_DEFAULT"  # not at the mouse, which is over this button
        button = row.operator("navmesh.why", text="Why Not at the 3D Cursor?")
        button.location = scene.cursor.location
        _draw_reason(layout, scene, points)
        _draw_walk(layout, stored, points)


class NAVMESH_PT_test_points(PopoverPanel, bpy.types.Panel):
    """Where the tested way begins and ends, as numbers"""

    bl_idname = "NAVMESH_PT_test_points"
    bl_label = "Start and End"

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored = layout_of(self), scene_properties(scene_of(context))
        column = layout.column(align=True)
        column.prop(stored, "test_start")
        column.prop(stored, "test_end")
        draw_size(layout, scene_of(context))
        if stored.path_answer:
            draw_text(layout, json.loads(stored.path_answer)["sentence"], self.room(), "INFO")


def _draw_walk(layout: bpy.types.UILayout, stored: NavmeshScene, points: float) -> None:
    """Agents that walk the way."""
    walks = current_walk.current() is not None
    column = layout.column(align=True)
    row = column.row(align=True)
    row.operator("navmesh.walk_stop" if walks else "navmesh.walk", icon="PAUSE" if walks else "PLAY")
    row.popover("NAVMESH_PT_heat", text="", icon="LIGHT_SUN")
    row.popover("NAVMESH_PT_walk", text="", icon="DOWNARROW_HLT")
    row = column.row(align=True)
    more = current_walk.more_until(stored.walk_agents)
    row.operator("navmesh.walk_add", text=f"Add {counted(more, 'Agent')}").count = more
    row.prop(stored, "walk_agents", text="")
    draw_lines(layout, current_walk.said(), points, "INFO" if current_walk.said() else "BLANK1", count=1)


class NAVMESH_PT_walk(PopoverPanel, bpy.types.Panel):
    """How agents walk, and how a walk is baked"""

    bl_idname = "NAVMESH_PT_walk"
    bl_label = "Walk"

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored = layout_of(self), scene_properties(scene_of(context))
        column = layout.column(align=True)
        column.prop(stored, "walk_speed")
        row = column.row(align=True)
        row.prop(stored, "walk_seconds")
        row.prop(stored, "walk_seed")
        column.operator("navmesh.bake_walk", icon="ACTION")
        if said := current_walk.said():
            draw_text(layout, said, self.room(), "INFO")


class NAVMESH_PT_heat(PopoverPanel, bpy.types.Panel):
    """Where agents lose time while they walk, and what holds them up"""

    bl_idname = "NAVMESH_PT_heat"
    bl_label = "Heat"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        layout.label(text="On the Ground")
        layout.column(align=True).prop(scene_properties(scene), "walk_heat", expand=True)
        heat = current_walk.heat_in(scene)
        if heat is None:
            wanted = scene_properties(scene).walk_heat != NO_HEAT
            draw_text(
                layout,
                "Comes while agents walk, or with Bake to Action." if wanted else "Choose what to draw.",
                self.room(),
                "INFO",
            )
            return
        draw_text(layout, f"{heat.mean_time_lost:.1f} s lost on average.", self.room(), "INFO")
        for number, place in enumerate(heat.chokepoints[:_CHOKEPOINTS], 1):
            who = counted(place.agents, "agent")
            text = f"{number}: {place.seconds:,.0f} s lost by {who}, {place.width:.1f} m wide"
            button: Any = layout.operator("navmesh.look_at", text=text, icon="VIEWZOOM")
            button.location = in_units(place.at, metres_of(scene))
        if not heat.chokepoints:
            draw_text(layout, "Nothing holds them up.", self.room(), "CHECKMARK")


# --- Why there is none.


def _draw_reason(layout: bpy.types.UILayout, scene: bpy.types.Scene, points: float) -> None:
    """What was answered last, and what to press about it. Both have their place before anybody has asked."""
    facts = _facts(scene)
    text, points, buttons = beside(layout, 2, points)
    if facts is None:
        draw_lines(text, "", points)
        layout.row().label(text="")
        return
    icon: Icon = "CHECKMARK" if facts["walkable"] else "ERROR"
    preview = _preview(scene)
    draw_lines(text, preview or facts["sentence"], points, icon if preview is None else "HIDE_OFF")
    buttons.popover("NAVMESH_PT_reason", text="", icon="INFO")
    buttons.operator("navmesh.forget_reason", text="", icon="X", emboss=False)
    row = layout.row(align=True)
    if (change := _change(facts)) is not None:
        _draw_change(row, scene, change)
    if facts.get("object"):
        shown = _culprit(facts) if change is None else ""
        row.operator("navmesh.select_object", text=shown, icon="RESTRICT_SELECT_OFF").name = facts["object"]
        if change is None and (name := facts.get("in_the_way")):
            row.operator("navmesh.leave_out", text=f"Leave “{name}” Out").name = name
    elif change is None:
        row.label(text="")
    if not facts["walkable"]:
        draw_page_button(row, facts["code"])


class NAVMESH_PT_reason(PopoverPanel, bpy.types.Panel):
    """Why there is no navmesh, what stands behind that, and what a change would make"""

    bl_idname = "NAVMESH_PT_reason"
    bl_label = "Why"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene, points = layout_of(self), scene_of(context), self.room()
        facts = _facts(scene)
        if facts is None:
            return
        draw_text(layout, facts["sentence"], points)
        if (preview := _preview(scene)) is not None:
            draw_text(layout, preview, points, "INFO")
        behind = facts.get("next")
        if behind:
            layout.label(text="But:" if facts["walkable"] else "Behind it:")
            draw_text(layout, behind["sentence"], points)
        if name := facts.get("in_the_way"):
            layout.operator("navmesh.leave_out", text=f"Leave “{name}” Out").name = name
            layout.operator("navmesh.make_area", text=f"Make “{name}” an Area").name = name


def _culprit(facts: dict[str, Any]) -> str:
    """The object that is to blame; of an instance the part of it."""
    return f"{facts['part']} of {facts['object']}" if facts.get("part") else str(facts["object"])


def _facts(scene: bpy.types.Scene) -> dict[str, Any] | None:
    text = scene_properties(scene).why_answer
    facts: dict[str, Any] | None = json.loads(text) if text else None
    return facts


def _change(facts: dict[str, Any]) -> dict[str, Any] | None:
    """The setting that would help; where there is a navmesh, but: what would help about that."""
    one = (facts.get("next") or {}) if facts["walkable"] else facts
    return {one["setting"]: one["suggested"]} if one.get("setting") and one.get("suggested") is not None else None


def _draw_change(row: bpy.types.UILayout, scene: bpy.types.Scene, changes: dict[str, Any]) -> None:
    ((name, value),) = changes.items()
    said = f"{value:g} {setting_info(name).unit}".rstrip() if not isinstance(value, bool) else "on" if value else "off"
    row.operator("navmesh.set_settings", text=f"{title(name)}: {said}").changes = json.dumps(changes)
    if drawn_reason.shown_in(scene) is not None:
        row.operator("navmesh.preview_change", text="", icon="HIDE_OFF").changes = json.dumps(changes)


def _preview(scene: bpy.types.Scene) -> str | None:
    """What a change would make, where somebody asked for it."""
    shown = drawn_reason.shown_in(scene)
    if shown is None:
        return None
    if shown.is_coming:
        return "Building the level around it …"
    preview = shown.preview()
    return None if preview is None else preview.sentence
