"""Which objects of the scene are used, and why others are not."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping

import bpy

from ...navcore.errors import BadInput
from ..blender_types import known, scene_of, view_layer_of
from ..stored.object_properties import UNSET, area_of, excludes, is_ours, matches, object_use
from ..stored.source_objects import COLLECTION, KINDS, LISTED, SELECTED, VISIBLE, Sources
from .helper_objects import cutting, hidden_in_renders, instanced_by, operands
from .volumes_links_and_seeds import marker_of

_OUTLINES = {"WIRE": "a wire", "BOUNDS": "bounds"}


class ObjectFilter:
    """Decides which objects are used, and remembers why others are not. Valid until something in the scene changes."""

    def __init__(self, context: bpy.types.Context, sources: Sources) -> None:
        objects = view_layer_of(context).objects
        self._chosen = {object_.as_pointer() for object_ in _chosen_objects(context, sources)}
        self._left_out = _in_excluded_collections(scene_of(context))
        self._hidden_in_renders = hidden_in_renders(scene_of(context))
        self._asked: dict[tuple[int, int], bool] = {}
        self._against: dict[int, str] = {}
        self.skipped: dict[str, str] = {}
        self.helpers: dict[str, str] = {}  # those of the skipped that only helped to make the level
        names = [t.name for t in objects if t.as_pointer() in self._chosen] if sources.scope == SELECTED else []
        self.sources = sources._replace(scope=LISTED, names=tuple(names)) if names else sources
        self._rules = sources
        self._operands = operands(self._built_with_booleans(context))

    def _built_with_booleans(self, context: bpy.types.Context) -> Iterator[bpy.types.Object]:
        """Of the objects that others cut: those that would be built, by themselves or by an instance."""
        instanced: set[bpy.types.Object] | None = None
        for owner in cutting():
            if self._is_shown(owner):
                yield owner
            elif not self._by_rules(owner):
                if instanced is None:  # which takes a look at every object
                    instanced = set(self.instanced(self.shown(context)))
                if owner in instanced:
                    yield owner

    def making_the_level(self, context: bpy.types.Context) -> list[bpy.types.Object]:
        """What would be built, what shows it, and what it is cut with."""
        return [object_ for object_ in self.shown(context) if not self._as_outline(object_)]

    def instanced(self, owners: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Object]:
        """What these show by instances of collections, and no rule leaves out."""
        for collection in instanced_by(owners):
            for inner in collection.all_objects:
                if not inner.hide_viewport and not self._by_rules(inner) and not self._as_outline(inner):
                    yield inner

    def shown(self, context: bpy.types.Context) -> Iterator[bpy.types.Object]:
        """Objects that are chosen and visible, and that no rule leaves out: meshes, instancers, marks, all kinds."""
        return filter(self._is_shown, view_layer_of(context).objects)

    def _is_shown(self, object_: bpy.types.Object) -> bool:
        return object_.as_pointer() in self._chosen and not self._by_rules(object_) and bool(object_.visible_get())

    def takes(self, owner: bpy.types.Object, object_: bpy.types.Object) -> bool:
        """Whether to use `object_`, which `owner` shows (itself, or by instancing)."""
        key = owner.as_pointer(), object_.as_pointer()
        if key not in self._asked:
            self._asked[key] = (
                key[0] in self._chosen and self._passes(owner) and (key[0] == key[1] or self._passes(object_))
            )
        return self._asked[key]

    def _passes(self, object_: bpy.types.Object) -> bool:
        why = self._by_rules(object_)
        if not why and (why := self._as_helper(object_)):
            self.helpers[object_.name] = why
        if why:
            self.skipped[object_.name] = why
        return not why

    def _by_rules(self, object_: bpy.types.Object) -> str:
        """Why marks, collections, types or names leave an object out, "" where none does."""
        pointer = object_.as_pointer()
        if pointer not in self._against:
            self._against[pointer] = self._objection(object_)
        return self._against[pointer]

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

    def _as_helper(self, object_: bpy.types.Object) -> str:
        """Why an object is no part of the level though no rule says so."""
        operand = self._operands.get(object_.as_pointer(), "")
        return operand if operand and _may_be_helper(object_) else self._as_outline(object_)

    def _as_outline(self, object_: bpy.types.Object) -> str:
        """Why an object is none that anybody would see, "" for others."""
        outline = _OUTLINES.get(object_.display_type, "")
        if not outline or not _may_be_helper(object_) or matches(object_.name, self._rules.only_names):
            return ""
        hidden = object_.hide_render or object_.as_pointer() in self._hidden_in_renders
        return f"shown as {outline} and hidden in renders" if hidden else ""

    def explain(self, context: bpy.types.Context, used: set[str]) -> dict[str, str]:
        """Every chosen object that gave nothing, and why."""
        for object_ in view_layer_of(context).objects:
            if object_.as_pointer() in self._chosen and object_.name not in used and object_.name not in self.skipped:
                if why := _why_unused(object_, self._rules.scope):
                    self.skipped[object_.name] = why
        return self.skipped


def _may_be_helper(object_: bpy.types.Object) -> bool:
    """Whether it has a shape, and no mark says that it is part of the level."""
    return object_.type in KINDS and object_use(object_) != "INCLUDE" and area_of(object_) == UNSET


def _why_unused(object_: bpy.types.Object, scope: str) -> str:
    """ "" for what is used otherwise, or is nothing that anyone would expect to walk on."""
    if marker_of(object_) or is_ours(object_):
        return ""
    if object_.is_missing:
        return f"missing from {known(object_.library).filepath}"
    if object_.type not in KINDS and scope == VISIBLE:
        return ""
    return "has no faces" if object_.visible_get() else "hidden"


def _chosen_objects(context: bpy.types.Context, sources: Sources) -> Iterable[bpy.types.Object]:
    objects = view_layer_of(context).objects
    if sources.scope == SELECTED:
        return (t for t in objects if t.select_get(view_layer=view_layer_of(context)))
    if sources.scope == LISTED:
        names = set(sources.names)
        return (t for t in objects if t.name in names)
    if sources.scope == COLLECTION:
        return chosen_collection(scene_of(context), sources.collection).all_objects
    return objects


def chosen_collection(scene: bpy.types.Scene, name: str) -> bpy.types.Collection:
    """The collection of this name in a scene. Raises BadInput."""
    collection = next((c for c in known(scene.collection).children_recursive if c.name == name), None)
    if collection is None:
        raise BadInput(f"There is no collection named “{name}” in this scene.", "NO_COLLECTION")
    return collection


def _in_excluded_collections(scene: bpy.types.Scene) -> dict[int, str]:
    excluded: dict[int, str] = {}
    root = known(scene.collection)
    for collection in (root, *root.children_recursive):
        if excludes(collection):
            excluded |= {object_.as_pointer(): collection.name for object_ in collection.all_objects}
    return excluded


def why_nothing(sources: Sources, skipped: Mapping[str, str], helpers: Container[str] = ()) -> str:
    """One sentence on why there is nothing to build from."""
    if skipped:
        name, why = next(iter(skipped.items()))
        more = f" (and {len(skipped) - 1} more)" if len(skipped) > 1 else ""
        way_out = " Set its Use to Always to build it." if name in helpers else ""
        return f"There is nothing to build from: “{name}”{more} was not used: {why}.{way_out}"
    if sources.scope == SELECTED:
        return "Nothing is selected. Select the objects of your level, or build from everything visible."
    if sources.scope == COLLECTION:
        return f"The collection “{sources.collection}” shows no object with faces."
    if sources.scope == LISTED:
        return "None of the objects that this navmesh was built from is there any more. Select the level and build."
    return "There is nothing visible with faces. Add or unhide the level."
