"""Add > Navmesh, the buttons of the tab Mark, and the operator behind both: on the ground below the 3D cursor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty
from mathutils import Vector

from ...blender_types import layout_of, not_none, scene_of, select_alone, view_layer_of
from ...operator_types import InObjectMode
from ...stored.area_types import area_rows
from ...stored.edit_objects import edits_home
from ...stored.object_properties import EDITS, MARKERS, PLAIN, is_ours, object_use
from ...stored.setups import scene_properties, setup_sources, shown_setup
from .helper_kinds import KINDS, ON_GROUND, HelperKind, Place

_ABOVE, _BELOW = 2.0, 1000.0  # metres over the 3D cursor, and under it, in which ground is looked for
_PAST = 1e-4  # metres below what is no ground
_COLUMNS = 3  # of buttons
_USUAL_VOLUME = 1  # water: a volume of plain ground would say nothing


class NAVMESH_OT_add_helper(InObjectMode, bpy.types.Operator):
    """Add it at the 3D cursor, on the ground below"""

    bl_idname = "navmesh.add_helper"
    bl_label = "Add to Navmesh"

    if TYPE_CHECKING:
        kind: str
    __annotations__ = {
        "kind": EnumProperty(
            name="What", items=[(row.kind, row.label, row.about, row.icon, n) for n, row in enumerate(KINDS)]
        )
    }

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return next(row.about for row in KINDS if row.kind == properties.kind)

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        row = next(row for row in KINDS if row.kind == self.kind)
        object_ = row.make(_place(context))
        _home(context, object_).objects.link(object_)
        select_alone(context, object_)
        view_layer_of(context).update()
        if object_use(object_) == "LINK":
            scene_properties(scene).move_links = True


def _home(context: bpy.types.Context, object_: bpy.types.Object) -> bpy.types.Collection:
    """Edits have a collection of their own; others are put where somebody works, but not among navmeshes."""
    scene, active = scene_of(context), context.collection
    if object_use(object_) in EDITS:
        return edits_home(scene)
    return active if active is not None and not is_ours(active) else not_none(scene.collection)


def _place(context: bpy.types.Context) -> Place:
    scene = scene_of(context)
    cursor, agent_metres = scene.cursor, scene.unit_settings.scale_length
    metres = agent_metres * setup_sources(shown_setup(scene)).scale
    forward = cursor.matrix.to_3x3() @ Vector((0, 1, 0))
    forward.z = 0
    forward = forward.normalized() if forward.length > 0 else Vector((0, 1, 0))
    return Place(_ground(context, cursor.location.copy(), metres), forward, metres, agent_metres, _area(scene))


def _ground(context: bpy.types.Context, cursor: Vector, metres: float) -> Vector:
    """The surface of the level below the 3D cursor, or a little above it; the cursor itself where there is none."""
    scene, depsgraph = scene_of(context), context.evaluated_depsgraph_get()
    at, down = cursor + Vector((0, 0, _ABOVE / metres)), Vector((0, 0, -1))
    lowest = cursor.z - _BELOW / metres
    while at.z > lowest:
        found: Any = scene.ray_cast(depsgraph, at, down, distance=at.z - lowest)  # the stubs know no tuple
        hit, place, _, _, object_, _ = found
        if not hit:
            break
        if object_use(object_) not in MARKERS and not is_ours(object_):
            return Vector(place)
        at = place + down * (_PAST / metres)
    return cursor


def _area(scene: bpy.types.Scene) -> int:
    """Of the area type that is chosen in the list."""
    rows, active = area_rows(scene), scene_properties(scene).active_area_type
    area = rows[active].area if active < len(rows) else PLAIN
    return area if area != PLAIN else next((row.area for row in rows if row.area == _USUAL_VOLUME), rows[-1].area)


class NAVMESH_MT_add(bpy.types.Menu):
    """What is added to a level for its navmesh"""

    bl_idname = "NAVMESH_MT_add"
    bl_label = "Navmesh"

    def draw(self, _context: bpy.types.Context) -> None:
        layout = layout_of(self)
        for row in KINDS:
            if row == ON_GROUND[0]:
                layout.separator()
            layout.operator("navmesh.add_helper", text=row.label, icon=row.icon).kind = row.kind


def draw_helper_buttons(layout: bpy.types.UILayout) -> None:
    """A button for each, three in a row; what is added once in a while is an icon beside another."""
    _draw_buttons(layout, [row for row in KINDS if not row.beside and row not in ON_GROUND], _COLUMNS)


def draw_edit_buttons(layout: bpy.types.UILayout) -> None:
    """A button for each that changes the finished ground, in one row."""
    _draw_buttons(layout, ON_GROUND, len(ON_GROUND))


def _draw_buttons(layout: bpy.types.UILayout, rows: Sequence[HelperKind], columns: int) -> None:
    grid = layout.grid_flow(row_major=True, columns=columns, even_columns=True, align=True)
    for row in rows:
        short = row.label.partition(" ")[0]  # there is room for a word
        small = [other for other in KINDS if other.beside == row.kind]
        place = grid.row(align=True) if small else grid
        place.operator("navmesh.add_helper", text=short, icon=row.icon).kind = row.kind
        for other in small:
            place.operator("navmesh.add_helper", text="", icon=other.icon).kind = other.kind


def _draw_in_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout_of(menu).menu(NAVMESH_MT_add.bl_idname, icon="MOD_REMESH")


DRAWN_IN = {"VIEW3D_MT_add": _draw_in_menu}
