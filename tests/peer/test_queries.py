"""The peer's queries and ours, of the same file: links, exhausted pools, paths cut off, flags, costs, tiles."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.answers import levels
from benchmarks.queries import differences
from navcore import QueryFilter, build_navmesh
from navcore.formats.mset import mset_bytes

LEVELS = levels(7, 3)
FILTERS = {
    "everybody": (QueryFilter(), 2048, 256),
    "costs and flags": (QueryFilter({0: 2.0, 1: 10.0, 2: 0.5, 5: 1.5}, include=0xFFEF, exclude=2), 2048, 256),
    "small pool": (QueryFilter(), 16, 256),
    "few nodes": (QueryFilter({1: 4.0}), 4, 256),
    "short paths": (QueryFilter({5: 3.0}), 64, 3),
}


@pytest.mark.usefixtures("peer")
@pytest.mark.parametrize("asked", FILTERS)
@pytest.mark.parametrize("name", LEVELS)
def test_every_answer_of_the_peer(name: str, asked: str) -> None:
    mesh, settings, more = LEVELS[name]
    boxes = [{"shape": "box", **box} for box in more["boxes"]]
    links = [{"flags": 8 if k % 3 else 1, "area": 5, **link} for k, link in enumerate(more["links"])]
    navmesh = mset_bytes(build_navmesh(*mesh, settings, volumes=boxes, links=links))
    low, high = np.tile(mesh[0].min(0), 2) - 0.5, np.tile(mesh[0].max(0), 2) + 0.5
    points = np.random.default_rng(len(name)).uniform(low, high, (200, 6)).astype(np.float32)
    told = differences(navmesh, points, *FILTERS[asked])
    if FILTERS[asked][2] < 256:  # the peer's ray goes on where ours has no room for more polygons
        told = [array for array in told if not array.startswith("ray_")]
    assert told == []
