"""Remove from a navmesh what no seed can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from ...navcore.errors import NavmeshError
from ..blender_types import scene_of
from ..builds import active_build
from ..errors import report_error
from ..gather.scene_intent import wanted_of
from ..objects.built_from import finished_navmesh
from ..operator_types import Answer

if TYPE_CHECKING:
    from ...navcore.result.navmesh import NavMesh
    from ..builds.request_and_result import BuiltNavmesh
    from ..gather.gathered_level import Gathered, Wanted


class NAVMESH_OT_prune(bpy.types.Operator):
    """Remove from this navmesh the ground that no seed can reach. Mark empties as Seed where agents set out.

    To leave it out of every build, tick Only What Seeds Reach under Which Objects"""

    bl_idname = "navmesh.prune"
    bl_label = "Remove Unreachable"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        setup: str
    __annotations__ = {
        "setup": StringProperty(
            name="Setup", description="Whose navmesh; empty for the active one", options={"SKIP_SAVE"}
        ),
    }

    def execute(self, context: bpy.types.Context) -> Answer:
        from ...navcore.detour.queries.prune import prune_navmesh
        from ..gather.gather_scene import gather_seeds
        from ..gather.gathered_level import geometry_of
        from ..objects.write_navmeshes import write_back

        try:
            active_build.check_idle()
            built = finished_navmesh(context, self.setup)
            gathered = built.request.gathered._replace(seeds=gather_seeds(context))
            pruned = prune_navmesh(built.navmesh, gathered.seeds, geometry_of(gathered))
            told = pruned.report.warnings[len(built.navmesh.report.warnings) :]
            for warning in told:
                self.report({"WARNING"}, warning.message)
            if pruned.report.counts["pruned_polygons"] == 0:
                if not told:
                    self.report({"INFO"}, "Seeds reach all of the navmesh: nothing was removed.")
                return {"CANCELLED"}
            wanted = wanted_of(context, scene_of(context), built.request.setup)
            write_back(scene_of(context), [_pruned_by_hand(built, gathered, pruned, wanted)])
        except (NavmeshError, MemoryError) as error:
            return report_error(self, error)
        counts = pruned.report.counts
        self.report({"INFO"}, f"Removed {counts['pruned_polygons']:,} polygons; {counts['polygons']:,} are left.")
        return {"FINISHED"}


def _pruned_by_hand(built: BuiltNavmesh, gathered: Gathered, pruned: NavMesh, wanted: Wanted) -> BuiltNavmesh:
    """What its setup asks for does not make it out of date, but a seed that moves does."""
    from ..builds.intent_check import check_request
    from ..builds.run_builds import islands_of, values_of
    from ..gather.gathered_level import fingerprint, for_pruning

    gathered = for_pruning(gathered)
    request = built.request._replace(prune=True, by_hand=True, gathered=gathered, wanted=wanted)
    seen = fingerprint(gathered, True)
    return built._replace(
        request=request, navmesh=pruned, islands=islands_of(pruned), values=values_of(pruned), fingerprint=seen,
        checked=check_request(request, pruned),
    )  # fmt: skip


CLASSES = (NAVMESH_OT_prune,)
