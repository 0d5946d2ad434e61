"""The panel of a world in sections: which section this is, what is built of it, and of those around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ...blender_types import layout_of, scene_of
from ...gather.section_of_scene import named_world, section_at_hand
from ...stored.setups import scene_properties
from ...views.drawn_sections import latest_look
from .sidebar_panel import SidebarPanel, draw_lines, draw_named, room

if TYPE_CHECKING:
    from ...views.world_look import WorldLook


class NAVMESH_PT_world(SidebarPanel, bpy.types.Panel):
    """A world of many files, built section by section"""

    bl_idname = "NAVMESH_PT_world"
    bl_parent_id = "NAVMESH_PT_advanced"
    bl_label = "World in Sections"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        """Each row stands where it stands, whatever is said."""
        layout, scene, points = layout_of(self), scene_of(context), room(context)
        stored, named = scene_properties(scene), named_world(scene)
        column = layout.column(align=True)
        for name in ("world_file", "world_folder"):
            draw_named(column, stored, name)
        seen = None if named is None else latest_look(named, at_once=bpy.app.background)
        lines = _said(context, seen) if named is not None else ("Name the WORLD.json that this file belongs to", "", "")
        row = layout.row(align=True)
        row.operator_context = "INVOKE_DEFAULT"
        row.operator("navmesh.build_section", icon="MOD_REMESH")
        row.operator("navmesh.look_at_world", text="", icon="FILE_REFRESH")
        for line in lines:
            draw_lines(layout, line, points, count=1)
        layout.prop(stored, "world_neighbors")


def _said(context: bpy.types.Context, seen: WorldLook | None) -> tuple[str, str, str]:
    """This section, those around it, and all of them."""
    if seen is None:
        return "Reading the world", "", ""
    if seen.world is None:
        return seen.why, "", ""
    built = f"{len(seen.facts):,} of {len(seen.world.sections):,} sections are built"
    section = section_at_hand(context, seen.world)
    if section is None:
        return "No section at the 3D cursor", "", built
    around = [name if name in seen.facts else f"{name} (not built)" for name in seen.neighbors[section.name]]
    return f"“{section.name}” · {_state(seen, section.name)}", f"Beside {', '.join(around) or 'nothing'}", built


def _state(seen: WorldLook, name: str) -> str:
    facts = seen.facts.get(name)
    if facts is None:
        return "not built yet"
    polygons = "" if facts.polygons is None else f", {facts.polygons:,} polygons"
    return f"{facts.tiles:,} tile{'s' * (facts.tiles != 1)}{polygons}"
