"""Narrow ways that are used from both sides: one side goes at a time, the other waits beside the mouth.

Who is about to go in is counted at its mouth. Where only one side comes nobody waits. Where both do, one of them goes
for a while, or until nobody of it is close; then nobody goes in until all who are within are out, and the next goes.
Who waits leaves the way out free: it steps off it, stands, and is seen by all others as one that rests. Where some of
both sides are within and nobody comes forward, those of the side with fewer go back.

It is all of what wishes agents have: with others' eyes and by the same rules as everybody they steer, and touch nobody.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..jit import borrowing, kernel
from ..navquery.query_filter import QueryFilter
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F64, I64, AnyInt
from .agents import ONWARD, Agents, CrowdRules
from .narrow_ways import INNER, NarrowWays, narrow_ways, no_narrow_ways
from .states import NEAR, STUCK, WAITING, WALKING

_ROOM = 1.3  # bodies of room for middles: with less two do not pass
_LOOKS = 1 / 5  # seconds from one look to the next
_POLYGONS = 10  # of a path in which a narrow way is looked for
_SIGHT = 7.0  # metres from its mouth
_CLOSE = 3.0  # metres: who is so near to a mouth wants to go in
_SPOTS, _CELL = 1.0, 2.0  # metres between places by which it is seen who is near, and of cells for that
_FIRST, _RANK = 1.5, 1.0  # bodies from a mouth, from which on the first one waits; and times the root of how many do
_TURN, _LONGER = 8.0, 1.5  # seconds that a side goes, and times the seconds that going through takes
_BEGINS, _GAP = 2.0, 2.5  # seconds that it has at least, and bodies to the next one for whom it ends early
_LEAVES = 1.7  # bodies behind a mouth that somebody is out
_BEND, _TURNED = 2.5, 0.2  # bodies around the middle of a bend that are within; and outside, of who has turned back
_LANE = 1.12  # bodies beside a narrow way that are kept free before its mouth
_ASIDE, _OUT = 0.7, 0.2  # of the largest speed: who steps off that
_BACK = 0.7  # likewise: who goes back
_HELD = 1.0  # seconds in which nobody within comes forward


class _Seen(NamedTuple):
    """R agents that are near narrow ways."""

    rows: I64
    within: I64  # (R,) the piece that each is in; -1: none
    mouth: I64  # (R,) through which it came in, or will; -1: none
    away: F64  # (R,) metres from there


class TakingTurns:
    """Who goes through narrow ways, and who waits."""

    def __init__(self, query: NavQuery) -> None:
        self._query, self._mesh = query, mesh_of(query)[0]
        self.ways: NarrowWays = no_narrow_ways()
        self._wish = np.zeros((0, 2))
        self._known = np.zeros(len(self._mesh.polygons), bool)
        self._close = self._in_sight = np.zeros(0, np.int64)  # cells
        self._came = np.zeros(0, np.int64)  # through which mouth each is within
        self._turn: dict[int, tuple[int, float]] = {}  # by passage: whose it is, and since when
        self._last: dict[int, float] = {}  # by mouth: when it had its turn last
        self._ends: set[int] = set()  # passages in which nobody else goes in
        self.held = np.zeros(0, bool)
        self._at = np.zeros(0, np.int64)  # by agent: the mouth that it is held at
        self.goes_back = np.zeros(0, bool)
        self._turn_back: dict[int, bool] = {}  # by passage: those of one side go back

    def learn(self, agents: Agents, rules: CrowdRules, chosen: QueryFilter) -> None:
        """Look for narrow ways where paths lead that have not been looked at."""
        columns = np.arange(agents.paths.shape[1])
        used = np.unique(agents.paths[columns[None] < agents.size[:, None]])
        if self._known[used].all():
            return
        self._known[used] = True
        width = 2 * rules.widest
        polygons = np.flatnonzero(self._known).astype(np.int32)
        found = narrow_ways(self._query, polygons, _ROOM * width, width, chosen)
        self.ways = NarrowWays._make(map(np.ascontiguousarray, found))
        self._seen(agents, np.zeros(0, np.int64), width)  # kernels are ready before anybody comes near
        self._turn, self._ends, self._last = {}, set(), {}
        self._came[:] = INNER
        spots = _spots_of(self.ways)
        self._close, self._in_sight = _cells_around(spots, _CLOSE + _SPOTS), _cells_around(spots, _SIGHT)

    def look(self, agents: Agents, rules: CrowdRules) -> None:
        """Decide who waits from now on."""
        count = len(agents.state)
        if len(self.held) != count:
            more = count - len(self.held)
            self._came = np.concatenate([self._came, np.full(more, INNER)])
            self._at, self._wish = np.zeros(count, np.int64), np.zeros((count, 2))
            self.held, self.goes_back = np.zeros(count, bool), np.zeros(count, bool)
        if not len(self.ways.middle) or rules.steps % max(1, round(_LOOKS / rules.tick)):
            return
        self.held[:] = self.goes_back[:] = False
        goes = (agents.state == WALKING) | (agents.state == WAITING) | (agents.state == STUCK)
        self._came[~goes] = INNER
        cells = self._in_sight if self._turn else self._close
        at = _cells_of(agents.position[:, ::2])
        near = cells[np.minimum(np.searchsorted(cells, at), len(cells) - 1)] == at
        rows = np.flatnonzero(goes & (near | (self._came >= 0)))
        if not len(rows):
            return
        seen, ways = self._seen(agents, rows, 2 * rules.widest), self.ways
        wants = (seen.mouth >= 0) & ((seen.within >= 0) | (seen.away < _CLOSE))
        passages = ways.mouth_passage[np.unique(seen.mouth[wants])]
        passages, counts = np.unique(passages, return_counts=True)
        crowded = passages[counts > 1]
        for known in (self._turn, self._turn_back):
            for passage in set(known) - set(crowded.tolist()):
                del known[passage]
        self._ends &= set(crowded.tolist())
        where = np.where(seen.mouth >= 0, ways.mouth_passage[seen.mouth], -1)
        for passage in crowded.tolist():
            mine = where == passage
            self._decide(agents, rules, passage, _Seen(*(values[mine] for values in seen)))
        held = np.flatnonzero(self.held)
        if len(held):
            self._wish[held] = self._aside(agents, held, 2 * rules.widest)

    def _seen(self, agents: Agents, rows: I64, body: float) -> _Seen:
        """Who is within, and who comes."""
        seen = _Seen(rows, np.empty_like(rows), np.empty_like(rows), np.empty(len(rows)))
        _look_around(self.ways, agents, self._came, len(self._mesh.polygons), body, seen)
        return seen

    def _decide(self, agents: Agents, rules: CrowdRules, passage: int, seen: _Seen) -> None:
        """Whose turn it is, and who waits for it."""
        now, body = rules.steps * rules.tick, 2 * rules.widest
        rows, inward, mouths, away = (values.tolist() for values in seen)  # they are few
        inside = dict.fromkeys(sorted(set(mouths)), 0)
        comes, waiting = inside.copy(), {mouth: list[tuple[float, int]]() for mouth in inside}
        for row, piece, mouth, far in zip(rows, inward, mouths, away, strict=True):
            if piece >= 0:
                inside[mouth] += 1
            else:
                comes[mouth] += far < _CLOSE
                waiting[mouth].append((far, row))
        whose, since = self._turn.get(passage, (INNER, now))
        wants = [mouth for mouth in inside if inside[mouth] + comes[mouth] > 0]
        if whose < 0:
            whose = max(wants, key=lambda mouth: (inside[mouth], comes[mouth], -mouth))
            since = now
        length = float((self.ways.high - self.ways.low)[self.ways.passage == passage].sum())
        crosses = length / float(agents.top[seen.rows].mean())
        next_one = min((far for far, _ in waiting.get(whose, ())), default=np.inf)
        over = now - since > _TURN + _LONGER * crosses
        over |= now - since > _BEGINS and next_one > _GAP * body
        if over:
            self._ends.add(passage)
        total = sum(inside.values())
        if passage in self._ends and not total:
            self._last[whose] = now
            whose = min((mouth for mouth in wants if mouth != whose), key=lambda m: (self._last.get(m, -1.0), m))
            since = now
            self._ends.discard(passage)
        self._turn[passage] = whose, since
        mixed = sum(number > 0 for number in inside.values()) > 1
        closed = passage in self._ends or mixed or inside.get(whose, 0) < total
        if mixed:
            within = seen.within >= 0
            most = max(inside, key=lambda mouth: (inside[mouth], -mouth))
            already = self._turn_back.get(passage, False)
            if already or (agents.waited[seen.rows[within]] * rules.tick).min() > _HELD:
                self._turn_back[passage] = True
                self.goes_back[seen.rows[within & (seen.mouth != most)]] = True
        else:
            self._turn_back.pop(passage, None)
        for mouth in inside:
            if mouth == whose and not closed:
                continue
            for k, (far, row) in enumerate(sorted(waiting[mouth])):
                if far <= body * (_FIRST + _RANK * k**0.5):
                    self.held[row], self._at[row] = True, mouth

    def as_seen(self, agents: Agents) -> Agents:
        """Agents as others see them, and as they wish: who waits rests beside the way out."""
        held, back = np.flatnonzero(self.held), np.flatnonzero(self.goes_back)
        agents.stalled[held] = 0  # it waits for its turn
        if not len(held) and not len(back):
            return agents
        seen = agents._replace(
            wanted=agents.wanted.copy(), onward=agents.onward.copy(), state=agents.state.copy(),
            ahead=agents.ahead.copy(), end=agents.end.copy(),
        )  # fmt: skip
        seen.state[held], seen.ahead[held] = NEAR, ONWARD
        seen.end[held] = np.float32(1e7)  # nobody takes its place behind them for its end
        seen.onward[held] = 0
        seen.wanted[held] = self._wish[held]
        way = -agents.onward[back]
        seen.onward[back], seen.wanted[back] = way, way * (_BACK * agents.top[back])[:, None]
        return seen

    def _aside(self, agents: Agents, rows: I64, body: float) -> F64:
        """Off the way out, to the side that has room; who stands beside it stands."""
        ways, mouth = self.ways, self._at[rows]
        out = ways.out[mouth]
        right = np.stack([-out[:, 1], out[:, 0]], axis=1)
        apart = agents.position[rows][:, ::2].astype(np.float64) - ways.mouth[mouth]
        before, side = (apart * out).sum(axis=1), (apart * right).sum(axis=1)
        free = ways.mouth_half[mouth] + _LANE * body
        most = np.hypot(*apart.T).max() + body
        turn = np.where(side + 0.02 * np.where(rows % 2 == 0, 1, -1) >= 0, 1.0, -1.0)
        roomy = ways.beside[mouth] >= free[:, None] + 0.2 * body
        turn = np.where(roomy[:, 0] & ~roomy[:, 1], 1.0, np.where(roomy[:, 1] & ~roomy[:, 0], -1.0, turn))
        turn = np.where(roomy.any(axis=1), turn, -1.0)  # where neither has: its own right
        blocks = (np.abs(side) < free) | (side * turn < 0)
        blocks &= (np.abs(side) < free) & (before < most)
        wish = right * turn[:, None] * _ASIDE + out * (_OUT * (before < body))[:, None]
        wishes: F64 = np.where(blocks[:, None], wish * agents.top[rows, None], 0.0)
        return wishes


@kernel
def _look_around(ways: NarrowWays, agents: Agents, came: I64, polygons: AnyInt, body: float, seen: _Seen) -> None:
    """Write what is seen of each agent, and through which mouth it has come that is within."""
    for n in range(len(seen.rows)):
        i = seen.rows[n]
        leads = _leads(ways, agents, i, polygons)
        piece, entry = -1, INNER
        if leads >= 0:
            piece = leads // 2
            entry = ways.ends[piece, 1 - leads % 2]  # towards high it comes in at low
        within, near = _within(ways, agents, i, came[i], body)
        x, z = float(agents.position[i, 0]), float(agents.position[i, 2])
        if came[i] >= 0:
            m = came[i]
            out = (x - ways.mouth[m, 0]) * ways.out[m, 0] + (z - ways.mouth[m, 1]) * ways.out[m, 1]
            if not near or (within < 0 and out > _TURNED * body):
                came[i] = INNER
        if came[i] < 0 and within >= 0:
            same = entry >= 0 and ways.passage[piece] == ways.passage[within]
            came[i] = entry if same else _came_in(ways, agents, i, within)
        mouth, away = came[i] if came[i] >= 0 else entry, np.inf
        if mouth >= 0:
            away = np.sqrt((x - ways.mouth[mouth, 0]) ** 2 + (z - ways.mouth[mouth, 1]) ** 2)
        if came[i] < 0 and away > _SIGHT:
            mouth = INNER
        seen.within[n], seen.mouth[n], seen.away[n] = max(within, 0) if came[i] >= 0 else -1, mouth, away


@borrowing
def _leads(ways: NarrowWays, agents: Agents, i: AnyInt, polygons: AnyInt) -> int:
    """The first narrow way on an agent's path, and in which direction; -1: none."""
    paths, size, keys = agents.paths, agents.size[i], ways.keys
    for k in range(size - 1, max(size - _POLYGONS, 0), -1):
        key = np.int64(paths[i, k]) * polygons + paths[i, k - 1]
        first, end = 0, len(keys)
        while first < end:
            middle = (first + end) // 2
            if keys[middle] < key:
                first = middle + 1
            else:
                end = middle
        if first < len(keys) and keys[first] == key:
            return int(ways.leads[first])
    return -1


