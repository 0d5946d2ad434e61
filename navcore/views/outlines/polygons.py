"""POLYGONS: the polygon mesh, in the colors of regions, with edges as agents see them: open, walls, borders."""

from __future__ import annotations

import numpy as np

from ...types import F32
from ..picture import LegendRow, Picture, Piece, Point, Shown
from ..region_colors import colors_of_regions, region_rows
from .drawn import CORNER_COLOR, crosses, is_shown, lift_of, of_kinds, picture_of, raised, same_color, triangle_at
from .ground import EDGE_NAMES, area_name, corners_of, edges_of, ground_of, named_polygon, polygon_areas, tiles_of

_OPACITY = 128


def draw_polygons(piece: Piece, shown: Shown) -> Picture:
    """Polygons along the ground, as the detail mesh has it; their corners are crosses."""
    tiles = tiles_of(piece)
    ground = ground_of(tiles)
    drawn = is_shown(ground.triangles, shown)
    colors, regions = [np.zeros((0, 4), np.uint8)], []
    ends = np.searchsorted(ground.tile, np.arange(len(tiles) + 1))
    for number, tile in enumerate(tiles):
        part = slice(int(ends[number]), int(ends[number + 1]))
        own, place = tile.polygon_mesh.region, tile.key if piece.navmesh.tile_grid else None
        polygons = ground.polygon[part][drawn[part]]
        colors.append(colors_of_regions(own, place, _OPACITY)[polygons])
        regions += region_rows(piece, place, own[np.unique(polygons)])
    lines, kinds = edges_of(tiles)
    lines_drawn = is_shown(lines, shown)
    line_colors, rows = of_kinds(kinds[lines_drawn], EDGE_NAMES)
    corners = _corners(piece, shown)
    marks = crosses(corners, piece.navmesh.settings.cell_size)
    return picture_of(
        raised(ground.triangles[drawn], lift_of(piece)), np.concatenate(colors),
        raised(np.concatenate([lines[lines_drawn], marks]), lift_of(piece)),
        np.concatenate([line_colors, same_color(len(marks), CORNER_COLOR)]),
        [*rows, LegendRow("Corners", CORNER_COLOR, len(corners)), *_added_up(regions)],
    )  # fmt: skip


def _corners(piece: Piece, shown: Shown) -> F32:
    """Those within the slice."""
    corners = np.concatenate([np.zeros((0, 3), np.float32), *map(corners_of, tiles_of(piece))])
    return corners[is_shown(corners[:, None], shown)]


def _added_up(rows: list[LegendRow]) -> list[LegendRow]:
    """One row for all tiles where they have no rows of their own."""
    counts: dict[LegendRow, int] = {}
    for row in rows:
        alike = row._replace(count=0)
        counts[alike] = counts.get(alike, 0) + row.count
    return [row._replace(count=count) for row, count in counts.items()]


def polygons_at(piece: Piece, shown: Shown, point: Point) -> str:
    """The polygon, its area, size and region."""
    tiles = tiles_of(piece)
    ground = ground_of(tiles)
    row = triangle_at(ground.triangles, shown, point)
    if row < 0:
        return ""
    number, polygon = int(ground.tile[row]), int(ground.polygon[row])
    mesh = tiles[number].polygon_mesh
    area, region = area_name(piece, int(mesh.area[polygon])), int(mesh.region[polygon])
    size = polygon_areas(ground, number, polygon)
    where = f"region {region}" if region else "several regions"
    return f"{named_polygon(piece, tiles[number], polygon)}, area {area}, {size:.1f} m², {where}"
