"""Navmeshes into the scene, all or none: objects in the collection “Navmesh”. One built again keeps its objects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import bpy

from ...navcore.errors import NavmeshError
from ..blender_types import has_property, mesh_of, not_none
from ..builds import finished_navmeshes
from ..builds.request_and_result import BuiltNavmesh
from ..stored.area_types import area_rows
from ..stored.link_properties import follow_link
from ..stored.links_mesh import LINK_EDITS, LINKS, LINKS_MESH, links_object
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH, ROLE
from ..stored.setting_properties import write_values
from ..stored.setups import add_setup, find_setup, home_of_navmeshes, is_shown_in, new_uid, scene_properties
from .blender_mesh import fill_mesh, new_object
from .built_from import remember
from .edit_results import remember_made
from .face_colors import add_all_slots, add_slots, show_colors
from .hand_edits import refuse_edited, remember_as_built
from .kept_outcome import keep_outcome
from .materials import tint_object
from .navmesh_objects import (
    AREA_TYPES,
    BUILD,
    BY_HAND,
    FINGERPRINT,
    INSTEAD_OF,
    METRES,
    PRUNED,
    REPORT,
    SCALE,
    SETTINGS,
    SETUP,
    SIZES,
    SLOTS,
    SOURCES,
    build_of,
    navmesh_objects,
)

if TYPE_CHECKING:
    from ..axes import F32
    from ..stored.link_rows import LinkRows
    from .navmesh_to_arrays import Surface

# --- All or nothing: whatever goes wrong while navmeshes are written, the scene is what it was.

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
        self._link = stored.active_link, stored.move_links
        self._home_was_shown = self._home is not None and is_shown_in(scene, self._home)
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
        follow_link(stored, self._link[0])
        stored.move_links = self._link[1]
        children = self._scene.collection.children
        if home is not None and not self._home_was_shown and home.name in children:
            children.unlink(home)

    def _remove_what_is_new(self) -> None:
        for kind in _KINDS:
            group = getattr(bpy.data, kind)
            for one in [one for one in group if one.session_uid not in self._there[kind]]:
                group.remove(one)


_METADATA = (
    ROLE, SETUP, BUILD, SETTINGS, SOURCES, REPORT, AREA_TYPES, FINGERPRINT, PRUNED, BY_HAND, INSTEAD_OF, SLOTS,
    SCALE, METRES, SIZES, LINKS, LINK_EDITS,
)  # fmt: skip
_IMPORTED_LIFT = 0.2  # metres, for files that do not say the height of a cell


class _PreparedNavmesh(NamedTuple):
    built: BuiltNavmesh
    meshes: dict[str, Surface | None]  # by role
    targets: dict[str, bpy.types.Object]  # objects that are there already, by role


_EDITED = "What was built would take the place of that: nothing was changed. Undo the edits"


def write_back(scene: bpy.types.Scene, built: list[BuiltNavmesh], over_edits: bool = False) -> list[bpy.types.Object]:
    """Write navmeshes into a scene, all or none; returns their polygon meshes' objects.

    Raises NavmeshError where somebody edited one that is there, unless that is to be written over.
    """
    home = home_of_navmeshes(scene)
    if home is not None and home.library is None and not is_shown_in(scene, home):
        not_none(scene.collection).children.link(home)  # it was unlinked: what lies there is written to
        try:
            return write_back(scene, built, over_edits)
        except BaseException:
            not_none(scene.collection).children.unlink(home)
            raise
    if not over_edits:
        refuse_edited(
            scene,
            {one.request.setup for one in built},
            f"{_EDITED}, or build with edited='KEEP', 'TAKE_OVER' or 'THROW_AWAY'.",
        )
    prepared = [_prepare(scene, navmesh) for navmesh in built]
    before = [build_of(one.targets.get(POLYGON_MESH)) for one in prepared]
    with Rollback(scene, [object_ for one in prepared for object_ in one.targets.values()], _METADATA):
        written = [_write(scene, one) for one in prepared]
    for one, object_, place_of in zip(prepared, written, before, strict=True):
        if one.meshes[DETAIL_MESH] is None and DETAIL_MESH in one.targets:  # it was turned off
            bpy.data.objects.remove(one.targets[DETAIL_MESH])
        finished_navmeshes.keep(str(object_[BUILD]), one.built, scene.session_uid, place_of)
        keep_outcome(scene, one.built.request.setup, str(object_[BUILD]), one.built.checked)
        remember_made(scene, one.built)
    return written


def write_imported(
    scene: bpy.types.Scene, name: str, meshes: dict[str, Surface | None], metadata: Mapping[str, object], links: F32,
    found: LinkRows,
) -> bpy.types.Object:  # fmt: skip
    """Put a navmesh from a file into a scene, beside all others; returns its polygon mesh's object.

    `metadata` are its custom properties; `links` (., 3) the points of edges that show links that were given, `found`
    those that were found, if any.
    """
    from .write_links import write_imported_links  # here: Blender's start does not wait for NumPy

    with Rollback(scene, [], ()):
        home, objects = _home(scene), {}
        for role, surface in meshes.items():
            if surface is not None:
                object_ = objects[role] = new_object(
                    home, name, role, _IMPORTED_LIFT / scene.unit_settings.scale_length
                )
                object_[ROLE], object_[SETUP] = role, metadata[SETUP]
                object_.hide_select = False
                fill_mesh(object_, surface)
                add_slots(scene, object_, not_none(meshes[POLYGON_MESH]).attributes)
                mesh_of(object_).validate(clean_customdata=False)  # files of any origin may hold a face twice
                remember_as_built(object_)
        show_colors(objects[POLYGON_MESH], objects.get(DETAIL_MESH), scene_properties(scene).color_by)
        if len(links):
            mesh = bpy.data.meshes.new(f"{objects[POLYGON_MESH].name} Links")
            mesh.from_pydata(links.tolist(), [(i, i + 1) for i in range(0, len(links), 2)], [])
            shown = bpy.data.objects.new(mesh.name, mesh)
            shown[ROLE], shown[SETUP] = "links", metadata[SETUP]
            home.objects.link(shown)
        write_imported_links(home, objects[POLYGON_MESH], found, scene.unit_settings.scale_length)
        for key, value in metadata.items():
            objects[POLYGON_MESH][key] = value
    return objects[POLYGON_MESH]


def _prepare(scene: bpy.types.Scene, built: BuiltNavmesh) -> _PreparedNavmesh:
    from .navmesh_to_arrays import surfaces

    metres = built.request.gathered.metres
    polygons, detail = surfaces(built.navmesh, built.islands, built.values, area_rows(scene), metres)
    targets = {role: object_ for (_, role), object_ in navmesh_objects(scene, built.request.setup).items()}
    if (links := links_object(targets.get(POLYGON_MESH))) is not None:
        targets[LINKS_MESH] = links
    for object_ in targets.values():
        if object_.mode != "OBJECT":
            raise NavmeshError(
                f"“{object_.name}” is being edited. Leave its edit mode and build again.", "IN_EDIT_MODE"
            )
    return _PreparedNavmesh(built, {POLYGON_MESH: polygons, DETAIL_MESH: detail}, targets)


def _write(scene: bpy.types.Scene, prepared: _PreparedNavmesh) -> bpy.types.Object:
    from .write_links import write_built_links  # here: Blender's start does not wait for NumPy

    request = prepared.built.request
    setup = find_setup(scene, request.setup)
    if setup is None:
        setup = add_setup(scene, request.name, request.setup)
        write_values(setup, request.settings.to_mapping(), scene.unit_settings.scale_length)
        setup.prune = request.prune and not request.by_hand
    setup.listed = "\n".join(request.gathered.sources.names or request.gathered.used)
    home, build = _home(scene), new_uid()
    metres = request.gathered.metres
    below = [one.uid for one in scene_properties(scene).setups].index(setup.uid)
    for role, surface in prepared.meshes.items():
        object_ = prepared.targets.get(role)
        if surface is None:
            continue
        if object_ is None:
            cell_height = request.settings.cell_height / metres
            object_ = new_object(home, setup.name, role, cell_height, below)
        fill_mesh(object_, surface)
        add_slots(scene, object_, not_none(prepared.meshes[POLYGON_MESH]).attributes)
        if scene_properties(scene).live:
            add_all_slots(scene, object_)
        tint_object(object_, setup)
        prepared.targets[role] = object_
    written = {role: prepared.targets[role] for role, surface in prepared.meshes.items() if surface is not None}
    remember(written, prepared.built, build)
    show_colors(written[POLYGON_MESH], written.get(DETAIL_MESH), scene_properties(scene).color_by)
    write_built_links(home, written[POLYGON_MESH], prepared.built, metres)
    return written[POLYGON_MESH]


def _home(scene: bpy.types.Scene) -> bpy.types.Collection:
    """The collection that navmeshes are put into."""
    home = home_of_navmeshes(scene)
    if home is None or home.library is not None:
        home = bpy.data.collections.new("Navmesh")
        home[ROLE] = "collection"
        scene_properties(scene).collection = home
    if not is_shown_in(scene, home):
        scene.collection.children.link(home)
    return home
