"""Pieces as the polygon and detail meshes of tiles, connected by the edges that they share."""

from __future__ import annotations

import numpy as np

from ..result.navmesh import Tile
from ..types import F32, I64, NO_INDEX, PORTAL, DetailMesh, Grid, PolygonMesh
from .convex_pieces import ConvexPiece
from .sound_faces import sides

_OUTLINE_BITS = 2  # of each edge in a detail triangle's fourth number
Owners = dict[tuple[int, int], tuple[tuple[int, int], int]]
"""Edge → the tile and the number in it of the piece that walks along it."""


def owners_of(pieces: dict[tuple[int, int], list[ConvexPiece]]) -> Owners:
    """Who walks along each edge: the first one, where polygons that were trusted share it."""
    owners: Owners = {}
    for tile, own in pieces.items():
        for number, piece in enumerate(own):
            for side in sides(piece.ring):
                owners.setdefault(side, (tile, number))
    return owners


def tile_of_pieces(
    tile: tuple[int, int], pieces: list[ConvexPiece], regions: list[int], steps: I64, grid: Grid,
    shape: tuple[int, bool], owners: Owners,
) -> Tile:  # fmt: skip
    """The meshes of one tile; `shape` is the most corners of a polygon, and whether detail is wanted."""
    used = {corner: number for number, corner in enumerate(dict.fromkeys(c for p in pieces for c in p.ring))}
    origin = np.rint(
        grid.bounds_min.astype(np.float64) / [float(grid.cell_size), float(grid.cell_height), float(grid.cell_size)]
    ).astype(np.int64)
    vertices = (steps[list(used)] - origin).astype(np.uint16)
    polygons = np.full((len(pieces), shape[0]), NO_INDEX, np.uint16)
    neighbors = polygons.copy()
    for number, piece in enumerate(pieces):
        polygons[number, : len(piece.ring)] = [used[corner] for corner in piece.ring]
        for k, (a, b) in enumerate(sides(piece.ring)):
            across = owners.get((b, a))
            if across is None or owners[a, b] != (tile, number):
                continue
            neighbors[number, k] = across[1] if across[0] == tile else PORTAL | _side_between(tile, across[0])
    mesh = PolygonMesh(
        vertices, polygons, neighbors, np.array(regions, np.uint16), np.array([p.area for p in pieces], np.uint8),
        len(pieces), np.float32(0), grid,
    )  # fmt: skip
    return Tile(*tile, mesh, _detail(pieces, steps, grid, origin) if shape[1] else None)


def _side_between(here: tuple[int, int], there: tuple[int, int]) -> int:
    """On which side of a tile the one beside it lies: x−, z+, x+, z−."""
    return {(-1, 0): 0, (0, 1): 1, (1, 0): 2, (0, -1): 3}[there[0] - here[0], there[1] - here[1]]


def _detail(pieces: list[ConvexPiece], steps: I64, grid: Grid, origin: I64) -> DetailMesh:
    rows: list[tuple[int, int, int, int]] = []
    points: list[int] = []
    triangles: list[tuple[int, int, int, int]] = []
    for piece in pieces:
        own = list(dict.fromkeys([*piece.ring, *(corner for t in piece.triangles for corner in t)]))
        place = {corner: number for number, corner in enumerate(own)}
        outline = set(sides(piece.ring))
        rows.append((len(points), len(own), len(triangles), len(piece.triangles)))
        points += own
        for a, b, c in piece.triangles:
            bits = sum(1 << (_OUTLINE_BITS * k) for k, side in enumerate(((a, b), (b, c), (c, a))) if side in outline)
            triangles.append((place[a], place[b], place[c], bits))
    return DetailMesh(
        np.array(rows, np.uint32).reshape(-1, 4), _metres(steps[points] - origin, grid),
        np.array(triangles, np.uint8).reshape(-1, 4),
    )  # fmt: skip


def _metres(steps: I64, grid: Grid) -> F32:
    step = np.array([grid.cell_size, grid.cell_height, grid.cell_size], np.float32)
    return grid.bounds_min + steps.astype(np.float32) * step
