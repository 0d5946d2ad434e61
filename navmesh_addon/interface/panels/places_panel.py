"""The panel of places that must be walkable: which collection says them, and which are not."""

from __future__ import annotations

from typing import Any

import bpy

from ...blender_types import layout_of, scene_of
from ...gather.scene_intent import in_units
from ...objects.kept_outcome import is_or_are, outcome_of
from ...stored.intent_results import ResultRow
from ...stored.setups import active_setup, scene_properties
from .sidebar_panel import MAX_LINES, PAGE_BUTTON, SidebarPanel, draw_named, draw_page_button
from .wrapped_text import draw_text, room


class NAVMESH_PT_places(SidebarPanel, bpy.types.Panel):
    """Places on which agents must be able to stand after every build"""

    bl_idname = "NAVMESH_PT_places"
    bl_parent_id = "NAVMESH_PT_ask"
    bl_label = "Must Be Walkable"

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
    button.location = in_units(row["point"], scene.unit_settings.scale_length)
    if row["name"] in scene.objects:
        button = line.operator("navmesh.select_object", text="", icon="RESTRICT_SELECT_OFF")
        button.name = row["name"]
    line = box.row()
    gone = "" if row["name"] in scene.objects else "It is gone since. "
    draw_text(line, f"{gone}{row['why']}", points - PAGE_BUTTON)
    draw_page_button(line, row["code"])


CLASSES = (NAVMESH_PT_places,)
