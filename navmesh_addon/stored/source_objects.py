"""Which objects a navmesh is built from, as setups and navmesh objects store it. Plain Python: safe on any thread."""

from __future__ import annotations

from typing import NamedTuple

SELECTED, COLLECTION, VISIBLE, LISTED = "SELECTED", "COLLECTION", "VISIBLE", "LISTED"
SKIP_NAMES = "*-noimp, UCX_*, *-colonly"  # what Godot and Unreal call objects that are not to be seen or stood on
KINDS = ("MESH", "CURVE", "SURFACE", "FONT", "META")


class Sources(NamedTuple):
    """Which objects to build from."""

    scope: str = SELECTED
    collection: str = ""
    names: tuple[str, ...] = ()  # of the objects, for LISTED
    skip_names: str = SKIP_NAMES
    only_names: str = ""  # where given, only objects with such names
    kinds: tuple[str, ...] = KINDS
