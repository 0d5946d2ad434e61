"""Warnings of builds and files, every code that they can have, and how their numbers are written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Gates and scripts rely on these codes. A test holds both packages to this list.
WARNING_CODES = frozenset({
    "BAD_MARKER", "FLIPPED", "MISSING_DATA", "MISSING_LIBRARY", "MODIFIER_FAILED",  # of what Blender gathered
    "NOT_CONVEX", "NOT_FINITE", "ODD_ATTRIBUTE", "ZERO_SCALE",
    "BROKEN", "DETAIL", "GROUND_LEFT_OUT", "OUTLINES", "POLYGONS", "REGIONS_OVERLAP", "REPAIRED",  # of the build
    "SEED_OFF_NAVMESH", "STORE_DAMAGED", "STORE_NOT_WRITTEN", "TAKES_LONG",
    "LINKS_NOT_CHECKED", "LINK_UNATTACHED",  # of links on the finished navmesh
    "LINKS_NOT_FOUND", "LINKS_THINNED", "LINK_BLOCKED", "LINK_DISTANCE_SHORTENED", "LINK_ENDS_NOWHERE",
    "EDIT_CUT_OFF", "EDIT_SHIFTED", "EDIT_UNUSED",  # of what was changed by hand
    "PATH_LOST", "PLACE_LOST",  # of what must be there
    "MOVED_FAR",  # of points that are asked for
    "BORDER_LINKS", "CYLINDER_AS_PRISM", "DOORS_RENUMBERED", "GODOT_CELLS", "LINK_TOO_FAR",  # of files
    "LINKS_LEFT_OUT", "LOST_IN_EXPORT", "NOT_IN_GSET", "YUKA_ISLANDS",
    "EDGES_APART",  # of meshes whose faces are the polygons
    "CLIMB_ABOVE_HEIGHT", "CLIMB_BELOW_CELL", "EDGE_ERROR_TOO_LARGE", "FACES_DOWN",  # of what is hardly meant
    "HEIGHT_BELOW_CELLS", "INDICES_FROM_ONE", "NO_FLAGS", "OUTLIER", "SLOPE_IN_RADIANS", "VOLUME_UNUSED",
    "WRONG_AXIS", "WRONG_UNIT",
    "LAYERS_BEYOND_RECAST", "LAYERS_LOST", "OBSTACLES_LEFT_OUT", "OBSTACLE_OFF_LEVEL",  # of tile caches
    "TILE_CACHE_ROOM", "TILE_NOT_MADE",
    "FACES_NOT_CUT", "LINES_LEFT_OUT", "PARTS_LEFT_OUT", "NAME_NOT_FOUND",  # of levels that are read
})  # fmt: skip

NOTE_CODES = frozenset({"DETAIL", "REPAIRED"})  # what nobody has to act upon: reports tell it apart from warnings

Point = tuple[float, float, float]  # metres, y up

_WRITTEN_OUT = 1e15  # beyond it digits mean nothing any more


class BuildWarning(NamedTuple):
    """Something a person should know about a build that went through."""

    code: str  # one of WARNING_CODES
    message: str  # whole sentences; the last one says what to do
    place: Point | None = None  # where there is one
    name: str = ""  # of what it is about, where that has one

    @property
    def sentence(self) -> str:
        """The message with the place."""
        return self.message if self.place is None else f"{self.message} At {place_in_words(self.place)}."


def in_words(value: float, digits: int = 3) -> str:
    """A number as people write it: rounded, without an exponent, and 0 where nothing is left of it."""
    if not abs(value) < _WRITTEN_OUT:
        return f"{value:.6g}"
    text = f"{value:,.{digits}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def counted(count: int, noun: str) -> str:
    """So many of something: “1 object”, “2,000 objects”."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def place_in_words(place: Iterable[float]) -> str:
    """A place in metres, to the millimetre."""
    return f"({', '.join(in_words(value) for value in place)})"
