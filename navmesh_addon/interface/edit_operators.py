"""What is changed by hand and survives builds: edits are added and removed, and are for one setup or for all."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, FloatProperty, IntProperty, StringProperty

from ...navcore.errors import BadInput
from ..blender_types import scene_of, select_alone, view_layer_of
from ..operator_types import Acting, OfPanel
from ..stored.edit_objects import EditShape, edits_home, new_edit
from ..stored.object_properties import EDITS, NOT_WALKABLE, PLAIN, marks_of, object_use, setup_of
from ..stored.setups import check_setup, named_setup, shown_setup

_KINDS = (
    ("BLOCK", "Block", "No ground within the outline, exactly as drawn"),
    ("AREA", "Area", "Ground of another area within the outline, exactly as drawn"),
    ("KEEP", "Keep", "The island at the middle of the points stays, however small it is"),
    ("PATCH", "Patch", "The outline itself is ground, walkable at any slope"),
)
_OUTLINE = "Give it as '[[0, 0], [2, 0], [2, 2]]', in Blender's coordinates."


class NAVMESH_OT_add_edit(Acting, bpy.types.Operator):
    """Change the navmesh by hand for every build to come: block ground, give it an area, keep an island, add ground"""

    bl_idname = "navmesh.add_edit"
    bl_label = "Add Navmesh Edit"

    if TYPE_CHECKING:
        kind: str
        outline: str
        min_height: float
        max_height: float
        area: int
        setup: str
        name: str
    __annotations__ = {
        "kind": EnumProperty(name="Kind", description="What it does", items=_KINDS),
        "outline": StringProperty(
            name="Outline",
            description="Corners [x, y] as JSON; those of a patch may have a height of their own, [x, y, z]",
        ),
        "min_height": FloatProperty(
            name="From", description="Lowest height at which ground is marked", unit="LENGTH", options={"SKIP_SAVE"}
        ),
        "max_height": FloatProperty(
            name="To",
            description="Highest height at which ground is marked. Patches and places that are kept lie halfway",
            unit="LENGTH", options={"SKIP_SAVE"},
        ),
        "area": IntProperty(
            name="Area", description="Area type of an area or a patch", default=PLAIN, min=0, max=PLAIN,
            options={"SKIP_SAVE"},
        ),
        "setup": StringProperty(
            name="Setup", description="Whose builds heed it; empty for all", options={"SKIP_SAVE"}
        ),
        "name": StringProperty(name="Name", description="What its object is called", options={"SKIP_SAVE"}),
    }  # fmt: skip

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        check_setup(scene, self.setup)
        setup = named_setup(scene, self.setup) if self.setup else None
        if self.min_height > self.max_height:
            raise BadInput(
                f"max_height must be at least min_height = {self.min_height:g}, not {self.max_height:g}.", "WRONG_KIND"
            )
        object_ = new_edit(self.kind, self._shape(), scene.unit_settings.scale_length, self.name)
        marks = marks_of(object_)
        if self.kind in ("AREA", "PATCH"):
            marks.area = self.area or (NOT_WALKABLE if self.kind == "AREA" else PLAIN)
        marks.edit_setup = "" if setup is None else setup.uid
        edits_home(scene).objects.link(object_)
        view_layer_of(context).update()
        self.report({"INFO"}, f"Added “{object_.name}”. Build again to see what it does.")

    def _shape(self) -> EditShape:
        """Where it is. Raises BadInput."""
        corners, low, high = _corners(self.outline, 1 if self.kind == "KEEP" else 3), self.min_height, self.max_height
        if self.kind == "KEEP":
            x, y = (sum(corner[axis] for corner in corners) / len(corners) for axis in (0, 1))
            return EditShape([(x, y, (low + high) / 2)])
        around = [range(len(corners))]
        if self.kind == "PATCH":
            return EditShape([(*corner, (low + high) / 2)[:3] for corner in corners], around)
        return EditShape([(*corner[:2], low) for corner in corners], around, 0.0, high - low)


def _corners(outline: str, least: int) -> list[list[float]]:
    """Points of x and y, or of x, y and z, from JSON. Raises BadInput."""
    try:
        given: Any = json.loads(outline)
    except ValueError:
        raise BadInput(f"The outline {outline!r:.60} is no JSON. {_OUTLINE}", "WRONG_KIND") from None
    if not isinstance(given, list) or len(given) < least:
        raise BadInput(f"The outline must be at least {least} points. {_OUTLINE}", "WRONG_KIND")
    for point in given:
        if not (isinstance(point, list) and len(point) in (2, 3) and all(_is_number(part) for part in point)):
            raise BadInput(f"{point!r:.40} is no point of the outline. {_OUTLINE}", "WRONG_KIND")
    return given


def _is_number(part: object) -> bool:
    return isinstance(part, (int, float)) and not isinstance(part, bool) and math.isfinite(part)


class OnEdit(OfPanel):
    """An operator on one edit, which names may not tell: those of linked objects may be the same."""

    if TYPE_CHECKING:
        uid: int
    __annotations__ = {
        "uid": IntProperty(name="Edit", description="Its object's session_uid", options={"SKIP_SAVE"}),
    }

    def edit(self, context: bpy.types.Context) -> bpy.types.Object:
        """The object. Raises BadInput."""
        for object_ in scene_of(context).objects:
            if object_.session_uid == self.uid and object_use(object_) in (*EDITS, "NAVMESH"):
                return object_
        raise BadInput("That edit is no longer there.")

    def own_edit(self, context: bpy.types.Context) -> bpy.types.Object:
        """One that may be changed. Raises BadInput."""
        object_ = self.edit(context)
        if object_.library is not None or not object_.is_editable:
            raise BadInput(f"“{object_.name}” is of another file: change it there.")
        return object_


class NAVMESH_OT_select_edit(OnEdit, bpy.types.Operator):
    """Select this edit alone, and make it the active object"""

    bl_idname = "navmesh.select_edit"
    bl_label = "Select Edit"

    def act(self, context: bpy.types.Context) -> None:
        object_, layer = self.edit(context), view_layer_of(context)
        if context.mode != "OBJECT":
            raise BadInput("Leave edit mode first.", "IN_EDIT_MODE")
        if not object_.visible_get(view_layer=layer):
            raise BadInput(f"“{object_.name}” is hidden: it does nothing. Show it first.")
        select_alone(context, object_)


class NAVMESH_OT_remove_edit(OnEdit, bpy.types.Operator):
    """Delete this edit: the next build is made without it"""

    bl_idname = "navmesh.remove_edit"
    bl_label = "Remove Edit"

    def act(self, context: bpy.types.Context) -> None:
        object_ = self.own_edit(context)
        name, data = object_.name, object_.data
        bpy.data.objects.remove(object_)
        if isinstance(data, bpy.types.Mesh) and not data.users:
            bpy.data.meshes.remove(data)
        self.report({"INFO"}, f"The next build is made without “{name}”.")


class NAVMESH_OT_edit_for_setup(OnEdit, bpy.types.Operator):
    """Builds of the shown setup alone heed this edit; again: those of all setups do"""

    bl_idname = "navmesh.edit_for_setup"
    bl_label = "For This Setup Alone"

    def act(self, context: bpy.types.Context) -> None:
        object_, setup = self.own_edit(context), shown_setup(scene_of(context))
        if not setup.uid:
            raise BadInput("There is no setup yet: build once.", "NO_SETUP")
        marks_of(object_).edit_setup = "" if setup_of(object_) == setup.uid else setup.uid
