"""What the buttons of hints do: one small operator each, all of them undoable, which does what the hint advises."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import StringProperty

from ...navcore.errors import BadInput
from ...navcore.settings import Settings
from ..blender_types import mesh_of, not_none, scene_of, view_layer_of
from ..gather.before_build.hints_and_fixes import value_of
from ..operator_types import Answer, OfPanel
from ..stored.area_types import area_rows
from ..stored.object_properties import FACE_AREA, PLAIN, marks_of, matches
from ..stored.setting_properties import SettingValue, read_values, write_values
from ..stored.setup_properties import COLLECTION, LISTED, SELECTED, VISIBLE, NavmeshSetup
from ..stored.setups import fill_draft, setup_settings, setup_sources, shown_setup
from . import checks_before_build, refused_build


def _done() -> Answer:
    """What the hint was about is no longer so."""
    refused_build.forget()
    checks_before_build.something_changed()
    return {"FINISHED"}


class NAVMESH_OT_set_settings(OfPanel, bpy.types.Operator):
    """Change settings of the setup as the hint advises"""

    bl_idname = "navmesh.set_settings"
    bl_label = "Change Settings"

    if TYPE_CHECKING:
        changes: str
    __annotations__ = {
        "changes": StringProperty(name="Changes", description="Names and values as JSON", options={"SKIP_SAVE"})
    }

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: bpy.types.OperatorProperties) -> str:
        """The tooltip names every value."""
        changes = json.loads(str(getattr(properties, "changes", "")) or "{}")
        said = ", ".join(value_of(name, value) for name, value in changes.items())
        return f"Change settings of the setup: {said}"

    def act(self, context: bpy.types.Context) -> Answer | None:
        scene, metres = scene_of(context), scene_of(context).unit_settings.scale_length
        changes = self._changes()
        fill_draft(scene)
        setup = shown_setup(scene)
        Settings.from_mapping({**read_values(setup, metres), **changes})
        write_values(setup, changes, metres)
        return _done()

    def _changes(self) -> dict[str, SettingValue]:
        """Raises BadInput."""
        try:
            changes = json.loads(self.changes)
        except ValueError as error:
            raise BadInput(f"{self.changes!r:.60} is no JSON: {error}.", "WRONG_KIND") from None
        if not isinstance(changes, dict):
            raise BadInput(f"{self.changes!r:.60} must be changes, as '{{\"agent_radius\": 0.4}}'.", "WRONG_KIND")
        return changes


class NAVMESH_OT_set_scale(OfPanel, bpy.types.Operator):
    """Build the level this many times as large: a factor of the setup. Objects stay as they are, and agents keep their
    sizes"""

    bl_idname = "navmesh.set_scale"
    bl_label = "Scale"

    if TYPE_CHECKING:
        scale: str
    __annotations__ = {"scale": StringProperty(name="Scale", description="The factor", options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> Answer | None:
        try:
            scale = float(self.scale)
        except ValueError:
            scale = math.nan
        if not 1e-6 <= scale <= 1e6:
            return self.refuse(f"“{self.scale}” is no factor to scale a level by.")
        fill_draft(scene_of(context))
        shown_setup(scene_of(context)).scale = scale
        return _done()


class NAVMESH_OT_build_from_visible(OfPanel, bpy.types.Operator):
    """Let the setup build from all that the viewport shows"""

    bl_idname = "navmesh.build_from_visible"
    bl_label = "Build from Everything Visible"

    def act(self, context: bpy.types.Context) -> Answer:
        shown_setup(scene_of(context)).scope = VISIBLE
        return _done()


class _OnObject(OfPanel):
    """An operator on the object that a hint names."""

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Object", options={"SKIP_SAVE"})}

    def mend(self, context: bpy.types.Context, object_: bpy.types.Object) -> str | None:
        """Do it. Returns why it can't be done, nothing where it was."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context) -> Answer | None:
        object_ = view_layer_of(context).objects.get(self.name) or _part_of_instance(self.name)
        why: str | None = f"“{self.name}” is no longer in this view layer."
        if object_ is not None:
            linked = object_.library is not None or (object_.data is not None and object_.data.library is not None)
            why = "Its file is linked: change it there." if linked else self.mend(context, object_)
        return self.refuse(why) if why else _done()


def _part_of_instance(name: str) -> bpy.types.Object | None:
    """An object that only instances of its collection show."""
    return next((one for one in bpy.data.objects if one.name == name and one.library is None), None)


class NAVMESH_OT_leave_out(_OnObject, bpy.types.Operator):
    """Do not use the object: its Use becomes Never"""

    bl_idname = "navmesh.leave_out"
    bl_label = "Leave Out"

    def mend(self, _context: bpy.types.Context, object_: bpy.types.Object) -> None:
        marks_of(object_).use = "EXCLUDE"


class NAVMESH_OT_make_area(_OnObject, bpy.types.Operator):
    """Build the ground below it, with an area type of its own: its Use becomes Area Volume. So doors can be opened, and
    agents can be told that they cost more"""

    bl_idname = "navmesh.make_area"
    bl_label = "Make It an Area"

    def mend(self, context: bpy.types.Context, object_: bpy.types.Object) -> None:
        doors = [row.area for row in area_rows(scene_of(context)) if row.name.lower() == "door"]
        marks_of(object_).use = "VOLUME"
        marks_of(object_).area = marks_of(object_).area or (doors[0] if doors else PLAIN)


