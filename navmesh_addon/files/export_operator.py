"""The navmesh as a file: for an engine by name, or by the ending."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, StringProperty

from ...navcore.errors import BadInput
from ...navcore.formats import TILE_CACHE, is_tile_cache
from ...navcore.formats.target_names import TARGET_NAMES
from .. import events
from ..blender_types import layout_of, scene_of
from ..objects.build_report import cache_rows
from ..objects.built_from import finished_navmesh, is_as_shown
from ..objects.hand_edits import refuse_edited
from ..objects.navmesh_objects import SETUP, navmesh_of
from ..operator_types import ForFile, absolute_path, file_property
from .import_operator import imported_navmesh, is_imported

if TYPE_CHECKING:
    from ...navcore.build_warning import BuildWarning
    from ...navcore.formats.target_catalog import ExportOptions
    from ..builds.request_and_result import Request

BY_ENDING = "ENDING"
_CACHE = "TILE_CACHE"
_EDITED = "A file would hold the navmesh as it was built, without that. Undo the edits, or build it again."
_MAP = "Of the project's navigation map, in metres; 0 finds one that fits"
_ENDINGS = {_CACHE: TILE_CACHE, **{target.name: target.ending for target in TARGET_NAMES}}


class NAVMESH_OT_export(ForFile, bpy.types.Operator):
    """Write the navmesh into a file for an engine. It is read back and checked before the file is replaced"""

    bl_idname = "navmesh.export"
    bl_label = "Export Navmesh"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        setup: str
        target: str
        godot_cell_size: float
        godot_cell_height: float
    __annotations__ = {
        "filepath": file_property("File", "Where to write; the ending chooses the format"),
        "setup": StringProperty(
            name="Setup", description="Whose navmesh; empty for the active one", options={"SKIP_SAVE"}
        ),
        "target": EnumProperty(
            name="For",
            description="What the file is for",
            items=[
                (BY_ENDING, "By Ending", "As the ending of the file says"),
                *((target.name, target.menu_label, f"{target.for_whom} ({target.ending})") for target in TARGET_NAMES),
                (_CACHE, "Tile Cache", f"Games in which obstacles come and go, with those of the scene ({TILE_CACHE})"),
            ],
            options={"SKIP_SAVE"},
        ),
        "godot_cell_size": FloatProperty(
            name="Map Cell Size", description=_MAP, min=0.0
        ),
        "godot_cell_height": FloatProperty(
            name="Map Cell Height", description=_MAP, min=0.0
        ),
        "filter_glob": StringProperty(
            default=";".join(dict.fromkeys(f"*{ending}" for ending in _ENDINGS.values())), options={"HIDDEN"}
        ),
        "check_existing": BoolProperty(default=True, options={"HIDDEN"}),
    }  # fmt: skip

    def suggested(self, home: Path) -> Path:
        ending = _ENDINGS.get(self.target, home.suffix if home.suffix in _ENDINGS.values() else ".bin")
        stem = home.stem if self.filepath else f"{home.stem}-navmesh"  # a level's own .glb must not be replaced
        return home.with_name(stem + ending)

    def check(self, _context: bpy.types.Context) -> bool:
        """In the file selector, another target brings its ending."""
        path = Path(self.filepath)
        ending = _ENDINGS.get(self.target, path.suffix)
        stem = path.name[: -len(TILE_CACHE)] if is_tile_cache(path) else path.stem
        if path.name.lower() == f"{stem}{ending}".lower() or not stem:
            return False
        self.filepath = str(path.with_name(stem + ending))
        return True

    def draw(self, _context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.use_property_split = True
        layout.prop(self, "target")
        if _ENDINGS.get(self.target, Path(self.filepath).suffix) in (".tres", ".tscn"):
            layout.prop(self, "godot_cell_size")
            layout.prop(self, "godot_cell_height")

    def act(self, context: bpy.types.Context) -> None:
        path = absolute_path(self.filepath)
        for message in self._write(context, path):
            self.report({"WARNING"}, message)
        self.report({"INFO"}, f"Wrote {path}")

    def _write(self, context: bpy.types.Context, path: Path) -> list[str]:
        """Write the file; what there is to say about it."""
        if self.target == _CACHE or (self.target == BY_ENDING and is_tile_cache(path)):
            return self._write_cache(context, path)
        return [warning.message for warning in self._write_navmesh(context, path)]

    def _write_cache(self, context: bpy.types.Context, path: Path) -> list[str]:
        """A tile cache of the level as it was built, with the obstacles of the scene where they stand now."""
        from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

        load_builder()
        from ...navcore.compile_ahead.waiting import read_or_write
        from ...navcore.tile_cache.cache_content import check_cache_settings
        from ...navcore.tile_cache.cache_files import check_cache_path
        from ..builds.tile_caches import cache_with
        from ..gather.gather_scene import gather_obstacles

        check_cache_path(path)
        object_ = navmesh_of(scene_of(context), self.setup)
        events.navmesh_wanted.happened()
        if is_imported(object_):
            raise BadInput(
                f"“{object_.name}” was imported, and a tile cache is built from a level. Build a navmesh of the level.",
                "NEEDS_THE_LEVEL",
            )
        built = finished_navmesh(context, self.setup, False)
        check_cache_settings(built.request.settings, prune=built.request.prune)
        obstacles = gather_obstacles(context, built.request.gathered.metres)

        def write() -> list[str]:
            cache = cache_with(built.request, obstacles, None)
            cache.write(path)
            return [row["message"] for row in cache_rows(cache, obstacles, built)]

        return read_or_write(write)

    def _write_navmesh(self, context: bpy.types.Context, path: Path) -> list[BuildWarning]:
        from ...navcore.compile_ahead.waiting import read_or_write
        from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

        load_builder()
        from ...navcore.formats import check_output, holds_detour_data, write_navmesh
        from ...navcore.formats.target_catalog import ExportOptions

        target = None if self.target == BY_ENDING else self.target
        check_output(path, target=target)  # before a navmesh is built again
        options = ExportOptions(
            godot_cell_size=self.godot_cell_size or None, godot_cell_height=self.godot_cell_height or None
        )
        object_ = navmesh_of(scene_of(context), self.setup)
        events.navmesh_wanted.happened()
        refuse_edited(scene_of(context), {str(object_.get(SETUP, ""))}, _EDITED)
        if is_imported(object_):
            return read_or_write(lambda: write_navmesh(imported_navmesh(object_), path, target, options))
        built = finished_navmesh(context, self.setup, holds_detour_data(path))
        if not is_as_shown(object_, built):
            self.report(
                {"WARNING"},
                f"The level changed since “{object_.name}” was built in another session: what was written is the "
                "navmesh of the level as it is now, not the one that is shown. Build it again to see it.",
            )
        options = with_level(options, built.request)
        return read_or_write(lambda: write_navmesh(built.navmesh, path, target, options))


def with_level(options: ExportOptions, request: Request) -> ExportOptions:
    """The same with what the navmesh was built from, which RecastDemo is given; somebody's own mesh has no level."""
    from dataclasses import replace

    return replace(options, level=None if request.gathered.own else request.level)


class NAVMESH_MT_export(bpy.types.Menu):
    """What the navmesh is exported for"""

    bl_idname = "NAVMESH_MT_export"
    bl_label = "Export Navmesh For"

    def draw(self, _context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.operator_context = "INVOKE_DEFAULT"
        for target in TARGET_NAMES:
            layout.operator("navmesh.export", text=f"{target.menu_label} ({target.ending})").target = target.name
        layout.operator("navmesh.export", text=f"Tile Cache ({TILE_CACHE})").target = _CACHE
        layout.separator()
        layout.operator("navmesh.export_page", text="Page for a Browser (.html)")


def _draw_in_export_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(menu).menu("NAVMESH_MT_export", text="Navmesh For")


DRAWN_IN = {"TOPBAR_MT_file_export": _draw_in_export_menu}
