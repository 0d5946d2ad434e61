"""Navmeshes to ask: two tiles that can be worked out by hand, and levels made by rule."""

from __future__ import annotations

from functools import cache

import numpy as np

from navcore import NavMesh, NavQuery, Settings, build_navmesh, read_navmesh
from navcore.result.navmesh import Tile
from navcore.types import F32
from tests import scenes
from tests.navcore.detour.detour_examples import GRID, LEFT, RIGHT, file_of

LINKS = [
    {"start": [3, 0, 3], "end": [12, 0, 12], "radius": 2.0, "area": 5, "flags": 8, "id": 7},
    {"start": [20, 0, 4], "end": [4, 0, 20], "radius": 2.0, "bidirectional": False, "area": 5, "flags": 8, "id": 8},
]


@cache
def by_hand() -> NavQuery:
    """Two tiles of 3 × 3 m with two polygons each; their references are 256, 257 and 320, 321."""
    data = bytearray(file_of([Tile(0, 0, LEFT, None), Tile(1, 0, RIGHT, None)], GRID))
    file = read_navmesh(data)
    parameters = file.parameters._replace(most_tiles=4, most_polygons=64)
    tiles = tuple(tile._replace(reference=256 + 64 * k) for k, tile in enumerate(file.tiles))
    return NavQuery(file._replace(parameters=parameters, tiles=tiles))


@cache
def town(tile_size: int = 0) -> NavMesh:
    """Blocks with stairs and slabs, links over them, and an area that costs more."""
    water = {"shape": "box", "area": 1, "min": [6, -1, 6], "max": [14, 3, 26]}
    return build_navmesh(*scenes.city(2, seed=4), Settings(tile_size=tile_size), links=LINKS, volumes=[water])


def random_points(count: int, seed: int, low: float = -1.0, high: float = 33.0) -> F32:
    rng = np.random.default_rng(seed)
    points: F32 = rng.uniform([low, -1, low], [high, 6, high], (count, 3)).astype(np.float32)
    return points
