"""Agent presets, kept and offered by Blender's own preset system."""

from __future__ import annotations

from typing import Any

import bpy
from bl_operators.presets import AddPresetBase

from ..package_names import FOLDER
from .setting_properties import NAMES


class NAVMESH_MT_presets(bpy.types.Menu):
    """Settings for usual agents, and your own"""

    bl_idname = "NAVMESH_MT_presets"
    bl_label = "Agent Presets"
    preset_subdir = "navmesh"
    preset_operator = "script.execute_preset"

    def draw(self, context: bpy.types.Context) -> None:
        bpy.types.Menu.draw_preset(self, context)


class NAVMESH_OT_preset_add(AddPresetBase, bpy.types.Operator):  # type: ignore[misc]
    """Keep the settings of this setup as a preset, or throw one away"""

    bl_idname = "navmesh.preset_add"
    bl_label = "Add Agent Preset"
    preset_menu = "NAVMESH_MT_presets"
    preset_subdir = "navmesh"
    preset_defines = ["setup = bpy.context.scene.navmesh.active_setup()"]
    preset_values = [f"setup.{name}" for name in NAMES]


CLASSES = (NAVMESH_MT_presets, NAVMESH_OT_preset_add)


_utils: Any = bpy.utils  # the stubs lack two of its functions


def register() -> None:
    _utils.register_preset_path(str(FOLDER))


def unregister() -> None:
    _utils.unregister_preset_path(str(FOLDER))
