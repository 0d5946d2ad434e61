"""Ask why there is no navmesh somewhere."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import FloatVectorProperty, StringProperty

from ....navcore.errors import NavmeshError
from ...ask import drawn_reason, shown_reason
from ...blender_types import scene_of
from ...operator_types import Acting, Answer, report_error
from ...redraw import redraw_views
from ...stored.setups import scene_properties

# --- What can be done with the answer to “Why not here?”: try the change that it offers, or put it away.


class NAVMESH_OT_preview_change(Acting, bpy.types.Operator):
    """Show what the change would do around the place: ground that comes in green, ground that goes in red.

    The level around it is built with it, nothing is changed"""

    bl_idname = "navmesh.preview_change"
    bl_label = "Preview"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        changes: str
    __annotations__ = {
        "changes": StringProperty(name="Changes", description="Names and values as JSON", options={"SKIP_SAVE"})
    }

    def act(self, context: bpy.types.Context) -> Answer | None:
        shown = drawn_reason.shown_in(scene_of(context))
        if shown is None:
            raise NavmeshError("The answer is of another level by now. Ask again.", "NOTHING_TO_ASK")
        try:
            shown.begin_preview(json.loads(self.changes))
        except ValueError as error:
            return report_error(self, error)
        if not bpy.app.background:
            drawn_reason.watch_preview()
            return None
        shown.wait()  # no timer would ever look
        preview = shown.preview()
        if preview is not None:
            self.report({"INFO"}, f"{preview.sentence}.")
        return None


class NAVMESH_OT_forget_reason(Acting, bpy.types.Operator):
    """Take the answer out of the viewport and the panel"""

    bl_idname = "navmesh.forget_reason"
    bl_label = "Close"
    bl_options = {"UNDO", "INTERNAL"}

    def act(self, context: bpy.types.Context) -> None:
        scene_properties(scene_of(context)).why_answer = ""
        redraw_views()


class NAVMESH_OT_why(Acting, bpy.types.Operator):
    """Say why there is no navmesh at a place: the first rule that removed it, with its limit, and what to change;
    `scene.navmesh.why_answer` holds the answer as JSON"""

    bl_idname = "navmesh.why"
    bl_label = "Why Not Here?"

    if TYPE_CHECKING:
        location: Sequence[float]
    __annotations__ = {"location": FloatVectorProperty(name="Location", subtype="TRANSLATION", size=3)}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        """At the mouse."""
        from .ground_handles import under_mouse
        from .test_tool import NOTHING_THERE

        place = under_mouse(context, event)
        if place is None:
            return self.refuse(f"{NOTHING_THERE}.")
        self.location = place[:]
        return self.execute(context)

    def act(self, context: bpy.types.Context) -> None:
        from ...ask.why_here import why_here

        scene = scene_of(context)
        stored = scene_properties(scene)
        try:
            facts, asked = why_here(context, scene, self.location)
        except NavmeshError as error:
            stored.why_answer = json.dumps({"walkable": False, "code": error.code, "sentence": str(error)})
            raise
        stored.why_answer = json.dumps({**facts, "location": list(self.location)})
        shown_reason.show(stored.why_answer, asked)
        redraw_views()
        self.report({"INFO"}, facts["sentence"])
