"""Look at an island, keep it, or leave it out: by the seeds that pruning keeps what is reached from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

import bpy
from bpy.props import FloatProperty, FloatVectorProperty, IntProperty, StringProperty

from ...navcore.build_warning import counted
from ...navcore.errors import BadInput
from ..blender_types import not_none, scene_of, view_layer_of
from ..builds import finished_navmeshes
from ..files.import_operator import imported_navmesh, is_imported
from ..objects.built_from import finished_navmesh
from ..objects.island_list import IslandRow, Point, island_rows, seeds_by_island
from ..objects.navmesh_objects import BUILD, SETUP, metres_of, metres_on, navmesh_objects, navmesh_of
from ..operator_types import Acting, Answer, OfPanel
from ..stored.object_properties import marks_of, object_use
from ..stored.setups import active_setup, find_setup, scene_properties

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...navcore.questions.island_joins import IslandJoin

_ROOM = 1.5  # times the size of an island that the view shows
_LEAST_VIEW = 2.0  # metres


class OnNavmesh(OfPanel):
    """An operator on a navmesh that may be named."""

    if TYPE_CHECKING:
        navmesh: str
    __annotations__ = {
        "navmesh": StringProperty(
            name="Navmesh", description="Its setup or its object; empty for the active one", options={"SKIP_SAVE"}
        ),
    }


class OnIsland(OnNavmesh):
    """An operator on one island of a navmesh."""

    if TYPE_CHECKING:
        island: int
    __annotations__ = {
        "island": IntProperty(
            name="Island", description="0 has the most ground, as in navmesh_island", min=0, options={"SKIP_SAVE"}
        ),
    }

    def act_on(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> Answer | None:
        """Do it. Raises NavmeshError."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context) -> Answer | None:
        scene = scene_of(context)
        object_ = navmesh_of(scene, self.navmesh)
        rows = island_rows(object_, metres_on(scene, object_))
        island = next((row for row in rows if row.number == self.island), None)
        if island is None:
            there = f"It has {len(rows):,}, counted from 0." if rows else "Leave Edit Mode, or build it again."
            raise BadInput(f"“{object_.name}” has no island {self.island}. {there}", "NO_ISLAND")
        return self.act_on(context, object_, island)


class NAVMESH_OT_frame_island(OnIsland, bpy.types.Operator):
    """Show this island in the viewport"""

    bl_idname = "navmesh.frame_island"
    bl_label = "Show Island"
    bl_options = {"REGISTER", "INTERNAL"}

    def act_on(self, context: bpy.types.Context, _object: bpy.types.Object, island: IslandRow) -> None:
        if not frame_box(context, island.low, island.high):
            raise BadInput("There is no 3D viewport to show the island in. Open one.", "NO_VIEWPORT")


def frame_box(context: bpy.types.Context, low: Point, high: Point) -> bool:
    """Let a viewport show a box of the scene; False where there is none."""
    view = _view(context)
    if view is None:
        return False
    least = _LEAST_VIEW / metres_of(scene_of(context))
    view.view_location = [(a + b) / 2 for a, b in zip(low, high, strict=True)]
    view.view_distance = _ROOM * max(least, *(b - a for a, b in zip(low, high, strict=True)))
    return True


def _view(context: bpy.types.Context) -> bpy.types.RegionView3D | None:
    """That of the viewport whose panel was clicked, else any of the window's."""
    areas = [context.area] if context.area is not None and context.area.type == "VIEW_3D" else []
    if not areas and context.screen is not None:
        areas = [area for area in context.screen.areas if area.type == "VIEW_3D"]
    space = areas[0].spaces.active if areas else None
    return space.region_3d if isinstance(space, bpy.types.SpaceView3D) else None