@borrowing
def _within(ways: NarrowWays, agents: Agents, i: AnyInt, mouth: AnyInt, body: float) -> tuple[int, bool]:
    """In which piece an agent is, -1: in none; and whether it is still near the passage that it came into."""
    x, y, z = float(agents.position[i, 0]), float(agents.position[i, 1]), float(agents.position[i, 2])
    passage = ways.mouth_passage[mouth] if mouth >= 0 else -1
    within, near, more = -1, False, _LEAVES * body
    for k in range(len(ways.height)):
        dx, dz = x - ways.middle[k, 0], z - ways.middle[k, 1]
        along = dx * ways.along[k, 0] + dz * ways.along[k, 1]
        aside = abs(dx * ways.along[k, 1] - dz * ways.along[k, 0])
        if abs(y - ways.height[k]) >= 1.5 + abs(along) or aside > ways.half[k] + body:
            continue
        if within < 0 and aside <= ways.half[k] + 0.25 * body and ways.low[k] <= along <= ways.high[k]:
            within = k
        if ways.passage[k] == passage and ways.low[k] - more <= along <= ways.high[k] + more:
            near = True
    for k in range(len(ways.joint)):
        dx, dz = x - ways.joint[k, 0], z - ways.joint[k, 1]
        if ways.joint_passage[k] == passage and dx * dx + dz * dz < (_BEND * body) ** 2:
            near = True
    return within, near


