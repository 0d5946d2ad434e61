"""The links of a finished navmesh: those that it was given, and those that are found on it where they are wanted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ..errors import Cancelled, NavmeshError
from ..result.navmesh import NavMesh
from ..result.wide_links import KINDS, LinkEdits
from ..types import Geometry
from .running_build import RunningBuild

NO_EDITS = LinkEdits()


def with_links(
    navmesh: NavMesh, geometry: Callable[[], Geometry], edits: LinkEdits | None, build: RunningBuild
) -> NavMesh:
    """The finished navmesh with the links that are found on it, its report told which ones are not attached.

    `geometry` gives what it was built from. A link never fails a build: where none can be found, the report says why.
    """
    wanted = navmesh.settings.generate_links
    if not navmesh.links and not wanted:
        return navmesh
    # Here, so that only those with links wait for it.
    from ..detour.queries.checked_links import with_attached_links

    with build.progress.stage("links"):
        if wanted:
            navmesh = _with_found(navmesh, geometry(), edits or NO_EDITS, build)
        navmesh = with_attached_links(navmesh)
    if wanted:
        for kind in KINDS:
            build.report.counts[f"links_{kind}"] = sum(wide.kind == kind for wide in navmesh.wide_links)
    return navmesh


def _with_found(navmesh: NavMesh, geometry: Geometry, edits: LinkEdits, build: RunningBuild) -> NavMesh:
    from ..link_finder.find_links import find_links

    try:
        found = find_links(navmesh, geometry, edits, build.workers, build.solid)
    except Cancelled:
        raise
    except NavmeshError as reason:
        build.report.warn("LINKS_NOT_FOUND", f"No links were looked for: {reason}")
        return navmesh
    build.report.warnings += found.warnings
    build.solid = None
    points = tuple(point for wide in found.links for point in wide.points)
    kept = frozenset(wide.id for wide in edits.kept)
    return replace(navmesh, wide_links=found.links, links=(*navmesh.links, *points), kept_links=kept)
