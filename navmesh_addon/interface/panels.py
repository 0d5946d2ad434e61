"""The panel in the sidebar of the 3D view, tab “Navmesh”. It shows what others know, and computes nothing."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ...navcore.settings import settings_fields
from ..build import compile_after_install as preparation
from ..build import running_build as session
from ..gather.level_forecast import Hint
from ..objects.navmesh_objects import REPORT, navmesh_objects
from ..redraw import TAB
from ..stored.agent_presets import NAVMESH_MT_presets
from ..stored.area_types import area_name, area_rows
from ..stored.object_properties import POLYGON_MESH
from ..stored.setups import shown_setup
from ..watch.out_of_date import out_of_date
from . import checks_before_build, progress_display
from .wrapped_text import draw_text, room

_GROUPS: dict[str, list[str]] = {}
for _field in settings_fields():
    _GROUPS.setdefault(_field.metadata["info"].group, []).append(_field.name)
_MOST_LINES = 12


class NAVMESH_UL_setups(bpy.types.UIList):
    """Setups, one per agent"""

    bl_idname = "NAVMESH_UL_setups"

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _owner: Any, _name: str
    ) -> None:
        layout.prop(item, "name", text="", emboss=False, icon="ARMATURE_DATA")


class NAVMESH_UL_area_types(bpy.types.UIList):
    """Area types"""

    bl_idname = "NAVMESH_UL_area_types"

    def draw_item(  # type: ignore[override] # Blender counts the parameters
        self, _context: Any, layout: Any, _data: Any, item: Any, _icon: int, _owner: Any, _name: str
    ) -> None:
        row = layout.row(align=True)
        row.prop(item, "color", text="")
        row.prop(item, "name", text="", emboss=False)
        row.label(text=f"{0 if item.area == 63 else item.area}")


class _Panel:
    bl_space_type: Any = "VIEW_3D"
    bl_region_type: Any = "UI"
    bl_category = TAB


class NAVMESH_PT_build(_Panel, bpy.types.Panel):
    """Choose what to build from, and build"""

    bl_idname = "NAVMESH_PT_build"
    bl_label = "Navmesh"

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        stored = context.scene.navmesh
        setup = shown_setup(context.scene)
        _draw_setups(layout, stored, setup)
        column = layout.column(align=True)
        column.prop(setup, "scope", text="")
        if setup.scope == "COLLECTION":
            column.prop(setup, "collection", text="")
        if session.current() is None:
            _draw_buttons(layout, context)
            _draw_preparation(layout)
        else:
            _draw_progress(layout, room(context))
        thing = _navmesh(context.scene, setup)
        if thing is not None:
            _draw_result(layout, thing, setup, room(context))


def _draw_setups(layout: Any, stored: Any, setup: Any) -> None:
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


def _draw_buttons(layout: Any, context: Any) -> None:
    column = layout.column(align=True)
    column.scale_y = 1.5
    column.operator_context = "INVOKE_DEFAULT"
    column.operator("navmesh.build", icon="MOD_REMESH")
    if len(context.scene.navmesh.setups) > 1:
        column.operator("navmesh.build", text="Build All Setups").all_setups = True


def _draw_preparation(layout: Any) -> None:
    """Builds can be started meanwhile: they wait for what they need."""
    preparing = preparation.current()
    if preparing is not None and preparing.compiles:
        fraction = preparing.fraction
        layout.progress(factor=fraction, text=f"Compiling for this computer, once: {fraction:.0%}", type="BAR")


def _draw_progress(layout: Any, points: float) -> None:
    """In the place of the button that began it, and as high: nothing below it jumps."""
    now = progress_display.shown()
    row = layout.split(factor=0.68, align=True)
    row.scale_y = 1.5
    row.progress(factor=now.fraction, text=now.text, type="BAR")
    row.operator("navmesh.cancel")
    if now.why:
        draw_text(layout, now.why, points)


def _draw_result(layout: Any, thing: Any, setup: Any, points: float) -> None:
    column = layout.column(align=True)
    column.enabled = session.current() is None
    row = column.row(align=True)
    row.operator_context = "INVOKE_DEFAULT"
    row.operator("navmesh.rebuild", text="Rebuild", icon="FILE_REFRESH")
    row.menu("NAVMESH_MT_export", text="Export", icon="EXPORT")
    layout.operator("navmesh.prune", icon="BRUSH_DATA")
    if why := out_of_date(thing, setup):
        draw_text(layout, why, points, "ERROR")


def _navmesh(scene: Any, setup: Any) -> Any:
    return navmesh_objects(scene, setup.uid).get((setup.uid, POLYGON_MESH)) if setup.uid else None


class NAVMESH_PT_checks(_Panel, bpy.types.Panel):
    """What can be said before a build"""

    bl_idname = "NAVMESH_PT_checks"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Before the Build"

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        found, points = checks_before_build.latest(context.scene), room(context)
        if found is not None:
            column = layout.column(align=True)
            for line in (*found.effective, *found.size.split("\n")):
                if line:
                    draw_text(column, line, points)
            draw_hints(layout, found.hints, points)
        layout.operator("navmesh.check", icon="VIEWZOOM")


def draw_hints(layout: Any, hints: Any, points: float) -> None:
    """Warnings; a click selects the object that one names."""
    column = layout.column()
    for hint in hints[:_MOST_LINES]:
        box = column.column(align=True)
        if hint.name:
            row = box.row()
            row.alignment = "LEFT"
            chosen = row.operator("navmesh.select_object", text=hint.name, icon="RESTRICT_SELECT_OFF", emboss=False)
            chosen.name = hint.name
        draw_text(box, hint.message, points, "ERROR")
    if len(hints) > _MOST_LINES:
        column.label(text=f"… and {len(hints) - _MOST_LINES:,} more")


class _SettingsPanel(_Panel):
    """Settings of one group"""

    bl_parent_id = "NAVMESH_PT_build"
    bl_options = {"DEFAULT_CLOSED"}
    group = ""

    def draw(self, context: Any) -> None:
        layout: Any = self.layout  # type: ignore[attr-defined]
        layout.use_property_split = True
        layout.use_property_decorate = False
        setup = shown_setup(context.scene)
        if self.group == "Agent":
            row = layout.row(align=True)
            row.menu("NAVMESH_MT_presets", text=NAVMESH_MT_presets.bl_label)
            row.operator("navmesh.preset_add", text="", icon="ADD")
            row.operator("navmesh.preset_add", text="", icon="REMOVE").remove_active = True
        column = layout.column(align=True)
        for name in _GROUPS[self.group]:
            draw_setting(column, setup, name)
        if self.group == "Result":
            column.prop(setup, "color_by")
            column.prop(setup, "keep_stages")
            column.prop(context.scene.navmesh, "overlay")


def draw_setting(layout: Any, owner: Any, name: str) -> None:
    """One setting; a true or false one gets the whole line, or its name is cut off."""
    row = layout.row()
    if isinstance(getattr(owner, name), bool):
        row.use_property_split = False
    row.prop(owner, name)


def _settings_panel(group: str) -> type:
    name = f"NAVMESH_PT_settings_{group.lower()}"
    options = set() if group == "Agent" else {"DEFAULT_CLOSED"}
    told = {
        "bl_idname": name,
        "bl_label": group,
        "group": group,
        "bl_options": options,
        "__doc__": f"Settings: {group}",
    }
    return type(name, (_SettingsPanel, bpy.types.Panel), told)


class NAVMESH_PT_rules(_Panel, bpy.types.Panel):
    """Which objects are left out"""

    bl_idname = "NAVMESH_PT_rules"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Which Objects"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        setup = shown_setup(context.scene)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(setup, "skip_names")
        layout.prop(setup, "only_names")
        layout.row().prop(setup, "kinds")
        layout.prop(setup, "prune")


class NAVMESH_PT_object(_Panel, bpy.types.Panel):
    """What the active object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object"
    bl_label = "Object"

    @classmethod
    def poll(cls, context: Any) -> bool:
        return context.object is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        thing, scene = context.object, context.scene
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(thing.navmesh, "use")
        if thing.navmesh.use == "LINK":
            self._draw_link(layout, thing, scene)
        elif thing.navmesh.use not in ("BOUNDS", "EXCLUDE", "SEED"):
            _draw_area(layout, "Object", "NAVMESH_MT_area_of_object", scene, thing.navmesh.area)
            material = thing.active_material
            if material is not None:
                _draw_area(layout, "Material", "NAVMESH_MT_area_of_material", scene, material.navmesh.area)
        if context.collection is not None and context.collection != scene.collection:
            layout.prop(context.collection.navmesh, "exclude", text=f"Leave out {context.collection.name}")
            _draw_area(layout, "Collection", "NAVMESH_MT_area_of_collection", scene, context.collection.navmesh.area)

    def _draw_link(self, layout: Any, thing: Any, scene: Any) -> None:
        if thing.type != "CURVE":
            layout.prop(thing.navmesh, "link_end")
        for name in ("link_radius", "link_bidirectional", "link_flags", "link_id"):
            layout.prop(thing.navmesh, name)
        _draw_area(layout, "Area", "NAVMESH_MT_area_of_link", scene, thing.navmesh.link_area)


