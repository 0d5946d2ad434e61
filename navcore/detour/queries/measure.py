"""What a finished navmesh amounts to, in numbers that a pipeline can watch: ground, islands, where seeds stand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import TooLarge
from ...result.navmesh import NavMesh
from ...scene import Seed
from ...types import NO_INDEX, PolygonMesh
from .islands import islands_of
from .seeds import place_seeds, seed_ways
from .walk_graph import walk_graph

_PARTS = 4  # of a cell's side: no tile has smaller ones


def measure_ground(navmesh: NavMesh, seeds: Sequence[Seed] = ()) -> dict[str, Any]:
    """The `ground` of a report.

    `square_metres` seen from above; `islands` (see islands.py); of the seeds how many there
    are, which stand `off_navmesh`, and which are `cut_off`: they don't reach the `first` one, or not back (of these,
    `no_way_back` and `no_way_there` are connected one way). Where tiles are too large for runtime data, and so have no
    links, the last three are None.
    """
    cell = _cell(navmesh)
    ground = bare_ground(sum(doubled_cells(tile.polygon_mesh, cell) for tile in navmesh.tiles), cell)
    try:
        graph = walk_graph(navmesh)
    except TooLarge:
        return ground
    placed = place_seeds(graph, seeds, navmesh.settings)
    ways = {key: list(value) if key != "first" else value for key, value in seed_ways(graph, placed)._asdict().items()}
    marked = {"count": len(seeds), "off_navmesh": [name for name, _ in placed.lost], **ways}
    return {**ground, "islands": len(islands_of(graph).square_metres), "unlinked": graph.unlinked, "seeds": marked}


def bare_ground(doubled: int, cell: float) -> dict[str, Any]:
    """The same of a level that is not held in memory as a whole; `doubled` is the sum over its tiles."""
    return {
        "square_metres": round(doubled / _PARTS**2 / 2 * cell * cell, 6),
        "islands": None,
        "unlinked": None,
        "seeds": None,
    }


def _cell(navmesh: NavMesh) -> float:
    """Metres: that of the settings, unless the navmesh is somebody's own mesh on a grid of its own."""
    own = navmesh.by_hand and navmesh.tiles
    return float(navmesh.tiles[0].polygon_mesh.grid.cell_size) if own else navmesh.settings.cell_size


def doubled_cells(mesh: PolygonMesh, cell: float) -> int:
    """Twice the ground of a tile seen from above, in quarters of a cell: exact whatever the order of tiles."""
    corners = np.where(mesh.polygons == NO_INDEX, mesh.polygons[:, :1], mesh.polygons)
    x, z = (mesh.vertices[corners, axis].astype(np.int64) for axis in (0, 2))
    turns = np.roll(x, -1, 1) * z - x * np.roll(z, -1, 1)
    return int(np.abs(turns.sum(axis=1)).sum()) * round(_PARTS * float(mesh.grid.cell_size) / cell) ** 2
