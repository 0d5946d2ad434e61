"""Marked polygons, vertices and regions as a list of violations that a person can find in the level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ...types import NO_INDEX, PolygonMesh
from .ground_checks import PolygonSources
from .invariants import POLYGON_RULES, REGION_RULES, VERTEX_RULES, Findings, Place, Violation


def listed(findings: Findings, mesh: PolygonMesh, sources: PolygonSources | None) -> list[Violation]:
    """One entry for each rule broken by a polygon, a vertex or a region."""
    if not findings.any:
        return []
    violations = []
    for polygon in np.flatnonzero(findings.polygons).tolist():
        region, place = int(mesh.region[polygon]), place_of_polygon(mesh, polygon)
        for rule in POLYGON_RULES:
            if findings.polygons[polygon] & rule.bit:
                text = f"Polygon {polygon} {rule.text}."
                violations.append(Violation(rule.code, text, place, polygon, region, rule.invariant))
    for vertex in np.flatnonzero(findings.vertices).tolist():
        for rule in VERTEX_RULES:
            if findings.vertices[vertex] & rule.bit:
                text, place = f"Vertex {vertex} {rule.text}.", place_of_vertex(mesh, vertex)
                violations.append(Violation(rule.code, text, place, -1, 0, rule.invariant))
    for region in np.flatnonzero(findings.regions).tolist():
        for rule in REGION_RULES:
            if findings.regions[region] & rule.bit and sources is not None:
                text, place = f"Region {region} {rule.text}.", place_of_region(mesh, sources, region)
                violations.append(Violation(rule.code, text, place, -1, region, rule.invariant))
    return violations


def place_of_vertex(mesh: PolygonMesh, vertex: int) -> Place:
    """Metres, y up."""
    return _in_metres(mesh, mesh.vertices[vertex].astype(np.float64))


def place_of_polygon(mesh: PolygonMesh, polygon: int) -> Place:
    """The middle of a polygon's corners."""
    row = mesh.polygons[polygon]
    corners = row[(row != NO_INDEX) & (row < len(mesh.vertices))]
    if len(corners) == 0:
        return _in_metres(mesh, np.zeros(3))
    return _in_metres(mesh, mesh.vertices[corners].astype(np.float64).mean(0))


def place_of_region(mesh: PolygonMesh, sources: PolygonSources, region: int) -> Place:
    """A corner of the region's outline, or of its ground."""
    contours = sources.contours
    for contour in np.flatnonzero(contours.region == region).tolist():
        return _in_metres(mesh, contours.raw[contours.raw_first[contour], :3].astype(np.float64))
    span = int(np.argmax(sources.regions.region == region))
    column = int(np.searchsorted(sources.compact.first, span, "right")) - 1
    width, border = sources.compact.width, mesh.grid.border
    cell = (column % width - border, int(sources.compact.floor[span]), column // width - border)
    return _in_metres(mesh, np.array(cell, np.float64))


def _in_metres(mesh: PolygonMesh, vx: npt.NDArray[np.float64]) -> Place:
    grid = mesh.grid
    x, y, z = (grid.bounds_min + vx * (grid.cell_size, grid.cell_height, grid.cell_size)).tolist()
    return round(x, 3), round(y, 3), round(z, 3)
