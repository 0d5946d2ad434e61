"""Remove from a navmesh what no seed can reach."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from ...navcore.errors import NavmeshError
from ..blender_types import known, scene_of
from ..builds import active_build
from ..errors import report_error
from ..objects.built_from import finished_navmesh
from ..objects.navmesh_objects import SETUP
from ..operator_types import Answer
from ..stored.setups import find_setup


class NAVMESH_OT_prune(bpy.types.Operator):
    """Remove ground that no seed can reach. Mark empties as Seed where agents set out"""

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
        from ..gather.gathered_level import fingerprint, for_pruning
        from ..objects.write_navmeshes import write_back

        try:
            active_build.check_idle()
            built = finished_navmesh(context, self.setup)
            pruned = prune_navmesh(built.navmesh, gather_seeds(context))
            gathered = for_pruning(built.request.gathered)
            again = built.request._replace(prune=True, gathered=gathered)
            now = built._replace(request=again, navmesh=pruned, fingerprint=fingerprint(gathered, True))
            [object_] = write_back(scene_of(context), [now])
            setup = known(find_setup(scene_of(context), object_[SETUP]))
            setup.prune = True  # so that building again leaves it out, too
        except (NavmeshError, MemoryError) as error:
            return report_error(self, error)
        counts = pruned.report.counts
        self.report({"INFO"}, f"Removed {counts['pruned_polygons']:,} polygons; {counts['polygons']:,} are left.")
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_prune,)
