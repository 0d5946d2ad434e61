"""The panel that builds, and what can be said before a build. It shows what others know, and computes nothing."""

from __future__ import annotations

import bpy

from ....navcore.errors import NavmeshError
from ...blender_types import Icon, layout_of, scene_of, view_layer_of
from ...builds import active_build, compile_after_install
from ...objects.built_from import values_beside_setup
from ...objects.navmesh_objects import navmesh_objects
from ...objects.shown_navmeshes import is_alone, shown_setups
from ...stored.object_properties import POLYGON_MESH
from ...stored.setting_properties import title
from ...stored.setups import NavmeshScene, NavmeshSetup, scene_properties, shown_setup
from ...watch.out_of_date import out_of_date
from .. import checks_before_build, progress_display
from .sidebar_panel import SidebarPanel, draw_hints
from .wrapped_text import draw_text, room

_shown: dict[str, bool] = {}  # whether a setup's navmesh is shown, as the panel found it before it draws the list


class NAVMESH_UL_setups(bpy.types.UIList):
    """Setups, one per agent"""

    bl_idname = "NAVMESH_UL_setups"

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self,
        _context: bpy.types.Context,
        layout: bpy.types.UILayout,
        data: NavmeshScene,
        item: NavmeshSetup,
        _icon: int,
        _owner: NavmeshScene,
        _name: str,
    ) -> None:
        row = layout.row(align=True)
        if len(data.setups) > 1:
            swatch = row.row()
            swatch.ui_units_x = 0.8
            swatch.prop(item, "tint", text="")
        row.prop(item, "name", text="", emboss=False, icon="NONE" if len(data.setups) > 1 else "ARMATURE_DATA")
        if item.uid not in _shown:  # not built yet
            return
        if len(_shown) > 1:
            icon: Icon = "SOLO_ON" if is_alone(_shown, item.uid) else "SOLO_OFF"
            row.operator("navmesh.setup_solo", text="", icon=icon, emboss=False).setup = item.uid
        icon = "HIDE_OFF" if _shown[item.uid] else "HIDE_ON"
        row.operator("navmesh.setup_show", text="", icon=icon, emboss=False).setup = item.uid


class NAVMESH_PT_build(SidebarPanel, bpy.types.Panel):
    """Choose what to build from, and build"""

    bl_idname = "NAVMESH_PT_build"
    bl_label = "Navmesh"

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        stored = scene_properties(scene_of(context))
        setup = shown_setup(scene_of(context))
        objects = navmesh_objects(scene_of(context))
        _shown.clear()
        _shown.update(shown_setups(objects, view_layer_of(context)))
        _draw_setups(layout, stored, setup)
        column = layout.column(align=True)
        column.prop(setup, "scope", text="")
        if setup.scope == "COLLECTION":
            column.prop(setup, "collection", text="")
        if active_build.current() is None:
            _draw_buttons(layout, context)
            _draw_compiling(layout)
        else:
            _draw_progress(layout, room(context))
        object_ = objects.get((setup.uid, POLYGON_MESH)) if setup.uid else None
        if object_ is not None:
            _draw_result(layout, object_, setup, room(context))


def _draw_setups(layout: bpy.types.UILayout, stored: NavmeshScene, setup: NavmeshSetup) -> None:
    """One agent needs no list."""
    row = layout.row(align=not stored.setups)
    if stored.setups:
        row.template_list("NAVMESH_UL_setups", "", stored, "setups", stored, "active", rows=2)
        row = row.column(align=True)
    else:
        row.prop(setup, "name", text="", icon="ARMATURE_DATA")
    row.operator("navmesh.setup_add", text="", icon="ADD")
    if stored.setups:
        row.operator("navmesh.setup_remove", text="", icon="REMOVE")


def _draw_buttons(layout: bpy.types.UILayout, context: bpy.types.Context) -> None:
    column = layout.column(align=True)
    column.scale_y = 1.5
    column.operator_context = "INVOKE_DEFAULT"
    column.operator("navmesh.build", icon="MOD_REMESH")
    if len(scene_properties(scene_of(context)).setups) > 1:
        column.operator("navmesh.build", text="Build All Setups").all_setups = True


def _draw_compiling(layout: bpy.types.UILayout) -> None:
    """Builds can be started meanwhile: they wait for what they need."""
    compiler = compile_after_install.current()
    if compiler is not None and compiler.compiles:
        fraction = compiler.fraction
        layout.progress(factor=fraction, text=f"Compiling for this computer, once: {fraction:.0%}", type="BAR")


def _draw_progress(layout: bpy.types.UILayout, points: float) -> None:
    """In the place of the button that began it, and as high: nothing below it jumps."""
    now = progress_display.shown()
    row = layout.split(factor=0.68, align=True)
    row.scale_y = 1.5
    row.progress(factor=now.fraction, text=now.text, type="BAR")
    row.operator("navmesh.cancel")
    if now.why:
        draw_text(layout, now.why, points)


def _draw_result(layout: bpy.types.UILayout, object_: bpy.types.Object, setup: NavmeshSetup, points: float) -> None:
    column = layout.column(align=True)
    column.enabled = active_build.current() is None
    row = column.row(align=True)
    row.operator_context = "INVOKE_DEFAULT"
    row.operator("navmesh.rebuild", text="Rebuild", icon="FILE_REFRESH")
    row.menu("NAVMESH_MT_export", text="Export", icon="EXPORT")
    layout.operator("navmesh.prune", icon="BRUSH_DATA")
    if why := out_of_date(object_, setup):
        draw_text(layout, why, points, "ERROR")
    try:
        beside = values_beside_setup(object_, setup)
    except NavmeshError:  # what is damaged is told by who needs it
        beside = {}
    if beside:
        names = ", ".join("Only What Seeds Reach" if name == "prune" else title(name) for name in beside)
        draw_text(layout, f"Built with values that the setup does not have: {names}", points, "INFO")
        layout.operator("navmesh.setup_keep", icon="IMPORT").setup = setup.uid


class NAVMESH_PT_checks(SidebarPanel, bpy.types.Panel):
    """What can be said before a build"""

    bl_idname = "NAVMESH_PT_checks"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Before the Build"

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        forecast, points = checks_before_build.latest(scene_of(context)), room(context)
        if forecast is not None:
            column = layout.column(align=True)
            for line in (*forecast.effective, *forecast.size.split("\n")):
                if line:
                    draw_text(column, line, points)
            draw_hints(layout, forecast.hints, points)
        layout.operator("navmesh.check", icon="VIEWZOOM")


CLASSES = (NAVMESH_UL_setups, NAVMESH_PT_build, NAVMESH_PT_checks)


def _draw_in_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = layout_of(menu)
    layout.separator()
    layout.operator_context = "INVOKE_DEFAULT"
    layout.operator("navmesh.build")


def register() -> None:
    bpy.types.VIEW3D_MT_object.append(_draw_in_menu)  # also what lets F3 find it


def unregister() -> None:
    bpy.types.VIEW3D_MT_object.remove(_draw_in_menu)
