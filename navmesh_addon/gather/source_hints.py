"""What is odd about the objects that a level is made of, for people to see before they build."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from .helper_objects import shown_twice
from .missing_sources import missing_sources
from .object_filter import ObjectFilter

Row = tuple[str, str, str]  # code, message, name of an object


def source_hints(context: bpy.types.Context, used: ObjectFilter) -> Iterator[Row]:
    """What is missing, what is built twice, and what is not built because it looks like a helper."""
    for code, message, name in missing_sources(context, used):
        yield code, message, name
    shown = list(used.shown(context))
    for object_, collection, instance in shown_twice(shown):
        yield (
            "INSTANCE_SOURCE",
            f"is built where it stands and where “{instance}” shows its collection {collection}. Hide that collection "
            "if only its instances are meant",
            object_.name,
        )
    helpers = [object_.name for object_ in shown if not used.takes(object_, object_) and object_.name in used.helpers]
    for name in helpers:
        yield "HELPER", f"is not built: {used.helpers[name]}. Set its Use to Always if it is ground or a wall", name
