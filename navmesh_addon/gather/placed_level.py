"""Meshes put where their instances are: the vertices, triangles and areas of a whole level. Needs NumPy alone.

What is done for one instance costs NumPy about as much as for a hundred, so that all instances of a mesh are placed
together, as many as a step may take. Each still gets the numbers, and the place in the arrays, that it would get alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..stored.object_properties import PLAIN

if TYPE_CHECKING:
    from ..axes import Transform
    from .mesh_arrays import F32, I32, RawMesh

_AT_ONCE = 100_000  # points placed in one step: some milliseconds


class PlacedLevel:
    """The arrays of a level, filled step by step."""

    def __init__(self, meshes: Sequence[RawMesh], instances: Sequence[tuple[int, int]], ways: Transform) -> None:
        """Instances are the number of a mesh and the area of faces that say nothing themselves."""
        self._meshes, self._ways = meshes, ways
        self._numbers, self._wholes = np.array(instances, np.int64).reshape(-1, 2).T
        sizes = np.array([(len(mesh.vertices), len(mesh.triangles)) for mesh in meshes], np.int64).reshape(-1, 2)
        self._sizes = sizes[self._numbers]
        self._firsts = np.cumsum(self._sizes, axis=0) - self._sizes
        vertices, triangles = self._sizes.sum(axis=0).tolist()
        self.vertices: F32 = np.empty((vertices, 3), np.float32)
        self.triangles: I32 = np.empty((triangles, 3), np.int32)
        says = bool(self._wholes.any()) or any(meshes[n].areas is not None for n in np.unique(self._numbers).tolist())
        self._areas: I32 | None = np.empty(triangles, np.int32) if says else None
        self.sound = np.ones(len(self._numbers), bool)  # whose points are all numbers

    def place(self) -> Iterator[None]:
        """One step after the other."""
        with np.errstate(all="ignore"):  # matrices that are no numbers
            mirrored = self._ways.mirrors
        order = np.argsort(self._numbers, kind="stable")
        ends = np.flatnonzero(np.diff(self._numbers[order])) + 1
        for group in np.split(order, ends) if len(order) else ():
            mesh = self._meshes[self._numbers[group[0]]]
            step = max(1, _AT_ONCE // len(mesh.vertices))
            for first in range(0, len(group), step):
                self._place_some(mesh, group[first : first + step], mirrored)
                yield

    def _place_some(self, mesh: RawMesh, chosen: npt.NDArray[np.int64], mirrored: npt.NDArray[np.bool_]) -> None:
        """Some instances of one mesh."""
        points = self._ways.of(chosen).points(mesh.vertices)
        self.sound[chosen] = np.isfinite(points).all(axis=(1, 2))
        turned, triangles = mirrored[chosen, None, None], mesh.triangles[None]
        if turned.any():
            triangles = np.where(turned, mesh.triangles[:, [0, 2, 1]], triangles)
        first_vertices, first_triangles = self._firsts[chosen].T
        _put(self.vertices, first_vertices, points)
        _put(self.triangles, first_triangles, triangles + first_vertices[:, None, None].astype(np.int32))
        if self._areas is not None:
            own = np.zeros(len(mesh.triangles), np.int32) if mesh.areas is None else mesh.areas
            _put(self._areas, first_triangles, np.where(own != 0, own, self._wholes[chosen, None].astype(np.int32)))

    def parts(self) -> list[tuple[int, int]]:
        """First triangle and number of triangles of every instance."""
        return list(zip(self._firsts[:, 1].tolist(), self._sizes[:, 1].tolist(), strict=True))

    def pieces(self) -> Iterator[tuple[F32, I32, npt.NDArray[np.uint8] | None]]:
        """Vertices, triangles and areas of every instance by itself; no areas where neither it nor its mesh has any."""
        areas = self.areas()
        for number, (vertex, triangle) in enumerate(self._firsts.tolist()):
            vertices, triangles = self._sizes[number].tolist()
            own = slice(triangle, triangle + triangles)
            says = self._wholes[number] or self._meshes[self._numbers[number]].areas is not None
            yield (
                self.vertices[vertex : vertex + vertices],
                self.triangles[own] - np.int32(vertex),
                areas[own] if areas is not None and says else None,
            )

    def areas(self) -> npt.NDArray[np.uint8] | None:
        """As navcore has them; None where none was said anywhere."""
        if self._areas is None:
            return None
        # Outside, 0 says nothing and −1 forbids; inside, 63 is plain ground and 0 forbids.
        return np.where(self._areas == 0, PLAIN, np.where(self._areas < 0, 0, self._areas)).astype(np.uint8)


def _put(
    whole: npt.NDArray[np.float32] | npt.NDArray[np.int32],
    firsts: npt.NDArray[np.int64],
    rows: npt.NDArray[np.float32] | npt.NDArray[np.int32],
) -> None:
    """Rows (N, R, …) to where each of N begins."""
    if len(firsts) == 1:
        whole[firsts[0] : firsts[0] + rows.shape[1]] = rows[0]
    else:
        whole[firsts[:, None] + np.arange(rows.shape[1])] = rows
