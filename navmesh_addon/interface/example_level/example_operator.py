"""Makes the example level: a fort by a river with areas, links, a seed and what is asked of its navmesh."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy

from ...blender_types import not_none, scene_of, view_layer_of
from ...operator_types import Acting
from ...redraw import redraw
from ...stored.object_properties import NOT_WALKABLE, marks_of
from ...stored.preferences import first_run_is_over
from ...stored.setup_properties import COLLECTION
from ...stored.setups import fill_draft, scene_properties, shown_setup

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_NAME, _MARKS = "Example Level", "Example Marks"
# What each part looks like; red, green and blue, linear
_COLORS = {
    "terrain": (0.32, 0.36, 0.22), "fort": (0.45, 0.41, 0.36), "crossing": (0.42, 0.37, 0.31),
    "chapel": (0.5, 0.46, 0.42), "crates": (0.4, 0.28, 0.16), "trees": (0.13, 0.25, 0.1), "rocks": (0.3, 0.29, 0.28),
    "water": (0.12, 0.3, 0.42),
}  # fmt: skip
_START, _END = (25.0, -48.0, 0.2), (57.5, -25.0, 0.2)  # before the south gate; across the river, over its bridge
_LINK = ((33.9, -36.0, 2.9), (31.6, -36.0, 0.3))  # from the terrace down into the yard
_SIDES = 24  # of a round volume
_VIEW, _DISTANCE = (30.0, -34.0, 0.0), 62.0


class NAVMESH_OT_example_level(Acting, bpy.types.Operator):
    """Add a level to try things on, made here and now: a ruined fort by a river, with areas, a drop and a seed.

    It has a collection of its own; delete that, and nothing of it is left"""

    bl_idname = "navmesh.example_level"
    bl_label = "Try an Example Level"

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        level, marks = _collection(scene, _NAME), _collection(scene, _MARKS)
        _add_parts(level, 1 / scene.unit_settings.scale_length)
        _add_marks(marks, 1 / scene.unit_settings.scale_length)
        fill_draft(scene)
        setup, stored = shown_setup(scene), scene_properties(scene)
        setup.scope, setup.collection = COLLECTION, level
        stored.test_start, stored.test_end = (_in_units(scene, place) for place in (_START, _END))
        view_layer_of(context).update()
        _look(context, 1 / scene.unit_settings.scale_length)
        self.say(True, "Made the example level. Press Build Navmesh.")


def _collection(scene: bpy.types.Scene, name: str) -> bpy.types.Collection:
    made = bpy.data.collections.new(name)
    not_none(scene.collection).children.link(made)
    return made


def _in_units(scene: bpy.types.Scene, place: Sequence[float]) -> tuple[float, float, float]:
    x, y, z = (part / scene.unit_settings.scale_length for part in place)
    return x, y, z


def _add_parts(home: bpy.types.Collection, units: float) -> None:
    """What is built from, each in its color; and the river's surface, which nobody walks on."""
    from . import ruined_fort

    for name, part in {**ruined_fort.level(), "water": ruined_fort.water()}.items():
        object_ = _mesh(home, name.title(), ruined_fort.blender_axes(part.vertices) * units, part.triangles)
        material = bpy.data.materials.new(f"Example {name.title()}")
        material.diffuse_color = (*_COLORS[name], 1.0)
        data: Any = object_.data
        data.materials.append(material)
        object_.color = (*_COLORS[name], 1.0)
        if name == "water":
            marks_of(object_).use = "EXCLUDE"


def _add_marks(home: bpy.types.Collection, units: float) -> None:
    """The river is water, nobody walks inside of walls; a drop from the terrace, and a seed at the gate."""
    from . import ruined_fort

    for number, volume in enumerate(ruined_fort.scene()["volumes"]):
        outline, low, high = outline_of(volume)
        corners = [(x, y, z) for y in (low, high) for x, z in outline]
        name = f"{'River' if volume['area'] else 'Wall'} {number}"
        object_ = _mesh(home, name, ruined_fort.blender_axes(_array(corners)) * units, _prism(len(outline)))
        marks_of(object_).use, marks_of(object_).area = "VOLUME", volume["area"] or NOT_WALKABLE
    data = bpy.data.curves.new("Drop", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(1)
    for point, place in zip(spline.points, _LINK, strict=True):
        point.co = (*(part * units for part in place), 1.0)
    drop = bpy.data.objects.new("Drop", data)
    marks_of(drop).use, marks_of(drop).link_bidirectional = "LINK", False
    seed = bpy.data.objects.new("Seed", None)
    seed.location = [part * units for part in _START]
    marks_of(seed).use = "SEED"
    for object_ in (drop, seed):
        home.objects.link(object_)


def outline_of(volume: dict[str, Any]) -> tuple[list[tuple[float, float]], float, float]:
    """What a volume of a scene file covers seen from above, its lowest and its highest place."""
    from .solids import circle

    if volume["shape"] == "box":
        (x0, low, z0), (x1, high, z1) = volume["min"], volume["max"]
        return [(x0, z0), (x1, z0), (x1, z1), (x0, z1)], low, high
    if volume["shape"] == "cylinder":
        x, low, z = volume["base"]
        return circle(x, z, volume["radius"], _SIDES).tolist(), low, low + volume["height"]
    return volume["points"], volume["min_height"], volume["max_height"]


def _prism(count: int) -> list[tuple[int, ...]]:
    """The faces of an upright solid over an outline."""
    ring, after = range(count), [*range(1, count), 0]
    sides = [(k, n, count + n, count + k) for k, n in zip(ring, after, strict=True)]
    return [*sides, tuple(reversed(ring)), tuple(count + k for k in ring)]


def _array(points: Sequence[Sequence[float]]) -> npt.NDArray[np.float64]:
    import numpy as np

    return np.array(points, np.float64)


def _mesh(home: bpy.types.Collection, name: str, vertices: Any, faces: Any) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(vertices.tolist(), [], faces if isinstance(faces, list) else faces.tolist())
    object_ = bpy.data.objects.new(name, mesh)
    home.objects.link(object_)
    return object_


def _look(context: bpy.types.Context, units: float) -> None:
    """At all of it, from above and aside."""
    from mathutils import Euler, Vector

    space: Any = context.space_data
    if space is None or space.type != "VIEW_3D":
        return
    view = space.region_3d
    view.view_location, view.view_distance = Vector(_VIEW) * units, _DISTANCE * units
    view.view_rotation, view.view_perspective = Euler((0.9, 0, 0.6)).to_quaternion(), "PERSP"
    space.clip_end = max(space.clip_end, 10 * _DISTANCE * units)


class NAVMESH_OT_show_everything(Acting, bpy.types.Operator):
    """Show the whole panel: setups, the agent's sizes, cells, export"""

    bl_idname = "navmesh.show_everything"
    bl_label = "Show All Settings"
    bl_options = {"INTERNAL"}

    def act(self, _context: bpy.types.Context) -> None:
        first_run_is_over()
        redraw()
