"""The navmeshes of a scene as they are drawn: found anew for each drawing, computed on a thread, kept on the GPU.

Nothing of Blender's is kept: what is drawn is known by the build that made it and by the colors of its faces, so that
no picture outlives its navmesh.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import bpy
import numpy as np

from ..blender_types import mesh_of
from ..builds import finished_navmeshes
from ..kept_value import KeptValue
from ..mesh_attributes import points_of, read_attribute, read_column
from ..objects.island_list import island_rows
from ..objects.navmesh_objects import BUILD, metres_on, navmesh_objects
from ..stored.area_types import area_rows
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH
from ..stored.setups import active_setup, scene_properties
from . import navmesh_pictures
from .gpu_layers import Upload
from .navmesh_pictures import Arrays
from .overlay_colors import SURFACE_OPACITY

# Pixels: lines, and how wide points are. The surface has neither.
_WIDTHS = {"edges": 1.5, "walls": 2.0, "helpers": 2.0} | dict.fromkeys(
    ("surface", "vertices", "links", "dead_ends"), 3.0
)
_UNUSED = 100  # drawings of viewports, after which what none of them showed is given back


class DrawnNavmesh(NamedTuple):
    """One navmesh of a scene."""

    setup: str
    is_active: bool
    polygons: bpy.types.Object
    detail: bpy.types.Object | None
    shows_itself: bool  # its mesh objects are visible in this view


PictureKey = tuple[Any, ...]  # what decides how a navmesh looks; first its scene and its mesh

_kept: dict[PictureKey, dict[str, Upload]] = {}  # on the GPU or on their way there, by the name of the part
_coming: dict[PictureKey, Any] = {}  # futures
_asked: dict[PictureKey, int] = {}  # the drawing that wanted one of these last
_drawings = KeptValue(0)  # of viewports


def found(scene: bpy.types.Scene, space: bpy.types.SpaceView3D, layer: bpy.types.ViewLayer) -> Iterator[DrawnNavmesh]:
    """The navmeshes that are there now; the active setup's comes last, over the others."""
    active, objects = active_setup(scene), navmesh_objects(scene)
    rows = []
    for (uid, role), object_ in objects.items():
        if role != POLYGON_MESH or object_.mode != "OBJECT":
            continue
        detail = objects.get((uid, DETAIL_MESH))
        if any(mesh_of(one).is_editmode for one in (object_, detail) if one is not None):
            continue  # what its attributes hold is elsewhere meanwhile
        visible = any(o.visible_get(view_layer=layer, viewport=space) for o in (object_, detail) if o is not None)
        rows.append(DrawnNavmesh(uid, active is not None and active.uid == uid, object_, detail, visible))
    yield from sorted(rows, key=lambda row: row.is_active)


def uploads_of(scene: bpy.types.Scene, one: DrawnNavmesh) -> dict[str, Upload]:
    """What of a navmesh is there to be drawn, by name; what is not there yet is on its way."""
    key = _key(scene, one)
    _asked[key] = _drawings.value
    if key in _kept:
        return _kept[key]
    if key not in _coming:
        _forget_of(_coming, key)  # while somebody drags a color, many are asked for, and one is wanted
        island = isolated_island(scene, one)
        arrays = _arrays(scene, one, island)
        built = finished_navmeshes.find(str(one.polygons.get(BUILD, ""))) if island is None else None
        _coming[key] = navmesh_pictures.ask(arrays, built, _colors_of_areas(scene))
    if not _coming[key].done():
        return _older(key)
    future = _coming.pop(key)
    _forget_of(_kept, key)
    _kept[key] = {}  # where it failed that is said once, and not tried again
    pictures, metres = future.result(), metres_on(scene, one.polygons)
    _kept[key] = {name: Upload(picture, metres, _WIDTHS[name]) for name, picture in pictures.items()}
    return _kept[key]


def isolated_island(scene: bpy.types.Scene, one: DrawnNavmesh) -> int | None:
    """The island that alone is drawn of a navmesh; None where all are, also where it has no such island any more."""
    island = scene_properties(scene).isolated_island
    if island < 0 or not one.is_active:
        return None
    rows = island_rows(one.polygons, metres_on(scene, one.polygons))
    return island if any(row.number == island for row in rows) else None


def is_coming() -> bool:
    """Whether somebody should look again soon."""
    return bool(_coming)


def forget() -> None:
    """Another file, or the extension is disabled."""
    for key in [*_kept, *_coming]:
        _forget(key)
    navmesh_pictures.worker.forget()


