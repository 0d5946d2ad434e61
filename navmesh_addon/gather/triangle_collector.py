"""Grows the triangles of a level, object after object, with their areas.

`add` reads what is Blender's, instance after instance. `place` needs nothing of Blender any more: it puts all instances
of a mesh where they are, many at once.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ..axes import all_to_navcore
from ..blender_types import not_none
from ..stored.object_properties import UNSET, area_of
from .gathered_level import Note, Part
from .mesh_arrays import EMPTY, F32, I32, RawMesh, raw_mesh
from .placed_level import PlacedLevel

ZERO_SCALE = Note("ZERO_SCALE", "is scaled to nothing along an axis. Scale it anew, or leave it out", "")
NOT_FINITE = Note(
    "NOT_FINITE", "its location, rotation or scale is no number: it was left out. Clear them (Alt G, Alt R, Alt S)", ""
)


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
            UNSET if material is None else self._by_material.get(not_none(material.original).as_pointer(), UNSET)
            for material in materials
        )


def _areas_by_collection() -> dict[int, int]:
    """The area of every object that is in a collection with one, in the order of `Object.users_collection`."""
    areas: dict[int, int] = {}
    for collection in (*bpy.data.collections, *(not_none(scene.collection) for scene in bpy.data.scenes)):
        if area := area_of(collection):
            for object_ in collection.objects:
                areas.setdefault(object_.as_pointer(), area)
    return areas


class _Instance(NamedTuple):
    """What is kept of one."""

    mesh: int  # which of the meshes
    owner: str  # its name
    uids: tuple[int, int]  # session_uids of the owner, and of the object it shows
    area: int  # of its faces that say nothing
    member: str = ""  # the name of what it shows, where that is not the owner itself


class TriangleCollector:
    """The arrays of a level while they grow. A mesh that many instances share is read once."""

    def __init__(self, metres_per_unit: float) -> None:
        self.metres = metres_per_unit
        self.parts: list[Part] = []
        self.watched: set[int] = set()  # session_uids
        self.areas_of = AreaLookup()
        self._numbers: dict[tuple[int, tuple[int, ...]], int] = {}
        self._meshes: list[RawMesh] = []
        self._instances: list[_Instance] = []
        self._matrices = array("d")  # sixteen numbers for each
        self._notes: list[tuple[int, tuple[str, str, str]]] = []  # the number of the instance that it came with
        self._read: set[tuple[int, int]] = set()  # which mesh of which object
        self._noted: set[tuple[str, str]] = set()
        self._level: PlacedLevel | None = None

    @property
    def notes(self) -> list[tuple[str, str, str]]:
        """What is wrong, in the order of the instances: code, message, object."""
        return [note for _, note in sorted(self._notes, key=lambda numbered: numbered[0])]

    # --- what is Blender's

    def add(
        self, evaluated: bpy.types.Object, object_: bpy.types.Object, owner: bpy.types.Object, matrix: mathutils.Matrix
    ) -> None:
        """Add one instance of `object_`, which `owner` shows; keeps a copy of what it needs."""
        slots = self.areas_of.slots(evaluated)
        data = not_none(evaluated.data).as_pointer()
        number = self._numbers.get((data, slots))
        if number is None:
            number = self._numbers[data, slots] = len(self._meshes)
            self._meshes.append(self.mesh_of(evaluated, slots, owner.name))
        raw = self._meshes[number]
        if (raw.dropped or raw.odd_attribute) and (data, object_.as_pointer()) not in self._read:
            self._read.add((data, object_.as_pointer()))
            self._note_mesh(raw, owner.name)
        if len(raw.triangles):
            area = self.areas_of.of_object(object_) or self.areas_of.of_object(owner)
            member = "" if object_ == owner else object_.name
            uids = owner.session_uid, object_.session_uid
            self._instances.append(_Instance(number, owner.name, uids, area, member))
            rows: Iterable[Iterable[float]] = matrix  # type: ignore[assignment] # the stubs know no rows
            self._matrices.extend(chain.from_iterable(rows))  # in Blender 4.2 NumPy takes ten times as long for each

    def mesh_of(self, evaluated: bpy.types.Object, slots: tuple[int, ...], name: str) -> RawMesh:
        """The mesh of an object whose slots ask for these areas, in its own coordinates."""
        try:
            mesh = evaluated.to_mesh()
        except RuntimeError as reason:
            self._note(
                "MISSING_DATA",
                f"gave no mesh, so that it is not built: {str(reason).strip()}. Mend its modifiers, or leave it out",
                name,
            )
            return EMPTY
        areas = slots if len(slots) >= len(mesh.materials) else self.areas_of.materials(mesh.materials)
        raw = self.read(mesh, areas)
        evaluated.to_mesh_clear()
        return raw

    def read(self, mesh: bpy.types.Mesh, areas: tuple[int, ...]) -> RawMesh:
        """Its arrays; `areas` are those that its materials ask for."""
        return raw_mesh(mesh, list(areas))

    def _note_mesh(self, raw: RawMesh, name: str) -> None:
        if raw.dropped:
            self._note(
                "NOT_FINITE",
                f"{raw.dropped:,} faces with coordinates that are no numbers were left out. Delete their vertices",
                name,
            )
        if raw.odd_attribute:
            self._note(
                "ODD_ATTRIBUTE",
                "navmesh_area is no integer attribute on faces: it was not used. Convert it",
                name,
            )

    def _note(self, code: str, message: str, name: str, number: int | None = None) -> None:
        if (code, name) not in self._noted:  # once for a thousand instances
            self._noted.add((code, name))
            self._notes.append((len(self._instances) if number is None else number, (code, message, name)))

    # --- what is not

    def place(self) -> Iterator[None]:
        """Put every instance where it is; may be left alone for a while after every step."""
        ways = all_to_navcore(np.array(self._matrices).reshape(-1, 4, 4), self.metres)
        level = PlacedLevel(self._meshes, [(i.mesh, i.area) for i in self._instances], ways)
        yield from level.place()
        for number in np.flatnonzero(~level.sound | ways.flattens).tolist():
            name = self._instances[number].owner
            # Only the object's matrix can make its points no numbers.
            self._note(*(ZERO_SCALE if level.sound[number] else NOT_FINITE)[:2], name, number)
        if not level.sound.all():
            kept = np.flatnonzero(level.sound)
            self._instances = [self._instances[number] for number in kept.tolist()]
            level = PlacedLevel(self._meshes, [(i.mesh, i.area) for i in self._instances], ways.of(kept))
            yield from level.place()
        self._level = level
        self.parts = [
            Part(instance.owner, *where, instance.member)
            for instance, where in zip(self._instances, level.parts(), strict=True)
        ]
        self.watched = {uid for instance in self._instances for uid in instance.uids}

    def arrays(self) -> tuple[F32, I32, npt.NDArray[np.uint8] | None]:
        """Vertices, triangles and areas of everything, once all is placed."""
        level = not_none(self._level)
        return level.vertices, level.triangles, level.areas()
