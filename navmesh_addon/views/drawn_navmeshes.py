"""The navmeshes of a scene as they are drawn: found anew for each drawing, computed on a thread, kept on the GPU.

Nothing of Blender's is kept: what is drawn is known by the build that made it and by the colors of its faces, so that
no picture outlives its navmesh.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import bpy
import numpy as np

from ..blender_types import mesh_of, values_of
from ..builds import finished_navmeshes
from ..objects.navmesh_objects import BUILD, navmesh_objects
from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, PLAIN, POLYGON_MESH
from ..stored.setups import active_setup, scene_properties
from .gpu_layers import Upload
from .helper_pictures import helper_picture
from .navmesh_parts import Arrays, Parts, parts_of_arrays, parts_of_result, surface

if TYPE_CHECKING:
    from ...navcore.views.picture import Picture
    from ..builds.request_and_result import BuiltNavmesh

THIN, USUAL, THICK = 1.5, 2.0, 3.0  # pixels
_SURFACE = 115  # opacity of the surface, 0 to 255
_UNUSED = 600  # drawings after which what nobody looks at is given back


class Found(NamedTuple):
    """One navmesh of a scene."""

    setup: str
    is_active: bool
    polygons: bpy.types.Object
    detail: bpy.types.Object | None
    shows_itself: bool  # its mesh objects are visible in this view


class _Kept(NamedTuple):
    """Pictures on the GPU or on their way there, by the name of the part."""

    uploads: dict[str, Upload]
    used: list[int]  # when they were drawn last


_kept: dict[object, _Kept] = {}
_coming: dict[object, Future[Any]] = {}
_worker: list[ThreadPoolExecutor] = []  # at most one
_drawings = [0]


def found(scene: bpy.types.Scene, space: bpy.types.SpaceView3D, layer: bpy.types.ViewLayer) -> Iterator[Found]:
    """The navmeshes that are there now; the active setup's comes last, over the others."""
    active, objects = active_setup(scene), navmesh_objects(scene)
    rows = []
    for (uid, role), object_ in objects.items():
        if role != POLYGON_MESH or object_.mode != "OBJECT":
            continue
        detail = objects.get((uid, DETAIL_MESH))
        visible = any(o.visible_get(view_layer=layer, viewport=space) for o in (object_, detail) if o is not None)
        rows.append(Found(uid, active is not None and active.uid == uid, object_, detail, visible))
    yield from sorted(rows, key=lambda row: row.is_active)


def uploads_of(scene: bpy.types.Scene, one: Found) -> dict[str, Upload]:
    """What of a navmesh is there to be drawn, by name; what is not there yet is on its way."""
    _drawings[0] += 1
    key = _key(scene, one)
    kept = _kept.get(key)
    if kept is not None:
        kept.used[0] = _drawings[0]
        return kept.uploads
    if key not in _coming:
        arrays = _arrays(scene, one)
        built = finished_navmeshes.find(str(one.polygons.get(BUILD, "")))
        _coming[key] = _thread().submit(_pictures, arrays, built, _colors_of_areas(scene))
    if not _coming[key].done():
        return _older(one)
    pictures = _coming.pop(key).result()
    metres = scene.unit_settings.scale_length
    _forget_older(one.polygons)
    _kept[key] = _Kept({name: Upload(*picture_and_width(name, picture, metres)) for name, picture in pictures.items()},
                       [_drawings[0]])  # fmt: skip
    return _kept[key].uploads


def picture_and_width(name: str, picture: Picture, metres: float) -> tuple[Picture, float, float]:
    """What an upload takes."""
    return picture, metres, {"edges": THIN, "walls": USUAL, "vertices": THICK, "helpers": USUAL}.get(name, THICK)


def is_coming() -> bool:
    """Whether somebody should look again soon."""
    return bool(_coming)


def forget() -> None:
    """Another file, or the extension is disabled."""
    _kept.clear()
    for future in _coming.values():
        future.cancel()
    _coming.clear()
    while _worker:
        _worker.pop().shutdown(wait=True, cancel_futures=True)


def forget_unused() -> None:
    """What was not drawn for long belongs to navmeshes that are gone, or that nobody sees."""
    for key in [key for key, kept in _kept.items() if _drawings[0] - kept.used[0] > _UNUSED]:
        del _kept[key]


def memory() -> int:
    """Bytes on the GPU."""
    return sum(upload.memory() for kept in _kept.values() for upload in kept.uploads.values())


