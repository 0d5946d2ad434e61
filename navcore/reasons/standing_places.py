"""Where places of an intent stand: which polygon, how far aside of it and above it, and whether inside of a solid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ..build_warning import Point
from ..checked_fields import FARTHEST
from ..geometry.inside_solid import inside_solid
from ..questions.nav_query import NavQuery
from ..questions.nearest_pair import IslandGround
from ..settings import Settings
from ..types import F64, Geometry

_LOOKED = 10.0  # metres all around, to say how far away the navmesh is
_ROUNDING = 1e-3  # metres
_CENTERS = 64  # of polygons, that tell a solid from a shell around the level


class Limits(NamedTuple):
    """How far a place may lie from the navmesh and still be on it, in metres."""

    aside: float
    above: float  # or below

    @classmethod
    def of(cls, settings: Settings, aside: float | None = None, above: float | None = None) -> Limits:
        """Those that are asked for; else the agent's radius and a cell, which eroding takes, and its climb."""
        usual = settings.agent_radius + settings.cell_size
        climb = max(settings.agent_max_climb, 2 * settings.cell_height)  # a navmesh is no finer than that
        return cls(usual if aside is None else aside, climb if above is None else above)


class Stand(NamedTuple):
    """Where a place stands."""

    polygon: int = 0  # a reference; 0 where nothing is near enough, or the place is in a solid
    aside: float | None = None  # metres to the nearest ground, None where there is none within 10 m
    above: float | None = None  # likewise; below 0 where the place lies under it
    solid: bool = False
    limits: Limits = Limits(0.0, 0.0)

    @property
    def distance(self) -> str:
        """In words how far the navmesh is, where that is why it is not on it."""
        if self.polygon or self.aside is None or self.above is None:
            return ""
        if self.solid:
            return f"It lies inside of a solid; the navmesh is {self.aside:.2f} m aside of it. Move it out."
        parts = []
        if self.aside > self.limits.aside:
            parts.append(f"{self.aside:.2f} m aside (limit {self.limits.aside:.2f} m)")
        if abs(self.above) > self.limits.above:
            way = "below" if self.above > 0 else "above"
            parts.append(f"{abs(self.above):.2f} m {way} it (limit {self.limits.above:.2f} m)")
        return f"The navmesh is {' and '.join(parts)}." if parts else ""


def is_place(point: Point) -> bool:
    """Whether it is one that can be asked for."""
    return all(abs(part) <= FARTHEST for part in point)


def stands(query: NavQuery, points: Sequence[Point], limits: Sequence[Limits]) -> list[Stand]:
    """Where each point stands as far as the navmesh tells it."""
    return [
        _stand(query, point, limit) if is_place(point) else Stand() for point, limit in zip(points, limits, strict=True)
    ]


def _stand(query: NavQuery, point: Point, limits: Limits) -> Stand:
    """The ground within the limits, else how far the nearest is."""
    far = Stand(limits=limits)
    for extents in ((limits.aside, limits.above), (max(_LOOKED, limits.aside), max(_LOOKED, limits.above))):
        aside, above = (max(length, 1e-3) for length in extents)  # a box has a size
        found = query.nearest(point, (aside, above, aside))
        if found.references[0] == 0:
            continue
        x, y, z = (np.asarray(point, np.float64) - found.points[0]).tolist()
        far = far._replace(aside=math.hypot(x, z), above=y)
        if math.hypot(x, z) <= limits.aside + _ROUNDING and abs(y) <= limits.above + _ROUNDING:
            return far._replace(polygon=int(found.references[0]))
    return far


def without_solids(
    query: NavQuery, points: Sequence[Point], found: list[Stand], level: Geometry, settings: Settings,
    ground: Callable[[], IslandGround],
) -> list[Stand]:  # fmt: skip
    """The same with places off the navmesh that lie inside of a closed body: nobody stands there, however near it is.

    A body is no solid where the ground in it goes on outside, as that of a house with a door does, or where most of
    the navmesh lies inside as well, or all but its roof: it is a shell around the level then. What voxels round away is
    no depth.
    """
    up = np.array([0.0, settings.cell_height, 0.0])
    asked = [k for k, stand in enumerate(found) if stand.polygon]

    def inside(places: Sequence[Point] | F64) -> list[bool]:
        return inside_solid(
            level.vertices, level.triangles, np.asarray(places, np.float64).reshape(-1, 3) + up
        ).tolist()

    for k in [k for k, deep in zip(asked, inside([points[k] for k in asked]), strict=True) if deep]:
        stand = found[k]
        here = query.closest_points([stand.polygon], [points[k]]).points.astype(np.float64)
        if inside(here)[0]:
            whole = ground()
            number = int(query.islands([stand.polygon]).numbers[0])
            centers = _centers(whole)
            some, roof = _some(centers), points[k][1] + settings.agent_height
            deep_too = np.array(inside(some), bool)
            is_shell = 2 * deep_too.sum() > len(some) or bool((some[~deep_too, 1] > roof).all())
            if is_shell or not all(inside(_some(centers[whole.islands == number]))):
                continue
        found[k] = stand._replace(polygon=0, solid=True)
    return found


def _centers(ground: IslandGround) -> F64:
    """(P, 3) the middle of each polygon."""
    count = np.diff(ground.first)
    sums = np.zeros((len(count), 3))
    np.add.at(sums, np.repeat(np.arange(len(count)), count), ground.vertices[ground.corners].astype(np.float64))
    return sums / np.maximum(count, 1)[:, None]


def _some(centers: F64) -> F64:
    """At most so many, all over."""
    return centers[:: -(-len(centers) // _CENTERS) or 1]
