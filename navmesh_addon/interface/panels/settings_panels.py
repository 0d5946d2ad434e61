"""Panels of settings: one for each group of them, and one for the rules on which objects are used.

Also Color By, and below it what the colors of a heat map mean.
"""

from __future__ import annotations

import re

import bpy

from ....navcore.settings import settings_fields
from ...blender_types import layout_of, scene_of
from ...objects.face_colors import legend
from ...objects.navmesh_objects import navmesh_of_setup
from ...stored.agent_presets import CUSTOM, preset_of
from ...stored.preferences import is_first_run
from ...stored.setting_properties import read_values
from ...stored.setup_properties import COLLECTION, DETAILS, KINDS, NavmeshSetup
from ...stored.setups import scene_properties, shown_setup
from .. import checks_before_build
from ..progress_display import compiling_in_words
from .sidebar_panel import (
    LONG_NAMES,
    MAX_LINES,
    SidebarPanel,
    draw_lines,
    draw_named,
    draw_text,
    named_line,
    room,
    whole_parts,
)

_GROUPS: dict[str, list[str]] = {}
for _field in settings_fields():
    _GROUPS.setdefault(_field.metadata["info"].group, []).append(_field.name)


_SWATCH = 2.0  # units of width for a color
_COMPILING = re.compile(" after compiling.*$")  # a bar says it as well
_AGENT = (
    (("agent_height", "Height"), ("agent_radius", "Radius")),
    (("agent_max_climb", "Climb"), ("agent_max_slope", "Slope")),
)
_ABOVE = {*(name for names in _AGENT for name, _ in names), "generate_links"}  # they stand in the panel itself


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


class NAVMESH_PT_advanced(SidebarPanel, bpy.types.Panel):
    """All settings, and which objects are left out"""

    bl_idname = "NAVMESH_PT_advanced"
    bl_label = "Advanced"
    bl_order = 10
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        return bool(scene_properties(scene_of(context)).setups) or not is_first_run()

    def draw(self, context: bpy.types.Context) -> None:
        """Its panels say it all."""


class _SettingsPanel(SidebarPanel):
    """Settings of one group"""

    bl_parent_id = "NAVMESH_PT_advanced"
    bl_options = {"DEFAULT_CLOSED"}
    group = ""

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        setup = shown_setup(scene)
        if self.group == "Agent":
            _draw_effective(layout, scene, room(context))
        column = layout.column(align=True)
        for name in _GROUPS[self.group]:
            if name not in _ABOVE:
                draw_setting(column, setup, name)
        if self.group == "Links":
            if tops := tops_without_links(setup, scene.unit_settings.scale_length):
                draw_text(layout, tops, room(context), "INFO")
            column.active = setup.generate_links
        if self.group == "Result":
            column.prop(setup, "keep_stages")


def _draw_effective(layout: bpy.types.UILayout, scene: bpy.types.Scene, points: float) -> None:
    """What cells make of the sizes that stand above."""
    forecast = checks_before_build.latest(scene)
    for line in () if forecast is None else forecast.effective:
        draw_text(layout, line, points)


def tops_without_links(setup: NavmeshSetup, metres: float) -> str:
    """Tops on which no links are looked for, "" where there are none. `metres` to one of Blender's units."""
    values = read_values(setup, metres)
    side = float(values["region_min_size"]) * float(values["cell_size"])
    if not setup.generate_links or side <= 0:
        return ""
    return f"Tops under {side:.1f} m × {side:.1f} m are removed before (Region Min Size)"


def draw_agent(layout: bpy.types.UILayout, setup: NavmeshSetup) -> None:
    """The preset, and the four values that it sets."""
    draw_preset(layout, setup)
    column = layout.column(align=True)
    for names in _AGENT:
        row = column.row(align=True)
        for name, label in names:
            row.prop(setup, name, text=label)


def draw_preset(layout: bpy.types.UILayout, setup: NavmeshSetup) -> None:
    """Whose values they are, whoever set them; only a user's own can be removed."""
    preset = preset_of(setup)
    row = named_line(layout, "Agent")
    row.menu("NAVMESH_MT_presets", text=CUSTOM if preset is None else preset.name)
    row.operator("navmesh.preset_add", text="", icon="ADD")
    less = row.row(align=True)
    less.enabled = preset is not None and preset.own
    less.operator("navmesh.preset_add", text="", icon="REMOVE").remove_active = True


def draw_cells(layout: bpy.types.UILayout, scene: bpy.types.Scene, setup: NavmeshSetup, points: float) -> None:
    """How finely the level is looked at, and what that costs; what is found, and what is left out."""
    row = named_line(layout, "Detail")
    for name, *_ in DETAILS:
        row.prop_enum(setup, "detail", name)
    forecast = checks_before_build.latest(scene)
    cost = cost_of_cells(scene, setup, "" if forecast is None else forecast.size)
    text = " ".join(filter(None, (cost, compiling_in_words())))
    draw_lines(layout, whole_parts(text, points, _COMPILING), points, count=1)
    row = layout.row(align=True)
    row.prop(setup, "generate_links")
    row.prop(setup, "prune", text="Seeds Only")


def cost_of_cells(scene: bpy.types.Scene, setup: NavmeshSetup, size: str) -> str:
    """The cells, and how long a build with them takes, as far as that is known."""
    values = read_values(setup, scene.unit_settings.scale_length)
    width, height = (100 * float(values[name]) for name in ("cell_size", "cell_height"))
    time = size.rpartition("about ")[2].rpartition(" and ")[2].replace("less than a second", "under 1 s")
    return " · ".join(filter(None, (f"Cells {width:.3g} × {height:.3g} cm", time)))


def draw_setting(layout: bpy.types.UILayout, owner: NavmeshSetup, name: str) -> None:
    """One setting; a true or false one is a line by itself."""
    if isinstance(getattr(owner, name), bool):
        layout.prop(owner, name)
    else:
        draw_named(layout, owner, name, LONG_NAMES)


def _settings_panel(group: str) -> type:
    attributes = {
        "bl_idname": f"NAVMESH_PT_settings_{group.lower()}",
        "bl_label": group,
        "group": group,
        "__doc__": f"Settings: {group}",
    }
    return type(attributes["bl_idname"], (_SettingsPanel, bpy.types.Panel), attributes)


class NAVMESH_PT_rules(SidebarPanel, bpy.types.Panel):
    """Which objects are left out"""

    bl_idname = "NAVMESH_PT_rules"
    bl_parent_id = "NAVMESH_PT_advanced"
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
        draw_named(layout, setup, "scale")


CLASSES = (NAVMESH_PT_advanced, *map(_settings_panel, _GROUPS), NAVMESH_PT_rules)
