"""Builds that the tests of export targets share."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from navcore import Link, NavMesh, Settings, build_navmesh
from navcore.area_types import AREA_TYPES
from navcore.formats import write_navmesh
from navcore.formats.plain_navmesh import PlainDetail, PlainNavmesh
from navcore.formats.target_catalog import ExportOptions
from tests import scenes

LEVELS = {
    # First, as it takes no time.
    "yard": scenes.join([scenes.box(0, -1, 0, 5, 1, 5), scenes.box(2, 0, 3, 1.5, 0.4, 1.5)]),
    "city": scenes.city(2),
    "terrain": scenes.terrain(100, 0.3),
    "spiral": scenes.spiral(),
    "stairs": scenes.stairs(),
    "tower": scenes.tower(4, 20.0),
}
LAKE: dict[str, Any] = {"shape": "box", "area": 1, "min": [2, -1, 2], "max": [8, 3, 8]}
JUMP: dict[str, Any] = {"start": [1, 0.2, 1], "radius": 0.5, "bidirectional": False, "id": 7}
JUMPS = {"yard": JUMP | {"end": [4, 0.2, 4]}, "city": JUMP | {"end": [28, 0.2, 28]}}
BUILDS = [(level, size, cell) for level in LEVELS for size in (0, 32) for cell in (0.3, 0.15)]


@cache
def built(level: str, tile_size: int = 0, cell: float = 0.3) -> NavMesh:
    settings = Settings(tile_size=tile_size, cell_size=cell, cell_height=0.15)
    jumps = [JUMPS[level]] if level in JUMPS else []
    return build_navmesh(*LEVELS[level], settings, volumes=[LAKE] if jumps else [], links=jumps)


def written(navmesh: NavMesh | PlainNavmesh, path: Path, target: str | None = None, **options: Any) -> bytes:
    write_navmesh(navmesh, path, target, ExportOptions(**options))
    return path.read_bytes()


def tiny() -> PlainNavmesh:
    """Two squares of 2 × 2 m side by side, ground and water, with everything a navmesh can have; nothing is built."""
    vertices = np.array([[0, 0, 0], [0, 0, 2], [2, 0, 2], [2, 0, 0], [4, 0, 2], [4, 0, 0]], np.float32)
    detail = PlainDetail(
        vertices + np.float32([0, 0.1, 0]),
        np.array([[0, 1, 2], [0, 2, 3], [3, 2, 4], [3, 4, 5]], np.int32), np.array([0, 0, 1, 1], np.int32),
    )  # fmt: skip
    return PlainNavmesh(
        vertices, np.array([0, 4, 8], np.int32), np.array([0, 1, 2, 3, 3, 2, 4, 5], np.int32),
        np.array([-1, -1, 1, -1, 0, -1, -1, -1], np.int32), np.array([0, 1], np.uint8), np.array([1, 2], np.uint16),
        np.array([1, 2], np.uint16), detail, (Link(start=(0.5, 0, 0.5), end=(3.5, 0, 1.5)),), AREA_TYPES, Settings(),
        0.3,
    )  # fmt: skip
