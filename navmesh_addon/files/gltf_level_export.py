"""The navmesh inside Blender's own glTF export of the level. The exporter finds these names in the root package.

Nothing is added to the exporter's work: navmesh objects are meshes like others. Here they get the names and extras
that engines look for, lie where the navmesh is (not lifted, as in the viewport), or are left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import bpy

from ..blender_types import foldable_panel, has_property, mesh_of, scene_of
from ..objects.materials import tinted_slots
from ..objects.navmesh_objects import LIFT, SETTINGS, SLOTS, STAMP
from ..stored.area_types import area_table, runtime_area_types
from ..stored.object_properties import DETAIL_MESH, PLAIN, POLYGON_MESH, ROLE
from ..stored.setups import GODOT, HUBS, MESHES, OFF, scene_properties

Node = Any  # and scenes: Blender's glTF exporter has no types
VERSION = 1  # of what the extras hold
_HUBS = "MOZ_hubs_components"
_lifted: list[tuple[str, str]] = []  # objects and modifiers that are off while an export runs
_tinted: list[tuple[str, int]] = []  # objects and slots whose setup's tint is off meanwhile: materials say areas


class glTF2ExportUserExtension:
    """One export. Blender's exporter makes it and calls its hooks."""

    def __init__(self) -> None:
        self._ours: dict[int, str] = {}  # role of each node, by its identity
        self._nodes: list[Node] = []  # keeps identities from being used twice

    def gather_node_hook(self, node: Node, object_: bpy.types.Object | None, _settings: object) -> None:
        """Called for every node that was made of an object."""
        role = "" if object_ is None else str(object_.get(ROLE, ""))
        if object_ is None or not role:
            return
        self._ours[id(node)] = role
        self._nodes.append(node)
        way = scene_properties(_scene()).gltf
        if node.mesh is None or way == OFF:
            return
        extras = node.extras if isinstance(node.extras, dict) else {}
        node.extras = {name: value for name, value in extras.items() if not name.startswith("navmesh_")}
        node.extras["navmesh"] = _extras(object_, role)
        if isinstance(node.mesh.extras, dict):
            node.mesh.extras.pop(STAMP, None)
        if way == GODOT and role == POLYGON_MESH:
            node.name = f"{node.name}-navmesh"
        if way == HUBS and role == POLYGON_MESH:
            _as_component(node)

    def gather_scene_hook(self, scene: Node, _blender_scene: bpy.types.Scene, _settings: object) -> None:
        """Called when the scene's nodes are there: drop those that this way of exporting has no use for."""
        way = scene_properties(_scene()).gltf
        wanted = {OFF: (), MESHES: (POLYGON_MESH, DETAIL_MESH)}.get(way, (POLYGON_MESH,))
        scene.nodes = self._wanted_nodes(scene.nodes, wanted)

    def _wanted_nodes(self, nodes: Iterable[Node] | None, wanted: tuple[str, ...]) -> list[Node]:
        chosen = [node for node in nodes or () if id(node) not in self._ours or self._ours[id(node)] in wanted]
        for node in chosen:
            if node.children:
                node.children = self._wanted_nodes(node.children, wanted)
        return chosen


def _scene() -> bpy.types.Scene:
    """The scene that is exported. (While an exporter runs there is one.)"""
    return scene_of(bpy.context)


def _extras(object_: bpy.types.Object, role: str) -> dict[str, object]:
    """What a program needs to know of a navmesh; materials say the areas of its faces."""
    slots = json.loads(str(object_.get(SLOTS, "[]")))
    areas = {
        material.name: 0 if int(key) == PLAIN else int(key)
        for material, slot in zip(mesh_of(object_).materials, slots, strict=False)
        for kind, key in [slot.split()]
        if material is not None and kind == "AREA"
    }
    types = runtime_area_types(_scene())
    return {
        "version": VERSION,
        "mesh": role,
        "settings": json.loads(str(object_.get(SETTINGS, "null"))),
        "area_of_material": areas,
        "area_types": [{**row, "color": list(kind.color)} for row, kind in zip(area_table(types), types, strict=True)],
    }


def _as_component(node: Node) -> None:
    """Hubs wants one material at most, and draws what is not said to be invisible.

    The component has no properties, and Blender's exporter drops empty objects: hence the one that nobody reads.
    """
    from io_scene_gltf2.io.com.gltf2_io_extensions import Extension

    component = {"nav-mesh": {"__empty": 0}, "visible": {"visible": False}}
    node.extensions = {**(node.extensions or {}), _HUBS: Extension(name=_HUBS, extension=component, required=False)}
    for primitive in node.mesh.primitives:
        primitive.material = None


def glTF2_pre_export_callback(_settings: object) -> None:  # noqa: N802 - the exporter looks for this name
    """Navmeshes are shown above the ground so that they don't flicker, and in the tint of their setup; what is exported
    must lie on the ground, in the colors of its areas."""
    glTF2_post_export_callback(_settings)  # an export that failed may have left some
    for object_ in _scene().objects:
        lift = object_.modifiers.get(LIFT) if has_property(object_, ROLE) else None
        if lift is not None and lift.show_viewport:
            lift.show_viewport = False
            _lifted.append((object_.name, lift.name))
        for number in tinted_slots(object_):
            object_.material_slots[number].link = "DATA"
            _tinted.append((object_.name, number))


def glTF2_post_export_callback(_settings: object) -> None:  # noqa: N802 - likewise
    while _lifted:
        name, modifier = _lifted.pop()
        object_ = bpy.data.objects.get(name)
        if object_ is not None and modifier in object_.modifiers:
            object_.modifiers[modifier].show_viewport = True
    while _tinted:
        name, number = _tinted.pop()
        object_ = bpy.data.objects.get(name)
        if object_ is not None and number < len(object_.material_slots):
            object_.material_slots[number].link = "OBJECT"


def draw_export(context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
    """In the exporter's sidebar."""
    header, body = foldable_panel(layout, "NAVMESH_gltf")
    header.label(text="Navmesh")
    if body is not None:
        body.use_property_split = True
        body.prop(scene_properties(scene_of(context)), "gltf")
