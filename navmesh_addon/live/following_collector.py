"""Grows the triangles of a level that is followed: of meshes and instances that are what they were, nothing is read or
placed again.

It takes the place of the collector of a gathering, which asks it for the same things; the arrays of the whole level are
left to the thread that builds.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import NamedTuple

import bpy
import mathutils
import numpy as np
import numpy.typing as npt

from ..axes import Transforms, all_to_navcore
from ..blender_types import not_none
from ..gather.gathered_level import Note, Part
from ..gather.mesh_arrays import EMPTY, F32, I32, RawMesh, mesh_points
from ..gather.placed_level import PlacedLevel
from ..gather.triangle_collector import TriangleCollector
from ..mesh_attributes import corners_of, read_attribute, starts_of
from ..stored.object_properties import FACE_AREA
from ..stored.preferences import live_memory
from ..watch.listed_changes import ChangedIdentities
from .live_level import Piece

_STORED = 2.3  # times the triangles of all instances: they themselves, and what is kept of them by tile
_AT_ONCE = 1000  # instances that are looked at in a step: a millisecond or two
_PLACED_AT_ONCE = 200  # likewise, that have changed
Signature = tuple[bytes, int, bytes]  # mesh, area, matrix
MAX_BYTES = 512 << 20


class MeshCache:
    """Meshes in their own coordinates: what many objects share, and what comes back, is read once.

    The least used go first.
    """

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._max_bytes, self.size = max_bytes, 0
        self._meshes: OrderedDict[bytes, RawMesh] = OrderedDict()
        self._digests: dict[Hashable, bytes] = {}  # of what Blender's data was when it was read last

    def find(self, digest: bytes) -> RawMesh | None:
        """The mesh that gave this digest."""
        found = self._meshes.get(digest)
        if found is not None:
            self._meshes.move_to_end(digest)
        return found

    def put(self, digest: bytes, mesh: RawMesh) -> None:
        """Keep it, as long as there is room."""
        if digest not in self._meshes:
            self._meshes[digest] = mesh
            self.size += _bytes(mesh)
        while self.size > self._max_bytes and len(self._meshes) > 1:
            self.size -= _bytes(self._meshes.popitem(last=False)[1])

    def digest_of(self, data: Hashable) -> bytes:
        """What data of Blender's held when it was read last; empty where it was not."""
        return self._digests.get(data, b"")

    def remember(self, read: dict[Hashable, bytes]) -> None:
        """This is all the data that a level is made of."""
        self._digests = read


def _bytes(mesh: RawMesh) -> int:
    return mesh.vertices.nbytes + mesh.triangles.nbytes + (0 if mesh.areas is None else mesh.areas.nbytes)


class TooLargeToFollow(Exception):
    """A level of which more would be kept than there is memory for. Says what to do."""


class Placed(NamedTuple):
    """What is known of one instance while its triangles lie with the thread."""

    signature: Signature
    size: int  # triangles; 0 where its points are no numbers


class Known:
    """What was followed up to now."""

    def __init__(self) -> None:
        self.meshes = MeshCache()
        self.max_bytes = live_memory()
        self.placed: dict[str, Placed] = {}
        self.missing: list[Note] | None = None  # of the level, when it was looked at first
        self.single: dict[int, tuple[str, str]] = {}  # objects that only show themselves: their part and their name

    def follow(self, seen: FollowingCollector) -> None:
        """A look is done: what it saw is known."""
        self.placed, self.single = seen.placed, seen.single
        self.meshes.remember(seen.read_now)


