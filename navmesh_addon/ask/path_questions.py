"""Questions about a way, or about a place, and their answers as lines to draw and facts to say. Needs no bpy.

Coordinates are navcore's: metres, y up.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ...navcore.build_warning import counted

if TYPE_CHECKING:
    from ...navcore.navquery.answers import Nearest, Paths, StraightPaths
    from ...navcore.navquery.query_filter import QueryFilter
    from ...navcore.questions.nav_query import NavQuery

F32 = npt.NDArray[np.float32]
U32 = npt.NDArray[np.uint32]
Facts = dict[str, Any]
_STEP = 0.25  # metres between two points of a line that follows the ground
_FAR = 100.0  # metres to which a wall is looked for
_STRAIGHT = 1e-3  # sine of the least angle that counts as a corner
_LINK_BEGINS = 4  # in the flags of a path's points
_NOTHING = np.zeros((0, 2, 3), np.float32)


class Question(NamedTuple):
    """What is asked of a navmesh."""

    mode: str  # a name of MODES
    start: tuple[float, float, float]
    end: tuple[float, float, float]
    filter: QueryFilter
    size: str = ""  # whose ground is kept to, on a navmesh for several sizes; "": whoever fits anywhere


class Answered(NamedTuple):
    """What there is to say and to draw."""

    facts: Facts  # as `navcore path --json` says them
    sentence: str  # all of it in one line
    lines: F32 = _NOTHING  # (L, 2, 3) along the ground
    over: U32 = np.zeros(0, np.uint32)  # (L,) the polygon under each line; 0 where it is a link's
    missing: F32 = _NOTHING  # (M, 2, 3) where the way does not go on
    polygons: U32 = np.zeros(0, np.uint32)  # that are meant


def answer(query: NavQuery, question: Question) -> Answered:
    """Ask, and time it. Raises BadInput for a size that the navmesh was not built for."""
    question = question._replace(filter=filter_for(query, question.size, question.filter))
    began = time.perf_counter()
    answered = _ASK[question.mode](query, question)
    microseconds = round((time.perf_counter() - began) * 1e6, 1)
    return answered._replace(facts={**answered.facts, "microseconds": microseconds})


def filter_for(query: NavQuery, size: str, chosen: QueryFilter) -> QueryFilter:
    """The filter of a size of agents; where the navmesh is for one, what is chosen says nothing."""
    return query.filter_of_size(size, chosen) if size and query.sizes else chosen


# --- ways


def _path(query: NavQuery, question: Question) -> Answered:
    paths = query.find_paths(
        question.start, question.end, question.filter, partial="closest", crossings="all", max_nodes=None,
        max_path=None, max_points=None,
    )  # fmt: skip
    return _way(query, question, paths)


def _shortest(query: NavQuery, question: Question) -> Answered:
    """Costs are left aside: it is the shortest, not the cheapest."""
    from ...navcore.navquery.query_filter import QueryFilter

    plain = QueryFilter(include=question.filter.include, exclude=question.filter.exclude)
    paths = query.find_paths(question.start, question.end, plain, exact=True, partial="closest")
    if len(paths.points) < 2:
        return _way(query, question, paths)
    ends = paths.points[:1], paths.points[-1:]
    line = query.straight_paths(*ends, paths.polygon_offsets, paths.polygons, crossings="all", max_points=None)
    return _way(query, question, paths, line)


def _way(query: NavQuery, question: Question, paths: Paths, line: StraightPaths | None = None) -> Answered:
    """`line`: the same one with a point wherever it enters a polygon, where `paths` has only its corners."""
    from ...navcore.navquery.status import PathStatus

    status = PathStatus(int(paths.status[0]))
    ids = query.link_ids(paths.polygons)
    missing = float(paths.missing[0])
    points = _corners(paths.points)
    facts: Facts = {
        "status": status.name.lower(),
        "length": float(paths.length[0]),
        "cost": float(paths.cost[0]),
        "points": points.astype(np.float64).tolist(),
        "polygons": len(paths.polygons),
        "links": ids[query.is_link(paths.polygons)].tolist(),
        "missing": None if missing != missing else missing,
        "expanded": int(paths.expanded[0]),
    }
    entered = paths if line is None else line
    lines, over = _on_the_ground(query, entered.points, entered.references, entered.flags)
    gap = _NOTHING
    if status == PathStatus.PARTIAL and len(points):
        gap = np.array([[points[-1], question.end]], np.float32)
    return Answered(facts, _said(facts, len(points)), lines, over, gap, paths.polygons)


def _said(facts: Facts, points: int) -> str:
    if facts["status"] in _NO_WAY:
        return _NO_WAY[facts["status"]]
    turns = max(0, points - 2)
    way = f"{facts['length']:.2f} m, cost {facts['cost']:.2f}, {turns} corner{'s' * (turns != 1)}"
    way += f", {facts['polygons']:,} polygon{'s' * (facts['polygons'] != 1)} ({facts['expanded']:,} searched)"
    if facts["links"]:
        way += f", {len(facts['links'])} link{'s' * (len(facts['links']) != 1)}"
    if facts["status"] == "partial":
        return f"No way to the end: {facts['missing']:.2f} m are missing. As far as it goes: {way}"
    return way if facts["status"] == "complete" else f"{facts['status'].replace('_', ' ').capitalize()}: {way}"


_NO_WAY = {
    "no_start": "There is no navmesh near the start: move it onto the navmesh",
    "no_end": "There is no navmesh near the end: move it onto the navmesh",
    "not_finite": "The start or the end is no place, or too far away",
}


def _midpoints(query: NavQuery, question: Question) -> Answered:
    near, far = _ends(query, question)
    if (lost := _lost(near, far)) is not None:
        return lost
    way = query.find_edge_corridors(near.references, far.references, near.points, far.points, question.filter)
    line = query.refined_paths(near.points, far.points, way.offsets, way.references, way="middle")
    points = line.points.astype(np.float32)
    length = float(np.linalg.norm(np.diff(points.astype(np.float64), axis=0), axis=1).sum())
    reached = len(way.references) > 0 and way.references[-1] == far.references[0]
    facts = {
        "status": "complete" if reached else "partial", "length": length, "points": points.astype(float).tolist(),
        "polygons": len(way.references),
    }  # fmt: skip
    said = f"{length:.2f} m over the middles of {counted(max(0, len(way.references) - 1), 'edge')}"
    lines = np.stack([points[:-1], points[1:]], axis=1) if len(points) > 1 else _NOTHING
    over = way.references[: len(lines)] if len(way.references) >= len(lines) else np.zeros(len(lines), np.uint32)
    return Answered(facts, said if reached else f"No way to the end. {said}", lines, over, polygons=way.references)


def _straight(query: NavQuery, question: Question) -> Answered:
    """Straight towards the end, along walls that stand in the way: as far as a walk without a plan comes."""
    near, far = _ends(query, question)
    if (lost := _lost(near, far)) is not None:
        return lost
    moved = query.move_along_surface(near.references, near.points, far.points, question.filter, max_visited=256)
    reached = moved.points[0].copy()
    if len(moved.references):
        height = query.heights(moved.references[-1:], moved.points)
        if np.isfinite(height.heights[0]):
            reached[1] = height.heights[0]
    missing = float(np.linalg.norm((reached - far.points[0])[[0, 2]].astype(np.float64)))
    facts = {
        "status": "complete" if missing < _STEP else "partial", "missing": missing,
        "points": [near.points[0].astype(float).tolist(), reached.astype(float).tolist()],
        "polygons": len(moved.references),
    }  # fmt: skip
    said = f"A walk straight on comes within {missing:.2f} m of the end" if missing >= _STEP else "A walk straight on"
    lines = np.array([[near.points[0], reached]], np.float32)
    gap = np.array([[reached, far.points[0]]], np.float32) if missing >= _STEP else _NOTHING
    return Answered(facts, said, lines, moved.references[:1], gap, moved.references)


def _raycast(query: NavQuery, question: Question) -> Answered:
    near, far = _ends(query, question, end_on_navmesh=False)
    if (lost := _lost(near, None)) is not None:
        return lost
    ray = query.raycast(near.references, near.points, far.points, question.filter, max_polygons=None)
    part = min(1.0, float(ray.parts[0]))
    start, end = near.points[0].astype(np.float64), far.points[0].astype(np.float64)
    hit = start + part * (end - start)
    if len(ray.references):
        height = query.heights(ray.references[-1:], hit[None].astype(np.float32))
        if np.isfinite(height.heights[0]):
            hit[1] = height.heights[0]
    length = float(np.linalg.norm(hit - start))
    blocked = part < 1.0
    facts = {
        "status": "partial" if blocked else "complete", "length": length, "points": [start.tolist(), hit.tolist()],
        "polygons": len(ray.references), "missing": float(np.linalg.norm(end - hit)) if blocked else 0.0,
    }  # fmt: skip
    said = f"A wall after {length:.2f} m" if blocked else f"Nothing stands in the way: {length:.2f} m"
    gap = np.array([[hit, end]], np.float32) if blocked else _NOTHING
    return Answered(facts, said, np.array([[start, hit]], np.float32), ray.references[:1], gap, ray.references)


# --- places


def _wall(query: NavQuery, question: Question) -> Answered:
    near, _ = _ends(query, question, end_on_navmesh=False)
    if (lost := _lost(near, None)) is not None:
        return lost
    wall = query.distance_to_wall(near.references, near.points, _FAR, question.filter, max_nodes=None)
    if not wall.hit[0]:
        return Answered({"status": "complete", "length": None}, f"No wall within {_FAR:g} m", polygons=near.references)
    distance = float(wall.distances[0])
    ends = np.array([[near.points[0], wall.points[0]]], np.float32)
    circle = _circle(near.points[0], distance)
    lines = np.concatenate([ends, circle])
    facts = {"status": "complete", "length": distance, "points": ends[0].astype(float).tolist()}
    return Answered(facts, f"{distance:.2f} m to the nearest wall", lines, np.zeros(len(lines), np.uint32))


def _around(query: NavQuery, question: Question) -> Answered:
    near, far = _ends(query, question, end_on_navmesh=False)
    if (lost := _lost(near, None)) is not None:
        return lost
    radius = float(np.linalg.norm((far.points[0] - near.points[0])[[0, 2]]))
    found = query.polygons_around(
        near.references, near.points, radius, question.filter, max_polygons=None, max_nodes=None
    )
    lines = _circle(near.points[0], radius)
    facts = {"status": "complete", "length": radius, "polygons": len(found.references)}
    said = f"{counted(len(found.references), 'polygon')} within {radius:.2f} m that can be reached inside the circle"
    return Answered(facts, said, lines, np.zeros(len(lines), np.uint32), polygons=found.references)


def _reach(query: NavQuery, question: Question) -> Answered:
    near, _ = _ends(query, question, end_on_navmesh=False)
    if (lost := _lost(near, None)) is not None:
        return lost
    found = query.reachable_from(near.references, question.filter).references
    facts = {"status": "complete", "polygons": len(found)}
    return Answered(facts, f"{counted(len(found), 'polygon')} can be reached from here", polygons=found)


# --- shared


def _ends(query: NavQuery, question: Question, end_on_navmesh: bool = True) -> tuple[Nearest, Nearest]:
    near = query.nearest(question.start, filter=question.filter)
    far = query.nearest(question.end, filter=question.filter)
    if not end_on_navmesh:
        far = far._replace(points=np.array([question.end], np.float32))
    return near, far


def _lost(near: Nearest, far: Nearest | None) -> Answered | None:
    """Where an end is on no navmesh."""
    for status, found in (("no_start", near), ("no_end", far)):
        if found is not None and found.references[0] == 0:
            return Answered({"status": status, "polygons": 0, "points": []}, _NO_WAY[status])
    return None


def _corners(points: F32) -> F32:
    """Without the points at which a line goes straight on, as seen from above."""
    if len(points) < 3:
        return points
    steps = np.diff(points[:, ::2].astype(np.float64), axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    turns = np.abs(steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0])
    ahead = (steps[:-1] * steps[1:]).sum(axis=1) >= 0
    straight = ahead & (turns <= _STRAIGHT * lengths[:-1] * lengths[1:])
    return points[np.concatenate([[True], ~straight, [True]])]


def _on_the_ground(query: NavQuery, points: F32, references: U32, flags: npt.NDArray[np.uint8]) -> tuple[F32, U32]:
    """A path's line in pieces that lie on the ground: what a link leads over stays straight."""
    if len(points) < 2:
        return _NOTHING, np.zeros(0, np.uint32)
    ends = points.astype(np.float64)
    counts = np.maximum(1, np.ceil(np.linalg.norm(np.diff(ends, axis=0), axis=1) / _STEP)).astype(np.int64)
    links = (flags[:-1] & _LINK_BEGINS) != 0
    counts[links] = 1
    of = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
    places = ends[of] + (number / counts[of])[:, None] * (ends[of + 1] - ends[of])
    on = references[of]
    found = query.heights(on, places.astype(np.float32)).heights
    sound = np.isfinite(found) & ~links[of] & (on != 0)  # also where it enters a polygon, whose edges are straight
    places[sound, 1] = found[sound]
    line = np.concatenate([places, ends[-1:]]).astype(np.float32)
    return np.stack([line[:-1], line[1:]], axis=1), np.where(links[of], np.uint32(0), on).astype(np.uint32)


def _circle(middle: F32, radius: float) -> F32:
    """Lines around a place, level."""
    angles = np.linspace(0, 2 * np.pi, 65)
    rim = middle + radius * np.stack([np.cos(angles), np.zeros(65), np.sin(angles)], axis=1)
    return np.stack([rim[:-1], rim[1:]], axis=1).astype(np.float32)


_ASK: dict[str, Callable[[NavQuery, Question], Answered]] = {
    "PATH": _path, "SHORTEST": _shortest, "MIDPOINTS": _midpoints, "STRAIGHT": _straight, "RAYCAST": _raycast,
    "WALL": _wall, "CIRCLE": _around, "REACH": _reach,
}  # fmt: skip
