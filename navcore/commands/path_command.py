"""`navcore path`: the way from one point to another, for people or as JSON."""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..build_warning import counted
from ..errors import BadInput
from ..formats.read_any import read_navmesh
from ..navquery.answers import LongPaths, Paths
from ..navquery.query_filter import QueryFilter
from ..navquery.status import PathStatus
from ..questions.moved_ends import moved_ends, warnings_of
from ..questions.nav_query import NavQuery
from ..reasons.intent import CLOSED
from ..result.navmesh import NavMesh
from .acceptance_gates import ANY, given_codes
from .clearance_facts import clearance_lines, clearance_on
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED

ENDS = ("start", "end")
_SAID = {
    PathStatus.COMPLETE: "the path leads to its end",
    PathStatus.PARTIAL: "the end cannot be reached; the path ends on the way",
    PathStatus.OUT_OF_NODES: "the search ran out of nodes before it had looked everywhere",
    PathStatus.TRUNCATED: "the path is longer than Detour's 256 polygons and was cut off",
    PathStatus.NO_START: "there is no navmesh near the start",
    PathStatus.NO_END: "there is no navmesh near the end",
    PathStatus.NOT_FINITE: "the start or the end is farther away than can be computed with",
}


def run(arguments: argparse.Namespace) -> int:
    """Find the way and say it. Exit status 0 for a complete path, 3 for any other answer or a warning of --fail-on."""
    codes = given_codes(arguments.fail_on)
    answer = path_answer(arguments)
    write_out(json.dumps(answer) + "\n" if arguments.json else _text(answer))
    for told in answer["warnings"]:
        write_error(f"navcore: warning: {told['code']}: {told['message']}")
    closed = any(ANY in codes or told["code"] in codes for told in answer["warnings"])
    return DONE if answer["status"] == PathStatus.COMPLETE.name.lower() and not closed else GATE_FAILED


def path_answer(arguments: argparse.Namespace) -> dict[str, Any]:
    """What there is to say about the way. Raises NavmeshError."""
    file = read_navmesh(arguments.file)
    query = NavQuery(file)
    _set_doors(query, file, arguments)
    costs = QueryFilter(dict(arguments.cost))
    if arguments.size is not None:
        costs = query.filter_of_size(arguments.size, costs)
    ask = _way_to_ask(query, costs, arguments)
    ask()  # kernels are loaded
    began = time.perf_counter()
    found = ask()
    microseconds = (time.perf_counter() - began) * 1e6
    paths = found.paths if isinstance(found, LongPaths) else found
    ids = query.link_ids(paths.polygons)
    links = ids[query.is_link(paths.polygons)].tolist()
    width = clearance_on(query, paths, arguments.start, arguments.end) if arguments.clearance else {}
    ends = moved_ends(file, query, list(zip(ENDS, (arguments.start, arguments.end), strict=True)))
    return {
        **_answer(paths), "moved": [end.metres for end in ends], "links": links, **width,
        **({"by_districts": bool(found.by_districts[0])} if isinstance(found, LongPaths) else {}),
        "warnings": warnings_of(ends),
        "microseconds": round(microseconds, 1),
    }  # fmt: skip


def _way_to_ask(
    query: NavQuery, costs: QueryFilter, arguments: argparse.Namespace
) -> Callable[[], Paths] | Callable[[], LongPaths]:
    """Raises BadInput where the flags do not go together."""
    if arguments.long and arguments.exact:
        raise BadInput("--long and --exact are two ways to search. Give one of them.", "WRONG_QUESTION")
    if arguments.long:
        return partial(query.find_long_paths, arguments.start, arguments.end, costs)
    return partial(
        query.find_paths, arguments.start, arguments.end, costs, partial=arguments.partial, exact=arguments.exact
    )


def _set_doors(query: NavQuery, file: object, arguments: argparse.Namespace) -> None:
    if arguments.door and not isinstance(file, NavMesh):
        raise BadInput(
            f"{arguments.file.name}: this format has no room for names of doors. Ask the .json, .glb or .tscn of the "
            "same build.",
            "NO_DOOR",
        )
    for name, state in arguments.door:
        query.set_door(name, closed=state == CLOSED)


def _answer(paths: Paths) -> dict[str, Any]:
    missing, cost = float(paths.missing[0]), float(paths.cost[0])
    return {
        "status": PathStatus(int(paths.status[0])).name.lower(),
        "length": float(paths.length[0]),
        "cost": cost if math.isfinite(cost) else None,  # JSON has no word for more than a number holds
        "points": paths.points.astype(np.float64).tolist(),
        "polygons": len(paths.polygons),
        "missing": None if math.isnan(missing) else missing,
    }


def _text(answer: dict[str, Any]) -> str:
    status = PathStatus[answer["status"].upper()]
    lines = [f"{answer['status']}: {_SAID[status]}"]
    if answer["points"]:
        cost = "more than a number holds" if answer["cost"] is None else f"{answer['cost']:.2f}"
        lines.append(f"{answer['length']:.2f} m through {counted(answer['polygons'], 'polygon')}, cost {cost}")
        moved = [f"the {end} was moved by {far:.2f} m" for end, far in zip(ENDS, answer["moved"], strict=True) if far]
        if moved:
            lines.append(f"{' and '.join(moved)} onto the navmesh")
        if status is not PathStatus.COMPLETE:
            lines.append(f"{answer['missing']:.2f} m are missing to the end")
        if "clearance" in answer:
            lines += clearance_lines(answer)
        lines += [f"  {x:.3f}, {y:.3f}, {z:.3f}" for x, y, z in answer["points"]]
    if "by_districts" in answer:
        lines.append("found over districts" if answer["by_districts"] else "found by the whole search")
    if answer["links"]:
        lines.append(f"over the links {', '.join(map(str, answer['links']))}")
    return "\n".join(lines) + "\n"
