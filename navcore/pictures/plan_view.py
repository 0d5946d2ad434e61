"""A navmesh seen from above: polygons by area, walls, links and the numbers of islands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np

from ..geometry.arrays import numbers_in_ranges
from ..geometry.polygon_rings import next_corners, parts_by_edges
from ..types import F32, F64, I32, U8
from .colors import INK, INNER_EDGE, LINK, WALL, color_of_area, color_of_link
from .drawing import Dots, Drawing, Labels, LegendEntry, Lines, Patches, Shape, line_sample, patch_sample

_WALL_WIDTH, _LINK_WIDTH, _LINK_END = 1.4, 1.6, 2.4
_MAX_LABELS, _MIN_SHARE = 12, 0.01  # smaller islands have no room for their number
_HEAD = 0.3  # of an arrow's length
_MARGIN = 0.02  # of the larger side, all around


class WideLinkFromAbove(NamedTuple):
    """A wide link as it is drawn."""

    kind: str
    corners: Sequence[Sequence[float]]  # start left, start right, end left, end right; metres, y up
    both_ways: bool


class Plan(NamedTuple):
    """What is drawn of a navmesh: V vertices, P polygons."""

    vertices: F32  # (V, 3) metres, y up
    first: I32  # (P + 1,) polygon p is corners[first[p]:first[p + 1]]
    corners: I32
    neighbors: I32  # the polygon across the edge from each corner to the next, -1 for a wall
    area: U8  # (P,)
    links: Sequence[tuple[Sequence[float], Sequence[float]]]  # start and end of each
    area_names: Mapping[int, str]
    wide_links: Sequence[WideLinkFromAbove] = ()


def plan_view(title: str, plan: Plan) -> Drawing:
    """The picture, as wide as the ground and its links."""
    ends = np.array([end for link in plan.links for end in link], np.float64).reshape(-1, 3)
    quads = np.array([corner for wide in plan.wide_links for corner in wide.corners], np.float64).reshape(-1, 3)
    used = np.concatenate([plan.vertices[np.unique(plan.corners)], ends, quads])[:, ::2].astype(np.float64)
    low, high = (used.min(axis=0), used.max(axis=0)) if len(used) else (np.zeros(2), np.ones(2))
    margin = _MARGIN * max(float((high - low).max()), 1.0)
    shapes, legend = _ground(plan)
    shapes.append(_walls(plan))
    legend.append(LegendEntry(line_sample(WALL, _WALL_WIDTH), "walls"))
    if len(plan.links):
        rows = np.arange(0, len(ends) + 1, 2)
        shapes += [Lines(ends[:, ::2], rows, LINK, _LINK_WIDTH, True), Dots(ends[:, ::2], LINK, _LINK_END)]
        legend.append(LegendEntry(line_sample(LINK, _LINK_WIDTH, True), f"links ({len(plan.links):,})"))
    for kind, wide_links in groupby(sorted(plan.wide_links, key=lambda wide: wide.kind), key=lambda wide: wide.kind):
        own = list(wide_links)
        shapes += _quads(own, color_of_link(kind))
        legend.append(LegendEntry(patch_sample(color_of_link(kind), LINK), f"{kind}s ({len(own):,})"))
    labels = _island_labels(plan)
    if len(labels.texts) > 1:
        shapes.append(labels)
    return Drawing(
        title, (float(low[0] - margin), float(low[1] - margin)), (float(high[0] + margin), float(high[1] + margin)),
        tuple(shapes), tuple(legend),
    )  # fmt: skip


def _quads(links: Sequence[WideLinkFromAbove], color: str) -> list[Shape]:
    """The ground that each passes over, and an arrow from the middle of its start to that of its end, or both ways."""
    corners = np.array([wide.corners for wide in links], np.float64)[:, :, ::2]
    middles = np.stack([corners[:, :2].mean(axis=1), corners[:, 2:].mean(axis=1)], axis=1)
    backwards = middles[[wide.both_ways for wide in links], ::-1]
    ways = np.concatenate([middles, backwards])
    rows = np.arange(0, 2 * len(links) + 1, 2)
    return [
        Patches(corners[:, [0, 1, 3, 2]].reshape(-1, 2), 2 * rows, color, LINK),
        Lines(middles.reshape(-1, 2), rows, LINK, _LINK_WIDTH),
        Lines(_heads(ways).reshape(-1, 2), np.arange(0, 3 * len(ways) + 1, 3), LINK, _LINK_WIDTH),
    ]


def _heads(ways: F64) -> F64:
    """The two strokes of an arrow at the end of each way, as three points."""
    back = (ways[:, 0] - ways[:, 1]) * _HEAD
    aside = np.stack([-back[:, 1], back[:, 0]], axis=1) / 2
    ends = ways[:, 1]
    heads: F64 = np.stack([ends + back + aside, ends, ends + back - aside], axis=1)
    return heads


def _ground(plan: Plan) -> tuple[list[Shape], list[LegendEntry]]:
    """Patches from the lowest polygon to the highest, so that upper floors cover lower ones."""
    sizes = np.diff(plan.first)
    points = plan.vertices[plan.corners].astype(np.float64)
    sums = np.concatenate([np.zeros(1), np.cumsum(points[:, 1])])
    heights = (sums[plan.first[1:]] - sums[plan.first[:-1]]) / np.maximum(sizes, 1)
    order = np.argsort(heights, kind="stable").tolist()
    shapes: list[Shape] = []
    for area, run in groupby(order, key=lambda polygon: int(plan.area[polygon])):
        chosen = np.array(list(run), np.int64)
        rows = numbers_in_ranges(plan.first[chosen].astype(np.int64), sizes[chosen].astype(np.int64))
        first = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes[chosen], dtype=np.int64)])
        shapes.append(Patches(points[rows][:, ::2], first, color_of_area(area), INNER_EDGE))
    areas, counts = np.unique(plan.area, return_counts=True)
    legend = [
        LegendEntry(
            patch_sample(color_of_area(area), INNER_EDGE), f"{plan.area_names.get(area, f'area {area}')} ({count:,})"
        )
        for area, count in zip(areas.tolist(), counts.tolist(), strict=True)
    ]
    return shapes, legend


def _walls(plan: Plan) -> Lines:
    after = next_corners(plan.first)
    edges = np.flatnonzero(plan.neighbors < 0)
    ends = np.stack([plan.corners[edges], plan.corners[after[edges]]], axis=1).ravel()
    points = plan.vertices[ends][:, ::2].astype(np.float64)
    return Lines(points, np.arange(0, len(points) + 1, 2), WALL, _WALL_WIDTH)


def _island_labels(plan: Plan) -> Labels:
    """The largest islands, numbered from the largest on, each at its largest polygon."""
    island, areas = parts_by_edges(plan.first, plan.neighbors), _areas_from_above(plan)
    sums = np.bincount(island, areas)
    points, texts = [], []
    largest = [n for n in np.argsort(-sums, kind="stable").tolist() if sums[n] >= _MIN_SHARE * sums.sum()]
    for rank, number in enumerate(largest[:_MAX_LABELS]):
        own = np.flatnonzero(island == number)
        polygon = own[np.argmax(areas[own])]
        corners = plan.corners[plan.first[polygon] : plan.first[polygon + 1]]
        points.append(plan.vertices[corners][:, ::2].astype(np.float64).mean(axis=0))
        texts.append(f"{rank + 1}: {sums[number]:,.0f} m²")
    return Labels(np.array(points).reshape(-1, 2), tuple(texts), INK)


def _areas_from_above(plan: Plan) -> F64:
    after = next_corners(plan.first)
    x, z = plan.vertices[plan.corners][:, ::2].astype(np.float64).T
    sums = np.concatenate([np.zeros(1), np.cumsum(x * z[after] - z * x[after])])
    areas: F64 = np.abs(sums[plan.first[1:]] - sums[plan.first[:-1]]) / 2
    return areas
