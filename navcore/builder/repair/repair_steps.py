"""What is tried on a region, step by step, until its polygons are sound.

Each step is closer to the ground and further from Recast: half the edge error, no edge error, the region divided as the
layers partition does, in rows without holes, in single runs of cells, whose outlines cannot touch themselves, and at
last every step of the walk a corner, so that no edge spans corners of other floors. What then is left (single cells
between floors that lie closer together than an agent climbs) is given up, if it is little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...geometry.arrays import numbers_in_ranges
from ...jit import kernel
from ...stages.detail import build_detail_mesh
from ...stages.regions.partitions import overlapping_regions
from ...stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from ...threads import Workers
from ...types import F32, I32, I64, Bools, CompactHeightfield, DetailMesh, PolygonMesh, Regions
from ..validate import Findings

# --- Detail of single polygons drawn anew: with fewer samples, or between the polygon's own corners.

_LOOSER = (1.5, 3.0, 8.0)  # errors that are tried, as factors: what went wrong may hang on one sample
_NO_SAMPLES = np.float32(0)


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
    for attempt in [*tries, (_NO_SAMPLES, _NO_SAMPLES)]:
        wrong = np.flatnonzero(find(detail).polygons)
        if len(wrong):
            detail = _with_others(mesh, detail, wrong, attempt, spans, workers)
    return detail


def _with_others(
    mesh: PolygonMesh,
    detail: DetailMesh,
    chosen: I64,
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


_AS_RECAST, _HALF, _NONE, _EVERY = 0, 1, 2, 3  # steps of the edge error
_WHOLE = 0  # before the steps of the partition
_MAX_LOST = 0.02  # of the ground that may be left out
_FEW_CELLS = 64  # cells that always may
_MAX_SPANS = 1 << 16  # between two looks at the cancel flag


class RepairSteps:
    """How far each region has been taken."""

    def __init__(self, regions: Regions, max_error: np.float32) -> None:
        self.regions = regions
        self.lost = 0  # cells left out
        self.lost_span = 0  # one of them
        self._max_error = max_error
        self._error = np.zeros(regions.count + 1, np.int8)
        self._division = np.zeros(regions.count + 1, np.int8)

    @property
    def errors(self) -> F32:
        """(R,) the edge error of each region in cells; infinite where Recast's rules hold."""
        steps = np.array([np.inf, self._max_error / 2, 0, -1], np.float32)
        errors: F32 = steps[self._error]
        return errors

    @property
    def keeps_border_vertices(self) -> Bools:
        """(R,) regions whose corners on a tile's border all stay."""
        stays: Bools = self._error >= _NONE
        return stays

    def advance(self, compact: CompactHeightfield, wrong: Bools, workers: Workers) -> bool:
        """Take the regions marked in `wrong` (R,) one step further; False if none of them can be."""
        wrong[0] = False
        before = self._error.copy()
        above_itself = np.zeros(len(wrong), bool)
        above_itself[overlapping_regions(compact, self.regions, workers.progress)] = True
        divide = (
            wrong & (self._division < RUNS) & ((self._error == _NONE) | (above_itself & (self._division == _WHOLE)))
        )
        self._error[wrong & ~divide & (self._error < _EVERY)] += 1
        if self._max_error == 0:
            self._error[self._error == _HALF] = _NONE
        moved = bool((self._error != before).any()) or bool(divide.any())
        for chosen, way in [(divide & (self._division == way - 1), way) for way in (LAYERS, ROWS, RUNS)]:
            if chosen.any():
                self._divide(compact, chosen, way, workers)
        return moved or self._give_up(wrong, workers)

    def _give_up(self, wrong: Bools, workers: Workers) -> bool:
        """Leave out the smallest of the regions marked; False if too much would be lost."""
        region, left = self.regions.region, np.empty_like(self.regions.region)
        bands = workers.bands(len(region), most=_MAX_SPANS)
        cells = np.zeros(len(wrong), np.int64)
        for begin, end in bands:
            workers.progress.check()
            cells += np.bincount(region[begin:end], minlength=len(wrong))[: len(wrong)]
        candidates = np.flatnonzero(wrong & (cells > 0))
        if len(candidates) == 0:
            return False
        smallest = candidates[np.argmin(cells[candidates])]
        self.lost += int(cells[smallest])
        if self.lost > max(_FEW_CELLS, _MAX_LOST * cells[1:].sum()):
            return False
        self.lost_span = int(np.argmax(region == smallest))
        for begin, end in bands:
            workers.progress.check()
            left[begin:end] = np.where(region[begin:end] == smallest, np.uint16(0), region[begin:end])
        self.regions = Regions(left, self.regions.count)
        return True

    def _divide(
        self,
        compact: CompactHeightfield,
        chosen: Bools,
        way: int,
        workers: Workers,
    ) -> None:
        """New regions start where the ones they come from have been taken to; `chosen` may be short of new ones."""
        full = np.zeros(len(self._error), bool)
        full[: len(chosen)] = chosen
        error = int(self._error[full].min())
        self.regions = split_regions(compact, self.regions, full, way, workers)
        more = self.regions.count + 1 - len(self._error)
        self._error = np.append(self._error, np.full(more, error, np.int8))
        self._division = np.append(self._division, np.full(more, way, np.int8))


# --- ground whose links lead both ways: an outline that follows them cannot stray to another floor

_MAX_SPANS = 1 << 16  # between two looks at the cancel flag


def with_two_way_links(compact: CompactHeightfield, workers: Workers) -> CompactHeightfield:
    """Without links from a span to a neighbor that is not linked back to it.

    (Where floors lie closer together than an agent climbs, B can be the nearest floor for A, and C for B.)
    """
    bands = workers.bands(len(compact.neighbors), most=_MAX_SPANS)
    if not any(workers.run(_has_one_way, [(compact.neighbors, *band) for band in bands])):
        return compact  # as most levels: a copy would be half of what they take
    neighbors = np.empty_like(compact.neighbors)
    workers.run(_mutual, [(compact.neighbors, neighbors, *band) for band in bands])
    return compact._replace(neighbors=neighbors)


@kernel
def _has_one_way(neighbors: I32, begin: int, end: int) -> bool:
    for span in range(begin, end):
        for direction in range(4):
            other = neighbors[span, direction]
            if other >= 0 and neighbors[other, direction ^ 2] != span:
                return True
    return False


@kernel
def _mutual(neighbors: I32, mutual: I32, begin: int, end: int) -> None:
    for span in range(begin, end):
        for direction in range(4):
            other = neighbors[span, direction]
            mutual[span, direction] = other if other >= 0 and neighbors[other, direction ^ 2] == span else -1
