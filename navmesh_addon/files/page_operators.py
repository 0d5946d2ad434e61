"""The navmesh as a page for a browser: shown at once, or written into a file that can be sent to anybody."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy
from bpy.props import BoolProperty, StringProperty

from ...navcore.errors import BadInput
from .. import events
from ..blender_types import layout_of, scene_of
from ..builds import finished_navmeshes
from ..objects.built_from import finished_navmesh, is_as_shown
from ..objects.hand_edits import refuse_edited
from ..objects.navmesh_objects import BUILD, SETUP, navmesh_of
from ..operator_types import Acting, ForFile, absolute_path, file_property
from .import_operator import imported_navmesh, is_imported

if TYPE_CHECKING:
    from ...navcore.page.write_page import PageContent
    from ..builds.request_and_result import BuiltNavmesh

ENDING = ".html"
_EDITED = "A page would show the navmesh as it was built, without that. Undo the edits, or build it again."
_OF_PAGES = {
    "setup": StringProperty(
        name="Setup", description="Whose navmesh; empty for the active one", options={"SKIP_SAVE"}
    ),
    "before": BoolProperty(
        name="What Changed", description="Also the navmesh before the last build, and what is new, gone or moved since",
        default=False, options={"SKIP_SAVE"},
    ),
}  # fmt: skip


class _Paging(Acting):
    """What both have in common. Nothing in the file changes, so there is nothing to undo."""

    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        setup: str
        before: bool

    def write(self, context: bpy.types.Context, path: Path) -> None:
        """Write the page in one step. Raises NavmeshError."""
        from ..builds.threads_and_kernel_folder import load_builder  # here: Blender's start does not wait for it

        load_builder()
        from ...navcore.compile_ahead.waiting import read_or_write
        from ...navcore.page.write_page import check_page, write_page

        check_page(path)  # before a navmesh is built again
        object_ = navmesh_of(scene_of(context), self.setup)
        events.navmesh_wanted.happened()
        refuse_edited(scene_of(context), {str(object_.get(SETUP, ""))}, _EDITED)
        content = self._content(context, object_)
        read_or_write(lambda: write_page(content, path))

    def _content(self, context: bpy.types.Context, object_: bpy.types.Object) -> PageContent:
        from ...navcore.page.page_arrays import Beside
        from ...navcore.page.write_page import PageContent
        from ...navcore.scene import as_seeds

        if is_imported(object_):
            from ...navcore.formats.plain_faces import navmesh_of_plain

            plain = imported_navmesh(object_)
            return PageContent(object_.name, navmesh_of_plain(plain) if plain.file is None else plain.file)
        before = self._before(object_)
        built = finished_navmesh(context, self.setup)
        if not is_as_shown(object_, built):
            self.say(
                False,
                f"The level changed since “{object_.name}” was built in another session: the page shows the navmesh of "
                "the level as it is now.",
            )
        gathered, checked = built.request.gathered, built.checked
        rows = [[outcome.to_mapping() for outcome in outcomes] for outcomes in (checked.paths, checked.places)]
        beside = Beside(built.navmesh.report.warnings, as_seeds(built.request.seeds), *rows)
        level = None if gathered.own else (gathered.vertices, gathered.triangles)
        return PageContent(object_.name, built.navmesh, level, None if before is None else before.navmesh, beside)

    def _before(self, object_: bpy.types.Object) -> BuiltNavmesh | None:
        """The navmesh before the last build, where it is wanted. Raises BadInput where there is none."""
        if not self.before:
            return None
        found = finished_navmeshes.find(finished_navmeshes.before(str(object_.get(BUILD, ""))))
        if found is None:
            raise BadInput(
                f"There is no build of “{object_.name}” before the last one: it was built once since the file was "
                "opened. Change the level and build again, or leave out What Changed.",
                "NOTHING_TO_COMPARE",
            )
        return found


class NAVMESH_OT_show_page(_Paging, bpy.types.Operator):
    """Show the navmesh on its level in the browser: turn it, find paths by two clicks, fly to warnings and tests"""

    bl_idname = "navmesh.show_page"
    bl_label = "Show Navmesh in Browser"
    __annotations__ = dict(_OF_PAGES)

    def act(self, context: bpy.types.Context) -> None:
        name = bpy.path.clean_name(navmesh_of(scene_of(context), self.setup).name)
        path = Path(bpy.app.tempdir) / f"{name}{ENDING}"  # until Blender ends
        self.write(context, path)
        if bpy.app.background:
            self.report({"INFO"}, f"Wrote {path}")
            return
        import webbrowser  # here: Blender's start does not wait for it

        self.say(webbrowser.open(path.as_uri()), f"The page is {path}, and is opened in the browser.")


class NAVMESH_OT_export_page(ForFile, _Paging, bpy.types.Operator):
    """Write the navmesh and its level into one page that opens in any browser, without a network"""

    bl_idname = "navmesh.export_page"
    bl_label = "Export Navmesh as Page"

    __annotations__ = {
        "filepath": file_property("File", f"Where to write; it ends with {ENDING}"),
        **_OF_PAGES,
        "filter_glob": StringProperty(default=f"*{ENDING}", options={"HIDDEN"}),
        "check_existing": BoolProperty(default=True, options={"HIDDEN"}),
    }  # fmt: skip

    def suggested(self, home: Path) -> Path:
        return home.with_name((home.stem if self.filepath else f"{home.stem}-navmesh") + ENDING)

    def draw(self, _context: bpy.types.Context) -> None:
        layout_of(self).prop(self, "before")

    def act(self, context: bpy.types.Context) -> None:
        path = absolute_path(self.filepath)
        self.write(context, path)
        self.report({"INFO"}, f"Wrote {path}")
