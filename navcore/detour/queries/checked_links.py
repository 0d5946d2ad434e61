"""The links of a finished navmesh looked at as Detour attaches them: which fail, told, and which files are to hold."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...result.navmesh import NavMesh
from ...result.wide_links import called
from ...scene import Link
from ..link_ends import LinkEnds
from ..link_warnings import kept_warning, link_warnings
from ..tile_data import Agent
from .walk_graph import WalkGraph, walk_graph

_CODES = ("LINK_UNATTACHED", "LINKS_NOT_CHECKED")


class _Ends(NamedTuple):
    """What tiles say of the ends of links: now, and before ground was left out."""

    now: LinkEnds
    before: LinkEnds | None
    climb: float


def with_checked_links(navmesh: NavMesh, before: WalkGraph | None = None) -> NavMesh:
    """The same navmesh: its `failing_ends` known, its report with a warning for each link that is not attached.

    `before`: its graph before ground was left out. What the report said of links then is replaced.
    """
    return _checked(navmesh, before)[0]


def _checked(navmesh: NavMesh, before: WalkGraph | None) -> tuple[NavMesh, _Ends | None]:
    report = navmesh.report
    report.warnings = [warning for warning in report.warnings if warning.code not in _CODES]
    if not navmesh.links:
        return navmesh, None
    try:
        now = _link_ends(navmesh, walk_graph(navmesh))
    except NavmeshError as reason:
        text = f"Which links are attached to nothing cannot be told: {reason}"
        report.warnings.append(BuildWarning("LINKS_NOT_CHECKED", text))
        return replace(navmesh, failing_ends=()), None
    climb = float(Agent.of(navmesh.settings).max_climb)
    ends = _Ends(now, None if before is None else _link_ends(navmesh, before), climb)
    report.warnings += link_warnings(ends.now, climb, ends.before)
    return replace(navmesh, failing_ends=tuple(map(now.fails, range(len(navmesh.links))))), ends


def with_attached_links(navmesh: NavMesh, before: WalkGraph | None = None) -> NavMesh:
    """The same, without the points of links that were found and would be attached to nothing; counted in the report.

    A link that somebody keeps stays without points where none of them is attached, with a warning that names it.
    """
    checked, ends = _checked(navmesh, before)
    row = len(navmesh.given_links)
    fails = [any(ends) for ends in checked.failing_ends[row:]]
    if ends is None or not any(fails):
        return checked
    left, told, is_loose = [], [], iter(fails)
    for wide in navmesh.wide_links:
        points = tuple(point for point in wide.points if not next(is_loose))
        if points or not wide.points or wide.id in navmesh.kept_links:
            left.append(replace(wide, points=points))
        if wide.points and not points and wide.id in navmesh.kept_links:
            middle = row + len(wide.points) // 2
            told.append(kept_warning(ends.now, middle, called(wide), ends.climb, ends.before))
        row += len(wide.points)
    counts = navmesh.report.counts
    counts["links_unattached"] = counts.get("links_unattached", 0) + sum(fails)
    found = tuple(point for wide in left for point in wide.points)
    attached = replace(navmesh, wide_links=tuple(left), links=(*navmesh.given_links, *found))
    navmesh.report.warnings += told
    return with_checked_links(attached, before)


def joined_links(navmesh: NavMesh) -> tuple[Link, ...]:
    """What runtime data is to hold: links that were given, and those points of wide links that Detour really joins."""
    given = len(navmesh.given_links)
    fails = navmesh.failing_ends or ((False, False),) * len(navmesh.links)  # not known: all are tried
    return tuple(link for row, link in enumerate(navmesh.links) if row < given or not any(fails[row]))


def _link_ends(navmesh: NavMesh, graph: WalkGraph) -> LinkEnds:
    ends = LinkEnds(navmesh.links)
    for data in graph.tiles:
        ends.look(data)
        ends.read(data)
    return ends
