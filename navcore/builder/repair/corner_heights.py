"""One height for a corner that several regions share.

Recast takes the highest floor that can be reached from a region's own cell. Two regions that meet may reach different
floors and give their common corner two heights, too far apart to be welded: the edge between them is then lost.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from ...types import BORDER_REGION, I32, LINK, REGION_MASK, U8, Contours, X, Y, Z


def with_level_corners(contours: Contours, chosen: U8, height_vx: int) -> Contours:
    """Corners of the contours marked in `chosen` (K,) and of what they touch: where two regions meet, one height.

    Floors lie `height_vx` apart at least: what differs by more is one corner only if all of its regions touch.
    """
    points = contours.points.copy()
    owner = np.repeat(np.arange(len(contours.region)), np.diff(contours.first))
    places = points[:, X].astype(np.int64) << 32 | points[:, Z]
    order = np.argsort(places, kind="stable")
    cuts = np.flatnonzero(np.diff(places[order])) + 1
    before = _links_before(contours)
    for group in np.split(order, cuts):
        if len(group) > 1 and chosen[owner[group]].any() and len(set(points[group, Y].tolist())) > 1:
            _level(group.tolist(), contours.region[owner[group]].tolist(), points, before, height_vx)
    return contours._replace(points=points)


def _links_before(contours: Contours) -> I32:
    """The link of the edge that ends at each point."""
    before = np.roll(contours.points[:, LINK], 1)
    filled = np.diff(contours.first) > 0
    begin, end = contours.first[:-1][filled], contours.first[1:][filled]
    before[begin] = contours.points[end - 1, LINK]
    return before


def _level(group: list[int], regions: list[int], points: I32, before: I32, height_vx: int) -> None:
    """Raise points of one place to the highest of those that an edge connects them with, the nearest ones first."""
    across = [{_region(before[point]), _region(points[point, LINK])} for point in group]
    y = points[group, Y].tolist()
    clusters = [{number} for number in range(len(group))]
    touching = [
        (a, b) for a in range(len(group)) for b in range(a) if regions[a] in across[b] or regions[b] in across[a]
    ]
    pairs = set(touching)
    for a, b in sorted(touching, key=lambda pair: abs(y[pair[0]] - y[pair[1]])):
        joined = clusters[a] | clusters[b]
        heights = [y[number] for number in joined]
        direct = all((max(pair), min(pair)) in pairs for pair in combinations(joined, 2))
        if direct or max(heights) - min(heights) < height_vx:
            for number in joined:
                clusters[number] = joined
    for number, point in enumerate(group):
        points[point, Y] = max(y[other] for other in clusters[number])


def _region(link: np.int32) -> int:
    """The region across an edge, 0 for none."""
    region = int(link) & REGION_MASK
    return region if region < BORDER_REGION else 0
