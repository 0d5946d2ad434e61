"""`Crowd`: agents that walk a navmesh at the same time."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..agent_sizes import AgentSize
from ..errors import BadInput, NavmeshError
from ..navquery.batches import as_points, as_references
from ..navquery.query_filter import QueryFilter, checked_filter
from ..navquery.query_mesh import QueryMesh
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..threads import Workers
from ..types import F32, F64, I64, U8, ArrayLike
from .agents import Agents, CrowdRules, new_agents, of_rows, with_more
from .contacts import Contacts, contacts_of, go_rows, hold_rows, part_rows
from .jams import Jams
from .movement import jump_agents, settle_rows
from .neighbor_grid import grid_of
from .orca import no_walls, with_filter
from .rounds import APART, THERE, shares_of, touch_rows
from .shared_ends import SharedEnds
from .start_places import moved_starts
from .states import NO_WAY
from .steering import steer_rows, want_rows
from .taking_turns import TakingTurns
from .ways import planned, planned_again, planned_from, redirected, sent_around, set_out

_RANGES = {
    "radius": (0.01, 100.0), "height": (0.01, 1000.0), "max_speed": (0.01, 100.0), "max_acceleration": (0.01, 1e6),
    "time_horizon": (0.05, 60.0), "step": (0.001, 0.25), "seconds": (0.0, 86400.0), "frames_per_second": (1.0, 1000.0),
    "cell": (0.05, 100.0),
}  # fmt: skip
_MAX_NEIGHBORS = 64
EVERYBODY = QueryFilter()
_FARTHEST = 1e7  # metres
_WORTH_A_THREAD, _MANY = 250, 4000  # agents; a step of 200 is too short to wake another thread for it
_CHOICES = 1 / 15  # seconds between two choices of a velocity
_CELL = 6.0  # radii
_TOLD = 8  # agents that a message names
_ROUNDING = 1e-6  # metres, or seconds


class _Group(NamedTuple):
    """Agents of one size that are added."""

    starts: F32
    ends: F32
    radii: F64
    speeds: F64 | None


class Crowd:
    """Agents that walk to their ends, avoid each other, jump over links, and never leave the navmesh.

    Metres and seconds. `radius`: as wide as the agent that the navmesh was built for, unless given. `max_acceleration`
    is how quickly an agent gains and loses speed; it turns at once, and to avoid others it brakes as hard as it must.
    `time_horizon`: how early collisions are seen. `step`: what time passes in steps of. `seed`: who of those
    that have waited holds back when. `size`: the name of the size that agents have, on a navmesh for several: they
    keep to its ground, and are as wide and as high. The same calls give the same bytes, for every number of `threads`.

    How agents avoid each other: van den Berg, Guy, Lin and Manocha, "Reciprocal n-body collision avoidance", ISRR 2009.
    """

    def __init__(
        self, query: NavQuery, *, radius: float | None = None, height: float = 2.0, max_speed: float = 1.5,
        max_acceleration: float = 8.0, time_horizon: float = 1.5, step: float = 1 / 30, max_neighbors: int = 8,
        seed: int = 0, threads: int | None = 1, size: str | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(query, NavQuery):
            raise BadInput(
                f"Crowd takes a NavQuery, not {type(query).__name__}. Make one of the navmesh.", "WRONG_KIND"
            )
        self._query = query.as_it_is()  # agents know polygons by their numbers
        self._mesh, self._threads = mesh_of(self._query)[0], threads
        self._size = None if size is None else self._query.size_called(size)
        if self._size is not None:
            radius, height = self._size.radius if radius is None else radius, self._size.height
        numbers = {
            "height": height, "max_speed": max_speed, "max_acceleration": max_acceleration,
            "time_horizon": time_horizon, "step": step,
        }  # fmt: skip
        self._rules: CrowdRules = _rules_of(self._mesh, radius, max_neighbors, seed, numbers)
        self._built_for = float(self._mesh.tiles["agent_radius"].max(initial=0))
        self._agents: Agents = new_agents(0, 1)
        self._filters: list[QueryFilter] = []
        self._walls = no_walls(self._mesh)
        self._lengths, self._shifts = np.zeros(0, np.float32), np.zeros(0)
        self._steps, self._behind = 0, 0.0
        self._contacts: Contacts | None = None
        self._shared, self._grouped, self._jams = SharedEnds(), True, Jams(self._query)
        self._turns, self._learned = TakingTurns(self._query), False

    __copy__ = copy.deepcopy  # a flat copy would share what each changes in place

    def add(self, start: ArrayLike, end: ArrayLike, filter: QueryFilter | None = None, size: str | None = None) -> int:
        """One more agent; returns its number. Its way is found now."""
        return int(self.add_many(start, end, filter, size=size)[0])

    def add_many(
        self, starts: ArrayLike, ends: ArrayLike, filter: QueryFilter | None = None,
        radius: ArrayLike | None = None, speed: ArrayLike | None = None, size: str | None = None,
    ) -> I64:  # fmt: skip
        """An agent for each row; returns their numbers.

        `radius` in metres and `speed` in metres a second, at most: of all of them, or one for each; without them the
        crowd's. Who would stand in another sets out beside it: `start_shifts` says how far. Where there is no ground
        for all, and where one is wider than the agent that the navmesh was built for, none is added.

        On a navmesh for several sizes each keeps to the ground of its `size`, or of the narrowest that is as wide as
        it: the flag of that size is excluded beside what `filter` excludes.
        """
        here = as_points("starts", starts)
        there = as_points("ends", ends, len(here))
        refuse_far("starts", here)
        refuse_far("ends", there)
        first, own = len(self), self._size if size is None else self._query.size_called(size)
        usual = self._rules.radius if size is None or own is None else own.radius
        wide = _per_agent("radius", "radius", radius, len(here))
        wide = np.full(len(here), usual) if wide is None else wide
        fast = _per_agent("speed", "max_speed", speed, len(here))
        chosen = self._sizes_of(wide, own)
        if radius is not None:  # the crowd's own, or a size's, may be what it likes
            self._refuse_wide(wide, chosen, first)
        rule = EVERYBODY if filter is None else checked_filter(filter)
        before = self._agents, self._lengths, self._shifts, self._rules, self._contacts
        order, numbers = list[I64](), chosen if chosen.size else np.zeros(len(here), np.int64)
        try:
            for number in np.unique(numbers).tolist() or [0]:
                rows = np.flatnonzero(numbers == number)
                group = _Group(here[rows], there[rows], wide[rows], None if fast is None else fast[rows])
                self._add_group(group, rule, None if not chosen.size else self._query.sizes[number])
                order.append(rows)
        except NavmeshError:
            self._agents, self._lengths, self._shifts, self._rules, self._contacts = before
            raise
        self._put_in_order(np.concatenate(order), first)
        return np.arange(first, len(self))

    def _add_group(self, group: _Group, given: QueryFilter, size: AgentSize | None) -> None:
        """Agents of one size, with its filter."""
        here, there, wide, fast = group
        chosen = given if size is None else replace(given, exclude=given.exclude | size.exclude)
        more = planned(self._query, here, there, chosen, self._number_of(chosen))
        agents = more.agents
        agents.radius[:] = wide
        agents.top[:] = self._rules.max_speed if fast is None else fast
        agents.clear[:] = np.maximum(0.0, agents.radius - (self._built_for if size is None else size.radius))
        rows, places = moved_starts(self._query, self._agents, agents, chosen, self._rules.height)
        shifts, lengths = np.zeros(len(here)), more.length
        if len(rows):
            shifts[rows] = np.hypot(*(places - agents.position[rows])[:, ::2].T)
            agents, lengths[rows] = planned_from(self._query, agents, rows, places, chosen)
        agents.heading[:] = _first_headings(agents)
        self._agents, self._grouped, self._learned = with_more(self._agents, agents), False, False
        self._contacts = None
        self._lengths, self._shifts = np.concatenate([self._lengths, lengths]), np.concatenate([self._shifts, shifts])
        self._rules = self._rules._replace(
            widest=float(self._agents.radius.max(initial=self._rules.radius)),
            fastest=float(self._agents.top.max(initial=self._rules.max_speed)),
        )

    def _put_in_order(self, order: I64, first: int) -> None:
        """Agents that were added size by size, as they were given; `order`: which of them each is."""
        if (np.diff(order) > 0).all():
            return
        rows = np.arange(len(self))
        rows[first + order] = np.arange(first, len(self))
        self._agents = of_rows(self._agents, rows)
        self._lengths, self._shifts = self._lengths[rows], self._shifts[rows]

    def _sizes_of(self, wide: F64, own: AgentSize | None) -> I64:
        """The number of each agent's size; nothing where the navmesh is for one."""
        sizes = self._query.sizes
        if not sizes:
            return np.zeros(0, np.int64)
        if own is not None:
            return np.full(len(wide), sizes.index(own))
        order = np.array(sorted(range(len(sizes)), key=lambda number: (sizes[number].radius, sizes[number].height)))
        radii = np.array([sizes[number].radius for number in order.tolist()]) + _ROUNDING
        found: I64 = order[np.minimum(np.searchsorted(radii, wide), len(order) - 1)]
        return found

    def _refuse_wide(self, wide: F64, chosen: I64, first: int) -> None:
        """Refuse agents that the navmesh is too close to walls for."""
        most = np.array([size.radius for size in self._query.sizes])[chosen] if chosen.size else self._built_for
        too_wide = np.flatnonzero(wide > np.maximum(most, _RANGES["radius"][0]) + _ROUNDING)
        if len(too_wide):
            told = ", ".join(str(first + int(k)) for k in too_wide[:_TOLD])
            told += " and more" if len(too_wide) > _TOLD else ""
            limit = float(np.broadcast_to(most, wide.shape)[too_wide[0]])
            raise BadInput(
                f"radius is {wide[too_wide[0]]:g} m for agents {told}: wider than the {limit:g} m that the navmesh was "
                f"built for, so that they would walk into walls. Give at most {limit:g}, or build for wider agents.",
                "AGENT_TOO_WIDE",
            )

    def redirect(self, ends: ArrayLike, agents: ArrayLike | None = None) -> None:
        """Send agents somewhere else: those with these numbers, or all. One end for each, or one for all of them.

        A way that leads through the polygon of the new end is kept as far as there, as it is when an end is dragged
        along; else a new one is found. Who finds none stands where it is (`NO_WAY`); who is in the air keeps its end.
        Who had no way until now, so that nobody heeded it, sets out beside others who stand there (`start_shifts`);
        where there is no ground for it, it has none now.
        """
        rows = np.arange(len(self)) if agents is None else as_references("agents", agents)
        if ((rows < 0) | (rows >= len(self))).any():
            raise BadInput(
                f"agents hold a number that none of the {len(self):,} has. Give what add_many returned.",
                "WRONG_QUESTION",
            )
        there = as_points("ends", ends)
        there = as_points("ends", there.repeat(len(rows), axis=0) if len(there) == 1 else there, len(rows))
        refuse_far("ends", there)
        without = np.unique(rows[self._agents.state[rows] == NO_WAY])
        agents = redirected(self._query, self._agents, rows, there, self._filters)
        began = without[agents.state[without] != NO_WAY]
        for number, chosen in enumerate(self._filters):
            mine = began[agents.rule[began] == number]
            if len(mine):
                agents, self._shifts[mine] = set_out(self._query, agents, mine, chosen, self._rules.height)
        self._agents, self._grouped, self._learned, self._contacts = agents, False, False, None

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
        mesh, agents = self._mesh, self._agents
        rules = self._rules = self._rules._replace(steps=self._rules.steps + 1)
        if not self._grouped:
            self._shared.group(agents)
            self._grouped = True
        self._shared.take_places(self._query, agents, self._filters, rules)
        jump_agents(mesh, agents, rules)
        if self._contacts is None:
            self._contacts = contacts_of(agents, rules)
        contacts = self._contacts
        contacts.before[:] = agents.place
        grid = grid_of(agents, max(_CELL * rules.widest, 2 * rules.widest + contacts.margin))
        bands = workers.bands(len(self), _WORTH_A_THREAD)
        workers.run(want_rows, [(mesh, agents, rules, *band) for band in bands])
        seen = self._as_seen(rules)
        workers.run(steer_rows, [(mesh, seen, self._walls, rules, grid, contacts, *band) for band in bands])
        if seen is not agents:
            agents.ahead[:] = np.where(self._turns.held, agents.ahead, seen.ahead)
        if len(bands) > 1 and len(self) >= _MANY:
            self._touch(workers, seen, contacts, bands)
        else:
            shares = shares_of(contacts, len(bands))
            workers.run(touch_rows, [(mesh, seen, agents, rules, contacts, rows) for rows in shares])
        if rules.steps % max(1, round(1 / rules.tick)) == 0:
            for row, polygons in self._jams.look(agents, rules, self._filters):
                agents = self._agents = sent_around(agents, row, polygons)
                self._learned = False
        if agents.lost.any():
            self._agents, self._learned = planned_again(self._query, agents, self._filters, self._jams), False

    def _touch(self, workers: Workers, seen: Agents, contacts: Contacts, bands: list[tuple[int, int]]) -> None:
        """Round by round, each in bands: of so many agents all may be one cluster."""
        mesh, rules, aims = self._mesh, self._rules, APART % 2
        shares = [np.arange(*band) for band in bands]
        for k in range(APART):
            workers.run(part_rows, [(mesh, seen, rules, contacts, k % 2, rows) for rows in shares])
        workers.run(hold_rows, [(seen, rules, contacts, aims, rows) for rows in shares])
        for k in range(THERE):
            workers.run(go_rows, [(mesh, seen, rules, contacts, k % 2, aims, rows) for rows in shares])
        workers.run(settle_rows, [(mesh, self._agents, rules, contacts, THERE % 2, rows) for rows in shares])

    def _as_seen(self, rules: CrowdRules) -> Agents:
        """Agents with the wishes that narrow ways leave them."""
        agents, turns = self._agents, self._turns
        if not self._learned:
            turns.learn(agents, rules, EVERYBODY)
            self._learned = True
        turns.look(agents, rules)
        return turns.as_seen(agents)

    def __len__(self) -> int:
        """How many agents there are."""
        return len(self._agents.state)

    @property
    def seconds(self) -> float:
        """How much time has passed, in whole steps."""
        return self._steps * self._rules.tick

    @property
    def radius(self) -> float:
        """Of agents that were added without one, in metres."""
        return self._rules.radius

    @property
    def radii(self) -> F64:
        """(N,) metres."""
        return self._agents.radius.copy()

    @property
    def start_shifts(self) -> F64:
        """(N,) metres that each set out beside its start, because others stand there."""
        return self._shifts.copy()

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
        return self._agents.heading.copy()

    @property
    def states(self) -> U8:
        """(N,) an `AgentState` each."""
        return self._agents.state.copy()

    @property
    def path_lengths(self) -> F32:
        """(N,) metres of the path of each agent as it was when it was added; NaN where there is none."""
        return self._lengths.copy()


