"""Places of cover over the ground: an arrow to what hides, a plate as high as it does, ticks to where one leans."""

from __future__ import annotations

import numpy as np

from ..cover.cover_shades import SHADES
from ..cover.find_cover import Cover
from ..types import F64, U8
from .picture import EMPTY, LegendRow, Picture

_LENGTH, _HALF, _BACK = 0.34, 0.14, 0.1  # metres of an arrow: before and beside its place, and behind it
_PLATE, _HIGHEST = 0.16, 2.2  # metres: half as wide as a plate is, and how high at most
_ARROW, _GLASS, _LINE = 255, 90, 255  # opacities
_LEAN, _LEAN_LENGTH = (130, 80, 223), 0.34
_ABOVE, _EYE = 0.06, 0.7  # metres over the ground


def cover_faces(cover: Cover) -> Picture:
    """Green places are the best ones; who faces the wall leans where a tick leads."""
    ahead = cover.towards.astype(np.float64)
    left = np.stack([ahead[:, 2], 0 * ahead[:, 1], -ahead[:, 0]], axis=1)
    foot = cover.at + np.array([0, _ABOVE, 0])
    arrows = np.stack([
        foot + _LENGTH * ahead, foot - _BACK * ahead + _HALF * left, foot, foot - _BACK * ahead - _HALF * left,
    ], axis=1)  # fmt: skip
    plates = _plates(foot + _LENGTH * ahead, left, np.minimum(cover.height, _HIGHEST))
    colors = np.array([[*bytes.fromhex(color[1:]), _ARROW] for _, color, _ in SHADES], np.uint8)
    number = np.searchsorted([most for most, _, _ in SHADES], cover.exposure, side="right")
    glass = colors[number] - np.array([0, 0, 0, _ARROW - _GLASS], np.uint8)
    ticks, shades = _ticks(cover, left, plates, colors[number])
    counts = np.bincount(number, minlength=len(SHADES)).tolist()
    legend = [
        LegendRow(name, (*bytes.fromhex(color[1:]), _ARROW), count)
        for (_, color, name), count in zip(SHADES, counts, strict=True)
    ]
    return EMPTY._replace(
        corners=np.concatenate([arrows, plates]).astype(np.float32),
        face_colors=np.concatenate([colors[number], glass]), lines=ticks.astype(np.float32), line_colors=shades,
        legend=tuple(legend),
    )  # fmt: skip


def _plates(foot: F64, left: F64, heights: F64) -> F64:
    """(N, 4, 3) upright, where each stands, as high as it hides."""
    up = np.stack([0 * heights, heights, 0 * heights], axis=1)
    return np.stack(
        [foot + _PLATE * left, foot + _PLATE * left + up, foot - _PLATE * left + up, foot - _PLATE * left], 1
    )


def _ticks(cover: Cover, left: F64, plates: F64, colors: U8) -> tuple[F64, U8]:
    """(L, 2, 3) the upper edge of each plate in its color, and where one leans."""
    edges = plates[:, 1:3]
    lines: list[F64] = [edges]
    for side, turn in enumerate((1, -1)):
        rows = cover.lean[:, side]
        eye = cover.at[rows] + np.array([0, _EYE, 0])
        lines.append(np.stack([eye, eye + turn * _LEAN_LENGTH * left[rows]], axis=1))
    count = sum(len(part) for part in lines[1:])
    lean = np.tile(np.array([*_LEAN, _LINE], np.uint8), (count, 1))
    return np.concatenate(lines), np.concatenate([colors, lean])
