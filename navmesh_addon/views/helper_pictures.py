"""Volumes, bounds and seeds as a navmesh was built with them, drawn as what they are. Needs NumPy alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture

F64 = npt.NDArray[np.float64]
Color = tuple[int, int, int, int]
BOUNDS, SEED, FORBIDDEN = (255, 255, 255, 200), (80, 230, 120, 255), (200, 40, 40, 255)
_ROUND = 24  # corners of a circle
_EDGES = [(0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7)]


def helper_picture(
    volumes: Iterable[Mapping[str, Any]],
    bounds: Sequence[float] | None,
    seeds: Iterable[Mapping[str, Any]],
    agent: tuple[float, float],
    color_of: Mapping[int, tuple[float, float, float]],
) -> Picture:
    """All as lines in metres, y up; `agent` is its radius and height, `color_of` the color of each area, 0 to 1."""
    from ...navcore.views.picture import EMPTY

    drawn: list[tuple[F64, Color]] = []
    for volume in volumes:
        red, green, blue = (round(255 * part) for part in color_of.get(volume["area"], (0.6, 0.1, 0.5)))
        drawn.append((_volume(volume), (red, green, blue, 255) if volume["area"] else FORBIDDEN))
    if bounds is not None:
        drawn.append((_box(bounds[:3], bounds[3:]), BOUNDS))
    drawn += [(_capsule(seed["point"], *agent), SEED) for seed in seeds]
    lines = np.concatenate([np.zeros((0, 2, 3)), *(one for one, _ in drawn)]).astype(np.float32)
    colors = [np.tile(np.array(color, np.uint8), (len(one), 1)) for one, color in drawn]
    return EMPTY._replace(lines=lines, line_colors=np.concatenate([np.zeros((0, 4), np.uint8), *colors]))


def _volume(volume: Mapping[str, Any]) -> F64:
    if volume["shape"] == "box":
        return _box(volume["min"], volume["max"])
    if volume["shape"] == "cylinder":
        x, y, z = volume["base"]
        return _prism(_circle(x, z, volume["radius"]), y, y + volume["height"])
    return _prism(np.array(volume["points"], np.float64), volume["min_height"], volume["max_height"])


def _box(low: Sequence[float], high: Sequence[float]) -> F64:
    corners = np.array([(x, y, z) for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    return np.asarray(corners[_EDGES], np.float64)


def _prism(outline: F64, low: float, high: float) -> F64:
    """Both ends of an upright prism, and its upright edges: of a round one a few."""
    bottom = np.column_stack([outline[:, 0], np.full(len(outline), low), outline[:, 1]])
    top = bottom + np.array([0, high - low, 0])
    upright = np.stack([bottom, top], axis=1)[:: max(1, len(outline) // 6)]
    return np.concatenate([_ring(bottom), _ring(top), upright])


def _ring(corners: F64) -> F64:
    return np.stack([corners, np.roll(corners, -1, axis=0)], axis=1)


def _circle(x: float, z: float, radius: float) -> F64:
    angles = np.arange(_ROUND) * 2 * np.pi / _ROUND
    return np.column_stack([x + radius * np.cos(angles), z + radius * np.sin(angles)])


def _capsule(foot: Sequence[float], radius: float, height: float) -> F64:
    """An agent that stands there: two rings, and two round arches over it that meet above its head."""
    x, y, z = foot
    wide = min(radius, height / 2)
    rings = [_ring(np.insert(_circle(x, z, wide), 1, y + level, axis=1)) for level in (wide, height - wide)]
    angles = np.linspace(0, np.pi, _ROUND // 2 + 1)
    across, up = wide * np.cos(angles), wide * np.sin(angles)
    arch = np.concatenate([
        np.column_stack([across, height - wide + up]), np.column_stack([-across, wide - up]), [(wide, height - wide)]
    ])  # fmt: skip
    arches = []
    for axis in (0, 2):
        points = np.zeros((len(arch), 3))
        points[:, axis], points[:, 1] = arch.T
        points += (x, y, z)
        arches.append(np.stack([points[:-1], points[1:]], axis=1))
    return np.concatenate([*rings, *arches])
