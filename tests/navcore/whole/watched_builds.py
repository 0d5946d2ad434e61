"""Builds as plain Python, watched line by line: run by test_cancel.py in a process of its own for each question.

lines    of each function, the most lines between two looks at the cancel flag
bytes    of each line, the most bytes that it writes by making an array
stopped  whether a build that sees the flag set at any look is cancelled
"""

from __future__ import annotations

import importlib
import json
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

import numpy as np

import navcore
from navcore import BoxVolume, Cancelled, ConvexVolume, CylinderVolume, Settings, build_navmesh
from navcore.progress import Progress
from tests import scenes

AT_ONCE = (
    "stages.rasterize.spans.POLL_EVERY", "stages.regions.watershed.POLL_EVERY",
    "stages.regions.region_facts.POLL_EVERY", "stages.regions.layers.POLL_EVERY",
    "stages.regions.renumber._MAX_BAND", "geometry.columns.WORK_AT_ONCE", "stages.areas.erode_and_median.MAX_BAND",
    "stages.areas.volumes._MAX_WORK", "stages.distance._MAX_SPANS", "stages.contours.trace.SPANS_AT_ONCE",
    "threads.SMALL", "stages.detail.heights._POLL", "stages.regions.partitions._POLL",
    "builder.validate.ground_checks.POLL_EVERY", "stages.rasterize.rasterize_level._COLUMNS_AT_ONCE",
    "stages.regions.partitions.POLL_EVERY",
)  # fmt: skip
LEVELS: dict[str, Callable[[float], scenes.Mesh]] = {
    "flat": scenes.flat,
    "floors": lambda side: scenes.join([scenes.box(0, 3.0 * i, 0, side, 0.3, side) for i in range(3)]),
}
_CELL = 0.3  # metres
OURS = str(Path(navcore.__file__).parent)


class Case(NamedTuple):
    """One level of so many cells on each side, built with one partition."""

    level: str
    partition: str
    cells: int

    def build(self, cancelled: Any, detail_mesh: bool) -> None:
        side = self.cells * _CELL
        settings = Settings(
            partition=self.partition, edge_max_length=0, detail_sample_distance=1, detail_sample_max_error=0.5,
            agent_radius=0.3, median_filter=True, detail_mesh=detail_mesh,
        )  # fmt: skip
        volumes = [  # with all of the ground in each
            BoxVolume(area=5, min=(0, -1, 0), max=(side, 1, side)),
            CylinderVolume(area=6, base=(side / 2, -1, side / 2), radius=side, height=2),
            ConvexVolume(area=7, min_height=-1, max_height=1, points=((0, 0), (side, 0), (side, side), (0, side))),
        ]
        progress = Progress(cancelled=cancelled)
        build_navmesh(*LEVELS[self.level](side), settings, volumes=volumes, threads=1, progress=progress)


def with_little_at_once() -> None:
    """Make every "so many at once" small."""
    for path in AT_ONCE:
        module_name, _, name = path.rpartition(".")
        module = importlib.import_module(f"navcore.{module_name}")
        assert isinstance(getattr(module, name), int)
        setattr(module, name, 31)  # of the binary form that a mask needs, too


def traced(build: Callable[[], None], tracer_of: Callable[[CodeType], Any]) -> None:
    """Run a build with a tracer for each of navcore's functions."""

    def begin(frame: FrameType, _event: str, _argument: object) -> Any:
        return tracer_of(frame.f_code) if frame.f_code.co_filename.startswith(OURS) else None

    sys.settrace(begin)
    try:
        build()
    finally:
        sys.settrace(None)


