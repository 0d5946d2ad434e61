"""Which polygons of the active setup's navmesh are picked. Kept for this session alone: another build, and none is."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import BadInput
from ..blender_types import mesh_of, scene_of, tool_of
from ..kept_value import KeptValue
from ..mesh_attributes import corners_of, face_numbers, points_of, starts_of
from ..objects.navmesh_objects import BUILD, STAMP, active_navmesh
from ..redraw import redraw_views
from ..stored.object_properties import object_use, setup_of
from ..stored.setups import scene_properties
from ..stored.view_properties import SELECT

if TYPE_CHECKING:
    from .polygon_faces import PolygonFaces

TOOL = "navmesh.edit"
_ISLAND = "navmesh_island"


class _PickedFrom(NamedTuple):
    """What tells one state of a navmesh's mesh from another."""

    scene: int  # session_uid
    object_: int
    build: str
    stamp: str
    sizes: tuple[int, int]  # vertices, faces
    matrix: tuple[float, ...]


class Picked(NamedTuple):
    """Polygons of one navmesh."""

    shown: _PickedFrom
    faces: frozenset[int]


_picked: KeptValue[Picked | None] = KeptValue(None)
_arrays: KeptValue[tuple[_PickedFrom, PolygonFaces] | None] = KeptValue(None)


def is_tool_active(context: bpy.types.Context) -> bool:
    """Whether the mouse picks polygons, or paints."""
    return tool_of(context) == TOOL


def is_painting(context: bpy.types.Context) -> bool:
    """Whether the mouse paints, and picks nothing."""
    return is_tool_active(context) and scene_properties(scene_of(context)).edit_brush != SELECT


def shown_navmesh(scene: bpy.types.Scene) -> bpy.types.Object:
    """The polygon mesh that is picked on. Raises BadInput."""
    object_ = active_navmesh(scene)
    if object_ is None:
        raise BadInput("There is no navmesh yet. Build it first.", "NO_NAVMESH")
    if object_.mode != "OBJECT":
        raise BadInput(f"“{object_.name}” is being edited. Leave its edit mode first.", "IN_EDIT_MODE")
    return object_


def refuse_own(scene: bpy.types.Scene, setup: str) -> None:
    """Edits are of a level. Raises BadInput where a mesh of one's own is the navmesh of this setup."""
    for object_ in scene.objects:
        if object_use(object_) == "NAVMESH" and setup_of(object_) in ("", setup) and not object_.hide_viewport:
            raise BadInput(
                f"“{object_.name}” is the navmesh, and edits are of levels: edit its faces instead, or set its Use to "
                "Never.",
                "OWN_MESH_HAS_NO_EDITS",
            )


def _state_of(scene: bpy.types.Scene, object_: bpy.types.Object) -> _PickedFrom:
    mesh, to_world = mesh_of(object_), object_.matrix_world
    return _PickedFrom(
        scene.session_uid, object_.session_uid, str(object_.get(BUILD, "")), str(mesh.get(STAMP, "")),
        (len(mesh.vertices), len(mesh.polygons)),
        tuple(to_world[row][column] for row in range(4) for column in range(4)),
    )  # fmt: skip


def faces_of(scene: bpy.types.Scene, object_: bpy.types.Object) -> PolygonFaces:
    """Its polygons, in the scene's coordinates; read once for every build."""
    import numpy as np  # here: Blender's start does not wait for it

    from .polygon_faces import PolygonFaces

    state = _state_of(scene, object_)
    if _arrays.value is None or _arrays.value[0] != state:
        mesh = mesh_of(object_)
        matrix = np.array(object_.matrix_world, np.float64)
        points = points_of(mesh).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        islands = face_numbers(mesh, _ISLAND)
        count = len(mesh.polygons)
        corners, starts = corners_of(mesh).copy(), starts_of(mesh).copy()
        own = np.zeros(count, np.int32) if islands is None else islands
        _arrays.value = state, PolygonFaces(points, corners, starts, own)
    return _arrays.value[1]


def picked(scene: bpy.types.Scene) -> Picked | None:
    """What is picked; None where nothing is, or where that is of another build."""
    found = _picked.value
    if found is None or not found.faces or found.shown.scene != scene.session_uid:
        return None
    object_ = active_navmesh(scene)
    return found if object_ is not None and _state_of(scene, object_) == found.shown else None


def pick(scene: bpy.types.Scene, faces: Iterable[int]) -> None:
    """Pick these polygons, and no others. Raises BadInput."""
    object_ = shown_navmesh(scene)
    count = len(mesh_of(object_).polygons)
    chosen = frozenset(faces)
    if chosen and not 0 <= min(chosen) <= max(chosen) < count:
        raise BadInput(f"The navmesh has the polygons 0 to {count - 1:,}.", "WRONG_KIND")
    _picked.value = Picked(_state_of(scene, object_), chosen)
    redraw_views()


def picked_faces(context: bpy.types.Context, named: Collection[int]) -> tuple[bpy.types.Object, list[int]]:
    """The navmesh, and the polygons that are named, else those that are picked. Raises BadInput."""
    scene = scene_of(context)
    object_ = shown_navmesh(scene)
    if named:
        pick(scene, named)
    found = picked(scene)
    if found is None:
        raise BadInput("No polygon of the navmesh is picked. Click some with the tool Navmesh Edit.", "NOTHING_PICKED")
    return object_, sorted(found.faces)


def forget() -> None:
    """Another file, or the end."""
    _picked.forget()
    _arrays.forget()
