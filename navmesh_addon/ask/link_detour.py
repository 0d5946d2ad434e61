"""How far agents would walk without any link: what a link saves them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import bpy

from ..builds import finished_navmeshes
from .asked_navmesh import build_of, usual_filter

if TYPE_CHECKING:
    from ...navcore.navquery.nav_query import NavQuery

Point = Sequence[float]
_walkers: dict[str, NavQuery] = {}  # at most one: a navmesh without its links, by its build
_said: dict[tuple[object, ...], str] = {}
_MOST_SAID = 64


def saved_by_link(scene: bpy.types.Scene, start: Point, end: Point) -> str:
    """A sentence on the way that a link saves, "" where the navmesh is not in memory. Ends in Blender's coordinates."""
    build = build_of(scene)
    built = finished_navmeshes.find(build) if build else None
    if built is None:
        return ""
    key = (build, tuple(start), tuple(end), scene.unit_settings.scale_length)
    if key not in _said:
        while len(_said) >= _MOST_SAID:
            del _said[next(iter(_said))]
        if build not in _walkers:
            from ...navcore.navquery.nav_query import NavQuery

            _walkers.clear()
            _walkers[build] = NavQuery(replace(built.navmesh, links=(), wide_links=(), failing_ends=()))
        _said[key] = _sentence(scene, _walkers[build], start, end)
    return _said[key]


def forget() -> None:
    """Another file, or the extension is disabled."""
    _walkers.clear()
    _said.clear()


def _sentence(scene: bpy.types.Scene, query: NavQuery, start: Point, end: Point) -> str:
    from math import dist

    from ...navcore.navquery.status import PathStatus
    from .in_blender import to_navcore

    metres = scene.unit_settings.scale_length
    ends = to_navcore(start, metres), to_navcore(end, metres)
    paths = query.find_paths(
        *ends, usual_filter(scene), partial="closest", max_nodes=None, max_path=None, max_points=None
    )
    status, length = PathStatus(int(paths.status[0])), dist(*ends)
    if status in (PathStatus.NO_START, PathStatus.NO_END):
        which = "It begins" if status == PathStatus.NO_START else "It ends"
        return f"{which} where there is no navmesh nearby: snap its ends"
    if status != PathStatus.COMPLETE:
        return f"No other way: {length:.1f} m by the link, and walking does not lead there"
    walked = float(paths.length[0])
    if walked <= length:
        return f"It saves nothing: walking there is {walked:.1f} m"
    return f"It saves {walked - length:.1f} m: walking there is {walked:.1f} m, by the link {length:.1f} m"
