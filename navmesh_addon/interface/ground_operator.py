"""Ground under a level that has none: what makes a first build of Blender's new file show something."""

from __future__ import annotations

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import not_none, scene_of, view_layer_of
from ..errors import report_error
from ..operator_types import Answer
from ..stored.object_properties import marks_of, matches
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import setup_settings, setup_sources, shown_setup
from ..stored.source_objects import COLLECTION, LISTED, SELECTED
from . import checks_before_build, refused_build

_MIN_SIDE = 20.0  # metres: the side of the smallest ground
_TIMES = 4  # as wide as the level: what stands on it leaves room to walk


class NAVMESH_OT_add_ground(bpy.types.Operator):
    """Add a plane under the level, wide enough to walk around it"""

    bl_idname = "navmesh.add_ground"
    bl_label = "Add Ground Plane"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    def execute(self, context: bpy.types.Context) -> Answer:
        setup = shown_setup(scene_of(context))
        try:
            side, at = _place(context, setup)
        except NavmeshError as error:
            return report_error(self, error)
        object_ = _plane(side, at)
        home = setup.collection if setup.scope == COLLECTION and setup.collection else context.collection
        not_none(home).objects.link(object_)
        _let_it_be_used(context, setup, object_)
        refused_build.forget()
        checks_before_build.something_changed()
        return {"FINISHED"}


def _place(context: bpy.types.Context, setup: NavmeshSetup) -> tuple[float, tuple[float, float, float]]:
    """Side and middle of the ground, in Blender's units."""
    from ..gather.before_build.object_boxes import seen_at_once

    metres = scene_of(context).unit_settings.scale_length
    settings = setup_settings(setup)
    boxes = seen_at_once(context, setup_sources(setup)).boxes
    min_side = max(_MIN_SIDE, _TIMES * (2 * settings.agent_radius + settings.region_min_size * settings.cell_size))
    if len(boxes) == 0:
        return min_side / metres, (0.0, 0.0, 0.0)
    low, high = boxes[:, 0].min(0), boxes[:, 1].max(0)
    side = max(min_side, _TIMES * float(max(high[0] - low[0], high[2] - low[2])))
    middle = (low + high) / 2
    return side / metres, (float(middle[0]) / metres, float(-middle[2]) / metres, float(low[1]) / metres)


def _plane(side: float, at: tuple[float, float, float]) -> bpy.types.Object:
    half = side / 2
    mesh = bpy.data.meshes.new("Ground")
    mesh.from_pydata([(-half, -half, 0), (half, -half, 0), (half, half, 0), (-half, half, 0)], [], [(0, 1, 2, 3)])
    object_ = bpy.data.objects.new("Ground", mesh)
    object_.location = at
    return object_


def _let_it_be_used(context: bpy.types.Context, setup: NavmeshSetup, object_: bpy.types.Object) -> None:
    """Whatever the setup builds from, the ground belongs to it."""
    if setup.scope == SELECTED:
        object_.select_set(True, view_layer=view_layer_of(context))
    elif setup.scope == LISTED:
        setup.listed = "\n".join(filter(None, (setup.listed, object_.name)))
    unwanted = setup.only_names and not matches(object_.name, setup.only_names)
    if unwanted or "MESH" not in setup.kinds or matches(object_.name, setup.skip_names):
        marks_of(object_).use = "INCLUDE"


CLASSES = (NAVMESH_OT_add_ground,)
