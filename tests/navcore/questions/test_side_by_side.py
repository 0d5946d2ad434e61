"""All ways side by side: which pairs are compared, and with what."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.questions.side_by_side import MeasuredPath, SideBySide, side_by_side
from tests.navcore.navquery.query_examples import random_points
from tests.navcore.path_comparison.ways import level

POINTS = np.zeros((1, 3), np.float32)


def way(name: str, lengths: list[float]) -> MeasuredPath:
    return MeasuredPath(name, np.zeros(3, np.int64), np.zeros((0, 3)), np.array(lengths), 1.0)


def test_lines_are_measured_against_the_shortest_of_all() -> None:
    """One way found no line for the second pair."""
    ways = way("middle", [15.0, 30.0]), way("funnel", [10.0, 20.0]), way("exact", [8.0, np.nan])
    found = SideBySide(2, POINTS, POINTS, np.array([3, 3]), ways)
    longer = [found.longer(one).tolist() for one in ways]
    assert longer[0] == pytest.approx([0.875, 0.5]) and longer[1] == pytest.approx([0.25, 0])
    assert longer[2][0] == 0 and np.isnan(longer[2][1])


def test_only_pairs_that_a_path_joins_are_compared() -> None:
    query, points = level("town"), random_points(400, 8)
    near = query.nearest(points)
    starts, ends = points[:200].copy(), points[200:].copy()
    starts[0] = ends[0] = near.points[near.references != 0][0]  # a pair without a way between
    found = side_by_side(query, starts, ends)
    paths = query.find_paths(starts, ends, max_nodes=None, max_path=None, max_points=None)
    apart = np.hypot(*(query.nearest(starts).points - query.nearest(ends).points)[:, ::2].T) > 0.1
    complete = np.flatnonzero((paths.status == 0) & apart)
    assert paths.status[0] == 0 and not apart[0] and found.asked == 200 and len(found.starts) == len(complete) > 40
    funnel = next(one for one in found.ways if one.name == "funnel")
    for row, pair in enumerate(complete.tolist()):
        line = paths.points[paths.offsets[pair] : paths.offsets[pair + 1]]
        assert funnel.points[funnel.offsets[row] : funnel.offsets[row + 1]].astype(np.float32).tolist() == line.tolist()
        assert funnel.length[row] == pytest.approx(np.hypot(*np.diff(line.astype(np.float64), axis=0)[:, ::2].T).sum())
