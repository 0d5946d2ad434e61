"""REASONS: of every surface why there is no navmesh on it, or that there is."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..geometry.columns import OPEN, agent_of
from ..jit import kernel
from ..settings import Settings
from ..types import BORDER_REGION, NOT_WALKABLE, U8, U16, Heightfield
from .cell_frame import CellFrame, Paint, counts_of, flat_cells, frame_of, legend_of, looks_of
from .level_triangles import angle_at
from .merged_cells import draw_flat
from .picture import EMPTY, Picture, Shown, Stages, ViewedPiece

# --- Why there is a navmesh on a surface, or why not: a reason for each solid span, from the areas that stages left.

REASONS = (
    "WALKABLE", "TOO_STEEP", "LEDGE", "UNEVEN", "LOW_CEILING", "TOO_CLOSE", "SMOOTHED", "MARKED", "REGION_TOO_SMALL",
    "BORDER",
)  # fmt: skip
"""By number, as `reasons_of` gives them; BORDER is what belongs to the tiles next door."""
(
    WALKABLE, TOO_STEEP, LEDGE, UNEVEN, LOW_CEILING, TOO_CLOSE, SMOOTHED, MARKED, REGION_TOO_SMALL, BORDER,
) = range(len(REASONS))  # fmt: skip
_BOTTOMLESS = -(1 << 20)  # the floor under a column's first span


def reasons_of(stages: Stages, settings: Settings) -> U8:
    """For each solid span (S,) the number of a reason in REASONS: the first stage that took its top away.

    `stages` are those of one piece, as `keep_stages` keeps them. Spans of TOO_STEEP have had no area from the
    beginning: their surface is too steep, faces down, or was marked so. A span that the filter of ledges took is LEDGE
    beside a drop or the end of the level, and UNEVEN where only floors in reach lie too far apart.
    """
    solid: Heightfield = stages["low_height"]
    reasons = _reasons_of_matter(stages, slice(None))
    _tell_uneven(solid, *_agent(settings), reasons)
    reasons[solid.area != NOT_WALKABLE] = _reasons_of_open_spans(stages, slice(None))
    return reasons


def reason_of_span(stages: Stages, settings: Settings, column: int, span: int) -> int:
    """The same for one span of a column, at once."""
    solid: Heightfield = stages["low_height"]
    if solid.area[span] != NOT_WALKABLE:
        before = np.count_nonzero(solid.area[solid.first[column] : span])
        number = int(stages["compact"].first[column]) + int(before)
        return int(_reasons_of_open_spans(stages, slice(number, number + 1))[0])
    reason = int(_reasons_of_matter(stages, slice(span, span + 1))[0])
    height, climb = _agent(settings)
    if reason == LEDGE and int(solid.top[span]) - _lowest(solid, column, span, height) <= climb:
        return UNEVEN
    return reason


def _agent(settings: Settings) -> tuple[np.int32, np.int32]:
    """Height and climb (vx)."""
    voxels = settings.in_voxels()
    return agent_of(voxels.height_vx, voxels.climb_vx)


def _reasons_of_matter(stages: Stages, spans: slice) -> U8:
    before_ledges, before_low_rooms, after = (
        stages[name].area[spans] for name in ("low_hanging", "ledges", "low_height")
    )
    reasons = np.full(len(after), WALKABLE, np.uint8)
    reasons[after == NOT_WALKABLE] = LOW_CEILING
    reasons[before_low_rooms == NOT_WALKABLE] = LEDGE
    reasons[before_ledges == NOT_WALKABLE] = TOO_STEEP
    return reasons


def _reasons_of_open_spans(stages: Stages, spans: slice) -> U8:
    """Of each open span (O,); they are the solid spans that are still walkable, in the same order."""
    region: U16 = stages["regions"].region[spans]
    reasons = np.full(len(region), WALKABLE, np.uint8)
    reasons[region == 0] = REGION_TOO_SMALL
    reasons[region >= BORDER_REGION] = BORDER
    for stage, reason in (("marked", MARKED), ("median", SMOOTHED), ("eroded", TOO_CLOSE)):  # the first one remains
        if stage in stages:
            reasons[stages[stage].area[spans] == NOT_WALKABLE] = reason
    return reasons


@kernel
def _tell_uneven(solid: Heightfield, height: np.int32, climb: np.int32, reasons: U8) -> None:
    """Turn LEDGE into UNEVEN where there is no drop beside the span."""
    width, depth, first, _, top, _ = solid
    for z in range(depth):
        for x in range(width):
            column = x + z * width
            for span in range(first[column], first[column + 1]):
                if reasons[span] == LEDGE:
                    if np.int32(top[span]) - lowest_beside(solid, x, z, span, height) <= climb:
                        reasons[span] = UNEVEN


@kernel
def lowest_beside(solid: Heightfield, x: int, z: int, span: int, height: np.int32) -> np.int32:
    """The lowest floor (vx) that an agent can get to from a span in one step or fall; the own one where there is none.

    Beyond the level's end, and where nothing is below, it is far below every voxel.
    """
    width, depth, first, bottom, top, _ = solid
    floor, ceiling = np.int32(top[span]), np.int32(OPEN)
    if span + 1 < first[x + z * width + 1]:
        ceiling = np.int32(bottom[span + 1])
    lowest = floor
    for step_x, step_z in ((-1, 0), (0, 1), (1, 0), (0, -1)):
        beside_x, beside_z = x + step_x, z + step_z
        if beside_x < 0 or beside_x >= width or beside_z < 0 or beside_z >= depth:
            lowest = np.int32(_BOTTOMLESS)
            continue
        column = beside_x + beside_z * width
        begin, end = first[column], first[column + 1]
        for gap in range(begin, end + 1):  # a gap lies under the span of its number
            lower, upper = np.int32(_BOTTOMLESS), np.int32(OPEN)
            if gap > begin:
                lower = np.int32(top[gap - 1])
            if gap < end:
                upper = np.int32(bottom[gap])
            if min(ceiling, upper) - max(floor, lower) >= height:
                lowest = min(lowest, lower)
    return lowest


def drop_beside(solid: Heightfield, settings: Settings, column: int, span: int) -> int | None:
    """How deep (vx) it is from a span to the lowest floor beside it; None where there is no floor to fall on."""
    lowest = _lowest(solid, column, span, _agent(settings)[0])
    return None if lowest == _BOTTOMLESS else int(solid.top[span]) - lowest


def _lowest(solid: Heightfield, column: int, span: int, height: np.int32) -> int:
    return int(lowest_beside(solid, column % solid.width, column // solid.width, span, height))


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
    paint = reasons_of(piece.stages, piece.settings).astype(np.uint16) + np.uint16(1)
    room = piece.settings.in_voxels().height_vx
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
    name = REASONS[reason_of_span(piece.stages, piece.settings, column, span)]
    return _sentence(piece, frame, solid, span, point, name)


def _sentence(piece: ViewedPiece, frame: CellFrame, solid: Heightfield, span: int, point: Point, name: str) -> str:
    settings, label = piece.settings, PAINTS[name].label
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
    limit = piece.settings.agent_max_slope
    angle = angle_at(piece.triangles, point)
    if angle is None:
        return f"Too steep (> {limit:g}°), or marked so"
    return f"Too steep: {angle:.1f}° > {limit:g}°" if angle >= limit else "Marked as not walkable from the beginning"
