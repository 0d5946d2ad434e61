"""Navmesh objects of a scene: how they are found, and the names of the custom properties on them.

Saved files hold these names: they stay as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import bpy

from ...navcore.errors import BadInput
from ..blender_types import has_property, mesh_of
from ..stored.object_properties import DETAIL_MESH, POLYGON_MESH, ROLE
from ..stored.object_properties import SETUP as SETUP
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import active_setup, check_setup, is_shown_in, named_setup, scene_properties

# --- Which navmeshes the viewport shows, read from the objects: hiding one in the outliner is the same as with our
# eye.

Objects = Mapping[tuple[str, str], bpy.types.Object]  # by setup and role


def shown_setups(objects: Objects, layer: bpy.types.ViewLayer) -> dict[str, bool]:
    """Whether something of its navmesh is shown, by the identity of every setup that has one."""
    shown: dict[str, bool] = {}
    for (uid, _), object_ in objects.items():
        shown[uid] = shown.get(uid, False) or object_.visible_get(view_layer=layer)
    return shown


def is_alone(shown: Mapping[str, bool], uid: str) -> bool:
    """Whether a setup's navmesh is shown and no other one is."""
    return len(shown) > 1 and [other for other, is_shown in shown.items() if is_shown] == [uid]


def show(objects: Iterable[bpy.types.Object], layer: bpy.types.ViewLayer, wanted: bool) -> list[str]:
    """Show objects or hide them; returns the names of those that stay hidden as a collection around them is."""
    hidden = []
    for object_ in objects:
        if object_.name in layer.objects:
            object_.hide_set(not wanted, view_layer=layer)
            if wanted:
                object_.hide_viewport = False
        if wanted and not object_.visible_get(view_layer=layer):
            hidden.append(object_.name)
    return hidden


BUILD, SETTINGS, SOURCES, REPORT, AREA_TYPES, FINGERPRINT, PRUNED, BY_HAND, FILE = (
    "navmesh_build", "navmesh_settings", "navmesh_sources", "navmesh_report", "navmesh_area_types",
    "navmesh_fingerprint", "navmesh_pruned", "navmesh_pruned_by_hand", "navmesh_file",
)  # fmt: skip
INSTEAD_OF = "navmesh_instead_of"  # what its setup said where the build was given something else
# On the mesh: the build whose geometry it has. Undo may bring a mesh back and leave its object as it is.
STAMP = "navmesh_stamp"
# Of imported navmeshes: the whole file, its ending, and what is known of it.
CONTENT, ENDING, FACTS = "navmesh_content", "navmesh_ending", "navmesh_facts"
SCALE = "navmesh_scale"  # times which its level was built as large; missing where it is 1
METRES = "navmesh_metres"  # to a unit of the scene when it was built or read; older versions did not say
SIZES = "navmesh_sizes"  # of agents that it is for; missing where it is one
LIFT = "Above Ground"  # the modifier that lifts what is shown
SLOTS = "navmesh_slots"  # which color each material slot is for


def navmesh_objects(scene: bpy.types.Scene, setup: str = "") -> dict[tuple[str, str], bpy.types.Object]:
    """Our objects in a scene by setup and role; with `setup`, only its."""
    found: dict[tuple[str, str], bpy.types.Object] = {}
    for key, object_ in _ours(scene):
        if key not in found and (not setup or key[0] == setup):
            found[key] = object_
    return found


def polygon_mesh_of(scene: bpy.types.Scene, setup: str) -> bpy.types.Object | None:
    """The polygon mesh of a setup. Panels ask for it while drawing: where it is at home, nothing else is looked at."""
    return next((object_ for key, object_ in _ours(scene) if key == (setup, POLYGON_MESH)), None)


def navmesh_of_setup(scene: bpy.types.Scene, setup: NavmeshSetup) -> bpy.types.Object | None:
    """The polygon mesh of a setup, None before its first build."""
    return polygon_mesh_of(scene, setup.uid) if setup.uid else None


