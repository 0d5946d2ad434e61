"""Parts of a level: some of its triangles with only the vertices that these use, to be sent away."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Lock

import numpy as np

from ..jit import kernel
from ..types import F32, I32, U8, Geometry

_FREE = np.int32(-1)  # the number of a vertex that no part has


class LevelParts:
    """Cuts parts out of a level. What it counts on is as large as the level, and made once."""

    def __init__(self, geometry: Geometry) -> None:
        self._geometry = geometry
        self._chosen = np.zeros(len(geometry.triangles), np.uint8)
        self._numbers = np.full(len(geometry.vertices), _FREE, np.int32)
        self._in_use = Lock()  # executors may pack their jobs on any thread

    def cut(self, chosen: Sequence[I32]) -> Geometry:
        """All triangles that are in any of the lists, each once, in the order of the level."""
        with self._in_use:
            return Geometry(*_cut_kernel(self._geometry, np.concatenate(chosen), self._chosen, self._numbers))


@kernel
def _cut_kernel(geometry: Geometry, listed: I32, chosen: U8, numbers: I32) -> tuple[F32, I32, U8]:
    """A part, whose vertices come as its triangles name them; `chosen` (T,) and `numbers` (V,) are free before and
    after."""
    whole, triangles, areas = geometry
    begin, end, count = triangles.shape[0], 0, 0
    for i in range(listed.shape[0]):
        t = int(listed[i])
        begin, end = min(begin, t), max(end, t + 1)
        count += int(chosen[t] == 0)
        chosen[t] = 1
    part, area = np.empty((count, 3), np.int32), np.empty(count, np.uint8)
    used, vertices, place = np.empty(min(3 * count, whole.shape[0]), np.int32), np.int32(0), 0
    for t in range(begin, end):
        if chosen[t] == 0:
            continue
        chosen[t] = 0
        for corner in range(3):
            vertex = triangles[t, corner]
            if numbers[vertex] == _FREE:
                numbers[vertex], used[vertices] = vertices, vertex
                vertices += np.int32(1)
            part[place, corner] = numbers[vertex]
        area[place] = areas[t]
        place += 1
    own = np.empty((vertices, 3), np.float32)
    for i in range(vertices):
        vertex = used[i]
        numbers[vertex] = _FREE
        own[i, 0], own[i, 1], own[i, 2] = whole[vertex, 0], whole[vertex, 1], whole[vertex, 2]
    return own, part, area
