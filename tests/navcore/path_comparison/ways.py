"""Lengths of the same paths, refined in every way."""

from __future__ import annotations

from functools import cache

import numpy as np

from navcore import NavQuery, Settings, build_navmesh
from navcore.types import F32, F64, I64
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
    """Metres of random complete paths that lead through several polygons, way by way."""
    corners = query._mesh.outline.reshape(-1, 3)
    points = np.random.default_rng(seed).uniform(corners.min(0), corners.max(0), (2 * rows, 3)).astype(np.float32)
    return ways_between(query, points[:rows], points[rows:], flat)


def ways_between(query: NavQuery, starts: F32, ends: F32, flat: bool = True) -> dict[str, F64]:
    """The same between given points."""
    near, far = query.nearest(starts), query.nearest(ends)
    both = (near.references != 0) & (far.references != 0)
    first, last, here, there = near.references[both], far.references[both], near.points[both], far.points[both]
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


def check_order(lengths: dict[str, F64], misturned: float = 0.0) -> None:
    """Seen from above no choice beats the funnel, nothing beats all choices together, nothing is worse than middles.

    The funnel's points are float32: a few millionths of the length are lost to that. `misturned`: the part of paths in
    which Detour's funnel may do worse.
    """
    slack = 1e-5 * (1 + lengths["funnel"])
    assert (lengths["funnel"] > lengths["choice"] + slack).sum() <= misturned * len(slack)
    assert (lengths["choice"] <= lengths["greedy"] + 1e-9).all()
    assert (lengths["greedy"] <= lengths["middle"] + 1e-9).all()
