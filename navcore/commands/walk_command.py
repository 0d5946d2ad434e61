"""`navcore walk`: agents that walk together, for people or as JSON; every frame into a file."""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

import numpy as np

from ..build_warning import Point, counted
from ..crowd.heat.heat import Heat
from ..crowd.heat.heat_recorder import walk_heat
from ..crowd.heat.heat_shades import WHAT
from ..crowd.states import AgentState
from ..crowd.track import Track, walk
from ..errors import BadInput
from ..files.atomic_write import check_apart, check_folder, write_whole
from ..formats import read_navmesh_file
from ..formats.heat_files import check_heat_file, write_heat
from ..formats.read_any import read_navmesh
from ..pictures.heat_marks import heat_marks
from ..pictures.plan_view import plan_view
from ..questions.moved_ends import moved_ends, warnings_of
from ..questions.nav_query import NavQuery
from .acceptance_gates import ANY, given_codes
from .console import write_error, write_out
from .exit_status import DONE, GATE_FAILED
from .picture_command import PICTURES, plan_of, write_picture

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


def run(arguments: argparse.Namespace) -> int:
    """Walk, and say who arrived. Exit status 0 if all did, or stand near; 3 if not, or for --fail-on."""
    codes = given_codes(arguments.fail_on)
    answer = walk_answer(arguments)
    write_out(json.dumps(answer) + "\n" if arguments.json else _text(answer))
    for told in answer["warnings"]:
        write_error(f"navcore: warning: {told['code']}: {told['message']}")
    closed = any(ANY in codes or told["code"] in codes for told in answer["warnings"])
    arrived = all(agent["state"] in _THERE for agent in answer["agents"])
    most = arguments.max_time_lost
    if late := most is not None and answer["mean_time_lost"] > most:
        lost = answer["mean_time_lost"]
        write_error(f"navcore: agents lost {lost:.2f} s on average, more than the {most:g} s of --max-time-lost.")
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
        if arguments.output.suffix.lower() != ".json":
            raise BadInput(
                f"{arguments.output}: a track is written as .json. Name it so; --heat makes pictures.", "UNKNOWN_FORMAT"
            )
        check_folder(arguments.output)
    for path in arguments.heats:
        check_heat_file(path, tuple(PICTURES))
    check_apart([*arguments.heats, *filter(None, [arguments.output])], [arguments.file])
    names = ("radius", "height", "max_speed", "max_acceleration", "time_horizon", "seed", "size")
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
    if arguments.heats or arguments.max_time_lost is not None:
        chosen, radius, height = None, arguments.radius, arguments.height
        if arguments.size is not None:
            size = query.size_called(arguments.size)
            chosen, height = query.filter_of_size(size.name), size.height
            radius = size.radius if radius is None else radius
        heat = walk_heat(
            query, track, arguments.ends, speed=arguments.max_speed, radius=radius, height=height, filter=chosen
        )
        answer |= _told(heat)
        for path in arguments.heats:
            _write_heat(arguments, heat, path)
    if arguments.output is not None:
        write_whole(arguments.output, json.dumps({**answer, **_frames(track)}).encode())
    return answer


def _told(heat: Heat) -> dict[str, Any]:
    """What of a heat stands beside the agents."""
    return {
        "mean_time_lost": round(heat.mean_time_lost, 3), "time_lost": np.round(heat.lost, 3).tolist(),
        "chokepoints": [place.to_mapping() for place in heat.chokepoints],
    }  # fmt: skip


def _write_heat(arguments: argparse.Namespace, heat: Heat, path: Path) -> None:
    """As JSON, or drawn over the navmesh."""
    if path.suffix.lower() not in PICTURES:
        write_heat(heat, path)
        return
    what = arguments.heat_shows
    drawing = plan_view(f"{arguments.file.name}: {WHAT[what][0]}", plan_of(read_navmesh_file(arguments.file)))
    write_picture(drawing.over(*heat_marks(heat, what)), path)


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
        if "time_lost" in answer:
            came += f"; {answer['time_lost'][number - 1]:.1f} s lost"
        lines.append(f"agent {number}: {came}")
    for number, place in enumerate(answer.get("chokepoints", ()), 1):
        at = ", ".join(f"{x:.1f}" for x in place["at"])
        wide = "" if place["width"] is None else f", {place['width']:.2f} m wide"
        who = counted(place["agents"], "agent")
        lines.append(f"chokepoint {number}: {at}{wide}: {place['seconds']:.1f} s lost by {who}")
    return "\n".join(lines) + "\n"