class NAVMESH_OT_use_always(_OnObject, bpy.types.Operator):
    """Build the object whatever it looks like: its Use becomes Always"""

    bl_idname = "navmesh.use_always"
    bl_label = "Build It"

    def mend(self, _context: bpy.types.Context, object_: bpy.types.Object) -> None:
        marks_of(object_).use = "INCLUDE"


class NAVMESH_OT_show_object(_OnObject, bpy.types.Operator):
    """Show the object in the viewport"""

    bl_idname = "navmesh.show_object"
    bl_label = "Show"

    def mend(self, context: bpy.types.Context, object_: bpy.types.Object) -> str:
        object_.hide_viewport = False
        object_.hide_set(False, view_layer=view_layer_of(context))
        for collection in object_.users_collection:
            collection.hide_viewport = False
        return "" if object_.visible_get() else "Its collection is hidden: show that in the Outliner."


class NAVMESH_OT_apply_scale(_OnObject, bpy.types.Operator):
    """Apply the object's scale to its data: it looks as before, and its scale is 1"""

    bl_idname = "navmesh.apply_scale"
    bl_label = "Apply Scale"

    def mend(self, context: bpy.types.Context, object_: bpy.types.Object) -> str:
        with context.temp_override(active_object=object_, object=object_, selected_editable_objects=[object_]):
            return _failure(
                bpy.ops.object.transform_apply, location=False, rotation=False, scale=True, isolate_users=True
            )


class NAVMESH_OT_flip_normals(_OnObject, bpy.types.Operator):
    """Flip all faces of the object's mesh: what looked down looks up"""

    bl_idname = "navmesh.flip_normals"
    bl_label = "Flip Normals"

    def mend(self, _context: bpy.types.Context, object_: bpy.types.Object) -> str:
        if object_.type != "MESH" or object_.mode == "EDIT":
            return "Only the faces of a mesh in Object Mode can be flipped: convert it, or leave Edit Mode."
        mesh_of(object_).flip_normals()
        mesh_of(object_).update()
        return ""


class NAVMESH_OT_convert_area_attribute(_OnObject, bpy.types.Operator):
    """Make navmesh_area of the object's mesh an integer attribute on faces"""

    bl_idname = "navmesh.convert_area_attribute"
    bl_label = "Convert Attribute"

    def mend(self, context: bpy.types.Context, object_: bpy.types.Object) -> str:
        if object_.type != "MESH" or object_.mode == "EDIT" or FACE_AREA not in mesh_of(object_).attributes:
            return "It is not the object's own mesh in Object Mode that has the attribute: its modifiers make it."
        attributes = mesh_of(object_).attributes
        attributes.active = attributes[FACE_AREA]
        with context.temp_override(active_object=object_, object=object_):
            return _failure(bpy.ops.geometry.attribute_convert, mode="GENERIC", domain="FACE", data_type="INT")


def _failure(operator: Any, **arguments: Any) -> str:
    """Call an operator of Blender's. Returns what it says against it, "" where it did its work."""
    try:
        operator(**arguments)
    except RuntimeError as error:
        return str(error).strip().removeprefix("Error: ")
    return ""


# --- Select the object that a line of a panel names.


class NAVMESH_OT_select_object(OfPanel, bpy.types.Operator):
    """Select the object that is meant, and look at it"""

    bl_idname = "navmesh.select_object"
    bl_label = "Select Object"

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> Answer | None:
        object_ = view_layer_of(context).objects.get(self.name)
        if object_ is None:
            return self.refuse(f"“{self.name}” is no longer in this view layer.")
        for other in context.selected_objects:
            other.select_set(False)
        if object_.visible_get():
            object_.select_set(True)
        view_layer_of(context).objects.active = object_
        if context.area is not None and context.area.type == "VIEW_3D":
            region = next(r for r in context.area.regions if r.type == "WINDOW")
            with context.temp_override(region=region):
                view: Any = bpy.ops.view3d  # the stubs know no `poll` of operators
                if view.view_selected.poll():
                    view.view_selected()
        return None


# --- Ground under a level that has none: what makes a first build of Blender's new file show something.

_MIN_SIDE = 20.0  # metres: the side of the smallest ground
_TIMES = 4  # as wide as the level: what stands on it leaves room to walk


class NAVMESH_OT_add_ground(OfPanel, bpy.types.Operator):
    """Add a plane under the level, wide enough to walk around it"""

    bl_idname = "navmesh.add_ground"
    bl_label = "Add Ground Plane"

    def act(self, context: bpy.types.Context) -> Answer | None:
        setup = shown_setup(scene_of(context))
        side, at = _place(context, setup)
        object_ = _plane(side, at)
        home = setup.collection if setup.scope == COLLECTION and setup.collection else context.collection
        not_none(home).objects.link(object_)
        _let_it_be_used(context, setup, object_)
        return _done()


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
