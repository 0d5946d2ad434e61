"""A brush that is drawn along the ground: blocks, areas, and blocks that go."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty
from mathutils import Vector

from ....navcore.errors import BadInput, NavmeshError
from ...blender_types import layout_of, mesh_of, not_none, scene_of, view_layer_of
from ...mesh_attributes import replace_faces
from ...objects.navmesh_objects import SETUP
from ...operator_types import Answer, InObjectMode, report_error
from ...picking import drawn_picks
from ...picking.picked_polygons import is_painting, is_tool_active, refuse_own, shown_navmesh
from ...redraw import redraw_views
from ...stored.area_types import area_name, area_rows
from ...stored.edit_objects import EditShape, edits_home, edits_in, new_edit
from ...stored.object_properties import NOT_WALKABLE, PLAIN, marks_of, object_use
from ...stored.setups import scene_properties
from ...stored.view_properties import BRUSHES, PAINT_AREA, UNBLOCK
from ..area_icons import icon_of_area
from ..questions.ground_handles import under_mouse
from .polygon_operators import agent_height_of

if TYPE_CHECKING:
    from ...picking.brush_strokes import BrushFace, FaceRing

_STEP = 0.25  # of the radius: points of a stroke are no closer


class NAVMESH_OT_paint(InObjectMode, bpy.types.Operator):
    """Paint along the ground, for every build to come: block it, give it an area, or take blocks away"""

    bl_idname = "navmesh.paint"
    bl_label = "Paint Navmesh"

    if TYPE_CHECKING:
        brush: str
        points: str
        radius: float
        area: int
    __annotations__ = {
        "brush": EnumProperty(name="Brush", items=BRUSHES[1:]),
        "points": StringProperty(
            name="Points", description="Places [x, y, z] along the stroke as JSON, in Blender's coordinates",
            options={"SKIP_SAVE"},
        ),
        "radius": FloatProperty(name="Radius", default=1.0, min=0.01, soft_max=20.0, unit="LENGTH"),
        "area": IntProperty(
            name="Area", description="Area type that is painted", default=PLAIN, min=NOT_WALKABLE, max=PLAIN
        ),
    }  # fmt: skip

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return super().poll(context) and (not is_tool_active(context) or is_painting(context))

    def act(self, context: bpy.types.Context) -> None:
        from ...picking.brush_strokes import brush_faces

        scene = scene_of(context)
        navmesh = shown_navmesh(scene)
        refuse_own(scene, str(navmesh.get(SETUP, "")))
        stroke = brush_faces(_points(self.points), self.radius)
        metres = scene.unit_settings.scale_length
        reach = agent_height_of(scene, navmesh) / metres / 2
        if self.brush == UNBLOCK:
            self._unblock(context, stroke, reach)
            return
        points, rings = _shape(stroke)
        is_area = self.brush == PAINT_AREA
        name = area_name(scene, self.area) if is_area else ""
        object_ = new_edit("AREA" if is_area else "BLOCK", EditShape(points, rings, reach, reach), metres, name)
        if is_area:
            marks_of(object_).area = self.area or PLAIN
        edits_home(scene).objects.link(object_)
        view_layer_of(context).update()
        self.report({"INFO"}, f"Painted “{object_.name}”. Build again to see what it does.")

    def _unblock(self, context: bpy.types.Context, stroke: list[BrushFace], reach: float) -> None:
        scene = scene_of(context)
        setup = str(shown_navmesh(scene).get(SETUP, ""))
        blocks = [one for one in edits_in(scene, setup) if object_use(one) == "BLOCK" and one.visible_get()]
        cut: list[str] = []
        solid: list[str] = []
        for object_ in blocks:
            name = object_.name  # nothing may be left of it
            if object_.type != "MESH" or object_.library is not None or not object_.is_editable or object_.modifiers:
                solid.append(name)
            elif _cut_block(object_, stroke, reach):
                cut.append(name)
        view_layer_of(context).update()
        names = " and ".join(f"“{name}”" for name in cut[:2])
        left = f" “{solid[0]}” has no faces of its own that could be cut: move or delete it." if solid else ""
        self.say(
            bool(cut), f"Took away from {names}. Build again." if cut else f"There is no block to take away.{left}"
        )

    # --- in a window

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        """Along the mouse, until it is let go."""
        stored = scene_properties(scene_of(context))
        try:
            shown_navmesh(scene_of(context))
        except NavmeshError as error:
            return report_error(self, error)
        self.brush, self.radius, self.area = stored.edit_brush, stored.edit_radius, stored.edit_area
        drawn_picks.stroke.value = ()
        self._follow(context, event)
        not_none(context.window_manager).modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> Answer:
        if event.type in ("ESC", "RIGHTMOUSE"):
            return self._end({"CANCELLED"})
        if event.type == "MOUSEMOVE":
            self._follow(context, event)
        elif event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if not drawn_picks.stroke.value:
                self._end({"CANCELLED"})
                return self.refuse("There is nothing under the mouse: paint on the level or its navmesh.")
            self.points = json.dumps(drawn_picks.stroke.value)
            self._end({"FINISHED"})
            return self.execute(context)
        return {"RUNNING_MODAL"}

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender ends the operator."""
        self._end({"CANCELLED"})

    def _follow(self, context: bpy.types.Context, event: bpy.types.Event) -> None:
        place = under_mouse(context, event)
        if place is None:
            return
        point, so_far = (place.x, place.y, place.z), drawn_picks.stroke.value
        if not so_far or math.dist(point, so_far[-1]) > _STEP * self.radius:
            drawn_picks.stroke.value = (*so_far, point)
            redraw_views()

    def _end(self, answer: Answer) -> Answer:
        drawn_picks.stroke.forget()
        redraw_views()
        return answer


