"""Requests for obstacles, the tiles that wait for them, and who is done: upstream's queue, with its limits or without.

Recast: dtTileCache::addObstacle, removeObstacle and update.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ..errors import NavmeshError
from ..types import F32
from .obstacles import HITS, NO_OBSTACLES, Obstacle

FAILED, TOO_SMALL, OUT_OF_MEMORY = 0x80000000, 0x10, 0x4  # Recast: DT_FAILURE, DT_BUFFER_TOO_SMALL, DT_OUT_OF_MEMORY
NOT_IN_USE, ADDED, STANDS, REMOVED = 0, 1, 2, 3  # states of an obstacle. Recast: DT_OBSTACLE_EMPTY, … REMOVING
MOST_REQUESTS, MOST_TOUCHED, MOST_WAITING = 64, 8, 64
_LOW_16_BITS = 0xFFFF


class ObstacleRefused(NavmeshError):
    """With `exact`: what upstream refuses, and its `status`."""

    code = "TILE_CACHE_FULL"

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class _Standing:
    """One slot of obstacles."""

    salt: int = 1
    state: int = NOT_IN_USE
    obstacle: Obstacle | None = None
    numbers: F32 = field(default_factory=NO_OBSTACLES.copy)  # (1, NUMBERS) as kernels take it
    touched: list[int] = field(default_factory=list)  # slots of layers
    pending: list[int] = field(default_factory=list)
    is_hit: bool = False  # it stands on ground


class ObstacleQueue:
    """Obstacles, by slot, and all that waits.

    `numbers_of` says how kernels take an obstacle, `touched_by` which layers such numbers touch; `build` makes the tile
    of one, drawn with those of some obstacles, and writes there on how many cells with ground each stands. Without
    `most`, the number of obstacles, there are no limits, and one that touches nothing does not wait for others.
    """

    def __init__(
        self, numbers_of: Callable[[Obstacle], F32], touched_by: Callable[[F32], Sequence[int]],
        build: Callable[[int, F32], None], most: int | None,
    ) -> None:  # fmt: skip
        self._numbers_of, self._touched_by, self._build, self._most = numbers_of, touched_by, build, most
        self._standing: list[_Standing] = []
        self._free: list[int] = []  # the last one is taken first
        self._active: set[int] = set()  # slots that are added or removed, and not done
        self._requests: list[tuple[bool, int]] = []
        self._waiting: list[int] = []
        self._on_layer: dict[int, set[int]] = {}
        self._new: set[int] = set()  # slots that nobody has asked about

    def add(self, obstacle: Obstacle) -> int:
        """Ask for an obstacle; its reference. Raises ObstacleRefused."""
        self._check_requests()
        if self._free:
            slot = self._free.pop()
        elif self._most is None or len(self._standing) < self._most:
            slot = len(self._standing)
            self._standing.append(_Standing())
        else:
            text = f"There are {self._most} obstacles, as many as the cache has room for. Remove one first"
            raise ObstacleRefused(f"{text}, or leave exact out.", FAILED | OUT_OF_MEMORY)
        standing = self._standing[slot]
        standing.state, standing.obstacle = ADDED, obstacle
        standing.touched, standing.pending = [], []
        standing.numbers, standing.is_hit = self._numbers_of(obstacle), False
        self._active.add(slot)
        reference = self.reference(slot)
        self._requests.append((True, reference))
        return reference

    def remove(self, reference: int) -> None:
        """Ask for an obstacle to be gone; a reference that names none does nothing. Raises ObstacleRefused."""
        if reference == 0:
            return
        self._check_requests()
        self._requests.append((False, reference))

    def step(self) -> bool:
        """Look at what was asked for, unless tiles wait; build one tile; whether something still waits."""
        if not self._waiting:
            for is_added, reference in self._requests:
                self._begin(is_added, reference)
            self._requests.clear()
        if self._waiting:
            layer = self._waiting.pop(0)
            self._draw(layer)
            self._finish(layer)
        elif self._most is None:
            self._finish(-1)
        return bool(self._waiting or self._requests)

    def reference(self, slot: int) -> int:
        """Of the obstacle in a slot: upstream's, whose slots have 16 bits; more of them follow above the salt."""
        return slot >> 16 << 32 | self._standing[slot].salt << 16 | slot & _LOW_16_BITS

    def all_standing(self) -> list[Obstacle]:
        """Those that were added and not removed, by slot."""
        found = (standing.obstacle for standing in self._standing if standing.state in (ADDED, STANDS))
        return [obstacle for obstacle in found if obstacle is not None]

    def newly_off_level(self) -> list[Obstacle]:
        """Those that stand on no ground, once each."""
        if not self._new or self._waiting or self._requests:
            return []
        new, self._new = self._new, set()
        rows = (self._standing[slot] for slot in sorted(new))
        return [row.obstacle for row in rows if row.obstacle is not None and row.state == STANDS and not row.is_hit]

    def _draw(self, layer: int) -> None:
        """Build one tile with those that stand on it, by slot."""
        on_it, standing = sorted(self._on_layer.get(layer, ())), self._standing
        rows = [row for slot in on_it if (row := standing[slot]).state in (ADDED, STANDS)]
        drawn = NO_OBSTACLES if not rows else rows[0].numbers
        if len(rows) > 1:
            drawn = np.concatenate([row.numbers for row in rows])
        self._build(layer, drawn)
        for row, cells in zip(rows, drawn[:, HITS].tolist(), strict=True):
            row.is_hit |= cells > 0

    def rows(self) -> list[list[int]]:
        """For tests: slot, reference, state, touched, pending, kind, salt, then what it touches, of those in use."""
        return [
            [slot, self.reference(slot), s.state, len(s.touched), len(s.pending), s.obstacle.kind, s.salt, *s.touched]
            for slot, s in enumerate(self._standing)
            if s.state != NOT_IN_USE and s.obstacle is not None
        ]

    def _check_requests(self) -> None:
        if self._most is not None and len(self._requests) >= MOST_REQUESTS:
            text = f"{MOST_REQUESTS} requests wait already. Call update first"
            raise ObstacleRefused(f"{text}, or leave exact out.", FAILED | TOO_SMALL)

    def _slot_of(self, reference: int) -> int | None:
        slot = reference >> 32 << 16 | reference & _LOW_16_BITS
        if not 0 <= slot < len(self._standing) or self._standing[slot].salt != reference >> 16 & _LOW_16_BITS:
            return None
        return slot

    def _begin(self, is_added: bool, reference: int) -> None:
        """Queue the tiles that an obstacle touches."""
        slot = self._slot_of(reference)
        if slot is None:
            return
        standing = self._standing[slot]
        if is_added:
            standing.touched = list(self._touched_by(standing.numbers))
            self._new.add(slot)
            for layer in standing.touched:
                self._on_layer.setdefault(layer, set()).add(slot)
        else:
            standing.state = REMOVED
            self._active.add(slot)
        standing.pending = []
        for layer in standing.touched:
            if self._most is None or len(self._waiting) < MOST_WAITING:
                if layer not in self._waiting:
                    self._waiting.append(layer)
                standing.pending.append(layer)

    def _finish(self, layer: int) -> None:
        """A tile is built: obstacles that wait for no other are done."""
        for slot in sorted(self._active):
            standing = self._standing[slot]
            if layer in standing.pending:
                place, last = standing.pending.index(layer), standing.pending.pop()
                if place < len(standing.pending):
                    standing.pending[place] = last
            if standing.pending:
                continue
            self._active.discard(slot)
            if standing.state == ADDED:
                standing.state = STANDS
            else:
                self._give_back(slot)

    def _give_back(self, slot: int) -> None:
        standing = self._standing[slot]
        for layer in standing.touched:
            self._on_layer[layer].discard(slot)
        standing.state, standing.obstacle = NOT_IN_USE, None
        standing.salt = (standing.salt + 1 & _LOW_16_BITS) or 1
        self._free.append(slot)
