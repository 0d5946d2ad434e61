"""Builds that take too long: hours are worth a warning, days are refused."""

from __future__ import annotations

import math

from ...errors import TooLarge
from ...geometry.grid import rounded_up

LONG_SECONDS = 3600.0  # a person wants to know of a longer build before it begins
_MOST_SECONDS = 24 * 3600.0  # on each thread


def check_time(seconds: float, cell_size: float, threads: int) -> str:
    """Refuse a build of days; else a sentence about one that takes hours, empty for all others."""
    seconds /= threads
    if seconds <= LONG_SECONDS:
        return ""
    how_long = f"would take about {seconds / 3600:,.0f} hours on {threads} {'thread' if threads == 1 else 'threads'}"
    if seconds > _MOST_SECONDS:
        larger = rounded_up(cell_size * math.sqrt(seconds / _MOST_SECONDS) * 1.01)
        raise TooLarge(
            f"This build {how_long} (limit {_MOST_SECONDS / 3600:.0f}). Raise Cell Size to {larger} m or select less, "
            "or build on a cluster.",
            "TAKES_TOO_LONG",
        )
    larger = rounded_up(cell_size * math.sqrt(seconds / LONG_SECONDS) * 1.01)
    return f"A build like this {how_long}. Raise Cell Size to {larger} m for a build of one hour, or select less."
