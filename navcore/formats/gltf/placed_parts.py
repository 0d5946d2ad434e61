"""Parts of a level, each placed by a matrix, as one mesh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ...build_warning import BuildWarning
from ...errors import BadInput, TooLarge
from ...types import F32, I32, AnyArray
from ..file_axes import AS_READ, FileAxes
from ..level_mesh import AreaMarker, LevelMesh

Matrix = tuple[tuple[float, float, float, float], ...]
"""Three rows: what a point's x, y and z are multiplied with for the new x, y or z, and what is added."""

AS_IT_IS: Matrix = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0))
_MOST_VERTICES = (1 << 31) - 1


class PlacedParts:
    """Collects vertices and triangles in the order in which they come; nothing is merged and nothing left out."""

    def __init__(
        self, file: str, materials: Mapping[str, int], groups: Mapping[str, int], axes: FileAxes = AS_READ
    ) -> None:
        self._file, self._axes = file, axes
        self._marker = AreaMarker(materials, groups)
        self._vertices: list[F32] = []
        self._triangles: list[I32] = []
        self._vertex_count = self._triangle_count = 0

    def add_vertices(self, points: AnyArray, matrix: Matrix, part: str) -> int:
        """Place points (N, 3); returns the number of the first. Raises BadInput with the part's name."""
        first = self._vertex_count
        self._vertex_count += len(points)
        if self._vertex_count > _MOST_VERTICES:
            raise TooLarge(f"{self._file} has more than {_MOST_VERTICES:,} vertices. Split the level.")
        with np.errstate(all="ignore"):  # what overflows is refused below
            placed = _placed(points, matrix).astype(np.float32)
        broken = int((~np.isfinite(placed)).any(axis=1).sum())
        if broken:
            raise BadInput(
                f"{self._file}: {broken:,} of {len(points):,} vertices of {part!r} have a coordinate that is not a "
                "finite number, or beyond 3.4e38. Remove them (in Blender: Mesh > Clean Up) and export again.",
                "NOT_FINITE",
            )
        self._vertices.append(placed)
        return first

    def add_triangles(
        self, corners: AnyArray, first: int, matrix: Matrix, part: str, material: str, groups: Sequence[str]
    ) -> None:
        """Triangles (N, 3) of the vertices from `first` on. A mirroring matrix turns their winding, too."""
        count = self._vertex_count - first
        if len(corners) and not (int(corners.min()) >= 0 and int(corners.max()) < count):
            worst = int(corners.min()) if int(corners.min()) < 0 else int(corners.max())
            raise BadInput(
                f"{self._file}: {part!r} has a triangle with the vertex {worst:,}, and its vertices are numbered "
                f"from 0 to {count - 1:,}. Check the exporter, or whether the file is whole.",
                "INDEX_OUT_OF_RANGE",
            )
        self._marker.begin_part(material, groups, self._triangle_count)
        triangles = corners.astype(np.int32) + np.int32(first)
        self._triangles.append(triangles[:, ::-1] if mirrors(matrix) else triangles)
        self._triangle_count += len(triangles)

    @property
    def is_empty(self) -> bool:
        """Whether there is no triangle so far."""
        return self._triangle_count == 0

    def finished(self, warnings: Sequence[BuildWarning] = ()) -> LevelMesh:
        """The level. Raises BadInput where there is no triangle."""
        if self._triangle_count == 0:
            raise BadInput(
                f"{self._file} has no triangles to build from. Export at least one mesh with faces.", "NO_TRIANGLES"
            )
        vertices = self._axes.points(np.concatenate(self._vertices))
        triangles = np.ascontiguousarray(np.concatenate(self._triangles))
        areas = self._marker.areas(vertices, triangles)
        told = self._axes.warnings([*warnings, *self._marker.warnings(self._file)])
        return LevelMesh(vertices, triangles, areas, told)


def mirrors(matrix: Matrix) -> bool:
    """Whether what was right-handed is left-handed afterwards."""
    (a, b, c, _), (d, e, f, _), (g, h, i, _) = matrix
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g) < 0


def product(outer: Matrix, inner: Matrix) -> Matrix:
    """First `inner`, then `outer`; in doubles one by one, so that the last bit is the same on every machine."""
    if AS_IT_IS in (outer, inner):
        return inner if outer == AS_IT_IS else outer
    rows = []
    for x, y, z, moved in outer:
        columns = [x * inner[0][n] + y * inner[1][n] + z * inner[2][n] for n in range(4)]
        rows.append((columns[0], columns[1], columns[2], columns[3] + moved))
    return tuple(rows)


def _placed(points: AnyArray, matrix: Matrix) -> AnyArray:
    if matrix == AS_IT_IS:
        return points
    x, y, z = points.astype(np.float64).T
    return np.stack([x * row[0] + y * row[1] + z * row[2] + row[3] for row in matrix], axis=1)
