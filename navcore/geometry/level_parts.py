"""Parts of a level: some of its triangles with only the vertices that these use, to be sent away."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np
import numpy.typing as npt

from ..types import I32, I64, Geometry
from .tile_grid import chosen_triangles


class LevelParts:
    """Cuts parts out of a level. What it counts on is as large as the level, and made once."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._triangle_used = np.zeros(len(geometry.triangles), bool)
        self._vertex_used = np.zeros(len(geometry.vertices), bool)
        self._numbers = np.empty(len(geometry.vertices), np.int32)
        self._in_use = Lock()  # executors may pack their jobs on any thread

    def cut(self, chosen: Sequence[I32]) -> Geometry:
        """All triangles that are in any of the lists, each once, in the order of the level; lists ascend."""
        with self._in_use:
            return self._cut(chosen)

    def _cut(self, chosen: Sequence[I32]) -> Geometry:
        triangles = _used(self._triangle_used, np.concatenate(chosen)).astype(np.int32)
        part = chosen_triangles(self._geometry, triangles)
        vertices = _used(self._vertex_used, part.triangles)
        self._numbers[vertices] = np.arange(len(vertices), dtype=np.int32)
        return Geometry(self._geometry.vertices[vertices], self._numbers[part.triangles], part.area)


def _used(marks: npt.NDArray[np.bool_], numbers: I32) -> I64:
    """The numbers, each once and ascending; `marks` are clear before and after."""
    if numbers.size == 0:
        return np.empty(0, np.int64)
    low, high = int(numbers.min()), int(numbers.max()) + 1
    marks[numbers] = True
    used = np.flatnonzero(marks[low:high]) + low
    marks[low:high] = False
    return used
