"""Polygons and rings that are taken over from before: the same bytes as if all were made anew."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from navcore import Settings, build_navmesh
from navcore.builder.repair.sharper_outlines import sharpened
from navcore.stages.contours import JoinedBefore, simplified_outlines, with_holes_joined
from navcore.stages.polygons import PolygonMemory, PolygonsBefore, build_polygon_mesh
from navcore.threads import Workers
from navcore.types import CompactHeightfield, Contours, Grid, PolygonMesh, Regions
from tests import scenes

from ....dumps import same_bytes

ERROR = np.float32(1.3)


def yards() -> scenes.Mesh:
    """Three islands with pillars: holes in several regions."""
    parts = [scenes.plaza(pillars) for pillars in (3, 4, 5)]
    return scenes.join([(v + np.float32([40 * k, 0, 0]), t) for k, (v, t) in enumerate(parts)])


LEVELS = {
    "plaza": scenes.plaza(5), "city": scenes.city(2), "tower": scenes.tower(3), "stairs": scenes.stairs(),
    "slabs": scenes.slabs(3, 24, 12), "soup": scenes.snapped_soup(200, 3), "yards": yards(),
}  # fmt: skip


class Outlined:
    """A level up to the outlines of its regions."""

    def __init__(self, name: str, workers: Workers) -> None:
        stages = build_navmesh(
            *LEVELS[name], Settings(repair=False, region_min_size=0), keep_stages=True, threads=1
        ).stages
        self.grid: Grid = stages["compact_grid"]
        self.regions: Regions = stages["regions"]
        compact: CompactHeightfield = stages["eroded"]
        self.outlines = simplified_outlines(compact, self.regions, ERROR, (0, True, False), 0, workers)

    def changed(self, seed: int) -> Contours:
        """With some regions' edges closer to the ground."""
        rng = np.random.default_rng(seed)
        errors = np.full(self.regions.count + 1, np.inf, np.float32)
        errors[rng.integers(1, self.regions.count + 1, 1 + self.regions.count // 8)] = rng.choice([0, 0.6])
        return sharpened(self.outlines, errors, 10)


def same(one: Any, other: Any) -> bool:
    arrays = [(a, b) for a, b in zip(one, other, strict=True) if isinstance(a, np.ndarray)]
    return bool(arrays) and all(same_bytes(a, b) for a, b in arrays)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LEVELS)
def test_what_is_taken_over_is_what_would_be_made(name: str, threads: int) -> None:
    with Workers(threads) as workers:
        level = Outlined(name, workers)
        notes: list[Any] = []
        joined = with_holes_joined(level.grid, level.outlines, workers, notes)
        memory, before = PolygonMemory(), None if notes else JoinedBefore(level.outlines, joined)
        build_polygon_mesh(level.grid, joined, 6, ERROR, workers, None, 2, memory)
        polygons = memory.before
        for seed in range(6):
            outlines = level.changed(seed)
            again = with_holes_joined(level.grid, outlines, workers, None, before)
            anew = with_holes_joined(level.grid, outlines, workers)
            assert same(again, anew)
            for weld_vx in (2, 0):
                told: tuple[list[Any], list[Any]] = [], []
                made = build_polygon_mesh(level.grid, anew, 6, ERROR, workers, told[0], weld_vx)
                memory.before = polygons
                taken = build_polygon_mesh(level.grid, anew, 6, ERROR, workers, told[1], weld_vx, memory)
                assert same(made, taken) and made.capacity == taken.capacity and told[0] == told[1]


def taken_over(level: Outlined, outlines: Contours, workers: Workers) -> tuple[Contours, PolygonMesh, int]:
    """Rings and polygons with those from before, which are marked: the rings by their links, polygons by corners that
    are turned. And how many regions have others."""
    joined = with_holes_joined(level.grid, level.outlines, workers)
    mesh = build_polygon_mesh(level.grid, joined, 6, ERROR, workers)
    marked = joined._replace(points=joined.points + np.int32([0, 0, 0, 1 << 20]))
    again = with_holes_joined(level.grid, outlines, workers, None, JoinedBefore(level.outlines, marked))
    anew = with_holes_joined(level.grid, outlines, workers)
    turned = mesh.polygons.copy()
    turned[:, [0, 1]] = turned[:, [1, 0]]
    memory = PolygonMemory()
    memory.before = PolygonsBefore(joined, turned, mesh.region, np.zeros(len(joined.region), np.uint8), 2)
    made = build_polygon_mesh(level.grid, anew, 6, ERROR, workers, None, 2, memory)
    at = np.repeat(anew.region, np.diff(anew.first))
    ends = {int(own) for own in np.unique(at) if not same_points(joined, anew, int(own))}
    return again, made, len(ends)


def same_points(one: Contours, other: Contours, own: int) -> bool:
    points = [c.points[np.repeat(c.region == own, np.diff(c.first))] for c in (one, other)]
    return np.array_equal(*points)


def test_nothing_is_made_that_is_there() -> None:
    """Only of regions that have changed."""
    with Workers(1) as workers:
        level = Outlined("yards", workers)
        errors = np.full(level.regions.count + 1, np.inf, np.float32)
        errors[1] = 0
        outlines = sharpened(level.outlines, errors, 10)
        again, made, others = taken_over(level, outlines, workers)
        marked = (again.points[:, 3] & 1 << 20) != 0
        at = np.repeat(again.region, np.diff(again.first))
        assert 0 < others < level.regions.count
        anew = with_holes_joined(level.grid, outlines, workers)
        plain = build_polygon_mesh(level.grid, anew, 6, ERROR, workers)
        assert len(set(at[~marked].tolist())) == others and 1 in at[~marked] and marked.any()
        differs = (made.polygons != plain.polygons).any(axis=1)
        assert 0 < len(set(made.region[~differs].tolist())) <= others and differs.any()
