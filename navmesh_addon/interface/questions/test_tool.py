"""The tool “Navmesh Test”: a click sets the start, Ctrl-click the end, and both can be dragged along the ground."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

import bpy
from bpy.props import EnumProperty, FloatVectorProperty, StringProperty
from mathutils import Matrix

from ....navcore.errors import NavmeshError
from ...ask import current_answer, drawn_answer
from ...ask.asked_navmesh import is_for_sizes
from ...blender_types import not_none, scene_of
from ...objects.navmesh_objects import metres_of
from ...operator_types import Acting, Answer, Saying
from ...package_names import FOLDER
from ...stored.path_tests import MODES
from ...stored.setups import scene_properties
from .ground_handles import END, START, BothHandles, Handle, under_mouse

# --- Ask the navmesh for a way, also in scripts and in the background.


class NAVMESH_OT_find_path(Acting, bpy.types.Operator):
    """Find the way from one place to another on the navmesh of the active setup; `scene.navmesh.path_answer` holds the
    answer as JSON"""

    bl_idname = "navmesh.find_path"
    bl_label = "Find Path"

    if TYPE_CHECKING:
        start: Sequence[float]
        end: Sequence[float]
        mode: str
        size: str
    __annotations__ = {
        "start": FloatVectorProperty(name="Start", subtype="TRANSLATION", size=3),
        "end": FloatVectorProperty(name="End", subtype="TRANSLATION", size=3),
        "mode": EnumProperty(name="Test", description="What is asked of the navmesh", items=MODES),
        "size": StringProperty(
            name="Size",
            description="Whose ground is kept to, on a navmesh for several sizes of agents; empty: the chosen one",
            options={"SKIP_SAVE"},
        ),
    }

    def act(self, context: bpy.types.Context) -> None:
        from ...ask.in_blender import answer_in_scene, in_blenders_coordinates

        scene = scene_of(context)
        stored = scene_properties(scene)
        if self.size:
            stored.test_size = self.size
        try:
            answered = answer_in_scene(scene, self.mode, self.start, self.end)
        except NavmeshError as error:
            stored.path_answer = json.dumps({"status": "error", "code": error.code, "sentence": str(error)})
            raise
        facts = in_blenders_coordinates(answered, metres_of(scene))
        stored.path_answer = json.dumps(facts)
        stored.test_mode, stored.test_start, stored.test_end = self.mode, self.start, self.end
        self.say(facts["status"] == "complete", f"{answered.sentence}.")


_PROPERTY = {START: "test_start", END: "test_end"}
NOTHING_THERE = "There is nothing under the mouse: click the level or its navmesh"


class NAVMESH_OT_set_test_point(Saying, bpy.types.Operator):
    """Set where the tested path begins or ends; drag to move it along the ground"""

    bl_idname = "navmesh.set_test_point"
    bl_label = "Set Test Point"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    if TYPE_CHECKING:
        which: str
    __annotations__ = {
        "which": EnumProperty(
            name="Which", items=((START, "Start", "Where the path begins"), (END, "End", "Where it leads"))
        ),
    }

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if not move_to_mouse(context, event, self.which):
            return self.refuse(f"{NOTHING_THERE}.")
        not_none(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type == "MOUSEMOVE":
            move_to_mouse(context, event, self.which)
        elif event.value == "RELEASE" or event.type in ("ESC", "RIGHTMOUSE"):
            return {"FINISHED"}
        return {"RUNNING_MODAL"}


def move_to_mouse(context: bpy.types.Context, event: bpy.types.Event, which: str) -> bool:
    """Put a handle on what is under the mouse; False where nothing is."""
    place = under_mouse(context, event)
    if place is None:
        return False
    stored = scene_properties(scene_of(context))
    for one, name in _PROPERTY.items():
        if one == which or not stored.is_property_set(name):  # the first click sets both
            setattr(stored, name, place)
    drawn_answer.redraw_answer()
    return True


class NAVMESH_GT_test_point(Handle, bpy.types.Gizmo):
    """A handle that stands on the ground"""

    bl_idname = "NAVMESH_GT_test_point"
    __slots__ = ("before", "shape", "which")

    if TYPE_CHECKING:
        before: Sequence[float]

    def begin(self, context: bpy.types.Context, _event: bpy.types.Event) -> bool:
        self.before = tuple(getattr(scene_properties(scene_of(context)), _PROPERTY[self.which]))
        return True

    def drag(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        move_to_mouse(context, event, self.which)

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        if cancel:
            setattr(scene_properties(scene_of(context)), _PROPERTY[self.which], self.before)
            drawn_answer.redraw_answer()
        else:
            bpy.ops.ed.undo_push(message="Move Test Point")


class NAVMESH_GGT_test(BothHandles, bpy.types.GizmoGroup):
    """Both handles"""

    bl_idname = "NAVMESH_GGT_test"
    bl_label = "Navmesh Test"
    kind = NAVMESH_GT_test_point.bl_idname

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and drawn_answer.is_tool_active(context)

    def draw_prepare(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        for which, handle in self.handles.items():
            name = _PROPERTY[which]
            handle.hide = not stored.is_property_set(name)
            handle.matrix_basis = Matrix.Translation(getattr(stored, name))


class NavmeshTest(bpy.types.WorkSpaceTool):
    """Ask the navmesh: set start and end, and see the way at once"""

    bl_space_type = "VIEW_3D"
    bl_context_mode = "OBJECT"
    bl_idname = drawn_answer.TOOL
    bl_label = "Navmesh Test"
    bl_description = (
        "Ask the navmesh. Click to set the start, Ctrl-click to set the end, drag either along the ground; "
        "Alt-click where there is none to hear why; Space lets an agent walk the way, Shift-Space one more.\n"
        "Path, shortest path, raycast, wall distance, reach and more in the tool's settings"
    )
    bl_icon = str(FOLDER / "icons/navmesh.test")  # drawn by tools/tool_icons.py
    bl_widget = NAVMESH_GGT_test.bl_idname
    bl_keymap = (
        ("navmesh.set_test_point", {"type": "LEFTMOUSE", "value": "PRESS"}, {"properties": [("which", START)]}),
        (
            "navmesh.set_test_point",
            {"type": "LEFTMOUSE", "value": "PRESS", "ctrl": True},
            {"properties": [("which", END)]},
        ),
        ("navmesh.why", {"type": "LEFTMOUSE", "value": "PRESS", "alt": True}, None),
        ("navmesh.walk", {"type": "SPACE", "value": "PRESS"}, None),
        ("navmesh.walk_add", {"type": "SPACE", "value": "PRESS", "shift": True}, {"properties": [("count", 1)]}),
        ("navmesh.walk_stop", {"type": "ESC", "value": "PRESS"}, None),
    )

    @staticmethod
    def draw_settings(context: bpy.types.Context, layout: bpy.types.UILayout, _tool: object) -> None:
        layout.prop(scene_properties(scene_of(context)), "test_mode")
        draw_size(layout, scene_of(context))
        layout.label(text=current_answer.current(scene_of(context)).sentence)


def draw_size(layout: bpy.types.UILayout, scene: bpy.types.Scene) -> None:
    """Whose ground is kept to: the setups are the sizes of a navmesh that was built as one."""
    if is_for_sizes(scene):
        stored = scene_properties(scene)
        layout.prop_search(stored, "test_size", stored, "setups", icon="USER")


TOOLS = ((NavmeshTest, {"separator": True}),)
