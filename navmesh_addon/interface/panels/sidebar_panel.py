"""What the panels of our tab in the sidebar of the 3D view have in common."""

from __future__ import annotations

from typing import Any

from ...objects.navmesh_objects import navmesh_objects
from ...redraw import TAB
from ...stored.object_properties import POLYGON_MESH
from .wrapped_text import draw_text

MOST_LINES = 12


class SidebarPanel:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = TAB


def navmesh_of_setup(scene: Any, setup: Any) -> Any:
    return navmesh_objects(scene, setup.uid).get((setup.uid, POLYGON_MESH)) if setup.uid else None


def draw_hints(layout: Any, hints: Any, points: float) -> None:
    """Warnings; a click selects the object that one names."""
    column = layout.column()
    for hint in hints[:MOST_LINES]:
        box = column.column(align=True)
        if hint.name:
            row = box.row()
            row.alignment = "LEFT"
            chosen = row.operator("navmesh.select_object", text=hint.name, icon="RESTRICT_SELECT_OFF", emboss=False)
            chosen.name = hint.name
        draw_text(box, hint.message, points, "ERROR")
    if len(hints) > MOST_LINES:
        column.label(text=f"… and {len(hints) - MOST_LINES:,} more")
