"""The navmesh as a file: the ending says which format."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ..navcore.errors import BadInput, NavmeshError
from . import results, session
from .job import Built, build_all
from .operators import report_error
from .remembered import navmesh_of, requests_again
from .typed import Answer
from .write_back import BUILD

# Blender 4.5 and newer want to be told that // is understood.
_RELATIVE: Any = {"PATH_SUPPORTS_BLEND_RELATIVE"} if bpy.app.version >= (4, 5, 0) else set()


class NAVMESH_OT_export(bpy.types.Operator):
    """Write the navmesh into a file for a game"""

    bl_idname = "navmesh.export"
    bl_label = "Export Navmesh"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        filepath: str
        setup: str
    __annotations__ = {
        "filepath": StringProperty(
            name="File", description="The ending chooses the format", subtype="FILE_PATH", options=_RELATIVE
        ),
        "setup": StringProperty(
            name="Setup", description="Whose navmesh; empty for the active one", options={"SKIP_SAVE"}
        ),
        "filter_glob": StringProperty(default="*.bin;*.glb;*.obj;*.json;*.tres", options={"HIDDEN"}),
        "check_existing": bpy.props.BoolProperty(default=True, options={"HIDDEN"}),
    }

    def invoke(self, context: Any, _event: Any) -> Answer:
        if not self.filepath:
            home = Path(bpy.data.filepath)
            self.filepath = str(home.with_suffix(".bin")) if bpy.data.filepath else "navmesh.bin"
        context.window_manager.fileselect_add(self)
        return {"RUNNING_MODAL"}

    def execute(self, context: Any) -> Answer:
        from ..navcore.formats import holds_detour_data, write_navmesh

        try:
            path = absolute_path(self.filepath)
            built = finished_navmesh(context, self.setup, holds_detour_data(path))
            write_navmesh(built.navmesh, path)
        except (NavmeshError, MemoryError) as error:
            return report_error(self, error)
        self.report({"INFO"}, f"Wrote {path}")
        return {"FINISHED"}


def absolute_path(filepath: str) -> Path:
    """Where a path from the file selector or a script leads. Raises BadInput where nobody can tell."""
    if not filepath or filepath.endswith(("/", "\\")):
        raise BadInput("Name a file to write, such as navmesh.bin.", "CANNOT_WRITE")
    if filepath.startswith("//") and not bpy.data.filepath:
        raise BadInput(
            f"{filepath} is beside the .blend file, which was never saved. Save it, or give a whole path.",
            "CANNOT_WRITE",
        )
    return Path(bpy.path.abspath(filepath)).resolve()


def finished_navmesh(context: Any, setup: str = "", detour_data: bool = False) -> Built:
    """The navmesh of a setup: from memory, else built again from what it remembers (for Detour files: within their
    limits). Raises NavmeshError."""
    thing = navmesh_of(context.scene, setup)
    built = results.find(str(thing.get(BUILD, "")))
    if built is not None:
        return built
    again = [request._replace(detour_data=detour_data) for request in requests_again(context, setup)]
    return build_all(again, session.means())[0]


CLASSES = (NAVMESH_OT_export,)
