"""What a level should be made of and is not there: libraries, linked data, files that modifiers read.

Only what reaches an object that would be built counts: who uses what is asked of Blender, from the missing upwards.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import bpy

from ..blender_types import not_none, scene_of, view_layer_of
from ..stored.object_properties import excludes
from ..stored.setup_properties import COLLECTION, LISTED, VISIBLE
from .gathered_level import Note
from .object_filter import ObjectFilter, chosen_collection

# What can decide where ground is. Materials and images can't, nor do they lead anywhere on the way up.
_KINDS = (
    "objects", "collections", "meshes", "curves", "metaballs", "lattices", "armatures", "node_groups", "particles",
    "cache_files", "textures", "fonts", "volumes", "pointclouds",
)  # fmt: skip
_PUT_BACK = "Put it back, or choose another place for it in the outliner (Relocate)"
_NAMED = 3  # objects in one sentence
_Users = Mapping[bpy.types.ID, set[bpy.types.ID]]


def missing_in_steps(
    context: bpy.types.Context, used: ObjectFilter, shown: list[bpy.types.Object]
) -> Iterator[Note | None]:
    """One note for each library, each missing thing and each modifier that fails, of all that is `shown`.

    An object at a time: None where there is nothing to say of one. `used` says what would be built.
    """
    making = used.making_the_level(shown)
    if len(bpy.data.libraries):
        yield from _missing_links(context, used, making)
    for object_ in dict.fromkeys((*making, *used.instanced(making))):
        yield None
        yield from failed_modifiers(object_)


def _missing_links(context: bpy.types.Context, used: ObjectFilter, shown: list[bpy.types.Object]) -> list[Note]:
    gone = [block for kind in _KINDS for block in getattr(bpy.data, kind) if block.is_missing]
    if not gone:
        return []
    users: _Users = bpy.data.user_map()  # type: ignore[call-arg] # which may all be left out
    ends = set(shown)
    visible = set(_visible_missing_collections(context, used))
    libraries: dict[bpy.types.Library, list[str]] = {}
    notes: list[Note] = []
    for block in gone:
        reached = _reached(block, users, ends)
        names = [object_.name for object_ in shown if object_ in reached]
        names += [block.name] if block in visible and not names else []
        library = not_none(block.library)
        if library.is_missing:  # which is said once
            libraries.setdefault(library, []).extend(names)
        elif names:
            why = f"needs “{block.name}” of {library.filepath}, where it is no more{_and(names)}"
            notes.append(Note("MISSING_DATA", f"{why}. Put it back, or remove what links it", names[0]))
    for library, names in libraries.items():
        if names:
            why = f"needs the library {library.filepath}, which is missing{_and(list(dict.fromkeys(names)))}"
            notes.append(Note("MISSING_LIBRARY", f"{why}. {_PUT_BACK}", names[0]))
    return notes


def _and(names: list[str]) -> str:
    others = names[1:]
    more = [f"{len(others) - _NAMED:,} more"] if len(others) > _NAMED else []
    return f"; as do {', '.join([*others[:_NAMED], *more])}" if others else ""


def _reached(block: bpy.types.ID, users: _Users, ends: set[bpy.types.Object]) -> set[bpy.types.ID]:
    """Objects that would be built and are not as they should be, because this is missing."""
    found: set[bpy.types.ID] = set()
    seen, waiting = {block}, [block]
    for needed in waiting:  # which grows meanwhile
        if needed in ends:
            found.add(needed)
            continue
        for user in users.get(needed, ()):
            if user not in seen and _feels(user, needed):
                seen.add(user)
                waiting.append(user)
    return found


def _feels(user: bpy.types.ID, needed: bpy.types.ID) -> bool:
    """Whether what is wrong with one is wrong with its user: an object that is there is still a sound parent."""
    if isinstance(user, bpy.types.Scene | bpy.types.Material):
        return False
    if isinstance(user, bpy.types.Object) and isinstance(needed, bpy.types.Object) and not needed.is_missing:
        return needed in taken_by_modifiers(user)
    return True


def _visible_missing_collections(context: bpy.types.Context, used: ObjectFilter) -> Iterator[bpy.types.Collection]:
    """Those that would bring objects of their own, nobody knows which."""
    sources = used.sources
    if sources.scope == VISIBLE or (sources.scope == LISTED and _some_are_gone(context, sources.names)):
        within = None
    elif sources.scope == COLLECTION:
        chosen = chosen_collection(scene_of(context), sources.collection)
        within = {chosen, *chosen.children_recursive}
    else:
        return
    waiting = [not_none(view_layer_of(context).layer_collection)]
    for layer in waiting:  # which grows meanwhile
        collection = not_none(layer.collection)
        if layer.exclude or layer.hide_viewport or collection.hide_viewport or excludes(collection):
            continue
        if collection.is_missing and (within is None or collection in within):
            yield collection
        waiting += layer.children


def _some_are_gone(context: bpy.types.Context, names: Iterable[str]) -> bool:
    return not set(names) <= set(view_layer_of(context).objects.keys())


# --- Modifiers that do not do what they were made for: Blender shows one in red, or says a word on its console, and
# goes on without it.

# What a modifier takes, without which Blender leaves it out: type → property.
_TAKES = {
    "ARMATURE": "object", "CURVE": "object", "HOOK": "object", "LATTICE": "object", "MESH_DEFORM": "object",
    "PARTICLE_INSTANCE": "object", "VOLUME_TO_MESH": "object", "SHRINKWRAP": "target", "SURFACE_DEFORM": "target",
    "MESH_SEQUENCE_CACHE": "cache_file", "NODES": "node_group",
}  # fmt: skip


_PUT_FILE_BACK = "Put it back, or choose another"


def failed_modifiers(object_: bpy.types.Object) -> Iterator[Note]:
    """What is wrong with an object's modifiers and with the caches that move it."""
    for modifier in object_.modifiers:
        if modifier.show_viewport:
            if why := _nothing_to_take(modifier) or _errors(modifier):
                yield Note("MODIFIER_FAILED", f"modifier {modifier.name} {why}", object_.name)
            elif file := _missing_file(modifier, object_):
                why = f"modifier {modifier.name} reads {file}, which is missing. {_PUT_FILE_BACK}"
                yield Note("MISSING_DATA", why, object_.name)
    for constraint in object_.constraints:
        if isinstance(constraint, bpy.types.TransformCacheConstraint) and not constraint.mute:
            if constraint.cache_file and (file := _if_missing(constraint.cache_file.filepath, constraint.cache_file)):
                why = f"constraint {constraint.name} reads {file}, which is missing. {_PUT_FILE_BACK}"
                yield Note("MISSING_DATA", why, object_.name)


