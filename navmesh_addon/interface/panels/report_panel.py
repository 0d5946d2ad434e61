"""The panel on what the last build made of the level."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import bpy

from ....navcore.build_warning import counted
from ...blender_types import layout_of, not_none, scene_of
from ...gather.before_build.hints_and_fixes import Hint, fixes_of_warning
from ...objects.navmesh_objects import REPORT, navmesh_of_setup
from ...stored.setups import shown_setup
from .sidebar_panel import MAX_LINES, SidebarPanel, draw_hints, draw_text, room

if TYPE_CHECKING:
    from ...objects.build_report import JsonReport


class NAVMESH_PT_report(SidebarPanel, bpy.types.Panel):
    """What the last build made of the level"""

    bl_idname = "NAVMESH_PT_report"
    bl_label = "Last Build"
    bl_parent_id = "NAVMESH_PT_advanced"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        return navmesh_of_setup(scene_of(context), shown_setup(scene_of(context))) is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        try:
            report = json.loads(not_none(navmesh_of_setup(scene_of(context), shown_setup(scene_of(context))))[REPORT])
            lines = report_lines(report)
        except (KeyError, TypeError, ValueError):
            layout.label(text="No report")
            return
        column, points = layout.column(align=True), room(context)
        for line in lines:
            draw_text(column, line, points)
        for line in left_out_lines(report):
            draw_text(column, line, points, "TRASH")
        hints = [
            Hint(w["code"], w["message"], w.get("object", ""), fixes_of_warning(w["code"], w["message"]))
            for w in report["warnings"]
        ]
        draw_hints(layout, hints, points)
        skipped = report["skipped"]
        if skipped:
            column = layout.column(align=True)
            column.label(text=f"Not used: {report['skipped_count']:,}")
            for name, why in skipped[:MAX_LINES]:
                draw_text(column, f"{name}: {why}", points, "DOT")


def report_lines(report: JsonReport) -> list[str]:
    """A report in a few lines."""
    counts, seconds, own = report["counts"], report["seconds"], report.get("conversion")
    if own is not None:
        return [
            f"{counted(counts['polygons'], 'polygon')}, {counts['vertices']:,} vertices",
            f"From {counted(own['faces'], 'face')} of your own, {own['kept']:,} kept, {own['split']:,} cut",
            f"Moved by {1000 * own['moved']:.2g} mm at most",
            f"Built in {seconds['total']:.2f} s",
        ]
    removed = counts.get("islands_removed", 0) if "links_jump" in counts else 0
    return [
        f"{counted(counts['polygons'], 'polygon')}, {counts['vertices']:,} vertices",
        f"{counted(counts.get('detail_triangles', 0), 'detail triangle')}, {counted(counts['regions'], 'region')}",
        f"From {counted(report['used_count'], 'object')}, {counted(report['triangles'], 'triangle')}",
        *([f"{counted(removed, 'small top')} removed before links were looked for"] if removed else ()),
        f"Built in {seconds['total']:.2f} s",
    ]


def left_out_lines(report: JsonReport) -> list[str]:
    """What a build left out, the largest first."""
    rows = report.get("left_out", [])
    lines = []
    for row in rows[:MAX_LINES]:
        what = f"“{row['name']}”" if row["name"] else "no seed reaches it"
        what = what if row["islands"] == 1 else f"{row['islands']:,} islands that no seed reaches"
        lines.append(f"Left out: {row['m2']:,.1f} m², {what}, at {row['where']}")
    return [*lines, f"and {len(rows) - MAX_LINES:,} more"] if len(rows) > MAX_LINES else lines
