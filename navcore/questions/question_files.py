"""Questions and answers as NPZ files: every question Detour answers about pairs of points, under fixed names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..errors import BadInput
from ..files.npz import read_arrays
from ..navquery.query_filter import AREAS, QueryFilter
from ..progress import Progress
from ..types import F32, I32, I64, U32, AnyArray
from .nav_query import NavQuery

WALL_RADIUS, AROUND_RADIUS = 100.0, 5.0  # metres
_EXTENTS = (2.0, 4.0, 2.0)
_INCLUDE, _EXCLUDE = 0xFFEF, 0
_COSTS = {1: 10.0, 4: 2.0, 5: 1.5}
_MOST_NODES, _MOST_PATH = 2048, 256
_STRAIGHT = {"straight0": "none", "straight1": "areas", "straight2": "all"}
_NAMES = {"points", "extents", "include", "exclude", "costs", "max_nodes", "max_path"}

Answers = dict[str, AnyArray]


class Questions(NamedTuple):
    """What a file asks."""

    starts: F32
    ends: F32
    extents: AnyArray
    filter: QueryFilter
    max_nodes: int
    max_path: int


def read_questions(path: Path) -> Questions:
    """Read `points` (N, 6), and what else is there; the rest is as RecastDemo has it. Raises BadInput."""
    arrays = read_arrays(path)
    if unknown := sorted(set(arrays) - _NAMES):
        raise BadInput(
            f"{path} holds {', '.join(unknown)}. Questions are {', '.join(sorted(_NAMES))}.", "WRONG_QUESTION"
        )
    points = arrays.get("points")
    if points is None or points.ndim != 2 or points.shape[1] != 6 or points.dtype.kind not in "fiu":
        raise BadInput(f"{path} needs an array points of (N, 6) numbers: start and end of each row.", "WRONG_QUESTION")
    costs = arrays.get("costs")
    if costs is not None and (costs.shape != (AREAS,) or costs.dtype.kind not in "fiu"):
        raise BadInput(
            f"costs in {path} has the shape {costs.shape}. Give {AREAS} numbers, one an area.", "WRONG_QUESTION"
        )
    by_area = _COSTS if costs is None else dict(enumerate(map(float, costs)))
    asked = np.array(points, np.float32)
    return Questions(
        asked[:, :3].copy(), asked[:, 3:].copy(), arrays.get("extents", np.array(_EXTENTS)),
        QueryFilter(by_area, _number(arrays, "include", _INCLUDE), _number(arrays, "exclude", _EXCLUDE)),
        _number(arrays, "max_nodes", _MOST_NODES), _number(arrays, "max_path", _MOST_PATH),
    )  # fmt: skip


def _number(arrays: Mapping[str, AnyArray], name: str, default: int) -> int:
    given = arrays.get(name)
    if given is None:
        return default
    if given.size != 1 or given.dtype.kind not in "iu":
        raise BadInput(f"{name} is not one whole number. Give a single one.", "WRONG_QUESTION")
    return int(given.reshape(-1)[0])


def answers_to(
    query: NavQuery, questions: Questions, threads: int | None = None, progress: Progress | None = None
) -> Answers:
    """Detour's answers to all questions at once. A row without its polygons has zeros."""
    ask: dict[str, Any] = {"threads": threads, "progress": progress}
    starts, ends, who = questions.starts, questions.ends, questions.filter
    here, there = (query.nearest(points, questions.extents, who, **ask) for points in (starts, ends))
    answers: Answers = {
        "points": np.concatenate([starts, ends], axis=1),
        "start_ref": here.references, "end_ref": there.references,
        "start_nearest": here.points, "end_nearest": there.points, "start_over": here.over, "end_over": there.over,
    }  # fmt: skip
    answers |= _ways(query, questions, here.references, there.references, here.points, there.points, ask)
    answers |= _from_starts(query, questions, here.references, here.points, ask)
    box = query.polygons_in_box(starts, questions.extents, who, **ask)
    return {**answers, "box_count": _counts(box.offsets), "box_refs": box.references}


def _ways(
    query: NavQuery, questions: Questions, first: U32, last: U32, here: F32, there: F32, ask: Mapping[str, Any]
) -> Answers:
    both = (first != 0) & (last != 0)
    way = query.find_corridors(
        first, last, here, there, questions.filter, max_nodes=questions.max_nodes, max_path=questions.max_path, **ask
    )
    answers: Answers = {
        "path_status": np.where(both, way.status, np.uint32(0)),
        "path_count": _counts(way.offsets), "path_refs": way.references,
    }  # fmt: skip
    for name, crossings in _STRAIGHT.items():
        line = query.straight_paths(
            here, way.aims, way.offsets, way.references, crossings=crossings, max_points=questions.max_path, **ask
        )
        answers[f"{name}_status"] = np.where(both, line.status, np.uint32(0))
        answers[f"{name}_count"] = _counts(line.offsets)
        answers |= {f"{name}_pts": line.points, f"{name}_flags": line.flags, f"{name}_refs": line.references}
    return answers


def _from_starts(query: NavQuery, questions: Questions, first: U32, here: F32, ask: Mapping[str, Any]) -> Answers:
    """What needs no end polygon: rays, walls, walks, heights, polygons around."""
    who, nodes = questions.filter, questions.max_nodes
    ray = query.raycast(first, here, questions.ends, who, max_polygons=questions.max_path, **ask)
    wall = query.distance_to_wall(first, here, WALL_RADIUS, who, max_nodes=nodes, **ask)
    move = query.move_along_surface(first, here, questions.ends, who, **ask)
    height = query.heights(first, here, **ask)
    around = query.polygons_around(first, here, AROUND_RADIUS, who, max_nodes=nodes, **ask)
    said = {
        name: np.where(first != 0, answer.status, np.uint32(0))
        for name, answer in (("ray", ray), ("wall", wall), ("move", move), ("height", height), ("circle", around))
    }
    return {
        "ray_status": said["ray"], "ray_t": ray.parts, "ray_normal": ray.normals, "ray_cost": ray.costs,
        "ray_edge": ray.edges, "ray_count": _counts(ray.offsets), "ray_refs": ray.references,
        "wall_status": said["wall"], "wall_dist": wall.distances, "wall_pos": wall.points,
        "wall_normal": wall.normals, "move_status": said["move"], "move_pos": move.points,
        "move_count": _counts(move.offsets), "move_refs": move.references, "height_status": said["height"],
        "height": height.heights, "circle_status": said["circle"], "circle_count": _counts(around.offsets),
        "circle_refs": around.references, "circle_parents": around.parents, "circle_cost": around.costs,
    }  # fmt: skip


def _counts(offsets: I64) -> I32:
    return np.diff(offsets).astype(np.int32)
