"""`Crowd`: agents that walk a navmesh at the same time."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..navquery.answers import Paths
from ..navquery.batches import as_points, as_references
from ..navquery.query_filter import QueryFilter
from ..navquery.query_mesh import NO_POLYGON, QueryMesh
from ..navquery.status import PathStatus
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..threads import Workers
from ..types import F32, F64, I32, I64, U8
from .agents import Agents, CrowdRules, new_agents, wider, with_more
from .movement import jump_agents, part_rows, push_rows, walk_rows
from .neighbor_grid import grid_of
from .orca import no_walls, with_filter
from .states import ARRIVED, JUMPING, NO_WAY, STUCK, WALKING
from .steering import steer_rows, want_rows

# --- Paths of agents: the shortest path where areas cost alike, the cheapest polygons elsewhere.

_SPARE = 64  # polygons that an agent may stray into beside those of its path


class Planned(NamedTuple):
    """Agents at their starts, and how long their paths are."""

    agents: Agents
    length: F32  # (N,) metres; NaN where there is no path


def planned(query: NavQuery, starts: F32, ends: F32, chosen: QueryFilter, number: int) -> Planned:
    """Agents that stand where the navmesh is nearest to their starts, with paths to what is nearest to their ends."""
    paths = _paths(query, starts, ends, chosen)
    found, counts = paths.status == PathStatus.COMPLETE, np.diff(paths.polygon_offsets)
    agents, rule = new_agents(len(starts), int(counts[found].max(initial=1)) + _SPARE), chosen.rule()
    near = query.nearest(starts, filter=chosen)
    agents.position[:] = np.where(near.references[:, None] > 0, near.points, starts)
    agents.include[:], agents.exclude[:], agents.rule[:] = rule.include, rule.exclude, number
    agents.state[:], agents.goal[:] = np.where(found, WALKING, NO_WAY), ends
    _give_paths(agents, np.arange(len(starts)), paths, mesh_of(query)[1].polygons(paths.polygons))
    rows = np.flatnonzero(found)
    agents.position[rows], agents.goal[rows] = (
        paths.points[paths.offsets[rows]],
        paths.points[paths.offsets[rows + 1] - 1],
    )
    agents.place[:] = agents.position
    return Planned(agents, np.where(found, paths.length, np.nan).astype(np.float32))


def planned_again(query: NavQuery, agents: Agents, filters: list[QueryFilter]) -> Agents:
    """The same agents, those that are lost with new paths; who finds none keeps the old one."""
    for number, chosen in enumerate(filters):
        rows = np.flatnonzero((agents.lost > 0) & (agents.rule == number) & (agents.state != NO_WAY))
        if len(rows):
            paths = _paths(query, agents.place[rows], agents.goal[rows], chosen)
            agents = wider(agents, int(np.diff(paths.polygon_offsets).max(initial=0)) + _SPARE)
            _give_paths(agents, rows, paths, mesh_of(query)[1].polygons(paths.polygons))
    agents.lost[:] = 0
    return agents


def redirected(query: NavQuery, agents: Agents, rows: I64, ends: F32, filters: list[QueryFilter]) -> Agents:
    """The same agents, those in `rows` on their way to other ends.

    Who has the new end's polygon on its path keeps that as far as there; the others get new paths. Who finds none
    stands where it is; in the air it keeps the old one.
    """
    for number, chosen in enumerate(filters):
        mine = np.flatnonzero(agents.rule[rows] == number)
        if not len(mine):
            continue
        near = query.nearest(ends[mine], filter=chosen)
        polygons = mesh_of(query)[1].polygons(near.references)
        kept = np.array([_cut(agents, i, p) for i, p in zip(rows[mine].tolist(), polygons.tolist(), strict=True)], bool)
        agents.goal[rows[mine[kept]]] = near.points[kept]
        lost = mine[~kept]
        if len(lost):
            agents = _sent(query, agents, rows[lost], ends[lost], chosen)
    resting = rows[np.isin(agents.state[rows], (ARRIVED, STUCK))]
    agents.state[resting] = WALKING
    agents.waited[rows] = agents.lost[rows] = 0
    return agents


def _cut(agents: Agents, agent: int, polygon: int) -> bool:
    """End an agent's path in this polygon, if it leads through it."""
    size = int(agents.size[agent])
    found = np.flatnonzero(agents.paths[agent, :size] == polygon)
    if agents.state[agent] == NO_WAY or not len(found) or polygon == NO_POLYGON:
        return False
    first = int(found[-1])
    agents.paths[agent, : size - first], agents.size[agent] = agents.paths[agent, first:size].copy(), size - first
    return True


