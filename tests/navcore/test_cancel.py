"""However large the level, no stage computes for long without a look at the cancel flag: counted in lines, not seconds.

Kernels run as plain Python here, with every "so many at once" made small. What walks over all columns, spans, points or
samples in one go then stands out by the number of lines between two looks.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import importlib, json, sys
import numpy as np
from navcore import Settings, build_navmesh
from navcore.progress import Progress
from tests import scenes

for name in (
    "rasterize.spans.POLL_EVERY", "regions.watershed.POLL_EVERY", "regions.survey.POLL_EVERY",
    "regions.layers.POLL_EVERY", "regions.renumber._MOST_BAND", "columns.WORK_AT_ONCE", "areas._MOST_SPANS",
    "distance._MOST_SPANS", "contours.trace.SPANS_AT_ONCE", "threads.SMALL", "detail.heights._POLL",
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


flag = Flag()


def trace_lines(frame, event, _):
    if "navcore" not in frame.f_code.co_filename:
        return None
    if event == "line":
        function = frame.f_code.co_qualname
        flag.lines[function] = flag.lines.get(function, 0) + 1
    return trace_lines


level, partition, cells = sys.argv[1], sys.argv[2], int(sys.argv[3])
side = cells * 0.3
mesh = {
    "flat": lambda: scenes.flat(side),
    "floors": lambda: scenes.join([scenes.box(0, 3.0 * i, 0, side, 0.3, side) for i in range(3)]),
}[level]()
settings = Settings(
    partition=partition, edge_max_length=0, detail_sample_distance=1, detail_sample_max_error=0.5, agent_radius=0.3,
    median_filter=True,
)
sys.settrace(trace_lines)
build_navmesh(*mesh, settings, threads=1, progress=Progress(flag=flag))
sys.settrace(None)
print(json.dumps(flag.most))
"""


# Passes at the speed of memory, a nanosecond or two an element: of 64 million spans, samples or triangles the longest
# took 51 ms. Each is called once, or once between two looks.
SWIFT = {
    # over spans or polygons; the last looks now and then
    "_survey", "above_themselves", "_covers", "place_polygons", "walk_all",
    "_forget", "_worst", "_add", "_take_back", "_deviation", "sample_inside",  # over the samples of one polygon
    "_bounds_kernel", "_count_unusable_kernel", "_ground_areas", "_share", "_normal_y",  # over triangles
}  # fmt: skip


def lines_between_looks(level: str, partition: str, cells: int) -> dict[str, int]:
    command = [sys.executable, "-W", "ignore", "-c", SCRIPT, level, partition, str(cells)]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    told = subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True).stdout
    found: dict[str, int] = json.loads(told)
    return found


CELLS = 40  # on each side


@pytest.mark.parametrize(("level", "partition"), [("floors", "watershed"), ("floors", "layers"), ("flat", "monotone")])
def test_no_stage_goes_over_the_whole_level_without_a_look(level: str, partition: str) -> None:
    few, many = (lines_between_looks(level, partition, cells) for cells in (20, CELLS))
    # Four times as many cells: what goes row by row doubles, what goes over all of them grows fourfold.
    grown = {name: (few.get(name, 0), lines) for name, lines in many.items() if lines > 3 * few.get(name, 0) + 500}
    assert grown.keys() <= SWIFT, {name: lines for name, lines in grown.items() if name not in SWIFT}
    assert ("_sort_by_level" if partition == "watershed" else "sweep_rows") in many
    assert 0 < many["_add"] < 4 * CELLS**2, (
        "between two looks, samples are measured against one triangle: three lines each"
    )


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
    flag = Flag(looks)
    try:
        build_navmesh(*mesh, settings, threads=1, progress=Progress(flag=flag))
    except Cancelled:
        return -1
    return looks - flag.left


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
