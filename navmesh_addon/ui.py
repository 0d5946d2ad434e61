"""The panel in the sidebar of the 3D view, tab “Navmesh”. It shows what others know, and computes nothing."""

from __future__ import annotations

import json
from typing import Any

import bpy

from ..navcore.settings import settings_fields
from . import progress_display, results, session, survey
from .agent_presets import NAVMESH_MT_presets
from .areas import area_name, area_rows
from .marks import POLYGON_MESH
from .setups import active_setup, setup_settings
from .write_back import BUILD, REPORT, SETTINGS, navmesh_objects

_GROUPS: dict[str, list[str]] = {}
for _field in settings_fields():
    _GROUPS.setdefault(_field.metadata["info"].group, []).append(_field.name)
_MOST_LINES = 12
_LINE = 48  # letters that fit into a sidebar of usual width


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
    bl_category = "Navmesh"


class NAVMESH_PT_build(_Panel, bpy.types.Panel):
    """Choose what to build from, and build"""

    bl_idname = "NAVMESH_PT_build"
    bl_label = "Navmesh"

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        stored = context.scene.navmesh
        row = layout.row()
        row.template_list("NAVMESH_UL_setups", "", stored, "setups", stored, "active", rows=2)
        buttons = row.column(align=True)
        buttons.operator("navmesh.setup_add", text="", icon="ADD")
        buttons.operator("navmesh.setup_remove", text="", icon="REMOVE")
        setup = active_setup(context.scene)
        if setup is not None:
            _draw_sources(layout, setup)
        else:
            layout.operator("navmesh.setup_add", text="Change Settings", icon="PREFERENCES")
        job = session.current()
        if job is None:
            _draw_buttons(layout, context.scene, setup)
        else:
            layout.progress(factor=job.fraction, text=progress_display.text(job), type="BAR")
            layout.operator("navmesh.cancel", icon="CANCEL")


def _draw_sources(layout: Any, setup: Any) -> None:
    column = layout.column(align=True)
    column.prop(setup, "scope", text="")
    if setup.scope == "COLLECTION":
        column.prop(setup, "collection", text="")


def _draw_buttons(layout: Any, scene: Any, setup: Any) -> None:
    column = layout.column(align=True)
    column.scale_y = 1.5
    column.operator_context = "INVOKE_DEFAULT"
    column.operator("navmesh.build", icon="MOD_REMESH")
    if len(scene.navmesh.setups) > 1:
        column.operator("navmesh.build", text="Build All Setups").all_setups = True
    thing = _navmesh(scene, setup)
    if thing is None:
        return
    row = layout.row(align=True)
    row.operator_context = "INVOKE_DEFAULT"
    row.operator("navmesh.rebuild", text="Rebuild", icon="FILE_REFRESH")
    row.operator("navmesh.export", text="Export", icon="EXPORT")
    if why := out_of_date(thing, setup):
        layout.label(text=why, icon="ERROR")


def out_of_date(thing: Any, setup: Any) -> str:
    """Why a navmesh should be built again, "" where it need not."""
    if results.is_stale(str(thing.get(BUILD, ""))):
        return "Out of date: the level changed"
    try:
        built, now = json.loads(thing[SETTINGS]), setup_settings(setup).to_mapping()
    except Exception:  # noqa: BLE001 - settings that can't be built with are told elsewhere
        return ""
    return "" if built == now else "Out of date: a setting changed"


def _navmesh(scene: Any, setup: Any) -> Any:
    return navmesh_objects(scene, setup.uid).get((setup.uid, POLYGON_MESH)) if setup is not None else None


class NAVMESH_PT_checks(_Panel, bpy.types.Panel):
    """What can be said before a build"""

    bl_idname = "NAVMESH_PT_checks"
    bl_parent_id = "NAVMESH_PT_build"
    bl_label = "Before the Build"

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        found = survey.latest(context.scene)
        if found is not None:
            column = layout.column(align=True)
            for line in (*found.effective, *found.size.split("\n")):
                if line:
                    column.label(text=line)
            draw_hints(layout, found.hints)
        layout.operator("navmesh.check", icon="VIEWZOOM")


