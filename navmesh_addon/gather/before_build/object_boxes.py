"""The boxes of all objects that a build would use: a look at a level that needs none of its triangles.

It is taken in steps, so that whoever looks while somebody works can stop after each and go on later.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import NamedTuple

import bpy
import numpy as np
import numpy.typing as npt

from ...axes import to_navcore
from ...blender_types import scene_of, view_layer_of
from ...sliced_work import GO_ON, PAUSE, Slices, at_once
from ...stored.object_properties import marks_of, resolution_of
from ...stored.setup_properties import VISIBLE, Sources
from ..missing_sources import missing_in_steps
from ..object_filter import ObjectFilter, shown_twice, why_nothing, why_unused
from ..volumes_links_and_seeds import marker_of

F64 = npt.NDArray[np.float64]
_AT_A_TIME = 64  # objects whose corners are turned into boxes together
_CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


class LevelBoxes(NamedTuple):
    """What was seen of a level. Boxes are (low, high) corners in metres, y up."""

    names: list[str]
    boxes: F64  # (N, 2, 3)
    scales: F64  # (N, 3) without their signs
    applicable: list[bool]  # whether Apply Scale would work on the object
    bounds: F64 | None  # (2, 3) around all objects of use Bounds
    bounds_names: list[str]
    instancers: int  # objects that show others on their vertices or faces, which were not looked at
    why_empty: str  # where there are no boxes
    hidden: str  # the first object that was not used because it is hidden, where there are no boxes
    source_hints: list[SourceHint]
    resolutions: list[SeenResolution]


class SeenResolution(NamedTuple):
    """An object that asks for other cells."""

    name: str
    box: F64  # (2, 3)
    scale: float


def look_at_boxes(context: bpy.types.Context, sources: Sources) -> Slices[LevelBoxes]:
    """A step for each object. Raises BadInput, and ReferenceError where objects were removed between two steps."""
    seen = _Seen(context, sources)
    for _ in seen.used.find_operands():
        yield GO_ON
    yield PAUSE
    for object_ in view_layer_of(context).objects.values():
        if object_ is not None:  # None: removed just now
            seen.add(object_)
        yield GO_ON
    yield PAUSE
    for row in source_hints(context, seen.used, seen.shown):
        seen.source_hints += [row] if row is not None else []
        yield GO_ON
    yield PAUSE
    return seen.finish()


def seen_at_once(context: bpy.types.Context, sources: Sources) -> LevelBoxes:
    """The same without a pause. Raises BadInput."""
    return at_once(look_at_boxes(context, sources))


class _Seen:
    """What was seen until now."""

    def __init__(self, context: bpy.types.Context, sources: Sources) -> None:
        self.used, self._sources = ObjectFilter(context, sources), sources
        self.shown: list[bpy.types.Object] = []
        self.source_hints: list[SourceHint] = []
        self._metres = scene_of(context).unit_settings.scale_length * sources.scale
        self._layer = view_layer_of(context)
        self._names: list[str] = []
        self._applicable: list[bool] = []
        self._hidden: dict[str, str] = {}
        self._without_faces: dict[str, str] = {}
        self._waiting: list[tuple[list[tuple[float, ...]], list[tuple[float, ...]]]] = []  # corners, matrix
        self._boxes: list[F64] = []
        self._scales: list[F64] = []
        self._in_collection: dict[str, F64] = {}
        self._bounds: dict[str, F64] = {}
        self._resolutions: list[SeenResolution] = []
        self._instancers = 0

    def add(self, object_: bpy.types.Object) -> None:
        """Look at one object of the view layer."""
        marker, shown = marker_of(object_), self.used.is_shown(object_)
        if shown:
            self.shown.append(object_)
        if marker in ("BOUNDS", "RESOLUTION") and object_.visible_get(view_layer=self._layer):
            box = self._box_of_marker(object_)
            if marker == "BOUNDS":
                self._bounds[object_.name] = box
            elif np.isfinite(box).all():
                self._resolutions.append(SeenResolution(object_.name, box, resolution_of(object_)))
        if marker or not self.used.takes(object_, object_):
            return
        if not shown:
            self._hidden[object_.name] = why_unused(object_, self._sources.scope) or "hidden"
            return
        self._instancers += object_.instance_type in ("VERTS", "FACES")
        instanced = object_.instance_collection if object_.instance_type == "COLLECTION" else None
        if instanced is not None:
            self._add_instance(object_, instanced)
        elif object_.type in self._sources.kinds:
            corners = [tuple(corner) for corner in object_.bound_box]
            matrix = [tuple(row) for row in object_.matrix_world.row]
            self._names.append(object_.name)
            self._applicable.append(_scale_can_be_applied(object_))
            self._waiting.append((corners, matrix))
            if len(self._waiting) == _AT_A_TIME:
                self._turn_into_boxes()
        elif self._sources.scope != VISIBLE:  # lamps and the like are nothing that anyone would expect to walk on
            self._without_faces[object_.name] = "has no faces"

    def _turn_into_boxes(self) -> None:
        """All that wait: a few large operations of NumPy instead of many small ones."""
        if not self._waiting:
            return
        corners, matrices = (np.array(values, np.float64) for values in zip(*self._waiting, strict=True))
        self._waiting.clear()
        linear = matrices[:, :3, :3]
        world = np.einsum("nij,nkj->nki", linear, corners) + matrices[:, None, :3, 3]
        world = world[:, :, [0, 2, 1]] * (self._metres, self._metres, -self._metres)
        self._boxes.append(np.stack([world.min(1), world.max(1)], axis=1))
        self._scales.append(np.linalg.norm(linear, axis=1))

    def _add_instance(self, object_: bpy.types.Object, shown: bpy.types.Collection) -> None:
        """The box around what a collection instance shows, which is the same for all of its instances."""
        if shown.name not in self._in_collection:
            self._in_collection[shown.name] = _corners_in_collection(shown)
        corners = self._in_collection[shown.name]
        if len(corners) == 0:
            return
        self._turn_into_boxes()  # keeps the order
        points = to_navcore(object_.matrix_world, self._metres).points(corners).astype(np.float64)
        self._names.append(object_.name)
        self._applicable.append(False)
        self._boxes.append(np.stack([points.min(0), points.max(0)])[None])
        # Scaling an instance is how instances are meant to be used: no word about it, unless nothing is left of it.
        self._scales.append((np.linalg.norm(np.array(object_.matrix_world)[:3, :3], axis=0) > 0)[None].astype(float))

    def _box_of_marker(self, object_: bpy.types.Object) -> F64:
        empty = object_.type == "EMPTY"
        corners = _CUBE * object_.empty_display_size if empty else np.array([tuple(c) for c in object_.bound_box])
        points = to_navcore(object_.matrix_world, self._metres).points(corners).astype(np.float64)
        return np.stack([points.min(0), points.max(0)])

    def finish(self) -> LevelBoxes:
        self._turn_into_boxes()
        boxes = np.concatenate([np.empty((0, 2, 3)), *self._boxes])
        scales = np.concatenate([np.empty((0, 3)), *self._scales])
        sound = np.isfinite(boxes).all(axis=(1, 2)) & (boxes[:, 1] > boxes[:, 0]).any(axis=1)
        covering = {n: box for n, box in self._bounds.items() if np.isfinite(box).all() and _covers_ground(box)}
        bounds = list(covering.values())
        skipped = {**self.used.skipped, **self._hidden, **self._without_faces}
        why = "" if sound.any() else why_nothing(self._sources, skipped, self.used.helpers)
        return LevelBoxes(
            list(compress(self._names, sound.tolist())),
            boxes[sound], scales[sound],
            list(compress(self._applicable, sound.tolist())),
            np.stack([np.min(bounds, axis=0)[0], np.max(bounds, axis=0)[1]]) if bounds else None,
            list(covering), self._instancers, why,
            next(iter(self._hidden), "") if why else "", self.source_hints, self._resolutions,
        )  # fmt: skip


def _covers_ground(box: F64) -> bool:
    """Bounds that do not bound nothing."""
    return bool((box[1] > box[0])[[0, 2]].all())


def _corners_in_collection(shown: bpy.types.Collection) -> F64:
    """The corners of what an instance of the collection shows, in the instance's own coordinates."""
    inner = [object_ for object_ in shown.all_objects if object_.type == "MESH"]
    corners = [to_local(object_) for object_ in inner]
    return np.concatenate([np.empty((0, 3)), *corners]) - np.array(shown.instance_offset)


