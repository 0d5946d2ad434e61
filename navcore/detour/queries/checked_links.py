"""The links of a finished navmesh looked at as Detour attaches them: which fail, told, and which files are to hold."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...result.navmesh import NavMesh
from ...scene import Link
from ..link_warnings import link_warnings
from ..tile_data import Agent
from .known_ends import KnownEnds, ends_of_some, known_ends, link_ends
from .walk_graph import WalkGraph, walk_graph

_CODES = ("LINK_UNATTACHED", "LINKS_NOT_CHECKED")


def with_checked_links(navmesh: NavMesh, before: WalkGraph | None = None, known: KnownEnds | None = None) -> NavMesh:
    """The same navmesh: its `failing_ends` known, its report with a warning for each link that is not attached.

    `before`: its graph before ground was left out. What the report said of links then is replaced. `known`: which ends
    fail, where somebody has found out.
    """
    report = navmesh.report
    report.warnings = [warning for warning in report.warnings if warning.code not in _CODES]
    if not navmesh.links:
        return replace(navmesh, failing_ends=())
    try:
        known = known or known_ends(navmesh, None)
        report.warnings += _warnings(navmesh, known, before)
    except NavmeshError as reason:
        text = f"Which links are attached to nothing cannot be told: {reason}"
        report.warnings.append(BuildWarning("LINKS_NOT_CHECKED", text))
        return replace(navmesh, failing_ends=())
    return replace(navmesh, failing_ends=known.failing)


def with_attached_links(navmesh: NavMesh, before: WalkGraph | None = None) -> NavMesh:
    """The same, without the points of links that were found and would be attached to nothing; counted in the report.

    What `NavMesh.known_ends` has of links that nothing has changed for is taken over.
    """
    if not navmesh.links:
        return replace(with_checked_links(navmesh), known_ends=None)
    had = navmesh.known_ends or (None, None)
    try:
        first = known_ends(navmesh, had[0])
        attached = _without_loose_points(navmesh, first)
        last = first if attached is navmesh else known_ends(attached, had[1] or first)
    except NavmeshError:  # which is told there
        return replace(with_checked_links(navmesh), known_ends=None)
    return replace(with_checked_links(attached, before, last), known_ends=(first, last))


def _without_loose_points(navmesh: NavMesh, known: KnownEnds) -> NavMesh:
    """The same navmesh where all points of links that were found are attached."""
    fails = [any(ends) for ends in known.failing[len(navmesh.given_links) :]]
    if not any(fails):
        return navmesh
    left, is_loose = [], iter(fails)
    for wide in navmesh.wide_links:
        points = tuple(point for point in wide.points if not next(is_loose))
        if len(points) == len(wide.points):
            left.append(wide)
        elif points:
            left.append(replace(wide, points=points))
    counts = navmesh.report.counts
    counts["links_unattached"] = counts.get("links_unattached", 0) + sum(fails)
    found = tuple(point for wide in left for point in wide.points)
    return replace(navmesh, wide_links=tuple(left), links=(*navmesh.given_links, *found))


def _warnings(navmesh: NavMesh, known: KnownEnds, before: WalkGraph | None) -> list[BuildWarning]:
    """What there is to say of links that fail."""
    asked = np.array(known.failing, bool).reshape(-1, 2).any(axis=1)
    if not asked.any():
        return []
    climb = float(Agent.of(navmesh.settings).max_climb)
    if before is not None:
        return link_warnings(link_ends(navmesh, walk_graph(navmesh)), climb, link_ends(navmesh, before))
    return link_warnings(ends_of_some(navmesh, known.points, asked)[0], climb)


def joined_links(navmesh: NavMesh) -> tuple[Link, ...]:
    """What runtime data is to hold: links that were given, and those points of wide links that Detour really joins."""
    given = len(navmesh.given_links)
    fails = navmesh.failing_ends or ((False, False),) * len(navmesh.links)  # not known: all are tried
    return tuple(link for row, link in enumerate(navmesh.links) if row < given or not any(fails[row]))
