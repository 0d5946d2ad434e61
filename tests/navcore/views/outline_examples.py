"""Small levels, and what a view shows of them."""

from __future__ import annotations

from functools import cache

import numpy as np

from navcore import NavMesh, Settings, build_navmesh
from navcore.types import F64
from navcore.views.catalog import OUTLINE_VIEWS
from navcore.views.picture import Picture, Point, Shown, View, ViewedPiece, joined
from tests import scenes

PILLAR = scenes.box(3.0, -0.5, 3.0, 0.6, 3.0, 0.6)
VIEWS = {view.name: view for view in OUTLINE_VIEWS}
LEVELS = {
    "square": lambda: (scenes.flat(8.0), Settings()),
    "hole": lambda: (scenes.join([scenes.flat(9.0), PILLAR]), Settings(agent_radius=0.3, partition="layers")),
    "plaza": lambda: (scenes.plaza(6), Settings()),
    "hills": lambda: (scenes.terrain(60, 0.45, 0.1), Settings()),
    "town": lambda: (scenes.city(2, seed=4), Settings()),
    "storeys": lambda: (scenes.tower(3), Settings(agent_radius=0.3)),
    "two tiles": lambda: (scenes.flat(8.0), Settings(tile_size=16)),
    "town in tiles": lambda: (scenes.city(2, seed=4), Settings(tile_size=48)),
    "hills in tiles": lambda: (scenes.terrain(60, 0.45, 0.1), Settings(tile_size=32)),
    "no detail": lambda: (scenes.city(2, seed=4), Settings(tile_size=48, detail_mesh=False)),
}
WHOLE = [name for name in LEVELS if "tiles" not in name and name != "no detail"]


SEEDS = {
    f"{kind} {seed}": (lambda make=make, seed=seed: (make(seed), RANDOM[seed % len(RANDOM)]))
    for kind, make in (
        ("hills", lambda seed: scenes.terrain(50, 0.4, 0.12, seed)),
        ("streets", lambda seed: scenes.city(1, seed=seed)),
    )
    for seed in range(6)
}
RANDOM = (
    Settings(), Settings(partition="monotone", agent_radius=0.3), Settings(partition="layers", tile_size=24),
    Settings(tile_size=32, vertices_per_polygon=4), Settings(cell_size=0.2, agent_radius=0.2),
)  # fmt: skip
LEVELS_AND_SEEDS = {**LEVELS, **SEEDS}


@cache
def level(name: str) -> NavMesh:
    mesh, settings = LEVELS_AND_SEEDS[name]()
    return build_navmesh(*mesh, settings, keep_stages=True, threads=1)


def pieces(navmesh: NavMesh, view: View) -> list[ViewedPiece]:
    """The level, or its tiles where a view needs stages."""
    none = np.zeros((0, 3, 3), np.float32)
    if navmesh.tile_grid is None or not view.needs:
        return [ViewedPiece(navmesh, navmesh.stages, none, None)]
    return [ViewedPiece(navmesh, navmesh.stages[f"t{tile.x}_{tile.y}"], none, tile.key) for tile in navmesh.tiles]


def drawn(name: str, view: str, shown: Shown = Shown()) -> Picture:  # noqa: B008
    """What a view shows of one of LEVELS."""
    row = VIEWS[view]
    return joined([row.draw(piece, shown) for piece in pieces(level(name), row)])


def said(name: str, view: str, point: Point, shown: Shown = Shown()) -> str:  # noqa: B008
    """What a view says of a place: the first piece that knows it."""
    row = VIEWS[view]
    return next(filter(None, (row.value_at(piece, shown, point) for piece in pieces(level(name), row))), "")


def counts(picture: Picture) -> dict[str, int]:
    return {row.label: row.count for row in picture.legend}


def face_areas(picture: Picture) -> F64:
    """Square metres of each face as seen from above."""
    x, z = picture.corners[:, :, 0].astype(np.float64), picture.corners[:, :, 2].astype(np.float64)
    sums = x * np.roll(z, -1, axis=1) - z * np.roll(x, -1, axis=1)
    return np.abs(sums.sum(axis=1)) / 2
