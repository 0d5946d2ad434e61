"""Small levels that ask for many kernels: storeys, pillars, stairs that wind, heaps; what is on them; and mending."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..builder.repair import mark_passing
from ..builder.repair.repair_steps import with_two_way_links
from ..builder.repair.sharper_outlines import sharpened
from ..builder.sample_stages import outline_again
from ..result.navmesh import NavMesh
from ..scene import BoxVolume, ConvexVolume, CylinderVolume, Link
from ..stages.regions.split_for_repair import LAYERS, ROWS, RUNS, split_regions
from ..threads import Workers
from ..types import F32, I32

SIDE = 24.0  # metres
VOLUMES = (
    BoxVolume(area=3, min=(1, -1, 1), max=(5, 2, 5)),
    CylinderVolume(area=2, base=(18, -1, 18), radius=3, height=3),
    ConvexVolume(area=4, min_height=-1, max_height=3, points=((9, 2), (9, 7), (14, 7), (14, 2))),
)
LINKS = (
    Link(start=(2, 0, 2), end=(22, 0, 22)),
    Link(start=(22, 0, 2), end=(2, 0, 22), bidirectional=False),
    Link(start=(2, 9, 2), end=(22, 0, 22)),
)


def mend_in_every_way(navmesh: NavMesh, workers: Workers) -> None:
    """Divide the regions of a kept build, and outline them, in every way that mending knows."""
    stages = navmesh.stages
    compact, regions, contours = stages["eroded"], stages["regions"], stages["contours"]
    one_way = compact.neighbors.copy()
    one_way[np.argmax(one_way[:, 0] >= 0), 0] = -1
    with_two_way_links(compact._replace(neighbors=one_way), workers)
    for way in (LAYERS, ROWS, RUNS):
        split_regions(compact, regions, np.ones(regions.count + 1, bool), way, workers)
    sharpened(contours, np.zeros(regions.count + 1, np.float32), 10)
    wrong, mesh = np.zeros(regions.count + 1, np.bool_), stages["polygon_mesh"]
    mark_passing(contours.raw_first, contours.raw, contours.region, mesh.vertices, wrong)
    outline_again(stages["compact_grid"], workers)


def level() -> tuple[F32, I32]:
    """Ground with stairs, floors above each other, pillars, a ramp, and an island."""
    parts = [
        _box(0, -0.5, 0, SIDE, 0.5, SIDE),
        *(_box(8 + 0.4 * i, 0, 9, 0.4, 0.25 * (i + 1), 2) for i in range(12)),
        _box(12.8, 2.7, 7, 8, 0.3, 8),
        *(_box(4 + 3 * i, 0, 17 + 2 * j, 0.7, 2.5, 0.7) for i in range(3) for j in range(3)),
        _box(30, 1, 0, 4, 0.5, 4),
    ]
    ramp = np.array([[2, 0, 12], [2, 0, 14], [7, 2.5, 12], [7, 2.5, 14]], np.float32), np.array([[0, 1, 2], [2, 1, 3]])
    return _joined([*parts, ramp])


def two_blocks() -> tuple[F32, I32]:
    """A level of a few cells: from one block one jumps down onto the other."""
    return _joined([_box(0, -1, 0, 5, 1, 5), _box(6, -2, 0, 5, 1, 5)])


def pillars() -> tuple[F32, I32]:
    """Ground with so many pillars that regions go around some."""
    places = [3 * k + 1.5 for k in range(8)]
    return _joined([_box(0, -0.5, 0, SIDE, 0.5, SIDE), *(_box(x, 0, z, 0.7, 3, 0.7) for x in places for z in places)])


def blocks() -> tuple[F32, I32]:
    """Two blocks that one jumps between, drops from and climbs, and a ledge around a corner that one walks to."""
    ground = _box(0, -0.5, 0, SIDE, 0.5, SIDE)
    return _joined([
        ground, _box(3, 0, 3, 6, 1.4, 6), _box(10.5, 0, 3, 6, 1.4, 6),
        _box(3, 0, 14, 12, 2.2, 3), _box(3, 0, 17, 3, 2.2, 5), _box(7.5, 0, 17, 6, 2.2, 5),
    ])  # fmt: skip


def spiral() -> tuple[F32, I32]:
    """Winding stairs: regions that lie above themselves."""
    turns = [(2 * np.pi * i / 16, 0.24 * i) for i in range(48)]
    steps = [_box(3 * np.cos(angle) - 1.1, y, 3 * np.sin(angle) - 1.1, 2.2, 0.25, 2.2) for angle, y in turns]
    return _joined([_box(-8, -0.5, -8, 16, 0.5, 16), _box(-1, 0, -1, 2, 12, 2), *steps])


def tangled(seed: int) -> tuple[F32, I32]:
    """Ground under a heap of triangles: holes in holes, slivers, floors in any place above each other."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(0, 16, (300, 1, 3)) + rng.uniform(-2, 2, (300, 3, 3))
    corners[:, :, 1] *= 0.25
    heap = corners.reshape(-1, 3), np.arange(900).reshape(-1, 3)
    return _joined([_box(0, -0.5, 0, 16, 0.5, 16), heap])


def _box(x: float, y: float, z: float, width: float, height: float, depth: float) -> tuple[Any, Any]:
    corners = [[x + i * width, y + j * height, z + k * depth] for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    faces = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return np.array(corners), np.array([[face[0], face[i], face[i + 1]] for face in faces for i in (1, 2)])


def _joined(parts: list[tuple[Any, Any]]) -> tuple[F32, I32]:
    begin = np.cumsum([0] + [len(vertices) for vertices, _ in parts])
    triangles = [corners + int(first) for (_, corners), first in zip(parts, begin, strict=False)]
    return np.concatenate([v for v, _ in parts]).astype(np.float32), np.concatenate(triangles).astype(np.int32)