def _sent(query: NavQuery, agents: Agents, rows: I64, ends: F32, chosen: QueryFilter) -> Agents:
    """New paths from where others see these agents."""
    paths = _paths(query, agents.place[rows], ends, chosen)
    agents = wider(agents, int(np.diff(paths.polygon_offsets).max(initial=0)) + _SPARE)
    _give_paths(agents, rows, paths, mesh_of(query)[1].polygons(paths.polygons))
    found = paths.status == PathStatus.COMPLETE
    agents.goal[rows[found]] = paths.points[paths.offsets[1:][found] - 1]
    began = found & (agents.state[rows] == NO_WAY)  # who has not been on the navmesh yet
    agents.position[rows[began]] = agents.place[rows[began]] = paths.points[paths.offsets[:-1][began]]
    agents.state[rows[began]] = WALKING
    stands = rows[~found & (agents.state[rows] != JUMPING)]
    agents.state[stands], agents.velocity[stands], agents.speed[stands] = NO_WAY, 0, 0
    return agents


def _paths(query: NavQuery, starts: F32, ends: F32, chosen: QueryFilter) -> Paths:
    try:
        return query.find_paths(starts, ends, chosen, exact=True)
    except BadInput as refused:
        if refused.code != "UNEQUAL_COSTS":
            raise
    return query.find_paths(starts, ends, chosen, max_nodes=None, max_path=None, max_points=None)


def _give_paths(agents: Agents, rows: I64, paths: Paths, polygons: I32) -> None:
    for k, i in enumerate(rows.tolist()):
        if paths.status[k] == PathStatus.COMPLETE:
            own = polygons[paths.polygon_offsets[k] : paths.polygon_offsets[k + 1]]
            agents.paths[i, : len(own)], agents.size[i], agents.strays[i] = own[::-1], len(own), 0


_RANGES = {
    "radius": (0.01, 100.0), "height": (0.01, 1000.0), "max_speed": (0.01, 100.0), "max_acceleration": (0.01, 1e6),
    "time_horizon": (0.05, 60.0), "step": (0.001, 0.25), "seconds": (0.0, 86400.0), "frames_per_second": (1.0, 1000.0),
}  # fmt: skip
_MAX_NEIGHBORS = 64
EVERYBODY = QueryFilter()
_FARTHEST = 1e7  # metres
_WORTH_A_THREAD = 16  # agents
_ROUNDS = 5  # of moving apart who stands in each other
_ROUNDING = 1e-9  # seconds
_FASTEST = 2 * np.pi  # radians a second, of turning
_MOVES = 0.1  # of the largest speed: who is slower looks on


