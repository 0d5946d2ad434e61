"""REGIONS and CONNECTIONS: which region each open span belongs to, and which regions touch."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..geometry.arrays import grown
from ..jit import kernel
from ..types import BORDER_REGION, F32, F64, I32, I64, U16
from .cell_frame import HIDDEN, LIFT_VX, CellFrame, Cells, frame_of, looks_of, open_spans
from .merged_cells import draw_flat
from .open_cells import flat_open_cells, open_span_at
from .picture import EMPTY, Color, LegendRow, Picture, Shown, ViewedPiece
from .regions_painted import BORDERS, NO_REGION, Middles, PaintedRegions, labels_of, middles_of, paint_regions

BORDER = "border"
_ARC: Color = (255, 196, 0, 255)
_ARC_POINTS = 13
_ARC_HEIGHT = 0.25  # of its length
_FAINT = 64


def draw_regions(piece: ViewedPiece, shown: Shown) -> Picture:
    """Regions in colors of their own, with their numbers; the variant "border" shows a tile's border cells, too."""
    frame, painted = frame_of(piece, shown, shown.variant == BORDER), paint_regions(piece)
    cells = flat_open_cells(piece, frame, painted.paint)
    return _picture(piece, frame, cells, painted, shown, middles_of(cells, len(painted.paints)))


def _picture(
    piece: ViewedPiece, frame: CellFrame, cells: Cells, painted: PaintedRegions, shown: Shown, middles: Middles
) -> Picture:
    drawn = draw_flat(frame, cells, looks_of([paint.color for paint in painted.paints]), shown.most_faces)
    texts = {NO_REGION + number: str(number) for number in range(1, painted.count + 1)}
    texts |= {NO_REGION + painted.count + k: f"Border {k}" for k in range(1, 5)}
    return EMPTY._replace(
        corners=drawn.corners,
        face_colors=drawn.colors,
        labels=labels_of(frame, cells, middles, texts),
        legend=painted.legend_of(piece, middles.counts),
        notes=drawn.notes,
    )


def regions_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The region and its size."""
    _, span = open_span_at(piece, frame_of(piece, shown, shown.variant == BORDER), point)
    return "" if span < 0 else _said(piece, span)


def _said(piece: ViewedPiece, span: int) -> str:
    regions = piece.stages["regions"].region
    region = int(regions[span])
    if region == 0:
        return "No region"
    if region >= BORDER_REGION:
        return f"Border {region - BORDER_REGION} {BORDERS[region - BORDER_REGION - 1]}"
    return f"Region {region}, {np.count_nonzero(regions == region):,} cells"


def draw_connections(piece: ViewedPiece, shown: Shown) -> Picture:
    """An arc from the middle of each region to those of the regions that it touches, over faint cells."""
    frame, painted = frame_of(piece, shown), paint_regions(piece, _FAINT)
    cells = flat_open_cells(piece, frame, painted.paint)
    middles = middles_of(cells, len(painted.paints))
    picture = _picture(piece, frame, cells, painted, shown, middles)
    pairs = touching_regions(piece, cells) + NO_REGION
    pairs = pairs[np.all(middles.cells[pairs] >= 0, axis=1)]
    ends = np.array([
        [frame.middle_of(int(middles.columns[p]), float(cells.high[middles.cells[p]]) + LIFT_VX) for p in pair]
        for pair in pairs
    ]).reshape(-1, 2, 3)  # fmt: skip
    lines = _arcs(ends)
    row = LegendRow("Regions that touch", _ARC, len(pairs))
    return picture._replace(
        lines=lines,
        line_colors=np.full((len(lines), 4), _ARC, np.uint8),
        legend=(*((row,) if row.count else ()), *picture.legend),
    )


def touching_regions(piece: ViewedPiece, cells: Cells) -> I64:
    """(pairs, 2) the ids of regions from one of which one step leads into the other, each pair once, in order."""
    steps = _steps_between(cells, piece.stages["regions"].region, open_spans(piece.stages).neighbors)
    pairs = np.unique(steps)
    return np.column_stack([pairs >> 16, pairs & 0xFFFF])


@kernel
def _steps_between(cells: Cells, region: U16, neighbors: I32) -> I64:
    """A number for each two regions that touch; most occur often, but not twice in a row."""
    width, depth, margin, first, _, _, paint = cells
    found, count, last = np.empty(256, np.int64), 0, np.int64(-1)
    for z in range(margin, depth - margin):
        for span in range(first[z * width + margin], first[z * width + width - margin]):
            own = np.int64(region[span])
            if own == 0 or own >= BORDER_REGION or paint[span] == HIDDEN:
                continue
            for direction in range(4):
                beside = neighbors[span, direction]
                if beside < 0:
                    continue
                other = np.int64(region[beside])
                if other <= own or other >= BORDER_REGION or (own << 16 | other) == last:
                    continue
                if count == found.shape[0]:
                    found = grown(found, count, count + 1)
                last = own << 16 | other
                found[count] = last
                count += 1
    return found[:count].copy()


def _arcs(ends: F64) -> F32:
    """Bent lines between both ends, higher in their middles."""
    along = np.linspace(0, 1, _ARC_POINTS)[None, :, None]
    points = ends[:, :1] + (ends[:, 1:] - ends[:, :1]) * along
    length = np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1)[:, None]
    points[:, :, 1] += _ARC_HEIGHT * length * (4 * along * (1 - along))[:, :, 0]
    return np.stack([points[:, :-1], points[:, 1:]], axis=2).reshape(-1, 2, 3).astype(np.float32)


def connections_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The region, its size, and the regions that it touches."""
    ground, span = open_span_at(piece, frame_of(piece, shown), point)
    if span < 0:
        return ""
    regions = piece.stages["regions"].region
    own = int(regions[span])
    if own == 0:
        return _said(piece, span)
    beside = ground.neighbors[np.flatnonzero(regions == own)]
    touched = [r for r in np.unique(regions[beside[beside >= 0]]).tolist() if r not in (0, own) and r < BORDER_REGION]
    return f"{_said(piece, span)}, touches {', '.join(map(str, touched)) or 'none'}"