# --- what agents go by


def refuse_far(name: str, points: F32 | F64) -> None:
    """Raises BadInput for places where no agent can be."""
    if not (np.abs(points) <= _FARTHEST).all():
        raise BadInput(
            f"{name} hold a coordinate that is not finite, or farther away than {_FARTHEST:,.0f} m. Give the "
            "places of agents in metres.",
            "WRONG_QUESTION",
        )


def _rules_of(
    mesh: QueryMesh, radius: float | None, max_neighbors: int, seed: int, numbers: Mapping[str, float]
) -> CrowdRules:
    """What agents go by. Without a radius they are as wide as the agent that the navmesh was built for."""
    built_for = float(mesh.tiles["agent_radius"].max(initial=0))
    wide = checked("radius", max(built_for, _RANGES["radius"][0]) if radius is None else radius)
    for name, number, low, high in (("max_neighbors", max_neighbors, 1, _MAX_NEIGHBORS), ("seed", seed, 0, 2**32 - 1)):
        if isinstance(number, bool) or not (isinstance(number, int | np.integer) and low <= number <= high):
            raise BadInput(f"{name} is {number!r}. Give a whole number from {low} to {high}.", "WRONG_QUESTION")
    height, speed, acceleration, horizon, tick = (checked(name, number) for name, number in numbers.items())
    between = max(1, round(_CHOICES / tick))
    return CrowdRules(
        wide, height, speed, wide, speed, acceleration, horizon, tick, int(max_neighbors), int(seed), 0, between
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


def _per_agent(name: str, range_of: str, given: ArrayLike | None, count: int) -> F64 | None:
    """A number for each of so many agents, within its range; None where none is given. Raises BadInput."""
    if given is None:
        return None
    try:
        values = np.broadcast_to(np.asarray(given, np.float64), (count,))
    except (TypeError, ValueError):
        raise BadInput(
            f"{name} is neither a number nor one for each of {count} agents. Give one of both.", "WRONG_QUESTION"
        ) from None
    low, high = _RANGES[range_of]
    for number in values[~((values >= low) & (values <= high))][:1].tolist():
        raise BadInput(f"{name} holds {number!r}. Give numbers from {low:g} to {high:g}.", "WRONG_QUESTION")
    return values


def _first_headings(agents: Agents) -> F64:
    """Towards their ends. One by one: NumPy's last digit depends on where in memory its arrays lie."""
    path = agents.goal.astype(np.float64) - agents.position
    return np.array([math.atan2(x, z) for x, _, z in path.tolist()])
