"""The peer takes wide links in our files: it finds the ways over their points that we find, and no others."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.queries import differences
from navcore import NavQuery, QueryFilter
from navcore.formats.mset import mset_bytes
from navcore.navquery.status import PathStatus
from tests.wide_links import ACROSS, CLIMB, DROP, HIGH, JUMP, LOW, platforms

PLACES = (LOW, HIGH, ACROSS)
FOUND = {"jump": (JUMP,), "drop": (DROP,), "climb": (CLIMB,), "all": (JUMP, DROP, CLIMB)}
COMPLETE = {"jump": 2, "drop": 1, "climb": 2, "all": 6}  # of the six pairs of places


@pytest.mark.usefixtures("peer")
@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("name", FOUND)
def test_every_answer_of_the_peer_over_wide_links(name: str, tile_size: int) -> None:
    navmesh = platforms(*FOUND[name], tile_size=tile_size)
    pairs = np.array([(*one, *other) for one in PLACES for other in PLACES if one != other], np.float32)
    status = NavQuery(navmesh).find_paths(pairs[:, :3], pairs[:, 3:]).status
    assert np.count_nonzero(status == PathStatus.COMPLETE) == COMPLETE[name]
    more = np.random.default_rng(2).uniform([-12, -1, 0] * 2, [22, 3, 12] * 2, (200, 6))
    points = np.concatenate([pairs, more]).astype(np.float32)
    assert differences(mset_bytes(navmesh), points, QueryFilter(), 2048, 256) == []
