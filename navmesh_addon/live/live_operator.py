"""The button that switches live mode on and off."""

from __future__ import annotations

import bpy

from ..blender_types import scene_of
from ..objects.face_colors import add_all_slots
from ..objects.materials import tint_object
from ..objects.navmesh_objects import navmesh_objects
from ..operator_types import Answer
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import scene_properties


class NAVMESH_OT_live(bpy.types.Operator):
    """Follow the level while you work: what changed is built again and shown at once, and written when you rest"""

    bl_idname = "navmesh.live"
    bl_label = "Live"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and scene_of(context).is_editable

    def execute(self, context: bpy.types.Context) -> Answer:
        """Also gives navmeshes all colors that they may ever show: what follows creates nothing."""
        scene = scene_of(context)
        stored = scene_properties(scene)
        stored.live, stored.live_paused = not stored.live, False
        for setup in stored.setups if stored.live else ():
            _make_room(scene, setup)
        return {"FINISHED"}


def _make_room(scene: bpy.types.Scene, setup: NavmeshSetup) -> None:
    for (_, role), object_ in navmesh_objects(scene, setup.uid).items():
        if object_.mode == "OBJECT" and role in (POLYGON_MESH, DETAIL_MESH):
            add_all_slots(scene, object_)
            tint_object(object_, setup)
        if role == POLYGON_MESH and setup.generate_links:
            from ..objects.write_links import make_room_for_links  # here: it needs NumPy

            make_room_for_links(object_.users_collection[0], object_, scene.unit_settings.scale_length)


CLASSES = (NAVMESH_OT_live,)
