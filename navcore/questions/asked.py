"""What all questions share: the mesh that is asked, and the names of its polygons."""

from __future__ import annotations

from typing import Literal, TypeAlias

import numpy.typing as npt

from ..detour.reader import NavmeshFile
from ..navquery.batches import as_points, as_references
from ..navquery.kernels.points import PointsOn
from ..navquery.linked import ready_mesh
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import QueryMesh, References
from ..result.navmesh import NavMesh
from ..shortest_paths.exact_paths import ShortestMeshes

EXTENTS = (2.0, 4.0, 2.0)
EVERYBODY = QueryFilter()
UNLIMITED = 2**62
Usual: TypeAlias = Literal["usual"]  # Detour's number, and no limit where the shortest path is asked for


class AskedMesh:
    """A navmesh as kernels ask it."""

    def __init__(self, navmesh: NavMesh | NavmeshFile) -> None:
        self._mesh, self._names = ready_mesh(navmesh)
        self._shortest = ShortestMeshes(self._mesh)

    def _polygons_and_points(
        self, references: npt.ArrayLike, points: npt.ArrayLike, name: str = "references", points_name: str = "points",
        rows: int | None = None,
    ) -> PointsOn:  # fmt: skip
        asked = as_points(points_name, points, rows)
        return PointsOn(self._names.polygons(as_references(name, references, len(asked))), asked)


def mesh_of(query: AskedMesh) -> tuple[QueryMesh, References]:
    """What other rooms' kernels ask, and Detour's names for it."""
    return query._mesh, query._names
