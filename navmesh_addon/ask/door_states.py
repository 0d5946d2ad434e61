"""Doors as they are drawn, where a navmesh was built with others: questions heed that, and no build is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import bpy

from ..stored.object_properties import marks_of, object_use
from ..views.drawn_marks import marks_in

if TYPE_CHECKING:
    from ..gather.gathered_level import Gathered

DoorStates = tuple[tuple[str, bool], ...]  # names, and whether they are closed


def states_since(scene: bpy.types.Scene, gathered: Gathered) -> DoorStates:
    """Doors of a level that are in another state now; not those whose objects are gone or are none any more."""
    if not gathered.doors:
        return ()
    built = {str(volume["door"]): bool(volume["closed"]) for volume in gathered.volumes if "door" in volume}
    in_scene = {object_.session_uid: object_ for object_ in marks_in(scene)}
    found: dict[str, bool] = {}
    for door, uid, name in gathered.doors:
        object_ = in_scene.get(uid) or bpy.data.objects.get(name)  # collections that are instanced have the latter
        if object_ is not None and object_.session_uid == uid and object_use(object_) == "DOOR":
            found[door] = found.get(door, False) or bool(marks_of(object_).door_closed)
    return tuple(sorted((door, closed) for door, closed in found.items() if closed != built[door]))
