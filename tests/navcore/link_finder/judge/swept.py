"""An agent's capsule swept along the way of a link against triangles, in float64. Written apart from the finder.

Points are metres, y up. Nothing is rasterized: floors are found by upright rays, and what is hit by exact distances.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from navcore import Settings

from .distances import F64, Bools, cut_below, heights_over, to_upright_lines

STEP = 0.1  # metres of the way between two looks
TOUCH = 1e-4  # metres: who touches does not hit
NOTHING = -np.inf


class Solid:
    """Triangles in columns of 2 m, so that few of them are asked at a place."""

    SIDE = 2.0

    def __init__(self, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> None:
        self.corners: F64 = np.asarray(vertices, np.float64)[np.asarray(triangles, np.int64)]
        self._cells: dict[tuple[int, int], list[int]] = {}
        low = np.floor(self.corners.min(axis=1)[:, ::2] / self.SIDE).astype(int)
        high = np.floor(self.corners.max(axis=1)[:, ::2] / self.SIDE).astype(int)
        for t, ((x0, z0), (x1, z1)) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
            for x in range(x0, x1 + 1):
                for z in range(z0, z1 + 1):
                    self._cells.setdefault((x, z), []).append(t)

    def near(self, low: F64, high: F64) -> F64:
        """The triangles that may reach into a box seen from above, (T, 3, 3)."""
        (x0, z0), (x1, z1) = (np.floor(point / self.SIDE).astype(int).tolist() for point in (low, high))
        cells = [(x, z) for x in range(x0, x1 + 1) for z in range(z0, z1 + 1)]
        found = sorted({t for cell in cells for t in self._cells.get(cell, ())})
        return self.corners[found]

    def floors(self, places: F64) -> list[F64]:
        """Of each place (x, z) the heights of all surfaces over and under it, from the lowest up."""
        cells, which = np.unique(np.floor(places / self.SIDE).astype(int), axis=0, return_inverse=True)
        found: list[F64] = [np.zeros(0)] * len(places)
        for number, cell in enumerate(cells.tolist()):
            corners = self.corners[self._cells.get(tuple(cell), [])]
            rows = np.flatnonzero(which.ravel() == number)
            here = np.repeat(places[rows], len(corners), axis=0)
            heights, inside = heights_over(np.tile(corners, (len(rows), 1, 1)), here)
            shape = (len(rows), len(corners))
            for row, all_heights, over in zip(rows, heights.reshape(shape), inside.reshape(shape), strict=True):
                found[row] = np.sort(all_heights[over])
        return found

    def is_hit(self, capsules: Capsules) -> bool:
        """Whether any of the capsules meets a triangle above the height below which it forgives."""
        places, radius = capsules.places, capsules.radius
        corners = self.near(places.min(axis=0) - radius, places.max(axis=0) + radius)
        low, high = corners.min(axis=1), corners.max(axis=1)
        may = (high[None, :, 1] > capsules.forgiven[:, None]) & (low[None, :, 1] < capsules.head[:, None])
        for axis, side in ((0, 0), (2, 1)):
            may &= (low[None, :, axis] < places[:, None, side] + radius) & (
                high[None, :, axis] > places[:, None, side] - radius
            )
        capsule, triangle = np.nonzero(may)
        pieces, source = cut_below(corners[triangle], capsules.forgiven[capsule] + TOUCH)
        capsule = capsule[source]
        bottom, top = capsules.feet + radius, capsules.head - radius
        middle = (bottom + top) / 2
        bottom, top = np.minimum(bottom, middle)[capsule], np.maximum(top, middle)[capsule]
        return bool((to_upright_lines(pieces, places[capsule], bottom, top) < radius - TOUCH).any())


class Agent(NamedTuple):
    """Who is swept."""

    radius: float
    height: float
    climb: float

    @classmethod
    def of(cls, settings: Settings) -> Agent:
        """One that climbs a voxel more than it is said to: navmeshes know heights no better."""
        return cls(settings.agent_radius, settings.agent_height, settings.agent_max_climb + settings.cell_height)

    @classmethod
    def larger(cls, settings: Settings) -> Agent:
        """One that gets through only where there is room to spare."""
        radius, height = settings.agent_radius + settings.cell_size, settings.agent_height + 2 * settings.cell_height
        return cls(radius, height, settings.agent_max_climb)


class Capsules:
    """Where an agent is at each look."""

    def __init__(self, places: F64, feet: F64, agent: Agent, is_forgiven: Bools) -> None:
        self.places, self.feet, self.head, self.radius = places, feet, feet + agent.height, agent.radius
        self.forgiven = feet + np.where(is_forgiven, agent.climb, 0.0)


def ways_free(solid: Solid, start: F64, end: F64, edge: float, settings: Settings, agent: Agent) -> tuple[bool, bool]:
    """Whether the capsule comes from start to end along the arc of the link, and along any that it may mean.

    Straight down just beyond the edge, else along a parabola. What is up to two cells too far for straight down may
    mean that too: in voxels, whose corners lie 1.4 cells apart, an edge lies further out, and it is looked for every
    half cell. What the agent could climb is
    forgiven near the edge and the landing, at the edge while the feet are not below the start.
    """
    if math.isinf(edge):
        return False, False
    beyond = _beyond(start, end, edge, settings)
    straight = bool(end[1] <= start[1]) and beyond <= TOUCH
    strict = _is_free(solid, start, end, edge, settings, straight, agent)
    if strict or end[1] > start[1] or not TOUCH < beyond <= 2 * settings.cell_size + TOUCH:
        return strict, strict
    return False, _is_free(solid, start, end, edge, settings, True, agent)


def both_ways_free(
    solid: Solid, down: tuple[F64, F64, float], up: tuple[F64, F64, float], settings: Settings
) -> tuple[bool, bool]:
    """The same for a link that goes both ways, given from its higher end and from its lower one.

    Back from where one drops straight down one goes straight up, then over.
    """
    start, end, edge = down
    if math.isinf(edge):
        return False, False
    if _beyond(start, end, edge, settings) <= TOUCH:
        free = wall_free(solid, *down, settings)
        return free, free
    there, back = (ways_free(solid, *way, settings, Agent.of(settings)) for way in (down, up))
    is_wall_free = _beyond(start, end, edge, settings) <= 2 * settings.cell_size and wall_free(solid, *down, settings)
    return there[0] and back[0], is_wall_free or (there[1] and back[1])


def wall_free(solid: Solid, top: F64, foot: F64, edge: float, settings: Settings) -> bool:
    """Whether the capsule gets over an edge and straight down, which is as it gets up."""
    return not math.isinf(edge) and _is_free(solid, top, foot, edge, settings, True, Agent.of(settings))


def _beyond(start: F64, end: F64, edge: float, settings: Settings) -> float:
    """How far an end lies beyond those to which one drops straight down."""
    apart = float(np.hypot(*(end - start)[::2]))
    return apart - (edge + settings.agent_radius + 2 * settings.cell_size)


def _is_free(solid: Solid, start: F64, end: F64, edge: float, settings: Settings, straight: bool, agent: Agent) -> bool:
    apart, rise = float(np.hypot(*(end - start)[::2])), float(end[1] - start[1])
    apex = max(rise, min(settings.link_jump_height, max(0.0, rise) + apart / 4))
    parts, feet = straight_way(apart, rise) if straight else parabola(apart, rise, apex)
    at = parts * apart
    near_edge = (at <= edge + settings.agent_radius) & (feet >= -1e-9)
    places = start[::2] + parts[:, None] * (end - start)[::2]
    capsules = Capsules(places, start[1] + feet, agent, near_edge | (at >= apart - settings.agent_radius))
    return not solid.is_hit(capsules)


def straight_way(apart: float, rise: float) -> tuple[F64, F64]:
    """Level, then straight down: parts of the way, and the feet over the start."""
    level, fall = (np.linspace(0, 1, max(math.ceil(length / STEP), 1) + 1) for length in (apart, -rise))
    return np.concatenate([level, np.ones_like(fall)]), np.concatenate([np.zeros_like(level), rise * fall])


def parabola(apart: float, rise: float, apex: float) -> tuple[F64, F64]:
    """A throw that rises to its apex: parts of the way no further apart than a look, and the feet over the start."""
    up, down = math.sqrt(max(apex, 0.0)), math.sqrt(max(apex - rise, 0.0))
    peak = up / (up + down) if up + down else 0.5
    bend = (up + down) ** 2

    def feet(parts: F64) -> F64:
        return np.asarray(apex - bend * (parts - peak) ** 2)

    fine = np.linspace(0, 1, 1001)
    along = np.concatenate([[0.0], np.cumsum(np.hypot(np.diff(fine) * apart, np.diff(feet(fine))))])
    parts = np.interp(np.linspace(0, along[-1], max(math.ceil(along[-1] / STEP), 2) + 1), along, fine)
    return parts, feet(parts)
