"""Which objects changed since somebody looked, as Blender lists it after every update: all who watch a level ask here.

Its list is read once for all (`scene_update.py`), and only a few entries of it: after an object was added or removed
everything is listed. What is not read has to be looked at.
"""

from __future__ import annotations

import bpy

from ..blender_types import has_property, not_none
from ..objects.navmesh_objects import STAMP
from ..scene_update import MAX_READ, SceneUpdate
from ..stored.object_properties import ROLE, is_ours

SHAPELESS = ("LIGHT", "CAMERA", "SPEAKER", "LIGHT_PROBE")  # objects on which no other's shape depends


class ToldChanges:
    """For *Out of date*: nothing is read after a click. (Names would be those of collections and of libraries, too.)"""

    def __init__(self) -> None:
        self.forget()

    def forget(self) -> None:
        """Somebody looked."""
        self.told: set[int] = set()  # session_uids of what the list said to have changed
        self.not_read = False
        self.shapes_not_read = False  # and it was about shapes, too

    def note(self, update: SceneUpdate) -> set[int]:
        """Read what Blender lists. Returns the session_uids of what it says to have changed."""
        shapes = update.shapes
        a_click = update.depsgraph.id_type_updated("SCENE") and not shapes and not update.collections
        read = [] if a_click else update.entries
        if not read or len(read) > MAX_READ:
            self.not_read = True
            self.shapes_not_read = self.shapes_not_read or shapes
        uids = {
            not_none(not_none(entry.id).original).session_uid  # copies have no identity
            for entry in read
            if entry.is_updated_geometry or (entry.is_updated_transform and isinstance(entry.id, bpy.types.Object))
        }
        self.told |= uids
        return uids


class ChangedIdentities:
    """For live mode: references would not outlive the next undo."""

    def __init__(self, everything: bool = False) -> None:
        self.moved: set[int] = set()  # objects of which nothing else is said
        self.reshaped: set[int] = set()  # objects and data
        self.something = everything  # who is there, what is seen, or what only a look tells
        self.any_shape = everything  # any mesh may be another one now

    def __bool__(self) -> bool:
        return bool(self.something or self.moved or self.reshaped)

    def tell_all(self) -> None:
        """Nothing of what was known counts."""
        self.something = self.any_shape = True

    def add(self, others: ChangedIdentities) -> None:
        """What was said besides."""
        self.moved |= others.moved
        self.reshaped |= others.reshaped
        self.something |= others.something
        self.any_shape |= others.any_shape

    def is_trusted(self, *uids: int) -> bool:
        """Whether data that these belong to is what it was."""
        return not self.any_shape and self.reshaped.isdisjoint(uids)

    @property
    def only_moved(self) -> bool:
        """Whether nothing but objects moved."""
        return bool(self.moved) and not self.something and not self.reshaped

    def note(self, update: SceneUpdate) -> None:
        """Read what Blender lists."""
        if self.any_shape:
            return
        if update.is_click:
            self.something = True
            return
        if len(update.entries) > MAX_READ:
            self.tell_all()
            return
        for entry in update.entries:
            self._note(entry)

    def _note(self, entry: bpy.types.DepsgraphUpdate) -> None:
        changed = not_none(not_none(entry.id).original)  # copies have no identity
        if isinstance(changed, bpy.types.Object):
            if is_ours(changed):
                return
            if entry.is_updated_geometry:
                self.reshaped.add(changed.session_uid)
            elif entry.is_updated_transform:
                if changed.type not in SHAPELESS:
                    self.moved.add(changed.session_uid)
            else:
                self.something = True
        elif (isinstance(changed, bpy.types.Mesh) and has_property(changed, STAMP)) or (
            isinstance(changed, bpy.types.Collection) and has_property(changed, ROLE)
        ):
            return  # what was written here
        elif isinstance(changed, bpy.types.Collection):  # objects came or went
            self.tell_all()
        elif entry.is_updated_geometry:
            self.reshaped.add(changed.session_uid)
        else:  # selected, hidden; a material
            self.something = True
