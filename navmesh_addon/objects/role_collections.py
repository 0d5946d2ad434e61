"""Collections of ours beside those of navmeshes: found by their role, whatever they are called."""

from __future__ import annotations

import bpy

from ..stored.object_properties import ROLE


def home_of(scene: bpy.types.Scene, role: str, name: str) -> bpy.types.Collection:
    """The collection with this role in a scene; made under `name` where there is none. For operators with undo."""
    found = (c for c in scene.collection.children_recursive if c.get(ROLE) == role and c.library is None)
    home = next(found, None)
    if home is None:
        home = bpy.data.collections.new(name)
        home[ROLE] = role
        scene.collection.children.link(home)
    return home