class FollowingCollector(TriangleCollector):
    """What a gathering puts together of a level that was followed before."""

    def __init__(self, metres_per_unit: float, before: Known, hints: ChangedIdentities) -> None:
        super().__init__(metres_per_unit)
        self._before, self._hints = before, hints
        self.placed: dict[str, Placed] = {}
        self.changed: dict[str, Piece] = {}
        self.order: list[str] = []
        self.single: dict[int, tuple[str, str]] = {}
        self.read_now: dict[Hashable, bytes] = {}
        self._keys: list[str] = []
        self._digests: list[bytes] = []  # of each mesh
        self._digest = b""
        self._sizes: list[int] = []  # of each mesh, in bytes
        self._needed = 0  # bytes of all instances
        self._counts: dict[tuple[int, int], int] = {}
        self._data_counts: dict[int, int] = {}

    def add(
        self, evaluated: bpy.types.Object, object_: bpy.types.Object, owner: bpy.types.Object, matrix: mathutils.Matrix
    ) -> None:
        before = len(self._instances)
        super().add(evaluated, object_, owner, matrix)
        pair = owner.session_uid, object_.session_uid
        count = self._counts.get(pair, 0)
        if len(self._instances) > before:
            self._counts[pair] = count + 1
            self._needed += self._sizes[self._instances[-1].mesh]
            self._keys.append(f"{pair[0]}/{pair[1]}/{count}")
            if pair[0] == pair[1] and not count:
                self.single[pair[0]] = self._keys[-1], object_.name
        if pair[0] != pair[1] or count:
            for uid in pair:
                self.single.pop(uid, None)
                self._counts.setdefault((uid, uid), 1)

    def mesh_of(self, evaluated: bpy.types.Object, slots: tuple[int, ...], name: str) -> RawMesh:
        object_ = not_none(evaluated.original)
        uid, data = object_.session_uid, not_none(object_.data)
        nth = self._data_counts[uid] = self._data_counts.get(uid, -1) + 1
        key: Hashable = (uid, nth, slots)
        if not object_.modifiers and not nth and isinstance(data, bpy.types.Mesh) and data.shape_keys is None:
            key = (data.session_uid, slots)
        digest = self._before.meshes.digest_of(key)
        found = self._before.meshes.find(digest) if self._hints.is_trusted(uid, data.session_uid) else None
        if found is None:
            self._digest = b""
            found, digest = super().mesh_of(evaluated, slots, name), self._digest
        self.read_now[key] = digest
        self._digests.append(digest)
        self._sizes.append(found.vertices.nbytes + found.triangles.nbytes)
        return found

    def read(self, mesh: bpy.types.Mesh, areas: tuple[int, ...]) -> RawMesh:
        self._digest = _digest_of(mesh, areas)
        found = self._before.meshes.find(self._digest)
        if found is None:
            found = super().read(mesh, areas)
            self._before.meshes.put(self._digest, found)
        return found

    def place(self) -> Iterator[None]:
        """Put those where they are that moved or are others."""
        self._refuse_too_much()
        yield
        matrices = np.array(self._matrices).reshape(-1, 4, 4)
        yield
        ways = all_to_navcore(matrices, self.metres)
        yield
        numbers: list[int] = []
        yield from self._find_changed(ways, numbers)
        for first in range(0, len(numbers), _PLACED_AT_ONCE):
            yield from self._place_some(ways, numbers[first : first + _PLACED_AT_ONCE])
        for number in np.flatnonzero(ways.flattens).tolist():
            if self.placed[self._keys[number]].size:
                self._note(*_flat(self._instances[number].owner), number)
        yield from self._finish()

    def _place_some(self, ways: Transforms, numbers: list[int]) -> Iterator[None]:
        """These instances have changed."""
        chosen = [self._instances[number] for number in numbers]
        used = {mesh: nth for nth, mesh in enumerate(dict.fromkeys(instance.mesh for instance in chosen))}
        level = PlacedLevel(
            [self._meshes[mesh] for mesh in used],
            [(used[instance.mesh], instance.area) for instance in chosen],
            ways.of(np.array(numbers, np.int64)),
        )
        yield from level.place()
        for number, sound, piece in zip(numbers, level.sound.tolist(), level.pieces(), strict=True):
            key = self._keys[number]
            if sound:
                self.changed[key] = Piece(*piece)
            else:
                self.placed[key] = self.placed[key]._replace(size=0)
        yield

    def _refuse_too_much(self) -> None:
        count, needed, max_bytes = len(self._instances), int(_STORED * self._needed), self._before.max_bytes
        if needed > max_bytes:
            raise TooLargeToFollow(
                f"Too large to follow: its {count:,} pieces take about {needed >> 20:,} MB, Live may keep "
                f"{max_bytes >> 20:,} MB (Preferences > Add-ons > Navmesh). Press Rebuild instead, or switch Live off "
                "and on to try again"
            )

    def _find_changed(self, ways: Transforms, changed: list[int]) -> Iterator[None]:
        """The numbers of instances that are not placed as they are now are added to `changed`."""
        rows = np.concatenate([ways.linear.reshape(-1, 9), ways.offset], axis=1)
        width, matrices = rows.shape[1] * rows.itemsize, rows.tobytes()
        for number, (key, instance) in enumerate(zip(self._keys, self._instances, strict=True)):
            if number % _AT_ONCE == 0:
                yield
            matrix = matrices[number * width : (number + 1) * width]
            signature = self._digests[instance.mesh], instance.area, matrix
            before = self._before.placed.get(key)
            if before is None or before.signature != signature:
                changed.append(number)
                self.placed[key] = Placed(signature, len(self._meshes[instance.mesh].triangles))
            else:
                self.placed[key] = before

    def _finish(self) -> Iterator[None]:
        """The instances that are built from, in their order."""
        first = 0
        for number, (key, instance) in enumerate(zip(self._keys, self._instances, strict=True)):
            if number % _AT_ONCE == 0:
                yield
            size = self.placed[key].size
            if not size:
                self._note(*_not_finite(instance.owner))
                continue
            self.order.append(key)
            self.parts.append(Part(instance.owner, first, size))
            self.watched |= {instance.owner, instance.object}
            first += size
        yield

    def arrays(self) -> tuple[F32, I32, npt.NDArray[np.uint8] | None]:
        """The thread has them."""
        return EMPTY.vertices, EMPTY.triangles, None


def _flat(name: str) -> tuple[str, str, str]:
    return "ZERO_SCALE", "is scaled to nothing along an axis. Scale it anew, or leave it out", name


def _not_finite(name: str) -> tuple[str, str, str]:
    why = "its location, rotation or scale is no number: it was left out. Clear them (Alt G, Alt R, Alt S)"
    return "NOT_FINITE", why, name


def _digest_of(mesh: bpy.types.Mesh, areas: tuple[int, ...]) -> bytes:
    """All that the arrays of a mesh come from."""
    counts = len(mesh.vertices), len(mesh.polygons), len(mesh.loops)
    whole = hashlib.blake2b(repr((counts, areas)).encode(), digest_size=16)
    if not counts[1]:
        return whole.digest()
    whole.update(mesh_points(mesh).tobytes())
    whole.update(corners_of(mesh).tobytes())
    if counts[2] != 3 * counts[1]:
        whole.update(starts_of(mesh).tobytes())
    for name in (FACE_AREA, "material_index") if any(areas) else (FACE_AREA,):
        attribute = mesh.attributes.get(name)
        whole.update(repr((name, attribute and (attribute.domain, attribute.data_type))).encode())
        if attribute is not None and (attribute.domain, attribute.data_type) == ("FACE", "INT"):
            whole.update(read_attribute(mesh, name).tobytes())
    return whole.digest()
