"""The links of a finished navmesh looked at as Detour attaches them: which fail, told, and which files are to hold."""

from __future__ import annotations

from dataclasses import replace

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...result.navmesh import NavMesh
from ...scene import Link
from ..link_ends import LinkEnds
from ..link_warnings import link_warnings
from ..tile_data import Agent
from .walk_graph import WalkGraph, walk_graph

_CODES = ("LINK_UNATTACHED", "LINKS_NOT_CHECKED")


def with_checked_links(navmesh: NavMesh, before: WalkGraph | None = None) -> NavMesh:
    """The same navmesh: its `failing_ends` known, its report with a warning for each link that is not attached.

    `before`: its graph before ground was left out. What the report said of links then is replaced.
    """
    report = navmesh.report
    report.warnings = [warning for warning in report.warnings if warning.code not in _CODES]
    if not navmesh.links:
        return navmesh
    try:
        ends = _link_ends(navmesh, walk_graph(navmesh))
    except NavmeshError as reason:
        text = f"Which links are attached to nothing cannot be told: {reason}"
        report.warnings.append(BuildWarning("LINKS_NOT_CHECKED", text))
        return replace(navmesh, failing_ends=())
    climb = float(Agent.of(navmesh.settings).max_climb)
    report.warnings += link_warnings(ends, climb, None if before is None else _link_ends(navmesh, before))
    return replace(navmesh, failing_ends=tuple(ends.fails()))


def with_attached_links(navmesh: NavMesh, before: WalkGraph | None = None) -> NavMesh:
    """The same, without the points of links that were found and would be attached to nothing; counted in the report."""
    checked = with_checked_links(navmesh, before)
    fails = [any(ends) for ends in checked.failing_ends[len(navmesh.given_links) :]]
    if not navmesh.wide_links or not any(fails):
        return checked
    left, is_loose = [], iter(fails)
    for wide in navmesh.wide_links:
        points = tuple(point for point in wide.points if not next(is_loose))
        if points or not wide.points:
            left.append(replace(wide, points=points))
    counts = navmesh.report.counts
    counts["links_unattached"] = counts.get("links_unattached", 0) + sum(fails)
    found = tuple(point for wide in left for point in wide.points)
    attached = replace(navmesh, wide_links=tuple(left), links=(*navmesh.given_links, *found))
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
