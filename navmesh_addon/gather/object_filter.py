"""Which objects of the scene are used, and why others are not."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ...navcore.errors import BadInput
from ..blender_types import scene_of, view_layer_of
from ..stored.object_properties import excludes, is_ours, matches, object_use
from ..stored.source_objects import COLLECTION, KINDS, LISTED, SELECTED, VISIBLE, Sources
from .volumes_links_and_seeds import marker_of


class ObjectFilter:
    """Decides which objects are used, and remembers why others are not."""

    def __init__(self, context: bpy.types.Context, sources: Sources) -> None:
        self._objects = view_layer_of(context).objects
        self._chosen = {object_.as_pointer() for object_ in self._chosen_objects(context, sources)}
        self._left_out = self._in_excluded_collections(scene_of(context))
        self._asked: dict[tuple[int, int], bool] = {}
        self.skipped: dict[str, str] = {}
        names = [t.name for t in self._objects if t.as_pointer() in self._chosen] if sources.scope == SELECTED else []
        self.sources = sources._replace(scope=LISTED, names=tuple(names)) if names else sources
        self._rules = sources

    def _chosen_objects(self, context: bpy.types.Context, sources: Sources) -> Iterator[bpy.types.Object]:
        if sources.scope == SELECTED:
            return (t for t in self._objects if t.select_get(view_layer=view_layer_of(context)))
        if sources.scope == LISTED:
            return (t for t in self._objects if t.name in set(sources.names))
        if sources.scope == COLLECTION:
            collections = scene_of(context).collection.children_recursive
            collection = next((c for c in collections if c.name == sources.collection), None)
            if collection is None:
                raise BadInput(f"There is no collection named “{sources.collection}” in this scene.", "NO_COLLECTION")
            return iter(collection.all_objects)
        return iter(self._objects)

    def _in_excluded_collections(self, scene: bpy.types.Scene) -> dict[int, str]:
        excluded: dict[int, str] = {}
        for collection in (scene.collection, *scene.collection.children_recursive):
            if excludes(collection):
                excluded |= {object_.as_pointer(): collection.name for object_ in collection.all_objects}
        return excluded

    def takes(self, owner: bpy.types.Object, object_: bpy.types.Object) -> bool:
        """Whether to use `object_`, which `owner` shows (itself, or by instancing)."""
        key = owner.as_pointer(), object_.as_pointer()
        if key not in self._asked:
            self._asked[key] = (
                key[0] in self._chosen and self._passes(owner) and (key[0] == key[1] or self._passes(object_))
            )
        return self._asked[key]

    def _passes(self, object_: bpy.types.Object) -> bool:
        why = self._objection(object_)
        if why:
            self.skipped[object_.name] = why
        return not why

    def _objection(self, object_: bpy.types.Object) -> str:
        use = object_use(object_)
        if is_ours(object_):
            return "a navmesh"
        if use == "EXCLUDE":
            return "left out on the object"
        if use == "INCLUDE":
            return ""
        if object_.as_pointer() in self._left_out:
            return f"its collection {self._left_out[object_.as_pointer()]} is left out"
        if object_.type not in self._rules.kinds and object_.type in KINDS:
            return f"objects of type {object_.type.title()} are left out"
        if pattern := matches(object_.name, self._rules.skip_names):
            return f"its name fits {pattern}"
        if self._rules.only_names and object_.type in KINDS and not matches(object_.name, self._rules.only_names):
            return f"its name does not fit {self._rules.only_names}"
        return ""

    def explain(self, used: set[str]) -> dict[str, str]:
        """Every chosen object that gave nothing, and why."""
        for object_ in self._objects:
            if object_.as_pointer() in self._chosen and object_.name not in used and object_.name not in self.skipped:
                if (
                    marker_of(object_)
                    or is_ours(object_)
                    or (object_.type not in KINDS and self._rules.scope == VISIBLE)
                ):
                    continue  # used otherwise, or nothing that anyone would expect to walk on
                self.skipped[object_.name] = "has no faces" if object_.visible_get() else "hidden"
        return self.skipped


def why_nothing(sources: Sources, skipped: dict[str, str]) -> str:
    """One sentence on why there is nothing to build from."""
    if skipped:
        name, why = next(iter(skipped.items()))
        more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
        return f"There is nothing to build from: “{name}”{more} was not used: {why}."
    if sources.scope == SELECTED:
        return "Nothing is selected. Select the objects of your level, or build from everything visible."
    if sources.scope == COLLECTION:
        return f"The collection “{sources.collection}” shows no object with faces."
    if sources.scope == LISTED:
        return "None of the objects that this navmesh was built from is there any more. Select the level and build."
    return "There is nothing visible with faces. Add or unhide the level."
