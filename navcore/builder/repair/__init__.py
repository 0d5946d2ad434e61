"""Mend what Recast leaves broken: regions whose polygons break an invariant are outlined again, closer to the ground.

repair_steps      what is tried on a region, step by step; detail of single polygons with fewer samples
sharper_outlines  edges held to a smaller error, alike on both sides, and one height where regions meet
repair_warnings   the warnings and errors about it

A mesh that breaks no invariant is not touched.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...build_warning import BuildWarning
from ...geometry.places import enter_place, no_places, slot_of_place
from ...jit import kernel
from ...progress import Progress
from ...settings import Voxels
from ...threads import Workers
from ...types import I32, U16, Bools, CompactHeightfield, Contours, DetailMesh, PolygonMesh, Regions, X, Z
from ..recipe import Recipe
from ..validate import Findings, PolygonSources, Violation, inspect, inspect_detail, listed, place_of_span
from .repair_steps import RepairSteps, redrawn_details, with_two_way_links
from .repair_warnings import BrokenMesh, left_broken, left_out, was_mended
from .sharper_outlines import sharpened, without_border_vertices

__all__ = [
    "BrokenMesh", "RegionPolygons", "check_and_mend_detail", "check_and_mend_polygons", "look_at_polygons",
    "mark_passing",
]  # fmt: skip

Sharpen = Callable[[Contours], Contours]
_ROUNDS = 64  # a region takes six steps, and may pull its neighbors along


class RegionPolygons(NamedTuple):
    """Regions, their outlines and their polygons."""

    regions: Regions
    contours: Contours
    mesh: PolygonMesh
    warnings: list[BuildWarning]


Outline = Callable[[CompactHeightfield, Regions, Sharpen | None], RegionPolygons]


def check_and_mend_polygons(
    outlined: RegionPolygons, compact: CompactHeightfield, recipe: Recipe, outline: Outline, workers: Workers,
    findings: Findings | None = None,
) -> tuple[RegionPolygons, list[BuildWarning]]:  # fmt: skip
    """Polygons that break no invariant: those there are, or mended ones; and what there is to say about it.

    `outline` runs the stages from contours to polygons; `findings` are those of `look_at_polygons`, where somebody has
    looked. Without `repair` broken polygons stay. Raises BrokenMesh where nothing helps.
    """
    sources = PolygonSources(compact, outlined.regions, outlined.contours)
    with workers.progress.stage("validate"):
        if findings is None:
            findings = look_at_polygons(outlined, compact, recipe, workers.progress)
    broken = listed(findings, outlined.mesh, sources, once=True)
    if not broken or not recipe.settings.repair:
        return outlined, left_broken(broken)
    mended, left = _mend(outlined, findings, compact, recipe.voxels, outline, workers)
    if left:
        raise BrokenMesh(left)
    return mended, was_mended(broken)


def look_at_polygons(
    outlined: RegionPolygons, compact: CompactHeightfield, recipe: Recipe, progress: Progress
) -> Findings:
    """What breaks an invariant."""
    sources = PolygonSources(compact, outlined.regions, outlined.contours)
    return inspect(outlined.mesh, None, sources, recipe.voxels.climb_vx, progress)


def check_and_mend_detail(
    outlined: RegionPolygons, detail: DetailMesh, compact: CompactHeightfield, recipe: Recipe, workers: Workers
) -> tuple[DetailMesh, list[BuildWarning]]:
    """Detail of polygons that break no invariant: as it is, or mended; and what there is to say about it."""
    mesh, voxels = outlined.mesh, recipe.voxels

    def find(detail: DetailMesh) -> Findings:
        return inspect_detail(mesh, detail, voxels.climb_vx)

    with workers.progress.stage("validate"):
        findings = find(detail)
    broken = listed(findings, mesh, None, once=True)
    if not broken or not recipe.settings.repair:
        return detail, left_broken(broken)
    sampling = voxels.detail_sample_distance, voxels.detail_sample_max_error
    detail = redrawn_details(mesh, detail, sampling, (compact, outlined.regions), find, workers)
    left = listed(find(detail), mesh, None)
    if left:
        raise BrokenMesh(left)
    return detail, was_mended(broken)


def _mend(
    outlined: RegionPolygons,
    findings: Findings,
    compact: CompactHeightfield,
    voxels: Voxels,
    outline: Outline,
    workers: Workers,
) -> tuple[RegionPolygons, list[Violation]]:
    """Outline the regions that break an invariant again until none does; and what is wrong still, if anything is."""
    compact = with_two_way_links(compact, workers)
    steps = RepairSteps(outlined.regions, outlined.mesh.max_edge_error)
    for _ in range(_ROUNDS):
        workers.progress.check()
        if not findings.any:
            break
        if not steps.advance(compact, _wrong_regions(outlined, findings, steps), workers):
            break
        outlined = outline(compact, steps.regions, lambda contours: _redrawn(contours, steps, voxels.height_vx))
        sources = PolygonSources(compact, outlined.regions, outlined.contours)
        findings = inspect(outlined.mesh, None, sources, voxels.climb_vx, workers.progress)
    if steps.lost:
        grid = outlined.mesh.grid
        outlined.warnings.append(left_out(steps.lost, place_of_span(grid, compact, steps.lost_span), grid))
    sources = PolygonSources(compact, outlined.regions, outlined.contours)
    return outlined, listed(findings, outlined.mesh, sources)


def _redrawn(contours: Contours, steps: RepairSteps, height_vx: int) -> Contours:
    redrawn = sharpened(contours, steps.errors, height_vx)
    return without_border_vertices(redrawn, steps.keeps_border_vertices[contours.region].view(np.uint8))


def _wrong_regions(outlined: RegionPolygons, findings: Findings, steps: RepairSteps) -> Bools:
    """(R,) the regions to which broken polygons and vertices belong."""
    mesh, contours = outlined.mesh, outlined.contours
    wrong = np.zeros(steps.regions.count + 1, bool)
    wrong[: len(findings.regions)] = findings.regions != 0
    polygons = findings.polygons != 0
    wrong[mesh.region[polygons]] = True
    # Polygons around several regions and vertices are traced back through the outlines that pass there.
    several = mesh.polygons[polygons & (mesh.region == 0)]
    vertices = np.append(several[several < len(mesh.vertices)], np.flatnonzero(findings.vertices))
    if len(vertices):
        mark_passing(contours.raw_first, contours.raw, contours.region, mesh.vertices[vertices], wrong)
    return wrong


@kernel
def mark_passing(first: I32, raw: I32, region: U16, vertices: U16, wrong: Bools) -> None:
    """Mark the regions whose outlines pass a place of one of the vertices."""
    places = no_places(vertices.shape[0])
    for vertex in range(vertices.shape[0]):
        enter_place(places, np.int32(vertices[vertex, X]), np.int32(vertices[vertex, Z]))
    for k in range(region.shape[0]):
        for i in range(first[k], first[k + 1] if not wrong[region[k]] else first[k]):
            if slot_of_place(places, raw[i, X], raw[i, Z]) >= 0:
                wrong[region[k]] = True
                break