class Crowd:
    """Agents that walk to their ends, avoid each other, jump over links, and never leave the navmesh.

    Metres and seconds. `radius`: as wide as the agent that the navmesh was built for, unless given. `max_acceleration`
    is how quickly an agent gains and loses speed; it turns at once, and to avoid others it brakes as hard as it must.
    `time_horizon`: how early collisions are seen. `step`: what time passes in steps of. `seed`: who gives way to which
    side. The same calls give the same bytes, for every number of `threads`.

    How agents avoid each other: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", ISRR 2009.
    """

    def __init__(
        self, query: NavQuery, *, radius: float | None = None, height: float = 2.0, max_speed: float = 1.5,
        max_acceleration: float = 8.0, time_horizon: float = 1.5, step: float = 1 / 30, max_neighbors: int = 12,
        seed: int = 0, threads: int | None = 1,
    ) -> None:  # fmt: skip
        if not isinstance(query, NavQuery):
            raise BadInput(
                f"Crowd takes a NavQuery, not {type(query).__name__}. Make one of the navmesh.", "WRONG_KIND"
            )
        self._query = query.as_it_is()  # agents know polygons by their numbers
        self._mesh, self._threads = mesh_of(self._query)[0], threads
        numbers = {
            "height": height, "max_speed": max_speed, "max_acceleration": max_acceleration,
            "time_horizon": time_horizon, "step": step,
        }  # fmt: skip
        self._rules: CrowdRules = _rules_of(self._mesh, radius, max_neighbors, seed, numbers)
        self._agents: Agents = new_agents(0, 1)
        self._filters: list[QueryFilter] = []
        self._walls = no_walls(self._mesh)
        self._headings, self._lengths = np.zeros(0), np.zeros(0, np.float32)
        self._steps, self._behind = 0, 0.0

    def add(self, start: npt.ArrayLike, end: npt.ArrayLike, filter: QueryFilter | None = None) -> int:
        """One more agent; returns its number. Its way is found now."""
        return int(self.add_many(start, end, filter)[0])

    def add_many(self, starts: npt.ArrayLike, ends: npt.ArrayLike, filter: QueryFilter | None = None) -> I64:
        """An agent for each row; returns their numbers."""
        here = as_points("starts", starts)
        there = as_points("ends", ends, len(here))
        self._refuse_far("starts", here)
        self._refuse_far("ends", there)
        more = planned(self._query, here, there, filter or EVERYBODY, self._number_of(filter or EVERYBODY))
        self._agents = with_more(self._agents, more.agents)
        self._lengths = np.concatenate([self._lengths, more.length])
        self._headings = np.concatenate([self._headings, _first_headings(more.agents)])
        return np.arange(len(self) - len(here), len(self))

    def redirect(self, ends: npt.ArrayLike, agents: npt.ArrayLike | None = None) -> None:
        """Send agents somewhere else: those with these numbers, or all. One end for each, or one for all of them.

        A way that leads through the polygon of the new end is kept as far as there, as it is when an end is dragged
        along; else a new one is found. Who finds none stands where it is (`NO_WAY`); who is in the air keeps its end.
        """
        rows = np.arange(len(self)) if agents is None else as_references("agents", agents)
        if ((rows < 0) | (rows >= len(self))).any():
            raise BadInput(
                f"agents hold a number that none of the {len(self):,} has. Give what add_many returned.",
                "WRONG_QUESTION",
            )
        there = as_points("ends", ends)
        there = as_points("ends", there.repeat(len(rows), axis=0) if len(there) == 1 else there, len(rows))
        self._refuse_far("ends", there)
        self._agents = redirected(self._query, self._agents, rows, there, self._filters)

    @staticmethod
    def _refuse_far(name: str, points: F32) -> None:
        if not (np.abs(points) <= _FARTHEST).all():
            raise BadInput(
                f"{name} hold a coordinate that is not finite, or farther away than {_FARTHEST:,.0f} m. Give the "
                "places of agents in metres.",
                "WRONG_QUESTION",
            )

    def _number_of(self, filter: QueryFilter) -> int:
        if filter not in self._filters:
            self._walls = with_filter(self._walls, self._mesh, filter)
            self._filters.append(filter)
        return self._filters.index(filter)

    def step(self, seconds: float) -> None:
        """Let time pass, in whole steps; what is left of a step counts next time."""
        self._behind += checked("seconds", seconds)
        steps = int((self._behind + _ROUNDING) / self._rules.tick)
        self._behind = max(0.0, self._behind - steps * self._rules.tick)
        with Workers(self._threads) as workers:
            for _ in range(steps if len(self) else 0):
                self._step_once(workers)
        self._steps += steps

    def _step_once(self, workers: Workers) -> None:
        mesh, agents, rules = self._mesh, self._agents, self._rules
        jump_agents(mesh, agents, rules)
        cell = 2 * rules.radius + 2 * rules.max_speed * rules.horizon
        grid = grid_of(agents, cell)
        bands, pushes = workers.bands(len(self), _WORTH_A_THREAD), np.empty((len(self), 2))
        workers.run(want_rows, [(mesh, agents, rules, *band) for band in bands])
        workers.run(steer_rows, [(mesh, agents, self._walls, rules, grid, *band) for band in bands])
        workers.run(walk_rows, [(mesh, agents, rules, *band) for band in bands])
        for _ in range(_ROUNDS):
            workers.run(push_rows, [(agents, rules, grid, *band, pushes) for band in bands])
            if not pushes.any():
                break
            workers.run(part_rows, [(mesh, agents, pushes, *band) for band in bands])
        if agents.lost.any():
            self._agents = planned_again(self._query, agents, self._filters)
        self._headings = _turned(self._headings, agents.velocity, rules)

    def __len__(self) -> int:
        """How many agents there are."""
        return len(self._agents.state)

    @property
    def seconds(self) -> float:
        """How much time has passed, in whole steps."""
        return self._steps * self._rules.tick

    @property
    def radius(self) -> float:
        """Of each agent, in metres."""
        return self._rules.radius

    @property
    def positions(self) -> F32:
        """(N, 3) where agents stand now, or fly."""
        return self._agents.position.copy()

    @property
    def velocities(self) -> F64:
        """(N, 3) metres a second on the ground; the height is 0."""
        velocities = np.zeros((len(self), 3))
        velocities[:, ::2] = self._agents.velocity
        return velocities

    @property
    def headings(self) -> F64:
        """(N,) where agents look: radians around y, 0 along z, a quarter turn along x."""
        return self._headings.copy()

    @property
    def states(self) -> U8:
        """(N,) an `AgentState` each."""
        return self._agents.state.copy()

    @property
    def path_lengths(self) -> F32:
        """(N,) metres of the path of each agent as it was when it was added; NaN where there is none."""
        return self._lengths.copy()


