"""RAW_CONTOURS and CONTOURS: outlines as they were walked cell by cell, and as they were simplified."""

from __future__ import annotations

import numpy as np

from ..build_warning import Point
from ..types import AREA_BORDER, BORDER_REGION, BORDER_VERTEX, F32, I64, LINK, REGION_MASK, U8, Bools, X, Z
from .contour_rings import Rings, bridges_of, contour_at, rings_of
from .outline_picture import LIFT_VX, crosses, is_shown, lift_of, most_labels, picture_of, raised, same_color
from .picture import Color, Label, LegendRow, Picture, Shown, ViewedPiece
from .region_colors import colors_of_regions, region_rows

SIMPLIFIED, BOTH, BRIDGES = "simplified", "both", "bridges"
CONTOUR_VARIANTS = (
    (SIMPLIFIED, "Simplified"), (BOTH, "Raw and Simplified"), (BRIDGES, "With Bridges to Holes"),
)  # fmt: skip
BRIDGE_COLOR: Color = (255, 64, 160, 255)
_CORNER: Color = (255, 255, 255, 255)
_ODD_VX = 0.25  # so much higher are contours with odd numbers: those of neighbors lie on each other
_FAINT = 96
_MEANING = (
    "Numbers: the region across, 0 for none, B1 to B4 for the border of a tile. A: another area lies across. "
    "V: a vertex on a tile's border."
)
_NO_FACES = np.zeros((0, 3, 3), np.float32), np.zeros((0, 4), np.uint8)


def draw_raw_contours(piece: ViewedPiece, shown: Shown) -> Picture:
    """Every step of the walk around each region; what lies across it as numbers, where they are few."""
    rings = rings_of(piece, raw=True)
    lines, colors, drawn = _lines(piece, shown, rings)
    at_border = drawn & (rings.cells[:, LINK] & BORDER_VERTEX != 0)
    marks = _marks(piece, rings, at_border)
    labels, notes = _labels(piece, rings, drawn)
    legend = [
        LegendRow("Vertices on a tile's border", _CORNER, int(at_border.sum())),
        *region_rows(piece, piece.tile, rings.region[rings.contour[drawn]]),
    ]
    return _picture(
        np.concatenate([lines, marks]), np.concatenate([colors, same_color(len(marks), _CORNER)]), legend, labels, notes
    )


def _picture(
    lines: F32, colors: U8, legend: list[LegendRow], labels: tuple[Label, ...] = (), notes: tuple[str, ...] = ()
) -> Picture:
    return picture_of(*_NO_FACES, lines, colors, legend, labels, notes)


def _lines(piece: ViewedPiece, shown: Shown, rings: Rings, opacity: int = 255) -> tuple[F32, U8, Bools]:
    """The edges that are shown, and of all edges which these are."""
    edges = rings.edges
    drawn = is_shown(edges, shown)
    colors = colors_of_regions(rings.region, piece.tile, opacity)[rings.contour[drawn]]
    lines = raised(edges[drawn], lift_of(piece))
    lines[:, :, 1] += (rings.contour[drawn] % 2 * lift_of(piece, _ODD_VX)).astype(np.float32)[:, None]
    return lines, colors, drawn


def _marks(piece: ViewedPiece, rings: Rings, chosen: Bools) -> F32:
    return crosses(raised(rings.points[chosen], lift_of(piece, LIFT_VX + _ODD_VX)), piece.settings.cell_size)


def _labels(piece: ViewedPiece, rings: Rings, drawn: Bools) -> tuple[tuple[Label, ...], tuple[str, ...]]:
    """What lies across, wherever that changes along a ring."""
    links = rings.cells[:, LINK]
    changes = np.empty(len(links), bool)
    changes[rings.after] = links[rings.after] != links
    changes[rings.first[:-1][np.diff(rings.first) > 0]] = True
    rows = np.flatnonzero(changes & drawn)
    if len(rows) > most_labels(piece):
        return (), ("What lies across is told in numbers where they are few.",)
    places = raised(rings.points[rows], lift_of(piece, 2 * LIFT_VX))
    labels = tuple(
        Label((x, y, z), across(link)) for (x, y, z), link in zip(places.tolist(), links[rows].tolist(), strict=True)
    )
    return labels, (_MEANING,) if labels else ()


def across(link: int) -> str:
    """What a contour point says of the other side: the region there or the tile's border, and flags."""
    region = link & REGION_MASK
    number = f"B{region - BORDER_REGION}" if region & BORDER_REGION else str(region)
    return number + (" A" if link & AREA_BORDER else "") + (" V" if link & BORDER_VERTEX else "")


def draw_contours(piece: ViewedPiece, shown: Shown) -> Picture:
    """Simplified outlines; beside them the raw ones, or bridges to holes in a color of their own."""
    rings = rings_of(piece)
    lines, colors, drawn = _lines(piece, shown, rings)
    regions = region_rows(piece, piece.tile, rings.region[rings.contour[drawn]])
    corners = drawn & _is_corner(rings)
    legend = [LegendRow("Corners", _CORNER, int(corners.sum())), *regions]
    if shown.variant == BRIDGES:
        bridges = bridges_of(rings)
        colors[bridges[drawn]] = BRIDGE_COLOR
        legend.insert(0, LegendRow("Bridges to holes", BRIDGE_COLOR, int((bridges & drawn).sum())))
    marks = _marks(piece, rings, corners)
    parts, tints = [lines, marks], [colors, same_color(len(marks), _CORNER)]
    if shown.variant == BOTH:
        raw = _lines(piece, shown, rings_of(piece, raw=True), _FAINT)
        parts, tints = [raw[0], *parts], [raw[1], *tints]
    return _picture(np.concatenate(parts), np.concatenate(tints), legend)


def _is_corner(rings: Rings) -> Bools:
    """Whether a ring turns at a point; at others an edge was split because it was long, or because regions change."""
    before = np.empty(len(rings.after), np.int64)
    before[rings.after] = np.arange(len(rings.after))
    come, go = _steps(rings, before), _steps(rings, rings.after)
    return np.asarray(come[:, 0] * go[:, 1] != come[:, 1] * go[:, 0])


def _steps(rings: Rings, others: I64) -> I64:
    plan = rings.cells[:, [X, Z]].astype(np.int64)
    return plan[others] - plan


def raw_contour_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The contour that a point lies in."""
    return _said(piece, shown, rings_of(piece, raw=True), point)


def contours_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The simplified contour that a point lies in, and how many points it was simplified from."""
    rings = rings_of(piece)
    said = _said(piece, shown, rings, point)
    if not said or shown.variant != BOTH:
        return said
    contour = contour_at(rings, piece, shown, point)
    raw = piece.stages["contours"].raw_first
    return f"{said}, {int(raw[contour + 1] - raw[contour]):,} before simplifying"


def _said(piece: ViewedPiece, shown: Shown, rings: Rings, point: Point) -> str:
    contour = contour_at(rings, piece, shown, point)
    if contour < 0:
        return ""
    points = int(rings.first[contour + 1] - rings.first[contour])
    return f"Contour of region {rings.region[contour]}, {points:,} points"
