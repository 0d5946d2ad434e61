"""The links of a finished navmesh looked at as Detour attaches them: which fail, told, and which files are to hold."""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

import numpy as np

from ...build_warning import BuildWarning
from ...errors import NavmeshError
from ...result.navmesh import NavMesh
from ...scene import Link
from ...types import I64
from ...wide_links import WideLink, called
from ..link_ends import Flags, LinkEnds
from ..link_warnings import kept_warning, link_warnings
from ..tile_data import Agent
from .known_ends import KnownEnds, ends_of_some, known_ends, known_of_those_left, link_ends
from .landed_ends import LinkedGround
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
        asked = known.failing.any(axis=1)
        if asked.any():
            now, then, _ = _ends_told(navmesh, known, asked, before)
            report.warnings += link_warnings(now, _climb(navmesh), then)
    except NavmeshError as reason:
        text = f"Which links are attached to nothing cannot be told: {reason}"
        report.warnings.append(BuildWarning("LINKS_NOT_CHECKED", text))
        return replace(navmesh, failing_ends=())
    starts, ends = known.failing.T.tolist()
    return replace(navmesh, failing_ends=tuple(zip(starts, ends, strict=True)))


def with_attached_links(
    navmesh: NavMesh, before: WalkGraph | None = None, ground: LinkedGround | None = None
) -> NavMesh:
    """The same, without the points of links that were found and would be attached to nothing; counted in the report.

    A link that somebody keeps stays without points where none of them is attached, with a warning that names it. What
    `NavMesh.known_ends` has of links that nothing has changed for is taken over. `ground`: what links were found on.
    """
    if not navmesh.links:
        return replace(with_checked_links(navmesh), known_ends=None)
    had = [known if isinstance(known, KnownEnds) else None for known in navmesh.known_ends or (None, None)]
    try:
        first = last = known_ends(navmesh, had[0], ground)
        attached, bare = _without_loose_points(navmesh, first)
        if attached is not navmesh:
            is_left = ~first.failing.any(axis=1) | (np.arange(len(navmesh.links)) < len(navmesh.given_links))
            last = known_of_those_left(first, attached, is_left) or known_ends(attached, had[1] or first)
        navmesh.report.warnings += _told_of_kept(navmesh, first, bare, before)
    except NavmeshError:  # which is told there
        return replace(with_checked_links(navmesh), known_ends=None)
    return replace(with_checked_links(attached, before, last), known_ends=(first, last))


def _without_loose_points(navmesh: NavMesh, known: KnownEnds) -> tuple[NavMesh, dict[int, WideLink]]:
    """The same navmesh where all points of links that were found are attached.

    And the links that are kept and have no point left, by the number that the middle one of their points had.
    """
    given = len(navmesh.given_links)
    loose = known.failing[given:].any(axis=1)
    if not loose.any():
        return navmesh, {}
    ends = np.cumsum([len(wide.points) for wide in navmesh.wide_links])
    left, bare = dict(enumerate(navmesh.wide_links)), dict[int, WideLink]()
    for number in np.unique(np.searchsorted(ends, np.flatnonzero(loose), side="right")).tolist():
        wide, end = left.pop(number), int(ends[number])
        begin = end - len(wide.points)
        points = tuple(compress(wide.points, ~loose[begin:end]))
        if points or wide.id in navmesh.kept_links:
            left[number] = replace(wide, points=points)
        if not points and wide.id in navmesh.kept_links:
            bare[given + begin + len(wide.points) // 2] = wide
    counts = navmesh.report.counts
    counts["links_unattached"] = counts.get("links_unattached", 0) + int(loose.sum())
    links = (*navmesh.links[:given], *compress(navmesh.links[given:], ~loose))
    return replace(navmesh, wide_links=tuple(left[number] for number in sorted(left)), links=links), bare


def _told_of_kept(
    navmesh: NavMesh, known: KnownEnds, bare: dict[int, WideLink], before: WalkGraph | None
) -> list[BuildWarning]:
    """What there is to say of links that are kept and have no point left."""
    if not bare:
        return []
    asked = np.zeros(len(navmesh.links), bool)
    asked[list(bare)] = True
    now, then, numbers = _ends_told(navmesh, known, asked, before)
    rows, climb = np.searchsorted(numbers, list(bare)).tolist(), _climb(navmesh)
    return [kept_warning(now, row, called(wide), climb, then) for row, wide in zip(rows, bare.values(), strict=True)]


def _ends_told(
    navmesh: NavMesh, known: KnownEnds, asked: Flags, before: WalkGraph | None
) -> tuple[LinkEnds, LinkEnds | None, I64]:
    """What tiles say of the links that are asked about, now and before, and the numbers of the links that it has."""
    if before is None:
        now, numbers = ends_of_some(navmesh, known.points, asked)
        return now, None, numbers
    return link_ends(navmesh, walk_graph(navmesh)), link_ends(navmesh, before), np.arange(len(asked))


def _climb(navmesh: NavMesh) -> float:
    return float(Agent.of(navmesh.settings).max_climb)


def joined_links(navmesh: NavMesh) -> tuple[Link, ...]:
    """What runtime data is to hold: links that were given, and those points of wide links that Detour really joins."""
    given = len(navmesh.given_links)
    fails = navmesh.failing_ends or ((False, False),) * len(navmesh.links)  # not known: all are tried
    return tuple(link for row, link in enumerate(navmesh.links) if row < given or not any(fails[row]))
