"""What a level is meant for: paths that must be there, and places that must be walkable. Plain values, metres, y up."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..build_warning import Point

OF_FILE, OF_SCENE = "file", "scene"  # who asked for a path or a place: a flag, or the scene of a .blend file


REACHABLE, UNREACHABLE = "reachable", "unreachable"
OPEN, CLOSED = "open", "closed"


class PathTest(NamedTuple):
    """A way that agents must find, or must not find while doors are closed."""

    name: str
    start: Point
    end: Point
    within: float | None = None  # metres aside of the navmesh for its ends; None: the agent's radius and a cell
    doors: tuple[tuple[str, str], ...] = ()  # names, OPEN or CLOSED; those that are not named are as in the navmesh
    expect: str = REACHABLE

    def states(self) -> dict[str, Any]:
        """What is said of doors and what is expected, as files hold it; nothing where that is what it usually is."""
        said: dict[str, Any] = {"doors": dict(self.doors)} if self.doors else {}
        return said if self.expect == REACHABLE else {**said, "expect": self.expect}


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
