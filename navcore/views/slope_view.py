"""SLOPE: the level's own triangles by how steep they are, which no later stage changes any more."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..stages.walkable import mark_walkable_triangles
from ..types import F32, F64, I32, NOT_WALKABLE, Bools
from .cell_frame import Paint, legend_of, workers_for
from .level_triangles import angles_of, cut_to_box, nearest_triangle
from .picture import EMPTY, Color, Picture, Shown, ViewedPiece

_BAND = 15  # degrees of one grey
_BANDS = 90 // _BAND + 1  # the last one is of all that faces down
_UPRIGHT = 90.001  # degrees: what is not steeper than that does not face down
_DOWN = "Faces down"
_STEEP: Color = (192, 128, 0, 255)
_STEEP_SHARE = 0.25  # how much of that color steep ground has
_TRIANGLES_AT_ONCE = 1 << 17


def _greys() -> list[Paint]:
    """Flat ground is bright; ground that faces down is dark."""
    paints = []
    for band in range(_BANDS - 1):
        grey = 225 - 25 * band
        paints.append(Paint(f"{band * _BAND}° to {(band + 1) * _BAND}°", (grey, grey, grey, 255)))
    return [*paints, Paint(_DOWN, (60, 60, 60, 255))]


def _steep(paint: Paint) -> Paint:
    mixed = [round(c + _STEEP_SHARE * (s - c)) for c, s in zip(paint.color[:3], _STEEP[:3], strict=True)]
    label = paint.label if paint.label == _DOWN else f"Too steep: {paint.label}"
    return Paint(label, (mixed[0], mixed[1], mixed[2], 255))


_PAINTS = [*_greys(), *map(_steep, _greys()), Paint("Marked as not walkable", (64, 64, 64, 255))]
_MARKED = len(_PAINTS) - 1


def draw_slope(piece: ViewedPiece, shown: Shown) -> Picture:
    """Grey by steepness, mixed with amber where it is too steep; triangles are cut at the tile and at the slice."""
    if len(piece.triangles) == 0:
        return EMPTY._replace(notes=("This view shows the level's own triangles, and there are none here.",))
    looks, box = _looks(piece), _box(piece, shown)
    with workers_for(len(looks)) as workers:
        starts = range(0, len(looks), _TRIANGLES_AT_ONCE)
        jobs = [(piece.triangles, looks, box, i, min(i + _TRIANGLES_AT_ONCE, len(looks))) for i in starts]
        parts = workers.run(cut_to_box, jobs)
    corners = np.concatenate([faces for faces, _ in parts]).reshape(-1, 4, 3)
    colors = np.array([paint.color for paint in _PAINTS], np.uint8)[np.concatenate([part for _, part in parts])]
    counts = np.bincount(looks[_is_counted(piece, shown) & (looks >= 0)] + 1, minlength=len(_PAINTS) + 1)
    notes: tuple[str, ...] = ()
    if len(corners) > shown.most_faces:
        notes = (f"All {len(corners):,} triangles of the level are drawn: they can't be put together as cells can.",)
    return EMPTY._replace(corners=corners, face_colors=colors, legend=legend_of(_PAINTS, counts), notes=notes)


def _looks(piece: ViewedPiece) -> I32:
    """(T,) which color each triangle has; -1 where it has no area."""
    angles = angles_of(piece.triangles)
    flat = np.isfinite(angles)
    faces_down = angles > _UPRIGHT
    bands = np.where(faces_down, _BANDS - 1, np.minimum(np.where(flat, angles, 0) // _BAND, _BANDS - 2))
    bands = bands.astype(np.int32)
    looks = bands + np.where(_is_too_steep(piece), _BANDS, 0)
    areas = piece.stages["triangle_areas"]
    if len(areas) == len(looks):
        looks[(areas == NOT_WALKABLE) & (looks < _BANDS)] = _MARKED
    return np.where(flat, looks, -1).astype(np.int32)


def _is_too_steep(piece: ViewedPiece) -> Bools:
    """As stage 1 finds out."""
    corners = np.ascontiguousarray(piece.triangles, np.float32).reshape(-1, 3)
    numbers = np.arange(len(corners), dtype=np.int32).reshape(-1, 3)
    return mark_walkable_triangles(corners, numbers, piece.settings.agent_max_slope) == NOT_WALKABLE


def _box(piece: ViewedPiece, shown: Shown) -> F64:
    """(2, 3) what is shown: of a tile what lies on it, and of the outermost tiles what lies beyond the level, too."""
    box = np.array([(-np.inf, shown.lowest, -np.inf), (np.inf, shown.highest, np.inf)])
    tile_grid = piece.navmesh.tile_grid
    if piece.tile is not None and tile_grid is not None:
        side = tile_grid.size * float(tile_grid.cell_size)
        for axis, number, count in zip((0, 2), piece.tile.place, (tile_grid.columns, tile_grid.rows), strict=True):
            origin = float(tile_grid.bounds_min[axis])
            if number > 0:
                box[0, axis] = origin + number * side
            if number + 1 < count:
                box[1, axis] = origin + (number + 1) * side
    return box


def _is_counted(piece: ViewedPiece, shown: Shown) -> Bools:
    """Whether a triangle's middle lies within the slice; of tiles, on this one, so that none is counted twice."""
    middles: F32 = piece.triangles.mean(axis=1)
    counted = (middles[:, 1] >= shown.lowest) & (middles[:, 1] <= shown.highest)
    tile_grid = piece.navmesh.tile_grid
    if piece.tile is not None and tile_grid is not None:
        side = tile_grid.size * float(tile_grid.cell_size)
        for axis, number, count in zip((0, 2), piece.tile.place, (tile_grid.columns, tile_grid.rows), strict=True):
            place = np.floor((middles[:, axis] - float(tile_grid.bounds_min[axis])) / side)
            counted &= np.clip(place, 0, count - 1) == number
    return counted


def slope_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The angle of the nearest triangle."""
    if not shown.lowest <= point[1] <= shown.highest:
        return ""
    found = nearest_triangle(piece.triangles, point)
    if found < 0:
        return ""
    near = piece._replace(triangles=piece.triangles[found : found + 1])
    angle, limit = float(angles_of(near.triangles)[0]), piece.settings.agent_max_slope
    if not np.isfinite(angle):
        return "A triangle without area"
    if angle > _UPRIGHT:
        return f"Faces down: {angle:.1f}°"
    return f"Too steep: {angle:.1f}° > {limit:g}°" if _is_too_steep(near)[0] else f"Slope {angle:.1f}°"
