"""The peer takes wide links in our files: it finds the ways over their points that we find, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.queries import differences
from navcore import NavMesh, NavQuery, QueryFilter, Settings, build_navmesh
from navcore.formats.mset import mset_bytes
from navcore.navquery.status import PathStatus
from tests.wide_links import ACROSS, CLIMB, DROP, HIGH, JUMP, LOW, PLATFORMS, platforms

PLACES = (LOW, HIGH, ACROSS)
BY_HAND = {"jump": (JUMP,), "drop": (DROP,), "climb": (CLIMB,), "all": (JUMP, DROP, CLIMB)}
COMPLETE = {"jump": 2, "drop": 1, "climb": 2, "all": 6, "found": 4}  # of the six pairs of places


def navmesh_of(name: str, tile_size: int) -> NavMesh:
    if name == "found":
        return build_navmesh(*PLATFORMS, Settings(generate_links=True, tile_size=tile_size))
    return platforms(*BY_HAND[name], tile_size=tile_size)


@pytest.mark.usefixtures("peer")
@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("name", COMPLETE)
def test_every_answer_of_the_peer_over_wide_links(name: str, tile_size: int) -> None:
    navmesh = navmesh_of(name, tile_size)
    pairs = np.array([(*one, *other) for one in PLACES for other in PLACES if one != other], np.float32)
    status = NavQuery(navmesh).find_paths(pairs[:, :3], pairs[:, 3:]).status
    assert np.count_nonzero(status == PathStatus.COMPLETE) == COMPLETE[name]
    more = np.random.default_rng(2).uniform([-12, -1, 0] * 2, [22, 3, 12] * 2, (200, 6))
    points = np.concatenate([pairs, more]).astype(np.float32)
    assert differences(mset_bytes(navmesh), points, QueryFilter(), 2048, 256) == []
