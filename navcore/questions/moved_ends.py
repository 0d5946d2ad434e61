"""How far points are moved onto the navmesh before a question is answered, and a warning where that is far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..build_warning import BuildWarning, Point, place_in_words
from ..detour.reader import NavmeshFile
from ..result.navmesh import NavMesh
from .nav_query import NavQuery


class MovedEnd(NamedTuple):
    """What became of one point."""

    point: Point
    metres: float | None  # None where no navmesh is near
    warning: BuildWarning | None = None  # where it was moved beyond what an agent climbs, or aside of its radius


def warnings_of(ends: Sequence[MovedEnd]) -> list[dict[str, Any]]:
    """What is told of them, as JSON has it."""
    told = [end.warning for end in ends if end.warning is not None]
    return [{"code": w.code, "message": w.message, "place": w.place} for w in told]


def moved_ends(file: NavmeshFile | NavMesh, query: NavQuery, ends: Sequence[tuple[str, Point]]) -> list[MovedEnd]:
    """Each end, by what it is called and where it is, as Detour moves it: to the nearest polygon."""
    found = query.nearest([point for _, point in ends])
    radius, climb = _agent(file)
    moved = []
    for (name, point), reference, onto in zip(ends, found.references.tolist(), found.points, strict=True):
        if reference == 0:
            moved.append(MovedEnd(point, None))
            continue
        x, y, z = (onto.astype(np.float64) - point).tolist()
        metres, aside = float(np.linalg.norm([x, y, z])), float(np.hypot(x, z))
        warning = None
        if aside > radius or abs(y) > climb:
            said = (
                f"The {name} {place_in_words(point)} was moved by {metres:.2f} m onto the navmesh, {aside:.2f} m aside "
                f"and {abs(y):.2f} m {'up' if y > 0 else 'down'}; the agent's radius is {radius:.2f} m, its climb "
                f"{climb:.2f} m. Move it to ground, or ask `navcore why` there."
            )
            warning = BuildWarning("MOVED_FAR", said, point)
        moved.append(MovedEnd(point, round(metres, 4), warning))
    return moved


def _agent(file: NavmeshFile | NavMesh) -> tuple[float, float]:
    """Radius and climb of the agent that the navmesh was built for."""
    if isinstance(file, NavMesh):
        return file.settings.agent_radius, file.settings.agent_max_climb
    if not file.tiles:
        return 0.0, 0.0
    header = file.tiles[0].sections.header[0]
    return float(header["agent_radius"]), float(header["agent_max_climb"])
