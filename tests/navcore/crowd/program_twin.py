"""The best velocity by looking at everything that can be it, and the least bad one by narrowing down from all sides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence

Plane = tuple[float, float, float]
Velocity = tuple[float, float]
_SLACK = 1e-7


def nearest_velocity(planes: Sequence[Plane], most: float, wish: Velocity) -> Velocity | None:
    """Of the wish, its nearest points on all borders, and all places where two borders meet, the nearest allowed."""
    allowed = [
        v for v in _candidates(planes, most, wish)
        if math.hypot(*v) <= most + _SLACK and all(a * v[0] + b * v[1] >= c - _SLACK for a, b, c in planes)
    ]  # fmt: skip
    return min(allowed, key=lambda v: math.dist(v, wish), default=None)


def _candidates(planes: Sequence[Plane], most: float, wish: Velocity) -> Iterator[Velocity]:
    yield wish
    speed = math.hypot(*wish)
    if speed > 0:
        yield wish[0] / speed * most, wish[1] / speed * most
    for a, b, c in planes:
        t = c - a * wish[0] - b * wish[1]
        yield wish[0] + t * a, wish[1] + t * b
        if abs(c) <= most:
            s = math.sqrt(most * most - c * c)
            yield c * a - s * b, c * b + s * a
            yield c * a + s * b, c * b - s * a
    for (a, b, c), (d, e, f) in itertools.combinations(planes, 2):
        if abs(det := a * e - b * d) > 1e-12:
            yield (c * e - b * f) / det, (a * f - c * d) / det


def badness(planes: Sequence[Plane], v: Velocity) -> float:
    """How far a velocity is outside of the half-plane that it is farthest outside of."""
    return max(c - a * v[0] - b * v[1] for a, b, c in planes)


def least_badness(walls: Sequence[Plane], planes: Sequence[Plane], most: float) -> float:
    """The smallest badness within walls and disc: a convex function, narrowed down in x, and for each x in z."""

    def at(x: float, z: float) -> float:
        outside = max((c - a * x - b * z for a, b, c in walls), default=0.0)
        return badness(planes, (x, z)) + 1e4 * max(outside, 0.0)

    def over_z(x: float) -> float:
        side = math.sqrt(max(most * most - x * x, 0.0))
        return _lowest(lambda z: at(x, z), -side, side)

    return _lowest(over_z, -most, most)


def _lowest(function: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(90):
        third = (high - low) / 3
        if function(low + third) <= function(high - third):
            high -= third
        else:
            low += third
    return function((low + high) / 2)
