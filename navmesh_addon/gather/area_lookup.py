"""Which area objects and materials ask for, looked up once for a level: Blender's own way from an object to its
collections asks every collection for all of its objects, each time."""

from __future__ import annotations

from collections.abc import Iterable

import bpy

from ..blender_types import known
from ..stored.object_properties import UNSET, area_of


class AreaLookup:
    """What objects, their collections and materials say. Valid until something in the scene changes."""

    def __init__(self) -> None:
        self._by_collection = _areas_by_collection()
        marked = ((material.as_pointer(), area_of(material)) for material in bpy.data.materials)
        self._by_material = {pointer: area for pointer, area in marked if area != UNSET}
        self._by_object: dict[int, int] = {}

    def of_object(self, object_: bpy.types.Object) -> int:
        """The object's area, else that of the first of its collections that has one."""
        pointer = object_.as_pointer()
        if pointer not in self._by_object:
            self._by_object[pointer] = area_of(object_) or self._by_collection.get(pointer, UNSET)
        return self._by_object[pointer]

    def slots(self, evaluated: bpy.types.Object) -> tuple[int, ...]:
        """Of the materials in an object's slots; empty where no material says anything."""
        return self.materials(slot.material for slot in evaluated.material_slots) if self._by_material else ()

    def materials(self, materials: Iterable[bpy.types.Material | None]) -> tuple[int, ...]:
        """Of these, as far as they are there."""
        if not self._by_material:
            return ()
        return tuple(
            UNSET if material is None else self._by_material.get(known(material.original).as_pointer(), UNSET)
            for material in materials
        )


def _areas_by_collection() -> dict[int, int]:
    """The area of every object that is in a collection with one, in the order of `Object.users_collection`."""
    areas: dict[int, int] = {}
    for collection in (*bpy.data.collections, *(known(scene.collection) for scene in bpy.data.scenes)):
        if area := area_of(collection):
            for object_ in collection.objects:
                areas.setdefault(object_.as_pointer(), area)
    return areas
