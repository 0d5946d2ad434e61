"""A finished navmesh into the mesh objects that are there, from a timer: nothing is created, assigned or removed.

Whatever creates datablocks is an operator with an undo step; this rewrites geometry and attributes, and pushes none.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import bpy

from ..blender_types import mesh_of
from ..builds import finished_navmeshes
from ..builds.request_and_result import BuiltNavmesh
from ..objects.blender_mesh import fill_mesh
from ..objects.built_from import remember
from ..objects.face_colors import show_colors
from ..objects.kept_outcome import keep_outcome
from ..objects.navmesh_objects import AREA_TYPES, BUILD, FINGERPRINT, PRUNED, SETTINGS, STAMP, navmesh_objects
from ..stored.area_types import area_rows, area_table
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setups import new_uid, scene_properties

if TYPE_CHECKING:
    from ..objects.navmesh_to_arrays import Surface

Targets = dict[str, bpy.types.Object]  # by role
_PRESS_BUILD = "Press Build once: then it can be followed"


def targets_of(scene: bpy.types.Scene, setup: str) -> Targets:
    """What a setup's navmesh is written into. (To find it, all objects of a scene may be gone through.)"""
    objects = navmesh_objects(scene, setup).items()
    return {role: object_ for (_, role), object_ in objects if role in (POLYGON_MESH, DETAIL_MESH)}


def why_not_written(targets: Targets, with_detail: bool) -> str:
    """Why a navmesh can't be written now, "" where it can."""
    if POLYGON_MESH not in targets or with_detail != (DETAIL_MESH in targets):
        return _PRESS_BUILD
    for object_ in targets.values():
        mesh = mesh_of(object_)
        if not object_.is_editable or not mesh.is_editable or mesh.library is not None:
            return f"“{object_.name}” is of another file: it can't be written"
        if object_.mode != "OBJECT" or mesh.is_editmode:
            return f"“{object_.name}” is being edited: it is written when you are done"
        if mesh.shape_keys is not None:
            return f"“{object_.name}” has shape keys: remove them, or it can't be written"
        if mesh.users > 1:
            return f"The mesh of “{object_.name}” is used by other objects: it can't be written"
    return ""


def is_written(targets: Targets, built: BuiltNavmesh) -> bool:
    """Whether the mesh objects hold this navmesh already. Only what lies on the mesh tells, after an undo."""
    request, object_ = built.request, targets.get(POLYGON_MESH)
    if object_ is None or finished_navmeshes.find(str(object_.get(BUILD, ""))) is None:
        return False
    wanted: dict[str, object] = {
        FINGERPRINT: built.fingerprint,
        SETTINGS: json.dumps(request.settings.to_mapping()),
        PRUNED: request.prune,
        AREA_TYPES: json.dumps(area_table(request.area_types)),
    }
    if any(object_.get(name) != value for name, value in wanted.items()):
        return False
    return all(mesh_of(one).get(STAMP) == object_[BUILD] for one in targets.values())


def write_in_place(scene: bpy.types.Scene, targets: Targets, built: BuiltNavmesh, before: str) -> str:
    """Write it; `before` is the build that it is compared with. Returns the new build. To be asked for first:
    `why_not_written`."""
    from ..objects.navmesh_to_arrays import surfaces
    from ..objects.write_links import write_built_links

    polygons, detail = surfaces(
        built.navmesh, built.islands, built.values, area_rows(scene), scene.unit_settings.scale_length
    )
    meshes: dict[str, Surface | None] = {POLYGON_MESH: polygons, DETAIL_MESH: detail}
    build = new_uid()
    finished_navmeshes.doubt([str(targets[POLYGON_MESH].get(BUILD, ""))])  # which is shown no longer
    for role, surface in meshes.items():
        if surface is not None:
            fill_mesh(targets[role], surface)
    remember({role: targets[role] for role, surface in meshes.items() if surface is not None}, built, build)
    write_built_links(None, targets[POLYGON_MESH], built, scene.unit_settings.scale_length)
    show_colors(targets[POLYGON_MESH], targets.get(DETAIL_MESH), scene_properties(scene).color_by)
    finished_navmeshes.keep(build, built, before)
    keep_outcome(scene, built.request.setup, build, built.checked)
    return build


class InPlaceWriter:
    """Writes the navmesh of one setup again and again."""

    def __init__(self, setup: str) -> None:
        self._setup = setup
        self._mine = ""  # the build that was written here last

    def write(self, scene: bpy.types.Scene, built: BuiltNavmesh) -> str:
        """Write it where that is to be done. Returns why it can't be done now, "" where it is written."""
        targets = targets_of(scene, self._setup)
        if is_written(targets, built):
            return ""
        why = why_not_written(targets, built.request.settings.detail_mesh)
        if not why:
            shown = str(targets[POLYGON_MESH].get(BUILD, ""))
            before = finished_navmeshes.before(shown) if shown == self._mine else shown
            self._mine = write_in_place(scene, targets, built, before)
        return why