def to_local(object_: bpy.types.Object) -> F64:
    """(8, 3) corners of an object where it stands."""
    matrix = np.array(object_.matrix_world, np.float64)
    corners: F64 = np.array([tuple(corner) for corner in object_.bound_box], np.float64)
    return corners @ matrix[:3, :3].T + matrix[:3, 3]


def _scale_can_be_applied(object_: bpy.types.Object) -> bool:
    """Whether nothing stands against it: the scale is the object's own, and it and its mesh may be changed."""
    data = object_.data
    return (
        object_.parent is None
        and object_.type in ("MESH", "CURVE", "SURFACE")
        and object_.mode == "OBJECT"
        and object_.animation_data is None
        and len(object_.constraints) == 0
        and object_.library is None
        and object_.override_library is None
        and data is not None
        and data.library is None
    )


SourceHint = tuple[str, str, str]  # code, message, name of an object


def source_hints(
    context: bpy.types.Context, used: ObjectFilter, shown: list[bpy.types.Object]
) -> Iterator[SourceHint | None]:
    """What is missing, what is built twice, and what is not built because it looks like a helper.

    Of all that is shown, an object at a time: None where there is nothing to say of one.
    """
    yield from missing_in_steps(context, used, shown)
    for object_, collection, instance in shown_twice(shown):
        yield (
            "INSTANCE_SOURCE",
            f"is built where it stands and where “{instance}” shows its collection {collection}. Hide that collection "
            "if only its instances are meant",
            object_.name,
        )
    for object_ in shown:
        yield None
        if marks_of(object_).use != "AUTO":  # somebody has said what it is
            continue
        if not used.takes(object_, object_) and (why := used.helpers.get(object_.name)):
            yield "HELPER", f"is not built: {why}. Set its Use to Always if it is ground or a wall", object_.name
