"""Volumes, bounds, seeds, links and edits of the scene, drawn where they are now: outlines in the color of their area.

The objects themselves are wires or empties, which are selected as any others. What they were when the navmesh was
built is the switch *Helpers*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from .. import events
from ..blender_types import lines_of, mesh_of, view_layer_of
from ..kept_value import KeptValue
from ..stored.area_types import AreaRow, area_color, area_rows
from ..stored.object_properties import MARKERS, PLAIN, marks_of, object_use
from .overlay import Overlay, Viewport
from .overlay_colors import BOUNDS, FORBIDDEN_VOLUME, OBSTACLE, RESOLUTION, SEED, color_of_door

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...navcore.views.picture import Picture

_WIDTH = 2.0  # pixels
_DRAWN = frozenset(MARKERS) - {"NAVMESH"}  # which is drawn as what it is, and as the navmesh that is built of it
_FACE, _LINE = 36, 235  # opacities
_MOST_EDGES = 2_000  # of a volume; of others the box is drawn
_SEED_RADIUS, _SEED_SIDES, _SEED_HEIGHT = 0.5, 24, 1.8  # metres
_HEAD = 0.12  # of an arrow: a part of its link
_BOX_EDGES = ((0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7))
_BOX_FACES = ((0, 1, 2, 3), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
# Of marks, by scene and how many objects it has: looked for again when that changes, or what one is for.
_names: KeptValue[dict[tuple[int, int], tuple[str, ...]] | None] = KeptValue(None)

MarkLook = tuple[Any, ...]  # what decides how a mark looks


def _draw(view: Viewport) -> None:
    shown = view.properties
    if not shown.show_navmesh or shown.view != "NONE" or not view.shows_overlays:
        return
    metres, layer = view.metres, view_layer_of(view.context)
    rows = area_rows(view.scene)
    drawn = set()
    for object_ in marks_in(view.scene):
        if object_.mode != "OBJECT" or not object_.visible_get(view_layer=layer, viewport=view.space):
            continue
        name = object_.session_uid
        drawn.add(name)
        look = look_of(object_, rows)
        upload = OVERLAY.kept(name, (), (look, metres), lambda o=object_, c=look[0]: _upload(o, c, metres))  # type: ignore[misc]
        OVERLAY.show(view, upload, x_ray=shown.draw_x_ray, fade=shown.draw_fade / metres)
    OVERLAY.keep_only(drawn)


def marks_in(scene: bpy.types.Scene) -> list[bpy.types.Object]:
    """The scene's objects that say something without being part of the level."""
    key = scene.session_uid, len(scene.objects)
    if _names.value is None or key not in _names.value:
        _names.value = {key: tuple(object_.name for object_ in scene.objects if object_use(object_) in _DRAWN)}
    found: list[Any] = [scene.objects.get(name) for name in _names.value[key]]
    return [object_ for object_ in found if object_ is not None and object_use(object_) in _DRAWN]


def look_of(object_: bpy.types.Object, rows: tuple[AreaRow, ...]) -> MarkLook:
    """Its color first, then where and what it is, and how many corners it has. No other one looks like it."""
    marks, use = marks_of(object_), object_use(object_)
    target = marks.link_end if use == "LINK" else None
    there = () if target is None else _flat(target)
    shape: tuple[Any, ...] = ()
    if object_.type == "MESH":
        shape = (mesh_of(object_).session_uid, len(mesh_of(object_).vertices), *map(tuple, object_.bound_box))
    elif object_.type == "CURVE":
        shape = tuple(tuple(point) for ends in ends_of(object_) for point in ends)
    return color_of(object_, rows), use, _flat(object_), there, (marks.link_bidirectional, marks.door_closed), shape


def _flat(object_: bpy.types.Object) -> tuple[float, ...]:
    matrix: Any = object_.matrix_world  # the stubs know no rows of it
    return tuple(value for row in matrix for value in row)


def color_of(object_: bpy.types.Object, rows: tuple[AreaRow, ...]) -> tuple[int, int, int]:
    """As people see it."""
    use, marks = object_use(object_), marks_of(object_)
    if use in ("BOUNDS", "SEED", "KEEP"):
        return (BOUNDS if use == "BOUNDS" else SEED)[:3]
    if use == "OBSTACLE":
        return OBSTACLE[:3]
    if use == "RESOLUTION":
        return RESOLUTION[:3]
    if use == "DOOR":
        return color_of_door(marks.door_closed)[:3]
    area = marks.link_area if use == "LINK" else marks.area
    if use == "BLOCK" or (use in ("VOLUME", "AREA") and area < 0):
        return FORBIDDEN_VOLUME[:3]
    red, green, blue = (round(255 * _seen(part)) for part in area_color(rows, area or PLAIN))
    return red, green, blue


def _seen(linear: float) -> float:
    return linear * 12.92 if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _upload(object_: bpy.types.Object, color: tuple[int, int, int], metres: float) -> Any:
    from .gpu_layers import Upload

    return Upload(picture_of(object_, color, metres), metres, _WIDTH)