class Lines:
    """A cancel flag that counts the lines of each function between two looks at it."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self._counters: list[list[Any]] = []  # [lines, function], of those that ran since the last look
        self._tracers: dict[CodeType, Any] = {}

    def __getitem__(self, _: int) -> int:
        for counter in self._counters:
            lines, function = counter
            if lines > self.most.get(function, 0):
                self.most[function] = lines
            counter[0] = 0
        self._counters.clear()
        return 0

    def tracer_of(self, code: CodeType) -> Any:
        if code not in self._tracers:
            self._tracers[code] = self._new_tracer(code.co_qualname)
        return self._tracers[code]

    def _new_tracer(self, function: str) -> Any:
        counter, counters = [0, function], self._counters

        def line(_frame: FrameType, event: str, _argument: object) -> Any:
            if event == "line":
                if not counter[0]:
                    counters.append(counter)
                counter[0] += 1
            return line

        return line


class Bytes:
    """Counts the bytes that each line writes by making an array. What np.empty gives is not written yet."""

    def __init__(self) -> None:
        self.most: dict[str, int] = {}
        self._line: tuple[str, int] = ("", 0)
        self._before, self._empty = 0, 0

    def __getitem__(self, _: int) -> int:
        return 0

    def not_written(self, make: Callable[..., Any]) -> Callable[..., Any]:
        def with_note(*arguments: Any, **named: Any) -> Any:
            array = make(*arguments, **named)
            self._empty += array.nbytes
            return array

        return with_note

    def tracer_of(self, _code: CodeType) -> Any:
        return self._event

    def _event(self, frame: FrameType, event: str, _argument: object) -> Any:
        if event == "line":
            now, peak = tracemalloc.get_traced_memory()
            written = peak - self._before - self._empty
            if written > 100:  # of what is no array, there is less
                name = f"{self._line[0]}:{self._line[1]}"
                self.most[name] = max(self.most.get(name, 0), written)
                now, _ = tracemalloc.get_traced_memory()  # this took some, too
            self._line, self._before, self._empty = (frame.f_code.co_qualname, frame.f_lineno), now, 0
            tracemalloc.reset_peak()
        return self._event


def most_lines(case: Case) -> dict[str, int]:
    lines = Lines()
    traced(lambda: case.build(lines, detail_mesh=True), lines.tracer_of)
    return lines.most


def most_bytes(case: Case) -> dict[str, int]:
    counted, empty = Bytes(), (np.empty, np.empty_like)
    np.empty, np.empty_like = map(counted.not_written, empty)
    tracemalloc.start()  # (makes everything slower)
    try:
        traced(lambda: case.build(counted, detail_mesh=False), counted.tracer_of)
    finally:
        tracemalloc.stop()
        np.empty, np.empty_like = empty
    return counted.most


class Looks:
    """A cancel flag that is set from one look on."""

    def __init__(self, looks: int) -> None:
        self.left = looks

    def __getitem__(self, _: int) -> bool:
        self.left -= 1
        return self.left < 0


def first_that_went_on(tile_size: int, partition: str, times: int) -> int:
    """Stop a build at so many different looks: the first look at which it was not cancelled, -1 if there is none."""
    mesh = scenes.join([scenes.flat(4.8), scenes.box(1.5, 0, 1.5, 1, 2, 1)])
    settings = Settings(
        tile_size=tile_size, partition=partition, detail_sample_distance=1, agent_radius=0.3, region_min_size=0
    )

    def looks_of(looks: int) -> int:
        cancelled = Looks(looks)
        try:
            build_navmesh(*mesh, settings, threads=1, progress=Progress(cancelled=cancelled))
        except Cancelled:
            return -1
        return looks - cancelled.left

    most = looks_of(1 << 40)
    assert most > 50
    return next((looks for looks in range(0, most, max(1, most // times)) if looks_of(looks) != -1), -1)


def with_rubbish() -> None:
    """What is not written must not be read: from here on it is a number that no array has a place for."""
    empty = np.empty

    def filled(*arguments: Any, **named: Any) -> Any:
        array = empty(*arguments, **named)
        array.view(np.uint8)[...] = 0x7B
        return array

    np.empty, np.empty_like = filled, lambda like: filled(like.shape, like.dtype)


def main(what: str, cases: list[list[Any]]) -> list[Any]:
    """The answer for each case."""
    if what == "stopped":
        with_rubbish()
        return [first_that_went_on(*case) for case in cases]
    with_little_at_once()
    Case(*cases[0])._replace(cells=12).build(Looks(1 << 40), detail_mesh=True)  # what is imported late is there now
    ask = {"lines": most_lines, "bytes": most_bytes}[what]
    return [ask(Case(*case)) for case in cases]


if __name__ == "__main__":
    print(json.dumps(main(sys.argv[1], json.loads(sys.argv[2]))))
