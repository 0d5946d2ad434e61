"""The surface that a point stands on: its solid span, the triangle under the point, and what else is in its column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..builder.ground_window import Window, solid_in_window
from ..threads import Workers
from ..types import F64, I32, I64, NOT_WALKABLE, CompactHeightfield, Geometry, Heightfield
from .asked_level import AskedLevel, Spot

_ON_SURFACE = 0.01  # cell heights: a point that lies on the ground may be computed to lie just below it


class InColumn(NamedTuple):
    """What one triangle puts into one column."""

    triangle: int  # a row of the level's triangles
    bottom: int  # vx
    top: int
    area: int


class Surface(NamedTuple):
    """A surface under a point, and the window around it."""

    level: AskedLevel
    spot: Spot
    point: tuple[float, float, float]
    window: Window
    chosen: I32  # the level's triangles in the window
    geometry: Geometry  # they themselves, with areas
    stages: dict[str, Any]
    span: int  # solid, counted in the window; -1: nothing
    triangle: int  # under the point; -1: none

    @property
    def culprit(self) -> int | None:
        """The triangle under the point, as reasons name it."""
        return self.triangle if self.triangle >= 0 else None

    def solid(self, stage: str) -> Heightfield:
        heightfield: Heightfield = self.stages[stage]
        return heightfield

    def compact(self, stage: str) -> CompactHeightfield:
        heightfield: CompactHeightfield = self.stages[stage]
        return heightfield

    @property
    def column(self) -> tuple[int, int]:
        """In the window."""
        return self.spot.x - self.window.x0, self.spot.z - self.window.z0

    @property
    def open_span(self) -> int:
        """Of the span, where it is still walkable when space is made of matter."""
        return int(np.count_nonzero(self.solid("low_height").area[: self.span]))

    @property
    def top(self) -> int:
        return int(self.solid("rasterized").top[self.span])

    def number_of(self, x: int, z: int) -> int | None:
        """The window's column at (x, z) in the window; None beside it."""
        width, depth = self.window.x1 - self.window.x0, self.window.z1 - self.window.z0
        return x + z * width if 0 <= x < width and 0 <= z < depth else None

    def spans_of(self, number: int) -> range:
        first = self.solid("rasterized").first
        return range(int(first[number]), int(first[number + 1]))

    def in_column(self, x: int, z: int) -> list[InColumn]:
        """What each triangle puts into a column of the window, in the order of the triangles."""
        here = self._only(x, z)
        rows = self.level.around(self.spot, here, self.level.boxes.of(self.chosen))
        return list(_spans_of_triangles(self, here, rows))

    def own_part(self) -> InColumn | None:
        """What the triangle under the point puts into the span; None where it is not a part of it."""
        if self.triangle < 0:
            return None
        rows = np.flatnonzero(self.chosen == self.triangle).astype(np.int32)
        solid = self.solid("rasterized")
        bottom, top = int(solid.bottom[self.span]), int(solid.top[self.span])
        parts = _spans_of_triangles(self, self._only(*self.column), rows)
        return next((part for part in parts if bottom <= part.bottom and part.top <= top), None)

    def _only(self, x: int, z: int) -> Window:
        """One column of the window, as a window."""
        x, z = self.window.x0 + x, self.window.z0 + z
        return Window(x, x + 1, z, z + 1)

    def under_span(self, x: int, z: int, span: int) -> list[InColumn]:
        """What a span of that column is made of, from the lowest top up."""
        solid = self.solid("rasterized")
        bottom, top = int(solid.bottom[span]), int(solid.top[span])
        parts = [part for part in self.in_column(x, z) if bottom <= part.bottom and part.top <= top]
        return sorted(parts, key=lambda part: part.top)