class NAVMESH_OT_isolate_island(OnIsland, bpy.types.Operator):
    """Draw this island alone, and hide the mesh objects of the navmesh meanwhile. Again: draw all of them"""

    bl_idname = "navmesh.isolate_island"
    bl_label = "Isolate Island"

    def act_on(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> None:
        scene, layer = scene_of(context), view_layer_of(context)
        stored, setup = scene_properties(scene), active_setup(scene)
        if setup is None or object_.get(SETUP) != setup.uid:
            raise BadInput(
                f"“{object_.name}” is not the navmesh of the active setup. Choose its setup in the list first.",
                "NO_NAVMESH",
            )
        if stored.isolated_island == island.number:
            for name in json.loads(stored.hidden_for_island or "[]"):
                if (hidden := layer.objects.get(name)) is not None:  # it may have been deleted meanwhile
                    hidden.hide_set(False, view_layer=layer)
            stored.isolated_island, stored.hidden_for_island = -1, ""
            return
        objects = [one for (uid, _), one in navmesh_objects(scene).items() if uid == setup.uid]
        seen = [one.name for one in objects if one.name in layer.objects and not one.hide_get(view_layer=layer)]
        for name in seen:
            not_none(layer.objects[name]).hide_set(True, view_layer=layer)
        before = json.loads(stored.hidden_for_island or "[]")
        stored.isolated_island, stored.hidden_for_island = island.number, json.dumps([*before, *seen])
        stored.show_navmesh = True


class NAVMESH_OT_keep_island(OnIsland, bpy.types.Operator):
    """Put a seed on this island: Only What Seeds Reach keeps it"""

    bl_idname = "navmesh.keep_island"
    bl_label = "Keep Island"

    def act_on(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> Answer | None:
        scene = scene_of(context)
        if seeds_by_island(scene, object_, metres_on(scene, object_)).get(island.number):
            self.report({"INFO"}, f"A seed stands on island {island.number} already.")
            return {"CANCELLED"}
        seed = add_empty(context, "Seed", island.place, "SPHERE")
        marks_of(seed).use = "SEED"
        self.report({"INFO"}, f"“{seed.name}” keeps island {island.number}. Move it to where agents set out.")
        return None


class NAVMESH_OT_drop_island(OnIsland, bpy.types.Operator):
    """Leave this island out of the builds of this setup: puts a mark on it, an empty that says “not this one”.

    All others stay, and what is added later is built. Where the island grows to more than twice, it is built, too"""

    bl_idname = "navmesh.drop_island"
    bl_label = "Drop Island"

    def act_on(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> Answer | None:
        scene = scene_of(context)
        metres = metres_on(scene, object_)
        setup = find_setup(scene, str(object_.get(SETUP, "")))
        if setup is None:
            raise BadInput(f"“{object_.name}” was imported: no build leaves anything of it out.", "IMPORTED_NAVMESH")
        if len(island_rows(object_, metres)) == 1:
            raise BadInput("It is the only island: without it there would be no navmesh.", "NO_ISLAND")
        if island.number == 0:
            raise BadInput(
                "It is the largest island. Leave out what it lies on (Use: Never), or keep the others and switch on "
                "Only What Seeds Reach.",
                "NO_ISLAND",
            )
        marks = seeds_by_island(scene, object_, metres, "DROP").get(island.number, [])
        known = next((mark for mark in marks if marks_of(mark).drop_setup in ("", setup.uid)), None)
        if known is not None:
            self.report({"INFO"}, f"“{known.name}” drops it already: build again.")
            return {"CANCELLED"}
        seeds = seeds_by_island(scene, object_, metres).get(island.number, ())
        for seed in seeds:
            marks_of(seed).use = "AUTO"
        mark = add_empty(context, "Drop", island.place, "CUBE")
        marks_of(mark).drop_m2, marks_of(mark).drop_setup = island.square_metres, setup.uid
        marks_of(mark).use = "DROP"
        gone = f" {counted(len(seeds), 'seed')} on it {'is' if len(seeds) == 1 else 'are'} none now." if seeds else ""
        self.report(
            {"INFO"}, f"The next build leaves out island {island.number}, {island.square_metres:,.1f} m².{gone}"
        )
        return None


class NAVMESH_OT_undrop_island(OfPanel, bpy.types.Operator):
    """Delete the mark: the next build has this island again"""

    bl_idname = "navmesh.undrop_island"
    bl_label = "Build This Island Again"

    if TYPE_CHECKING:
        mark: str
    __annotations__ = {
        "mark": StringProperty(name="Mark", description="The object that drops the island", options={"SKIP_SAVE"}),
    }

    def act(self, context: bpy.types.Context) -> None:
        mark = scene_of(context).objects.get(self.mark)
        if mark is None or object_use(mark) != "DROP":
            raise BadInput(f"“{self.mark}” drops no island.", "NO_ISLAND")
        bpy.data.objects.remove(mark)
        self.report({"INFO"}, "The next build has the island again.")


def add_empty(
    context: bpy.types.Context, name: str, place: Point, shape: str, metres_wide: float = 0.5
) -> bpy.types.Object:
    """An empty at a place of the scene."""
    scene = scene_of(context)
    empty = bpy.data.objects.new(name, None)
    empty.empty_display_type = shape  # type: ignore[assignment] # one of Blender's
    empty.empty_display_size = metres_wide / metres_of(scene)
    empty.location = place
    not_none(scene.collection).objects.link(empty)
    view_layer_of(context).update()
    return empty


# --- What is missing between an island and the nearest other one: found when somebody asks, then a button that does
# it.


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

    def act_on(self, context: bpy.types.Context, object_: bpy.types.Object, island: IslandRow) -> Answer | None:
        join = _find_join(context, object_, island.number)
        _answers[_key(object_, island.number)] = None if join is None else _in_scene(scene_of(context), object_, join)
        if join is None:
            self.report({"INFO"}, "There is no other island to join it to.")
            return {"CANCELLED"}
        self.report({"INFO"}, f"To island {join.other}: {join.sentence}.")
        return None


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
        if not built.request.gathered.own:
            try_build = level_of(built.request, usual_means().threads).try_build
    ground = IslandGround(plain.vertices, plain.first, plain.corners, plain.neighbors, islands)
    return read_or_write(lambda: island_join(ground, island, settings, try_build))


def _in_scene(scene: bpy.types.Scene, object_: bpy.types.Object, join: IslandJoin) -> Join:
    from ..axes import to_blender

    start, end = (tuple(point) for point in to_blender([join.start, join.end], metres_on(scene, object_)).tolist())
    changes = json.dumps({join.setting: join.value}) if join.setting is not None else ""
    return Join(f"To island {join.other}: {join.sentence}", start, end, changes, 0.6 / scene.unit_settings.scale_length)


class NAVMESH_OT_add_link(Acting, bpy.types.Operator):
    """Add a link between two places: an empty that is marked as Link, and one where it ends"""

    bl_idname = "navmesh.add_link"
    bl_label = "Add Link"

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
        radius: float
    __annotations__ = {
        "start": FloatVectorProperty(name="Start", size=3, subtype="XYZ", unit="LENGTH"),
        "end": FloatVectorProperty(name="End", size=3, subtype="XYZ", unit="LENGTH"),
        "radius": FloatProperty(name="Radius", default=0.6, min=0.0, unit="LENGTH"),
    }

    def act(self, context: bpy.types.Context) -> None:
        start = add_empty(context, "Link", (self.start[0], self.start[1], self.start[2]), "SINGLE_ARROW")
        end = add_empty(context, "Link End", (self.end[0], self.end[1], self.end[2]), "PLAIN_AXES")
        marks_of(end).use = "EXCLUDE"
        marks_of(start).use, marks_of(start).link_end = "LINK", end
        marks_of(start).link_radius = self.radius
        self.report({"INFO"}, f"Added “{start.name}”. Build again to use it.")
