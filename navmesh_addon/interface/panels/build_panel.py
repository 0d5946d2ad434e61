"""The panel that builds, and in it what can be said before a build. They show what others know, and compute nothing."""

from __future__ import annotations

import bpy

from ....navcore.compile_ahead import starter
from ....navcore.errors import NavmeshError
from ...blender_types import Icon, layout_of, scene_of, view_layer_of
from ...builds import active_build
from ...files.import_operator import fact_lines, is_imported
from ...live import live_mode
from ...objects.built_from import built_from_what, values_beside_setup, warnings_of
from ...objects.navmesh_objects import FILE, is_alone, navmesh_objects, navmesh_of_setup, shown_setups
from ...operator_types import RowList
from ...stored.object_properties import POLYGON_MESH
from ...stored.setting_properties import title
from ...stored.setup_properties import COLLECTION, SELECTED, VISIBLE, NavmeshSetup
from ...stored.setups import NavmeshScene, scene_properties, shown_setup
from ...watch.out_of_date import out_of_date
from .. import checks_before_build, progress_display, refused_build
from .sidebar_panel import SidebarPanel, draw_hints, draw_named, draw_text, room

# --- The panel of imported navmeshes: what is known of each, and a button that exports it again.


class NAVMESH_PT_imported(SidebarPanel, bpy.types.Panel):
    """Navmeshes that were imported"""

    bl_idname = "NAVMESH_PT_imported"
    bl_label = "Imported"
    bl_order = 20  # below what builds
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.operator_context = "INVOKE_DEFAULT"
        layout.operator("navmesh.import_file", icon="IMPORT")
        home = scene_properties(scene_of(context)).collection
        for object_ in home.objects if home else ():
            if is_imported(object_):
                box = layout.box()
                row = box.row()
                row.label(text=object_.name, icon="MOD_REMESH")
                row.operator("navmesh.export", text="", icon="EXPORT").setup = object_.name
                for line in (str(object_[FILE]), *fact_lines(scene_of(context), object_)):
                    draw_text(box, line, room(context))


_shown: dict[str, bool] = {}  # whether a setup's navmesh is shown, as the panel found it before it draws the list


class NAVMESH_UL_setups(RowList, bpy.types.UIList):
    """Setups, one per agent"""

    bl_idname = "NAVMESH_UL_setups"

    def draw_row(self, context: bpy.types.Context, layout: bpy.types.UILayout, item: NavmeshSetup) -> None:
        several = len(scene_properties(scene_of(context)).setups) > 1
        row = layout.row(align=True)
        if several:
            swatch = row.row()
            swatch.ui_units_x = 0.8
            swatch.prop(item, "tint", text="")
        row.prop(item, "name", text="", emboss=False, icon="NONE" if several else "ARMATURE_DATA")
        if item.uid not in _shown:  # not built yet
            return
        if len(_shown) > 1:
            icon: Icon = "SOLO_ON" if is_alone(_shown, item.uid) else "SOLO_OFF"
            row.operator("navmesh.setup_solo", text="", icon=icon, emboss=False).setup = item.uid
        icon = "HIDE_OFF" if _shown[item.uid] else "HIDE_ON"
        row.operator("navmesh.setup_show", text="", icon=icon, emboss=False).setup = item.uid


class NAVMESH_PT_build(SidebarPanel, bpy.types.Panel):
    """Build, and what is built"""

    bl_idname = "NAVMESH_PT_build"
    bl_label = "Navmesh"

    def draw(self, context: bpy.types.Context) -> None:
        """The button comes first, and what has a height of its own last: whatever is said, the button does not move."""
        layout = layout_of(self)
        setup, points = shown_setup(scene_of(context)), room(context)
        objects = navmesh_objects(scene_of(context))
        _shown.clear()
        _shown.update(shown_setups(objects, view_layer_of(context)))
        object_ = objects.get((setup.uid, POLYGON_MESH)) if setup.uid else None
        if active_build.current() is None:
            _draw_buttons(layout, object_)
            _draw_state(layout, object_, setup, points)
            refused = refused_build.shown(scene_of(context))
            if refused is not None:
                draw_hints(layout, [refused], points)
        else:
            _draw_progress(layout, points)
        _draw_result(layout, object_)
        _draw_setups(layout, scene_properties(scene_of(context)), setup)
        _draw_sources(layout, object_, setup, points)
        if object_ is not None:
            _draw_beside_setup(layout, object_, setup, points)
        if active_build.current() is None:
            _draw_compiling(layout)


def _draw_buttons(layout: bpy.types.UILayout, object_: bpy.types.Object | None) -> None:
    row = layout.row(align=True)
    row.scale_y = 1.5
    row.operator_context = "INVOKE_DEFAULT"
    if object_ is None:
        row.operator("navmesh.build", icon="MOD_REMESH")
    else:
        row.operator("navmesh.rebuild", icon="FILE_REFRESH")
    stored = scene_properties(scene_of(bpy.context))
    row.operator("navmesh.live", text="", icon="REC", depress=stored.live)
    if stored.live:
        row.prop(stored, "live_paused", text="", icon="PAUSE")
    row.menu("NAVMESH_MT_build", text="", icon="DOWNARROW_HLT")


