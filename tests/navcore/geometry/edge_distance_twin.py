"""Distances to the nearest edge as the rules word them, span by span: the slow twin of edge_distance."""

from __future__ import annotations

from navcore.types import CompactHeightfield

from .compact_worlds import step


def edge_distance_twin(compact: CompactHeightfield, edges: list[bool], most: int) -> list[int]:
    """R-7.2 and R-7.3 word for word, saturating at `most`."""
    distance = [0 if edge else most for edge in edges]
    forward = (((0,), 2), ((0, 3), 3), ((3,), 2), ((3, 2), 3))
    back = (((2,), 2), ((2, 1), 3), ((1,), 2), ((1, 0), 3))
    columns = range(compact.width * compact.depth)
    for passes, order in ((forward, columns), (back, reversed(columns))):
        for column in order:
            for span in range(compact.first[column], compact.first[column + 1]):
                for directions, length in passes:
                    other = step(compact, span, *directions)
                    if other >= 0:
                        distance[span] = min(distance[span], distance[other] + length, most)
    return distance
