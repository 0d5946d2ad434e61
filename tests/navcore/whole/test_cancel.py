"""However large the level, no stage computes for long without a look at the cancel flag: counted, not timed.

Kernels run as plain Python here, with every "so many at once" made small. What walks over all columns, spans, points or
samples in one go then stands out by the number of lines between two looks, or by the bytes that one line writes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import Settings, build_navmesh
from navcore.builder.repair import repair_steps
from navcore.builder.repair.repair_steps import with_two_way_links
from navcore.compile_ahead.every_kernel import spiral
from navcore.progress import Progress
from navcore.stages.regions import split_for_repair
from navcore.stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from navcore.threads import Workers
from navcore.types import Regions

ROOT = Path(__file__).resolve().parents[3]
# Passes at the speed of memory, a nanosecond or two an element: of 64 million spans, samples or triangles the longest
# took 51 ms. Each is called once, or once between two looks.
SWIFT = {
    "_covers", "place_polygons", "walk_all",  # over polygons, or spans by eights; the last looks now and then
    "_forget", "_worst", "_add", "_take_back", "_deviation", "sample_inside",  # over the samples of one polygon
    "_bounds_kernel", "_ground_areas", "_share", "_normal_y",  # over triangles
}  # fmt: skip
# Made in one line, but not of the level: of the bands it is cut into, or of as many regions as there can be.
FEW = {"Workers.run", "sweep_rows"}
FEW |= {"_columns_kernel", "_sorted", "wrong_unit"}  # of a look at 65,536 columns at most, however large the level is


CELLS = 32  # on each side
BAND = 31  # spans
LINES = [("floors", "watershed"), ("floors", "layers"), ("flat", "monotone")]
BYTES = [("floors", "watershed"), ("floors", "layers")]
STOPPED = [(tile_size, partition) for tile_size in (0, 16) for partition in ("watershed", "monotone", "layers")]


@cache
def watched(what: str, cases: tuple[tuple[Any, ...], ...]) -> dict[tuple[Any, ...], Any]:
    """What `watched_builds` answers about each of the cases: half of them in either of two processes."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.navcore.whole.watched_builds", what]
    options: Any = {"cwd": ROOT, "env": {**os.environ, "NUMBA_DISABLE_JIT": "1"}, "text": True}
    halves = cases[: len(cases) // 2], cases[len(cases) // 2 :]
    processes = [
        subprocess.Popen([*command, json.dumps(half)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)
        for half in halves
    ]
    answers: list[Any] = []
    for process in processes:
        output, errors = process.communicate()
        assert process.returncode == 0, errors[-2000:]
        answers += json.loads(output)
    return dict(zip(cases, answers, strict=True))


def few_and_many(what: str, cases: list[tuple[str, str]], case: tuple[str, str], sizes: tuple[int, int]) -> Any:
    """The answers about a level with few cells on each side, and with many."""
    answers = watched(what, tuple((*one, cells) for one in cases for cells in sizes))
    return (answers[(*case, cells)] for cells in sizes)


@pytest.mark.parametrize(("level", "partition"), LINES)
def test_no_stage_goes_over_the_whole_level_without_a_look(level: str, partition: str) -> None:
    few, many = few_and_many("lines", LINES, (level, partition), (CELLS // 2, CELLS))
    # Four times as many cells: what goes row by row doubles, what goes over all of them grows fourfold.
    grown = {name: (few.get(name, 0), lines) for name, lines in many.items() if lines > 3 * few.get(name, 0) + 320}
    assert grown.keys() <= SWIFT, {name: lines for name, lines in grown.items() if name not in SWIFT}
    assert ("_sort_by_level" if partition == "watershed" else "sweep_rows") in many
    assert 0 < many["_add"] < 4 * CELLS**2, (
        "between two looks, samples are measured against one triangle: three lines each"
    )


@pytest.mark.parametrize("partition", ["watershed", "layers"])
def test_no_stage_writes_an_array_of_the_whole_level_without_a_look(partition: str) -> None:
    """np.zeros, a copy, an expression: memory written for the first time is slow, and nothing stops that half-way."""
    few, many = few_and_many("bytes", BYTES, ("floors", partition), (12, 24))
    grown = {line: (few.get(line, 0), most) for line, most in many.items() if most > 2 * few.get(line, 0) + 500}
    assert {line.split(":")[0] for line in grown} <= FEW, grown
    assert partition == "watershed" or grown


class Looks(Progress):
    """How often cancelling is looked at."""

    count = 0

    def check(self) -> None:
        self.count += 1


def test_mending_looks_between_short_bands(monkeypatch: pytest.MonkeyPatch) -> None:
    stages = build_navmesh(*spiral(), Settings(), keep_stages=True).stages
    compact, regions = stages["eroded"], stages["regions"]
    wrong = np.ones(regions.count + 1, bool)

    def mended() -> list[tuple[int, Any]]:
        """For every step, how often it looks, and what it gives."""
        found = []
        for step in (
            partial(with_two_way_links, compact),
            *(partial(split_regions, compact, regions, wrong, way) for way in (LAYERS, ROWS, RUNS)),
            partial(given_up, regions, wrong),
        ):
            looks = Looks()
            with Workers(1, looks) as workers:
                found.append((looks, step(workers)))
        return [(looks.count, made) for looks, made in found]

    monkeypatch.setattr(repair_steps, "_FEW_CELLS", len(compact.floor))  # cells that may be given up
    at_once = mended()
    for module in (split_for_repair, repair_steps):
        monkeypatch.setattr(module, "_MAX_SPANS", BAND)
    bands = len(compact.floor) // BAND
    assert bands > 50
    for passes, (few, whole), (many, banded) in zip((1, 2, 2, 3, 2), at_once, mended(), strict=True):
        assert many >= few + passes * (bands - 1)
        assert all(np.array_equal(a, b) for a, b in zip(whole, banded, strict=True))


def given_up(regions: Regions, wrong: npt.NDArray[np.bool_], workers: Workers) -> Regions:
    """Regions without the smallest one."""
    steps = repair_steps.RepairSteps(regions, np.float32(0))
    assert steps._give_up(wrong & (np.arange(len(wrong)) > 0), workers)
    return steps.regions


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
@pytest.mark.parametrize("tile_size", [0, 16])
def test_what_a_stopped_stage_leaves_behind_is_not_used(tile_size: int, partition: str) -> None:
    """A kernel that sees the flag leaves its arrays half written: whatever comes next must not go by them."""
    answers = watched("stopped", tuple((*case, 40) for case in STOPPED))
    assert answers[(tile_size, partition, 40)] == -1, "the look at which the build went on"
