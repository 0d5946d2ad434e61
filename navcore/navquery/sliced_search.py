"""A search for one corridor that others can wait for: some steps in each frame of a game."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..types import I32, U32, ArrayLike
from .batches import as_references, as_room, usable
from .kernels.node_pool import NODES, python_pool
from .kernels.points import PointPairs
from .kernels.sliced import BEST, FULL, NO_RAYS, OVER, RAYS, SHORT_RAYS, begin_sliced, go_on, path_back
from .query_filter import Rule
from .query_mesh import SIDES, QueryMesh, References
from .status import BUFFER_TOO_SMALL, IN_PROGRESS, INVALID, OUT_OF_NODES, PARTIAL, SUCCESS

ANY_ANGLE = {"no": NO_RAYS, "detour": SHORT_RAYS, "yes": RAYS}
_MOST = 2**62


class SlicedSearch:
    """`NavQuery.sliced_search` begins it, `update` goes on with it, `finalize` says what was found.

    It finds what `find_corridors` finds, but that a polygon is one node, whichever side it is entered from. What it
    knows stays from one update to the next; searches do not disturb each other.
    """

    def __init__(
        self, asked_mesh: Callable[[], tuple[QueryMesh, References]], asked: PointPairs, rule: Rule, any_angle: str,
        max_nodes: int,
    ) -> None:  # fmt: skip
        """`asked_mesh`: what is asked now, which may follow a level."""
        self._asked_mesh, self._rule, self._rays = asked_mesh, rule, ANY_ANGLE[any_angle]
        mesh, self._names = asked_mesh()
        here, there, start, end = asked.starts, asked.ends, int(asked.first[0]), int(asked.last[0])
        self._start, self._end, self._there = start, end, there
        self._valid = start >= 0 and end >= 0 and bool(usable(np.concatenate([here, there])).all())
        self._pool, self._stands = python_pool(mesh, max_nodes), np.zeros(3, np.int64)
        if self._valid:
            begin_sliced(self._pool, start, here, there)
        self._stands[OVER] = not self._valid or start == end

    @property
    def done(self) -> bool:
        """Whether no update will change anything any more."""
        return bool(self._stands[OVER])

    @property
    def status(self) -> np.uint32:
        """Detour's status word: in progress, success or failure, and whether the pool of nodes was too small."""
        if not self._valid:
            return INVALID
        full = OUT_OF_NODES if self._stands[FULL] else np.uint32(0)
        return (SUCCESS if self.done else IN_PROGRESS) | full

    @property
    def expanded(self) -> int:
        """Nodes that the search has used so far."""
        return int(self._pool.counts[NODES])

    def update(self, max_iterations: int = 100) -> int:
        """Look at up to so many nodes more; how many it were. Recast: updateSlicedFindPath."""
        steps = as_room("max_iterations", max_iterations, _MOST)
        return int(
            go_on(self._mesh_now(), self._pool, self._stands, self._end, self._there, self._rule, self._rays, steps)
        )

    def _mesh_now(self) -> QueryMesh:
        """The mesh that is asked. A search fails of which a polygon is gone since it began, as in Detour."""
        mesh, names = self._asked_mesh()
        if names is not self._names:
            count = int(self._pool.counts[NODES])
            used = np.append(self._pool.marks["key"][:count] // SIDES, [self._start, self._end])
            used = used[used >= 0]
            if (self._names.of_polygon[used] != names.of_polygon[used]).any():
                self._valid, self._stands[OVER] = False, 1
            missing = SIDES * len(mesh.polygons) - len(self._pool.by_key)
            if missing > 0:
                by_key = np.append(self._pool.by_key, np.zeros(missing, np.int32))
                self._pool = self._pool._replace(by_key=by_key)
            self._names = names
        return mesh

    def finalize(self, max_path: int | None = 256) -> tuple[U32, np.uint32]:
        """References of the corridor found so far, and a status. Recast: finalizeSlicedFindPath.

        A corridor that does not come to the end is partial. As in Detour one that just fits into `max_path` is said to
        be cut off.
        """
        return self._corridor(int(self._stands[BEST]), max_path)

    def finalize_partial(self, existing: ArrayLike, max_path: int | None = 256) -> tuple[U32, np.uint32]:
        """The same to the last polygon of an existing path that was reached. Recast: finalizeSlicedFindPathPartial.

        Where none of it was, the corridor is that of `finalize`, and as in Detour partial wherever it ends; one that
        leads to a polygon of the path is not.
        """
        self._mesh_now()
        polygons = self._names.polygons(as_references("existing", existing))
        entered = self._pool.marks["key"][: self._pool.counts[NODES]] // SIDES
        nodes = [np.flatnonzero(entered == polygon) for polygon in polygons[polygons >= 0][::-1].tolist()]
        reached = [int(found[0]) for found in nodes if len(found)]
        return self._corridor(reached[0] if reached else int(self._stands[BEST]), max_path, not reached)

    def _corridor(self, node: int, max_path: int | None, partial: bool | None = None) -> tuple[U32, np.uint32]:
        """`partial`: whether the status says so; None: it does where the corridor does not come to the end."""
        most, mesh = as_room("max_path", max_path, _MOST), self._mesh_now()
        if not self._valid:
            return np.zeros(0, np.uint32), INVALID
        found: I32 = path_back(mesh, self._pool, node, self._rule)
        status = SUCCESS | (OUT_OF_NODES if self._stands[FULL] else np.uint32(0))
        if self._start != self._end and (found[-1] != self._end if partial is None else partial):
            status |= PARTIAL
        if len(found) >= most and self._start != self._end:
            status |= BUFFER_TOO_SMALL
        return self._names.names(found[:most]), status
