"""`find_cover`: places along the walls of a navmesh where somebody is hidden by what stands there."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..detour.reader import NavmeshFile
from ..errors import BadInput
from ..navquery.batches import in_pieces
from ..progress import Progress
from ..questions.asked import mesh_of
from ..questions.nav_query import NavQuery
from ..result.navmesh import NavMesh
from ..types import F64, I64
from .exposure import FARTHEST, body_heights, exposure_rows, eyes_on
from .hiding_places import IS_LOW, NONE, HidingPlaces, Looked, kinds_of, lean_rows, look_rows
from .sight import Sight, tree_in
from .triangle_tree import TriangleTree
from .walls_to_hide_at import AlongWalls, HidingAgent, agent_of_navmesh, along_walls

_STEP = 0.05  # metres between places that are looked at, and a quarter of the spacing at most
_BEFORE = 0.01  # metres that a place is from its wall at least
_CLOSEST, _WIDEST = 0.05, 1000.0  # metres of spacing
_AT_ONCE, _BODIES_AT_ONCE = 256, 16  # rows between two looks at the cancel flag
_TOLD = 512  # bodies between two reports


class Cover(NamedTuple):
    """N places of cover, one wall after the other; and the eyes that their exposure was measured with."""

    at: F64  # (N, 3) metres: on the navmesh, at the height of the level's ground
    towards: F64  # (N, 3) to what hides, level, of length 1
    kind: npt.NDArray[np.str_]  # (N,) "low" from 0.8 m, "high" from 1.6 m
    lean: npt.NDArray[np.bool_]  # (N, 2) one sees past it with a lean to the left, to the right, facing it
    height: F64  # (N,) metres above `at` up to which it hides
    exposure: F64  # (N,) 0: nobody sees who hides there, to 1
    eyes: F64  # (E, 3)

    def to_mapping(self) -> dict[str, Any]:
        """Ready for JSON: what `navcore cover` writes."""
        at, towards, height = np.round(self.at, 4), np.round(self.towards, 6) + 0.0, np.round(self.height, 4)
        rows = zip(at.tolist(), towards.tolist(), self.kind.tolist(), self.lean.tolist(), strict=True)
        more = zip(height.tolist(), np.round(self.exposure, 4).tolist(), strict=True)
        points = [
            {
                "at": place, "towards": way, "kind": kind,
                "lean": [name for name, leans in zip(("left", "right"), both, strict=True) if leans],
                "height": metres, "exposure": seen,
            }
            for (place, way, kind, both), (metres, seen) in zip(rows, more, strict=True)
        ]  # fmt: skip
        return {"format": 1, "points": points}


def find_cover(
    navmesh: NavMesh | NavmeshFile, sight: Sight, spacing: float = 0.5, *, threads: int | None = None,
    progress: Progress | None = None,
) -> Cover:  # fmt: skip
    """Places of cover along the walls of a navmesh, `spacing` metres apart, by the triangles that stand behind them.

    Each wall is looked at every 5 cm. From there, level lines lead away from the navmesh, as far as the agent's radius
    in whole cells, the error of outlines and two more cells. `height` is how high all of them are blocked, from 0.3 m
    on and but for gaps of 1 cm: 0.8 m and more is low cover, 1.6 m and more is high. Where the face that blocks them
    stands upright, `towards` is across it. What is narrower than 20 cm is none, and a mere drop never is.
    Along each stretch of a kind places stand at both ends and evenly between them; a corner begins another stretch.

    `lean`: who shifts by 0.5 m to that side, free of the level, sees past it for 2 m beyond those lines, at a height of
    0.7 m at low cover and of 1.5 m at high.

    `exposure`: `eyes` stand all over the navmesh, one for 4 m², at 0.8 of the agent's height. The body of who hides is
    a point above `at`: half as high as the kind hides (0.4 or 0.8 m), or half the agent's height if that is less. Of
    the eyes within 30 m of the body, in each of 16 directions (of 22.5°, from −x on, as `arctan2(z, x)` turns), the
    part is taken that `Sight.can_see` lets see the body; a direction without eyes counts as 0. The mean of these 16
    parts is the exposure.

    `navmesh`: built, or read by `read_navmesh`; `sight`: of the level that it was built from. The result is the same
    for any number of `threads`. Raises BadInput where no triangle lies under any wall.
    """
    tree, spacing = tree_in(sight), _checked(spacing)
    query = NavQuery(navmesh)
    if not len(query.references()):
        return _cover(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 2)), np.zeros(0), np.zeros((0, 3)))
    agent = agent_of_navmesh(navmesh)
    walls = along_walls(query, min(_STEP, spacing / 4))
    looked = _looked(tree, walls, agent, threads, progress)
    if len(looked.floor) and np.isnan(looked.floor).all():
        raise BadInput(
            f"The level has no ground at any of the {len(looked.floor):,} places that were looked at along the "
            "navmesh's walls. Give the level that it was built from, in metres, y up.",
            "LEVEL_ELSEWHERE",
        )
    chosen = chosen_places(walls, kinds_of(looked.height), looked.towards, spacing)
    at = walls.places.point[chosen]
    at[:, 1] = np.where(np.isnan(looked.floor[chosen]), at[:, 1], looked.floor[chosen])
    towards = np.zeros((len(chosen), 3))
    towards[:, [0, 2]] = looked.towards[chosen]
    kinds, leans = kinds_of(looked.height[chosen]), np.zeros((len(chosen), 2))
    before = (tree, at, towards, kinds, agent.reach.ahead)
    in_pieces(lean_rows, len(chosen), before, (leans,), threads, progress, _AT_ONCE)
    eyes = eyes_on(mesh_of(query)[0], agent.height)
    bodies = at.copy()
    bodies[:, 1] += body_heights(kinds == IS_LOW, agent.height)
    exposure = _exposure(tree, bodies, eyes, threads, progress)
    return _cover(at, towards, looked.height[chosen], leans, exposure, eyes)


def _looked(
    tree: TriangleTree, walls: AlongWalls, agent: HidingAgent, threads: int | None, progress: Progress | None
) -> Looked:
    """What stands at all places. Those that lie in a wall, at the outlines of thin agents, are moved out of it."""

    def looked_at(places: HidingPlaces) -> Looked:
        count = len(places.out)
        rows = Looked(np.empty(count), np.empty((count, 2)), np.empty(count), np.empty(count))
        in_pieces(look_rows, count, (tree, places, agent.reach), (rows,), threads, progress, _AT_ONCE)
        return rows

    point, out = walls.places
    looked = looked_at(walls.places)
    inside = np.flatnonzero((looked.away < _BEFORE / 2) & (looked.height > 0))
    if len(inside):
        moved = (looked.away[inside] - _BEFORE)[:, None] * looked.towards[inside]
        point[inside, 0] += moved[:, 0]
        point[inside, 2] += moved[:, 1]
        for rows, again in zip(looked, looked_at(HidingPlaces(point[inside], out[inside])), strict=True):
            rows[inside] = again
    return looked


def _exposure(tree: TriangleTree, bodies: F64, eyes: F64, threads: int | None, progress: Progress | None) -> F64:
    """How exposed bodies are, some hundreds after the other, as it takes most of the time."""
    windows = np.searchsorted(eyes[:, 0], bodies[:, :1] + np.array([-FARTHEST, FARTHEST]))
    exposure = np.zeros(len(bodies))
    for begin in range(0, len(bodies), _TOLD):
        part = slice(begin, begin + _TOLD)
        if progress is not None:
            progress.report("exposure", begin / len(bodies))
        before, after = (tree, bodies[part], eyes, windows[part]), (exposure[part],)
        in_pieces(exposure_rows, len(exposure[part]), before, after, threads, progress, _BODIES_AT_ONCE)
    return exposure


def _cover(at: F64, towards: F64, height: F64, leans: F64, exposure: F64, eyes: F64) -> Cover:
    kind = np.where(kinds_of(height) == IS_LOW, "low", "high")
    return Cover(at, towards, kind, leans != 0, height, exposure, eyes)


def _checked(spacing: float) -> float:
    metres = float(spacing) if isinstance(spacing, (int, float, np.number)) else math.nan
    if not _CLOSEST <= metres <= _WIDEST:
        raise BadInput(f"spacing is {spacing!r}. Give {_CLOSEST:g} to {_WIDEST:g} metres.", "WRONG_QUESTION")
    return metres


# --- Which of the places that hide somebody become cover: rows of them along what stands there, from end to end.

_NARROWEST = 0.19  # metres: posts and rails hide nobody
_STRAIGHT = np.cos(np.radians(40.0))  # of a turn within a row
_ROUNDED = 1e-6  # metres


def chosen_places(walls: AlongWalls, kinds: I64, towards: F64, spacing: float) -> I64:
    """The places of cover, at most about `spacing` apart: of each row both ends, and what lies even between them.

    A row is of one kind, and has no sharp turn: around a corner another begins. Of one that is shorter than half of
    the spacing the middle is taken.
    """
    rows = _rows(walls.chain, kinds, towards)
    chosen: list[npt.NDArray[np.int64]] = []
    for begin, end in rows[kinds[rows[:, 0]] != NONE].tolist():
        along, width = walls.along[begin:end], walls.width[begin:end]
        if width.sum() < _NARROWEST:
            continue
        far = along[-1] - along[0]
        count = int(np.ceil(far / spacing - _ROUNDED)) if far > spacing / 2 else 0
        wanted = along[0] + (far * np.arange(count + 1) / count if count else np.array([far / 2]))
        nearest = np.searchsorted((along[:-1] + along[1:]) / 2, wanted)
        chosen.append(begin + np.unique(nearest))
    return np.concatenate(chosen) if chosen else np.zeros(0, np.int64)


def _rows(chain: I64, kinds: I64, towards: F64) -> I64:
    """(R, 2) where each row begins, and where it ends."""
    if not len(chain):
        return np.zeros((0, 2), np.int64)
    same = (chain[1:] == chain[:-1]) & (kinds[1:] == kinds[:-1])
    same &= (towards[1:] * towards[:-1]).sum(axis=1) >= _STRAIGHT
    cuts = np.flatnonzero(~same) + 1
    return np.stack([np.concatenate([[0], cuts]), np.concatenate([cuts, [len(chain)]])], axis=1)
