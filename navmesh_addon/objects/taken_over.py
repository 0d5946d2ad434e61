"""A navmesh that was built or imported becomes somebody's own mesh: builds are made of it, and none throws it away."""

from __future__ import annotations

from typing import Any

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import mesh_of
from ..stored.edit_objects import edits_home
from ..stored.links_mesh import links_object
from ..stored.object_properties import DETAIL_MESH, FACE_AREA, marks_of, object_use, setup_of
from ..stored.setups import active_setup, find_setup
from .hand_edits import is_edited
from .navmesh_objects import LIFT, SETUP, navmesh_objects

_OURS = "navmesh_"


def take_over(scene: bpy.types.Scene, polygons: bpy.types.Object) -> bpy.types.Object:
    """Make an own mesh of a navmesh's polygon mesh; what else belonged to that navmesh goes. Raises NavmeshError."""
    uid = str(polygons.get(SETUP, ""))
    detail = navmesh_objects(scene, uid).get((uid, DETAIL_MESH))
    for object_ in (polygons, detail):
        if object_ is not None and object_.mode != "OBJECT":
            raise NavmeshError(f"“{object_.name}” is being edited. Leave its edit mode first.", "IN_EDIT_MODE")
    if detail is not None and is_edited(detail):
        raise NavmeshError(
            f"“{detail.name}” was edited by hand, and an own mesh has no detail mesh. Undo that, or move the corners "
            f"of “{polygons.name}” instead.",
            "EDITED_NAVMESH",
        )
    if find_setup(scene, uid) is not None:
        _refuse_twice(scene, uid)
    for gone in (detail, links_object(polygons)):
        if gone is not None:
            bpy.data.objects.remove(gone)
    _forget_the_build(polygons)
    setup = find_setup(scene, uid) or active_setup(scene)  # what was imported belongs to none
    for home in polygons.users_collection:
        home.objects.unlink(polygons)
    edits_home(scene).objects.link(polygons)
    polygons.name = polygons.data.name = f"{polygons.name} by Hand"  # type: ignore[union-attr]
    marks = marks_of(polygons)
    marks.edit_setup = "" if setup is None else setup.uid
    marks.use = "NAVMESH"
    return polygons


def _refuse_twice(scene: bpy.types.Scene, uid: str) -> None:
    """What was built of an own mesh would lie over that as a second one. Raises NavmeshError."""
    for object_ in scene.objects:
        if object_use(object_) == "NAVMESH" and setup_of(object_) in ("", uid) and object_.visible_get():
            raise NavmeshError(
                f"“{object_.name}” is this navmesh by hand already: edit its faces, and build. Or set its Use to "
                "Never, build from the level, and take that over.",
                "EDITED_NAVMESH",
            )


def _forget_the_build(polygons: bpy.types.Object) -> None:
    """It is a mesh like any other now: of what was known of its faces their areas stay, and which they were when they
    were built, since polygons may lie closer over each other than somebody's own faces."""
    mesh = mesh_of(polygons)
    lift = polygons.modifiers.get(LIFT)
    if lift is not None:
        polygons.modifiers.remove(lift)
    for owner in (polygons, mesh):
        names: Any = owner.keys()  # the stubs say that there are none
        for name in [name for name in names if name.startswith(_OURS)]:
            del owner[name]
    for name in [one.name for one in mesh.attributes if one.name.startswith(_OURS) and one.name != FACE_AREA]:
        mesh.attributes.remove(mesh.attributes[name])
    polygons.hide_select = False
