"""All or nothing: whatever goes wrong while navmeshes are written, the scene is what it was."""

from __future__ import annotations

import bpy

from ..blender_types import has_property, mesh_of
from ..stored.setups import scene_properties

_KINDS = ("objects", "meshes", "collections", "materials")


class Rollback:
    """Use as `with Rollback(scene, targets, names):` around the writing: an error passes, what it left behind goes.

    `targets` are the objects that will be written to, `names` those of their custom properties that may change.
    """

    def __init__(self, scene: bpy.types.Scene, targets: list[bpy.types.Object], names: tuple[str, ...]) -> None:
        self._scene, self._names = scene, names
        # Copies share their arrays with the original until that changes, so this costs next to nothing.
        self._meshes = {mesh_of(object_): mesh_of(object_).copy() for object_ in targets}
        self._metadata = [
            (object_, {name: object_[name] for name in names if has_property(object_, name)}) for object_ in targets
        ]
        self._slots = [
            (object_, object_.color[:], [(slot.link, slot.material) for slot in object_.material_slots])
            for object_ in targets
        ]
        self._there = {kind: {one.session_uid for one in getattr(bpy.data, kind)} for kind in _KINDS}
        stored = scene_properties(scene)
        self._home, self._active = stored.collection, stored.active
        self._home_was_shown = self._home is not None and self._home in scene.collection.children_recursive
        self._listed = [setup.listed for setup in stored.setups]

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._restore_targets()
            self._restore_setups()
            self._remove_what_is_new()
        for copy in self._meshes.values():
            bpy.data.meshes.remove(copy)

    def _restore_targets(self) -> None:
        for mesh, copy in list(self._meshes.items()):
            name = mesh.name
            mesh.user_remap(copy)
            mesh.name, copy.name = "navmesh", name
            self._meshes[mesh] = mesh  # which of the two goes
        for object_, color, slots in self._slots:
            object_.color = color
            for slot, (link, material) in zip(object_.material_slots, slots, strict=True):
                slot.link, slot.material = link, material
        for object_, metadata in self._metadata:
            for name in self._names:
                if name in metadata:
                    object_[name] = metadata[name]
                elif has_property(object_, name):
                    del object_[name]

    def _restore_setups(self) -> None:
        stored, home = scene_properties(self._scene), self._home
        while len(stored.setups) > len(self._listed):
            stored.setups.remove(len(stored.setups) - 1)
        for setup, listed in zip(stored.setups, self._listed, strict=True):
            setup.listed = listed
        stored.active, stored.collection = self._active, home
        children = self._scene.collection.children
        if home is not None and not self._home_was_shown and home.name in children:
            children.unlink(home)

    def _remove_what_is_new(self) -> None:
        for kind in _KINDS:
            group = getattr(bpy.data, kind)
            for one in [one for one in group if one.session_uid not in self._there[kind]]:
                group.remove(one)
