"""Wide links made by hand on three platforms, for tests of what becomes of such links in files and in questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from navcore import NavMesh, Settings, build_navmesh
from navcore.detour.queries.checked_links import with_checked_links
from navcore.result.wide_link_records import wide_link_points
from navcore.wide_links import LinkKind, Point, WideLink
from tests import scenes

SPACING = Settings().link_spacing
Corners = tuple[Point, Point, Point, Point]

# Low ground, and beside it a platform of 2 m with a gap of 1.6 m to the next.
PLATFORMS = scenes.join([
    scenes.box(-12, -1, 0, 12, 1, 12), scenes.box(0, -1, 0, 10, 3, 12), scenes.box(11.6, -1, 0, 10, 3, 12)
])  # fmt: skip
LOW, HIGH, ACROSS = (-6.0, 0.0, 6.0), (5.0, 2.0, 6.0), (17.0, 2.0, 6.0)
"""A place on each of the three."""
OVER_THE_GAP: Corners = ((9.3, 2.0, 1.0), (9.3, 2.0, 11.0), (12.3, 2.0, 1.0), (12.3, 2.0, 11.0))
DOWN: Corners = ((0.7, 2.0, 11.0), (0.7, 2.0, 1.0), (-0.8, 0.0, 11.0), (-0.8, 0.0, 1.0))
UP: Corners = ((-0.8, 0.0, 0.9), (-0.8, 0.0, 1.6), (0.7, 2.0, 0.9), (0.7, 2.0, 1.6))  # narrower than the spacing


def wide(kind: LinkKind, corners: Corners, number: int, spacing: float = SPACING, **changed: Any) -> WideLink:
    """A link of a kind as it is found by default: drops one way, all of area 5."""
    values: dict[str, Any] = {"bidirectional": kind != "drop", "area": 5, "flags": 8} | changed
    points = wide_link_points(corners, spacing, number=number, **values)
    return WideLink(kind=kind, corners=corners, id=number, points=points, **values)


JUMP, DROP, CLIMB = wide("jump", OVER_THE_GAP, 101), wide("drop", DOWN, 102), wide("climb", UP, 103)


def with_wide_links(navmesh: NavMesh, found: Sequence[WideLink]) -> NavMesh:
    """The navmesh as if these had been found: their points follow the links that it was given."""
    points = tuple(point for link in found for point in link.points)
    return with_checked_links(replace(navmesh, links=navmesh.given_links + points, wide_links=tuple(found)))


@cache
def platforms(*found: WideLink, tile_size: int = 0, links: int = 0) -> NavMesh:
    """The three platforms with these wide links, and as many links that were given, across each other."""
    given = [{"start": [1, 2, 2 + k], "end": [3, 2, 3 + k], "id": 1 + k, "name": f"Given {k}"} for k in range(links)]
    navmesh = build_navmesh(*PLATFORMS, Settings(tile_size=tile_size), links=given)
    return with_wide_links(navmesh, found)