@borrowing
def _came_in(ways: NarrowWays, agents: Agents, i: AnyInt, within: AnyInt) -> int:
    """The mouth through which one has come that is within, whose path does not lead through there."""
    onward, along = agents.onward, ways.along
    upward = onward[i, 0] * along[within, 0] + onward[i, 1] * along[within, 1] > 0
    behind, before = ways.ends[within, 0 if upward else 1], ways.ends[within, 1 if upward else 0]
    if behind >= 0:
        return int(behind)
    for mouth in range(len(ways.mouth_passage)):
        if ways.mouth_passage[mouth] == ways.passage[within] and mouth != before:
            return mouth
    return INNER


def _spots_of(ways: NarrowWays) -> F64:
    """(N, 2) mouths, bends, and places along pieces."""
    spots = [ways.mouth, ways.joint]
    for k in range(len(ways.middle)):
        along = np.arange(ways.low[k], ways.high[k] + _SPOTS, _SPOTS)
        spots.append(ways.middle[k] + ways.along[k] * along[:, None])
    return np.concatenate(spots)


def _cells_around(spots: F64, most: float) -> I64:
    """The cells, in order, with what is no farther from any spot than so many metres, and some more."""
    reach = int(most // _CELL) + 1
    around = np.mgrid[-reach : reach + 1, -reach : reach + 1].reshape(2, -1).T * _CELL
    return np.unique(_cells_of((spots[:, None] + around[None]).reshape(-1, 2)))


def _cells_of(places: npt.NDArray[np.floating[Any]]) -> I64:
    """The cell of each, as seen from above."""
    cells = np.floor(places / _CELL).astype(np.int64)
    found: I64 = (cells[:, 0] << 32) + cells[:, 1]
    return found
