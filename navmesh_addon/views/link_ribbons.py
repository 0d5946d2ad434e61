"""Found links as a picture: a ribbon that rises over each, in the color of its kind. Needs no bpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from .overlay_colors import ACTIVE_LINK, BLOCKED_LINK, KINDS_OF_LINKS, REJECTED_LINK

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from ..stored.link_rows import LinkRows

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
U8 = npt.NDArray[np.uint8]
KIND_COLORS = np.array(KINDS_OF_LINKS, np.uint8)
_FOUND, _DECIDED, _OUTLINE = 55, 120, 0  # opacities of the ribbons
_LINE, _FAINT_LINE = 255, 140  # opacities of their edges
_RISE, _MIN_RISE = 0.2, 0.3  # parts of its length; metres
_HEAD, _MAX_HEAD = 0.15, 0.5  # an arrowhead: parts of the length; metres
_STEPS = ((500, 16), (3_000, 8))  # up to so many links, so many pieces; then four
_LEAST = 1e-9


def ribbons(rows: LinkRows, colors: U8, face_alpha: U8, line_alpha: U8, above: float) -> Picture:
    """`colors` (N, 3), opacities (N,); `above`: metres above the ground."""
    from ...navcore.views.picture import EMPTY

    count = len(rows.ids)
    steps = next((steps for most, steps in _STEPS if count <= most), 4)
    lift = np.array([0, above, 0])
    corners = rows.corners.astype(np.float64) + lift
    lengths = rows.lengths
    left, right = (_arcs(corners[:, k], corners[:, k + 2], lengths, steps) for k in (0, 1))
    faces = np.stack([left[:, :-1], right[:, :-1], right[:, 1:], left[:, 1:]], axis=2)
    sides = np.stack([np.stack([side[:, :-1], side[:, 1:]], axis=2) for side in (left, right)], axis=1)
    edges = np.stack([corners[:, :2], corners[:, 2:]], axis=1)
    middle = (left + right) / 2
    heads = _heads(middle[:, -1], middle[:, -1] - middle[:, -2], lengths)
    back = _heads(middle[:, 0], middle[:, 0] - middle[:, 1], lengths)[rows.two_way]
    whole = np.concatenate([sides.reshape(count, 2 * steps, 2, 3), edges, heads], axis=1)
    of = np.concatenate([np.repeat(np.arange(count), whole.shape[1]), np.repeat(np.flatnonzero(rows.two_way), 2)])
    lines = np.concatenate([whole.reshape(-1, 2, 3), back.reshape(-1, 2, 3)])
    shown = face_alpha > 0
    return EMPTY._replace(
        corners=faces[shown].reshape(-1, 4, 3).astype(np.float32),
        face_colors=np.repeat(np.column_stack([colors, face_alpha])[shown], steps, axis=0),
        lines=lines.astype(np.float32),
        line_colors=np.ascontiguousarray(np.column_stack([colors, line_alpha])[of]),
    )


def links_picture(rows: LinkRows, blocked: npt.NDArray[np.bool_], above: float) -> Picture:
    """Those that are there; the ones that agents cannot take in red."""
    colors = np.where(blocked[:, None], np.array(BLOCKED_LINK, np.uint8), KIND_COLORS[rows.kinds])
    faces = np.where(rows.states == 0, _FOUND, _DECIDED).astype(np.uint8)
    return ribbons(rows, colors.astype(np.uint8), faces, np.full(len(rows.ids), _LINE, np.uint8), above)


def rejected_picture(rows: LinkRows, above: float) -> Picture:
    """Those that nobody wants, faintly."""
    return _plain(rows, REJECTED_LINK, _OUTLINE, _FAINT_LINE, above)


def active_picture(rows: LinkRows, above: float) -> Picture:
    """The one that is meant: its ribbon keeps the color of its kind."""
    return _plain(rows, ACTIVE_LINK, _OUTLINE, _LINE, above)


def _plain(rows: LinkRows, color: tuple[int, int, int], faces: int, lines: int, above: float) -> Picture:
    count = len(rows.ids)
    colors = np.tile(np.array(color, np.uint8), (count, 1))
    return ribbons(rows, colors, np.full(count, faces, np.uint8), np.full(count, lines, np.uint8), above)


def _arcs(starts: F64, ends: F64, lengths: F64, steps: int) -> F64:
    """(N, steps + 1, 3) parabolas, y up."""
    t: F64 = np.linspace(0, 1, steps + 1)
    arcs: F64 = starts[:, None] + t[None, :, None] * (ends - starts)[:, None]
    arcs[..., 1] += (4 * t * (1 - t))[None] * np.maximum(_MIN_RISE, _RISE * lengths)[:, None]
    return arcs


def _heads(tips: F64, ways: F64, lengths: F64) -> F64:
    """(N, 2, 2, 3) two lines back from each tip, lying along its ribbon."""
    along: F64 = -ways / np.maximum(np.linalg.norm(ways, axis=1), _LEAST)[:, None]
    aside: F64 = np.cross(along, [0.0, 1.0, 0.0])
    aside /= np.maximum(np.linalg.norm(aside, axis=1), _LEAST)[:, None]
    size = np.minimum(_MAX_HEAD, _HEAD * lengths)[:, None]
    lines: list[F64] = [np.stack([tips, tips + size * (along + side * aside)], axis=1) for side in (0.6, -0.6)]
    heads: F64 = np.stack(lines, axis=1)
    return heads
