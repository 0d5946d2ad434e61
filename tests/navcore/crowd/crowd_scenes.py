"""Places where agents meet, and what is seen of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from navcore import Crowd, NavQuery
from navcore.crowd.states import AgentState
from navcore.types import F32, F64
from tests import scenes
from tests.scenes import Mesh

RADIUS = 0.3  # metres, of agents and of the navmesh
DEEP = 0.01  # metres: circles that overlap by more stand in each other


class Meeting(NamedTuple):
    """A level, and who walks there."""

    level: Mesh
    starts: F64
    ends: F64
    radius: float = RADIUS


class Seen(NamedTuple):
    """What became of a crowd."""

    off: float  # metres: how far anybody was off the navmesh, from above
    deepest: float  # metres: how deep any two stood in each other
    longest: float  # seconds: for how long any two stood in each other, without a break


def circle(count: int) -> Meeting:
    """Everybody to the opposite side, in rings of 40 that stand a metre and more apart."""
    ring, number = np.arange(count) // 40, np.arange(count) % 40
    size = 40 + 2 * (8.0 + 2.0 * ring.max())
    angle, wide = number * 2 * np.pi / np.minimum(count - 40 * ring, 40), 8.0 + 2.0 * ring
    around = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], axis=1) * wide[:, None]
    middle = np.array([size / 2, 0, size / 2])
    return Meeting(scenes.flat(size), middle + around, middle - around)


def corridor(count: int) -> Meeting:
    """Two columns that meet in a corridor 8 m wide."""
    half = count // 2
    row, column = np.arange(half) // 8, np.arange(half) % 8
    left = np.stack([1.0 + row * 0.9, 0.0 * row, 0.8 + column * 0.9], axis=1)
    length = 2 * (float(left[:, 0].max()) + 8)
    right = left * np.array([-1, 1, 1]) + np.array([length, 0, 0.2])
    starts, ends = np.concatenate([left, right]), np.concatenate([right, left])
    return Meeting(scenes.box(0, -1, 0, length, 1, 8), starts, ends)


def crossing(count: int) -> Meeting:
    """Two columns that cross at a right angle."""
    half = count // 2
    row, column = np.arange(half) // 8, np.arange(half) % 8
    far = float(row.max()) * 0.9 + 8
    one = np.stack([1.0 + row * 0.9, 0.0 * row, far - 3 + column * 0.9], axis=1)
    there = one + np.array([far + 6, 0, 0])
    return Meeting(
        scenes.flat(2 * far + 8), np.concatenate([one, one[:, ::-1]]), np.concatenate([there, there[:, ::-1]])
    )


def door(count: int) -> Meeting:
    """All through a door that is wide enough for one, from room to room."""
    depth = 10.0 + count / 10
    wall = 2.0 + 0.75 + 9
    parts = [scenes.box(0, -1, 0, 24, 1, depth), scenes.box(wall, 0, 0, 0.4, 3, depth / 2 - 0.6)]
    parts.append(scenes.box(wall, 0, depth / 2 + 0.6, 0.4, 3, depth / 2 - 0.6))
    row, column = np.arange(count) // 10, np.arange(count) % 10
    starts = np.stack([1.0 + column * 0.9, 0.0 * row, 1.0 + row * 0.9], axis=1)
    return Meeting(scenes.join(parts), starts, starts + np.array([12.5, 0, 0]))


def streets(count: int) -> Meeting:
    """Anywhere in a town, to anywhere."""
    rng = np.random.default_rng(7)
    level = scenes.city(3, boxes=8)
    free: list[F64] = []
    while len(free) < 2 * count:
        point = rng.uniform(1, 47, 3) * [1, 0, 1]
        mine = free[:count] if len(free) < count else free[count:]
        if all(np.hypot(*(point - other)[::2]) > 1.0 for other in mine):
            free.append(point)
    return Meeting(level, np.array(free[:count]), np.array(free[count:]))


SCENES: dict[str, Callable[[int], Meeting]] = {
    "circle": circle, "corridor": corridor, "crossing": crossing, "door": door, "streets": streets,
}  # fmt: skip


def _two_ways(parts: list[Mesh], left: F64, length: float, rise: float = 0.0) -> Meeting:
    """As many come from the other end."""
    right = left * [-1, 1, 1] + [length, rise, 0]
    return Meeting(scenes.join(parts), np.concatenate([left, right]), np.concatenate([right, left]))


def _rows(count: int, across: int, x: float, z: float) -> F64:
    """A block of so many, from a corner on."""
    numbers = np.arange(count)
    return np.stack([x + numbers // across * 0.9, 0.0 * numbers, z + numbers % across * 0.9], axis=1)


def narrow_corridor(count: int) -> Meeting:
    """Two columns that meet in a corridor 3 m wide."""
    left = _rows(count // 2, 3, 1, 0.6)
    length = 2 * (float(left[:, 0].max()) + 8)
    return _two_ways([scenes.box(0, -1, 0, length, 1, 3)], left, length)


def stairs(count: int) -> Meeting:
    """Up and down twelve steps, 4 m wide."""
    parts = [scenes.box(20 + k * 0.4, -1, 0, 0.4, 1.2 + 0.2 * k, 4) for k in range(12)]
    parts += [scenes.box(0, -1, 0, 20, 1, 4), scenes.box(24.8, -1, 0, 20, 3.4, 4)]
    return _two_ways(parts, _rows(count // 2, 4, 1, 0.65), 44.8, 2.4)


def alley(count: int) -> Meeting:
    """From both sides through an alley 1 m wide and 12 m long: two do not pass each other in it."""
    parts = [scenes.box(0, -1, 0, 12, 1, 12), scenes.box(24, -1, 0, 12, 1, 12), scenes.box(12, -1, 5.5, 12, 1, 1)]
    return _two_ways(parts, _rows(count // 2, 6, 2, 3), 36)


def both_sides(count: int, width: float = 1.2) -> Meeting:
    """From both sides through a door."""
    depth = 10.0 + count / 10
    parts = [scenes.box(0, -1, 0, 24, 1, depth), scenes.box(11.75, 0, 0, 0.4, 3, (depth - width) / 2)]
    parts.append(scenes.box(11.75, 0, (depth + width) / 2, 0.4, 3, (depth - width) / 2))
    first = depth / 2 - (count // 2 - 1) // 8 * 0.45
    return _two_ways(parts, _rows(count // 2, 8, 2.5, first)[:, [2, 1, 0]] + [2.5 - first, 0, first - 2.5], 24)


def three_arms(count: int) -> Meeting:
    """A T of 4 m: from each arm to the next one."""
    parts = [scenes.box(0, -1, 0, 40, 1, 4), scenes.box(18, -1, 4, 4, 1, 18)]
    one = _rows(count // 3, 4, 1, 0.65)
    two = one * [-1, 1, 1] + [40, 0, 0]
    three = np.stack([18 + one[:, 2], one[:, 1], 22 - one[:, 0]], axis=1)
    return Meeting(scenes.join(parts), np.concatenate([one, two, three]), np.concatenate([two, three, one]))


def two_doors(count: int) -> Meeting:
    """To the room behind, by two doors; the nearer one is the same for most."""
    walls = [(0, 4.4), (5.6, 14.4), (15.6, 20)]
    parts = [scenes.box(0, -1, 0, 30, 1, 20)] + [scenes.box(14, 0, low, 0.4, 3, high - low) for low, high in walls]
    starts = _rows(count, 13, 1, 1)[:, [2, 1, 0]]
    return Meeting(scenes.join(parts), starts, starts + np.array([15.5, 0, 0]))


NARROW: dict[str, tuple[Callable[[int], Meeting], int]] = {
    "corridor 3 m": (narrow_corridor, 100), "stairs": (stairs, 160), "alley 1 m": (alley, 24),
    "door, both": (both_sides, 80), "T": (three_arms, 90), "two doors": (two_doors, 120),
}  # fmt: skip
"""Narrower places, and how many agents meet there."""


def one_way(width: float, count: int) -> Meeting:
    """All through a door of so many metres."""
    depth = 10.0 + count / 10
    parts = [scenes.box(0, -1, 0, 24, 1, depth), scenes.box(11.75, 0, 0, 0.4, 3, (depth - width) / 2)]
    parts.append(scenes.box(11.75, 0, (depth + width) / 2, 0.4, 3, (depth - width) / 2))
    starts = _rows(count, 10, 1, 1)[:, [2, 1, 0]]
    return Meeting(scenes.join(parts), starts, starts + np.array([12.5, 0, 0]))


def watched(query: NavQuery, crowd: Crowd, steps: int, step: Callable[[], object]) -> Seen:
    """Let a crowd walk, and look at all of it after each step of a thirtieth of a second."""
    together = np.zeros((len(crowd), len(crowd)), np.int64)
    off, deepest, longest = 0.0, 0.0, 0
    for _ in range(steps):
        step()
        positions = crowd.positions
        ground = ~np.isin(crowd.states, (AgentState.JUMPING, AgentState.NO_WAY))
        off = max(off, off_navmesh(query, positions[ground]))
        depths = overlaps(positions, ground, crowd.radii)
        together = np.where(depths > DEEP, together + 1, 0)
        deepest, longest = max(deepest, float(depths.max())), max(longest, int(together.max()))
    return Seen(off, deepest, longest / 30)


def off_navmesh(query: NavQuery, positions: F32) -> float:
    """How far the worst of these is off the navmesh, in metres from above."""
    near = query.nearest(positions, extents=(0.5, 0.5, 0.5))
    if not (near.references > 0).all():
        return float("inf")
    return float(np.hypot(*(near.points - positions)[:, ::2].T).max(initial=0))


def overlaps(positions: F32, ground: npt.NDArray[np.bool_], radii: F64) -> F64:
    """(N, N) how deep each two stand in each other; nobody stands in himself, or on another floor."""
    away = positions[:, None].astype(np.float64) - positions[None]
    depths = radii[:, None] + radii[None] - np.hypot(away[:, :, 0], away[:, :, 2])
    beside = (np.abs(away[:, :, 1]) < 1.0) & ground[:, None] & ground[None, :]
    np.fill_diagonal(beside, False)
    return np.where(beside, np.maximum(depths, 0), 0)