def _draw_area(layout: Any, label: str, menu: str, scene: Any, area: int) -> None:
    row = layout.split(factor=0.4)
    row.alignment = "RIGHT"
    row.label(text=f"{label} Area" if label != "Area" else label)
    row.menu(menu, text=area_name(scene, area))


class NAVMESH_PT_area_types(_Panel, bpy.types.Panel):
    """What area numbers mean"""

    bl_idname = "NAVMESH_PT_area_types"
    bl_label = "Area Types"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        stored = context.scene.navmesh
        if len(stored.area_types) == 0:
            column = layout.column(align=True)
            for kind in area_rows(context.scene):
                column.label(text=f"{kind.name}: {0 if kind.area == 63 else kind.area}, flags {kind.flags}")
            layout.operator("navmesh.area_types_edit", icon="GREASEPENCIL")
            return
        row = layout.row()
        row.template_list("NAVMESH_UL_area_types", "", stored, "area_types", stored, "active_area_type", rows=4)
        buttons = row.column(align=True)
        buttons.operator("navmesh.area_type_add", text="", icon="ADD")
        buttons.operator("navmesh.area_type_remove", text="", icon="REMOVE")
        item = stored.area_types[min(stored.active_area_type, len(stored.area_types) - 1)]
        layout.use_property_split = True
        for name in ("area", "flags", "cost"):
            layout.prop(item, name)


