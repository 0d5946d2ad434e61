"""Detail of single polygons drawn anew: with fewer samples, or between the polygon's own corners."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ...geometry.arrays import numbers_in_ranges
from ...stages.detail import build_detail_mesh
from ...threads import Workers
from ...types import CompactHeightfield, DetailMesh, PolygonMesh, Regions
from ..validate import Findings

_LOOSER = (1.5, 3.0, 8.0)  # errors that are tried, as factors: what went wrong may hang on one sample
_NONE = np.float32(0)


def redrawn_details(
    mesh: PolygonMesh,
    detail: DetailMesh,
    sampling: tuple[np.float32, np.float32],
    spans: tuple[CompactHeightfield, Regions],
    find: Callable[[DetailMesh], Findings],
    workers: Workers,
) -> DetailMesh:
    """The detail mesh with the polygons that break an invariant done again, at last without samples.

    `sampling` is the distance and the error in metres; `find` finds those polygons.
    """
    distance, error = sampling
    tries = [(distance, error * np.float32(factor)) for factor in _LOOSER] if error > 0 else []
    for attempt in [*tries, (_NONE, _NONE)]:
        wrong = np.flatnonzero(find(detail).polygons)
        if len(wrong):
            detail = _with_others(mesh, detail, wrong, attempt, spans, workers)
    return detail


def _with_others(
    mesh: PolygonMesh,
    detail: DetailMesh,
    chosen: npt.NDArray[np.int64],
    sampling: tuple[np.float32, np.float32],
    spans: tuple[CompactHeightfield, Regions],
    workers: Workers,
) -> DetailMesh:
    """Put new detail in the place of that of the polygons `chosen`."""
    part = mesh._replace(
        polygons=mesh.polygons[chosen], neighbors=mesh.neighbors[chosen], region=mesh.region[chosen],
        area=mesh.area[chosen],
    )  # fmt: skip
    redrawn = build_detail_mesh(part, *spans, *sampling, workers)
    rows = np.zeros((len(mesh.polygons), 2, 2), np.int64)  # where vertices and triangles of a polygon lie now
    rows[:, :, 0], rows[:, :, 1] = detail.meshes[:, 0::2], detail.meshes[:, 1::2]
    rows[chosen, 0, 0], rows[chosen, 0, 1] = redrawn.meshes[:, 0] + len(detail.vertices), redrawn.meshes[:, 1]
    rows[chosen, 1, 0], rows[chosen, 1, 1] = redrawn.meshes[:, 2] + len(detail.triangles), redrawn.meshes[:, 3]
    vertices = np.concatenate([detail.vertices, redrawn.vertices])[numbers_in_ranges(*rows[:, 0].T)]
    triangles = np.concatenate([detail.triangles, redrawn.triangles])[numbers_in_ranges(*rows[:, 1].T)]
    meshes = np.empty((len(mesh.polygons), 4), np.uint32)
    meshes[:, 1::2] = rows[:, :, 1]
    meshes[:, 0::2] = np.cumsum(rows[:, :, 1], axis=0) - rows[:, :, 1]
    return DetailMesh(meshes, vertices, triangles)
