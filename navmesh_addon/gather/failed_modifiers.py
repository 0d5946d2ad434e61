"""Modifiers that do not do what they were made for: without what they take, or without the file that they read.

Blender shows such a modifier in red, or says a word on its console, and goes on without it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import bpy

from .gathered_level import Note

# What a modifier takes, without which Blender leaves it out: type → property.
_TAKES = {
    "ARMATURE": "object", "CURVE": "object", "HOOK": "object", "LATTICE": "object", "MESH_DEFORM": "object",
    "PARTICLE_INSTANCE": "object", "VOLUME_TO_MESH": "object", "SHRINKWRAP": "target", "SURFACE_DEFORM": "target",
    "MESH_SEQUENCE_CACHE": "cache_file", "NODES": "node_group",
}  # fmt: skip


_PUT_BACK = "Put it back, or choose another"


def failed_modifiers(object_: bpy.types.Object) -> Iterator[Note]:
    """What is wrong with an object's modifiers and with the caches that move it."""
    for modifier in object_.modifiers:
        if modifier.show_viewport:
            if why := _nothing_to_take(modifier) or _errors(modifier):
                yield Note("MODIFIER_FAILED", f"modifier {modifier.name} {why}", object_.name)
            elif file := _missing_file(modifier, object_):
                why = f"modifier {modifier.name} reads {file}, which is missing. {_PUT_BACK}"
                yield Note("MISSING_DATA", why, object_.name)
    for constraint in object_.constraints:
        if isinstance(constraint, bpy.types.TransformCacheConstraint) and not constraint.mute:
            if constraint.cache_file and (file := _if_missing(constraint.cache_file.filepath, constraint.cache_file)):
                why = f"constraint {constraint.name} reads {file}, which is missing. {_PUT_BACK}"
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
