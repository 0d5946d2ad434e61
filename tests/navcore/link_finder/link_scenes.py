"""Small levels with something to jump over, and builds of them with links."""

from __future__ import annotations

from typing import Any

import numpy as np

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


def kinds(navmesh: NavMesh) -> list[str]:
    return [wide.kind for wide in navmesh.wide_links]


def length_of(navmesh: NavMesh, kind: str) -> float:
    """Metres of all starting edges of a kind."""
    corners = [np.array(wide.corners) for wide in navmesh.wide_links if wide.kind == kind]
    return sum(float(np.linalg.norm(one[1] - one[0])) for one in corners)
