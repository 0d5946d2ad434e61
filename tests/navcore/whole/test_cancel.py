"""However large the level, no stage computes for long without a look at the cancel flag: counted, not timed.

Kernels run as plain Python here, with every "so many at once" made small. What walks over all columns, spans, points or
samples in one go then stands out by the number of lines between two looks, or by the bytes that one line writes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from navcore import Settings, build_navmesh
from navcore.build.repair import repair_steps, two_way_links
from navcore.build.repair.two_way_links import with_two_way_links
from navcore.compile_ahead.every_kernel import spiral
from navcore.progress import Progress
from navcore.stages.regions import split_for_repair
from navcore.stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from navcore.threads import Workers
from navcore.types import Regions

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = """
import importlib, json, sys, tracemalloc
import numpy as np
from navcore import BoxVolume, ConvexVolume, CylinderVolume, Settings, build_navmesh
from navcore.progress import Progress
from tests import scenes

for name in (
    "stages.rasterize.spans.POLL_EVERY", "stages.regions.watershed.POLL_EVERY",
    "stages.regions.region_facts.POLL_EVERY", "stages.regions.layers.POLL_EVERY",
    "stages.regions.renumber._MOST_BAND", "geometry.columns.WORK_AT_ONCE", "stages.areas.span_bands.MOST_SPANS",
    "stages.areas.volumes._MOST_WORK", "stages.distance._MOST_SPANS", "stages.contours.trace.SPANS_AT_ONCE",
    "threads.SMALL", "stages.detail.heights._POLL", "stages.regions.overlaps._POLL",
    "build.validate.ground_checks.POLL_EVERY", "stages.rasterize._COLUMNS_AT_ONCE", "stages.regions.POLL_EVERY",
):
    module, _, name = name.rpartition(".")
    module = importlib.import_module(f"navcore.{module}")
    assert isinstance(getattr(module, name), int)
    setattr(module, name, 31)  # of the binary form that a mask needs, too


class Flag:
    # The lines of each function between two looks, and the most that there were.
    def __init__(self):
        self.lines, self.most = {}, {}

    def __getitem__(self, _):
        for function, lines in self.lines.items():
            self.most[function] = max(self.most.get(function, 0), lines)
        self.lines.clear()
        return 0


class Memory:
    # The most bytes that each line writes by making an array. What np.empty gives is not written yet.
    def __init__(self):
        self.most, self.line, self.before, self.empty = {}, "", 0, 0
        tracemalloc.start()  # (makes everything five times slower)
        np.empty, np.empty_like = self.not_written(np.empty), self.not_written(np.empty_like)

    def not_written(self, make):
        def made(*given, **named):
            array = make(*given, **named)
            self.empty += array.nbytes
            return array
        return made

    def next_line(self, line):
        written = tracemalloc.get_traced_memory()[1] - self.before - self.empty  # [1]: the peak
        self.most[self.line] = max(self.most.get(self.line, 0), written)
        tracemalloc.reset_peak()
        self.line, self.before, self.empty = line, tracemalloc.get_traced_memory()[0], 0


level, partition, cells, what = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
cancelled = Flag()
memory = Memory() if what == "bytes" else None


def trace_lines(frame, event, _):
    if "navcore" not in frame.f_code.co_filename:
        return None
    if event == "line":
        function = frame.f_code.co_qualname
        cancelled.lines[function] = cancelled.lines.get(function, 0) + 1
        if memory:
            memory.next_line(f"{function}:{frame.f_lineno}")
    return trace_lines


