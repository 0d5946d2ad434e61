"""How large and how fast agents are: checked by name."""

from __future__ import annotations

import math

import numpy as np

from ..errors import BadInput
from ..navquery.query_mesh import QueryMesh
from .agents import Rules

_RANGES = {
    "radius": (0.01, 100.0), "height": (0.01, 1000.0), "max_speed": (0.01, 100.0), "max_acceleration": (0.01, 1e6),
    "time_horizon": (0.05, 60.0), "step": (0.001, 0.25), "seconds": (0.0, 86400.0), "frames_per_second": (1.0, 1000.0),
}  # fmt: skip
_MOST_NEIGHBORS = 64


def rules_of(
    mesh: QueryMesh, radius: float | None, height: float, max_speed: float, max_acceleration: float,
    time_horizon: float, step: float, max_neighbors: int, seed: int,
) -> Rules:  # fmt: skip
    """What agents go by. Without a radius they are as wide as the agent that the navmesh was built for."""
    built_for = float(mesh.tiles["agent_radius"].max(initial=0))
    wide = checked("radius", max(built_for, _RANGES["radius"][0]) if radius is None else radius)
    if isinstance(max_neighbors, bool) or not 1 <= max_neighbors <= _MOST_NEIGHBORS:
        raise BadInput(f"max_neighbors is {max_neighbors}. Give 1 to {_MOST_NEIGHBORS}.", "WRONG_QUESTION")
    if isinstance(seed, bool) or not (isinstance(seed, int | np.integer) and 0 <= seed < 2**32):
        raise BadInput(f"seed is {seed!r}. Give a whole number from 0 to 4294967295.", "WRONG_QUESTION")
    return Rules(
        wide, checked("height", height), max(0.0, wide - built_for), checked("max_speed", max_speed),
        checked("max_acceleration", max_acceleration), checked("time_horizon", time_horizon), checked("step", step),
        int(max_neighbors), int(seed),
    )  # fmt: skip


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
