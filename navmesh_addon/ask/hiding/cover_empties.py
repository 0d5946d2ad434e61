"""Places of cover as empties in the collection “Navmesh Cover”: y towards what hides, as exporters turn it to −z."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy
import numpy as np

from ...axes import to_blender
from ...objects.navmesh_objects import metres_of
from ...objects.role_collections import home_of
from ...stored.object_properties import ROLE

if TYPE_CHECKING:
    from ....navcore.cover.find_cover import Cover

COLLECTION = "Navmesh Cover"
COVER = "cover"  # the role of the collection and of its empties: no build takes them as input
_SIZE = 0.3  # metres


def write_empties(scene: bpy.types.Scene, cover: Cover) -> int:
    """In place of those that were made before; returns how many. For operators with undo."""
    home, metres = home_of(scene, COVER, COLLECTION), metres_of(scene)
    bpy.data.batch_remove([object_ for object_ in home.objects if object_.get(ROLE) == COVER])
    places = to_blender(cover.at, metres).tolist()
    turns = np.arctan2(-cover.towards[:, 0], -cover.towards[:, 2]).tolist()  # from y, around z
    facts = zip(cover.kind.tolist(), cover.lean.tolist(), cover.height.tolist(), cover.exposure.tolist(), strict=True)
    for number, (place, turn, (kind, (left, right), height, exposure)) in enumerate(
        zip(places, turns, facts, strict=True), 1
    ):
        empty = bpy.data.objects.new(f"Cover {number}", None)
        empty.location, empty.rotation_euler = place, (0.0, 0.0, turn)
        empty.empty_display_type, empty.empty_display_size = "ARROWS", _SIZE / metres
        empty[ROLE], empty["kind"], empty["lean_left"], empty["lean_right"] = COVER, kind, left, right
        empty["height"], empty["exposure"] = round(height, 4), round(exposure, 4)
        home.objects.link(empty)
    return len(places)
