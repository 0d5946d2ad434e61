"""The panel of what was changed by hand: what each edit does in the navmesh now, and buttons for more."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender_types import Icon, layout_of, scene_of
from ...kept_value import KeptValue
from ...objects.edit_results import SHIFTED, UNUSED, EditResult, edit_results
from ...objects.navmesh_objects import navmesh_of_setup
from ...stored.object_properties import object_use
from ...stored.setups import shown_setup
from ...stored.view_properties import MARK
from ..helpers.add_menu import draw_edit_buttons
from ..helpers.helper_kinds import ON_GROUND
from .sidebar_panel import FEW, ListingMore, SidebarPanel, draw_page_button

_KINDS = {row.kind: row for row in ON_GROUND}


class NAVMESH_OT_more_edits(ListingMore, bpy.types.Operator):
    """List more of the edits"""

    bl_idname = "navmesh.more_edits"
    shown = KeptValue(FEW)


class NAVMESH_PT_edits(SidebarPanel, bpy.types.Panel):
    """What is changed by hand in the finished navmesh; every build heeds it"""

    bl_idname = "NAVMESH_PT_edits"
    bl_label = "Edits"
    bl_options = {"DEFAULT_CLOSED"}
    tab = MARK

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        layout.operator("wm.tool_set_by_id", text="Navmesh Edit", icon="EDITMODE_HLT").name = "navmesh.edit"
        draw_edit_buttons(layout)
        setup = shown_setup(scene)
        navmesh = navmesh_of_setup(scene, setup)
        results = edit_results(scene, setup.uid, navmesh)
        column = layout.column(align=True)
        for result in results[: NAVMESH_OT_more_edits.shown.value]:
            _draw_result(column.row(align=True), result)
        NAVMESH_OT_more_edits.draw_rest(layout, len(results))
        if navmesh is not None:
            layout.operator("navmesh.take_over")


def _draw_result(row: bpy.types.UILayout, result: EditResult) -> None:
    """A line: what it is and does, which selects it; and what takes it away."""
    kind = _KINDS[object_use(result.object_)]
    icon: Icon = "ERROR" if result.code else kind.icon
    left = row.row(align=True)
    left.alignment = "LEFT"
    button: Any = left.operator("navmesh.select_edit", text=result_in_words(result), icon=icon, emboss=False)
    button.uid = result.object_.session_uid
    right = row.row(align=True)
    right.alignment = "RIGHT"
    if result.code:
        draw_page_button(right, result.code)
    button = right.operator("navmesh.remove_edit", text="", icon="X", emboss=False)
    button.uid = result.object_.session_uid


def result_in_words(result: EditResult) -> str:
    """What an edit does now."""
    name = f"{_KINDS[object_use(result.object_)].label} “{result.object_.name}”"
    if result.is_of_gone:
        return f"{name}: for a setup that is gone"
    if not result.is_known:
        is_hidden = not result.object_.visible_get()
        return f"{name}: {'no edit of a mesh by hand' if result.is_own else 'hidden' if is_hidden else 'not built yet'}"
    if result.code == UNUSED:
        return f"{name}: does nothing here{' any more' if result.made else ''}"
    shifted = f", {result.made:,.1f} m² when made" if result.code == SHIFTED else ""
    return f"{name}: {result.square_metres:,.1f} m²{shifted}"