def surface_at(level: AskedLevel, spot: Spot, point: tuple[float, float, float]) -> Surface:
    """The highest surface at or below the point, within the agent's height; `span` is -1 where there is none."""
    window, chosen, geometry, stages = level.ground(spot)
    height, triangle = _triangle_below(geometry, point, level)
    surface = Surface(level, spot, point, window, chosen, geometry, stages, -1, -1)
    if triangle >= 0:
        surface = surface._replace(triangle=int(chosen[triangle]))
    return surface._replace(span=_span_at(surface, height))


def _triangle_below(
    geometry: Geometry, point: tuple[float, float, float], level: AskedLevel
) -> tuple[float | None, int]:
    """The height of the highest triangle at or below the point within the agent's height, and which one it is."""
    corners = geometry.vertices[geometry.triangles].astype(np.float64)
    heights = heights_at(corners, point[0], point[2])
    settings = level.settings
    below = heights <= point[1] + _ON_SURFACE * settings.cell_height + 1e-6 * abs(point[1])
    heights = np.where(below & (heights >= point[1] - settings.agent_height), heights, -np.inf)
    if len(heights) == 0 or not np.isfinite(heights.max()):
        return None, -1
    highest = int(np.argmax(heights))
    return float(heights[highest]), highest


def heights_at(corners: F64, x: float, z: float) -> F64:
    """(T,) how high each of (T, 3, 3) triangles is at (x, z); NaN beside it, and for what is upright."""
    a, b, c = (corners[:, k][:, [0, 2]] - (x, z) for k in range(3))
    parts = np.stack([_cross(b, c), _cross(c, a), _cross(a, b)], axis=1)
    whole = parts.sum(axis=1)
    upright = np.abs(whole) <= 1e-12
    parts /= np.where(upright, 1.0, whole)[:, None]
    inside = ~upright & (parts >= -1e-7).all(axis=1)
    heights: F64 = np.where(inside, (parts * corners[:, :, 1]).sum(axis=1), np.nan)
    return heights


def _cross(a: F64, b: F64) -> F64:
    product: F64 = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    return product


def _span_at(surface: Surface, height: float | None) -> int:
    """The solid span of the surface: the one that holds the triangle, else the highest that begins below the point."""
    solid, number = surface.solid("rasterized"), surface.number_of(*surface.column)
    assert number is not None
    spans = surface.spans_of(number)
    grid = surface.spot.grid
    origin, step = float(grid.bounds_min[1]), float(grid.cell_height)
    bottoms, tops = solid.bottom.astype(np.int64), solid.top.astype(np.int64)  # below 0 there is no number of 16 bits
    if height is not None:
        at = (height - origin) / step
        for span in spans:
            if bottoms[span] - 1 <= at <= tops[span] + 1:
                return _nearer(bottoms, tops, spans, span, at)
        return -1
    at = (surface.point[1] - origin) / step
    reach = surface.level.settings.agent_height / step
    found = [s for s in spans if bottoms[s] <= at + _ON_SURFACE and at - tops[s] <= reach]
    return found[-1] if found else -1


def _nearer(bottoms: I64, tops: I64, spans: range, span: int, at: float) -> int:
    """Of a span and the one above it the one that holds the height."""
    if at > tops[span] and span + 1 in spans and abs(bottoms[span + 1] - at) < at - tops[span]:
        return span + 1
    return span


def _spans_of_triangles(surface: Surface, here: Window, rows: I32) -> Iterator[InColumn]:
    """Some of the window's triangles, each rasterized alone."""
    geometry = surface.geometry
    with Workers(1) as workers:
        for i in rows.tolist():
            one = Geometry(geometry.vertices, geometry.triangles[i : i + 1], geometry.area[i : i + 1])
            spans = solid_in_window(surface.spot.grid, one, surface.level.recipe, here, workers)
            if len(spans.top):
                yield InColumn(int(surface.chosen[i]), int(spans.bottom[0]), int(spans.top[0]), int(spans.area[0]))


def is_walkable(surface: Surface, stage: str) -> bool:
    """Whether the span is, after one of the stages of matter."""
    return bool(surface.solid(stage).area[surface.span] != NOT_WALKABLE)
