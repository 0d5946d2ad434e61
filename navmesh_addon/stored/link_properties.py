"""What the list of found links shows, and which one is meant: properties of `Scene.navmesh`."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import BoolProperty, EnumProperty, IntProperty

from .. import events
from ..kept_value import KeptValue

KIND_ITEMS = (
    ("DROP", "Drops", "One way: agents let themselves fall", "COLLECTION_COLOR_02", 1),
    ("JUMP", "Jumps", "Over a gap, both ways where agents can jump back", "COLLECTION_COLOR_04", 2),
    ("CLIMB", "Climbs", "Up and down a wall", "COLLECTION_COLOR_06", 4),
)
STATE_ITEMS = (
    ("FOUND", "Found", "As the last build found it", "DOT", 1),
    ("PINNED", "Pinned", "Kept as it is: builds only check it", "PINNED", 2),
    ("MOVED", "Moved", "Moved by hand, or changed in another way: builds only check it", "EMPTY_ARROWS", 4),
)
BLOCKED = ("BLOCKED", "Blocked", "Agents cannot take it", "ERROR", 8)
SORTS = (
    ("BUILD", "As Built", "Tile by tile"),
    ("LENGTH", "Length", "The longest first"),
    ("WIDTH", "Width", "The widest first"),
    ("KIND", "Kind", "Drops, jumps, climbs"),
    ("STATE", "State", "What was decided about first"),
)


NO_LINK = 2**31 - 1  # as the active link: behind all of them
_follows: KeptValue[bool] = KeptValue(False)  # whether the active link is only another number of the same one


def _chosen(_stored: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    if not _follows.value:
        events.link_chosen.happened()


def follow_link(stored: Any, row: int) -> None:
    """The active link is in another row of the list by now, or in none: nobody clicked it, so no view goes there."""
    _follows.value = True
    try:
        stored.active_link = row
    finally:
        _follows.forget()


def another_setup(stored: Any, _context: bpy.types.Context) -> None:
    """Somebody works on another navmesh, which has links of its own."""
    if len(stored.setups) > 1:
        choose_none(stored)


def choose_none(stored: Any) -> None:
    """The active link is gone, or belongs to another navmesh: no other takes its place."""
    follow_link(stored, NO_LINK)
    stored.move_links = False


LINK_PROPERTIES: dict[str, Any] = {
    "active_link": IntProperty(
        name="Link", description="The found link that is shown, by its place in the mesh", min=0, update=_chosen
    ),
    "move_links": BoolProperty(
        name="Move Ends",
        description="Show handles at both ends of the active link, found or made by hand: drag them along the navmesh",
    ),
    "draw_rejected": BoolProperty(
        name="Rejected Links", description="Draw, faintly, also the found links that were rejected"
    ),
    "link_sort": EnumProperty(name="Sort", description="The order of the list", items=SORTS),
    "link_kinds": EnumProperty(
        name="Kinds",
        description="Which kinds the list shows",
        items=KIND_ITEMS,
        options={"ENUM_FLAG"},
        default={"DROP", "JUMP", "CLIMB"},
    ),
    "link_states": EnumProperty(
        name="States",
        description="Which states the list shows",
        items=STATE_ITEMS,
        options={"ENUM_FLAG"},
        default={"FOUND", "PINNED", "MOVED"},
    ),
}
