"""Which objects of the scene are used, and why others are not."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from itertools import chain

import bpy

from ...navcore.errors import BadInput
from ..blender_types import not_none, scene_of, view_layer_of
from ..stored.object_properties import UNSET, area_of, excludes, is_ours, matches, names_in_lists, object_use
from ..stored.setup_properties import COLLECTION, KINDS, LISTED, SELECTED, VISIBLE, Sources
from .volumes_links_and_seeds import marker_of

# --- Objects that help to make a level without being part of it: what cuts others, what is shown as a wire only.
#
# Nothing here decides: the filter of objects asks, and says what was left out.


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


_OUTLINES = {"WIRE": "a wire", "BOUNDS": "bounds"}


class ObjectFilter:
    """Decides which objects are used, and remembers why others are not. Valid until something in the scene changes.

    It asks objects one by one, because to ask all of a large scene at once would take a while.
    """

    def __init__(self, context: bpy.types.Context, sources: Sources) -> None:
        self._layer = view_layer_of(context)
        self._names = frozenset(self._layer.objects.keys())  # a background scene shows others too
        self._listed = frozenset(sources.names) if sources.scope == LISTED else frozenset()
        self._listed_as = names_in_lists() if sources.scope in (LISTED, SELECTED) else None
        self._collected = _in_collection(scene_of(context), sources)
        self._left_out = _in_excluded_collections(scene_of(context))
        self._hidden_in_renders = hidden_in_renders(scene_of(context))
        self._asked: dict[tuple[int, int], bool] = {}
        self._against: dict[int, str] = {}
        self._operands: dict[int, str] | None = None
        self.skipped: dict[str, str] = {}
        self.helpers: dict[str, str] = {}  # those of the skipped that only helped to make the level
        self._rules = sources

    def _is_chosen(self, object_: bpy.types.Object) -> bool:
        if self._rules.scope == COLLECTION:
            return object_.as_pointer() in self._collected
        if object_.name not in self._names:
            return False
        if self._rules.scope == SELECTED:
            return bool(object_.select_get(view_layer=self._layer))
        return self._listed_as is None or self._listed_as(object_) in self._listed

    @property
    def listed(self) -> tuple[int, ...]:
        """Whom the names of `sources` mean, whatever they are called later: session_uids, 0 where there is nobody."""
        names = self.sources.names
        if self._listed_as is None or not names:
            return ()
        named = {self._listed_as(object_): object_.session_uid for object_ in self._layer.objects}
        return tuple(named.get(name, 0) for name in names)

    @property
    def sources(self) -> Sources:
        """The same, with the names of what is selected, so that it can be gathered again."""
        if self._rules.scope != SELECTED or self._listed_as is None:
            return self._rules
        names = tuple(self._listed_as(object_) for object_ in self._layer.objects if self._is_chosen(object_))
        return self._rules._replace(scope=LISTED, names=names) if names else self._rules

    def find_operands(self) -> Iterator[None]:
        """Look for what cuts others, an object of the file at a time; else it is done when somebody asks."""
        owners: list[bpy.types.Object] = []
        instanced: set[bpy.types.Object] | None = None
        for owner in map(not_none, bpy.data.objects.values()):
            yield
            if not cuts(owner):
                continue
            if self.is_shown(owner):
                owners.append(owner)
            elif not self._by_rules(owner):
                if instanced is None:  # which takes a look at every object
                    instanced = set(self.instanced(self.shown()))
                owners += [owner] if owner in instanced else []
        self._operands = operands(owners)

    def making_the_level(self, shown: Iterable[bpy.types.Object]) -> list[bpy.types.Object]:
        """Of objects that are shown: what would be built, what shows it, and what it is cut with."""
        return [object_ for object_ in shown if not self._as_outline(object_)]

    def instanced(self, owners: Iterable[bpy.types.Object]) -> Iterator[bpy.types.Object]:
        """What these show by instances of collections, and no rule leaves out."""
        for collection in instanced_by(owners):
            for inner in collection.all_objects:
                if not inner.hide_viewport and not self._by_rules(inner) and not self._as_outline(inner):
                    yield inner

    def shown(self) -> Iterator[bpy.types.Object]:
        """Objects that are chosen and visible, and that no rule leaves out: meshes, instancers, marks, all kinds."""
        return filter(self.is_shown, self._layer.objects)

    def is_shown(self, object_: bpy.types.Object) -> bool:
        """Whether an object is one of those."""
        return (
            self._is_chosen(object_)
            and not self._by_rules(object_)
            and bool(object_.visible_get(view_layer=self._layer))
        )

    def takes(self, owner: bpy.types.Object, object_: bpy.types.Object) -> bool:
        """Whether to use `object_`, which `owner` shows (itself, or by instancing)."""
        key = owner.as_pointer(), object_.as_pointer()
        if key not in self._asked:
            self._asked[key] = (
                self._is_chosen(owner) and self._passes(owner) and (key[0] == key[1] or self._passes(object_))
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
        if self._operands is None:
            deque(self.find_operands(), maxlen=0)
        operand = not_none(self._operands).get(object_.as_pointer(), "")
        return operand if operand and _may_be_helper(object_) else self._as_outline(object_)

    def _as_outline(self, object_: bpy.types.Object) -> str:
        """Why an object is none that anybody would see, "" for others."""
        outline = _OUTLINES.get(object_.display_type, "")
        if not outline or not _may_be_helper(object_) or matches(object_.name, self._rules.only_names):
            return ""
        hidden = object_.hide_render or object_.as_pointer() in self._hidden_in_renders
        return f"shown as {outline} and hidden in renders" if hidden else ""

    def explain(self, used: set[str]) -> dict[str, str]:
        """Every chosen object that gave nothing, and why."""
        for object_ in self._layer.objects:
            if object_.name not in used and object_.name not in self.skipped and self._is_chosen(object_):
                if why := why_unused(object_, self._rules.scope):
                    self.skipped[object_.name] = why
        return self.skipped


def _may_be_helper(object_: bpy.types.Object) -> bool:
    """Whether it has a shape, and no mark says that it is part of the level."""
    return object_.type in KINDS and object_use(object_) != "INCLUDE" and area_of(object_) == UNSET


def why_unused(object_: bpy.types.Object, scope: str) -> str:
    """ "" for what is used otherwise, or is nothing that anyone would expect to walk on."""
    if marker_of(object_) or is_ours(object_):
        return ""
    if object_.is_missing:
        return f"missing from {not_none(object_.library).filepath}"
    if object_.type not in KINDS and scope == VISIBLE:
        return ""
    return "has no faces" if object_.visible_get() else "hidden"


def _in_collection(scene: bpy.types.Scene, sources: Sources) -> frozenset[int]:
    """The objects of the collection that is built from, by pointer. Raises BadInput."""
    if sources.scope != COLLECTION:
        return frozenset()
    return frozenset(object_.as_pointer() for object_ in chosen_collection(scene, sources.collection).all_objects)


def chosen_collection(scene: bpy.types.Scene, name: str) -> bpy.types.Collection:
    """The collection of this name in a scene: in full, as setups say it, where a linked one is called as another.
    Raises BadInput."""
    if not name:
        raise BadInput("No collection is chosen to build from. Choose one.", "NO_COLLECTION")
    there = not_none(scene.collection).children_recursive
    found = [c for c in there if c.name_full == name] or [c for c in there if c.name == name]
    if not found:
        raise BadInput(f"There is no collection named “{name}” in this scene.", "NO_COLLECTION")
    return found[0]


def _in_excluded_collections(scene: bpy.types.Scene) -> dict[int, str]:
    excluded: dict[int, str] = {}
    root = not_none(scene.collection)
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
    if sources.scope == LISTED and not any(sources.names):
        return "This setup was not built yet, so no objects are those of last time. Select the level and build."
    if sources.scope == LISTED:
        return "None of the objects that this navmesh was built from is there any more. Select the level and build."
    return "There is nothing visible with faces. Add or unhide the level."
