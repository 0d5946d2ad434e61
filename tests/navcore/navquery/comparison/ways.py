"""Lengths of the same paths, refined in every way."""

from __future__ import annotations

from functools import cache

import numpy as np

from navcore import NavQuery, Settings, build_navmesh
from navcore.types import F64, I64
from tests import scenes
from tests.navcore.navquery.query_examples import town

LEVELS = ("town", "town in tiles", "terrain", "hall")
SUCCESS = 1 << 30


@cache
def level(name: str) -> NavQuery:
    """Streets, the same with seams, hills, and pillars."""
    if name == "terrain":
        return NavQuery(build_navmesh(*scenes.terrain(224, 0.45, 0.07)))
    if name == "hall":
        return NavQuery(build_navmesh(*scenes.plaza(5), Settings(agent_radius=0.3)))
    return NavQuery(town(32 if name == "town in tiles" else 0))


def lengths_of(offsets: I64, points: F64, flat: bool) -> F64:
    """Of lines that lie one after the other."""
    steps = np.diff(points.astype(np.float64), axis=0)
    away = np.concatenate([[0], np.cumsum(np.sqrt((steps[:, ::2] ** 2 if flat else steps**2).sum(axis=1)))])
    found: F64 = away[offsets[1:] - 1] - away[offsets[:-1]]
    return found


def all_ways(query: NavQuery, rows: int, seed: int, flat: bool = True) -> dict[str, F64]:
    """Metres of each complete path that leads through several polygons, way by way."""
    corners = query._mesh.outline.reshape(-1, 3)
    points = np.random.default_rng(seed).uniform(corners.min(0), corners.max(0), (2 * rows, 3)).astype(np.float32)
    near = query.nearest(points)
    both = (near.references[:rows] != 0) & (near.references[rows:] != 0)
    first, last = near.references[:rows][both], near.references[rows:][both]
    here, there = near.points[:rows][both], near.points[rows:][both]
    way = query.find_corridors(first, last, here, there, max_nodes=None, max_path=None)
    edges = query.find_edge_corridors(first, last, here, there)
    chosen = (way.status == SUCCESS) & (np.diff(way.offsets) > 1)
    found = {
        name: query.refined_paths(here, there, way.offsets, way.references, way=name, flat=flat).length[chosen]
        for name in ("middle", "greedy", "choice")
    }
    found["edges"] = query.refined_paths(here, there, edges.offsets, edges.references, way="middle", flat=flat).length
    line = query.straight_paths(here, there, way.offsets, way.references, max_points=None)
    return found | {"edges": found["edges"][chosen], "funnel": lengths_of(line.offsets, line.points, flat)[chosen]}
