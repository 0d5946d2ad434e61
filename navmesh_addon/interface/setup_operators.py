"""Operators on the list of setups. One verb each, all of them undoable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import bpy
from bpy.props import StringProperty

from ...navcore.errors import BadInput
from ..blender_types import scene_of, view_layer_of
from ..objects.built_from import values_beside_setup
from ..objects.navmesh_objects import is_alone, navmesh_objects, navmesh_of, show, shown_setups
from ..operator_types import Acting, OfPanel
from ..stored.setting_properties import NAMES, write_values
from ..stored.setup_properties import NavmeshSetup
from ..stored.setups import active_setup, add_setup, find_setup, scene_properties


class NAVMESH_OT_setup_add(Acting, bpy.types.Operator):
    """Add a setup for one more agent: a copy of the one that is chosen"""

    bl_idname = "navmesh.setup_add"
    bl_label = "Add Setup"

    if TYPE_CHECKING:
        name: str
    __annotations__ = {"name": StringProperty(name="Name", options={"SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> None:
        add_setup(scene_of(context), self.name)


class NAVMESH_OT_setup_remove(OfPanel, bpy.types.Operator):
    """Remove the setup. Its navmesh stays"""

    bl_idname = "navmesh.setup_remove"
    bl_label = "Remove Setup"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.scene is not None and len(scene_properties(scene_of(context)).setups) > 0

    def act(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        number = min(stored.active, len(stored.setups) - 1)
        stored.setups.remove(number)
        stored.active = max(0, number - 1)


class _OfSetup(OfPanel):
    """An operator on the setup of a button."""

    if TYPE_CHECKING:
        setup: str
    __annotations__ = {"setup": StringProperty(name="Setup", options={"HIDDEN", "SKIP_SAVE"})}


class NAVMESH_OT_setup_keep(_OfSetup, bpy.types.Operator):
    """Give the setup the values that its navmesh was built with"""

    bl_idname = "navmesh.setup_keep"
    bl_label = "Keep Values in the Setup"

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        setup = _setup(scene, self.setup)
        values = values_beside_setup(navmesh_of(scene, setup.uid), setup)
        write_values(setup, {n: v for n, v in values.items() if n in NAMES}, scene.unit_settings.scale_length)
        setup.prune = bool(values.get("prune", setup.prune))


class _Showing(_OfSetup):
    """What the operators have in common that show navmeshes of setups or hide them."""

    def wanted(self, uid: str, shown: Mapping[str, bool]) -> Mapping[str, bool]:
        """Which navmeshes are to be shown, for a click on that of a setup; both by the identities of setups."""
        raise NotImplementedError

    def act(self, context: bpy.types.Context) -> None:
        shown = shown_setups(navmesh_objects(scene_of(context)), view_layer_of(context))
        _show(self, context, self.wanted(_setup(scene_of(context), self.setup).uid, shown))


class NAVMESH_OT_setup_show(_Showing, bpy.types.Operator):
    """Show the navmesh of this setup in the viewport, or hide it"""

    bl_idname = "navmesh.setup_show"
    bl_label = "Show or Hide Navmesh"

    def wanted(self, uid: str, shown: Mapping[str, bool]) -> Mapping[str, bool]:
        return {uid: not shown.get(uid, False)}


class NAVMESH_OT_setup_solo(_Showing, bpy.types.Operator):
    """Show the navmesh of this setup alone; once more shows those of all setups"""

    bl_idname = "navmesh.setup_solo"
    bl_label = "Show Only This Navmesh"

    def wanted(self, uid: str, shown: Mapping[str, bool]) -> Mapping[str, bool]:
        return {uid: True, **{other: is_alone(shown, uid) for other in shown if other != uid}}


def _show(operator: bpy.types.Operator, context: bpy.types.Context, wanted: Mapping[str, bool]) -> None:
    """Show or hide navmeshes, by the identities of their setups. Raises BadInput."""
    scene = scene_of(context)
    found = navmesh_objects(scene)
    hidden = []
    for uid, is_wanted in wanted.items():
        objects = [object_ for (owner, _), object_ in found.items() if owner == uid]
        if not objects:
            raise BadInput(f"There is no navmesh of the setup “{_setup(scene, uid).name}” yet. Build it first.")
        hidden += show(objects, view_layer_of(context), is_wanted)
    if hidden:
        names = ", ".join(f"“{name}”" for name in hidden)
        operator.report({"WARNING"}, f"{names}: a collection around it is hidden. Show it in the outliner")


def _setup(scene: bpy.types.Scene, uid: str) -> NavmeshSetup:
    """By its identity, the active one without it. Raises BadInput."""
    setup = find_setup(scene, uid) if uid else active_setup(scene)
    if setup is None:
        raise BadInput("This setup is no longer there.", "NO_SETUP")
    return setup
