"""Triangles and lines as a picture: what of them is shown, how far they are raised, and in which color."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..types import F32, F64, I64, U8, Bools
from .picture import EMPTY, Color, Label, LegendRow, Picture, Shown, ViewedPiece

LIFT_VX = 0.5  # how far above the ground lines and faces lie
MAX_LABELS = 400
WALL_COLOR: Color = (0, 48, 64, 220)
INNER_COLOR: Color = (0, 48, 64, 32)
PORTAL_COLOR: Color = (255, 255, 255, 128)
CORNER_COLOR: Color = (0, 0, 0, 196)
_CROSS_VX = 0.3  # half the length of a cross, in cells


def is_shown(parts: npt.NDArray[np.floating[Any]], shown: Shown) -> Bools:
    """Of each triangle or line whether its middle lies within the slice."""
    middles = parts[:, :, 1].mean(axis=1)
    return np.asarray((middles >= shown.lowest) & (middles <= shown.highest))


def most_labels(piece: ViewedPiece) -> int:
    """How many labels a piece may have: the tiles of a level share them."""
    return MAX_LABELS if piece.tile is None else MAX_LABELS // max(len(piece.navmesh.tiles), 1)


def lift_of(piece: ViewedPiece, voxels: float = LIFT_VX) -> float:
    """So many voxels in metres."""
    return voxels * piece.settings.cell_height


def raised(parts: F32, metres: float) -> F32:
    """The same, higher."""
    higher = np.array(parts, np.float32)
    higher[..., 1] += np.float32(metres)
    return higher


def picture_of(
    triangles: F32, face_colors: U8, lines: F32, line_colors: U8, legend: Sequence[LegendRow],
    labels: Sequence[Label] = (), notes: Sequence[str] = (),
) -> Picture:  # fmt: skip
    """Of (F, 3, 3) triangles and (L, 2, 3) lines; rows of what does not occur are left out."""
    rows = tuple(row for row in legend if row.count)
    corners = np.ascontiguousarray(triangles[:, [0, 1, 2, 2]], np.float32)
    return Picture(
        corners, face_colors, np.ascontiguousarray(lines, np.float32), line_colors, tuple(labels), rows, tuple(notes)
    )


def nothing(note: str) -> Picture:
    """An empty picture that says why."""
    return EMPTY._replace(notes=(note,))


def same_color(count: int, color: Color) -> U8:
    return np.full((count, 4), color, np.uint8)


def of_kinds(kinds: npt.NDArray[Any], names: Sequence[tuple[str, Color]]) -> tuple[U8, list[LegendRow]]:
    """The color of each kind's number, and a row for every kind."""
    counts = np.bincount(kinds, minlength=len(names)).tolist()
    table = np.array([color for _, color in names], np.uint8)
    return table[kinds], [LegendRow(*name, count) for name, count in zip(names, counts, strict=True)]


def crosses(places: F32, cell_size: float) -> F32:
    """(2 N, 2, 3) a small cross at each place."""
    arm = _CROSS_VX * cell_size
    arms = np.array([[(-arm, 0, 0), (arm, 0, 0)], [(0, 0, -arm), (0, 0, arm)]], np.float32)
    return (places[:, None, None, :] + arms).reshape(-1, 2, 3).astype(np.float32)


def box_edges(low: F64, high: F64) -> F32:
    """(12 N, 2, 3) the edges of boxes."""
    ends = np.stack([low, high])
    edges = []
    for axis in range(3):
        one, other = (axis + 1) % 3, (axis + 2) % 3
        for first in (0, 1):
            for second in (0, 1):
                edge = np.empty((len(low), 2, 3), np.float32)
                edge[:, :, axis] = ends[:, :, axis].T
                edge[:, :, one], edge[:, :, other] = ends[first, :, None, one], ends[second, :, None, other]
                edges.append(edge)
    return np.stack(edges, axis=1).reshape(-1, 2, 3)


def areas_of(triangles: npt.NDArray[np.floating[Any]]) -> F64:
    """Of triangles as seen from above."""
    a, b, c = (triangles[:, k].astype(np.float64) for k in range(3))
    return np.asarray(np.abs((b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2]) - (b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0])) / 2)


def triangle_at(triangles: F32, shown: Shown, point: tuple[float, float, float]) -> int:
    """The triangle that lies above or below a point, the nearest of several that are shown; -1 where there is none."""
    x, y, z = point
    low, high = triangles.min(axis=1), triangles.max(axis=1)
    edge = 1e-4  # metres; float32 leaves gaps between triangles
    near = (low[:, 0] <= x + edge) & (high[:, 0] >= x - edge) & (low[:, 2] <= z + edge) & (high[:, 2] >= z - edge)
    rows: I64 = np.flatnonzero(near)
    rows = rows[is_shown(triangles[rows], shown)]
    a, b, c = (triangles[rows, k].astype(np.float64) for k in range(3))
    twice = (b[:, 0] - a[:, 0]) * (c[:, 2] - a[:, 2]) - (b[:, 2] - a[:, 2]) * (c[:, 0] - a[:, 0])
    safe = np.where(twice == 0, 1.0, twice)
    u = ((x - a[:, 0]) * (c[:, 2] - a[:, 2]) - (z - a[:, 2]) * (c[:, 0] - a[:, 0])) / safe
    v = ((b[:, 0] - a[:, 0]) * (z - a[:, 2]) - (b[:, 2] - a[:, 2]) * (x - a[:, 0])) / safe
    over = (twice != 0) & (np.minimum(np.minimum(u, v), 1 - u - v) >= -edge)
    if not over.any():
        return -1
    away = np.abs(a[:, 1] + u * (b[:, 1] - a[:, 1]) + v * (c[:, 1] - a[:, 1]) - y)
    return int(rows[np.argmin(np.where(over, away, np.inf))])