def draw_hints(layout: Any, hints: Any) -> None:
    """Warnings; a click selects the object that one names."""
    column = layout.column(align=True)
    for hint in hints[:_MOST_LINES]:
        if hint.name:
            row = column.row()
            row.alignment = "LEFT"
            chosen = row.operator(
                "navmesh.select_object", text=f"{hint.name}", icon="RESTRICT_SELECT_OFF", emboss=False
            )
            chosen.name = hint.name
        draw_text(column, hint.message, "ERROR")
    if len(hints) > _MOST_LINES:
        column.label(text=f"… and {len(hints) - _MOST_LINES:,} more")


def draw_text(layout: Any, text: str, icon: str = "NONE") -> None:
    """A sentence on several lines: labels do not wrap."""
    line = ""
    for word in text.split():
        if line and len(line) + len(word) >= _LINE:
            layout.label(text=line, icon=icon)
            line, icon = "", "BLANK1" if icon != "NONE" else "NONE"
        line = f"{line} {word}".strip()
    layout.label(text=line, icon=icon)


class _SettingsPanel(_Panel):
    """Settings of one group"""

    bl_parent_id = "NAVMESH_PT_build"
    bl_options = {"DEFAULT_CLOSED"}
    group = ""

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_setup(context.scene) is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout  # type: ignore[attr-defined]
        layout.use_property_split = True
        layout.use_property_decorate = False
        setup = active_setup(context.scene)
        if self.group == "Agent":
            row = layout.row(align=True)
            row.menu("NAVMESH_MT_presets", text=NAVMESH_MT_presets.bl_label)
            row.operator("navmesh.preset_add", text="", icon="ADD")
            row.operator("navmesh.preset_add", text="", icon="REMOVE").remove_active = True
        column = layout.column(align=True)
        for name in _GROUPS[self.group]:
            column.prop(setup, name)
        if self.group == "Result":
            column.prop(setup, "color_by")
            column.prop(setup, "keep_stages")
            column.prop(context.scene.navmesh, "overlay")


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

    @classmethod
    def poll(cls, context: Any) -> bool:
        return active_setup(context.scene) is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        setup = active_setup(context.scene)
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.prop(setup, "skip_names")
        layout.prop(setup, "only_names")
        layout.row().prop(setup, "kinds")


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
        elif thing.navmesh.use not in ("BOUNDS", "EXCLUDE"):
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
        return _navmesh(context.scene, active_setup(context.scene)) is not None

    def draw(self, context: Any) -> None:
        layout: Any = self.layout
        try:
            report = json.loads(_navmesh(context.scene, active_setup(context.scene))[REPORT])
            lines = report_lines(report)
        except (KeyError, TypeError, ValueError):
            layout.label(text="No report")
            return
        column = layout.column(align=True)
        for line in lines:
            column.label(text=line)
        draw_hints(layout, [survey.Hint(w["code"], w["message"], w.get("object", "")) for w in report["warnings"]])
        skipped = report["skipped"]
        if skipped:
            column = layout.column(align=True)
            column.label(text=f"Not used: {report['skipped_count']:,}")
            for name, why in skipped[:_MOST_LINES]:
                draw_text(column, f"{name}: {why}", "DOT")


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


def _draw_in_export_menu(menu: Any, _context: Any) -> None:
    menu.layout.operator("navmesh.export", text="Navmesh (.bin, .obj, .json)")


def register() -> None:
    bpy.types.VIEW3D_MT_object.append(_draw_in_menu)  # also what lets F3 find it
    bpy.types.TOPBAR_MT_file_export.append(_draw_in_export_menu)


def unregister() -> None:
    bpy.types.TOPBAR_MT_file_export.remove(_draw_in_export_menu)
    bpy.types.VIEW3D_MT_object.remove(_draw_in_menu)
