"""MEADOW: outlines divided by Meadow mapping instead, split by split, beside what cutting ears and merging makes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..geometry.connected_parts import joined_parts
from ..geometry.polygon_rings import next_corners
from ..path_comparison.meadow import Meadow, MeadowStatus, divide_contours
from ..types import F32, I32, I64, Bools
from .contour_rings import Rings, rings_of
from .outline_picture import WALL_COLOR, areas_of, is_shown, lift_of, most_labels, picture_of, raised, triangle_at
from .picture import Color, Label, LegendRow, Picture, Shown, ViewedPiece
from .region_colors import colors_of_regions

SPLIT_COLOR: Color = (255, 160, 32, 255)
UNDIVIDED_COLOR: Color = (220, 32, 16, 255)
PIECE_COLOR: Color = (128, 128, 128, 144)
_PIECES = colors_of_regions(np.arange(1, 256, dtype=np.uint16), opacity=144)


class Divided(NamedTuple):
    """The outlines of a piece as Meadow mapping divides them."""

    rings: Rings
    meadow: Meadow
    contour: I64  # (islands,) which outline each island is
    step: int  # so many splits of each island are shown
    group: I32  # (pieces,) the piece that stands for all that are not split apart yet


def divided(piece: ViewedPiece, shown: Shown) -> Divided:
    """Divide all outlines, and put pieces together again that later splits part."""
    contours = piece.stages["contours"]
    rings = rings_of(piece)
    threads = None if piece.tile is None else 1  # there are many tiles, and waking threads takes longer than one takes
    corners = piece.settings.vertices_per_polygon
    meadow = divide_contours(contours, vertices_per_polygon=corners, threads=threads)
    last_step = int(np.diff(meadow.diagonal_offsets).max(initial=0))
    step = round(min(max(shown.level, 0.0), 1.0) * last_step)
    later = _numbers(meadow) > step
    part = joined_parts(len(meadow.offsets) - 1, *_parted(meadow)[later].T)
    first = np.unique(part, return_index=True)[1].astype(np.int32)
    return Divided(rings, meadow, np.flatnonzero(np.diff(contours.first) > 0), step, first[part])


def _numbers(meadow: Meadow) -> I64:
    """The number of each split in its island, from 1."""
    begins = meadow.diagonal_offsets[:-1]
    counts = np.diff(meadow.diagonal_offsets)
    return np.arange(1, len(meadow.diagonals) + 1) - np.repeat(begins, counts)


def _parted(meadow: Meadow) -> I64:
    """(D, 2) the pieces on either side of each split."""
    room = np.int64(len(meadow.given))
    owner = np.repeat(np.arange(len(meadow.offsets) - 1), np.diff(meadow.offsets))
    corners = meadow.corners.astype(np.int64)
    keys = corners * room + corners[next_corners(meadow.offsets)]
    order = np.argsort(keys)
    one, other = meadow.diagonals.astype(np.int64).T
    wanted = np.stack([one * room + other, other * room + one], axis=1)
    return np.asarray(owner[order[np.searchsorted(keys, wanted, sorter=order)]])


def draw_meadow(piece: ViewedPiece, shown: Shown) -> Picture:
    """Pieces after so many splits of each island, and the splits with their numbers."""
    found = divided(piece, shown)
    rings, meadow = found.rings, found.meadow
    triangles, owner = _fans(found)
    drawn = is_shown(triangles, shown)
    number = _numbers(meadow)
    splits = rings.points[meadow.given[meadow.diagonals]]
    split_shown = (number <= found.step) & is_shown(splits, shown)
    outlines = rings.edges
    outline_shown = is_shown(outlines, shown)
    island_of = np.full(len(rings.region), -1)
    island_of[found.contour] = np.arange(len(found.contour))
    undivided = (meadow.status != MeadowStatus.DIVIDED)[island_of[rings.contour]] & outline_shown
    lines = np.concatenate([outlines[outline_shown], splits[split_shown]])
    colors = np.where(undivided[outline_shown, None], np.array(UNDIVIDED_COLOR), np.array(WALL_COLOR))
    split_colors = np.tile(np.array(SPLIT_COLOR), (int(split_shown.sum()), 1))
    legend = [
        LegendRow("Pieces", PIECE_COLOR, len(np.unique(found.group[owner[drawn]]))),
        LegendRow("Polygons of the build", PIECE_COLOR, len(piece.stages["polygon_mesh"].polygons)),
        LegendRow("Splits", SPLIT_COLOR, int(split_shown.sum())),
        LegendRow("Splits to come", SPLIT_COLOR, int((number > found.step).sum())),
        LegendRow("Edges of outlines", WALL_COLOR, int((outline_shown & ~undivided).sum())),
        LegendRow("Edges of outlines not divided", UNDIVIDED_COLOR, int(undivided.sum())),
    ]
    return picture_of(
        raised(triangles[drawn], lift_of(piece)),
        _PIECES[found.group[owner[drawn]] % len(_PIECES)],
        raised(lines, lift_of(piece)), np.concatenate([colors, split_colors]).astype(np.uint8), legend,
        _labels(piece, splits, number, split_shown), _notes(found),
    )  # fmt: skip


def _fans(found: Divided) -> tuple[F32, I64]:
    """The pieces as triangles, and the piece of each."""
    meadow = found.meadow
    sizes = np.diff(meadow.offsets)
    begins = np.repeat(meadow.offsets[:-1], sizes)
    rows = np.flatnonzero(np.arange(len(meadow.corners)) - begins >= 2)
    corners = np.stack([meadow.corners[begins[rows]], meadow.corners[rows - 1], meadow.corners[rows]], axis=1)
    return found.rings.points[meadow.given[corners]], np.repeat(np.arange(len(sizes)), sizes)[rows]


def _labels(piece: ViewedPiece, splits: F32, number: I64, chosen: Bools) -> list[Label]:
    if int(chosen.sum()) > most_labels(piece):
        return []
    middles = raised(splits[chosen].mean(axis=1), 2 * lift_of(piece))
    return [Label((x, y, z), str(k)) for (x, y, z), k in zip(middles.tolist(), number[chosen].tolist(), strict=True)]


def _notes(found: Divided) -> list[str]:
    if (found.meadow.status == MeadowStatus.DIVIDED).all():
        return []
    return ["Outlines that cross or cover themselves, or are very large, could not be divided."]


def meadow_at(piece: ViewedPiece, shown: Shown, point: Point) -> str:
    """The piece that a point lies in, as far as it is split."""
    found = divided(piece, shown)
    triangles, owner = _fans(found)
    row = triangle_at(triangles, shown, point)
    if row < 0:
        return ""
    group = found.group[owner]
    size = areas_of(triangles[group == group[row]]).sum()
    island = int(np.searchsorted(found.meadow.pieces, owner[row], side="right")) - 1
    parts = np.unique(found.group[found.meadow.pieces[island] : found.meadow.pieces[island + 1]])
    number = int(np.searchsorted(parts, group[row])) + 1
    region = found.rings.region[found.contour[island]]
    return f"ViewedPiece {number} of {len(parts)} of region {region}, {size:.1f} m²"
