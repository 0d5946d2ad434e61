"""Twelve levels, each with one place that was made narrow, and a crowd that has to get through it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tests.scenes import Mesh, box, join

Point = tuple[float, float, float]
HIGH = 2.5  # metres, of walls


class Narrow(NamedTuple):
    """A level, where its crowd sets out and where it goes, and what was made narrow."""

    mesh: Mesh
    origins: tuple[Point, ...]  # a block of agents stands around each, level
    targets: tuple[Point, ...]  # and walks to as many places around this one
    low: Point  # the box that is narrow
    high: Point
    width: float  # metres


def _wall(x0: float, z0: float, x1: float, z1: float, y: float = 0.0) -> Mesh:
    return box(x0, y, z0, x1 - x0, HIGH, z1 - z0)


def _walled(x: float, thick: float, deep: float, *doors: tuple[float, float]) -> list[Mesh]:
    """A wall from z = 0 to `deep` with doors from one z to another."""
    edges = [0.0, *(edge for door in doors for edge in door), deep]
    return [_wall(x, a, x + thick, b) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def _floor(x0: float, z0: float, x1: float, z1: float, y: float = 0.0) -> Mesh:
    return box(x0, y - 1, z0, x1 - x0, 1, z1 - z0)


def door() -> Narrow:
    parts = [_floor(0, 0, 24, 12), *_walled(12, 0.3, 12, (5.4, 6.6))]
    return Narrow(join(parts), ((6, 0, 6),), ((18, 0, 6),), (12, -1, 5.4), (12.3, 1, 6.6), 1.2)


def thick_door() -> Narrow:
    parts = [_floor(0, 0, 24, 12), *_walled(11, 2.0, 12, (1.0, 2.4))]
    return Narrow(join(parts), ((6, 0, 6),), ((18, 0, 6),), (11, -1, 1), (13, 1, 2.4), 1.4)


def two_doors() -> Narrow:
    """The first is wide, the second is not."""
    parts = [_floor(0, 0, 30, 10), *_walled(11, 0.3, 10, (3, 7)), *_walled(18, 0.3, 10, (4.4, 5.6))]
    return Narrow(join(parts), ((6, 0, 5),), ((25, 0, 5),), (18, -1, 4.4), (18.3, 1, 5.6), 1.2)


def door_both_ways() -> Narrow:
    parts = [_floor(0, 0, 26, 12), *_walled(12.8, 0.4, 12, (4.8, 7.2))]
    here, there = (7.0, 0.0, 6.0), (19.0, 0.0, 6.0)
    return Narrow(join(parts), (here, there), (there, here), (12.8, -1, 4.8), (13.2, 1, 7.2), 2.4)


def corridor() -> Narrow:
    parts = [_floor(0, 0, 10, 12), _floor(10, 5, 20, 6.3), _floor(20, 0, 30, 12), _wall(10, 0, 20, 5)]
    parts.append(_wall(10, 6.3, 20, 12))
    return Narrow(join(parts), ((5, 0, 6),), ((25, 0, 6),), (10, -1, 5), (20, 1, 6.3), 1.3)


def pinched_corridor() -> Narrow:
    parts = [_floor(0, 0, 40, 5), _wall(20, 0, 21, 1.8), _wall(20, 3.2, 21, 5)]
    parts += [_wall(0, -0.3, 40, 0), _wall(0, 5, 40, 5.3)]
    return Narrow(join(parts), ((6, 0, 2.5),), ((35, 0, 2.5),), (20, -1, 1.8), (21, 1, 3.2), 1.4)


def _steps(x: float, z: float, wide: float, count: int) -> list[Mesh]:
    return [box(x + 0.4 * k, 0, z, 0.4, 0.2 * (k + 1), wide) for k in range(count)]


def stairs_up() -> Narrow:
    parts = [_floor(0, 0, 12, 12), *_steps(12, 5, 1.5, 12), box(16.8, 0, 0, 12, 2.4, 12)]
    return Narrow(join(parts), ((6, 0, 6),), ((23, 2.4, 6),), (12, -1, 5), (16.8, 4, 6.5), 1.5)


def stairs_down() -> Narrow:
    up = stairs_up()
    return up._replace(origins=up.targets, targets=up.origins)


def bridge() -> Narrow:
    parts = [_floor(0, 0, 10, 12), _floor(10, 5, 18, 6.6), _floor(18, 0, 28, 12)]
    return Narrow(join(parts), ((5, 0, 6),), ((23, 0, 6),), (10, -1, 5), (18, 1, 6.6), 1.6)


def bridge_with_a_kink() -> Narrow:
    parts = [_floor(0, 0, 10, 12), _floor(10, 2, 15.6, 3.6), _floor(14, 3.6, 15.6, 12), _floor(10, 12, 22, 22)]
    return Narrow(join(parts), ((5, 0, 6),), ((16, 0, 18),), (10, -1, 2), (15.6, 1, 12), 1.6)


def junction() -> Narrow:
    """Two wide arms of a T flow into a narrow leg."""
    parts = [_floor(0, 0, 40, 5), _floor(19.3, 5, 20.7, 14), _floor(14, 14, 26, 26)]
    parts += [_wall(0, -0.3, 40, 0), _wall(0, 5, 19.3, 14), _wall(20.7, 5, 40, 14)]
    target = (20.0, 0.0, 20.0)
    return Narrow(join(parts), ((7, 0, 2.5), (33, 0, 2.5)), (target, target), (19.3, -1, 5), (20.7, 1, 14), 1.4)


def pillar() -> Narrow:
    """A pillar that leaves a way on one side."""
    parts = [_floor(0, 0, 30, 7), _wall(0, -0.3, 30, 0), _wall(0, 7, 30, 7.3), _wall(15, 1.3, 16.5, 7)]
    return Narrow(join(parts), ((6, 0, 3.5),), ((25, 0, 3.5),), (15, -1, 0), (16.5, 1, 1.3), 1.3)


LEVELS: dict[str, Callable[[], Narrow]] = {
    made.__name__: made for made in (
        door, thick_door, two_doors, door_both_ways, corridor, pinched_corridor, stairs_up, stairs_down, bridge,
        bridge_with_a_kink, junction, pillar,
    )
}  # fmt: skip


def ends_of(level: Narrow, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Starts and ends of so many agents, in blocks of five rows."""
    each = count // len(level.origins)
    row, column = np.arange(each) // 5, np.arange(each) % 5
    block = np.stack([row * 0.8, 0.0 * row, column * 0.8], axis=1)
    block -= block.mean(axis=0)
    both = [[np.array(place) + block for place in places] for places in (level.origins, level.targets)]
    return np.concatenate(both[0]), np.concatenate(both[1])
