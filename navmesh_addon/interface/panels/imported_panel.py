"""The panel of imported navmeshes: what is known of each, and a button that exports it again."""

from __future__ import annotations

from typing import Any

import bpy

from ...files.import_operator import fact_lines, is_imported
from ...objects.navmesh_objects import FILE
from ...redraw import TAB
from .wrapped_text import draw_text, room


class NAVMESH_PT_imported(bpy.types.Panel):
    """Navmeshes that were imported"""

    bl_idname = "NAVMESH_PT_imported"
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = TAB
    bl_label = "Imported"
    bl_order = 20  # below what builds
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("navmesh.import_file", icon="IMPORT")
        home = context.scene.navmesh.collection
        for thing in home.objects if home else ():
            if is_imported(thing):
                box = layout.box()
                row = box.row()
                row.label(text=thing.name, icon="MOD_REMESH")
                row.operator("navmesh.export", text="", icon="EXPORT").setup = thing.name
                for line in (str(thing[FILE]), *fact_lines(context.scene, thing)):
                    draw_text(box, line, room(context))


CLASSES = (NAVMESH_PT_imported,)
