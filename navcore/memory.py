"""How much memory a build will take, and whether there is that much: told before any is taken."""

from __future__ import annotations

import math
import os
import sys
from pathlib import Path

from .errors import TooLarge
from .grid import rounded_up
from .jit import kernel
from .types import F32, I32, Grid

_BYTES_PER_SPAN = 40  # at the peak of a build; measured 27 to 61 on flat ground, hills, city blocks and towers
_BYTES_PER_COLUMN = 8
_SHARE = 0.7  # of the memory there is that one build may take
_ALWAYS = 256e6  # bytes that are not worth asking for: tiles
_MOST_FLOORS = 4096  # that a column can have: solid and open voxels take turns


def check_memory(grid: Grid, vertices: F32, triangles: I32) -> None:
    """Refuse a build in one piece that would take more memory than there is."""
    per_column = float(_ground_area(vertices, triangles)) / float(grid.cell_size) ** 2 / (grid.width * grid.depth)
    spans = grid.width * grid.depth * min(per_column, _MOST_FLOORS)
    _refuse(grid.width * grid.depth * _BYTES_PER_COLUMN + spans * _BYTES_PER_SPAN, float(grid.cell_size), "use tiles")


def check_spans(spans: int, grid: Grid) -> None:
    """The same once the spans are there and the larger part of the build is ahead."""
    _refuse(spans * _BYTES_PER_SPAN, float(grid.cell_size), "use tiles")


def check_tile_memory(tile: Grid, threads: int) -> None:
    """Refuse tiles so large that those which are built at a time would take more memory than there is."""
    columns = tile.width * tile.depth * threads
    _refuse(columns * (_BYTES_PER_COLUMN + _BYTES_PER_SPAN), float(tile.cell_size), "lower tile_size or threads")


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
def _ground_area(vertices, triangles):
    """The area of all triangles seen from above, in square metres."""
    total = 0.0
    for t in range(triangles.shape[0]):
        a, b, c = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        ux, uz = float(vertices[b, 0]) - float(vertices[a, 0]), float(vertices[b, 2]) - float(vertices[a, 2])
        vx, vz = float(vertices[c, 0]) - float(vertices[a, 0]), float(vertices[c, 2]) - float(vertices[a, 2])
        total += abs(ux * vz - uz * vx)
    return total / 2


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
