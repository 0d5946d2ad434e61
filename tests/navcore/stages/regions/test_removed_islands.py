"""How many islands were removed, as reports say it, against a slow count."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from navcore import Settings, build_navmesh
from navcore.stages.regions import build_regions, count_removed
from navcore.stages.regions.removed_islands import _count_removed_by_arrays
from navcore.threads import Workers
from navcore.types import NOT_WALKABLE, U16, CompactHeightfield
from tests import scenes

from .test_random_regions import case

TOPS = 4


def counted_slowly(compact: CompactHeightfield, region: U16) -> int:
    left = {span for span in range(len(region)) if region[span] == 0 and compact.area[span] != NOT_WALKABLE}
    beside: dict[int, set[int]] = {span: set() for span in left}  # some neighbors know of each other on one side only
    for span in left:
        for other in left.intersection(compact.neighbors[span].tolist()):
            beside[span].add(other)
            beside[other].add(span)
    count = 0
    while left:
        waiting = [left.pop()]
        count += 1
        while waiting:
            more = beside[waiting.pop()] & left
            left -= more
            waiting += more
    return count


@pytest.mark.parametrize("seed", range(3))
def test_islands_without_a_region_are_counted(seed: int) -> None:
    rng, found = random.Random(seed), 0
    with Workers(1) as workers:
        for _ in range(30):
            compact, distance, *sizes = case(rng)
            for partition in ("watershed", "monotone", "layers"):
                region = build_regions(compact, distance, partition, *sizes, workers).region
                counted = count_removed(compact, region, workers.progress.cancelled)
                assert counted == counted_slowly(compact, region)
                plain = _count_removed_by_arrays(compact.neighbors, compact.area, region, workers.progress.cancelled)
                assert counted == plain
                found += counted
    assert found > 20


def tops() -> scenes.Mesh:
    """A floor with four tops that are too small, and one that is not."""
    small = [scenes.box(3 + 5 * k, 0, 10, 1.5, 2, 1.5) for k in range(TOPS)]
    return scenes.join([scenes.box(0, -1, 0, 30, 1, 30), *small, scenes.box(10, 0, 20, 6, 2, 6)])


@pytest.mark.parametrize("tile_size", [0, 32])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("more", [{}, {"partition": "layers"}, {"median_filter": True}, {"generate_links": True}])
def test_a_report_says_how_many(tile_size: int, threads: int, more: dict[str, object]) -> None:
    settings = {"agent_radius": 0.3, "tile_size": tile_size, **more}
    report = build_navmesh(*tops(), Settings(**settings), threads=threads).report
    assert report.counts["islands_removed"] == TOPS
    kept = build_navmesh(*tops(), Settings(**settings, region_min_size=0), threads=threads).report
    assert kept.counts["islands_removed"] == 0


def test_tiles_out_of_a_store_say_it_again(tmp_path: Path) -> None:
    settings = Settings(agent_radius=0.3, tile_size=32)
    for reused in (False, True):
        report = build_navmesh(*tops(), settings, store=tmp_path).report
        assert report.counts["islands_removed"] == TOPS
        assert report.store is not None and (report.store["reused"] > 0) == reused
