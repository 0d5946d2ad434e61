"""The panels on what an object, its material and its collection are for: in the sidebar, and in its properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import bpy

from ....navcore.errors import BadSettings
from ....navcore.resolution import settings_at_resolution
from ...blender_types import layout_of, scene_of
from ...live import with_obstacles
from ...operator_types import PanelPart, RowList
from ...stored.area_types import DEFAULT_ROWS, NavmeshAreaType, area_name
from ...stored.object_properties import EDITS, PLAIN, abilities_in_words, door_of, marks_of, resolution_of
from ...stored.setup_properties import NavmeshSetup
from ...stored.setups import active_setup, find_setup, scene_properties, setup_settings
from ...stored.view_properties import MARK
from ..area_icons import icon_of_area, icon_of_color
from ..helpers.add_menu import draw_helper_buttons
from .sidebar_panel import LONG_NAMES, PopoverPanel, SidebarPanel, draw_lines, draw_named, named_line, room, with_name

_MENU_MARGINS, _ICON = 26.0, 20.0  # points: what a menu takes beside its text, without an icon; and what an icon takes
_ROWS = 4  # of what is asked about an object beside its use: as many, whatever it is, so that nothing below moves


class _ObjectPanel(PanelPart):
    """What the panels in the sidebar and in the properties of an object both draw."""

    def draw(self, context: bpy.types.Context) -> None:
        layout, object_ = layout_of(self), context.object
        rows = 0
        if object_ is None:
            layout.label(text="No object is active", icon="OBJECT_DATA")
            layout.label(text="")
        else:
            layout.label(text=object_.name, icon="OBJECT_DATA")
            marks = marks_of(object_)
            draw_named(layout, marks, "use")
            special = {
                "LINK": _draw_link,
                "DROP": _draw_drop,
                "DOOR": _draw_door,
                "OBSTACLE": _draw_obstacle,
                "RESOLUTION": _draw_resolution,
                **dict.fromkeys((*EDITS, "NAVMESH"), _draw_edit),
            }
            draw = special.get(marks.use, _draw_areas)
            rows = draw(layout, context, object_)
        for _ in range(rows, _ROWS):
            layout.label(text="")


def _draw_drop(layout: bpy.types.UILayout, _context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """How large the island was that it drops. Returns how many rows."""
    draw_named(layout, marks_of(object_), "drop_m2")
    return 1


def _draw_door(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """What it is called, its state, whom it lets pass, and the area of its ground. Returns how many rows."""
    marks = marks_of(object_)
    draw_named(layout, marks, "door_name")
    row = layout.row(align=True)
    text = f"“{door_of(object_)}” Is {'Closed' if marks.door_closed else 'Open'}"
    row.prop(marks, "door_closed", text=text, toggle=True, icon="LOCKED" if marks.door_closed else "UNLOCKED")
    draw_named(layout, marks, "door_asks")
    _draw_area(layout, "Area", "NAVMESH_MT_area_of_object", scene_of(context), marks.area)
    return 4


def _draw_obstacle(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """Its shape, and the view that shows what it cuts out. Returns how many rows."""
    scene = scene_of(context)
    draw_named(layout, marks_of(object_), "obstacle_shape")
    draw_with_obstacles(layout, scene, "With Obstacles")
    layout.label(text=with_obstacles.state(scene))
    return 3


def _draw_resolution(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """Which cells it makes, and what these are in the chosen setup. Returns how many rows."""
    line = named_line(layout, "Cells")
    line.prop(marks_of(object_), "resolution", expand=True)
    setup = active_setup(scene_of(context))
    if setup is None:
        return 1
    draw_lines(layout, _cells_in_words(setup, resolution_of(object_)), room(context), count=_ROWS - 1)
    return _ROWS


def _cells_in_words(setup: NavmeshSetup, scale: float) -> str:
    """How wide cells of a resolution are, or why there can be none."""
    try:
        return (
            f"Cells {100 * settings_at_resolution(setup_settings(setup), scale).cell_size:.3g} cm wide, in whole tiles"
        )
    except BadSettings as refused:
        return str(refused)


def draw_with_obstacles(layout: bpy.types.UILayout, scene: bpy.types.Scene, text: str = "") -> None:
    """The button that shows the navmesh with obstacles, or without."""
    layout.operator(
        "navmesh.with_obstacles", text=text, icon="MESH_CUBE", depress=scene_properties(scene).with_obstacles
    )


def _draw_edit(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """Its area, how far it reaches, and whose builds heed it. Returns how many rows."""
    marks, scene, rows = marks_of(object_), scene_of(context), 1
    if marks.use in ("AREA", "PATCH", "NAVMESH"):
        _draw_area(layout, "Area", "NAVMESH_MT_area_of_object", scene, marks.area)
        rows += 1
    if marks.use in ("BLOCK", "AREA"):
        row = layout.row(align=True)
        row.prop(marks, "edit_below")
        row.prop(marks, "edit_above")
        rows += 1
    if marks.use == "NAVMESH":
        layout.operator("navmesh.mend")
        rows += 1
    setup = find_setup(scene, marks.edit_setup) if marks.edit_setup else None
    gone = "For a Setup That Is Gone" if marks.edit_setup else "For All Setups"
    text = gone if setup is None else f"For “{setup.name}” Alone"
    button: Any = layout.operator("navmesh.edit_for_setup", text=text, depress=setup is not None)
    button.uid = object_.session_uid
    return rows


def _draw_areas(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """Of the object, of its material, of the collection that is worked in, of selected faces. Returns how many rows."""
    scene, marks, rows, points = scene_of(context), marks_of(object_), 0, room(context) - _MENU_MARGINS
    if marks.use not in ("BOUNDS", "EXCLUDE", "SEED"):
        _draw_area(layout, "Object Area", "NAVMESH_MT_area_of_object", scene, marks.area)
        rows += 1
        material = object_.active_material
        if material is not None and marks.use != "VOLUME":
            draw_area_of(layout.row(align=True), material, scene, marks_of(material).area, points)
            rows += 1
    if context.collection is not None and context.collection != scene.collection:
        row, marks_there = layout.row(align=True), marks_of(context.collection)
        draw_area_of(row, context.collection, scene, marks_there.area, points - _ICON)
        row.prop(marks_there, "exclude", text="", icon="CANCEL")
        rows += 1
    if context.mode == "EDIT_MESH":
        named_line(layout, "Selected Faces").menu("NAVMESH_MT_area_of_faces", text="Assign Area")
        rows += 1
    return rows


def _draw_link(layout: bpy.types.UILayout, context: bpy.types.Context, object_: bpy.types.Object) -> int:
    """Where it leads, who may take it, and its handles. Returns how many rows."""
    from ...views.drawn_marks import ends_of

    marks, scene = marks_of(object_), scene_of(context)
    if object_.type == "CURVE":
        draw_lines(layout, link_in_words(ends_of(object_), scene.unit_settings.scale_length), room(context), count=1)
    else:
        draw_named(layout, marks, "link_end")
    row = layout.row(align=True)
    row.prop(marks, "link_radius")
    row.prop(marks, "link_bidirectional", toggle=True)
    row = _draw_area(layout, "Area", "NAVMESH_MT_area_of_link", scene, marks.link_area, 0.2)
    row.prop_menu_enum(marks, "link_abilities", text=abilities_in_words(marks.link_flags))
    row = layout.row(align=True)
    row.prop(scene_properties(scene), "move_links", toggle=True, icon="EMPTY_ARROWS")
    row.operator("navmesh.snap_link_ends", icon="SNAP_ON")
    return _ROWS


def link_in_words(ends: Sequence[tuple[Any, Any]], metres: float) -> str:
    """How far the first link of an object leads, and up or down."""
    if not ends:
        return "It has no two points to link"
    (start, end), more = ends[0], f" (and {len(ends) - 1} more)" if len(ends) > 1 else ""
    rise, flat = (end.z - start.z) * metres, ((end - start).xy.length) * metres
    if abs(rise) < _LEVEL:
        return f"Reaches {flat:.1f} m, level{more}"
    return f"{'Rises' if rise > 0 else 'Falls'} {abs(rise):.1f} m, reaches {flat:.1f} m{more}"


_LEVEL = 0.05  # metres


def _draw_area(
    layout: bpy.types.UILayout, label: str, menu: str, scene: bpy.types.Scene, area: int, part: float = LONG_NAMES
) -> bpy.types.UILayout:
    row = named_line(layout, label, part)
    row.menu(menu, text=area_name(scene, area), icon_value=icon_of_area(scene, area))
    return row


def draw_area_of(
    row: bpy.types.UILayout, owner: bpy.types.ID, scene: bpy.types.Scene, area: int, points: float
) -> None:
    """Whose area it is stands in the button, before its own name."""
    kind, after = type(owner).__name__.lower(), f"”: {area_name(scene, area)}"
    if icon := icon_of_area(scene, area):
        points -= _ICON
    text = with_name([(f"Area of {kind} “", after), (f"{kind.capitalize()} “", after)], owner.name, points)
    row.menu(f"NAVMESH_MT_area_of_{kind}", text=text, icon_value=icon)


class NAVMESH_PT_object(SidebarPanel, _ObjectPanel, bpy.types.Panel):
    """What the active object, its material and its collection are for; and what can be added"""

    bl_idname = "NAVMESH_PT_object"
    bl_label = "Object"
    bl_options = {"HIDE_HEADER"}
    tab = MARK

    def draw(self, context: bpy.types.Context) -> None:
        _ObjectPanel.draw(self, context)
        draw_helper_buttons(layout_of(self))


class NAVMESH_PT_object_properties(_ObjectPanel, bpy.types.Panel):
    """What the object, its material and its collection are for"""

    bl_idname = "NAVMESH_PT_object_properties"
    bl_label = "Navmesh"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "object"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.object is not None


# --- Area types, by name, color, cost and abilities.


class NAVMESH_UL_area_types(RowList, bpy.types.UIList):
    """Area types"""

    bl_idname = "NAVMESH_UL_area_types"

    def draw_row(self, _context: bpy.types.Context, layout: bpy.types.UILayout, item: Any) -> None:
        line = layout.split(factor=0.46, align=True)
        row = line.row(align=True)
        if isinstance(item, NavmeshAreaType):
            swatch = row.row()
            swatch.ui_units_x = 0.8
            swatch.prop(item, "color", text="")
            row.prop(item, "name", text="", emboss=False)
            cost, flags = item.cost, item.flags
        else:  # of the usual ones, as long as the scene has no list of its own
            usual = DEFAULT_ROWS[item.value]
            row.label(text=usual.name, icon_value=icon_of_color(usual.color))
            cost, flags = usual.cost, usual.flags
        line.label(text=f"cost {cost:g} · {abilities_in_words(flags)}")


class NAVMESH_PT_area_types(SidebarPanel, bpy.types.Panel):
    """What areas are called, what they cost, and what they ask of an agent"""

    bl_idname = "NAVMESH_PT_area_types"
    bl_label = "Areas"
    tab = MARK

    def draw(self, context: bpy.types.Context) -> None:
        stored = scene_properties(scene_of(context))
        row = layout_of(self).row()
        if len(stored.area_types) == 0:
            usual = stored.bl_rna.properties["usual_area"]
            row.template_list("NAVMESH_UL_area_types", "", usual, "enum_items", stored, "active_area_type", rows=4)
        else:
            row.template_list("NAVMESH_UL_area_types", "", stored, "area_types", stored, "active_area_type", rows=4)
        buttons = row.column(align=True)
        buttons.operator("navmesh.area_type_add", text="", icon="ADD")
        buttons.operator("navmesh.area_type_remove", text="", icon="REMOVE")
        if len(stored.area_types) == 0:
            buttons.operator("navmesh.area_types_edit", text="", icon="GREASEPENCIL")
        else:
            buttons.popover("NAVMESH_PT_area_type", text="", icon="GREASEPENCIL")


class NAVMESH_PT_area_type(PopoverPanel, bpy.types.Panel):
    """Number, abilities and cost of this area"""

    bl_idname = "NAVMESH_PT_area_type"
    bl_label = "Area Type"

    def draw(self, context: bpy.types.Context) -> None:
        layout, stored = layout_of(self), scene_properties(scene_of(context))
        if len(stored.area_types) == 0:
            return
        item = stored.area_types[min(stored.active_area_type, len(stored.area_types) - 1)]
        layout.use_property_split = True
        if item.area == PLAIN:  # while building it is another number, which nobody has to know
            layout.label(text="Id 0: plain ground", icon="INFO")
        for name in ("name", "color", "cost") if item.area == PLAIN else ("name", "color", "cost", "area"):
            layout.prop(item, name)
        layout.label(text="Asks an agent for one of")
        layout.grid_flow(columns=2, even_columns=True, align=True).prop(item, "abilities")
