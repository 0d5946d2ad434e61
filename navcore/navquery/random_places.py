"""Points at random: as Detour chooses them, or each square metre as likely as any other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..detour.byte_layout import GROUND
from ..errors import BadInput
from .answers import RandomPoints
from .kernels.on_polygon import ClosestRows, closest_rows
from .kernels.points import PointsOn
from .kernels.random_points import RandomRows, random_rows
from .query_filter import Rule
from .query_mesh import QueryMesh, References
from .status import FAILURE, SUCCESS

_WORD = 0xFFFFFFFF


def random_points(
    mesh: QueryMesh, names: References, count: int, rule: Rule, seed: int, like_detour: bool
) -> RandomPoints:
    if like_detour:
        return drawn(random_rows, (mesh, *names.tiles(), rule), names, count, seed)
    return _uniform(mesh, names, _checked(count), rule, seed)


def drawn(
    kernel: Callable[..., None], before: tuple[Any, ...], names: References, count: int, seed: int
) -> RandomPoints:
    """What a kernel draws, one point after the other from one sequence of numbers."""
    n = _checked(count)
    rows = RandomRows(np.empty(n, np.uint32), np.empty(n, np.int32), np.empty((n, 3), np.float32))
    kernel(*before, np.array([seed & _WORD], np.int64), rows)
    return RandomPoints(names.names(rows.polygons), rows.points, rows.status)


def _checked(count: int) -> int:
    if count < 0:
        raise BadInput(f"count is {count}. Give how many points to choose, 0 or more.", "WRONG_QUESTION")
    return int(count)


def _uniform(mesh: QueryMesh, names: References, count: int, rule: Rule, seed: int) -> RandomPoints:
    """A triangle of a polygon's fan by its area, a point of it, and the height of the ground there."""
    flags = mesh.polygons["flags"]
    passing = (flags & rule.include != 0) & (flags & rule.exclude == 0)
    chosen = np.flatnonzero((mesh.polygons["kind"] == GROUND) & passing)
    fans = mesh.polygons["corners"][chosen] - 2
    owner = np.repeat(chosen, fans)
    second = np.arange(len(owner)) - np.repeat(np.cumsum(fans) - fans, fans) + 1
    a, b, c = (mesh.outline[owner, corner].astype(np.float64) for corner in (0, second, second + 1))
    areas = np.abs((b - a)[:, 0] * (c - a)[:, 2] - (b - a)[:, 2] * (c - a)[:, 0])
    sums = np.cumsum(areas)
    if not len(sums) or sums[-1] <= 0:
        nothing = np.zeros(count, np.uint32)
        return RandomPoints(nothing, np.zeros((count, 3), np.float32), np.full(count, FAILURE, np.uint32))
    rng = np.random.default_rng(seed)
    triangle = np.minimum(np.searchsorted(sums, rng.random(count) * sums[-1], side="right"), len(sums) - 1)
    root, along = np.sqrt(rng.random((count, 1))), rng.random((count, 1))
    places = (1 - root) * a[triangle] + root * ((1 - along) * b[triangle] + along * c[triangle])
    asked = PointsOn(owner[triangle].astype(np.int32), places.astype(np.float32))
    rows = ClosestRows(np.full(count, SUCCESS, np.uint32), np.empty((count, 3), np.float32), np.empty(count, np.uint8))
    closest_rows(mesh, asked, False, 0, count, rows)
    return RandomPoints(names.names(asked.polygons), rows.points, rows.status)
