"""Places of cover: find and draw them, keep them as empties, write them into a file, draw them no longer."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, FloatProperty, StringProperty

from ....navcore.errors import NavmeshError
from ...ask.hiding import current_cover
from ...blender_types import scene_of, view_layer_of
from ...operator_types import Acting, ForFile, InObjectMode, absolute_path, file_property
from ...redraw import redraw_all

if TYPE_CHECKING:
    from ...ask.hiding.current_cover import FoundCover

_ENDINGS = (".json", ".glb", ".tscn")


class NAVMESH_OT_find_cover(Acting, bpy.types.Operator):
    """Find where somebody can take cover along the walls of the navmesh, and draw it: green places are the best"""

    bl_idname = "navmesh.find_cover"
    bl_label = "Find Cover on Navmesh"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        spacing: float
    __annotations__ = {
        "spacing": FloatProperty(
            name="Spacing (m)", description="Metres between places along a wall", default=0.5, min=0.05, max=1000.0
        )
    }

    def act(self, context: bpy.types.Context) -> None:
        current_cover.find(context, self.spacing)
        found = current_cover.shown_in(scene_of(context))
        if found is not None:
            self.say(len(found.cover.at) > 0, f"{current_cover.in_words(found.cover)}.")


class NAVMESH_OT_cover_empties(InObjectMode, bpy.types.Operator):
    """Make an empty for each place of cover in the collection “Navmesh Cover”, with kind, lean, height and exposure as
    custom properties. Those of before are replaced"""

    bl_idname = "navmesh.cover_empties"
    bl_label = "Make Cover Empties"

    def act(self, context: bpy.types.Context) -> None:
        from ...ask.hiding.cover_empties import COLLECTION, write_empties  # here: Blender's start waits for no NumPy

        count = write_empties(scene_of(context), _found(context).cover)
        view_layer_of(context).update()
        self.say(count > 0, f"{count:,} places of cover in “{COLLECTION}”.")


class NAVMESH_OT_export_cover(ForFile, bpy.types.Operator):
    """Write places of cover: .json as navcore cover does, .glb as nodes with extras, .tscn as markers for Godot"""

    bl_idname = "navmesh.export_cover"
    bl_label = "Export Navmesh Cover"
    bl_options = {"REGISTER"}

    __annotations__ = {
        "filepath": file_property("File", "Where to write; the ending chooses the format"),
        "filter_glob": StringProperty(default=";".join(f"*{ending}" for ending in _ENDINGS), options={"HIDDEN"}),
        "check_existing": BoolProperty(default=True, options={"HIDDEN"}),
    }  # fmt: skip

    def suggested(self, home: Path) -> Path:
        ending = home.suffix if home.suffix in _ENDINGS else _ENDINGS[0]
        return home.with_name(home.stem if self.filepath else f"{home.stem}-cover").with_suffix(ending)

    def act(self, context: bpy.types.Context) -> None:
        from ...builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

        load_builder()
        from ....navcore.formats.cover_files import write_cover

        path = absolute_path(self.filepath)
        write_cover(_found(context).cover, path)
        self.report({"INFO"}, f"Wrote {path}")


class NAVMESH_OT_hide_cover(Acting, bpy.types.Operator):
    """Draw no cover; empties stay"""

    bl_idname = "navmesh.hide_cover"
    bl_label = "Hide Navmesh Cover"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and (current_cover.is_coming() or current_cover.said(context.scene) != "")

    def act(self, _context: bpy.types.Context) -> None:
        current_cover.hide()
        redraw_all()


def _found(context: bpy.types.Context) -> FoundCover:
    """What is drawn; in background it is looked for where nobody has. Raises NavmeshError."""
    scene = scene_of(context)
    if current_cover.shown_in(scene) is None and bpy.app.background:
        current_cover.find(context, 0.5)
    found = current_cover.shown_in(scene)
    if found is None:
        why = "It is still looked for." if current_cover.is_coming() else "Press Find Cover on Navmesh first."
        raise NavmeshError(f"No cover of this navmesh was found yet. {why}", "NOTHING_TO_ASK")
    return found


def draw_cover_buttons(layout: bpy.types.UILayout) -> None:
    """All of it."""
    row = layout.row(align=True)
    row.operator("navmesh.find_cover", text="Find Cover")
    row.operator("navmesh.cover_empties", text="Empties")
    row.operator("navmesh.export_cover", text="", icon="EXPORT")
    row.operator("navmesh.hide_cover", text="", icon="X")
