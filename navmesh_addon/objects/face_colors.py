"""Which color a navmesh's faces show: a build gives every color a material slot, and after that only indices change.

So Color By shows at once, also from a script, and creates nothing: Blender's undo survives no material that appears
outside of an operator.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy

from .. import events
from ..blender_types import mesh_of, values_of
from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setups import COLORS, scene_properties
from .materials import PALETTE, material_for
from .navmesh_objects import SLOTS, navmesh_objects

if TYPE_CHECKING:
    from .navmesh_to_arrays import I32

_COLOR = "COLOR"  # what the slots of regions and islands are called; older files have one name for each


def add_slots(scene: bpy.types.Scene, object_: bpy.types.Object, attributes: Mapping[str, I32]) -> None:
    """A material slot for each color that the polygons may get; those that are there keep what somebody put there."""
    import numpy as np

    from .navmesh_to_arrays import color_keys

    tags = [
        _tag(color_by, key)
        for color_by, *_ in COLORS
        for key in np.unique(color_keys(attributes, color_by, PALETTE)).tolist()
    ]
    slots = _slots(object_)
    if not slots:
        mesh_of(object_).materials.clear()
    for tag in dict.fromkeys(tags):
        if tag not in slots:
            kind, key = tag.split()
            slots.append(tag)
            mesh_of(object_).materials.append(material_for(scene, area_rows(scene), kind, int(key)))
    object_[SLOTS] = json.dumps(slots)


def show_colors(polygons: bpy.types.Object, detail: bpy.types.Object | None, color_by: str) -> None:
    """Give each face the slot of its color, in place. What has no slots for it, or is being edited, stays as it is."""
    import numpy as np

    from .navmesh_to_arrays import color_keys

    names = [f"navmesh_{one.lower()}" for one, *_ in COLORS]
    if polygons.mode == "EDIT" or not all(name in mesh_of(polygons).attributes for name in names):
        return
    keys = color_keys({name: _face_values(polygons, name) for name in names}, color_by, PALETTE)
    colors, number = np.unique(keys, return_inverse=True)
    _write_slots(polygons, _slots_for(polygons, colors, color_by)[number])
    if detail is not None and detail.mode != "EDIT" and len(keys):
        owner = np.clip(_face_values(detail, "navmesh_polygon"), 0, len(keys) - 1)
        _write_slots(detail, _slots_for(detail, colors, color_by)[number[owner]])


def _slots_for(object_: bpy.types.Object, colors: I32, color_by: str) -> I32:
    """The number of the slot for each color; the first one for a color that has none."""
    import numpy as np

    number_of = {tag: number for number, tag in enumerate(_slots(object_))}
    return np.array([number_of.get(_tag(color_by, key), 0) for key in colors.tolist()], np.int32)


def _write_slots(object_: bpy.types.Object, slots: I32) -> None:
    mesh = mesh_of(object_)
    attribute = mesh.attributes.get("material_index") or mesh.attributes.new("material_index", "INT", "FACE")
    values_of(attribute).foreach_set("value", slots)
    mesh.update()


def _face_values(object_: bpy.types.Object, name: str) -> I32:
    import numpy as np

    values = np.zeros(len(mesh_of(object_).polygons), np.int32)
    values_of(mesh_of(object_).attributes[name]).foreach_get("value", values)
    return values


def _tag(color_by: str, key: int) -> str:
    return f"{color_by if color_by == 'AREA' else _COLOR} {key}"


def _slots(object_: bpy.types.Object) -> list[str]:
    """Which color each material slot of an object is for, as far as it has them."""
    listed = [str(tag).split() for tag in json.loads(str(object_.get(SLOTS, "[]")))]
    return [_tag(kind, int(key)) for kind, key in listed[: len(mesh_of(object_).materials)]]


def color_again(scene_uid: int, setup_uid: str, color_by: str) -> None:
    """A setup shows other colors; the draft is that of imported navmeshes."""
    scene = next((s for s in bpy.data.scenes if s.session_uid == scene_uid), None)
    if scene is None:
        return
    found = navmesh_objects(scene, setup_uid)
    of_setups = {setup.uid for setup in scene_properties(scene).setups} if not setup_uid else set()
    for (uid, role), object_ in found.items():
        if role == POLYGON_MESH and uid not in of_setups:
            show_colors(object_, found.get((uid, DETAIL_MESH)), color_by)


def register() -> None:
    events.color_by_changed.subscribe(color_again)


def unregister() -> None:
    events.color_by_changed.unsubscribe(color_again)
