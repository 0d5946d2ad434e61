"""Stage 10: PolygonMesh and CompactHeightfield → DetailMesh, triangles inside each polygon that follow the ground."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NoReturn

import numpy as np

from ...build_warning import BuildWarning, in_words
from ...errors import BadInput, TooLarge
from ...geometry.grid import place_in_grid
from ...threads import Workers
from ...types import (
    F32,
    FIRST_TRIANGLE,
    FIRST_VERTEX,
    I32,
    I64,
    NO_INDEX,
    TRIANGLE_COUNT,
    U8,
    VERTEX_COUNT,
    CompactHeightfield,
    DetailMesh,
    PolygonMesh,
    Regions,
)
from .deviation import MAX_TRIANGLES
from .each_polygon import (
    COUNTED_TRIANGLES,
    COUNTED_VERTICES,
    NO_SUCH_VERTEX,
    OUTSIDE_GRID,
    TOO_FEW_CORNERS,
    DetailOut,
    PolygonsToDetail,
    Scratch,
    build_polygons,
    detail_in_one_call,
    measure_polygons,
    new_scratch,
    place_polygons,
)
from .edge_and_inner_samples import MAX_VERTICES
from .heights import HeightSource
from .sampling import (
    CLAMPED,
    DANGLING,
    HEIGHTS_UNKNOWN,
    KINDS,
    NOTHING_NEAR,
    TABLE_FULL,
    TALLY_SLOTS,
    WALKS_FAILED,
    Sampling,
    sampling_of,
)

MAX_SAMPLES = 100_000_000  # inside one polygon
_SHARED_FROM = 40_000  # spans; with fewer, a thread is not worth waking
WHOLE = 4096  # cells of a patch up to which filling it is less work than looking at the ground again and again
# Effort is counted in cells of patches; 100,000 take a third of a millisecond.
_LAZY = 8  # cells of a large patch, which is not filled, that cost as much as one that is
_POLYGON_EFFORT = 600  # what a polygon costs beside its cells
_MIN_EFFORT = 50_000  # of a job; smaller ones are not worth handing over
_MAX_EFFORT = 400_000  # of a job with several polygons, so that cancelling is seen
_JOBS_PER_THREAD = 4  # if there is enough to do: a sample that is added costs far more than a cell, and none is known

_REFUSALS = {
    TOO_FEW_CORNERS: "A polygon has fewer than 3 corners.",
    NO_SUCH_VERTEX: "A polygon names a vertex that does not exist.",
    OUTSIDE_GRID: "A polygon reaches out of its grid.",
}
_SMALLER = "Lower Cell Size, or raise Detail Sample Distance."
_COARSER = "Raise Detail Sample Distance or Detail Sample Max Error, or lower Edge Max Length."
_NOTES = {
    WALKS_FAILED: ("Walks towards the center of a polygon that ended elsewhere", _SMALLER),
    NOTHING_NEAR: ("Polygons without ground near any corner, which keep their own height", _SMALLER),
    HEIGHTS_UNKNOWN: ("Height samples without any ground around, set to voxel 65,535", _SMALLER),
    DANGLING: ("Dangling faces dropped while the detail mesh was refined", _COARSER),
    TABLE_FULL: ("Edges dropped because a polygon's table of edges was full", _COARSER),
    CLAMPED: ("Polygons cut off at 255 detail triangles", _COARSER),
}  # what is said of each, and what to do about it


def build_detail_mesh(
    mesh: PolygonMesh,
    compact: CompactHeightfield,
    regions: Regions,
    sample_distance: np.float32,
    sample_max_error: np.float32,
    workers: Workers,
    notes: list[BuildWarning] | None = None,
    beside: Callable[[], object] | None = None,
) -> DetailMesh:
    """Triangulate each polygon so that no height sample is farther from it than `sample_max_error` metres.

    Samples lie `sample_distance` metres apart, along edges and inside; a polygon gets 127 vertices at most. With a
    distance of 0 its own corners are triangulated and no heights are looked up. `compact` includes the border that
    `mesh.grid` leaves out. What went less than well is appended to `notes`. `beside` is called as well, on whatever
    thread has nothing else to do. Recast: rcBuildPolyMeshDetail.
    """
    _check(mesh, compact, regions)
    grid = mesh.grid
    sampling = sampling_of(grid, sample_distance, sample_max_error, mesh.max_edge_error)
    if workers.in_one_call(4 * len(compact.floor), 4 * _SHARED_FROM):  # a span may take much longer here
        inputs = *_kernel_inputs(mesh, compact, regions, workers.progress.cancelled), sampling
        whole = partial(detail_in_one_call, *inputs, grid.width, grid.depth, MAX_SAMPLES)
        status, meshes, vertices, triangles, tally = workers.both(whole, beside)
        if status:
            _refuse(int(status), sampling)
        built_mesh = DetailMesh(meshes, vertices, triangles)
    else:
        cells, samples = _sizes(mesh, sampling)
        inputs = *_kernel_inputs(mesh, compact, regions, workers.progress.cancelled), sampling
        builder = _PolygonBuilder(inputs, cells, samples)
        chosen = _deal(cells, workers.count)
        calls = [partial(builder, polygons) for polygons in chosen]
        before = [beside] if beside is not None else []  # begun here, while helpers wake up
        built = workers.run(lambda call: call(), [(call,) for call in (*before, *calls)])[len(before) :]
        tally = _put_tallies_together([part[2] for part in built])
        built_mesh = _put_together(builder.counts, chosen, built)
    workers.progress.check()  # kernels that were stopped end early
    if notes is not None and tally.any():
        notes += _warnings(mesh, tally)
    return built_mesh


def merge_detail_meshes(meshes: Sequence[DetailMesh]) -> DetailMesh:
    """One after the other, nothing welded. Recast: rcMergePolyMeshDetails."""
    if not meshes:
        return DetailMesh(np.empty((0, 4), np.uint32), np.empty((0, 3), np.float32), np.empty((0, 4), np.uint8))
    rows = []
    vertex, triangle = 0, 0
    for mesh in meshes:
        rows.append(mesh.meshes + np.array([vertex, 0, triangle, 0], np.uint32))
        vertex += len(mesh.vertices)
        triangle += len(mesh.triangles)
    return DetailMesh(
        np.concatenate(rows),
        np.concatenate([m.vertices for m in meshes]),
        np.concatenate([m.triangles for m in meshes]),
    )


def _kernel_inputs(
    mesh: PolygonMesh, compact: CompactHeightfield, regions: Regions, cancelled: U8
) -> tuple[PolygonsToDetail, HeightSource]:
    """What all polygons have in common, as the kernels take it."""
    origin = np.ascontiguousarray(mesh.grid.bounds_min, np.float32)
    polygons = PolygonsToDetail(mesh.vertices, mesh.polygons, mesh.region, origin)
    spans = compact.first, compact.floor, compact.neighbors, regions.region
    return polygons, HeightSource(compact.width, compact.depth, mesh.grid.border, WHOLE, *spans, cancelled)


class _PolygonBuilder:
    """Builds some polygons in the thread that calls it, with scratch that the next call in that thread uses again."""

    def __init__(self, inputs: tuple[PolygonsToDetail, HeightSource, Sampling], cells: I64, samples: I64) -> None:
        self.inputs, self.cells, self.samples = inputs, cells, samples
        self.counts = np.zeros((len(inputs[0].polygons), 2), np.int32)
        self._idle: list[Scratch] = []

    def __call__(self, chosen: I32) -> tuple[F32, U8, Any]:
        scratch = self._scratch(int(self.cells[chosen].max()), int(self.samples[chosen].max()))
        vertices = np.empty((len(chosen) * MAX_VERTICES, 3), np.float32)
        triangles = np.empty((len(chosen) * MAX_TRIANGLES, 4), np.uint8)
        tally = np.zeros(TALLY_SLOTS, np.int64)
        v, t = build_polygons(*self.inputs, scratch, chosen, DetailOut(self.counts, vertices, triangles, tally))
        self._idle.append(scratch)
        return vertices[:v].copy(), triangles[:t].copy(), tally

    def _scratch(self, cells: int, samples: int) -> Scratch:
        """Scratch of a job that is done, if it is large enough. (As jobs come largest first, it nearly always is.)"""
        try:
            scratch = self._idle.pop()
        except IndexError:
            scratch = None
        if scratch and len(scratch.patch.spans) > cells and len(scratch.samples.hits) >= samples:
            return scratch
        return new_scratch(self.inputs[0].polygons.shape[1], cells, samples)


def _check(mesh: PolygonMesh, compact: CompactHeightfield, regions: Regions) -> None:
    """Refuse polygons that are not of this heightfield."""
    grid = mesh.grid
    width, depth = grid.width + 2 * grid.border, grid.depth + 2 * grid.border
    if (compact.width, compact.depth) != (width, depth) or len(regions.region) != len(compact.floor):
        raise BadInput(
            f"The polygons are of a grid of {width:,} × {depth:,} columns, "
            f"the heightfield has {compact.width:,} × {compact.depth:,}. Use the one they were made from."
        )


def _sizes(mesh: PolygonMesh, sampling: Sampling) -> tuple[I64, I64]:
    """Cells of the patch and grid samples at most, for each polygon."""
    cells, samples = np.empty(len(mesh.polygons), np.int64), np.empty(len(mesh.polygons), np.int64)
    status = measure_polygons(mesh.vertices, mesh.polygons, mesh.grid.width, mesh.grid.depth, sampling, cells, samples)
    most = samples.max(initial=0)
    if status or most > MAX_SAMPLES:
        _refuse(status or most, sampling)
    return cells, samples


def _refuse(status: int, sampling: Sampling) -> NoReturn:
    """Raise what a status of the kernels says: below 0 what is wrong with a polygon, above it how many samples."""
    if status < 0:
        raise BadInput(_REFUSALS[status])
    raise TooLarge(
        f"A polygon would take {status:,} height samples (limit {MAX_SAMPLES:,}). "
        f"Raise the detail sample distance (now {in_words(float(sampling.distance))} m)."
    )


def _deal(cells: I64, threads: int) -> list[I32]:
    """The polygons of each job: largest first, jobs of about equal effort."""
    order = np.argsort(-cells, kind="stable").astype(np.int32)
    if not len(order):
        return []
    effort = np.cumsum(np.minimum(cells[order], WHOLE + cells[order] // _LAZY) + _POLYGON_EFFORT)
    total = int(effort[-1])
    jobs = max(1, min(_JOBS_PER_THREAD * threads, total // _MIN_EFFORT)) if threads > 1 else 1
    jobs = max(jobs, total // _MAX_EFFORT)
    ends = np.searchsorted(effort, np.arange(1, jobs) * (total / jobs)) + 1
    return [part for part in np.split(order, ends) if len(part)]


def _put_tallies_together(tallies: list[I64]) -> I64:
    """Sums of what was counted, and the first polygon of all."""
    whole = np.zeros(TALLY_SLOTS, np.int64)
    for tally in tallies:
        firsts = np.stack([whole[KINDS:], tally[KINDS:]])
        whole[:KINDS] += tally[:KINDS]
        whole[KINDS:] = np.where(firsts.min(0) == 0, firsts.max(0), firsts.min(0))
    return whole


def _warnings(mesh: PolygonMesh, tally: I64) -> list[BuildWarning]:
    """One for each kind of thing that went less than well, at the first polygon of it."""
    warnings = []
    for kind, (words, way_out) in _NOTES.items():
        if tally[kind]:
            corners = mesh.polygons[tally[KINDS + kind] - 1]
            place = place_in_grid(mesh.grid, mesh.vertices[corners[corners != NO_INDEX]].mean(0))
            warnings.append(BuildWarning("DETAIL", f"{words}: {tally[kind]:,}. {way_out}", place))
    return warnings


def _put_together(counts: I32, chosen: list[Any], built: list[Any]) -> DetailMesh:
    """From the order in which the jobs were dealt to that of the polygons."""
    meshes = np.zeros((len(counts), 4), np.uint32)
    for column, first, size in (
        (COUNTED_VERTICES, FIRST_VERTEX, VERTEX_COUNT),
        (COUNTED_TRIANGLES, FIRST_TRIANGLE, TRIANGLE_COUNT),
    ):
        meshes[:, size] = counts[:, column]
        meshes[1:, first] = np.cumsum(counts[:-1, column])
    vertices = np.empty((int(counts[:, COUNTED_VERTICES].sum()), 3), np.float32)
    triangles = np.empty((int(counts[:, COUNTED_TRIANGLES].sum()), 4), np.uint8)
    for polygons, (from_vertices, from_triangles, _) in zip(chosen, built, strict=True):
        place_polygons(polygons, meshes, from_vertices, from_triangles, vertices, triangles)
    return DetailMesh(meshes, vertices, triangles)
