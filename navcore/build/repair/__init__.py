"""Mend what Recast leaves broken: regions whose polygons break an invariant are outlined again, closer to the ground.

ladder    what is tried on a region, step by step
outlines  edges held to a smaller error, alike on both sides
links     ground whose links lead both ways
corners   one height where regions meet
details   detail of single polygons, with fewer samples or none
telling   what a person hears about it

A mesh that breaks no invariant is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ...report import BuildWarning
from ...settings import Settings, Voxels
from ...threads import Workers
from ...types import CompactHeightfield, Contours, DetailMesh, PolygonMesh, Regions
from ..validate import Findings, Ground, Violation, inspect, inspect_detail, listed
from .details import redrawn_details
from .ladder import Ladder
from .links import with_mutual_links
from .outlines import sharpened, without_border_vertices
from .repair_warnings import BrokenMesh, left_broken, left_out, was_mended

__all__ = ["BrokenMesh", "Outlined", "sound_detail", "sound_polygons"]

Sharpen = Callable[[Contours], Contours]
_ROUNDS = 64  # a region climbs six steps, and may pull its neighbors along


class Outlined(NamedTuple):
    """Regions and what was made of them."""

    regions: Regions
    contours: Contours
    mesh: PolygonMesh
    warnings: list[BuildWarning]


Outline = Callable[[CompactHeightfield, Regions, Sharpen | None], Outlined]


def sound_polygons(
    made: Outlined, compact: CompactHeightfield, settings: Settings, outline: Outline, workers: Workers
) -> tuple[Outlined, list[BuildWarning]]:
    """Polygons that break no invariant: those there are, or mended ones; and what there is to say about it.

    `outline` runs the stages from contours to polygons. Without `repair` broken polygons stay. Raises BrokenMesh where
    nothing helps.
    """
    voxels = settings.in_voxels()
    ground = Ground(compact, made.regions, made.contours)
    with workers.progress.stage("validate"):
        findings = inspect(made.mesh, None, ground, voxels.climb_vx, workers.progress)
    broken = listed(findings, made.mesh, ground)
    if not broken or not settings.repair:
        return made, left_broken(broken)
    mended, left = _mend(made, findings, compact, voxels, outline, workers)
    if left:
        raise BrokenMesh(left)
    return mended, was_mended(broken)


def sound_detail(
    made: Outlined, detail: DetailMesh, compact: CompactHeightfield, settings: Settings, workers: Workers
) -> tuple[DetailMesh, list[BuildWarning]]:
    """The same for the detail of sound polygons."""
    voxels = settings.in_voxels()

    def find(detail: DetailMesh) -> Findings:
        return inspect_detail(made.mesh, detail, voxels.climb_vx)

    with workers.progress.stage("validate"):
        findings = find(detail)
    broken = listed(findings, made.mesh, None)
    if not broken or not settings.repair:
        return detail, left_broken(broken)
    sampling = voxels.detail_sample_distance, voxels.detail_sample_max_error
    detail = redrawn_details(made.mesh, detail, sampling, (compact, made.regions), find, workers)
    left = listed(find(detail), made.mesh, None)
    if left:
        raise BrokenMesh(left)
    return detail, was_mended(broken)


def _mend(
    outlined: Outlined,
    findings: Findings,
    compact: CompactHeightfield,
    voxels: Voxels,
    outline: Outline,
    workers: Workers,
) -> tuple[Outlined, list[Violation]]:
    """Outline the regions that break an invariant again until none does; and what is wrong still, if anything is."""
    compact = with_mutual_links(compact, workers)
    ladder = Ladder(outlined.regions, outlined.mesh.max_edge_error)
    for _ in range(_ROUNDS):
        workers.progress.check()
        if not findings.any:
            break
        if not ladder.climb(compact, _wrong_regions(outlined, findings, ladder), workers):
            break
        outlined = outline(compact, ladder.regions, lambda contours: _redrawn(contours, ladder, voxels.height_vx))
        ground = Ground(compact, outlined.regions, outlined.contours)
        findings = inspect(outlined.mesh, None, ground, voxels.climb_vx, workers.progress)
    if ladder.lost:
        outlined.warnings.append(left_out(ladder.lost, outlined.mesh.grid))
    ground = Ground(compact, outlined.regions, outlined.contours)
    return outlined, listed(findings, outlined.mesh, ground)


def _redrawn(contours: Contours, ladder: Ladder, height_vx: int) -> Contours:
    redrawn = sharpened(contours, ladder.errors, height_vx)
    return without_border_vertices(redrawn, ladder.keeps_border_vertices[contours.region].view(np.uint8))


def _wrong_regions(outlined: Outlined, findings: Findings, ladder: Ladder) -> npt.NDArray[np.bool_]:
    """(R,) the regions to which broken polygons and vertices belong."""
    mesh, contours = outlined.mesh, outlined.contours
    wrong = np.zeros(ladder.regions.count + 1, bool)
    wrong[: len(findings.regions)] = findings.regions != 0
    polygons = findings.polygons != 0
    wrong[mesh.region[polygons]] = True
    # Polygons around several regions and vertices are traced back through the outlines that pass there.
    several = mesh.polygons[polygons & (mesh.region == 0)]
    vertices = np.append(several[several < len(mesh.vertices)], np.flatnonzero(findings.vertices))
    if len(vertices):
        places = mesh.vertices[vertices].astype(np.int64)
        passing = np.isin(
            contours.raw[:, 0].astype(np.int64) << 32 | contours.raw[:, 2], places[:, 0] << 32 | places[:, 2]
        )
        wrong[np.repeat(contours.region, np.diff(contours.raw_first))[passing]] = True
    return wrong
