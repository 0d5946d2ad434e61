"""The shortest path on levels of the soak where tiles meet in odd ways: where Detour gets, it gets, too."""

from __future__ import annotations

import numpy as np
import pytest

from tests.soak.queries import query_of


@pytest.mark.parametrize("seed", [52, 56, 61, 97, 128, 220, 396])
def test_a_search_that_could_go_round_and_round_comes_to_its_end(seed: int) -> None:
    """Polygons that lie around a corner of several tiles, some of them over each other."""
    query = query_of(seed)
    assert query is not None
    starts, ends = (query.random_points(200, seed=seed + k).points for k in (1, 10**6))
    exact = query.find_paths(starts, ends, exact=True)
    funnel = query.find_paths(starts, ends, max_nodes=None, max_path=None, max_points=None)
    assert exact.status.tolist() == funnel.status.tolist()
    assert len(np.unique(funnel.status)) > 1 or (funnel.status == 0).all()
    assert exact.expanded.max() < 2000
