"""What is odd about the objects that a level is made of, for people to see before they build."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..helper_objects import shown_twice
from ..missing_sources import missing_in_steps
from ..object_filter import ObjectFilter

Row = tuple[str, str, str]  # code, message, name of an object


def source_hints(context: bpy.types.Context, used: ObjectFilter, shown: list[bpy.types.Object]) -> Iterator[Row | None]:
    """What is missing, what is built twice, and what is not built because it looks like a helper.

    Of all that is shown, an object at a time: None where there is nothing to say of one.
    """
    yield from missing_in_steps(context, used, shown)
    for object_, collection, instance in shown_twice(shown):
        yield (
            "INSTANCE_SOURCE",
            f"is built where it stands and where “{instance}” shows its collection {collection}. Hide that collection "
            "if only its instances are meant",
            object_.name,
        )
    for object_ in shown:
        yield None
        if not used.takes(object_, object_) and (why := used.helpers.get(object_.name)):
            yield "HELPER", f"is not built: {why}. Set its Use to Always if it is ground or a wall", object_.name
