"""Ask why there is no navmesh somewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty

from ....navcore.errors import NavmeshError
from ...ask import shown_reason
from ...blender_types import scene_of
from ...errors import report_error
from ...operator_types import Answer
from ...redraw import redraw_views
from ...stored.setups import scene_properties


class NAVMESH_OT_why(bpy.types.Operator):
    """Say why there is no navmesh at a place: the first rule that removed it, with its limit, and what to change;
    `scene.navmesh.why_answer` holds the answer as JSON"""

    bl_idname = "navmesh.why"
    bl_label = "Why Not Here?"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        location: Sequence[float]
    __annotations__ = {"location": FloatVectorProperty(name="Location", subtype="TRANSLATION", size=3)}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        """At the mouse."""
        from .ground_handles import under_mouse
        from .test_tool import NOTHING_THERE

        place = under_mouse(context, (event.mouse_region_x, event.mouse_region_y))
        if place is None:
            self.report({"WARNING"}, f"{NOTHING_THERE}.")
            return {"CANCELLED"}
        self.location = place[:]
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> Answer:
        from ...ask.why_here import why_here

        scene = scene_of(context)
        stored = scene_properties(scene)
        try:
            facts, asked = why_here(context, scene, self.location)
        except NavmeshError as error:
            stored.why_answer = json.dumps({"walkable": False, "code": error.code, "sentence": str(error)})
            return report_error(self, error)
        stored.why_answer = json.dumps({**facts, "location": list(self.location)})
        shown_reason.show(stored.why_answer, asked)
        redraw_views()
        self.report({"INFO"}, facts["sentence"])
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_why,)
