"""What a finished navmesh amounts to, in numbers that a pipeline can watch: ground, islands, where seeds stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import TooLarge
from ...result.navmesh import NavMesh
from ...scene import Seed
from ...settings import Settings
from ...types import NO_INDEX, PolygonMesh
from .islands import islands_of
from .seeds import place_seeds, seed_ways
from .walk_graph import walk_graph


def measure_ground(navmesh: NavMesh, seeds: Sequence[Seed] = ()) -> dict[str, Any]:
    """The `ground` of a report.

    `square_metres` seen from above; `islands` (see islands.py); of the seeds how many there
    are, which stand `off_navmesh`, and which are `cut_off`: they don't reach the `first` one, or not back (of these,
    `no_way_back` and `no_way_there` are connected one way). Where tiles are too large for runtime data, and so have no
    links, the last three are None.
    """
    doubled = sum(doubled_cells(tile.polygon_mesh) for tile in navmesh.tiles)
    ground = bare_ground(doubled, navmesh.settings, _cell(navmesh))
    try:
        graph = walk_graph(navmesh)
    except TooLarge:
        return ground
    placed = place_seeds(graph, seeds, navmesh.settings)
    ways = {key: list(value) if key != "first" else value for key, value in seed_ways(graph, placed)._asdict().items()}
    marked = {"count": len(seeds), "off_navmesh": [name for name, _ in placed.lost], **ways}
    return {**ground, "islands": len(islands_of(graph).square_metres), "unlinked": graph.unlinked, "seeds": marked}


def bare_ground(doubled: int, settings: Settings, cell: float | None = None) -> dict[str, Any]:
    """The same of a level that is not held in memory as a whole; `doubled` is the sum over its tiles.

    `cell` is that of its grid, where it is not the one of the settings.
    """
    cell = settings.cell_size if cell is None else cell
    return {"square_metres": round(doubled / 2 * cell * cell, 6), "islands": None, "unlinked": None, "seeds": None}


def _cell(navmesh: NavMesh) -> float | None:
    return float(navmesh.tiles[0].polygon_mesh.grid.cell_size) if navmesh.by_hand and navmesh.tiles else None


def doubled_cells(mesh: PolygonMesh) -> int:
    """Twice the ground of a tile seen from above, in cells: a whole number, exact whatever the order of tiles."""
    corners = np.where(mesh.polygons == NO_INDEX, mesh.polygons[:, :1], mesh.polygons)
    x, z = (mesh.vertices[corners, axis].astype(np.int64) for axis in (0, 2))
    turns = np.roll(x, -1, 1) * z - x * np.roll(z, -1, 1)
    return int(np.abs(turns.sum(axis=1)).sum())
