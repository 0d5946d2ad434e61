"""REASONS: of every surface why there is no navmesh on it, or that there is."""

from __future__ import annotations

import numpy as np

from ...types import Heightfield
from ..picture import EMPTY, Picture, Point, Shown, ViewedPiece
from .frame import CellFrame, flat_cells, frame_of
from .level_triangles import angle_at
from .merged_cells import draw_flat
from .palette import Paint, counts_of, legend_of, looks_of
from .reasons import REASONS, drop_beside, reason_of_span, reasons_of

PAINTS = {
    "WALKABLE": Paint("Walkable", (64, 160, 96, 255)),
    "TOO_STEEP": Paint("Too steep", (192, 128, 0, 255)),
    "LEDGE": Paint("Ledge", (220, 60, 40, 255)),
    "UNEVEN": Paint("Uneven", (240, 130, 110, 255)),
    "LOW_CEILING": Paint("Low ceiling", (125, 80, 200, 255)),
    "TOO_CLOSE": Paint("Too close to an edge or a wall", (70, 130, 220, 255)),
    "SMOOTHED": Paint("Smoothed away", (140, 200, 200, 255)),
    "MARKED": Paint("Marked as not walkable", (205, 60, 160, 255)),
    "REGION_TOO_SMALL": Paint("Region too small", (235, 215, 60, 255)),
    "BORDER": Paint("Of the next tile", (110, 110, 110, 255)),
}
_OPEN_VX = 65535


def draw_reasons(piece: ViewedPiece, shown: Shown) -> Picture:
    """The top of every solid span in the color of the reason."""
    frame, solid = frame_of(piece, shown), piece.stages["low_height"]
    paints = [PAINTS[name] for name in REASONS]
    paint = reasons_of(piece.stages, piece.navmesh.settings).astype(np.uint16) + np.uint16(1)
    room = piece.navmesh.settings.in_voxels().height_vx
    cells = flat_cells(frame, solid.first, solid.top, paint, room)
    drawn = draw_flat(frame, cells, looks_of([paint.color for paint in paints]), shown.most_faces)
    legend = legend_of(paints, counts_of(cells, len(paints)))
    return EMPTY._replace(corners=drawn.corners, face_colors=drawn.colors, legend=legend, notes=drawn.notes)


def reason_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The reason with its value and its limit."""
    frame, solid = frame_of(piece, shown), piece.stages["low_height"]
    span = frame.nearest(solid.first, solid.top, solid.top, point)
    if span < 0:
        return ""
    column = frame.column_at(point)
    name = REASONS[reason_of_span(piece.stages, piece.navmesh.settings, column, span)]
    return _sentence(piece, frame, solid, span, point, name)


def _sentence(piece: ViewedPiece, frame: CellFrame, solid: Heightfield, span: int, point: Point, name: str) -> str:
    settings, label = piece.navmesh.settings, PAINTS[name].label
    voxels, metres = settings.in_voxels(), frame.cell_height
    if name == "TOO_STEEP":
        return _too_steep(piece, point)
    if name == "LEDGE":
        drop = drop_beside(solid, settings, frame.column_at(point), span)
        deep = "nothing beside it" if drop is None else f"{drop * metres:.1f} m down > {voxels.climb_vx * metres:.1f} m"
        return f"{label}: {deep}"
    if name == "UNEVEN":
        return f"{label}: floors beside it lie more than {voxels.climb_vx * metres:.1f} m apart"
    if name == "LOW_CEILING":
        last = span + 1 == solid.first[frame.column_at(point) + 1]
        room = (_OPEN_VX if last else int(solid.bottom[span + 1])) - int(solid.top[span])
        return f"{label}: {room * metres:.1f} m < {voxels.height_vx * metres:.1f} m"
    if name == "TOO_CLOSE":
        return f"{label}: nearer than {voxels.radius_vx * frame.cell_size:.1f} m"
    if name == "REGION_TOO_SMALL":
        return f"{label}: fewer than {voxels.region_min_area_vx:,} cells, or too narrow"
    return label


def _too_steep(piece: ViewedPiece, point: Point) -> str:
    limit = piece.navmesh.settings.agent_max_slope
    angle = angle_at(piece.triangles, point)
    if angle is None:
        return f"Too steep (> {limit:g}°), or marked so"
    return f"Too steep: {angle:.1f}° > {limit:g}°" if angle >= limit else "Marked as not walkable from the beginning"
