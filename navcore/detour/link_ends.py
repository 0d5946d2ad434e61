"""Which links are attached at both ends, as finished tiles have them, and how far the other ends are from the ground.

Detour attaches links while it adds tiles, and says nothing about those that it can't. Here each tile is looked at once
when it is there and read once when no later tile can change it, so that nothing but the links is held in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..scene import Link
from ..types import F32, I64, U8
from .byte_layout import INSIDE, NO_LINK, Sections, header_of, sections
from .nearest import ENDLESS, nearest_in_tile, nearest_within
from .off_mesh_links import link_table, sides_of

START, END = 0, 1
REACH = 10.0  # metres to all sides in which the ground nearest to an end is looked for, however high or low
_ANYWHERE = np.float32(np.inf)

Flags = npt.NDArray[np.bool_]


class Miss(NamedTuple):
    """Where the ground nearest to an end lies, in metres."""

    aside: float
    above: float  # the end; below 0: the ground lies above it


class LinkEnds:
    """The ends of all links of a level, and what its tiles say of them. Row by row as in `links`."""

    def __init__(self, links: Sequence[Link], numbers: I64 | None = None, asked: Flags | None = None) -> None:
        """`numbers`: those of the links, counted from 0, where they are some of many.

        The ends of those that nobody has `asked` about are taken as attached, whatever tiles say.
        """
        count = len(links)
        self.links = tuple(links)
        self.numbers = range(count) if numbers is None else numbers.tolist()
        self.stored: Flags = np.zeros(count, bool)  # a tile that was read holds the link
        self.attached: Flags = np.zeros((count, 2), bool)  # start and end, likewise
        self.lands: Flags = np.zeros((count, 2), bool)  # the tile around an end has ground that it could be attached to
        self.in_tile: Flags = np.zeros((count, 2), bool)
        self.tile: I64 = np.zeros((count, 2, 2), np.int64)  # (x, y) of that tile
        self._table = link_table(links)
        self._nearest: F32 = np.zeros((count, 2, 3), np.float32)
        self._distance = np.full((count, 2), np.inf)  # to it, squared, as Detour counts it
        self._rows: dict[bytes, list[int]] = {}
        if asked is not None:
            self.attached[~asked], self.lands[~asked] = True, True
        table = self._table
        for row, parts in enumerate(zip(table.points, table.radius, table.both_ways, table.id, strict=True)):
            self._rows.setdefault(_key(*parts), []).append(row)

    def look(self, data: U8) -> None:
        """Look for the ground of a tile near the ends."""
        header = header_of(data)[0]
        low, high = header["bounds_min"], header["bounds_max"]
        for which in (START, END):
            points = self._table.points[:, 3 * which : 3 * which + 3]
            inside = sides_of(points, low, high) == INSIDE
            self.in_tile[inside, which] = True
            self.tile[inside, which] = int(header["x"]), int(header["y"])
            near = (points[:, [0, 2]] > low[[0, 2]] - REACH).all(axis=1)
            near &= (points[:, [0, 2]] < high[[0, 2]] + REACH).all(axis=1)
            for row in np.flatnonzero(near & ~self.lands[:, which]):
                self._look(data, int(row), which, points[row], inside[row])

    def _look(self, data: U8, row: int, which: int, point: F32, inside: np.bool_) -> None:
        nearest = np.empty(3, np.float32)
        radius, climb = self._table.radius[row], header_of(data)["agent_max_climb"][0]
        if inside:
            work = np.full(1, ENDLESS, np.int64)
            half_extents = np.array([radius, climb, radius], np.float32)
            if nearest_in_tile(data, point, half_extents, nearest, work) >= 0 and _is_within(nearest - point, radius):
                self.lands[row, which], self._distance[row, which] = True, 0
                self._nearest[row, which] = nearest
                return
        aside = np.float32(max(REACH, radius))
        polygon, distance = nearest_within(data, point, aside, _ANYWHERE, nearest)
        if polygon >= 0 and distance < self._distance[row, which]:
            self._nearest[row, which], self._distance[row, which] = nearest, distance

    def read(self, data: U8) -> None:
        """Read from a tile, once its links are complete, which of the links that it stores are attached."""
        tile = sections(data)
        for record in tile.connections:
            found = {*_edges(tile, int(record["polygon"]))}
            key = _key(record["points"], record["radius"], record["flags"], record["user_id"])
            for row in self._rows.get(key, ()):
                self.stored[row] = True
                if len(found) > np.count_nonzero(self.attached[row]):  # a tile beside it may store it as well
                    self.attached[row] = START in found, END in found

    def fails(self, row: int) -> tuple[bool, bool]:
        """Whether the start of a link fails, and its end: also where Detour does not try it, as the start fails."""
        start, end = map(bool, self.attached[row])
        return not start, not (end if start else self.lands[row, END] and self.joins(row))

    def joins(self, row: int) -> bool:
        """Whether Detour joins the tiles of both ends, as far as there are two."""
        if not self.in_tile[row].all():
            return True
        return bool(np.abs(self.tile[row, START] - self.tile[row, END]).max() <= 1)

    def miss(self, row: int, which: int) -> Miss | None:
        """How far the nearest ground is from an end; None where there is none within REACH."""
        if np.isinf(self._distance[row, which]):
            return None
        x, y, z = (self._table.points[row, 3 * which : 3 * which + 3] - self._nearest[row, which]).tolist()
        return Miss(float(np.hypot(x, z)), y)


def _key(points: F32, radius: np.float32, both_ways: np.uint8, number: np.uint32) -> bytes:
    """By which a link is known in tiles. Links that are alike are attached alike."""
    return points.tobytes() + radius.tobytes() + both_ways.tobytes() + number.tobytes()


def _is_within(offset: F32, radius: np.float32) -> bool:
    return bool(offset[0] * offset[0] + offset[2] * offset[2] <= radius * radius)


def _edges(tile: Sections, polygon: int) -> Iterator[int]:
    """START for a link from a connection to the ground where it starts, END for one to where it ends."""
    k = int(tile.polygons["first_link"][polygon])
    while k != NO_LINK:
        yield int(tile.links["edge"][k])
        k = int(tile.links["next"][k])
