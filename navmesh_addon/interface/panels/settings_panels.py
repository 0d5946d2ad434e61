"""Panels of settings: one for each group of them, and one for the rules on which objects are used.

Also Color By, and below it what the colors of a heat map mean.
"""

from __future__ import annotations

import bpy

from ....navcore.settings import settings_fields
from ...blender_types import layout_of, scene_of
from ...objects.face_colors import legend
from ...objects.navmesh_objects import navmesh_of_setup
from ...stored.agent_presets import CUSTOM, preset_of
from ...stored.setting_properties import read_values
from ...stored.setup_properties import COLLECTION, KINDS, NavmeshSetup
from ...stored.setups import scene_properties, shown_setup
from .sidebar_panel import LONG_NAMES, MAX_LINES, SidebarPanel, draw_named, draw_text, room

_GROUPS: dict[str, list[str]] = {}
for _field in settings_fields():
    _GROUPS.setdefault(_field.metadata["info"].group, []).append(_field.name)


_SWATCH = 2.0  # units of width for a color


def draw_color_by(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    """The choice, its legend, and which navmeshes cannot show it."""
    scene = scene_of(context)
    draw_named(layout.column(align=True), scene_properties(scene), "color_by")
    shown = legend(scene)
    column = layout.column(align=True)
    for row in shown.rows:
        line = column.row(align=True)
        swatch = line.row()
        swatch.ui_units_x = _SWATCH
        if row.number in shown.materials:
            swatch.prop(shown.materials[row.number], "diffuse_color", text="")
        line.label(text=f" {row.label}")
        count = line.row()
        count.alignment = "RIGHT"
        count.label(text=f"{row.polygons:,}")
    for name in shown.without[:MAX_LINES]:
        draw_text(column, f"{name} shows its areas: build it again to see this", room(context), "INFO")


class _SettingsPanel(SidebarPanel):
    """Settings of one group"""

    bl_parent_id = "NAVMESH_PT_build"
    bl_options = {"DEFAULT_CLOSED"}
    group = ""

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        setup = shown_setup(scene_of(context))
        if self.group == "Agent":
            _draw_presets(layout.row(align=True), setup)
        column = layout.column(align=True)
        for name in _GROUPS[self.group]:
            draw_setting(column, setup, name)
            if name == "generate_links":  # what follows counts only where they are found
                if tops := tops_without_links(setup, scene_of(context).unit_settings.scale_length):
                    draw_text(column, tops, room(context), "INFO")
                column = column.column(align=True)
                column.active = setup.generate_links
        if self.group == "Result":
            column.prop(setup, "keep_stages")
            draw_color_by(layout, context)


def tops_without_links(setup: NavmeshSetup, metres: float) -> str:
    """Tops on which no links are looked for, "" where there are none. `metres` to one of Blender's units."""
    values = read_values(setup, metres)
    side = float(values["region_min_size"]) * float(values["cell_size"])
    if not setup.generate_links or side <= 0:
        return ""
    return f"Tops under {side:.1f} m × {side:.1f} m are removed before (Region Min Size)"


def _draw_presets(row: bpy.types.UILayout, setup: NavmeshSetup) -> None:
    """The name of the preset that the values are, whoever set them; only a user's own can be removed."""
    preset = preset_of(setup)
    row.menu("NAVMESH_MT_presets", text=CUSTOM if preset is None else preset.name)
    row.operator("navmesh.preset_add", text="", icon="ADD")
    row = row.row(align=True)
    row.enabled = preset is not None and preset.own
    row.operator("navmesh.preset_add", text="", icon="REMOVE").remove_active = True


def draw_setting(layout: bpy.types.UILayout, owner: NavmeshSetup, name: str) -> None:
    """One setting; a true or false one is a line by itself."""
    if isinstance(getattr(owner, name), bool):
        layout.prop(owner, name)
    else:
        draw_named(layout, owner, name, LONG_NAMES)


def _settings_panel(group: str) -> type:
    name = f"NAVMESH_PT_settings_{group.lower()}"
    options = set() if group == "Agent" else {"DEFAULT_CLOSED"}
    attributes = {
        "bl_idname": name,
        "bl_label": group,
        "group": group,
        "bl_options": options,
        "__doc__": f"Settings: {group}",
    }
    return type(name, (_SettingsPanel, bpy.types.Panel), attributes)


class NAVMESH_PT_rules(SidebarPanel, bpy.types.Panel):
    """Which objects are left out"""

    bl_idname = "NAVMESH_PT_rules"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Which Objects"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        setup = shown_setup(scene_of(context))
        if navmesh_of_setup(scene_of(context), setup) is not None:  # else the panel above asks for it
            draw_named(layout, setup, "scope")
            if setup.scope == COLLECTION:
                layout.prop(setup, "collection", text="")
        for name in ("skip_names", "only_names"):
            column = layout.column(align=True)
            column.label(text=f"{setup.bl_rna.properties[name].name}:")
            column.prop(setup, name, text="")
        grid = layout.grid_flow(columns=2, even_columns=True, align=True)
        for kind in KINDS:
            grid.prop_enum(setup, "kinds", kind)
        layout.prop(setup, "prune")


CLASSES = (*map(_settings_panel, _GROUPS), NAVMESH_PT_rules)
