"""What a build will take in memory and time: told, and refused where it is too much, before any is taken."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

import numpy as np

from ...errors import TooLarge
from ...geometry.grid import rounded_up
from ...jit import kernel
from ...types import F32, I32, U8, Grid, Heightfield
from .forecast import Forecast

_SHARE = 0.7  # of the memory there is that one build may take
_ALWAYS = 256e6  # bytes that are not worth asking for: tiles
_MOST_FLOORS = 4096  # that a column can have: solid and open voxels take turns
LONG_SECONDS = 3600.0  # of which a person wants to hear before
_MOST_SECONDS = 24 * 3600.0  # on each thread


def forecast(grid: Grid, vertices: F32, triangles: I32, area: U8) -> Forecast:
    """What triangles with these areas will fill a grid with, by the ground that they cover within its bounds."""
    low, high = grid.bounds_min, grid.bounds_max
    covered, walkable = _ground_areas(vertices, triangles, area, low[0], low[2], high[0], high[2])
    columns, cell = grid.width * grid.depth, float(grid.cell_size) ** 2
    solid = min(covered / cell, columns * _MOST_FLOORS)
    return Forecast(columns, solid, min(walkable / cell, solid), len(triangles))


def check_memory(expected: Forecast, grid: Grid, partition: str) -> None:
    """Refuse a build in one piece that would take more memory than there is."""
    _refuse(expected.bytes(partition), float(grid.cell_size), "use tiles")


def check_spans(solid: Heightfield, grid: Grid, partition: str) -> None:
    """The same once the spans are there and the larger part of the build is ahead."""
    columns, spans = solid.width * solid.depth, len(solid.area)
    counted = Forecast(columns, spans, int(np.count_nonzero(solid.area)), 0)
    _refuse(counted.bytes(partition) - 4 * columns - 5 * spans, float(grid.cell_size), "use tiles")


def forecast_tiles(tile: Grid, whole: Forecast, count: int) -> Forecast:
    """What `count` tiles that are built at a time deal with, if they lie where the level has as much as on average.

    They are taken to be full of ground: of a level with gaps some tiles have none.
    """
    columns = tile.width * tile.depth * count
    solid, walkable = (columns * max(spans / whole.columns, 1.0) for spans in (whole.solid, whole.open))
    return Forecast(columns, solid, walkable, 0)


def check_tile_memory(tile: Grid, whole: Forecast, partition: str, count: int) -> None:
    """Refuse tiles so large that those which are built at a time would take more memory than there is."""
    wanted = forecast_tiles(tile, whole, count).bytes(partition)
    _refuse(wanted, float(tile.cell_size), "lower tile_size or threads")


def check_time(seconds: float, cell_size: float, threads: int) -> str:
    """Refuse a build of days; else a sentence about one that takes hours, empty for all others."""
    alone = seconds / threads
    if alone <= LONG_SECONDS:
        return ""
    told = f"would take about {alone / 3600:,.0f} hours on {threads} {'thread' if threads == 1 else 'threads'}"
    if alone > _MOST_SECONDS:
        larger = rounded_up(cell_size * math.sqrt(alone / _MOST_SECONDS) * 1.01)
        raise TooLarge(
            f"This build {told} (limit {_MOST_SECONDS / 3600:.0f}). Raise Cell Size to {larger} m or select less, or "
            "build on a cluster.",
            "TAKES_TOO_LONG",
        )
    larger = rounded_up(cell_size * math.sqrt(alone / LONG_SECONDS) * 1.01)
    return f"A build like this {told}. With a Cell Size of {larger} m it takes one."


def _refuse(wanted: float, cell_size: float, way_out: str) -> None:
    if wanted <= _ALWAYS:
        return
    there = available_bytes()
    if there is None or wanted <= there * _SHARE:
        return
    larger = rounded_up(cell_size * math.sqrt(wanted / (there * _SHARE)) * 1.01)
    raise TooLarge(
        f"This build would take about {wanted / 1e9:,.1f} GB of memory, and {there / 1e9:,.1f} GB are free. "
        f"Raise Cell Size to {larger} m, {way_out}, or select less.",
        "NOT_ENOUGH_MEMORY",
    )


@kernel
def _ground_areas(vertices, triangles, area, low_x, low_z, high_x, high_z):
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
def _share(low, high, from_, to):
    """How much of low … high lies in from … to."""
    if low >= from_ and high <= to:
        return 1.0
    if low > to or high < from_:  # also a wall outside the bounds, whose box has no width to divide by
        return 0.0
    return (min(high, to) - max(low, from_)) / (high - low)


def available_bytes() -> int | None:
    """Memory that a program can still get without others being pushed out; None where the system does not tell."""
    if sys.platform == "win32":
        return _available_on_windows()
    if sys.platform == "linux":
        return _available_on_linux(Path("/proc/meminfo"))
    pages = os.sysconf("SC_PHYS_PAGES") if "SC_PHYS_PAGES" in os.sysconf_names else -1
    return pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else None


def _available_on_linux(meminfo: Path) -> int | None:
    try:
        lines = meminfo.read_text().splitlines()
    except OSError:
        return None
    found = [line.split() for line in lines if line.startswith("MemAvailable:")]
    return int(found[0][1]) * 1024 if found and len(found[0]) > 1 else None


def _available_on_windows() -> int | None:
    import ctypes
    from ctypes import wintypes

    class Status(ctypes.Structure):
        _fields_ = [("size", wintypes.DWORD), ("load", wintypes.DWORD)] + [
            (name, ctypes.c_ulonglong) for name in ("total", "free", "pages", "free_pages", "own", "free_own", "more")
        ]

    status = Status(size=ctypes.sizeof(Status))
    kernel32 = ctypes.WinDLL("kernel32")  # type: ignore[attr-defined,unused-ignore]
    return int(status.free) if kernel32.GlobalMemoryStatusEx(ctypes.byref(status)) else None
