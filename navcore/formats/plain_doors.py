"""Doors of a navmesh as plain arrays, and as files hold them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..result.navmesh import Door
from ..types import I32, U16, AnyArray


class PlainDoors(NamedTuple):
    """Which polygons lie under which door."""

    rows: tuple[Door, ...]
    of_polygon: I32  # (P,) the row that each belongs to, -1 for none

    def of(self, owner: AnyArray) -> PlainDoors:
        """The same for other polygons, each a part of the one that `owner` says, or one that was chosen."""
        return self._replace(of_polygon=self.of_polygon[owner])

    def flags(self, flags: U16) -> U16:
        """The flags of all polygons, those of doors by their states."""
        states = np.array([row.closed if row.is_closed else row.open for row in self.rows], np.uint16)
        found = flags.copy()
        under = self.of_polygon >= 0
        found[under] = states[self.of_polygon[under]]
        return found

    def records(self) -> list[dict[str, Any]]:
        """What files hold: with references, as a `.bin` has them, and the numbers that polygons have in the file."""
        return [
            {
                "name": row.name, "polygons": list(row.polygons), "open": row.open, "closed": row.closed,
                "is_closed": row.is_closed, "numbers": np.flatnonzero(self.of_polygon == number).tolist(),
            }
            for number, row in enumerate(self.rows)
        ]  # fmt: skip


def told_doors(doors: PlainDoors | None) -> dict[str, list[dict[str, Any]]]:
    """The key `doors` of a file; nothing where there is none."""
    return {"doors": doors.records()} if doors is not None else {}
