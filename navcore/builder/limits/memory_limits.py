"""Builds that would take more memory than there is, refused before any is taken."""

from __future__ import annotations

import math

import numpy as np

from ...errors import TooLarge
from ...geometry.grid import rounded_up
from ...memory import available_bytes
from ...types import Grid, Heightfield
from .forecast_from_triangles import forecast_tiles
from .memory_and_time_forecast import Forecast

_SHARE = 0.7  # of the memory there is: what one build may take
_ALWAYS = 256e6  # bytes that are not worth asking for: tiles


def check_memory(expected: Forecast, grid: Grid, partition: str) -> None:
    """Refuse a build in one piece that would take more memory than there is."""
    _refuse(expected.bytes(partition), float(grid.cell_size), "use tiles")


def check_spans(solid: Heightfield, grid: Grid, partition: str) -> None:
    """The same once the spans are there and the larger part of the build is ahead."""
    columns, spans = solid.width * solid.depth, len(solid.area)
    counted = Forecast(columns, spans, int(np.count_nonzero(solid.area)), 0)
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