def read_report(object_: bpy.types.Object) -> dict[str, Any]:
    """What is said of the build of a navmesh; nothing where that is lost."""
    try:
        return dict(json.loads(str(object_.get(REPORT, ""))))
    except (TypeError, ValueError):
        return {}


def active_navmesh(scene: bpy.types.Scene) -> bpy.types.Object | None:
    """The polygon mesh of the setup that the scene shows."""
    setup = active_setup(scene)
    return None if setup is None else navmesh_of_setup(scene, setup)


def build_of(object_: bpy.types.Object | None) -> str:
    """The build whose navmesh an object shows; "" where there is none, or it is not known."""
    return "" if object_ is None else str(object_.get(BUILD, ""))


def shown_build(scene: bpy.types.Scene) -> str:
    """The same of the setup that the scene shows."""
    return build_of(active_navmesh(scene))


def lift_of(object_: bpy.types.Object | None) -> float:
    """How far above its place an object of ours is shown, in units."""
    lift = None if object_ is None else object_.modifiers.get(LIFT)
    return lift.strength if isinstance(lift, bpy.types.DisplaceModifier) and lift.show_viewport else 0.0


def lift_above(scene: bpy.types.Scene) -> float:
    """How far above its place something is drawn that lies on all navmeshes of a scene as they are shown, in units."""
    return 1.25 * max(map(lift_of, navmesh_objects(scene).values()), default=0.0)


def scale_of(object_: bpy.types.Object | None) -> float:
    """Times which the level of a navmesh was built as large as it is."""
    scale = 1.0 if object_ is None else object_.get(SCALE, 1.0)
    return float(scale) if isinstance(scale, (int, float)) and scale > 0 else 1.0


def metres_on(scene: bpy.types.Scene, object_: bpy.types.Object | None) -> float:
    """How many metres of a navmesh's own a unit of the scene is: as it was built, whatever the scene counts by now."""
    metres = None if object_ is None else object_.get(METRES)
    if isinstance(metres, (int, float)) and metres > 0:
        return float(metres)
    return scene.unit_settings.scale_length * scale_of(object_)


def metres_of(scene: bpy.types.Scene, setup: str = "") -> float:
    """The same on the navmesh of a setup, or of the active one."""
    active = active_setup(scene)
    uid = setup or (active.uid if active is not None else "")
    return metres_on(scene, polygon_mesh_of(scene, uid) if uid else None)


def _ours(scene: bpy.types.Scene) -> Iterator[tuple[tuple[str, str], bpy.types.Object]]:
    """Setup, role and object: at home first."""
    home = scene_properties(scene).collection
    for objects in (home.all_objects if home and is_shown_in(scene, home) else (), scene.objects):
        for object_ in objects:
            if not has_property(object_, ROLE):
                continue
            key = str(object_.get(SETUP, "")), str(object_[ROLE])
            if (
                key[1] in (POLYGON_MESH, DETAIL_MESH)
                and object_.type == "MESH"
                and object_.library is None
                and mesh_of(object_).library is None
            ):
                yield key, object_


def navmesh_of(scene: bpy.types.Scene, name: str = "") -> bpy.types.Object:
    """The polygon mesh of a setup, by its name or identity (the active one without), or of the only navmesh; or one by
    its own name. Raises BadInput."""
    found = {uid: object_ for (uid, role), object_ in navmesh_objects(scene).items() if role == POLYGON_MESH}
    setup = named_setup(scene, name)
    if setup is not None and setup.uid in found:
        return found[setup.uid]
    named = next((object_ for object_ in found.values() if name and object_.name == name), None)
    if named is not None:
        return named
    if not name and len(found) == 1:
        return next(iter(found.values()))
    check_setup(scene, name)
    raise BadInput(f"There is no navmesh{f' of the setup “{name}”' if name else ''} yet. Build it first.", "NO_NAVMESH")
