"""Agent presets, kept and offered by Blender's own preset system. Choosing one is a step that undo takes back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bpy
from bl_operators.presets import AddPresetBase
from bpy.props import StringProperty

from ...navcore.errors import BadInput, NavmeshError
from ..blender_types import scene_of
from ..operator_types import Answer, OfPanel, report_error
from ..package_names import FOLDER
from .preset_files import SHIPPED, SUBFOLDER, AgentPreset, agent_presets, forget
from .setting_properties import SettingValue, from_blender, read_values, rounded, write_values
from .setup_properties import NavmeshSetup
from .setups import scene_properties, setup_settings, shown_setup

CUSTOM = "Custom"


def preset_of(setup: NavmeshSetup) -> AgentPreset | None:
    """The preset whose values a setup has: that which says most where there are several, a user's before ours."""
    metres = setup.id_data.unit_settings.scale_length
    values = read_values(setup, metres)
    fitting = [
        (len(wanted), preset.own, preset)
        for preset in agent_presets()
        if (wanted := _compared(_in_metres(preset, metres), values)) and _same(wanted, values)
    ]
    return max(fitting, key=lambda found: found[:2])[2] if fitting else None


def _compared(wanted: dict[str, SettingValue], values: Mapping[str, SettingValue]) -> dict[str, SettingValue]:
    """How far an agent jumps is no matter where no links are found: setups of older files say nothing of it."""
    return wanted if values["generate_links"] else {n: v for n, v in wanted.items() if not n.startswith("link_")}


def _in_metres(preset: AgentPreset, metres_per_unit: float) -> dict[str, SettingValue]:
    """What a preset would set in a scene; nothing where only running it would tell."""
    if preset.values is None:
        return {}
    kept = {name: from_blender(name, value, metres_per_unit) for name, value in preset.values.kept.items()}
    return {**kept, **preset.values.metres}


def _same(wanted: Mapping[str, SettingValue], values: Mapping[str, SettingValue]) -> bool:
    return all(name in values and _plain(value) == _plain(values[name]) for name, value in wanted.items())


def _plain(value: SettingValue) -> SettingValue:
    return value if isinstance(value, (bool, str)) else rounded(value)


class NAVMESH_MT_presets(bpy.types.Menu):
    """Settings for usual agents, and your own"""

    bl_idname = "NAVMESH_MT_presets"
    bl_label = "Agent Presets"
    preset_subdir = SUBFOLDER
    preset_operator = "navmesh.preset_apply"

    def draw(self, context: bpy.types.Context) -> None:
        bpy.types.Menu.draw_preset(self, context)


class NAVMESH_OT_preset_apply(OfPanel, bpy.types.Operator):
    """Give the setup the values of this preset"""

    bl_idname = "navmesh.preset_apply"
    bl_label = "Agent Preset"

    if TYPE_CHECKING:
        filepath: str
    __annotations__ = {"filepath": StringProperty(subtype="FILE_PATH", options={"HIDDEN", "SKIP_SAVE"})}

    def act(self, context: bpy.types.Context) -> None:
        scene = scene_of(context)
        metres, count = scene.unit_settings.scale_length, len(scene_properties(scene).setups)
        before = read_values(shown_setup(scene), metres)
        forget()
        if not Path(self.filepath).is_file():
            raise BadInput(f"There is no preset {self.filepath!r} any more.", "BAD_PRESET")
        try:
            bpy.utils.execfile(self.filepath)
        except Exception as error:  # a preset may be any script of a user's
            while len(scene_properties(scene).setups) > count:
                scene_properties(scene).setups.remove(count)
            setup = shown_setup(scene)
            now = read_values(setup, metres)
            write_values(setup, {name: value for name, value in before.items() if now[name] != value}, metres)
            said = (
                f"The preset “{Path(self.filepath).stem}” fails: {type(error).__name__}: {error}. "
                f"Nothing was changed. Mend or remove {self.filepath}."
            )
            raise NavmeshError(said, "BAD_PRESET") from error


_AddPreset: Any = AddPresetBase  # the stubs say that it returns nothing


class NAVMESH_OT_preset_add(_AddPreset, bpy.types.Operator):  # type: ignore[misc]
    """Keep the settings of this setup as a preset, or throw one away"""

    bl_idname = "navmesh.preset_add"
    bl_label = "Add Agent Preset"
    preset_menu = "NAVMESH_MT_presets"
    preset_subdir = SUBFOLDER
    if TYPE_CHECKING:
        name: str
        remove_name: bool
        remove_active: bool

    def add(self, context: bpy.types.Context, filepath: str) -> None:
        """Write the file. It says metres, so that it is right in a scene of any unit."""
        from ...navcore.files.atomic_write import write_whole  # here: Blender's start does not wait for it

        values = setup_settings(shown_setup(scene_of(context))).to_mapping()
        lines = "".join(f"    {name}={value!r},\n" for name, value in values.items())
        write_whole(Path(filepath), f"import bpy\n\nbpy.context.scene.navmesh.apply(\n{lines})\n".encode())

    def execute(self, context: bpy.types.Context) -> Answer:
        if self.remove_active:  # Blender would remove what was chosen last, whatever the values are now
            preset = preset_of(shown_setup(scene_of(context)))
            self.remove_active, self.remove_name = False, True
            self.name = "" if preset is None else preset.path.stem
        try:
            if self.remove_name:
                _refuse_shipped(self.name)
            answer: Answer = super().execute(context)
        except NavmeshError as error:  # settings that can't be built with
            return report_error(self, error)
        forget()
        return answer


def _refuse_shipped(name: str) -> None:
    """Nothing can be enabled without ours, and Blender guards only those in folders that it knows for extensions'.
    Raises NavmeshError."""
    path = bpy.utils.preset_find(name, SUBFOLDER, display_name=True) or bpy.utils.preset_find(name, SUBFOLDER)
    if path and Path(path).parent == SHIPPED:
        raise BadInput(f"“{name}” comes with Navmesh, and stays. Only your own presets can be removed.")


_utils: Any = bpy.utils  # the stubs lack two of its functions


def register() -> None:
    _utils.register_preset_path(str(FOLDER))


def unregister() -> None:
    _utils.unregister_preset_path(str(FOLDER))
    forget()
