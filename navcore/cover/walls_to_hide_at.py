"""Places close to each other along all walls of a navmesh, wall after wall, and the agent that the navmesh is for."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..detour.reader import NavmeshFile
from ..navquery.query_filter import QueryFilter
from ..navquery.status import FAILURE
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..result.navmesh import NavMesh
from ..surroundings.walkable_ground import WallEdges
from ..surroundings.wall_chains import chains_of
from ..types import F64, I32, I64, U32
from .hiding_places import CoverReach, HidingPlaces

_EVERYTHING = QueryFilter(include=0xFFFF)
_INSET = 0.01  # metres that a place lies inside the navmesh
_SAME = 1024.0  # of a metre: corners of neighboring tiles that are as near are one
_FINEST = 0.1  # metres that a cell counts at least: where somebody's own faces are the polygons, lattices are finer
_USUAL_ERROR = 1.3  # cells that outlines may have, where a file does not say it
_ROUNDING = 0.2  # metres that a navmesh may lie above or below ground beyond the agent's climb


class HidingAgent(NamedTuple):
    """Who takes cover, and looks; in metres."""

    radius: float
    height: float
    climb: float
    cell: float  # of the navmesh
    error: float  # that its outlines may have
    within: float  # that its outlines may lie in walls

    @property
    def reach(self) -> CoverReach:
        """How far from the edge of the navmesh what made it end may be."""
        kept = math.ceil(self.radius / self.cell - 1e-6) * self.cell  # as erosion rounds it
        near = kept + self.error + self.cell
        return CoverReach(self.within, near + self.cell, near, self.climb + _ROUNDING)


class AlongWalls(NamedTuple):
    """M places along walls."""

    places: HidingPlaces
    chain: I64  # (M,) walls that follow each other are one chain, its places in order
    along: F64  # (M,) metres along the chain
    width: F64  # (M,) metres that each place stands for


def agent_of_navmesh(navmesh: NavMesh | NavmeshFile) -> HidingAgent:
    if isinstance(navmesh, NavMesh):
        given = navmesh.settings
        cell, error = given.cell_size, given.edge_max_error * given.cell_size
        radius, within = given.agent_radius, cell if navmesh.by_hand else max(cell - given.agent_radius, 0.0)
        return HidingAgent(radius, given.agent_height, given.agent_max_climb, cell, error, within)
    header = navmesh.tiles[0].sections.header[0]
    scale = float(header["cells_per_metre"])
    cell = 1 / min(scale, 1 / _FINEST) if math.isfinite(scale) and scale > 0 else _FINEST
    radius, height, climb = (float(header[f"agent_{name}"]) for name in ("radius", "height", "max_climb"))
    return HidingAgent(radius, height, climb, cell, _USUAL_ERROR * cell, max(cell - radius, 0.0))


def along_walls(query: NavQuery, step: float) -> AlongWalls:
    """Places in the middle of every `step` of every wall, or of what is shorter."""
    references = query.references()
    found = query.wall_segments(references, _EVERYTHING)
    owner = np.repeat(references, np.diff(found.offsets))
    walls = found.references == 0
    ends, owner = found.segments[walls].astype(np.float64), owner[walls]
    lengths = np.hypot(ends[:, 1, 0] - ends[:, 0, 0], ends[:, 1, 2] - ends[:, 0, 2])
    kept = lengths > 0
    ends, owner, lengths = ends[kept], owner[kept], lengths[kept]
    order, chain = _in_chains(ends)
    ends, owner, lengths = ends[order], owner[order], lengths[order]
    counts = np.maximum(np.ceil(lengths / step - 1e-9), 1).astype(np.int64)
    wall = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(wall)) - np.repeat(np.cumsum(counts) - counts, counts)
    part = ((number + 0.5) / counts[wall])[:, None]
    out = _outward(query, ends, owner)[wall]
    point = ends[wall, 0] * (1 - part) + ends[wall, 1] * part
    point[:, [0, 2]] -= _INSET * out
    heights = query.heights(owner[wall], point)
    known = heights.status & FAILURE == 0
    point[:, 1] = np.where(known, heights.heights, point[:, 1])
    width = lengths[wall] / counts[wall]
    return AlongWalls(HidingPlaces(point, out), chain[wall], np.cumsum(width) - width / 2, width)


def _in_chains(ends: F64) -> tuple[I32, I64]:
    """The walls in such an order that each is followed by the one that goes on from it, and the chain of each."""
    nothing = np.zeros(len(ends), np.int32)
    chains = chains_of(WallEdges(np.round(ends * _SAME) / _SAME, nothing, nothing, nothing))
    return chains.walls, np.repeat(np.arange(len(chains.first) - 1), np.diff(chains.first))


def _outward(query: NavQuery, ends: F64, owner: U32) -> F64:
    """(W, 2) across each wall, away from the polygon that it belongs to."""
    way = ends[:, 1] - ends[:, 0]
    across = np.stack([way[:, 2], -way[:, 0]], axis=1)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    mesh, names = mesh_of(query)
    polygons = names.polygons(owner)
    counts = mesh.polygons["corners"][polygons, None]
    corners = mesh.outline[polygons].astype(np.float64) * (np.arange(mesh.outline.shape[1]) < counts)[..., None]
    inward = (corners.sum(axis=1) / counts - ends[:, 0])[:, [0, 2]]
    return np.where((across * inward).sum(axis=1, keepdims=True) > 0, -across, across)
