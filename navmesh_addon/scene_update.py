"""An update of the scene that Blender tells of, for all who listen.

Blender looks through everything it has to list what changed: at ten thousand objects the list costs 0.7 ms to read, be
it of one entry. So it is read once for all, and not at all after a click.
"""

from __future__ import annotations

from itertools import islice
from typing import Literal

import bpy

MAX_READ = 500  # entries of the list: takes half a millisecond
# Kinds of data that shapes depend on. (Of hooks, lattices and cutters that move, Blender says only OBJECT.)
_SHAPES: tuple[
    Literal["MESH", "CURVE", "META", "LATTICE", "KEY", "NODETREE", "ARMATURE", "TEXTURE", "ACTION"], ...
] = ("MESH", "CURVE", "META", "LATTICE", "KEY", "NODETREE", "ARMATURE", "TEXTURE", "ACTION")  # fmt: skip


class SceneUpdate:
    """One call of Blender's handler; nothing of it may be kept longer."""

    def __init__(self, depsgraph: bpy.types.Depsgraph) -> None:
        self.depsgraph = depsgraph
        self._read: list[bpy.types.DepsgraphUpdate] | None = None

    @property
    def shapes(self) -> bool:
        """Whether shapes may be others now."""
        return any(map(self.depsgraph.id_type_updated, _SHAPES))

    @property
    def collections(self) -> bool:
        """Whether objects came or went, of which all are listed then, or one in a collection has another shape."""
        return self.depsgraph.id_type_updated("COLLECTION")

    @property
    def is_click(self) -> bool:
        """Whether somebody only selected something, or hid it."""
        updated = self.depsgraph.id_type_updated
        return updated("SCENE") and not (updated("OBJECT") or self.collections or self.shapes)

    @property
    def entries(self) -> list[bpy.types.DepsgraphUpdate]:
        """What Blender lists: one more than MAX_READ where that is not all."""
        if self._read is None:
            self._read = list(islice(self.depsgraph.updates, MAX_READ + 1))
        return self._read
