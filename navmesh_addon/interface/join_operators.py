"""What is missing between an island and the nearest other one: found when somebody asks, then a button that does it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.props import FloatProperty, FloatVectorProperty

from ..blender_types import scene_of
from ..builds import finished_navmeshes
from ..files.import_operator import imported_navmesh, is_imported
from ..objects.built_from import finished_navmesh
from ..objects.island_list import IslandRow, Point
from ..objects.navmesh_objects import BUILD, SETUP
from ..operator_types import Answer
from ..stored.object_properties import marks_of
from .island_operators import OnIsland, add_empty

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...navcore.questions.island_joins import IslandJoin


class Join(NamedTuple):
    """The answer for an island, in Blender's coordinates."""

    sentence: str
    start: Point
    end: Point
    changes: str  # settings as JSON; "" where a link is what is missing
    radius: float  # of the agent, in units


_answers: dict[tuple[str, int], Join | None] = {}  # by build and island


def join_of(object_: bpy.types.Object, island: int) -> Join | None:
    """What was found for an island of this build."""
    return _answers.get(_key(object_, island))


def was_asked(object_: bpy.types.Object, island: int) -> bool:
    """Whether somebody asked since it was built."""
    return _key(object_, island) in _answers


def _key(object_: bpy.types.Object, island: int) -> tuple[str, int]:
    return str(object_.get(BUILD, object_.get(SETUP, ""))), island


class NAVMESH_OT_join_island(OnIsland, bpy.types.Operator):
    """Find out what is missing between this island and the nearest other one: a link, a higher climb, a thinner agent.

    Settings are tried on the level around that place"""

    bl_idname = "navmesh.join_island"
    bl_label = "What Is Missing?"
    bl_options = {"REGISTER", "INTERNAL"}

    def act(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> Answer:
        join = _find_join(context, object_, island.number)
        _answers[_key(object_, island.number)] = None if join is None else _in_scene(context, join)
        if join is None:
            self.report({"INFO"}, "There is no other island to join it to.")
            return {"CANCELLED"}
        self.report({"INFO"}, f"To island {join.other}: {join.sentence}.")
        return {"FINISHED"}


def _find_join(context: bpy.types.Context, object_: bpy.types.Object, island: int) -> IslandJoin | None:
    """Raises NavmeshError."""
    from ..builds.threads_and_kernel_folder import load_builder, usual_means  # here: Blender's start does not wait

    load_builder()
    from ...navcore.compile_ahead.waiting import read_or_write
    from ...navcore.formats.mesh_measures import plain_islands
    from ...navcore.formats.plain_navmesh import plain_navmesh
    from ...navcore.questions.island_joins import island_join
    from ...navcore.questions.nearest_pair import IslandGround
    from ...navcore.settings import Settings
    from ..builds.intent_check import level_of

    try_build = None
    if is_imported(object_):
        plain = imported_navmesh(object_)
        islands, settings = plain_islands(plain)[0], plain.settings or Settings()
    else:
        built = finished_navmeshes.find(str(object_.get(BUILD, ""))) or finished_navmesh(context, object_.name)
        plain, islands, settings = plain_navmesh(built.navmesh), built.islands, built.navmesh.settings
        try_build = level_of(built.request, usual_means().threads).try_build
    ground = IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, islands)
    return read_or_write(lambda: island_join(ground, island, settings, try_build))


def _in_scene(context: bpy.types.Context, join: IslandJoin) -> Join:
    from ..axes import to_blender

    metres = scene_of(context).unit_settings.scale_length
    start, end = (tuple(point) for point in to_blender([join.start, join.end], metres).tolist())
    changes = json.dumps({join.setting: join.value}) if join.setting is not None else ""
    return Join(f"To island {join.other}: {join.sentence}", start, end, changes, 0.6 / metres)


class NAVMESH_OT_add_link(bpy.types.Operator):
    """Add a link between two places: an empty that is marked as Link, and one where it ends"""

    bl_idname = "navmesh.add_link"
    bl_label = "Add Link"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
        radius: float
    __annotations__ = {
        "start": FloatVectorProperty(name="Start", size=3, subtype="XYZ", unit="LENGTH"),
        "end": FloatVectorProperty(name="End", size=3, subtype="XYZ", unit="LENGTH"),
        "radius": FloatProperty(name="Radius", default=0.6, min=0.01, unit="LENGTH"),
    }

    def execute(self, context: bpy.types.Context) -> Answer:
        start = add_empty(context, "Link", (self.start[0], self.start[1], self.start[2]), "SINGLE_ARROW")
        end = add_empty(context, "Link End", (self.end[0], self.end[1], self.end[2]), "PLAIN_AXES")
        marks_of(end).use = "EXCLUDE"
        marks_of(start).use, marks_of(start).link_end = "LINK", end
        marks_of(start).link_radius = self.radius
        self.report({"INFO"}, f"Added “{start.name}”. Build again to use it.")
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_join_island, NAVMESH_OT_add_link)
