"""Marked polygons, vertices and regions as a list of violations that a person can find in the level."""

from __future__ import annotations

import numpy as np

from ...build_warning import Point
from ...geometry.grid import place_in_grid
from ...types import NO_INDEX, CompactHeightfield, Grid, PolygonMesh
from .ground_checks import PolygonSources
from .invariants import POLYGON_RULES, REGION_RULES, VERTEX_RULES, Findings, Violation


def listed(
    findings: Findings, mesh: PolygonMesh, sources: PolygonSources | None, once: bool = False
) -> list[Violation]:
    """One entry for each rule broken by a polygon, a vertex or a region; `once`: the first one of a region."""
    if not findings.any:
        return []
    violations, seen = list[Violation](), set[tuple[str, int]]()

    def is_new(code: str, region: int) -> bool:
        told = once and (code, region) in seen
        seen.add((code, region))
        return not told

    for polygon in np.flatnonzero(findings.polygons).tolist():
        region, bits = int(mesh.region[polygon]), int(findings.polygons[polygon])
        for rule in POLYGON_RULES:
            if bits & rule.bit and is_new(rule.code, region):
                text, place = f"Polygon {polygon} {rule.text}.", place_of_polygon(mesh, polygon)
                violations.append(Violation(rule.code, text, place, polygon, region, rule.invariant))
    for vertex in np.flatnonzero(findings.vertices).tolist():
        for rule in VERTEX_RULES:
            if findings.vertices[vertex] & rule.bit and is_new(rule.code, 0):
                text, place = f"Vertex {vertex} {rule.text}.", place_of_vertex(mesh, vertex)
                violations.append(Violation(rule.code, text, place, -1, 0, rule.invariant))
    for region in np.flatnonzero(findings.regions).tolist():
        for rule in REGION_RULES:
            if findings.regions[region] & rule.bit and sources is not None:
                text, place = f"Region {region} {rule.text}.", place_of_region(mesh.grid, sources, region)
                violations.append(Violation(rule.code, text, place, -1, region, rule.invariant))
    return violations


def place_of_vertex(mesh: PolygonMesh, vertex: int) -> Point:
    """Metres, y up."""
    return place_in_grid(mesh.grid, mesh.vertices[vertex])


def place_of_polygon(mesh: PolygonMesh, polygon: int) -> Point:
    """The middle of a polygon's corners."""
    row = mesh.polygons[polygon]
    corners = row[(row != NO_INDEX) & (row < len(mesh.vertices))]
    if len(corners) == 0:
        return place_in_grid(mesh.grid, np.zeros(3))
    return place_in_grid(mesh.grid, mesh.vertices[corners].mean(0))


def place_of_region(grid: Grid, sources: PolygonSources, region: int) -> Point:
    """A corner of the region's outline, or of its ground; `grid` is that of the polygons."""
    contours = sources.contours
    for contour in np.flatnonzero(contours.region == region).tolist():
        return place_in_grid(grid, contours.raw[contours.raw_first[contour], :3])
    return place_of_span(grid, sources.compact, int(np.argmax(sources.regions.region == region)))


def place_of_span(grid: Grid, compact: CompactHeightfield, span: int) -> Point:
    """The corner of a cell of open ground."""
    column = int(np.searchsorted(compact.first, span, "right")) - 1
    x, z = column % compact.width - grid.border, column // compact.width - grid.border
    return place_in_grid(grid, (x, int(compact.floor[span]), z))
