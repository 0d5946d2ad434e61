"""`navcore walk`: agents that walk together, for people or as JSON; every frame into a file."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

import numpy as np

from ..build_warning import Point
from ..crowd.states import AgentState
from ..crowd.track import Track, walk
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..formats.read_any import read_navmesh
from ..questions.moved_ends import moved_ends, warnings_of
from ..questions.nav_query import NavQuery
from .acceptance_gates import ANY, given_codes
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED

_SAID = {
    AgentState.WALKING: "is still walking",
    AgentState.JUMPING: "is still in the air",
    AgentState.STUCK: "is stuck",
    AgentState.NO_WAY: "no way leads to its end",
}


def run(arguments: argparse.Namespace) -> int:
    """Walk, and say who arrived. Exit status 0 if all did, 3 if not, or for a warning of --fail-on."""
    codes = given_codes(arguments.fail_on)
    answer = walk_answer(arguments)
    write_out(json.dumps(answer) + "\n" if arguments.json else _text(answer))
    for told in answer["warnings"]:
        write_error(f"navcore: warning: {told['code']}: {told['message']}")
    closed = any(ANY in codes or told["code"] in codes for told in answer["warnings"])
    arrived = all(agent["state"] == "arrived" for agent in answer["agents"])
    return DONE if arrived and not closed else GATE_FAILED


def walk_answer(arguments: argparse.Namespace) -> dict[str, Any]:
    """What became of each agent; the track is written, if it is wanted. Raises NavmeshError."""
    if len(arguments.starts) != len(arguments.ends):
        raise BadInput(
            f"--from stands there {len(arguments.starts)} times, and --to {len(arguments.ends)} times. Give both for "
            "each agent.",
            "WRONG_QUESTION",
        )
    if arguments.output is not None:
        check_folder(arguments.output)
    names = ("radius", "height", "max_speed", "max_acceleration", "time_horizon", "seed")
    file = read_navmesh(arguments.file)
    query = NavQuery(file)
    track = walk(
        query, arguments.starts, arguments.ends, arguments.seconds,
        arguments.frames_per_second, **{name: getattr(arguments, name) for name in names},
    )  # fmt: skip
    ends = moved_ends(file, query, _named(arguments))
    answer = {
        "seconds": arguments.seconds, "agents": [_agent(track, k) for k in range(len(track.positions))],
        "warnings": warnings_of(ends),
    }  # fmt: skip
    if arguments.output is not None:
        write_whole(arguments.output, json.dumps({**answer, **_frames(track)}).encode())
    return answer


def _named(arguments: argparse.Namespace) -> list[tuple[str, Point]]:
    """Where each agent starts and ends, and how that is called."""
    both = zip(arguments.starts, arguments.ends, strict=True)
    return [
        (f"{end} of agent {k}", p)
        for k, pair in enumerate(both, 1)
        for end, p in zip(("start", "end"), pair, strict=True)
    ]


def _agent(track: Track, number: int) -> dict[str, Any]:
    return {
        "state": AgentState(int(track.states[number, -1])).name.lower(),
        "arrival": _number(track.arrival[number]),
        "path_length": _number(track.path_lengths[number]),
        "length": float(track.lengths[number]),
        "end": track.positions[number, -1].astype(np.float64).tolist(),
    }


def _number(value: np.floating[Any]) -> float | None:
    return None if math.isnan(value) else float(value)


def _frames(track: Track) -> dict[str, Any]:
    return {
        "frames_per_second": track.frames_per_second,
        "positions": np.round(track.positions.astype(np.float64), 4).tolist(),
        "headings": np.round(track.headings.astype(np.float64), 4).tolist(),
        "states": track.states.tolist(),
    }


def _text(answer: dict[str, Any]) -> str:
    lines = []
    for number, agent in enumerate(answer["agents"], 1):
        state = AgentState[agent["state"].upper()]
        came = "arrived" if state is AgentState.ARRIVED else _SAID[state]
        if agent["arrival"] is not None:
            came += f" after {agent['arrival']:.1f} s"
        if agent["path_length"] is not None:
            came += f"; it walked {agent['length']:.2f} m, and its path was {agent['path_length']:.2f} m long"
        lines.append(f"agent {number}: {came}")
    return "\n".join(lines) + "\n"
