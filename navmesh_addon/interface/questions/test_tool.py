"""The tool “Navmesh Test”: a click sets the start, Ctrl-click the end, and both can be dragged along the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import EnumProperty
from mathutils import Matrix, Vector

from ...ask import current_answer, drawn_answer
from ...blender_types import known, scene_of
from ...operator_types import Answer
from ...stored.setups import scene_properties

START, END = "START", "END"
_PROPERTY = {START: "test_start", END: "test_end"}
_COLORS = {START: (0.2, 0.75, 0.25), END: (0.9, 0.3, 0.15)}
_BRIGHT = 0.3  # lighter under the mouse
_RADIUS, _HEIGHT, _SIDES = 0.22, 0.8, 16  # of a handle, in the size of gizmos
NOTHING_THERE = "There is nothing under the mouse: click the level or its navmesh"


class NAVMESH_OT_set_test_point(bpy.types.Operator):
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
            self.report({"WARNING"}, f"{NOTHING_THERE}.")
            return {"CANCELLED"}
        known(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type == "MOUSEMOVE":
            move_to_mouse(context, event, self.which)
        elif event.value == "RELEASE" or event.type in ("ESC", "RIGHTMOUSE"):
            return {"FINISHED"}
        return {"RUNNING_MODAL"}


def move_to_mouse(context: bpy.types.Context, event: bpy.types.Event, which: str) -> bool:
    """Put a handle on what is under the mouse; False where nothing is."""
    place = under_mouse(context, (event.mouse_region_x, event.mouse_region_y))
    if place is None:
        return False
    stored = scene_properties(scene_of(context))
    for one, name in _PROPERTY.items():
        if one == which or not stored.is_property_set(name):  # the first click sets both
            setattr(stored, name, place)
    drawn_answer.redraw_answer()
    return True


def under_mouse(context: bpy.types.Context, mouse: tuple[float, float]) -> Vector | None:
    """The first surface of the scene under a place of the viewport."""
    from bpy_extras import view3d_utils

    region, view = known(context.region), cast("bpy.types.RegionView3D", context.region_data)
    origin = view3d_utils.region_2d_to_origin_3d(region, view, mouse)
    way = view3d_utils.region_2d_to_vector_3d(region, view, mouse)
    found: Any = scene_of(context).ray_cast(context.evaluated_depsgraph_get(), origin, way)  # the stubs know no tuple
    return found[1] if found[0] else None


class NAVMESH_GT_test_point(bpy.types.Gizmo):
    """A handle that stands on the ground"""

    bl_idname = "NAVMESH_GT_test_point"
    __slots__ = ("before", "shape", "which")

    if TYPE_CHECKING:
        which: str
        shape: Any
        before: Sequence[float]

    def setup(self) -> None:
        if not hasattr(self, "shape"):
            self.shape = self.new_custom_shape("TRIS", pin())

    def draw(self, _context: bpy.types.Context) -> None:
        self.draw_custom_shape(self.shape)

    def draw_select(self, _context: bpy.types.Context, select_id: int) -> None:  # type: ignore[override]
        self.draw_custom_shape(self.shape, select_id=select_id)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:  # type: ignore[override]
        self.before = tuple(getattr(scene_properties(scene_of(context)), _PROPERTY[self.which]))
        return {"RUNNING_MODAL"}

    def modal(  # type: ignore[override]
        self, context: bpy.types.Context, event: bpy.types.Event, _tweak: set[str]
    ) -> set[str]:
        move_to_mouse(context, event, self.which)
        return {"RUNNING_MODAL"}

    def exit(self, context: bpy.types.Context, cancel: bool | None) -> None:
        if cancel:
            setattr(scene_properties(scene_of(context)), _PROPERTY[self.which], self.before)
            drawn_answer.redraw_answer()
        else:
            bpy.ops.ed.undo_push(message="Move Test Point")


class NAVMESH_GGT_test(bpy.types.GizmoGroup):
    """Both handles"""

    bl_idname = "NAVMESH_GGT_test"
    bl_label = "Navmesh Test"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT"}

    if TYPE_CHECKING:
        handles: dict[str, bpy.types.Gizmo]

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and drawn_answer.is_tool_active(context)

    def setup(self, _context: bpy.types.Context) -> None:
        self.handles = {}
        for which, color in _COLORS.items():
            handle: Any = self.gizmos.new(NAVMESH_GT_test_point.bl_idname)
            handle.which = which
            handle.color, handle.alpha = color, 0.9
            handle.color_highlight = tuple(min(1.0, part + _BRIGHT) for part in color)
            handle.alpha_highlight = 1.0
            handle.use_draw_modal = True
            self.handles[which] = handle

    def draw_prepare(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        for which, handle in self.handles.items():
            name = _PROPERTY[which]
            handle.hide = not stored.is_property_set(name)
            handle.matrix_basis = Matrix.Translation(getattr(stored, name))


def pin() -> list[tuple[float, float, float]]:
    """The triangles of a cone that stands on its tip, with a cap."""
    from math import cos, pi, sin

    rim = [(_RADIUS * cos(2 * pi * k / _SIDES), _RADIUS * sin(2 * pi * k / _SIDES), _HEIGHT) for k in range(_SIDES)]
    tip, top = (0.0, 0.0, 0.0), (0.0, 0.0, _HEIGHT)
    triangles = []
    for one, other in zip(rim, [*rim[1:], rim[0]], strict=True):
        triangles += [tip, other, one, top, one, other]
    return triangles


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
    bl_icon = "ops.generic.cursor"
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
        layout.label(text=current_answer.current(scene_of(context)).sentence)


CLASSES = (NAVMESH_OT_set_test_point, NAVMESH_GT_test_point, NAVMESH_GGT_test)


def register() -> None:
    if not bpy.app.background:
        bpy.utils.register_tool(NavmeshTest, separator=True)


def unregister() -> None:
    if not bpy.app.background:
        bpy.utils.unregister_tool(NavmeshTest)