# --- what agents go by


def _rules_of(
    mesh: QueryMesh, radius: float | None, max_neighbors: int, seed: int, numbers: Mapping[str, float]
) -> CrowdRules:
    """What agents go by. Without a radius they are as wide as the agent that the navmesh was built for."""
    built_for = float(mesh.tiles["agent_radius"].max(initial=0))
    wide = checked("radius", max(built_for, _RANGES["radius"][0]) if radius is None else radius)
    if isinstance(max_neighbors, bool) or not 1 <= max_neighbors <= _MAX_NEIGHBORS:
        raise BadInput(f"max_neighbors is {max_neighbors}. Give 1 to {_MAX_NEIGHBORS}.", "WRONG_QUESTION")
    if isinstance(seed, bool) or not (isinstance(seed, int | np.integer) and 0 <= seed < 2**32):
        raise BadInput(f"seed is {seed!r}. Give a whole number from 0 to 4294967295.", "WRONG_QUESTION")
    height, speed, acceleration, horizon, tick = (checked(name, number) for name, number in numbers.items())
    return CrowdRules(
        wide, height, max(0.0, wide - built_for), speed, acceleration, horizon, tick, int(max_neighbors), int(seed)
    )


def checked(name: str, value: float) -> float:
    """A number within the range of this name. Raises BadInput."""
    low, high = _RANGES[name]
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high:
        raise BadInput(f"{name} is {value!r}. Give a number from {low:g} to {high:g}.", "WRONG_QUESTION")
    return number


# --- where agents look: where they go, as quickly as one turns


def _turned(headings: F64, velocity: F64, rules: CrowdRules) -> F64:
    """The headings after one more step."""
    moves = (velocity**2).sum(axis=1) > (_MOVES * rules.max_speed) ** 2
    missing = np.where(moves, np.arctan2(velocity[:, 0], velocity[:, 1]) - headings, 0.0)
    missing = (missing + np.pi) % (2 * np.pi) - np.pi
    farthest = _FASTEST * rules.tick
    after: F64 = (headings + np.clip(missing, -farthest, farthest) + np.pi) % (2 * np.pi) - np.pi
    return after


def _first_headings(agents: Agents) -> F64:
    """Towards their ends."""
    path = agents.goal.astype(np.float64) - agents.position
    return np.arctan2(path[:, 0], path[:, 2])
