"""The panel of imported navmeshes: what is known of each, and a button that exports it again."""

from __future__ import annotations

import bpy

from ...blender_types import layout_of, scene_of
from ...files.import_operator import fact_lines, is_imported
from ...objects.navmesh_objects import FILE
from ...stored.setups import scene_properties
from .sidebar_panel import SidebarPanel
from .wrapped_text import draw_text, room


class NAVMESH_PT_imported(SidebarPanel, bpy.types.Panel):
    """Navmeshes that were imported"""

    bl_idname = "NAVMESH_PT_imported"
    bl_label = "Imported"
    bl_order = 20  # below what builds
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("navmesh.import_file", icon="IMPORT")
        home = scene_properties(scene_of(context)).collection
        for object_ in home.objects if home else ():
            if is_imported(object_):
                box = layout.box()
                row = box.row()
                row.label(text=object_.name, icon="MOD_REMESH")
                row.operator("navmesh.export", text="", icon="EXPORT").setup = object_.name
                for line in (str(object_[FILE]), *fact_lines(scene_of(context), object_)):
                    draw_text(box, line, room(context))


CLASSES = (NAVMESH_PT_imported,)