class NAVMESH_PT_report(_Panel, bpy.types.Panel):
    """What the last build made of the level"""

    bl_idname = "NAVMESH_PT_report"
    bl_label = "Last Build"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Any) -> bool:
        return _navmesh(context.scene, shown_setup(context.scene)) is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        try:
            report = json.loads(_navmesh(context.scene, shown_setup(context.scene))[REPORT])
            lines = report_lines(report)
        except (KeyError, TypeError, ValueError):
            layout.label(text="No report")
            return
        column, points = layout.column(align=True), room(context)
        for line in lines:
            draw_text(column, line, points)
        hints = [Hint(w["code"], w["message"], w.get("object", "")) for w in report["warnings"]]
        draw_hints(layout, hints, points)
        skipped = report["skipped"]
        if skipped:
            column = layout.column(align=True)
            column.label(text=f"Not used: {report['skipped_count']:,}")
            for name, why in skipped[:_MOST_LINES]:
                draw_text(column, f"{name}: {why}", points, "DOT")


def report_lines(report: Any) -> list[str]:
    """A report in a few lines."""
    counts, seconds = report["counts"], report["seconds"]
    return [
        f"{counts['polygons']:,} polygons, {counts['vertices']:,} vertices",
        f"{counts.get('detail_triangles', 0):,} detail triangles, {counts['regions']:,} regions",
        f"From {report['used_count']:,} objects, {report['triangles']:,} triangles",
        f"Built in {seconds['total']:.2f} s",
    ]


CLASSES = (
    NAVMESH_UL_setups,
    NAVMESH_UL_area_types,
    NAVMESH_PT_build,
    NAVMESH_PT_checks,
    *map(_settings_panel, _GROUPS),
    NAVMESH_PT_rules,
    NAVMESH_PT_object,
    NAVMESH_PT_area_types,
    NAVMESH_PT_report,
)


def _draw_in_menu(menu: Any, _context: Any) -> None:
    menu.layout.separator()
    menu.layout.operator_context = "INVOKE_DEFAULT"
    menu.layout.operator("navmesh.build")


def register() -> None:
    bpy.types.VIEW3D_MT_object.append(_draw_in_menu)  # also what lets F3 find it


def unregister() -> None:
    bpy.types.VIEW3D_MT_object.remove(_draw_in_menu)