def _key(scene: bpy.types.Scene, one: Found) -> object:
    """The same as long as the picture is."""
    mesh = mesh_of(one.polygons)
    materials = one.polygons.material_slots
    colors = tuple(tuple(slot.material.diffuse_color) for slot in materials if slot.material is not None)
    detail = None if one.detail is None else (mesh_of(one.detail).session_uid, len(mesh_of(one.detail).vertices))
    return (
        mesh.session_uid, len(mesh.vertices), detail, str(one.polygons.get(BUILD, "")), colors,
        scene_properties(scene).color_by,
        scene.unit_settings.scale_length, np.array(one.polygons.matrix_world).tobytes(),
    )  # fmt: skip


def _older(one: Found) -> dict[str, Upload]:
    """What is drawn of the same mesh until the new picture is there: its colors, say, were others."""
    mesh, build = mesh_of(one.polygons).session_uid, str(one.polygons.get(BUILD, ""))
    return next((kept.uploads for key, kept in _kept.items() if key[0] == mesh and key[3] == build), {})  # type: ignore[index]


def _forget_older(object_: bpy.types.Object) -> None:
    mesh = mesh_of(object_).session_uid
    for key in [key for key in _kept if key[0] == mesh]:  # type: ignore[index]
        del _kept[key]


def _thread() -> ThreadPoolExecutor:
    if not _worker:
        _worker.append(ThreadPoolExecutor(1, "navmesh-drawn"))
    return _worker[0]


def _pictures(arrays: Arrays, built: BuiltNavmesh | None, colors: dict[int, Any]) -> dict[str, Picture]:
    """Everything there is to draw; nothing of this touches Blender."""
    parts: Parts = parts_of_arrays(arrays) if built is None else parts_of_result(built.navmesh)
    pictures = {"surface": surface(arrays), **parts._asdict()}
    if built is not None:
        gathered, settings = built.request.gathered, built.request.settings
        agent = settings.agent_radius, settings.agent_height
        pictures["helpers"] = helper_picture(gathered.volumes, gathered.bounds, gathered.seeds, agent, colors)
    return pictures


def _colors_of_areas(scene: bpy.types.Scene) -> dict[int, tuple[float, float, float]]:
    return {row.area: row.color for row in area_rows(scene)} | {PLAIN: (0.0, 0.45, 0.75)}


def _arrays(scene: bpy.types.Scene, one: Found) -> Arrays:
    """The detail mesh, or without one the polygons cut into triangles, with the colors that faces show."""
    object_ = one.detail or one.polygons
    mesh = mesh_of(object_)
    mesh.calc_loop_triangles()
    count = len(mesh.loop_triangles)
    vertices, triangles = np.empty(3 * len(mesh.vertices), np.float32), np.empty(3 * count, np.int32)
    faces, slots = np.empty(count, np.int32), np.zeros(len(mesh.polygons), np.int32)
    mesh.vertices.foreach_get("co", vertices)
    mesh.loop_triangles.foreach_get("vertices", triangles)
    mesh.loop_triangles.foreach_get("polygon_index", faces)
    mesh.polygons.foreach_get("material_index", slots)
    polygon = faces
    if one.detail is not None and "navmesh_polygon" in mesh.attributes:
        owners = np.empty(len(mesh.polygons), np.int32)
        values_of(mesh.attributes["navmesh_polygon"]).foreach_get("value", owners)
        polygon = owners[faces]
    world = np.array(object_.matrix_world, np.float64)
    placed = vertices.reshape(-1, 3).astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    metres = scene.unit_settings.scale_length
    in_metres = np.column_stack([placed[:, 0], placed[:, 2], -placed[:, 1]]) * metres
    return Arrays(
        in_metres.astype(np.float32), triangles.reshape(-1, 3), polygon, _slot_colors(object_)[slots[faces]]
    )  # fmt: skip


def _slot_colors(object_: bpy.types.Object) -> Any:
    """(S, 4) the color of each material slot as people see it, see-through."""
    linear = [
        tuple(slot.material.diffuse_color)[:3] if slot.material is not None else (0.0, 0.45, 0.75)
        for slot in object_.material_slots
    ] or [(0.0, 0.45, 0.75)]
    values = np.clip(np.array(linear), 0, 1)
    seen = np.where(values <= 0.0031308, values * 12.92, 1.055 * values ** (1 / 2.4) - 0.055)
    colors = np.full((len(linear), 4), _SURFACE, np.uint8)
    colors[:, :3] = np.round(255 * seen)
    last = np.repeat(colors[-1:], 256, axis=0)  # faces of imported files may name slots that are not there
    return np.concatenate([colors, last])