def picture_of(object_: bpy.types.Object, color: tuple[int, int, int], metres: float) -> Picture:
    """Its outline, and of a box faintly its sides."""
    import numpy as np

    from ...navcore.views.picture import EMPTY
    from ..axes import to_navcore_points

    lines, faces = _shape(object_, metres)
    corners = to_navcore_points(faces.reshape(-1, 3), metres).reshape(-1, 4, 3)
    ends = to_navcore_points(lines.reshape(-1, 3), metres).reshape(-1, 2, 3)
    return EMPTY._replace(
        corners=corners.astype(np.float32),
        face_colors=np.tile(np.array((*color, _FACE), np.uint8), (len(corners), 1)),
        lines=ends.astype(np.float32),
        line_colors=np.tile(np.array((*color, _LINE), np.uint8), (len(ends), 1)),
    )


def _shape(object_: bpy.types.Object, metres: float) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """(L, 2, 3) lines and (F, 4, 3) faces in the scene's coordinates."""
    import numpy as np

    use, none = object_use(object_), np.zeros((0, 4, 3))
    if use == "LINK":
        arrows = [arrow(*ends, marks_of(object_).link_bidirectional) for ends in ends_of(object_)]
        return (np.concatenate(arrows) if arrows else np.zeros((0, 2, 3))), none
    if use in ("SEED", "KEEP") or object_.type != "MESH":
        return _seed(np.array(object_.matrix_world.translation), metres), none
    matrix = np.array(object_.matrix_world, np.float64)
    corners = np.array([tuple(corner) for corner in object_.bound_box]) @ matrix[:3, :3].T + matrix[:3, 3]
    mesh = mesh_of(object_)
    if use == "BOUNDS":  # the box that is built within lies along the axes
        low, high = corners.min(axis=0), corners.max(axis=0)
        corners = np.where(_UNIT_BOX, high, low)
    elif 0 < len(mesh.edges) <= _MOST_EDGES:
        points, edges = np.empty(3 * len(mesh.vertices), np.float32), np.empty(2 * len(mesh.edges), np.int32)
        mesh.vertices.foreach_get("co", points)
        mesh.edges.foreach_get("vertices", edges)
        world = points.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
        quads = [[*face.vertices, *[face.vertices[-1]] * (4 - len(face.vertices))] for face in mesh.polygons]
        few = [quad for quad in quads if len(quad) == 4]
        faces = world[np.array(few)] if few else none
        return _with_state(object_, world[edges.reshape(-1, 2)], faces), faces
    faces = corners[np.array(_BOX_FACES)]
    return _with_state(object_, corners[np.array(_BOX_EDGES)], faces), faces


def _with_state(
    object_: bpy.types.Object, lines: npt.NDArray[np.float64], faces: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """A closed door has a cross on each of its sides: not everybody tells green from red."""
    import numpy as np

    if object_use(object_) != "DOOR" or not marks_of(object_).door_closed:
        return lines
    return np.concatenate([lines, faces[:, [0, 2]], faces[:, [1, 3]]])


_UNIT_BOX = [
    [False, False, False], [False, False, True], [False, True, True], [False, True, False],
    [True, False, False], [True, False, True], [True, True, True], [True, True, False],
]  # fmt: skip
"""Which of low and high each corner of `Object.bound_box` has."""


def arrow(start: Any, end: Any, both_ways: bool) -> npt.NDArray[np.float64]:
    """(L, 2, 3) a line with a head where it leads."""
    import numpy as np

    first, last = np.array(start, np.float64), np.array(end, np.float64)
    lines = [[first, last]]
    along = last - first
    flat = np.array([-along[1], along[0], 0.0])
    size = np.linalg.norm(flat)
    aside = (
        flat * (_HEAD * np.linalg.norm(along) / size) if size > 0 else np.array([_HEAD * np.linalg.norm(along), 0, 0])
    )
    for tip, way in ((last, -1), *(((first, 1),) if both_ways else ())):
        foot = tip + way * _HEAD * 1.6 * along
        lines += [[tip, foot + aside / 2], [tip, foot - aside / 2]]
    return np.array(lines)


def _seed(place: npt.NDArray[np.float64], metres: float) -> npt.NDArray[np.float64]:
    """A ring on the ground as wide as an agent, and a pole as high."""
    import numpy as np

    turns = np.linspace(0, 2 * np.pi, _SEED_SIDES + 1)
    ring = np.stack([np.cos(turns), np.sin(turns), np.zeros_like(turns)], axis=1) * _SEED_RADIUS / metres + place
    pole = np.array([[place, place + np.array([0, 0, _SEED_HEIGHT / metres])]])
    return np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1), pole])


def ends_of(object_: bpy.types.Object) -> list[tuple[Any, Any]]:
    """Both ends of each link, in the scene's coordinates."""
    matrix: Any = object_.matrix_world
    if object_.type != "CURVE":
        target = marks_of(object_).link_end
        return [] if target is None else [(matrix.translation, target.matrix_world.translation)]
    return [(matrix @ line[0].co.to_3d(), matrix @ line[-1].co.to_3d()) for line in lines_of(object_)]


def look_again(*_: object) -> None:
    """Objects came or went, or are for something else."""
    _names.forget()


OVERLAY = Overlay(_draw, forget=_names.forget)
SUBSCRIBERS = ((events.mark_changed, look_again), (events.objects_changed, look_again))
