"""The limits of a build: how much memory and time it will take, and its refusal or end where that is too much.

A build that computes for far longer than anything of its size takes is stopped, and reported as an error of ours. Time
is counted in seconds of computing, not of the clock: a busy machine or one that sleeps is no hang.
"""

from __future__ import annotations

import _thread
import math
import time
from types import TracebackType

import numpy as np

from ..errors import NavmeshError, TooLarge
from ..geometry.grid import rounded_up
from ..jit import kernel
from ..memory import available_bytes
from ..progress import Progress
from ..types import F32, I32, U8, Geometry, Grid, Heightfield
from .memory_and_time_forecast import Forecast

_SHARE = 0.7  # of the memory there is: what one build may take
_ALWAYS = 256e6  # bytes that are not worth asking for: tiles


def check_memory(expected: Forecast, grid: Grid, partition: str) -> None:
    """Refuse a build in one piece that would take more memory than there is."""
    _refuse(expected.bytes(partition), float(grid.cell_size), "use tiles")


def check_spans(solid: Heightfield, grid: Grid, partition: str) -> None:
    """The same once the spans are there and the larger part of the build is ahead."""
    check_open_spans(grid, len(solid.area), int(np.count_nonzero(solid.area)), partition)


def check_open_spans(grid: Grid, spans: int, open_spans: int, partition: str) -> None:
    """The same by how many there are."""
    columns = grid.width * grid.depth
    counted = Forecast(columns, spans, open_spans, 0)
    _refuse(counted.bytes(partition) - 4 * columns - 5 * spans, float(grid.cell_size), "use tiles")


def check_tile_memory(tile: Grid, whole: Forecast, partition: str, count: int) -> None:
    """Refuse tiles so large that those which are built at a time would take more memory than there is."""
    wanted = forecast_tiles(tile, whole, count).bytes(partition)
    _refuse(wanted, float(tile.cell_size), "lower tile_size or threads")


def _refuse(wanted: float, cell_size: float, way_out: str) -> None:
    if wanted <= _ALWAYS:
        return
    available = available_bytes()
    if available is None or wanted <= available * _SHARE:
        return
    larger = rounded_up(cell_size * math.sqrt(wanted / (available * _SHARE)) * 1.01)
    raise TooLarge(
        f"This build would take about {wanted / 1e9:,.1f} GB of memory, and {available / 1e9:,.1f} GB are free. "
        f"Raise Cell Size to {larger} m, {way_out}, or select less.",
        "NOT_ENOUGH_MEMORY",
    )


_MAX_FLOORS = 4096  # that a column can have: solid and open voxels take turns


def forecast(grid: Grid, geometry: Geometry) -> Forecast:
    """What triangles, their areas known, will fill a grid with: by the ground that they cover within its bounds."""
    low, high = grid.bounds_min, grid.bounds_max
    covered, walkable = _ground_areas(*geometry, low[0], low[2], high[0], high[2])
    columns, cell = grid.width * grid.depth, float(grid.cell_size) ** 2
    solid = min(covered / cell, columns * _MAX_FLOORS)
    return Forecast(columns, solid, min(walkable / cell, solid), len(geometry.triangles))


def forecast_tiles(tile: Grid, whole: Forecast, count: int) -> Forecast:
    """What `count` tiles that are built at a time deal with, if they lie where the level has as much as on average.

    They are taken to be full of ground: of a level with gaps some tiles have none.
    """
    columns = tile.width * tile.depth * count
    solid, walkable = (columns * max(spans / whole.columns, 1.0) for spans in (whole.solid, whole.open))
    return Forecast(columns, solid, walkable, 0)


