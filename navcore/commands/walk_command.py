"""`navcore walk`: agents that walk together, for people or as JSON; frames and lost time into files."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..build_warning import Point
from ..crowd.heat import Heat, heat_of
from ..crowd.states import AgentState
from ..crowd.track import Track, walk
from ..errors import BadInput
from ..files.atomic_write import check_folder, write_whole
from ..formats.plain_navmesh import plain_navmesh
from ..formats.read_any import read_navmesh
from ..pictures.drawing import Drawing
from ..pictures.heat_picture import heat_over
from ..pictures.plan_view import plan_view
from ..questions.moved_ends import moved_ends, warnings_of
from ..questions.nav_query import NavQuery
from .acceptance_gates import ANY, given_codes
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED
from .picture_command import check_picture, plan_of, write_picture

_SAID = {
    AgentState.ARRIVED: "arrived",
    AgentState.NEAR: "stands near its end, where others stand",
    AgentState.WALKING: "is still walking",
    AgentState.JUMPING: "is still in the air",
    AgentState.WAITING: "is waiting behind others",
    AgentState.STUCK: "is stuck",
    AgentState.NO_WAY: "no way leads to its end",
}
_THERE = ("arrived", "near")
_TOLD = 3  # places that hold agents up


def run(arguments: argparse.Namespace) -> int:
    """Walk, and say who arrived. Exit status 3 if not all did, for what --fail-on names, and for too much lost time."""
    codes = given_codes(arguments.fail_on)
    answer = walk_answer(arguments)
    most = arguments.max_time_lost
    late = most is not None and answer["time_lost"] > most
    text = _text(answer)
    if late:
        text += f"They lost {answer['time_lost']:.2f} s each, as a mean: more than {most:g} s.\n"
    write_out(json.dumps(answer) + "\n" if arguments.json else text)
    for told in answer["warnings"]:
        write_error(f"navcore: warning: {told['code']}: {told['message']}")
    closed = any(ANY in codes or told["code"] in codes for told in answer["warnings"])
    arrived = all(agent["state"] in _THERE for agent in answer["agents"])
    return DONE if arrived and not closed and not late else GATE_FAILED


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
    if arguments.heat is not None:
        if _is_json(arguments.heat):
            check_folder(arguments.heat)
        else:
            check_picture(arguments.heat)
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
        "warnings": warnings_of(ends), "time_lost": _mean_lost(track), "chokepoints": [],
    }  # fmt: skip
    if arguments.heat is not None:
        heat = heat_of(query, track)
        answer["chokepoints"] = heat.to_json()["chokepoints"]
        _write_heat(heat, plan_view(f"{arguments.file.name}: time lost", plan_of(plain_navmesh(file))), arguments.heat)
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


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _write_heat(heat: Heat, drawing: Drawing, path: Path) -> None:
    """As JSON, or over the drawing of the navmesh: the ending says."""
    if _is_json(path):
        write_whole(path, (json.dumps(heat.to_json()) + "\n").encode())
    else:
        write_picture(heat_over(drawing, heat), path)


def _mean_lost(track: Track) -> float:
    """Seconds that the agents with a way lost to others, as a mean."""
    ways = track.states[:, -1] != AgentState.NO_WAY
    return float(track.lost[ways, -1].mean()) if ways.any() else 0.0


def _agent(track: Track, number: int) -> dict[str, Any]:
    return {
        "state": AgentState(int(track.states[number, -1])).name.lower(),
        "arrival": _number(track.arrival[number]),
        "path_length": _number(track.path_lengths[number]),
        "length": float(track.lengths[number]),
        "time_lost": float(track.lost[number, -1]),
        "moved": float(track.moved[number]),
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
        came = _SAID[state]
        if agent["arrival"] is not None:
            came += f" after {agent['arrival']:.1f} s"
        if agent["path_length"] is not None:
            came += f"; it walked {agent['length']:.2f} m, and its path was {agent['path_length']:.2f} m long"
        if agent["moved"] > 0:
            came += f"; it set out {agent['moved']:.2f} m beside its start, where another stands"
        lines.append(f"agent {number}: {came}")
    for place in answer["chokepoints"][:_TOLD]:
        x, _, z = place["at"]
        lines.append(
            f"{place['seconds']:.1f} s lost by {place['agents']} agents before x {x:.2f}, z {z:.2f}, "
            f"{place['width']:.2f} m wide"
        )
    return "\n".join(lines) + "\n"
