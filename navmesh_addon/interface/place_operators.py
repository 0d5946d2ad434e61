"""Operators on places that must be walkable: add one, and look at one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import bpy
from bpy.props import FloatVectorProperty, StringProperty

from ..blender_types import not_none, scene_of, view_layer_of
from ..operator_types import Answer
from ..stored.object_properties import marks_of
from ..stored.setups import scene_properties

FIRST_PLACE, PLACES = "Place", "Places"  # names of an empty, and of the collection that it is put into
_EMPTY = 0.5  # metres wide
_FAR = 8.0  # metres from a place that is looked at


class NAVMESH_OT_place_add(bpy.types.Operator):
    """Add an empty at the 3D cursor to the collection of places that must be walkable; the first one makes it"""

    bl_idname = "navmesh.place_add"
    bl_label = "Add Place at 3D Cursor"
    bl_options = {"REGISTER", "UNDO"}

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def execute(self, context: bpy.types.Context) -> Answer:
        scene = scene_of(context)
        place = add_place(scene, self.name or FIRST_PLACE, scene.cursor.location[:])
        view_layer_of(context).update()
        self.report({"INFO"}, f"Added “{place.name}” to “{not_none(scene_properties(scene).must_reach).name}”.")
        return {"FINISHED"}


def add_place(scene: bpy.types.Scene, name: str, at: Sequence[float]) -> bpy.types.Object:
    """An empty in the collection of places, which is made where there is none. For operators with undo."""
    stored = scene_properties(scene)
    home = stored.must_reach
    if home is None or home.library is not None:
        home = stored.must_reach = bpy.data.collections.new(PLACES)
    if home not in scene.collection.children_recursive:
        not_none(scene.collection).children.link(home)
    place = bpy.data.objects.new(name, None)
    place.empty_display_type, place.empty_display_size = "CIRCLE", _EMPTY / scene.unit_settings.scale_length
    place.location = at
    marks_of(place).use = "EXCLUDE"
    home.objects.link(place)
    return place


class NAVMESH_OT_look_at(bpy.types.Operator):
    """Look at this place"""

    bl_idname = "navmesh.look_at"
    bl_label = "Look at the Place"
    bl_options = {"INTERNAL"}

    if TYPE_CHECKING:
        location: Sequence[float]
    __annotations__ = {
        "location": FloatVectorProperty(name="Location", subtype="TRANSLATION", size=3, options={"SKIP_SAVE"})
    }

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.area is not None and context.area.type == "VIEW_3D"

    def execute(self, context: bpy.types.Context) -> Answer:
        view = not_none(cast("bpy.types.SpaceView3D", context.space_data).region_3d)
        if view.view_perspective == "CAMERA":  # it would stay where the camera is
            view.view_perspective = "PERSP"
        view.view_location = self.location
        view.view_distance = _FAR / scene_of(context).unit_settings.scale_length
        return {"FINISHED"}


CLASSES = (NAVMESH_OT_place_add, NAVMESH_OT_look_at)
