"""DETAIL: the triangles of the detail mesh, and how closely they follow the ground."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..result.navmesh import Tile
from ..types import EDGE_FLAGS, F32, FIRST_VERTEX, NO_INDEX, U8, VERTEX_COUNT
from .ground_triangles import ground_of, named_polygon, tiles_of
from .outline_picture import (
    WALL_COLOR,
    crosses,
    is_shown,
    lift_of,
    nothing,
    of_kinds,
    picture_of,
    raised,
    same_color,
    triangle_at,
)
from .picture import Color, LegendRow, Picture, Shown, ViewedPiece

_INNER, _OUTER = 0, 1
_EDGES: tuple[tuple[str, Color], ...] = (
    ("Edges inside polygons", (0, 96, 128, 96)), ("Edges on outlines", WALL_COLOR),
)  # fmt: skip
_FACE: Color = (0, 160, 200, 96)
_SAMPLE: Color = (255, 160, 32, 255)
_ON_OUTLINE, _BITS = 3, 2  # of each edge in a triangle's flags
_NO_DETAIL = "This build has no detail mesh: turn on detail_mesh."


def draw_detail(piece: ViewedPiece, shown: Shown) -> Picture:
    """Triangles, edges inside polygons and on their outlines, and samples beyond the polygons' corners as crosses."""
    tiles = _tiles(piece)
    if not tiles:
        return nothing(_NO_DETAIL)
    triangles = ground_of(tiles).triangles
    drawn = is_shown(triangles, shown)
    lines, kinds = _edges(triangles, np.concatenate([_flags(tile) for tile in tiles]))
    lines_drawn = is_shown(lines, shown)
    line_colors, rows = of_kinds(kinds[lines_drawn], _EDGES)
    samples = np.concatenate([_samples(tile) for tile in tiles])
    samples = samples[is_shown(samples[:, None], shown)]
    marks = crosses(samples, piece.settings.cell_size)
    count = int(drawn.sum())
    legend = [
        LegendRow("Triangles", _FACE, count), *rows,
        LegendRow("Samples", _SAMPLE, len(samples)),
    ]  # fmt: skip
    return picture_of(
        raised(triangles[drawn], lift_of(piece)), same_color(count, _FACE),
        raised(np.concatenate([lines[lines_drawn], marks]), lift_of(piece)),
        np.concatenate([line_colors, same_color(len(marks), _SAMPLE)]), legend, notes=(_distances(piece),),
    )  # fmt: skip


def _tiles(piece: ViewedPiece) -> list[Tile]:
    return [tile for tile in tiles_of(piece) if tile.detail_mesh is not None]


def _distances(piece: ViewedPiece) -> str:
    """How far samples lie from each other, and the mesh from the ground."""
    settings = piece.settings
    voxels = settings.in_voxels()
    error = f"heights are kept to {float(voxels.detail_sample_max_error):.2f} m"
    if not voxels.detail_sample_distance > 0:
        return "No samples were taken: detail_sample_distance is less than 0.9 cells."
    return f"Samples lie {float(voxels.detail_sample_distance):.2f} m apart, and {error}."


def _flags(tile: Tile) -> U8:
    assert tile.detail_mesh is not None
    return tile.detail_mesh.triangles[:, EDGE_FLAGS]


def _edges(triangles: F32, flags: U8) -> tuple[F32, U8]:
    """Edges on outlines as each polygon has them; of those inside, which two triangles share, one."""
    ends = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=2).reshape(-1, 2, 3)
    outer = ((flags[:, None] >> (_BITS * np.arange(3))) & _ON_OUTLINE != 0).ravel()
    begin, end = ends[:, 0], ends[:, 1]
    forward = (begin[:, 0] < end[:, 0]) | ((begin[:, 0] == end[:, 0]) & (begin[:, 2] <= end[:, 2]))
    kept = outer | forward
    return ends[kept], np.where(outer, _OUTER, _INNER).astype(np.uint8)[kept]


def _samples(tile: Tile) -> F32:
    """Vertices that are no corners of polygons."""
    detail = tile.detail_mesh
    assert detail is not None
    corners = (tile.polygon_mesh.polygons != NO_INDEX).sum(axis=1)
    first, count = (detail.meshes[:, column].astype(np.int64) for column in (FIRST_VERTEX, VERTEX_COUNT))
    number = np.arange(len(detail.vertices)) - np.repeat(first, count)
    return detail.vertices[number >= np.repeat(corners, count)]


def detail_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The triangle, its polygon, and how steep it is."""
    tiles = _tiles(piece)
    ground = ground_of(tiles)
    row = triangle_at(ground.triangles, shown, point)
    if row < 0:
        return ""
    number, polygon = int(ground.tile[row]), int(ground.polygon[row])
    own = np.flatnonzero((ground.tile == number) & (ground.polygon == polygon))
    a, b, c = ground.triangles[row].astype(np.float64)
    normal = np.cross(b - a, c - a)
    slope = np.degrees(np.arctan2(np.hypot(normal[0], normal[2]), abs(normal[1])))
    name = named_polygon(piece, tiles[number], polygon)
    return f"Triangle {int(row - own[0])} of {len(own)}, {name[0].lower()}{name[1:]}, slope {slope:.1f}°"
