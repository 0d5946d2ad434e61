"""COMPACT, DISTANCE and WATER: open spans, how far each is from an edge, and the water that rises over them."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..types import I64, NOT_WALKABLE, U8, U16, WALKABLE, Bools, CompactHeightfield
from .cell_frame import (
    HIDDEN,
    CellFrame,
    Cells,
    Paint,
    counts_of,
    flat_cells,
    frame_of,
    legend_of,
    looks_of,
    open_spans,
)
from .merged_cells import draw_flat
from .picture import EMPTY, Color, LegendRow, Picture, Shown, ViewedPiece
from .region_colors import BLACK, color_of_region
from .regions_painted import paint_regions

_OPEN: Color = (0, 192, 255, 64)
_DRY: Color = (104, 96, 84, 255)
_MAX_CLEARANCE = 255  # vx, what a byte holds
_LEGEND_STEPS = 5  # of distances
_ALL_GREYS, _FEW_GREYS = 256, 16
_MAX_EXACT = 500_000  # faces of distances in all greys


def flat_open_cells(piece: ViewedPiece, frame: CellFrame, paint: U16) -> Cells:
    """The open spans of a piece with their paints."""
    ground = open_spans(piece.stages)
    room = piece.settings.in_voxels().height_vx
    return flat_cells(frame, ground.first, ground.floor, paint, room)


def open_span_at(piece: ViewedPiece, frame: CellFrame, point: Point) -> tuple[CompactHeightfield, int]:
    """Open ground, and which of its spans is shown nearest to a point; -1 for none."""
    ground = open_spans(piece.stages)
    return ground, frame.nearest(ground.first, ground.floor, ground.floor, point)


def draw_compact(piece: ViewedPiece, shown: Shown) -> Picture:
    """Open spans by area: those that erosion or a volume took are black."""
    frame, paints = frame_of(piece, shown), _area_paints()
    cells = flat_open_cells(piece, frame, open_spans(piece.stages).area.astype(np.uint16) + np.uint16(1))
    drawn = draw_flat(frame, cells, looks_of([paint.color for paint in paints]), shown.most_faces)
    legend = legend_of(paints, counts_of(cells, len(paints)))
    return EMPTY._replace(corners=drawn.corners, face_colors=drawn.colors, legend=legend, notes=drawn.notes)


def _area_paints() -> list[Paint]:
    """Of areas 0 to 255; plain ground is WALKABLE."""
    paints = [Paint(f"Area {area}", (*color_of_region(area)[:3], 64)) for area in range(256)]
    paints[NOT_WALKABLE] = Paint("Open, but not walkable any more", BLACK)
    paints[WALKABLE] = Paint("Walkable", _OPEN)
    return paints


def compact_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """How much room there is, and the area."""
    frame = frame_of(piece, shown)
    ground, span = open_span_at(piece, frame, point)
    if span < 0:
        return ""
    room = int(ground.clearance[span])
    area = int(ground.area[span])
    what = {NOT_WALKABLE: "not walkable any more", WALKABLE: "walkable"}.get(area, f"area {area}")
    return f"Open, {room * frame.cell_height:.1f} m high{' or more' * (room == _MAX_CLEARANCE)}: {what}"


def draw_distance(piece: ViewedPiece, shown: Shown) -> Picture:
    """Distances in grey: white is the farthest from any edge. Large levels have fewer greys, which merge."""
    frame = frame_of(piece, shown)
    cells = flat_open_cells(piece, frame, _distance_paint(piece))
    drawn, greys = draw_flat(frame, cells, _looks_of_greys(_ALL_GREYS), shown.most_faces), _ALL_GREYS
    if drawn.notes or len(drawn.corners) > _MAX_EXACT:
        few = np.where(cells.paint == HIDDEN, np.uint16(HIDDEN), (cells.paint - 1) // (_ALL_GREYS // _FEW_GREYS) + 1)
        less, greys = cells._replace(paint=few.astype(np.uint16)), _FEW_GREYS
        drawn = draw_flat(frame, less, _looks_of_greys(greys), shown.most_faces)
        note = f"Distances are drawn in {greys} greys: in {_ALL_GREYS} there would be too many faces."
        drawn = drawn._replace(notes=(*drawn.notes, note))
    legend = _legend_of_distances(frame, _longest(piece), greys, counts_of(cells, _ALL_GREYS))
    return EMPTY._replace(corners=drawn.corners, face_colors=drawn.colors, legend=legend, notes=drawn.notes)


def _legend_of_distances(frame: CellFrame, longest: int, greys: int, counts: I64) -> tuple[LegendRow, ...]:
    """Some distances with their greys."""
    rows = []
    for k in range(_LEGEND_STEPS):
        low, high = (-(-longest * j // _LEGEND_STEPS) for j in (k, k + 1))
        begin, end = _grey_of(low, longest), _grey_of(high, longest) if k + 1 < _LEGEND_STEPS else _ALL_GREYS
        grey = _drawn_grey(begin * greys // _ALL_GREYS, greys)
        label = f"{low / 2 * frame.cell_size:.1f} m and more"
        rows.append(LegendRow(label, (grey, grey, grey, 255), int(counts[begin + 1 : end + 1].sum())))
    return tuple(row for row in rows if row.count)


def _longest(piece: ViewedPiece) -> int:
    """What is white. Tiles share it: the longest distance that one of them can have."""
    if piece.tile is not None:
        return max(1, int(piece.stages["grid"].width))
    return max(1, int(piece.stages["distance"].maximum))


def _grey_of(distance: int, longest: int) -> int:
    return min(distance * 255 // longest, 255)


def _distance_paint(piece: ViewedPiece) -> U16:
    distance = piece.stages["distance"].distance
    greys = np.array([_grey_of(d, _longest(piece)) + 1 for d in range(int(distance.max(initial=0)) + 1)], np.uint16)
    return greys[distance]


def _looks_of_greys(greys: int) -> U8:
    return looks_of([(_drawn_grey(k, greys),) * 3 + (255,) for k in range(greys)])


def _drawn_grey(number: int, greys: int) -> int:
    """From black to white in so many steps."""
    return number * 255 // (greys - 1)


def distance_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """How far the nearest edge is."""
    frame = frame_of(piece, shown)
    _, span = open_span_at(piece, frame, point)
    if span < 0:
        return ""
    return f"Distance {int(piece.stages['distance'].distance[span]) / 2 * frame.cell_size:.1f} m"


def draw_water(piece: ViewedPiece, shown: Shown) -> Picture:
    """Water that rises from the spots farthest from any edge: what is under it has the color of its region."""
    frame, painted = frame_of(piece, shown), paint_regions(piece)
    dry = len(painted.paints) + 1
    paint = np.where(_is_under_water(piece, shown), painted.paint, np.uint16(dry))
    paints = [*painted.paints, Paint("Dry", _DRY)]
    cells = flat_open_cells(piece, frame, paint)
    counts = counts_of(cells, len(paints))
    drawn = draw_flat(frame, cells, looks_of([paint.color for paint in paints]), shown.most_faces)
    legend = (*legend_of(paints[-1:], counts[[0, dry]]), *painted.legend_of(piece, counts[:-1]))
    note = "The water of each tile rises by itself."
    if piece.tile is None:
        note = f"The water has risen to where the next edge is {_shore(piece, shown) / 2 * frame.cell_size:.1f} m away."
    notes = (*drawn.notes, note)
    return EMPTY._replace(corners=drawn.corners, face_colors=drawn.colors, legend=legend, notes=notes)


def _shore(piece: ViewedPiece, shown: Shown) -> float:
    """The distance (twice, in cells) from which on there is water."""
    return float(piece.stages["distance"].maximum) * (1.0 - min(max(shown.level, 0.0), 1.0))


def _is_under_water(piece: ViewedPiece, shown: Shown) -> Bools:
    return (piece.stages["distance"].distance > _shore(piece, shown)) | (shown.level >= 1.0)


def water_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """Whether it is under water, and from which level on it is."""
    _, span = open_span_at(piece, frame_of(piece, shown), point)
    if span < 0:
        return ""
    field, region = piece.stages["distance"], int(piece.stages["regions"].region[span])
    level = 1.0 - int(field.distance[span]) / max(1, int(field.maximum))
    wet = int(field.distance[span]) > _shore(piece, shown) or shown.level >= 1.0
    return f"{f'Under water, region {region}' if wet else 'Dry'}: reached at level {max(level, 0.0):.2f}"
