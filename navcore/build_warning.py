"""Warnings of builds and files, and every code that they can have."""

from __future__ import annotations

from typing import NamedTuple

# Gates and scripts rely on these codes. A test holds both packages to this list.
WARNING_CODES = frozenset({
    "BAD_MARKER", "FLIPPED", "NOT_CONVEX", "NOT_FINITE", "ODD_ATTRIBUTE", "ZERO_SCALE",  # of what Blender gathered
    "BROKEN", "DETAIL", "GROUND_LEFT_OUT", "OUTLINES", "POLYGONS", "REGIONS_OVERLAP", "REPAIRED",  # of the build
    "SEED_OFF_NAVMESH", "TAKES_LONG",
    "LINKS_NOT_CHECKED", "LINK_UNATTACHED",  # of links on the finished navmesh
    "BORDER_LINKS", "CYLINDER_AS_PRISM", "GODOT_CELLS", "LINK_TOO_FAR", "LOST_IN_EXPORT",  # of files
    "NOT_IN_GSET", "YUKA_ISLANDS",
    "FACES_NOT_CUT", "LINES_LEFT_OUT", "NAME_NOT_FOUND",  # of levels that are read
})  # fmt: skip


class BuildWarning(NamedTuple):
    """Something a person should know about a build that went through."""

    code: str  # one of WARNING_CODES
    message: str
    place: tuple[float, float, float] | None = None  # metres, y up
    name: str = ""  # of what it is about, where that has one
