"""What becomes of navmeshes that were edited by hand when they are built again: somebody has answered."""

from __future__ import annotations

from collections.abc import Collection

import bpy

from ..blender_types import not_none, scene_of
from .edits_from_mesh import keep_as_edits
from .hand_edits import edited_navmeshes
from .navmesh_objects import SETUP, polygon_mesh_of
from .taken_over import take_over


def keep_edited(context: bpy.types.Context, setups: Collection[str], by_hand: bool) -> None:
    """Make edits of what was changed on the navmeshes of these setups, or `by_hand` meshes of one's own of these.
    Raises NavmeshError."""
    scene = scene_of(context)
    for uid in dict.fromkeys(str(one[SETUP]) for one in edited_navmeshes(scene, setups)):
        polygons = not_none(polygon_mesh_of(scene, uid))
        if by_hand:
            take_over(scene, polygons)
        else:
            keep_as_edits(context, polygons)
    not_none(context.view_layer).update()
