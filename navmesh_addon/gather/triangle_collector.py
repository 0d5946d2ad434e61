"""Grows the triangles of a level, object after object, with their areas."""

from __future__ import annotations

from typing import TypeVar

import bpy
import numpy as np
import numpy.typing as npt

from ..axes import Transform, to_navcore
from ..blender_types import known
from ..stored.object_properties import PLAIN, area_of
from .gathered_level import Part
from .mesh_arrays import F32, I32, RawMesh, raw_mesh

_Number = TypeVar("_Number", np.float32, np.int32)


class TriangleCollector:
    """The arrays of a level while they grow. A mesh that many instances share is read once."""

    def __init__(self, metres_per_unit: float) -> None:
        self.metres = metres_per_unit
        self.parts: list[Part] = []
        self.notes: list[tuple[str, str, str]] = []
        self._meshes: dict[tuple[int, int], RawMesh] = {}
        self._points: list[npt.NDArray[np.float32]] = []
        self._triangles: list[npt.NDArray[np.int32]] = []
        self._areas: list[tuple[npt.NDArray[np.int32] | int, int]] = []
        self._vertex_count = self._triangle_count = 0
        self._noted: set[tuple[str, str]] = set()
        self.watched: set[str] = set()

    def names(self) -> set[str]:
        return {part.name for part in self.parts}

    def add(self, instance: bpy.types.DepsgraphObjectInstance, owner: bpy.types.Object) -> None:
        """Add one instance; keeps nothing of it but arrays."""
        evaluated = known(instance.object)
        object_ = known(evaluated.original)
        transform = to_navcore(instance.matrix_world, self.metres)
        key = known(evaluated.data).as_pointer(), object_.as_pointer()
        if key not in self._meshes:
            self._meshes[key] = self._read(evaluated, owner.name)
        raw = self._meshes[key]
        if len(raw.triangles) == 0:
            return
        points, triangles, areas = self._placed(raw, transform, owner.name)
        if len(triangles) == 0:
            return
        self._points.append(points)
        self._triangles.append(triangles + np.int32(self._vertex_count) if self._vertex_count else triangles)
        whole = _area_of_object(object_) or _area_of_object(owner)
        self._areas.append((whole if areas is None else np.where(areas != 0, areas, whole), len(triangles)))
        self.watched |= {owner.name, object_.name}
        self.parts.append(Part(owner.name, self._triangle_count, len(triangles)))
        self._vertex_count += len(points)
        self._triangle_count += len(triangles)

    def _read(self, evaluated: bpy.types.Object, name: str) -> RawMesh:
        mesh = evaluated.to_mesh()
        slots = [slot.material for slot in evaluated.material_slots]
        slots = slots if len(slots) >= len(mesh.materials) else list(mesh.materials)
        raw = raw_mesh(mesh, [0 if material is None else area_of(known(material.original)) for material in slots])
        evaluated.to_mesh_clear()
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
        return raw

    def _placed(self, raw: RawMesh, transform: Transform, name: str) -> tuple[F32, I32, I32 | None]:
        """Points where the object is, triangles that face outward, areas."""
        points, triangles, areas = transform.points(raw.vertices), raw.triangles, raw.areas
        if not np.isfinite(points).all():  # only the object's matrix can do this
            self._note(
                "NOT_FINITE",
                "its location, rotation or scale is no number: it was left out. Clear them (Alt G, Alt R, Alt S)",
                name,
            )
            return points[:0], triangles[:0], None
        if transform.flattens:
            self._note("ZERO_SCALE", "is scaled to nothing along an axis. Scale it anew, or leave it out", name)
        if transform.mirrors:
            triangles = np.ascontiguousarray(triangles[:, [0, 2, 1]])
        return points, triangles, areas

    def _note(self, code: str, message: str, name: str) -> None:
        if (code, name) not in self._noted:  # once for a thousand instances
            self._noted.add((code, name))
            self.notes.append((code, message, name))

    def arrays(self) -> tuple[F32, I32, npt.NDArray[np.uint8] | None]:
        """Vertices, triangles and areas of everything."""
        return _joined(self._points), _joined(self._triangles), self._joined_areas()

    def _joined_areas(self) -> npt.NDArray[np.uint8] | None:
        if not any(isinstance(area, np.ndarray) or area for area, _ in self._areas):
            return None
        areas = np.concatenate([np.broadcast_to(np.int32(0) + area, count) for area, count in self._areas])
        # Outside, 0 says nothing and −1 forbids; inside, 63 is plain ground and 0 forbids.
        return np.where(areas == 0, PLAIN, np.where(areas < 0, 0, areas)).astype(np.uint8)


def _joined(arrays: list[npt.NDArray[_Number]]) -> npt.NDArray[_Number]:
    return np.ascontiguousarray(arrays[0]) if len(arrays) == 1 else np.concatenate(arrays)


def _area_of_object(object_: bpy.types.Object) -> int:
    """The object's area, else that of the first of its collections that has one."""
    return area_of(object_) or next((a for a in map(area_of, object_.users_collection) if a), 0)
