"""VOXELS: matter as boxes, walkable or not, as dense voxels, as solid spans, and the open space above it."""

from __future__ import annotations

import math

import numpy as np

from ..build_warning import Point
from ..types import NOT_WALKABLE, Grid, Heightfield
from .cell_frame import CellFrame, Cells, Paint, box_cells, counts_of, frame_of, legend_of, looks_of, open_spans
from .merged_cells import draw_boxes
from .open_cells import flat_open_cells, open_span_at
from .picture import EMPTY, Color, Label, LegendRow, Picture, Shown, ViewedPiece
from .regions_painted import NO_REGION, labels_of, middles_of, paint_regions

WALKABLE_OR_NOT, DENSE, SOLID, COMPACT = "walkable", "dense", "solid", "compact"
VARIANTS = (
    (WALKABLE_OR_NOT, "Walkable or Not"), (DENSE, "Dense Voxels"), (SOLID, "Solid Spans"), (COMPACT, "Open Spans"),
)  # fmt: skip
_GREEN: Color = (72, 168, 72, 255)
_RED: Color = (200, 64, 56, 255)
_BLUE: Color = (64, 128, 160, 255)
_GREY: Color = (64, 64, 64, 255)
_OPEN: Color = (0, 192, 255, 64)
_NO_COLOR: Color = (0, 0, 0, 0)


def draw_voxels(piece: ViewedPiece, shown: Shown) -> Picture:
    """A box for each span; the variants show the forms that matter and space are kept in, and what memory they take."""
    frame, variant = frame_of(piece, shown), shown.variant or WALKABLE_OR_NOT
    paints, cells = _paints(variant), _cells(piece, frame, variant)
    looks = looks_of([paint.color for paint in paints], variant == DENSE)
    drawn = draw_boxes(frame, cells, looks, shown.most_faces, variant == DENSE)
    legend, notes = legend_of(paints, counts_of(cells, len(paints))), drawn.notes
    labels = _region_labels(piece, shown) if variant == WALKABLE_OR_NOT else ()
    if variant != WALKABLE_OR_NOT:
        legend, notes = (*legend, *_memory_rows(piece)), (*notes, *_memory_note(piece))
    return EMPTY._replace(
        corners=drawn.corners, face_colors=drawn.colors, labels=labels, legend=legend, notes=notes
    )  # fmt: skip


def _paints(variant: str) -> list[Paint]:
    if variant == COMPACT:
        return [Paint("Open space", _OPEN)]
    green, red = (_GREEN, _RED) if variant == WALKABLE_OR_NOT else (_BLUE, _GREY)
    return [Paint("Walkable on top", green), Paint("Not walkable on top", red)]


def _cells(piece: ViewedPiece, frame: CellFrame, variant: str) -> Cells:
    if variant == COMPACT:
        ground = open_spans(piece.stages)
        height = np.minimum(ground.clearance, piece.settings.in_voxels().height_vx)
        floor, top = ground.floor, ground.floor + height.astype(np.uint16)
        return box_cells(frame, ground.first, floor, top, np.ones_like(floor))
    solid: Heightfield = piece.stages["low_height"]
    paint = np.where(solid.area != NOT_WALKABLE, np.uint16(1), np.uint16(2))
    return box_cells(frame, solid.first, solid.bottom, solid.top, paint)


def _region_labels(piece: ViewedPiece, shown: Shown) -> tuple[Label, ...]:
    """The numbers of regions, in their middles."""
    if "regions" not in piece.stages:
        return ()
    frame, painted = frame_of(piece, shown), paint_regions(piece)
    cells = flat_open_cells(piece, frame, painted.paint)
    texts = {NO_REGION + number: str(number) for number in range(1, painted.count + 1)}
    return labels_of(frame, cells, middles_of(cells, len(painted.paints)), texts)


class _Memory:
    """Bytes of the three forms."""

    def __init__(self, piece: ViewedPiece) -> None:
        grid: Grid = piece.stages["grid"]
        self.height = math.ceil(float(grid.bounds_max[1] - grid.bounds_min[1]) / float(grid.cell_height))
        self.dense = grid.width * grid.depth * self.height
        solid, ground = piece.stages["low_height"], open_spans(piece.stages)
        self.solid = sum(array.nbytes for array in (solid.first, solid.bottom, solid.top, solid.area))
        self.compact = sum(
            array.nbytes for array in (ground.first, ground.floor, ground.clearance, ground.neighbors, ground.area)
        )


def _memory_note(piece: ViewedPiece) -> tuple[str, ...]:
    if piece.tile is not None:
        return ()
    memory, grid = _Memory(piece), piece.stages["grid"]
    return (
        f"Memory: as dense voxels {_megabytes(memory.dense)} ({grid.width:,} × {grid.depth:,} × {memory.height:,} "
        f"cells of 1 byte), as solid spans {_megabytes(memory.solid)}, as open spans {_megabytes(memory.compact)}.",
    )


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB" if count >= 100_000 else f"{count:,} bytes"


def _memory_rows(piece: ViewedPiece) -> tuple[LegendRow, ...]:
    """Of tiles, whose bytes add up when pictures are joined."""
    if piece.tile is None:
        return ()
    memory = _Memory(piece)
    rows = (("dense voxels", memory.dense), ("solid spans", memory.solid), ("open spans", memory.compact))
    return tuple(LegendRow(f"Bytes as {form}", _NO_COLOR, count) for form, count in rows)


def voxels_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """From where to where the span reaches, and whether its top is walkable."""
    frame = frame_of(piece, shown)
    if shown.variant == COMPACT:
        ground, span = open_span_at(piece, frame, point)
        if span < 0:
            return ""
        return f"Open from {_metres(frame, ground.floor[span])} on, {_room(frame, int(ground.clearance[span]))} high"
    solid: Heightfield = piece.stages["low_height"]
    span = frame.nearest(solid.first, solid.bottom, solid.top, point, thick=True)
    if span < 0:
        return ""
    kind = "walkable" if solid.area[span] != NOT_WALKABLE else "not walkable"
    return f"Solid from {_metres(frame, solid.bottom[span])} to {_metres(frame, solid.top[span])}, {kind} on top"


def _metres(frame: CellFrame, voxel: int) -> str:
    return f"{frame.origin[1] + int(voxel) * frame.cell_height:.1f} m"


def _room(frame: CellFrame, clearance: int) -> str:
    return f"{clearance * frame.cell_height:.1f} m{' or more' * (clearance == 255)}"
