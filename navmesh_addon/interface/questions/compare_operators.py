"""Compare two navmeshes: on a thread while Blender stays usable, or at once for scripts; look at a place; clear."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING

import bpy
from bpy.props import IntProperty, StringProperty

from ...blender_types import scene_of
from ...objects.navmesh_objects import metres_of
from ...operator_types import Acting, Answer
from ...redraw import redraw, redraw_all
from ...stored.setups import named_setup, scene_properties
from ...stored.view_properties import FILE
from ...views import latest_comparison
from ...watch import level_changes
from ..job_operator import RunsJob
from ..path_test_operators import InView, look_at

if TYPE_CHECKING:
    from ... import background
    from ...views.compare_job import CompareJob
    from ...views.compared_sides import NamedSide
    from ...views.latest_comparison import Compared

_WIDER, _NEAREST = 3.0, 4.0  # sides of a place that the view shows, and metres at least
_FILE = "Path of a navmesh file to compare; without it, what is named"


class NAVMESH_OT_compare(RunsJob, bpy.types.Operator):
    """Show which ground is new, gone, or lies higher or lower than before: of two agents, before and after a build, or
    beside a navmesh file"""

    bl_idname = "navmesh.compare"
    bl_label = "Compare"
    bl_options = {"REGISTER"}

    if TYPE_CHECKING:
        a: str
        b: str
        file_a: str
        file_b: str
    __annotations__ = {
        name: StringProperty(name=label, description=description, options={"SKIP_SAVE"})
        for name, label, description in (
            ("a", "From", "LAST, BEFORE, or the name of a setup, which comes first; empty for what the panel says"),
            ("b", "To", "Likewise"),
            ("file_a", "From File", _FILE),
            ("file_b", "To File", _FILE),
        )
    }
    stopped = "Nothing was compared."

    def begin(self, job: background.Job[Compared]) -> None:
        latest_comparison.begin(job)
        redraw()

    def is_wanted(self, job: background.Job[Compared]) -> bool:
        return latest_comparison.running() is job and not job.cancelled

    def let_go(self, job: background.Job[Compared]) -> None:
        latest_comparison.ended(job)
        redraw()

    def new_job(self, context: bpy.types.Context) -> CompareJob:
        """Find both navmeshes. Raises NavmeshError."""
        from ...builds.threads_and_kernel_folder import usual_means
        from ...views.compare_job import CompareJob
        from ...views.compared_sides import find_sides, lift_of

        scene = scene_of(context)
        sides = find_sides(context, self._asked(context, "a"), self._asked(context, "b"))
        return CompareJob(scene.session_uid, sides, lift_of(scene, sides), usual_means())

    def _asked(self, context: bpy.types.Context, side: str) -> NamedSide:
        """What a script names, or else the panel."""
        from ...views.compared_sides import NamedSide

        stored = scene_properties(scene_of(context))
        file, named = str(getattr(self, f"file_{side}")), str(getattr(self, side))
        setup = named_setup(scene_of(context), named) if named else None  # which may be called LAST
        named = named if setup is None else setup.uid
        what = FILE if file else named or str(getattr(stored, f"compare_{side}"))
        return NamedSide(what, file or str(getattr(stored, f"compare_file_{side}")))

    def show(self, compared: Compared) -> Answer:
        """Keep it for the viewport and for scripts, and say it."""
        from ...views.compared_sides import state_of

        scene = next((scene for scene in bpy.data.scenes if scene.session_uid == compared.scene), None)
        if scene is None:  # it was removed meanwhile
            return {"CANCELLED"}
        level_changes.look_now()
        latest_comparison.show(compared)
        scene_properties(scene).compare_answer = json.dumps(answer(compared, metres_of(scene)))
        redraw_all()
        why_not = state_of(scene, compared).why_not
        self.report({"WARNING"} if why_not else {"INFO"}, f"{summary(compared)}{f' {why_not}.' if why_not else ''}")
        return {"FINISHED"}


def answer(compared: Compared, metres: float) -> dict[str, object]:
    """As `navcore compare --json` has it, with places in Blender's coordinates."""
    from ...axes import to_blender  # here: Blender's start does not wait for it

    found = compared.found.to_mapping()
    if found["places"]:
        points = to_blender([place[:3] for place in found["places"]], metres).tolist()
        found["places"] = [[*point, place[3]] for point, place in zip(points, found["places"], strict=True)]
    return found


def summary(compared: Compared) -> str:
    """One line on what changed."""
    found, (first, second) = compared.found, compared.sides
    how = " One of both has no detail: both are as corners of polygons have them." if found.by_corners else ""
    if not found.places:
        return f"No difference between {first.name} and {second.name}, looked at in cells of {found.cell:g} m.{how}"
    return f"Added {found.added:,.1f} m², removed {found.removed:,.1f} m², moved {found.moved:,.1f} m².{how}"


class NAVMESH_OT_compare_clear(Acting, bpy.types.Operator):
    """No longer show what changed"""

    bl_idname = "navmesh.compare_clear"
    bl_label = "Clear"
    bl_options = {"INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return latest_comparison.shown(scene_of(context).session_uid) is not None

    def act(self, context: bpy.types.Context) -> None:
        latest_comparison.hide(scene_of(context).session_uid)
        scene_properties(scene_of(context)).compare_answer = ""
        redraw_all()


class NAVMESH_OT_compare_look(InView, bpy.types.Operator):
    """Look at this place"""

    bl_idname = "navmesh.compare_look"
    bl_label = "Look at the Place"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        place: int
    __annotations__ = {"place": IntProperty(min=0, options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> Answer | None:
        compared = latest_comparison.shown(scene_of(context).session_uid)
        if compared is None or self.place >= len(compared.found.places):
            return {"CANCELLED"}
        look_at(context, *where_to_look(compared, self.place, metres_of(scene_of(context))))
        return None


def where_to_look(compared: Compared, number: int, metres: float) -> tuple[tuple[float, ...], float]:
    """The place, and how far from it the eye should be, in Blender's units."""
    from ...axes import to_blender

    place = compared.found.places[number]
    point = to_blender([place.point], metres)[0]
    return tuple(point.tolist()), max(_NEAREST, _WIDER * math.sqrt(place.square_metres)) / metres
