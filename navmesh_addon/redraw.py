"""Drawing our tab of the sidebars again."""

from __future__ import annotations

import bpy

TAB = "Navmesh"  # of the sidebar of the 3D view


def redraw() -> None:
    """Draw our tab of the sidebars again, and nothing else: the view of a large level is dear to draw."""
    for window in bpy.context.window_manager.windows if bpy.context.window_manager else ():
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                for region in area.regions:
                    if region.type == "UI" and region.active_panel_category == TAB:
                        region.tag_redraw()
