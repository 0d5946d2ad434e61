"""The panel on what can be said before a build. It shows the last complete forecast, and computes nothing."""

from __future__ import annotations

import bpy

from ...blender_types import layout_of, scene_of
from .. import checks_before_build, refused_build
from .sidebar_panel import SidebarPanel, draw_hints
from .wrapped_text import draw_text, room


class NAVMESH_PT_checks(SidebarPanel, bpy.types.Panel):
    """What can be said before a build"""

    bl_idname = "NAVMESH_PT_checks"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Before the Build"

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        forecast, points = checks_before_build.latest(scene_of(context)), room(context)
        if forecast is not None:
            column = layout.column(align=True)
            for line in (*forecast.effective, forecast.size, forecast.looked):
                if line:
                    draw_text(column, line, points)
            refused = refused_build.shown(scene_of(context))  # what stands below the button needs no second time
            draw_hints(layout, [hint for hint in forecast.hints if hint != refused], points)
        layout.operator("navmesh.check", icon="VIEWZOOM")


CLASSES = (NAVMESH_PT_checks,)
