"""Parts of graphs against a twin that asks of each pair whether ways lead there and back."""

from __future__ import annotations

import numpy as np
import pytest

from navcore.geometry.connected_parts import joined_parts, numbered_by_ground, sizes_from_above, strong_parts
from navcore.types import I32, I64

Edges = list[tuple[int, int]]


def graph(count: int, edges: Edges) -> tuple[I64, I32]:
    """Edges as rows of targets."""
    rows: list[list[int]] = [[] for _ in range(count)]
    for a, b in edges:
        rows[a].append(b)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return starts, np.array([b for row in rows for b in row], np.int32)


def there_and_back(count: int, edges: Edges) -> set[frozenset[int]]:
    """The twin: Warshall's reachability, then who reaches whom both ways."""
    reach = np.eye(count, dtype=bool)
    for a, b in edges:
        reach[a, b] = True
    for k in range(count):
        reach |= reach[:, k : k + 1] & reach[k]
    both = reach & reach.T
    return {frozenset(np.flatnonzero(row).tolist()) for row in both}


def groups(part: I32) -> set[frozenset[int]]:
    return {frozenset(np.flatnonzero(part == one).tolist()) for one in np.unique(part)}


@pytest.mark.parametrize("seed", range(60))
def test_parts_are_those_of_the_twin(seed: int) -> None:
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, 40))
    edges = [tuple(pair) for pair in rng.integers(0, count, (int(count * rng.uniform(0, 2.5)), 2)).tolist()]
    part = strong_parts(*graph(count, edges))
    assert groups(part) == there_and_back(count, edges)
    assert sorted(set(part.tolist())) == list(range(len(groups(part)))), "parts are counted from 0"
    both_ways = edges + [(b, a) for a, b in edges]
    pairs = np.array(edges, np.int64).reshape(-1, 2)
    assert groups(joined_parts(count, pairs[:, 0], pairs[:, 1])) == there_and_back(count, both_ways)
    assert groups(strong_parts(*graph(count, both_ways))) == there_and_back(count, both_ways)


def test_long_chains_and_rings_need_no_recursion() -> None:
    """Numbered against the direction in which they are joined."""
    count = 200_000
    order = np.random.default_rng(1).permutation(count)
    chain = list(zip(order[:-1].tolist(), order[1:].tolist(), strict=True))
    assert len(np.unique(strong_parts(*graph(count, chain)))) == count
    assert (strong_parts(*graph(count, [*chain, (int(order[-1]), int(order[0]))])) == 0).all()
    found = joined_parts(count + 2, order[:-1], order[1:])
    assert len(set(found[:count].tolist())) == 1 and len(set(found.tolist())) == 3


def test_no_nodes_and_no_edges() -> None:
    assert len(strong_parts(*graph(0, []))) == 0 and len(strong_parts(*graph(3, []))) == 3
    none = np.zeros(0, np.int64)
    assert joined_parts(3, none, none).tolist() == [0, 1, 2] and len(joined_parts(0, none, none)) == 0
    number, metres = numbered_by_ground(np.zeros(0, np.int32), np.zeros(0, bool), np.zeros(0))
    assert len(number) == len(metres) == 0


def test_islands_are_numbered_by_their_ground() -> None:
    """Links have none; the part of a link that leads nowhere is no island. Sums that round otherwise are as large."""
    part = np.array([3, 1, 1, 0, 2, 4, 0], np.int32)
    ground = np.array([True, True, True, True, False, True, True])
    metres = np.array([0.3, 5, 2, 0.1, 99, 0.3, 0.2])  # 0.1 + 0.2 is more than 0.3 in floating point
    number, size = numbered_by_ground(part, ground, metres)
    assert number.tolist() == [1, 0, 0, 2, -1, 3, 2] and size.tolist() == [7, 0.3, 0.1 + 0.2, 0.3]


def test_sizes_of_polygons() -> None:
    square = [[0, 5, 0], [0, 6, 2], [2, 7, 2], [2, 8, 0], [9, 9, 9], [9, 9, 9]]
    triangle = [[1000, 0, 0], [1000, 0, 1], [1003, 0, 0], *[[7, 7, 7]] * 3]
    link = [[0, 0, 0], [4, 0, 4], *[[7, 7, 7]] * 4]
    outlines = np.array([square, triangle, link], np.float32)
    assert sizes_from_above(outlines, np.array([4, 3, 2])).tolist() == [4, 1.5, 0]
    assert sizes_from_above(outlines[:, ::-1], np.array([6, 6, 6]))[0] > 0, "whichever way round"