def forget_unused() -> None:
    """Called at each drawing: what none wanted for long belongs to navmeshes that are gone, or that nobody sees."""
    _drawings.value += 1
    for key in [key for key, last in _asked.items() if _drawings.value - last > _UNUSED]:
        _forget(key)


def memory() -> int:
    """Bytes on the GPU."""
    return sum(upload.memory() for uploads in _kept.values() for upload in uploads.values())


def _key(scene: bpy.types.Scene, one: DrawnNavmesh) -> PictureKey:
    """The same as long as the picture is."""
    mesh = mesh_of(one.polygons)
    materials = one.polygons.material_slots
    colors = tuple(tuple(slot.material.diffuse_color) for slot in materials if slot.material is not None)
    detail = None if one.detail is None else (mesh_of(one.detail).session_uid, len(mesh_of(one.detail).vertices))
    return (
        (scene.session_uid, mesh.session_uid), str(one.polygons.get(BUILD, "")), len(mesh.vertices), detail, colors,
        area_rows(scene), scene_properties(scene).color_by, metres_on(scene, one.polygons),
        np.array(one.polygons.matrix_world).tobytes(), isolated_island(scene, one),
    )  # fmt: skip


def _older(key: PictureKey) -> dict[str, Upload]:
    """What is drawn of the same build until the new picture is there: its colors, say, were others."""
    older = next((other for other in _kept if other[:2] == key[:2]), None)
    if older is None:
        return {}
    _asked[older] = _drawings.value
    return _kept[older]


def _forget_of(pictures: Iterable[PictureKey], key: PictureKey) -> None:
    """Those of the same mesh in the same scene."""
    for other in [other for other in pictures if other[0] == key[0] and other != key]:
        _forget(other)


def _forget(key: PictureKey) -> None:
    _kept.pop(key, None)
    _asked.pop(key, None)
    future = _coming.pop(key, None)
    if future is not None:
        future.cancel()


def _colors_of_areas(scene: bpy.types.Scene) -> dict[int, tuple[float, float, float]]:
    """As people see them."""
    rows = area_rows(scene)
    seen = _as_seen([row.color for row in rows]).tolist()
    return {row.area: (red, green, blue) for row, (red, green, blue) in zip(rows, seen, strict=True)}


def _arrays(scene: bpy.types.Scene, one: DrawnNavmesh, island: int | None = None) -> Arrays:
    """The detail mesh, or without one the polygons cut into triangles, with the colors that faces show.

    Of one island alone, or of all where that is None.
    """
    object_ = one.detail or one.polygons
    mesh = mesh_of(object_)
    mesh.calc_loop_triangles()
    triangles = read_column(mesh.loop_triangles, "vertices", width=3)
    polygon = faces = read_column(mesh.loop_triangles, "polygon_index")
    slots = read_column(mesh.polygons, "material_index")
    if one.detail is not None and "navmesh_polygon" in mesh.attributes:
        polygon = read_attribute(mesh, "navmesh_polygon")[faces]
    world = np.array(object_.matrix_world, np.float64)
    placed = points_of(mesh).astype(np.float64) @ world[:3, :3].T + world[:3, 3]
    metres = metres_on(scene, one.polygons)
    in_metres = np.column_stack([placed[:, 0], placed[:, 2], -placed[:, 1]]) * metres
    colors = _slot_colors(object_)[slots[faces]]
    if island is not None:
        islands = read_attribute(mesh_of(one.polygons), "navmesh_island")
        wanted = np.isin(polygon, np.flatnonzero(islands == island))  # somebody may have deleted faces
        triangles, polygon, colors = triangles[wanted], polygon[wanted], colors[wanted]
    return Arrays(in_metres.astype(np.float32), triangles, polygon, colors)


def _slot_colors(object_: bpy.types.Object) -> Any:
    """(S, 4) the color of each material slot as people see it, see-through."""
    linear = [
        tuple(slot.material.diffuse_color)[:3] if slot.material is not None else (0.0, 0.45, 0.75)
        for slot in object_.material_slots
    ] or [(0.0, 0.45, 0.75)]
    colors = np.full((len(linear), 4), SURFACE_OPACITY, np.uint8)
    colors[:, :3] = np.round(255 * _as_seen(linear))
    last = np.repeat(colors[-1:], 256, axis=0)  # faces of imported files may name slots that are not there
    return np.concatenate([colors, last])


def _as_seen(linear: Sequence[Sequence[float]]) -> Any:
    """(N, 3) Blender's colors as screens have them (sRGB), 0 to 1."""
    values = np.clip(np.array(linear), 0, 1)
    return np.where(values <= 0.0031308, values * 12.92, 1.055 * values ** (1 / 2.4) - 0.055)
