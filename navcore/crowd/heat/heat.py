"""`Heat`: how long agents were where, how much of that they lost, and what held them up."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...types import F64, I64
from .ground_columns import ColumnSums
from .narrow_places import Chokepoint

_MOST_CELLS = 1_000_000  # of a map; above that cells are twice as large, as often as it takes
_SHOWN = 0.005  # seconds: what is less is nothing


class HeatColumns(NamedTuple):
    """C cells of ground on which agents walked, floor by floor."""

    cell: float  # metres
    places: F64  # (C, 3) metres: the middle of each, at the height of those who walked there
    density: F64  # (C,) agents·s/m²
    time_lost: F64  # (C,) seconds
    waiting: F64  # (C,) seconds

    def rows(self) -> F64:
        """(C, 6) x, y, z, density, time lost and waiting of each."""
        return np.column_stack([self.places, self.density, self.time_lost, self.waiting])


class Heat(NamedTuple):
    """Where agents were on their way, seen from above, and where they lost time. Row z, column x of square cells."""

    cell: float  # metres
    origin: tuple[float, float]  # x and z of the corner of the first cell
    density: F64  # (Z, X) agents·s/m²: how long they were there in all
    time_lost: F64  # (Z, X) seconds beyond what they would have needed alone
    waiting: F64  # (Z, X) seconds in which they stood
    chokepoints: tuple[Chokepoint, ...]  # those that most time was lost at first
    lost: F64  # (N,) seconds that each agent lost in all
    columns: HeatColumns  # the same cells, upper floors beside lower ones

    @property
    def mean_time_lost(self) -> float:
        """Seconds, over all agents; 0 without any."""
        return float(self.lost.mean()) if len(self.lost) else 0.0

    def to_mapping(self) -> dict[str, Any]:
        """Ready for JSON: what `navcore walk --heat NAME.json` writes."""
        return {
            "format": 1, "cell": self.cell, "origin": list(self.origin),
            "density": np.round(self.density, 3).tolist(), "time_lost": np.round(self.time_lost, 3).tolist(),
            "waiting": np.round(self.waiting, 3).tolist(),
            "chokepoints": [place.to_mapping() for place in self.chokepoints],
            "columns": {"cell": self.columns.cell, "rows": np.round(self.columns.rows(), 3).tolist()},
            "agents": len(self.lost), "mean_time_lost": round(self.mean_time_lost, 3),
        }  # fmt: skip


def heat_of(sums: ColumnSums, cell: float, lost: F64, chokepoints: tuple[Chokepoint, ...]) -> Heat:
    """The map of sums over cells of so many metres."""
    column = sums.column
    low, high = (column.min(axis=0), column.max(axis=0)) if len(column) else (np.zeros(2, np.int64), np.zeros(2) - 1)
    factor = 1
    while np.prod((high - low) // factor + 2, dtype=np.float64) > _MOST_CELLS:
        factor *= 2
    wide = factor * cell
    middles = (column + 0.5) * cell
    columns = HeatColumns(
        cell, np.stack([middles[:, 0], sums.height, middles[:, 1]], axis=1), sums.seconds / cell**2,
        np.maximum(sums.lost, 0), sums.waited,
    )  # fmt: skip
    place = (column - low) // factor
    size: I64 = place.max(axis=0, initial=-1) + 1
    maps = [_map_of(place, size, values) for values in (sums.seconds / wide**2, sums.lost, sums.waited)]
    origin = (float(low[0] * cell), float(low[1] * cell))
    return Heat(wide, origin, maps[0], np.maximum(maps[1], 0), maps[2], chokepoints, lost, columns)


def _map_of(place: I64, size: I64, values: F64) -> F64:
    """(Z, X) sums."""
    found = np.zeros((int(size[1]), int(size[0])))
    np.add.at(found, (place[:, 1], place[:, 0]), values)
    return found
