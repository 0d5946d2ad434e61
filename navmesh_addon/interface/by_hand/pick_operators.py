"""Pick polygons of the navmesh: by clicks, within a box, whole islands."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, cast

import bpy
from bpy.props import EnumProperty, StringProperty

from ....navcore.build_warning import counted
from ....navcore.errors import BadInput, NavmeshError
from ...blender_types import not_none, scene_of
from ...operator_types import Acting, Answer, InObjectMode, report_error
from ...picking import drawn_picks
from ...picking.picked_polygons import faces_of, is_painting, pick, picked, picked_faces, shown_navmesh
from ...redraw import redraw_views
from ..questions.ground_handles import ray_under_mouse

_DRAG = 5  # pixels that a mouse may move in a click
_SET, _ADD, _TAKE = "SET", "ADD", "TAKE"
_HOW = (
    (_SET, "Set", "These, and no others"),
    (_ADD, "Add", "These, too; by a click: this one, or no longer"),
    (_TAKE, "Take Away", "These no longer"),
)


def named_faces(text: str) -> list[int]:
    """Numbers of polygons from JSON, none from an empty text. Raises BadInput."""
    try:
        faces: Any = json.loads(text or "[]")
    except ValueError:
        faces = None
    if not isinstance(faces, list) or not all(type(face) is int for face in faces):
        raise BadInput(f"{text!r:.60} are no numbers of polygons. Give them as '[0, 3]'.", "WRONG_KIND")
    return faces


class _Picking(Acting):
    """Nothing of the scene changes: no step of undo."""

    bl_options = {"REGISTER"}

    def take(self, scene: bpy.types.Scene, faces: Collection[int], how: str) -> None:
        """Raises BadInput."""
        before = picked(scene)
        known = frozenset() if before is None else before.faces
        chosen = frozenset(faces)
        pick(scene, chosen if how == _SET else known | chosen if how == _ADD else known - chosen)
        now = picked(scene)
        self.report({"INFO"}, f"{counted(0 if now is None else len(now.faces), 'polygon')} picked.")


class NAVMESH_OT_pick_polygons(InObjectMode, _Picking, bpy.types.Operator):
    """Pick polygons of the navmesh: click, Shift-click for more, drag for a box, Ctrl-drag to take away"""

    bl_idname = "navmesh.pick_polygons"
    bl_label = "Pick Navmesh Polygons"

    if TYPE_CHECKING:
        faces: str
        how: str
        _start: tuple[int, int]
    __annotations__ = {
        "faces": StringProperty(name="Polygons", description="Their numbers as JSON", options={"SKIP_SAVE"}),
        "how": EnumProperty(name="How", items=_HOW, options={"SKIP_SAVE"}),
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and not is_painting(context)

    def act(self, context: bpy.types.Context) -> None:
        self.take(scene_of(context), named_faces(self.faces), self.how)

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        """At the mouse, until it is let go."""
        try:
            shown_navmesh(scene_of(context))
        except NavmeshError as error:
            return report_error(self, error)
        self._start = event.mouse_region_x, event.mouse_region_y
        self.how = _ADD if event.shift else _TAKE if event.ctrl else _SET
        not_none(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type in ("ESC", "RIGHTMOUSE"):
            return self._end({"CANCELLED"})
        if event.type == "MOUSEMOVE":
            self._move(event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            try:
                self._let_go(context, event)
            except NavmeshError as error:
                self._end({"CANCELLED"})
                return report_error(self, error)
            return self._end({"FINISHED"})
        return {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender ends the operator."""
        self._end({"CANCELLED"})

    def _move(self, event: bpy.types.Event) -> None:
        (x, y), (x0, y0) = (event.mouse_region_x, event.mouse_region_y), self._start
        if drawn_picks.box.value is not None or max(abs(x - x0), abs(y - y0)) > _DRAG:
            drawn_picks.box.value = min(x, x0), min(y, y0), max(x, x0), max(y, y0)
            redraw_views()

    def _let_go(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        from ...picking.polygon_faces import within_box

        scene, box = scene_of(context), drawn_picks.box.value
        if box is not None:
            region, view = not_none(context.region), cast("bpy.types.RegionView3D", context.region_data)
            faces, size = faces_of(scene, shown_navmesh(scene)), (region.width, region.height)
            matrix: Any = view.perspective_matrix  # the stubs know no array
            self.take(scene, within_box(faces, matrix, size, box), self.how)
            return
        face = face_under_mouse(context, event)
        if face < 0:
            if self.how == _SET:
                self.take(scene, [], _SET)
            self.say(False, "There is no navmesh under the mouse: Alt-click says why.")
            return
        before = picked(scene)
        again = self.how == _ADD and before is not None and face in before.faces
        self.take(scene, [face], _TAKE if again else self.how)

    def _end(self, answer: Answer) -> Answer:
        drawn_picks.box.forget()
        redraw_views()
        return answer


def face_under_mouse(context: bpy.types.Context, event: bpy.types.Event) -> int:
    """The polygon that is seen under the mouse; -1 where none is, or where something of the scene hides it."""
    from ...picking.polygon_faces import under_ray

    scene = scene_of(context)
    object_ = shown_navmesh(scene)
    origin, way = ray_under_mouse(context, event)
    face, distance = under_ray(faces_of(scene, object_), (origin.x, origin.y, origin.z), (way.x, way.y, way.z))
    if face < 0:
        return -1
    found: Any = scene.ray_cast(context.evaluated_depsgraph_get(), origin, way)  # the stubs know no tuple
    slack = _HIDDEN / scene.unit_settings.scale_length
    return -1 if found[0] and (found[1] - origin).length < distance - slack else face


_HIDDEN = 0.75  # metres that a polygon may lie below the ground it is of, as the eye looks


class NAVMESH_OT_pick_island(InObjectMode, _Picking, bpy.types.Operator):
    """Pick all polygons of the islands of those that are picked"""

    bl_idname = "navmesh.pick_island"
    bl_label = "Pick Navmesh Island"

    def act(self, context: bpy.types.Context) -> None:
        from ...picking.polygon_faces import on_islands_of

        object_, chosen = picked_faces(context, ())
        self.take(scene_of(context), on_islands_of(faces_of(scene_of(context), object_), chosen), _SET)


class NAVMESH_OT_pick_none(_Picking, bpy.types.Operator):
    """Pick no polygon any more"""

    bl_idname = "navmesh.pick_none"
    bl_label = "Pick No Navmesh Polygon"
    bl_options = {"REGISTER", "INTERNAL"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and picked(context.scene) is not None

    def act(self, context: bpy.types.Context) -> None:
        pick(scene_of(context), ())
