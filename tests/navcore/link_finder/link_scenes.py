"""Small levels with something to jump over, and builds of them with links."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from navcore import NavMesh, Settings, build_navmesh
from tests import scenes
from tests.scenes import Mesh

WIDE = 12.0  # metres of each floor


def floors(gap: float, rise: float = 0.0) -> Mesh:
    """Two floors on high ground, so far apart, the second one higher."""
    return scenes.join([
        scenes.box(0, 0, 0, WIDE, 9, WIDE),
        scenes.box(WIDE + gap, 0, 0, WIDE, 9 + rise, WIDE),
    ])  # fmt: skip


def built(parts: Mesh | list[Mesh], threads: int | None = 1, **settings: Any) -> NavMesh:
    """A build with links."""
    mesh = scenes.join(parts) if isinstance(parts, list) else parts
    return build_navmesh(*mesh, Settings(generate_links=True, **settings), threads=threads)


def stairs_between_walls() -> list[Mesh]:
    """A flight up from one closed room to another."""
    steps = [scenes.box(0.5 * k, 0, 0, 0.5, 0.25 * (k + 1), 6) for k in range(12)]
    walls = [scenes.box(-6, 0, z, 18, 8, 0.5) for z in (-0.5, 6)]
    ends = [scenes.box(-6, 0, 0, 6, 0.1, 6), scenes.box(6, 0, 0, 6, 3, 6)]
    caps = [scenes.box(x, 0, -0.5, 0.5, 8, 7) for x in (-6.5, 12)]
    return [*steps, *walls, *ends, *caps]


def round_tower() -> list[Mesh]:
    """The top and the wall of a tower of 64 sides, six metres around (10, 10) and two high."""
    around = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    ring = np.column_stack([10 + 6 * np.cos(around), np.full(64, 2.0), 10 + 6 * np.sin(around)])
    top = np.vstack([ring, [[10, 2, 10]]]).astype(np.float32)
    fan = np.array([[k, 64, (k + 1) % 64] for k in range(64)], np.int32)
    after = [(k + 1) % 64 for k in range(64)]
    sides = np.array([t for k, n in enumerate(after) for t in ([k, n, k + 64], [n, n + 64, k + 64])], np.int32)
    return [(top, fan), (np.vstack([ring, ring * [1, 0, 1]]).astype(np.float32), sides)]


def ringed(navmesh: NavMesh, middle: npt.ArrayLike) -> float:
    """The part of all directions, seen from a point, in which links start."""
    angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
    is_ringed = np.zeros(720, bool)
    for wide in navmesh.wide_links:
        left, right = (np.array(wide.corners)[:2] - np.asarray(middle))[:, [0, 2]]
        a, b = np.arctan2(left[1], left[0]), np.arctan2(right[1], right[0])
        turn = (b - a + np.pi) % (2 * np.pi) - np.pi
        is_ringed |= np.abs((angles - a - turn / 2 + np.pi) % (2 * np.pi) - np.pi) <= abs(turn) / 2
    return float(is_ringed.mean())


def kinds(navmesh: NavMesh) -> list[str]:
    return [wide.kind for wide in navmesh.wide_links]


def length_of(navmesh: NavMesh, kind: str) -> float:
    """Metres of all starting edges of a kind."""
    corners = [np.array(wide.corners) for wide in navmesh.wide_links if wide.kind == kind]
    return sum(float(np.linalg.norm(one[1] - one[0])) for one in corners)
