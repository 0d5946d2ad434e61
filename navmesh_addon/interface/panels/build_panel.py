"""The panel that builds, and in it what can be said before a build. They show what others know, and compute nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

import bpy

from ...blender_types import Icon, layout_of, scene_of, view_layer_of
from ...builds import active_build
from ...files.import_operator import fact_lines, is_imported
from ...live import live_mode
from ...objects.built_from import built_from_what, warnings_of
from ...objects.island_list import island_rows
from ...objects.navmesh_objects import FILE, is_alone, metres_on, navmesh_objects, navmesh_of_setup, shown_setups
from ...operator_types import RowList
from ...stored.object_properties import POLYGON_MESH
from ...stored.preferences import is_first_run
from ...stored.setup_properties import COLLECTION, SELECTED, VISIBLE, NavmeshSetup
from ...stored.setups import NavmeshScene, scene_properties, shown_setup
from ...watch.out_of_date import out_of_date
from .. import progress_display
from .notice import draw_notice
from .settings_panels import draw_agent, draw_cells, draw_preset
from .sidebar_panel import PopoverPanel, SidebarPanel, beside, draw_lines, draw_text, named_line, room, whole_parts

BUTTON = 1.5  # rows that the button which builds is high
_LAST_PART = re.compile(r"( · [^·]*|: see [^:]*)$")  # of the line below it, which the report says as well

# --- The panel of imported navmeshes: what is known of each, and a button that exports it again.


class NAVMESH_PT_imported(SidebarPanel, bpy.types.Panel):
    """Navmeshes that were imported"""

    bl_idname = "NAVMESH_PT_imported"
    bl_label = "Imported"
    bl_order = 21  # below what was there before
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        return any(True for _ in _imported(scene_of(context)))

    def draw(self, context: bpy.types.Context) -> None:
        layout = layout_of(self)
        layout.operator_context = "INVOKE_DEFAULT"
        for object_ in _imported(scene_of(context)):
            box = layout.box()
            row = box.row()
            row.label(text=object_.name, icon="MOD_REMESH")
            row.operator("navmesh.show_page", text="", icon="URL").setup = object_.name
            row.operator("navmesh.export", text="", icon="EXPORT").setup = object_.name
            for line in (str(object_[FILE]), *fact_lines(scene_of(context), object_)):
                draw_text(box, line, room(context))


def _imported(scene: bpy.types.Scene) -> Iterator[bpy.types.Object]:
    polygons = (object_ for (_, role), object_ in navmesh_objects(scene).items() if role == POLYGON_MESH)
    return filter(is_imported, polygons)


# --- Setups: the one that is chosen in a row of the panel, all of them in a popover.

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
        _draw_eye(row, item, False)


def _draw_eye(row: bpy.types.UILayout, setup: NavmeshSetup, is_button: bool) -> None:
    icon: Icon = "HIDE_OFF" if _shown.get(setup.uid) else "HIDE_ON"
    row.operator("navmesh.setup_show", text="", icon=icon, emboss=is_button).setup = setup.uid


class NAVMESH_PT_setups(PopoverPanel, bpy.types.Panel):
    """Choose the setup to work on"""

    bl_idname = "NAVMESH_PT_setups"
    bl_label = "Setups"

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored = layout_of(self), scene_properties(scene_of(context))
        layout.template_list("NAVMESH_UL_setups", "", stored, "setups", stored, "active", rows=3)
        if len(stored.setups) > 1:
            layout.operator_context = "INVOKE_DEFAULT"
            layout.operator("navmesh.build", text="Build All Setups", icon="ARMATURE_DATA").all_setups = True
            layout.prop(shown_setup(scene_of(context)), "as_one")


def _draw_setup(layout: bpy.types.UILayout, stored: NavmeshScene, setup: NavmeshSetup) -> None:
    """One row for one agent or for many: the one that is worked on, and those there are."""
    row = layout.row(align=True)
    choice = row.row(align=True)
    choice.enabled = len(stored.setups) > 1
    choice.popover("NAVMESH_PT_setups", text="", icon="ARMATURE_DATA")
    row.prop(setup, "name", text="")
    if len(stored.setups) > 1:
        swatch = row.row(align=True)
        swatch.ui_units_x = 0.8
        swatch.prop(setup, "tint", text="")
    eye = row.row(align=True)
    eye.enabled = setup.uid in _shown
    _draw_eye(eye, setup, True)
    row.operator("navmesh.setup_add", text="", icon="ADD")
    less = row.row(align=True)
    less.enabled = len(stored.setups) > 0
    less.operator("navmesh.setup_remove", text="", icon="REMOVE")


# --- The panel that builds.


class NAVMESH_PT_build(SidebarPanel, bpy.types.Panel):
    """Build, and what is built"""

    bl_idname = "NAVMESH_PT_build"
    bl_label = "Navmesh"
    bl_options = {"HIDE_HEADER"}

    def draw(self, context: bpy.types.Context) -> None:
        """The button comes first, and each row stands where it stands, whatever is said."""
        layout, scene = layout_of(self), scene_of(context)
        setup, points = shown_setup(scene), room(context)
        objects = navmesh_objects(scene)
        _shown.clear()
        _shown.update(shown_setups(objects, view_layer_of(context)))
        object_ = objects.get((setup.uid, POLYGON_MESH)) if setup.uid else None
        if active_build.current() is None:
            _draw_buttons(layout, object_)
            _draw_state(layout, object_, setup, points)
        else:
            _draw_progress(layout, points)
        draw_notice(layout, scene, points)
        if is_first_run() and not scene_properties(scene).setups:
            _draw_first_run(layout, setup)
            return
        _draw_setup(layout, scene_properties(scene), setup)
        draw_agent(layout, setup)
        _draw_sources(layout, object_, setup)
        draw_cells(layout, scene, setup, points)
        _draw_result(layout, object_)


def _draw_first_run(layout: bpy.types.UILayout, setup: NavmeshSetup) -> None:
    """Who walks, and where; nothing else has to be known for a navmesh. And something to try it on."""
    draw_preset(layout, setup)
    _draw_sources(layout, None, setup)
    layout.operator("navmesh.example_level", icon="WORLD")
    layout.operator("navmesh.show_everything", icon="DOWNARROW_HLT", emboss=False)


def _draw_buttons(layout: bpy.types.UILayout, object_: bpy.types.Object | None) -> None:
    row = layout.row(align=True)
    row.scale_y = BUTTON
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
    """One line under the button, always; what the last build made is a popover beside it."""
    place, points, report = beside(layout, 1, points)
    text, icon = _state(object_, setup)
    draw_lines(place, whole_parts(text, points, _LAST_PART), points, icon, count=1)
    report.enabled = object_ is not None
    report.popover("NAVMESH_PT_report", text="", icon="PRESET")


def _state(object_: bpy.types.Object | None, setup: NavmeshSetup) -> tuple[str, Icon]:
    if object_ is None:
        return "Not built yet", "BLANK1"
    if status := live_mode.state(scene_of(bpy.context)):
        return status, "REC"
    if why := out_of_date(object_, setup):
        return why, "ERROR"
    if count := warnings_of(object_):
        return f"Up to date. {count:,} warning{'s' * (count != 1)}: see Last Build", "INFO"
    return f"Up to date{_size(object_)}", "CHECKMARK"


def _size(object_: bpy.types.Object) -> str:
    """How much ground there is, in how many islands; nothing while its mesh is edited."""
    rows = island_rows(object_, metres_on(scene_of(bpy.context), object_))
    if not rows:
        return ""
    ground = sum(row.square_metres for row in rows)
    return f" · {ground:,.{0 if ground >= 100 else 1}f} m² · {len(rows):,} island{'s' * (len(rows) != 1)}"


def _draw_result(layout: bpy.types.UILayout, object_: bpy.types.Object | None) -> None:
    """What can be done with a navmesh; where there is none yet, its place."""
    row = layout.row(align=True)
    row.operator_context = "INVOKE_DEFAULT"
    of_navmesh = row.split(factor=0.32, align=True)  # halves would cut the second one off
    of_navmesh.enabled = object_ is not None and active_build.current() is None
    of_navmesh.menu("NAVMESH_MT_export", text="Export")
    of_navmesh.operator("navmesh.prune")
    shown = row.row(align=True)
    shown.enabled = of_navmesh.enabled
    shown.operator("navmesh.show_page", text="", icon="URL")
    row.operator("navmesh.import_file", text="", icon="IMPORT")


def _draw_sources(layout: bpy.types.UILayout, object_: bpy.types.Object | None, setup: NavmeshSetup) -> None:
    """What Build takes; Rebuild takes the same again, and the menu has others."""
    if object_ is not None:
        what = built_from_what(object_)
        named_line(layout, "From").menu("NAVMESH_MT_build", text=what[:1].upper() + what[1:])
        return
    row = named_line(layout, "From")
    row.prop(setup, "scope", text="")
    if setup.scope == COLLECTION:
        row.prop(setup, "collection", text="")


def _draw_progress(layout: bpy.types.UILayout, points: float) -> None:
    """In the place of the button that began it, and as high: nothing below it jumps."""
    now = progress_display.shown()
    row = layout.split(factor=0.68, align=True)
    row.scale_y = BUTTON
    row.progress(factor=now.fraction, text=now.text, type="BAR")
    row.operator("navmesh.cancel")
    draw_lines(layout, now.why or "Esc stops it and changes nothing", points, count=1)


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
            build.scope, build.collection = COLLECTION, collection.name_full
        if len(stored.setups) > 1:
            layout.separator()
            layout.operator("navmesh.build", text="Build All Setups", icon="ARMATURE_DATA").all_setups = True


def _draw_in_menu(menu: bpy.types.Menu, _context: bpy.types.Context) -> None:
    layout = layout_of(menu)
    layout.separator()
    layout.operator_context = "INVOKE_DEFAULT"
    layout.operator("navmesh.build")


DRAWN_IN = dict.fromkeys(
    ("VIEW3D_MT_object", "VIEW3D_MT_edit_mesh", "VIEW3D_MT_edit_curve"), _draw_in_menu
)  # also what lets F3 find it
