"""Build the section of a world that the scene shows: on a thread while Blender stays usable, or at once for scripts.

Files are written, and nothing of the scene changes: what is built is drawn from the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ..blender_types import not_none, scene_of
from ..builds.make_requests import Overrides, make_requests, without_selection
from ..gather.section_of_scene import is_this_file, linked_sources, named_world, section_at_hand, section_level, within
from ..operator_types import Acting, Answer
from ..redraw import redraw_all
from ..views.drawn_sections import forget_look, latest_look
from .job_operator import RunsJob

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ...navcore.world.world_file import World, WorldSection
    from ..builds.section_job import BuiltSection, SectionBuild, SectionJob
    from ..stored.setup_properties import Sources


class NAVMESH_OT_build_section(RunsJob, bpy.types.Operator):
    """Build this section of the world from what the scene shows now, and write its file. Esc stops it"""

    bl_idname = "navmesh.build_section"
    bl_label = "Build This Section"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        section: str
    __annotations__ = {
        "section": StringProperty(
            name="Section",
            description="Its name; empty for the one that this file is, that the active object is linked from, or at "
            "the 3D cursor",
            options={"SKIP_SAVE"},
        )
    }
    stopped = "The section was not built."

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return named_world(scene_of(context)) is not None

    def new_job(self, context: bpy.types.Context) -> SectionJob:
        """Gather what this Blender shows of the section. Raises NavmeshError."""
        from ...navcore.errors import BadInput
        from ...navcore.world.world_file import read_world
        from ..builds.section_job import SectionJob
        from ..builds.threads_and_kernel_folder import usual_means

        named = not_none(named_world(scene_of(context)))
        world = read_world(named.file)
        if self.section:
            (name,) = world.named([self.section])
            section = next(one for one in world.sections if one.name == name)
        elif (found := section_at_hand(context, world)) is None:
            raise BadInput(
                "This file is no section of the world, and no section is at the 3D cursor. Select something that is "
                "linked from a section, or put the cursor into its box.",
                "NO_SECTION",
            )
        else:
            section = found
        return SectionJob(_gathered(context, world, section, named.folder), usual_means())

    def show(self, built: BuiltSection) -> Answer:
        forget_look()
        redraw_all()
        row = built.report.sections[0]
        said = [f"“{row.name}”: {row.tiles:,} tile{'s' * (row.tiles != 1)}, {row.polygons:,} polygons: {row.why}."]
        said += [warning.sentence for warning in built.report.warnings[:1]]
        if built.unread:
            names = ", ".join(built.unread[:4]) + (" …" if len(built.unread) > 4 else "")
            said.append(f"Not read yet, and taken as empty: {names}. Build them, too.")
        self.report({"INFO"} if len(said) == 1 else {"WARNING"}, " ".join(said))
        return {"FINISHED"}


def _gathered(context: bpy.types.Context, world: World, section: WorldSection, folder: Path) -> SectionBuild:
    """The section's .blend files as they are shown here, and those of others that are linked and not read yet."""
    from ...navcore.world.blender_levels import blend_meshes, kept_level
    from ..builds.section_job import SectionBuild

    by_name, levels = {one.name: one for one in world.sections}, {}
    for blend in blend_meshes(world):
        if blend.section != section.name and kept_level(blend, folder) is not None:
            continue
        for chosen in _sources(context, blend.path):
            request = make_requests(context, Overrides(sources=chosen))[0]
            gathered, whole = request.gathered, is_this_file(blend.path)
            levels[blend] = section_level(
                gathered if whole else within(gathered, by_name[blend.section]), request.types
            )
    return SectionBuild(world, folder, section.name, levels)


def _sources(context: bpy.types.Context, path: Path) -> Iterator[Callable[[Sources], Sources]]:
    """How what is shown of a file is gathered; nothing where none of it is here."""
    if is_this_file(path):
        yield without_selection  # as the command does: what is written must not depend on it
        return
    from ..stored.setup_properties import Sources

    linked = linked_sources(context, path, Sources())
    if linked is not None:
        yield lambda stored: stored._replace(scope=linked.scope, names=linked.names)


class NAVMESH_OT_look_at_world(Acting, bpy.types.Operator):
    """Read the world and what is built of it again, as others may have built sections"""

    bl_idname = "navmesh.look_at_world"
    bl_label = "Read Again"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return named_world(scene_of(context)) is not None

    def act(self, context: bpy.types.Context) -> Any:
        forget_look()
        latest_look(not_none(named_world(scene_of(context))), at_once=bpy.app.background)
        redraw_all()
