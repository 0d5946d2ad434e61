"""Heat: where a crowd was dense, where it lost time, and which places it lost it for, the worst first.

An agent loses time while it does not come forward along its way as fast as it would alone. A place before which agents
lose time is found by what becomes of them: who has been slow and then goes on has just passed it. Of the metres around
there the narrowest is named, measured across the agent's direction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BadInput
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..types import F32, F64, I64
from .states import JUMPING, NO_WAY
from .track import Track

_SLOW, _FAST = 0.5, 0.2  # part of the time that is lost: where an agent is slow, and where it goes on
_LEAST = 1.0  # seconds: who loses less at a time is not held up
_AROUND = 1.5  # seconds before and after going on within which the narrowest place is looked for
_SAMPLES = 13
_WIDEST = 20.0  # metres: across more nothing is measured
_SAME = 1.5  # metres between places that are the same one
_RANGE = (0.05, 100.0)  # metres of a cell
_MOST_CELLS = 1 << 24


class HeldUp(NamedTuple):
    """A place that agents lost time for."""

    at: tuple[float, float, float]
    width: float  # metres between walls, as the agents that the navmesh was built for have it
    seconds: float  # that were lost there
    agents: int  # that lost some


class Heat(NamedTuple):
    """Square cells of `cell` metres from `origin` (x and z) on, rows along z; and the places that hold agents up."""

    cell: float
    origin: tuple[float, float]
    density: F32  # (R, C) agents · s / m²
    time_lost: F32  # (R, C) s
    chokepoints: tuple[HeldUp, ...]  # the worst first

    def to_json(self) -> dict[str, object]:
        """As `navcore walk --heat NAME.json` writes it."""
        return {
            "format": 1, "cell": self.cell, "origin": list(self.origin),
            "density": np.round(self.density.astype(np.float64), 4).tolist(),
            "time_lost": np.round(self.time_lost.astype(np.float64), 4).tolist(),
            "chokepoints": [
                {"at": list(c.at), "width": c.width, "seconds": c.seconds, "agents": c.agents} for c in self.chokepoints
            ],
        }  # fmt: skip


def heat_of(query: NavQuery, track: Track, cell: float = 0.5) -> Heat:
    """The heat of a walk. Who has no way, and who is in the air, warms nothing."""
    if not (isinstance(cell, int | float) and _RANGE[0] <= cell <= _RANGE[1]):
        raise BadInput(f"cell is {cell!r}. Give {_RANGE[0]:g} to {_RANGE[1]:g} metres.", "WRONG_QUESTION")
    flat, on_ground = (
        track.positions[:, :, ::2].astype(np.float64),
        (track.states != NO_WAY) & (track.states != JUMPING),
    )
    low, shape = _extent(flat[on_ground], float(cell))
    column, row = np.moveaxis(np.floor((flat - low) / cell).astype(np.int64), 2, 0)
    lost = np.diff(track.lost.astype(np.float64), axis=1, prepend=0.0)
    places = (row * shape[1] + column)[on_ground]
    cells = shape[0] * shape[1]
    stays = np.bincount(places, minlength=cells).astype(np.float64) / track.frames_per_second
    late = np.bincount(places, np.maximum(lost, 0.0)[on_ground], minlength=cells)
    return Heat(
        float(cell), (float(low[0]), float(low[1])), (stays / cell**2).reshape(shape).astype(np.float32),
        late.reshape(shape).astype(np.float32), _chokepoints(query, track, lost),
    )  # fmt: skip


def _extent(points: F64, cell: float) -> tuple[F64, tuple[int, int]]:
    """Where cells begin, on whole multiples of their size, and how many rows and columns hold all points."""
    if not len(points):
        return np.zeros(2), (1, 1)
    low, high = np.floor(points.min(axis=0) / cell), np.floor(points.max(axis=0) / cell)
    columns, rows = (int(n) + 1 for n in high - low)
    if rows * columns > _MOST_CELLS:
        raise BadInput(
            f"Heat in cells of {cell:g} m is {rows * columns:,} cells, more than {_MOST_CELLS:,}. Give larger cells.",
            "TOO_LARGE",
        )
    return low * cell, (rows, columns)


# --- places that hold agents up


class _Delay(NamedTuple):
    """Time that one agent lost at a stretch."""

    agent: int
    frame: int  # in which it went on; the last one where it never did
    seconds: float
    ended: bool


def _chokepoints(query: NavQuery, track: Track, lost: F64) -> tuple[HeldUp, ...]:
    delays = [d for agent in range(len(lost)) for d in _delays(agent, lost[agent] * track.frames_per_second, track)]
    ended, going = [d for d in delays if d.ended], [d for d in delays if not d.ended]
    places, widths = _narrowest(query, track, ended or going)
    owner, middles = _grouped(places, widths)
    if not len(middles):
        return ()
    shares = [(d, int(k)) for d, k in zip(ended or going, owner, strict=True)]
    for d in going if ended else ():
        away = np.hypot(*(places[middles] - track.positions[d.agent, -1])[:, ::2].T)
        shares.append((d, int(np.argmin(away))))
    found = []
    for k, middle in enumerate(middles.tolist()):
        mine = [d for d, group in shares if group == k]
        x, y, z = (float(v) for v in places[middle])
        found.append(
            HeldUp((x, y, z), float(widths[middle]), sum(d.seconds for d in mine), len({d.agent for d in mine}))
        )
    return tuple(sorted(found, key=lambda place: -place.seconds))


def _delays(agent: int, rate: F64, track: Track) -> list[_Delay]:
    """From where an agent becomes slow to where it goes on. `rate`: seconds lost a second, frame by frame."""
    smooth = np.convolve(rate, np.ones(5) / 5, mode="same")
    found, since = [], -1
    for frame in np.flatnonzero((smooth > _SLOW) | (smooth < _FAST)).tolist():
        if smooth[frame] > _SLOW and since < 0:
            since = frame
        elif smooth[frame] < _FAST and since >= 0:
            found.append(_Delay(agent, frame, float(rate[since:frame].sum()) / track.frames_per_second, True))
            since = -1
    if since >= 0:
        found.append(_Delay(agent, len(rate) - 1, float(rate[since:].sum()) / track.frames_per_second, False))
    return [delay for delay in found if delay.seconds >= _LEAST]


def _narrowest(query: NavQuery, track: Track, delays: list[_Delay]) -> tuple[F64, F64]:
    """(N, 3) the narrowest place near where each went on, and how wide it is."""
    if not delays:
        return np.zeros((0, 3)), np.zeros(0)
    frames, last = track.positions.shape[1], _AROUND * track.frames_per_second
    offsets = np.linspace(-last, last, _SAMPLES)
    at = np.clip(np.array([d.frame for d in delays])[:, None] + np.round(offsets).astype(int), 0, frames - 1)
    agents = np.array([d.agent for d in delays])[:, None]
    points = track.positions[agents, at]
    step = max(1, round(last / (_SAMPLES - 1)))
    along = (
        track.positions[agents, np.minimum(at + step, frames - 1)] - track.positions[agents, np.maximum(at - step, 0)]
    )
    length = np.hypot(along[..., 0], along[..., 2])
    flat, across = points.reshape(-1, 3), np.stack([-along[..., 2], 0 * length, along[..., 0]], axis=-1)
    sides = (across / np.maximum(length, 1e-9)[..., None]).reshape(-1, 3).astype(np.float32)
    near = query.nearest(flat)
    left, right = (_reached(query, near.references, near.points, side) for side in (sides, -sides))
    widths = (left + right).reshape(len(delays), _SAMPLES)
    widths[(length < 1e-3) | (near.references == 0).reshape(widths.shape)] = np.inf
    chosen = np.argmin(widths, axis=1)
    rows = np.arange(len(delays))
    # The middle between both walls, as far as it was seen.
    shift = ((left - right) / 2).reshape(widths.shape)[rows, chosen, None] * sides.reshape(len(delays), _SAMPLES, 3)[
        rows, chosen
    ]
    radius = float(mesh_of(query)[0].tiles["agent_radius"].max(initial=0))
    least = widths[rows, chosen]
    return points[rows, chosen].astype(np.float64) + np.where(np.isfinite(least)[:, None], shift, 0), np.where(
        np.isfinite(least), least, 2 * _WIDEST
    ) + 2 * radius


def _reached(query: NavQuery, references: npt.NDArray[np.uint32], points: F32, side: F32) -> F64:
    """Metres to the next wall."""
    rays = query.raycast(references, points, points + side * np.float32(_WIDEST), max_polygons=1)
    metres: F64 = np.minimum(rays.parts.astype(np.float64), 1.0) * _WIDEST
    return metres


def _grouped(places: F64, widths: F64) -> tuple[I64, I64]:
    """Of each place the number of its group, and of each group the place that it goes by: its narrowest one."""
    owner, middles = np.full(len(places), -1, np.int64), []
    for k in np.argsort(np.round(widths, 2), kind="stable"):
        if owner[k] < 0:
            away = np.hypot(*(places - places[k])[:, ::2].T)
            owner[(owner < 0) & (away <= max(_SAME, widths[k]))] = len(middles)
            middles.append(int(k))
    return owner, np.array(middles, np.int64)