def taken_by_modifiers(object_: bpy.types.Object) -> set[bpy.types.ID]:
    """Objects and other data whose shape an object's modifiers use."""
    taken = set()
    for modifier in object_.modifiers:
        for property_ in modifier.bl_rna.properties:
            value = getattr(modifier, property_.identifier) if property_.type == "POINTER" else None
            if isinstance(value, bpy.types.ID):
                taken.add(value)
    return taken


def _nothing_to_take(modifier: bpy.types.Modifier) -> str:
    name = _TAKES.get(modifier.type, "")
    if isinstance(modifier, bpy.types.BooleanModifier):
        name = "collection" if modifier.operand_type == "COLLECTION" else "object"
    if not name or getattr(modifier, name) is not None:
        return ""
    return f"has no {name.replace('_', ' ')}: it does nothing. Choose one, or remove the modifier"


def _errors(modifier: bpy.types.Modifier) -> str:
    """What nodes say; Blender 4.2 keeps it to itself."""
    warnings = getattr(modifier, "node_warnings", ())
    errors = [warning.message for warning in warnings if warning.type == "ERROR"]
    return f"says: {errors[0].rstrip('.')}. Mend it, or remove the modifier" if errors else ""


def _missing_file(modifier: bpy.types.Modifier, object_: bpy.types.Object) -> str:
    if isinstance(modifier, bpy.types.MeshSequenceCacheModifier) and modifier.cache_file:
        return _if_missing(modifier.cache_file.filepath, modifier.cache_file)
    if isinstance(modifier, bpy.types.MeshCacheModifier):
        return _if_missing(modifier.filepath, object_)
    if isinstance(modifier, bpy.types.MultiresModifier) and modifier.is_external:
        return _if_missing(modifier.filepath, object_)
    return ""


def _if_missing(path: str, owner: bpy.types.ID) -> str:
    """The path where no file is there; it is relative to the file of its owner."""
    whole = Path(bpy.path.abspath(path, library=owner.library)) if path else None
    return "" if whole is not None and whole.is_file() else path or "no file"
