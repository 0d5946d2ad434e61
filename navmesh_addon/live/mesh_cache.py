"""Meshes in their own coordinates, by what they hold: what many objects share, and what comes back, is read once.

Nothing here names bpy.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..gather.mesh_arrays import RawMesh

MOST_BYTES = 512 << 20


class MeshCache:
    """The least used go first."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most, self.size = most_bytes, 0
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
        while self.size > self._most and len(self._meshes) > 1:
            self.size -= _bytes(self._meshes.popitem(last=False)[1])

    def digest_of(self, data: Hashable) -> bytes:
        """What data of Blender's held when it was read last; empty where it was not."""
        return self._digests.get(data, b"")

    def remember(self, read: dict[Hashable, bytes]) -> None:
        """This is all the data that a level is made of."""
        self._digests = read


def _bytes(mesh: RawMesh) -> int:
    return mesh.vertices.nbytes + mesh.triangles.nbytes + (0 if mesh.areas is None else mesh.areas.nbytes)
