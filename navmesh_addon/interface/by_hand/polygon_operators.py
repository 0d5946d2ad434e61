"""What is picked on the navmesh becomes an edit: a block, an area, a place to keep, or a patch that is shaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty

from ....navcore.build_warning import counted
from ....navcore.errors import BadInput, NavmeshError
from ...blender_types import layout_of, mesh_of, scene_of, select_alone, view_layer_of
from ...mesh_attributes import face_numbers, write_attribute
from ...objects.built_from import remembered
from ...objects.navmesh_objects import SETUP
from ...operator_types import InObjectMode
from ...picking.picked_polygons import faces_of, pick, picked_faces, refuse_own
from ...stored.area_types import area_name, area_rows
from ...stored.edit_objects import EditShape, edits_home, new_edit
from ...stored.object_properties import FACE_AREA, NOT_WALKABLE, PLAIN, marks_of
from ...stored.setups import find_setup, setup_settings
from ..area_icons import icon_of_area
from .pick_operators import named_faces

if TYPE_CHECKING:
    from ...picking.polygon_faces import PolygonFaces

_KINDS = (
    ("BLOCK", "Block", "There is no ground any more"),
    ("AREA", "Area", "Their ground has another area"),
    ("KEEP", "Keep", "Their islands stay, however small they are"),
    ("PATCH", "Edit Shape", "They become ground of one's own, in edit mode: move corners, and add faces"),
)


class _Made:
    """What all edits of one navmesh have in common."""

    def __init__(self, context: bpy.types.Context, navmesh: bpy.types.Object) -> None:
        self.scene, self.navmesh = scene_of(context), navmesh
        self.setup, self.metres = str(navmesh.get(SETUP, "")), self.scene.unit_settings.scale_length
        refuse_own(self.scene, self.setup)

    def reach(self) -> float:
        """How far an edit marks below and above where it lies: half an agent, in units."""
        return agent_height_of(self.scene, self.navmesh) / self.metres / 2

    def add(self, kind: str, shape: EditShape, name: str = "") -> bpy.types.Object:
        """The object, for all setups, in the collection of edits."""
        object_ = new_edit(kind, shape, self.metres, name)
        edits_home(self.scene).objects.link(object_)
        return object_


def agent_height_of(scene: bpy.types.Scene, navmesh: bpy.types.Object) -> float:
    """Metres."""
    try:
        return remembered(navmesh)[0].agent_height
    except NavmeshError:  # imported, or damaged
        setup = find_setup(scene, str(navmesh.get(SETUP, "")))
        return 2.0 if setup is None else setup_settings(setup).agent_height


class NAVMESH_OT_edit_polygons(InObjectMode, bpy.types.Operator):
    """Change the navmesh where polygons are picked, for every build to come: block them, give them an area, keep their
    islands, or edit their shape"""

    bl_idname = "navmesh.edit_polygons"
    bl_label = "Edit Navmesh Polygons"

    if TYPE_CHECKING:
        kind: str
        area: int
        faces: str
    __annotations__ = {
        "kind": EnumProperty(name="Kind", items=_KINDS),
        "area": IntProperty(
            name="Area", description="Area type of an area", default=PLAIN, min=NOT_WALKABLE, max=PLAIN,
            options={"SKIP_SAVE"},
        ),
        "faces": StringProperty(
            name="Polygons", description="Their numbers as JSON; those that are picked where it is empty",
            options={"SKIP_SAVE"},
        ),
    }  # fmt: skip

    @classmethod
    def description(cls, _context: bpy.types.Context, properties: Any) -> str:
        return next(about for kind, _, about in _KINDS if kind == properties.kind)

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        navmesh, chosen = picked_faces(context, named_faces(self.faces))
        made, faces = _Made(context, navmesh), faces_of(scene, navmesh)
        if self.kind == "KEEP":
            objects = self._keep(made, faces, chosen)
        elif self.kind == "PATCH":
            objects = [_patch(made, faces, chosen)]
        else:
            objects = [self._outline(made, faces, chosen)]
        pick(scene, ())
        _make_active(context, objects)
        said = "Shape it, and build" if self.kind == "PATCH" else "Build again to see what it does"
        names = " and ".join(f"“{one.name}”" for one in objects[:2])
        self.report({"INFO"}, f"Added {names} from {counted(len(chosen), 'polygon')}. {said}.")
        if self.kind == "PATCH":
            bpy.ops.object.mode_set(mode="EDIT")

    def _outline(self, made: _Made, faces: PolygonFaces, chosen: Sequence[int]) -> bpy.types.Object:
        from ...picking.polygon_faces import shape_of

        reach, name = made.reach(), area_name(made.scene, self.area) if self.kind == "AREA" else ""
        object_ = made.add(self.kind, EditShape(*shape_of(faces, chosen), reach, reach), name)
        if self.kind == "AREA":
            marks_of(object_).area = self.area or PLAIN
        return object_

    def _keep(self, made: _Made, faces: PolygonFaces, chosen: Sequence[int]) -> list[bpy.types.Object]:
        """One place on the largest polygon of each island."""
        from ...picking.polygon_faces import square_metres

        sizes, middles = square_metres(faces, chosen), faces.middles()
        largest: dict[int, int] = {}
        for face in chosen:
            island = int(faces.islands[face])
            largest[island] = max(largest.get(island, face), face, key=lambda one: sizes[one])
        return [made.add("KEEP", EditShape([middles[face].tolist()])) for face in largest.values()]


def _patch(made: _Made, faces: PolygonFaces, chosen: Sequence[int]) -> bpy.types.Object:
    """The polygons as faces of their own, in place of the ground that they are."""
    import numpy as np  # here: Blender's start does not wait for it

    from ...gather.edit_outlines import joined_rings
    from ...picking.polygon_faces import shape_of

    points, rings = shape_of(faces, chosen)
    footprint = [[points[k] for k in outline] for _, outlines in joined_rings(rings) for outline in outlines]
    object_ = made.add("PATCH", EditShape(points, rings, made.reach(), made.reach(), footprint))
    areas = face_numbers(mesh_of(made.navmesh), FACE_AREA)
    if areas is not None:
        kept = areas[np.array(chosen)]
        write_attribute(mesh_of(object_), FACE_AREA, np.where(kept == PLAIN, 0, kept))
    return object_


def _make_active(context: bpy.types.Context, objects: Sequence[bpy.types.Object]) -> None:
    layer = view_layer_of(context)
    layer.update()
    if any(object_.name not in layer.objects for object_ in objects):
        raise BadInput("The collection “Navmesh Edits” is left out of this view layer. Bring it back first.")
    select_alone(context, *objects)


class NAVMESH_MT_area_of_polygons(bpy.types.Menu):
    """Give the picked polygons an area type"""

    bl_idname = "NAVMESH_MT_area_of_polygons"
    bl_label = "Area of Navmesh Polygons"

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        for row in area_rows(scene):
            button = layout.operator("navmesh.edit_polygons", text=row.name, icon_value=icon_of_area(scene, row.area))
            button.kind, button.area = "AREA", row.area