def _draw_state(
    layout: bpy.types.UILayout, object_: bpy.types.Object | None, setup: NavmeshSetup, points: float
) -> None:
    """One line under the button, always."""
    if object_ is not None and (status := live_mode.state(scene_of(bpy.context))):
        draw_text(layout, status, points, "REC")
    elif object_ is None:
        draw_text(layout, "Not built yet", points, "BLANK1")
    elif why := out_of_date(object_, setup):
        draw_text(layout, why, points, "ERROR")
    elif count := warnings_of(object_):
        warnings = f"{count:,} warning{'s' * (count != 1)}"
        draw_text(layout, f"Up to date. {warnings}: see Last Build", points, "INFO")
    else:
        draw_text(layout, "Up to date", points, "CHECKMARK")


def _draw_result(layout: bpy.types.UILayout, object_: bpy.types.Object | None) -> None:
    """What can be done with a navmesh; where there is none yet, its place."""
    row = layout.split(factor=0.38, align=True)  # halves would cut the second one off
    row.enabled = object_ is not None and active_build.current() is None
    row.operator_context = "INVOKE_DEFAULT"
    row.menu("NAVMESH_MT_export", text="Export")
    row.operator("navmesh.prune")


def _draw_sources(
    layout: bpy.types.UILayout, object_: bpy.types.Object | None, setup: NavmeshSetup, points: float
) -> None:
    """What Build takes; Rebuild takes the same again."""
    if object_ is not None:
        draw_text(layout, f"From {built_from_what(object_)}", points)
        return
    column = layout.column(align=True)
    draw_named(column, setup, "scope")
    if setup.scope == COLLECTION:
        column.prop(setup, "collection", text="")


def _draw_beside_setup(
    layout: bpy.types.UILayout, object_: bpy.types.Object, setup: NavmeshSetup, points: float
) -> None:
    """Values that a script or a command gave, and the offer to keep them."""
    try:
        beside = values_beside_setup(object_, setup)
    except NavmeshError:  # what is damaged is told by who needs it
        return
    if beside:
        names = ", ".join("Only What Seeds Reach" if name == "prune" else title(name) for name in beside)
        draw_text(layout, f"Built with values that the setup does not have: {names}", points, "INFO")
        layout.operator("navmesh.setup_keep", icon="IMPORT").setup = setup.uid


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


def _draw_compiling(layout: bpy.types.UILayout) -> None:
    """Builds can be started meanwhile: they wait for what they need."""
    compiler = starter.current()
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
    draw_text(layout, now.why or "Esc stops it and changes nothing", points, "BLANK1")


_OTHER_OBJECTS: tuple[tuple[str, str, Icon], ...] = (
    (SELECTED, "Build from Selected Objects", "RESTRICT_SELECT_OFF"),
    (VISIBLE, "Build from Everything Visible", "HIDE_OFF"),
)


class NAVMESH_MT_build(bpy.types.Menu):
    """Build from other objects, or every setup"""

    bl_idname = "NAVMESH_MT_build"
    bl_label = "Build from Other Objects"

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored = layout_of(self), scene_properties(scene_of(context))
        layout.operator_context = "INVOKE_DEFAULT"
        if navmesh_of_setup(scene_of(context), shown_setup(scene_of(context))) is not None:
            layout.operator("navmesh.rebuild", text="Rebuild from the Same Objects", icon="FILE_REFRESH")
            layout.separator()
        for scope, text, icon in _OTHER_OBJECTS:
            layout.operator("navmesh.build", text=text, icon=icon).scope = scope
        collection = context.collection
        if collection is not None and collection != scene_of(context).collection:
            build = layout.operator(
                "navmesh.build", text=f"Build from Collection “{collection.name}”", icon="OUTLINER_COLLECTION"
            )
            build.scope, build.collection = COLLECTION, collection.name
        if len(stored.setups) > 1:
            layout.separator()
            layout.operator("navmesh.build", text="Build All Setups", icon="ARMATURE_DATA").all_setups = True


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
            for line in (*forecast.effective, forecast.size, forecast.looked):
                if line:
                    draw_text(column, line, points)
            refused = refused_build.shown(scene_of(context))  # what stands below the button needs no second time
            draw_hints(layout, [hint for hint in forecast.hints if hint != refused], points)
        layout.operator("navmesh.check", icon="VIEWZOOM")


def _draw_in_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = layout_of(menu)
    layout.separator()
    layout.operator_context = "INVOKE_DEFAULT"
    layout.operator("navmesh.build")


DRAWN_IN = dict.fromkeys(
    ("VIEW3D_MT_object", "VIEW3D_MT_edit_mesh", "VIEW3D_MT_edit_curve"), _draw_in_menu
)  # also what lets F3 find it


CLASSES = (NAVMESH_PT_imported, NAVMESH_UL_setups, NAVMESH_MT_build, NAVMESH_PT_build, NAVMESH_PT_checks)