@kernel
def _ground_areas(
    vertices: F32, triangles: I32, area: U8, low_x: np.float32, low_z: np.float32, high_x: np.float32,
    high_z: np.float32,
) -> tuple[float, float]:  # fmt: skip
    """The area seen from above of all triangles and of the walkable ones, in square metres.

    Of a triangle that leaves the bounds, the share that its box has within them.
    """
    total, walkable = 0.0, 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ax, az = float(vertices[a, 0]), float(vertices[a, 2])
        bx, bz = float(vertices[b, 0]), float(vertices[b, 2])
        cx, cz = float(vertices[c, 0]), float(vertices[c, 2])
        ground = abs((bx - ax) * (cz - az) - (bz - az) * (cx - ax)) / 2
        inside = _share(min(ax, min(bx, cx)), max(ax, max(bx, cx)), low_x, high_x) * _share(
            min(az, min(bz, cz)), max(az, max(bz, cz)), low_z, high_z
        )
        total += ground * inside
        if area[t] != 0:
            walkable += ground * inside
    return total, walkable


@kernel
def _share(low: float, high: float, from_: np.float32, to: np.float32) -> float:
    """How much of low … high lies in from … to."""
    if low >= from_ and high <= to:
        return 1.0
    if low > to or high < from_:  # also a wall outside the bounds, whose box has no width to divide by
        return 0.0
    return (min(high, to) - max(low, from_)) / (high - low)  # type: ignore[operator]  # two widths of floats


LONG_SECONDS = 3600.0  # a person wants to know of a longer build before it begins
_MAX_SECONDS = 24 * 3600.0  # on each thread


def check_time(seconds: float, cell_size: float, threads: int) -> str:
    """Refuse a build of days; else a sentence about one that takes hours, empty for all others."""
    seconds /= threads
    if seconds <= LONG_SECONDS:
        return ""
    how_long = f"would take about {seconds / 3600:,.0f} hours on {threads} {'thread' if threads == 1 else 'threads'}"
    if seconds > _MAX_SECONDS:
        larger = rounded_up(cell_size * math.sqrt(seconds / _MAX_SECONDS) * 1.01)
        raise TooLarge(
            f"This build {how_long} (limit {_MAX_SECONDS / 3600:.0f}). Raise Cell Size to {larger} m or select less, "
            "or build on a cluster.",
            "TAKES_TOO_LONG",
        )
    larger = rounded_up(cell_size * math.sqrt(seconds / LONG_SECONDS) * 1.01)
    return f"A build like this {how_long}. Raise Cell Size to {larger} m for a build of one hour, or select less."


MIN_SECONDS = 300.0  # of one stage, or one tile, and thread: compiling all kernels takes a minute
SECONDS_PER_COLUMN = 1e-4  # a hundred times what a column takes
_PATIENCE = 1.0  # seconds between looks


class StageHangs(NavmeshError):
    """A stage does not come to an end."""

    code = "STAGE_HANGS"


class HangGuard:
    """Use as a context manager around a build: it sets the cancel flag, and `check` says why."""

    def __init__(self, progress: Progress, threads: int) -> None:
        self._progress, self._threads = progress, threads
        self._limit = MIN_SECONDS * threads
        self._running = _thread.allocate_lock()  # held while the build runs
        self._stuck = ""

    def allow(self, columns: int) -> None:
        """Large grids may take longer."""
        self._limit = (MIN_SECONDS + columns * SECONDS_PER_COLUMN) * self._threads

    def check(self) -> None:
        """Raise StageHangs if it was the guard who stopped the build."""
        if self._stuck:
            raise StageHangs(
                f"The stage {self._stuck!r} did not come to an end within {self._limit:,.0f} seconds of computing, far "
                "beyond what a level of this size takes, and was stopped. Change Cell Size a little or use tiles."
            )

    def __enter__(self) -> HangGuard:
        # (Starting a threading.Thread and joining it took a hundredth of a small build.)
        self._running.acquire()
        _thread.start_new_thread(self._watch, ())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._running.release()  # wakes the thread, which ends

    def _watch(self) -> None:
        beats, since = -1, 0.0
        # (Before the first stage begins there is nothing to name, and nothing that could hang.)
        while not self._running.acquire(timeout=_PATIENCE):
            if self._progress.beats != beats:
                beats, since = self._progress.beats, time.process_time()
            elif self._progress.now and time.process_time() - since > self._limit:
                self._stuck = self._progress.now
                self._progress.cancel()
                return