def _points(text: str) -> list[list[float]]:
    """Places from JSON. Raises BadInput."""
    try:
        given: Any = json.loads(text)
        points = [[float(part) for part in point] for point in given]
    except (TypeError, ValueError):
        points = []
    if not points or not all(len(point) == 3 and all(map(math.isfinite, point)) for point in points):
        raise BadInput(f"{text!r:.60} are no places. Give them as '[[0, 0, 0], [2, 0, 0]]'.", "WRONG_KIND")
    return points


def _shape(stroke: list[BrushFace]) -> tuple[list[tuple[float, float, float]], list[list[int]]]:
    """The points of a stroke's faces, none of which shares any: they may lie over each other."""
    points = [point for face in stroke for point in face.ring]
    firsts = [sum(len(face.ring) for face in stroke[:k]) for k in range(len(stroke))]
    return points, [list(range(first, first + len(face.ring))) for first, face in zip(firsts, stroke, strict=True)]


def _cut_block(object_: bpy.types.Object, stroke: list[BrushFace], reach: float) -> bool:
    """Take what a stroke covers away from a block; one of which nothing is left goes. Returns whether it did so."""
    import numpy as np  # here: Blender's start does not wait for it

    from ...picking.brush_strokes import joined_points, without

    matrix = object_.matrix_world
    faces = [[(matrix @ point).to_tuple() for point in ring] for ring in _convex_rings(object_)]
    left, changed = without(faces, stroke, reach)
    if not changed:
        return False
    points, rings = joined_points(left)
    if not rings:
        mesh = mesh_of(object_)
        bpy.data.objects.remove(object_)
        if not mesh.users:
            bpy.data.meshes.remove(mesh)
        return True
    if mesh_of(object_).users > 1:
        object_.data = mesh_of(object_).copy()
    back = matrix.inverted_safe()
    sizes = np.array([len(ring) for ring in rings])
    local = np.array([(back @ Vector(point)).to_tuple() for point in points], np.float32)
    corners = np.array([corner for ring in rings for corner in ring], np.int32)
    replace_faces(object_, mesh_of(object_), local, corners, (np.cumsum(sizes) - sizes).astype(np.int32))
    mesh_of(object_).update(calc_edges=True)
    return True


def _convex_rings(object_: bpy.types.Object) -> list[list[Any]]:
    """Its faces as they are where they are convex, else as triangles; points in its own coordinates."""
    from ...picking.brush_strokes import is_convex

    mesh = mesh_of(object_)
    mesh.calc_loop_triangles()
    triangles: dict[int, list[list[Any]]] = {}
    for triangle in mesh.loop_triangles:
        corners = [mesh.vertices[vertex].co for vertex in triangle.vertices]
        triangles.setdefault(triangle.polygon_index, []).append(corners)
    rings: list[list[Any]] = []
    for face in mesh.polygons:
        ring = [mesh.vertices[vertex].co for vertex in face.vertices]
        plain: FaceRing = [(point.x, point.y, point.z) for point in ring]
        rings += [ring] if is_convex(plain) else triangles.get(face.index, [])
    return rings


class NAVMESH_MT_area_of_brush(bpy.types.Menu):
    """The area type that the brush paints"""

    bl_idname = "NAVMESH_MT_area_of_brush"
    bl_label = "Area of the Brush"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        for row in area_rows(scene):
            icon = icon_of_area(scene, row.area)
            button: Any = layout.operator("wm.context_set_int", text=row.name, icon_value=icon)
            button.data_path, button.value = "scene.navmesh.edit_area", row.area
