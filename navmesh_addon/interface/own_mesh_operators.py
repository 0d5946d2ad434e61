"""Meshes that are the navmesh: a built one is taken over, faces are mended, and those at fault are selected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import bpy
from bpy.props import FloatProperty, StringProperty

from ...navcore.errors import BadInput
from ..blender_types import mesh_of, not_none, scene_of, select_alone, view_layer_of
from ..mesh_attributes import corners_of, points_of, read_attribute, replace_faces, starts_of, write_attribute
from ..objects.navmesh_objects import navmesh_of
from ..objects.taken_over import take_over
from ..operator_types import Acting, OfPanel
from ..stored.object_properties import AS_BUILT, is_ours, object_use
from ..stored.setups import setup_settings, shown_setup
from .island_operators import OnNavmesh

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ...navcore.by_hand.from_polygons import MendedFaces

_KEPT = ("INT", "FLOAT", "BOOLEAN", "FLOAT_VECTOR")  # attributes of faces that go along
_USUAL_WELD = 0.001  # metres


class NAVMESH_OT_take_over(OnNavmesh, bpy.types.Operator):
    """Make a mesh of your own of this navmesh: edit its faces as any. Builds of its setup are made of it from now on"""

    bl_idname = "navmesh.take_over"
    bl_label = "Take Over by Hand"
    bl_options = {"REGISTER", "UNDO"}

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        object_ = take_over(scene, navmesh_of(scene, self.navmesh))
        layer = view_layer_of(context)
        layer.update()
        if object_.name in layer.objects:
            object_.hide_set(False, view_layer=layer)
            select_alone(context, object_)
        self.report({"INFO"}, f"“{object_.name}” is the navmesh now: edit its faces, and build.")


class NAVMESH_OT_mend(Acting, bpy.types.Operator):
    """Make the faces of an own navmesh sound: weld corners, turn faces up, drop doubles and walls, join what meets at
    an edge"""

    bl_idname = "navmesh.mend"
    bl_label = "Mend Navmesh Faces"

    if TYPE_CHECKING:
        weld: float
    __annotations__ = {
        "weld": FloatProperty(
            name="Weld", description="Metres within which corners become one", default=_USUAL_WELD, min=0.0, max=1.0,
            precision=4,
        ),
    }  # fmt: skip

    def act(self, context: bpy.types.Context) -> None:
        chosen = [object_ for object_ in _chosen(context) if object_use(object_) == "NAVMESH"]
        if not chosen:
            raise BadInput(
                "No selected object is a navmesh of your own. Select one, or set its Use to Navmesh.", "NO_NAVMESH"
            )
        for object_ in chosen:
            _check_own(object_)
        texts = [_mend(context, object_, float(f"{self.weld:.6g}")) for object_ in dict.fromkeys(chosen)]
        view_layer_of(context).update()
        self.report({"INFO"}, " ".join(texts))


def _chosen(context: bpy.types.Context) -> list[bpy.types.Object]:
    """The active object, and all that are selected."""
    active = view_layer_of(context).objects.active
    return [*([active] if active is not None else []), *context.selected_objects]


def _check_own(object_: bpy.types.Object) -> None:
    """Refuse what cannot be changed. Raises BadInput."""
    if object_.type != "MESH" or is_ours(object_):
        raise BadInput(f"“{object_.name}” is no mesh of your own.", "NO_NAVMESH")
    mesh = mesh_of(object_)
    if mesh.library is not None or not mesh.is_editable:
        raise BadInput(f"“{object_.name}” is of another file: mend it there.")
    if object_.mode != "OBJECT":
        raise BadInput(f"“{object_.name}” is being edited. Leave its edit mode first.", "IN_EDIT_MODE")


def _mend(context: bpy.types.Context, object_: bpy.types.Object, weld: float) -> str:
    """Returns what was done, as a sentence."""
    import numpy as np  # here: Blender's start does not wait for it

    from ...navcore.by_hand.from_polygons import mended_faces
    from ..axes import to_navcore

    mesh = mesh_of(object_)
    if not len(mesh.polygons):
        raise BadInput(f"“{object_.name}” has no faces.", "NO_TRIANGLES")
    way = to_navcore(object_.matrix_world, scene_of(context).unit_settings.scale_length)
    rings = [ring.tolist() for ring in np.split(corners_of(mesh), starts_of(mesh)[1:])]
    given = [ring[::-1] for ring in rings] if way.mirrors else rings
    settings = setup_settings(shown_setup(scene_of(context)))
    mended = mended_faces(way.points(points_of(mesh)), given, settings, weld)
    if mended.faces == given:
        return f"“{object_.name}” is sound."
    if way.mirrors:
        mended = mended._replace(faces=[face[::-1] for face in mended.faces])
    _write(object_, mended)
    return f"“{object_.name}”: {_in_words(mended)}."


def _write(object_: bpy.types.Object, mended: MendedFaces) -> None:
    """Other faces on the same corners; what is known of a face goes along with it."""
    import numpy as np

    mesh = mesh_of(object_)
    given = np.array(mended.given)
    kept: dict[str, tuple[str, Any]] = {}
    for one in mesh.attributes:
        if one.domain == "FACE" and one.data_type in _KEPT and (one.name == AS_BUILT or not one.name.startswith(".")):
            kept[one.name] = one.data_type, read_attribute(mesh, one.name)[given]
    corners = np.array([corner for face in mended.faces for corner in face], np.int32)
    used, numbers = np.unique(corners, return_inverse=True)
    sizes = np.array([len(face) for face in mended.faces])
    starts = (np.cumsum(sizes) - sizes).astype(np.int32)
    points = points_of(mesh)[used]
    replace_faces(object_, mesh, points, numbers.ravel().astype(np.int32), starts)
    for name, (kind, values) in kept.items():
        write_attribute(mesh, name, values, kind)
    mesh.update(calc_edges=True)


def _in_words(mended: MendedFaces) -> str:
    counts: dict[str, int] = {}
    for reason in [*(row.reason for row in mended.dropped), *(row.reason for row in mended.mended)]:
        counts[reason] = counts.get(reason, 0) + 1
    return ", ".join(f"{count:,} {reason}" for reason, count in counts.items()) or "corners in another order"


class NAVMESH_OT_select_faces(OfPanel, bpy.types.Operator):
    """Select these faces in edit mode, and nothing else"""

    bl_idname = "navmesh.select_faces"
    bl_label = "Select Faces"

    if TYPE_CHECKING:
        faces: str
    __annotations__ = {
        "faces": StringProperty(
            name="Faces", description="Numbers of faces by the session_uid of their objects, as JSON",
            options={"SKIP_SAVE"},
        ),
    }  # fmt: skip

    def act(self, context: bpy.types.Context) -> None:
        try:
            wanted = {int(uid): set(map(int, faces)) for uid, faces in json.loads(self.faces or "{}").items()}
        except (AttributeError, TypeError, ValueError):
            raise BadInput(f"{self.faces!r:.60} must name faces as '{{\"7\": [0, 1]}}'.", "WRONG_KIND") from None
        if context.mode != "OBJECT":
            bpy.ops.object.mode_set(mode="OBJECT")
        layer, found = view_layer_of(context), []
        for object_ in not_none(layer.objects).values():
            is_wanted = object_ is not None and object_.session_uid in wanted and object_.type == "MESH"
            if object_ is not None:
                object_.select_set(is_wanted and object_.visible_get(view_layer=layer))
            if is_wanted:
                found.append(not_none(object_))
        found = [object_ for object_ in found if object_.select_get()]
        if not found:
            raise BadInput("What these faces are of is no longer there, or hidden.")
        layer.objects.active = found[0]
        for object_ in found:
            _select_faces(mesh_of(object_), wanted[object_.session_uid])
        not_none(context.tool_settings).mesh_select_mode = (False, False, True)
        bpy.ops.object.mode_set(mode="EDIT")


def _select_faces(mesh: bpy.types.Mesh, faces: Iterable[int]) -> None:
    chosen = set(faces)
    for group in (mesh.vertices, mesh.edges):
        group.foreach_set("select", [False] * len(group))
    mesh.polygons.foreach_set("select", [number in chosen for number in range(len(mesh.polygons))])
