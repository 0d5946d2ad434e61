"""What a level is meant for: paths that must be there, and places that must be walkable. Plain values, metres, y up."""

from __future__ import annotations

from typing import NamedTuple

from ..build_warning import Point

OF_FILE, OF_SCENE = "file", "scene"  # who asked for a path or a place: a flag, or the scene of a .blend file


class PathTest(NamedTuple):
    """A way that agents must find."""

    name: str
    start: Point
    end: Point
    within: float | None = (
        None  # metres aside of the navmesh that its ends may lie; None: the agent's radius and a cell
    )


class MustReach(NamedTuple):
    """A place on which agents must be able to stand."""

    name: str  # "" where nobody named it
    point: Point
    within: float | None = None  # metres aside of the navmesh that it may lie; None: the agent's radius and a cell
    above: float | None = None  # metres above or below it; None: the agent's climb


class Intent(NamedTuple):
    """What must hold of a navmesh."""

    paths: tuple[PathTest, ...] = ()
    points: tuple[MustReach, ...] = ()
