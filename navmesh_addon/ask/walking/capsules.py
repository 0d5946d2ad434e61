"""Agents as capsules, and their trails: arrays to draw. Needs NumPy alone; metres, y up, but for the capsule itself."""

from __future__ import annotations

import colorsys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ....navcore.views.picture import Picture

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
U8 = npt.NDArray[np.uint8]
_SIDES, _RINGS = 12, 3  # corners of a circle, and rings of a half sphere
_GOLDEN = 0.618034  # part of the circle of hues between two agents: neighbors in number are far apart in color
_NO_WAY_COLOR = (0.85, 0.1, 0.1)
_ABOVE = 0.1  # metres, so that neither the ground nor the drawn navmesh hides a trail
_NOSE = 0.7  # radii that the nose stands out, by which one sees where an agent looks


def capsule(radius: float, height: float) -> tuple[F32, F32, I32]:
    """Corners, normals and triangles of a capsule that stands on the origin, z up, and looks along −y.

    Its last corners are a nose.
    """
    wide = min(radius, height / 2)
    rise = np.linspace(-np.pi / 2, np.pi / 2, 2 * _RINGS + 1)
    rise = np.concatenate([rise[: _RINGS + 1], rise[_RINGS:]])  # the middle ring twice: the cylinder lies between
    level = np.where(np.arange(len(rise)) <= _RINGS, wide, height - wide)
    turn = np.arange(_SIDES) * 2 * np.pi / _SIDES
    across = np.cos(rise)[:, None] * np.stack([np.cos(turn), np.sin(turn)])[:, None, :]
    up = np.broadcast_to(np.sin(rise)[:, None], across.shape[1:])
    normals = np.stack([across[0], across[1], up], axis=-1).reshape(-1, 3)
    corners = normals * wide
    corners[:, 2] += np.repeat(level, _SIDES)
    first = (np.arange(len(rise) - 1)[:, None] * _SIDES + np.arange(_SIDES)).ravel()
    beside = (np.arange(len(rise) - 1)[:, None] * _SIDES + (np.arange(_SIDES) + 1) % _SIDES).ravel()
    quads = np.stack([first, beside, beside + _SIDES, first + _SIDES], axis=1)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    nose, toward = _nose(wide, height)
    more = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]]) + len(corners)
    return (
        np.concatenate([corners, nose]).astype(np.float32), np.concatenate([normals, toward]).astype(np.float32),
        np.concatenate([triangles, more]).astype(np.int32),
    )  # fmt: skip


def _nose(wide: float, height: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Its tip first."""
    eye = height - wide
    points = np.array([
        (0, -(1 + _NOSE) * wide, eye), (-0.45 * wide, -0.8 * wide, eye - 0.2 * wide),
        (0.45 * wide, -0.8 * wide, eye - 0.2 * wide), (0, -0.8 * wide, eye + 0.45 * wide),
    ])  # fmt: skip
    toward = points - points.mean(axis=0)
    return points, toward / np.linalg.norm(toward, axis=1)[:, None]


def capsule_lines() -> I32:
    """(., 2) corners of `capsule` that the wire joins: four rings, and every third line from pole to pole."""
    rings = 2 * _RINGS + 2
    around = np.arange(_SIDES)
    ends = [
        np.stack([ring * _SIDES + around, ring * _SIDES + (around + 1) % _SIDES], axis=1)
        for ring in (_RINGS // 2, _RINGS, _RINGS + 1, rings - 1 - _RINGS // 2)
    ]
    upright = (np.arange(rings - 1)[:, None] * _SIDES + np.arange(0, _SIDES, 3)).ravel()
    ends.append(np.stack([upright, upright + _SIDES], axis=1))
    return np.ascontiguousarray(np.concatenate(ends), np.int32)


def colors_of(count: int, without_way: npt.NDArray[np.bool_] | None = None) -> F32:
    """(count, 3) red, green and blue of agents, 0 to 1; those without a way are red."""
    colors = np.array([colorsys.hsv_to_rgb((0.58 + k * _GOLDEN) % 1.0, 0.55, 0.95) for k in range(count)], np.float32)
    colors = colors.reshape(-1, 3)
    if without_way is not None:
        colors[without_way] = _NO_WAY_COLOR
    return colors


def trails(points: Sequence[F32]) -> Picture:
    """Where agents went: (N, 3) places at equal times, the newest last; later ones may hold more agents."""
    from ....navcore.views.picture import EMPTY

    rgb = np.round(255 * colors_of(max((len(places) for places in points), default=0))).astype(np.uint8)
    lines, colors = [np.zeros((0, 2, 3), np.float32)], [np.zeros((0, 4), np.uint8)]
    for k, (old, new) in enumerate(zip(points, list(points)[1:], strict=False)):
        lines.append(np.stack([old, new[: len(old)]], axis=1) + np.array([0, _ABOVE, 0], np.float32))
        opacity = 60 + 195 * (k + 1) // max(1, len(points) - 1)
        colors.append(np.column_stack([rgb[: len(old)], np.full(len(old), opacity, np.uint8)]))
    every, shades = np.concatenate(lines), np.concatenate(colors)
    moved = np.abs(every[:, 0] - every[:, 1]).max(axis=1, initial=0) > 0
    return EMPTY._replace(lines=every[moved], line_colors=shades[moved])
