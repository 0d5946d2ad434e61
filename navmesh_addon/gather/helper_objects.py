"""Objects that help to make a level without being part of it: what cuts others, what is shown as a wire only.

Nothing here decides: the filter of objects asks, and says what was left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

import bpy

from ..blender_types import not_none


def cuts(object_: bpy.types.Object) -> bool:
    """Whether a Boolean modifier works on an object, shown or not."""
    return bool(len(object_.modifiers)) and any(True for _ in _booleans(object_))


def operands(owners: Iterable[bpy.types.Object]) -> dict[int, str]:
    """Objects that Boolean modifiers of these take, by pointer, and why they are no walls themselves."""
    found: dict[int, str] = {}
    for owner in owners:
        for operand in chain.from_iterable(map(_taken, _booleans(owner))):
            if operand != owner:
                found.setdefault(operand.as_pointer(), f"the Boolean modifier of {owner.name} takes it")
    return found


def _booleans(owner: bpy.types.Object) -> Iterator[bpy.types.BooleanModifier]:
    for modifier in owner.modifiers:
        if isinstance(modifier, bpy.types.BooleanModifier) and modifier.show_viewport:
            yield modifier


def _taken(modifier: bpy.types.BooleanModifier) -> Iterator[bpy.types.Object]:
    if modifier.operand_type == "COLLECTION":
        yield from modifier.collection.all_objects if modifier.collection else ()
    elif modifier.object is not None:
        yield modifier.object


def instanced_by(owners: Iterable[bpy.types.Object]) -> dict[bpy.types.Collection, str]:
    """Collections that these objects show instances of, also those within them, and which shows one first."""
    found: dict[bpy.types.Collection, str] = {}
    waiting = [(owner, owner.name) for owner in owners]
    for owner, name in waiting:  # which grows meanwhile
        collection = owner.instance_collection if owner.instance_type == "COLLECTION" else None
        if collection is not None and collection not in found:
            found[collection] = name
            waiting += [(inner, name) for inner in collection.all_objects]
    return found


def hidden_in_renders(scene: bpy.types.Scene) -> frozenset[int]:
    """Objects, by pointer, all of whose collections in the scene are hidden in renders."""
    root = not_none(scene.collection)
    if not any(collection.hide_render for collection in root.children_recursive):
        return frozenset()
    shown: set[int] = set()
    hidden: set[int] = set()
    waiting = [(root, False)]
    for collection, is_hidden in waiting:  # which grows meanwhile
        (hidden if is_hidden else shown).update(object_.as_pointer() for object_ in collection.objects)
        waiting += [(child, is_hidden or child.hide_render) for child in collection.children]
    return frozenset(hidden - shown)


def shown_twice(shown: Collection[bpy.types.Object]) -> Iterator[tuple[bpy.types.Object, str, str]]:
    """Collections that are seen themselves beside their instances: one of their objects, the collection, an instance.

    `shown` is what would be built, instances and all else.
    """
    there = {object_.as_pointer() for object_ in shown}
    for collection, instance in instanced_by(shown).items():
        first = next((inner for inner in collection.all_objects if inner.as_pointer() in there), None)
        if first is not None and first.name != instance:
            yield first, collection.name, instance
