"""The panel that asks the navmesh: a way from here to there, and why there is none."""

from __future__ import annotations

import json
from typing import Any, Literal

import bpy

from ....navcore.settings import setting_info
from ...ask import drawn_reason
from ...ask.walking import current_walk
from ...blender_types import layout_of, scene_of
from ...stored.setting_properties import title
from ...stored.setups import NavmeshScene, scene_properties
from .sidebar_panel import SidebarPanel, draw_named, draw_page_button, draw_text, room

_BOX, _BUTTONS = 16, 56  # points that a box takes beside its text, and two buttons in its first line


class NAVMESH_PT_ask(SidebarPanel, bpy.types.Panel):
    """Ways on the navmesh, and why there is none somewhere"""

    bl_idname = "NAVMESH_PT_ask"
    bl_label = "Ask"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout, points = layout_of(self), room(context)
        stored = scene_properties(scene_of(context))
        button = layout.operator("wm.tool_set_by_id", text="Navmesh Test", icon="MOD_DYNAMICPAINT")
        button.name = "navmesh.test"
        draw_named(layout, stored, "test_mode")
        column = layout.column(align=True)
        column.prop(stored, "test_start")
        column.prop(stored, "test_end")
        button = layout.operator("navmesh.find_path")
        button.start, button.end, button.mode = stored.test_start, stored.test_end, stored.test_mode
        if stored.path_answer:
            draw_text(layout, json.loads(stored.path_answer)["sentence"], points, "INFO")
        _draw_walk(layout, stored, points)
        row = layout.row()
        row.operator_context = "EXEC_DEFAULT"  # not at the mouse, which is over this button
        button = row.operator("navmesh.why", text="Why Not at the 3D Cursor?")
        button.location = scene_of(context).cursor.location
        _draw_reason(layout, scene_of(context), points)


def _draw_walk(layout: bpy.types.UILayout, stored: NavmeshScene, points: float) -> None:
    """Agents that walk the way."""
    column = layout.column(align=True)
    walks = current_walk.current() is not None
    column.operator("navmesh.walk_stop" if walks else "navmesh.walk", icon="PAUSE" if walks else "PLAY")
    row = column.row(align=True)
    row.operator("navmesh.walk_add").count = stored.walk_agents
    row.prop(stored, "walk_agents", text="")
    column.prop(stored, "walk_speed")
    row = column.row(align=True)
    row.prop(stored, "walk_seconds")
    row.prop(stored, "walk_seed")
    column.operator("navmesh.bake_walk", icon="ACTION")
    if said := current_walk.said():
        draw_text(layout, said, points, "INFO")


def _draw_reason(layout: bpy.types.UILayout, scene: bpy.types.Scene, points: float) -> None:
    """What was answered last, what to press about it, and the reason behind it."""
    text = scene_properties(scene).why_answer
    if not text:
        return
    facts: dict[str, Any] = json.loads(text)
    box = layout.box()
    row = box.row()
    points -= _BOX
    icon: Literal["CHECKMARK", "ERROR"] = "CHECKMARK" if facts["walkable"] else "ERROR"
    draw_text(row, facts["sentence"], points - _BUTTONS, icon)
    if not facts["walkable"]:
        draw_page_button(row, facts["code"])
    row.operator("navmesh.forget_reason", text="", icon="X", emboss=False)
    if facts.get("object"):
        button = box.operator("navmesh.select_object", text=facts["object"], icon="RESTRICT_SELECT_OFF")
        button.name = facts["object"]
    if facts.get("setting") and facts.get("suggested") is not None:
        _draw_change(box, scene, {facts["setting"]: facts["suggested"]}, points)
    behind = facts.get("next")
    if behind:
        box.label(text="But:" if facts["walkable"] else "Behind it:")
        draw_text(box, behind["sentence"], points)
        if facts["walkable"] and behind.get("setting") and behind.get("suggested") is not None:
            _draw_change(box, scene, {behind["setting"]: behind["suggested"]}, points)


def _draw_change(box: bpy.types.UILayout, scene: bpy.types.Scene, changes: dict[str, Any], points: float) -> None:
    ((name, value),) = changes.items()
    said = f"{value:g} {setting_info(name).unit}".rstrip() if not isinstance(value, bool) else "on" if value else "off"
    row, text = box.row(align=True), f"{title(name)}: {said}"
    row.operator("navmesh.set_settings", text=text).changes = json.dumps(changes)
    shown = drawn_reason.shown_in(scene)
    if shown is None:
        return
    row.operator("navmesh.preview_change", icon="HIDE_OFF").changes = json.dumps(changes)
    if shown.is_coming:
        box.label(text="Building the level around it …")
    elif (preview := shown.preview()) is not None:
        draw_text(box, preview.sentence, points, "INFO")


CLASSES = (NAVMESH_PT_ask,)