side = cells * 0.3
mesh = {
    "flat": lambda: scenes.flat(side),
    "floors": lambda: scenes.join([scenes.box(0, 3.0 * i, 0, side, 0.3, side) for i in range(3)]),
}[level]()
settings = Settings(
    partition=partition, edge_max_length=0, detail_sample_distance=1, detail_sample_max_error=0.5, agent_radius=0.3,
    median_filter=True, detail_mesh=what == "lines",
)
volumes = [  # with all of the ground in each
    BoxVolume(area=5, min=(0, -1, 0), max=(side, 1, side)),
    CylinderVolume(area=6, base=(side / 2, -1, side / 2), radius=side, height=2),
    ConvexVolume(area=7, min_height=-1, max_height=1, points=((0, 0), (side, 0), (side, side), (0, side))),
]
sys.settrace(trace_lines)
build_navmesh(*mesh, settings, volumes=volumes, threads=1, progress=Progress(cancelled=cancelled))
sys.settrace(None)
print(json.dumps((memory or cancelled).most))
"""


# Passes at the speed of memory, a nanosecond or two an element: of 64 million spans, samples or triangles the longest
# took 51 ms. Each is called once, or once between two looks.
SWIFT = {
    "_covers", "place_polygons", "walk_all",  # over polygons, or spans by eights; the last looks now and then
    "_forget", "_worst", "_add", "_take_back", "_deviation", "sample_inside",  # over the samples of one polygon
    "_bounds_kernel", "_count_unusable_kernel", "_ground_areas", "_share", "_normal_y",  # over triangles
}  # fmt: skip
# Made in one line, but not of the level: of the bands it is cut into, or of as many regions as there can be.
FEW = {"Workers.run", "sweep_rows"}


def most_of(what: str, level: str, partition: str, cells: int) -> dict[str, int]:
    """The most "lines" of each function between two looks, or the most "bytes" that each line wrote making arrays."""
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, level, partition, str(cells), what]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    found: dict[str, int] = json.loads(told)
    return found


CELLS = 40  # on each side
BAND = 31  # spans


@pytest.mark.parametrize(("level", "partition"), [("floors", "watershed"), ("floors", "layers"), ("flat", "monotone")])
def test_no_stage_goes_over_the_whole_level_without_a_look(level: str, partition: str) -> None:
    few, many = (most_of("lines", level, partition, cells) for cells in (20, CELLS))
    # Four times as many cells: what goes row by row doubles, what goes over all of them grows fourfold.
    grown = {name: (few.get(name, 0), lines) for name, lines in many.items() if lines > 3 * few.get(name, 0) + 500}
    assert grown.keys() <= SWIFT, {name: lines for name, lines in grown.items() if name not in SWIFT}
    assert ("_sort_by_level" if partition == "watershed" else "sweep_rows") in many
    assert 0 < many["_add"] < 4 * CELLS**2, (
        "between two looks, samples are measured against one triangle: three lines each"
    )


@pytest.mark.parametrize("partition", ["watershed", "layers"])
def test_no_stage_writes_an_array_of_the_whole_level_without_a_look(partition: str) -> None:
    """np.zeros, a copy, an expression: memory written for the first time is slow, and nothing stops that half-way."""
    few, many = (most_of("bytes", "floors", partition, cells) for cells in (12, 24))
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
    for module in (two_way_links, split_for_repair, repair_steps):
        monkeypatch.setattr(module, "_MOST_SPANS", BAND)
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


STOPPED = """
import sys
import numpy as np
from navcore import Cancelled, Settings, build_navmesh
from navcore.progress import Progress
from tests import scenes

empty = np.empty


def with_rubbish(*given, **named):
    # What is not written must not be read: here it is a number that no array has a place for.
    array = empty(*given, **named)
    array.view(np.uint8)[...] = 0x7B
    return array


np.empty, np.empty_like = with_rubbish, lambda like: with_rubbish(like.shape, like.dtype)


class Flag:
    # Set from one look on.
    def __init__(self, looks):
        self.left = looks

    def __getitem__(self, _):
        self.left -= 1
        return self.left < 0


def looks_of(looks):
    cancelled = Flag(looks)
    try:
        build_navmesh(*mesh, settings, threads=1, progress=Progress(cancelled=cancelled))
    except Cancelled:
        return -1
    return looks - cancelled.left


tile_size = int(sys.argv[1])
mesh = scenes.join([scenes.flat(4.8), scenes.box(1.5, 0, 1.5, 1, 2, 1)])
settings = Settings(
    tile_size=tile_size, partition=sys.argv[2], detail_sample_distance=1, agent_radius=0.3, region_min_size=0
)
most = looks_of(1 << 40)
assert most > 50
for looks in range(0, most, max(1, most // int(sys.argv[3]))):
    assert looks_of(looks) == -1, looks
"""


@pytest.mark.parametrize("partition", ["watershed", "monotone", "layers"])
@pytest.mark.parametrize("tile_size", [0, 16])
def test_what_a_stopped_stage_leaves_behind_is_not_used(tile_size: int, partition: str) -> None:
    """A kernel that sees the flag leaves its arrays half written: whatever comes next must not go by them."""
    command = [sys.executable, "-W", "ignore", "-c", STOPPED, str(tile_size), partition, "40"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
