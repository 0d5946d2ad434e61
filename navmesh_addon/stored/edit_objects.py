"""Objects of what is changed by hand, in the collection “Navmesh Edits” of a scene, which a property makes known."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple

import bpy
from mathutils import Vector

from ..blender_types import has_property, not_none
from .object_properties import EDITS, marks_of, object_use, setup_of
from .setups import find_setup

HOME = "navmesh_edits"  # on the collection, whatever it is called
_NAMES = {"BLOCK": "Block", "AREA": "Area", "KEEP": "Keep", "PATCH": "Patch"}
_KEEP_SIZE = 0.5  # metres


class EditShape(NamedTuple):
    """Where an edit is, in the scene's coordinates."""

    points: Sequence[Sequence[float]]  # of its faces; of a place that is kept its only one
    faces: Sequence[Sequence[int]] = ()
    below: float = 0.0  # how far its faces reach
    above: float = 0.0
    footprint: Sequence[Sequence[Sequence[float]]] = ()  # outlines whose place a patch takes


def edits_home(scene: bpy.types.Scene) -> bpy.types.Collection:
    """The collection of a scene's edits, made where there is none."""
    root = not_none(scene.collection)
    for collection in root.children_recursive:
        if has_property(collection, HOME) and collection.library is None and collection.is_editable:
            return collection
    home = bpy.data.collections.new("Navmesh Edits")
    home[HOME] = True
    root.children.link(home)
    return home


def edits_in(scene: bpy.types.Scene, setup: str) -> list[bpy.types.Object]:
    """Objects that change something by hand in the navmesh of a setup, or of all."""
    return [object_ for object_ in scene.objects if object_use(object_) in EDITS and setup_of(object_) in ("", setup)]


def is_of_gone_setup(scene: bpy.types.Scene, object_: bpy.types.Object) -> bool:
    """Whether no build heeds a mark any more, as its setup was removed."""
    setup = setup_of(object_)
    return bool(setup) and find_setup(scene, setup) is None


def new_edit(kind: str, shape: EditShape, metres: float, name: str = "") -> bpy.types.Object:
    """An object for an edit, which is in no collection yet. Its origin is the middle of its points."""
    name = name or _NAMES[kind]
    middle = sum((Vector(point) for point in shape.points), Vector()) / len(shape.points)
    if kind == "KEEP":
        object_ = bpy.data.objects.new(name, None)
        object_.empty_display_type, object_.empty_display_size = "SPHERE", _KEEP_SIZE / metres
    else:
        mesh = bpy.data.meshes.new(name)
        mesh.from_pydata([Vector(point) - middle for point in shape.points], [], [list(face) for face in shape.faces])
        object_ = bpy.data.objects.new(name, mesh)
    object_.location = middle
    marks = marks_of(object_)
    marks.edit_below, marks.edit_above = shape.below, shape.above
    if shape.footprint:
        local = [[(Vector(point) - middle).to_tuple() for point in outline] for outline in shape.footprint]
        marks.edit_footprint = json.dumps(local)
    marks.use = kind
    return object_


def read_made(object_: bpy.types.Object) -> dict[str, dict[str, float]]:
    """Square metres that an edit marked when it was made: by setup, and by what it was then. Nothing where damaged."""
    try:
        stored = json.loads(marks_of(object_).edit_made or "{}")
        return {str(setup): {str(k): float(m2) for k, m2 in known.items()} for setup, known in stored.items()}
    except (AttributeError, TypeError, ValueError):
        return {}
