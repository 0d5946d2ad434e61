"""Ask the navmesh for a way, also in scripts and in the background."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatVectorProperty

from ....navcore.errors import NavmeshError
from ...blender_types import scene_of
from ...errors import report_error
from ...operator_types import Answer
from ...stored.path_tests import MODES
from ...stored.setups import scene_properties


class NAVMESH_OT_find_path(bpy.types.Operator):
    """Find the way from one place to another on the navmesh of the active setup; `scene.navmesh.path_answer` holds the
    answer as JSON"""

    bl_idname = "navmesh.find_path"
    bl_label = "Find Path"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
        mode: str
    __annotations__ = {
        "start": FloatVectorProperty(name="Start", subtype="TRANSLATION", size=3),
        "end": FloatVectorProperty(name="End", subtype="TRANSLATION", size=3),
        "mode": EnumProperty(name="Test", description="What is asked of the navmesh", items=MODES),
    }

    def execute(self, context: bpy.types.Context) -> Answer:
        from ...ask.in_blender import answer_in_scene, in_blenders_coordinates

        scene = scene_of(context)
        stored = scene_properties(scene)
        try:
            answered = answer_in_scene(scene, self.mode, self.start, self.end)
        except NavmeshError as error:
            stored.path_answer = json.dumps({"status": "error", "code": error.code, "sentence": str(error)})
            return report_error(self, error)
        facts = in_blenders_coordinates(answered, scene.unit_settings.scale_length)
        stored.path_answer = json.dumps(facts)
        stored.test_mode, stored.test_start, stored.test_end = self.mode, self.start, self.end
        complete = facts["status"] == "complete"
        self.report({"INFO"} if complete else {"WARNING"}, f"{answered.sentence}.")
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_find_path,)
