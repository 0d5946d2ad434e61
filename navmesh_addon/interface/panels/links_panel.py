"""The panel of found links, and of what a link saves its agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import bpy

from ....navcore.errors import NavmeshError
from ...ask.link_saving import saved_by_link
from ...blender_types import Icon, layout_of, mesh_of, not_none, scene_of
from ...kept_value import KeptValue
from ...objects.navmesh_objects import BUILD, metres_of, navmesh_of_setup
from ...stored.link_properties import KIND_ITEMS, STATE_ITEMS
from ...stored.links_mesh import decisions_of, links_object, read_links
from ...stored.object_properties import marks_of, object_use
from ...stored.setups import NavmeshScene, scene_properties, shown_setup
from ...stored.view_properties import MARK
from ...views.drawn_links import blocked_rows, why_blocked
from .sidebar_panel import FEW, ListingMore, SidebarPanel, draw_named, draw_text, room

if TYPE_CHECKING:
    import numpy.typing as npt

    from ...stored.link_rows import Decisions, LinkRows

_NONE_YET = (
    "None yet: build with Find Links, allow longer jumps and drops, or lower Region Min Size, so that small tops stay"
)


class NAVMESH_OT_more_rejected_links(ListingMore, bpy.types.Operator):
    """List more of the rejected links"""

    bl_idname = "navmesh.more_rejected_links"
    shown = KeptValue(FEW)


class NAVMESH_PT_links(SidebarPanel, bpy.types.Panel):
    """Jumps, drops and climbs that builds have found"""

    bl_idname = "NAVMESH_PT_links"
    bl_label = "Found Links"
    bl_order = 20  # below what was there before a build found them
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        setup = shown_setup(scene_of(context))
        polygons = navmesh_of_setup(scene_of(context), setup)
        return polygons is not None and (bool(setup.generate_links) or links_object(polygons) is not None)

    def draw(self, context: bpy.types.Context) -> None:
        layout, scene = layout_of(self), scene_of(context)
        polygons = not_none(navmesh_of_setup(scene, shown_setup(scene)))
        object_ = links_object(polygons)
        if object_ is None:
            draw_text(layout, _NONE_YET, room(context))
            return
        if object_.mode != "OBJECT":
            draw_text(layout, "Its mesh is being edited: leave Edit Mode, then build", room(context))
            return
        try:
            decisions = decisions_of(polygons)
        except NavmeshError as error:
            draw_text(layout, str(error), room(context), "ERROR")
            return
        if object_.get(BUILD) != polygons.get(BUILD):
            draw_text(layout, "Of a build before: the last one found no links. Switch on Find Links", room(context))
        _draw_list(layout, context, polygons, object_, decisions)
        _draw_rejected(layout, context, decisions)


def _draw_list(
    layout: bpy.types.UILayout, context: bpy.types.Context, polygons: bpy.types.Object, object_: bpy.types.Object,
    decisions: Decisions,
) -> None:  # fmt: skip
    stored, shown = scene_properties(scene_of(context)), decisions.shown
    legend = layout.row(align=True)
    for kind, item in enumerate(KIND_ITEMS):
        count = int((shown.kinds == kind).sum())
        legend.label(text=f"{count:,} {item[1].lower()[: None if count != 1 else -1]}", icon=kind_icon(kind))
    layout.template_list(
        "NAVMESH_UL_links", "", mesh_of(object_), "polygons", stored, "active_link", rows=4, maxrows=10
    )
    if stored.active_link < len(shown.ids):
        _draw_active(layout, context, polygons, decisions, stored.active_link)
    row = layout.row(align=True)
    row.operator("navmesh.edit_links", icon="EDITMODE_HLT")
    row.prop(stored, "draw_links", text="", icon="HIDE_OFF")


def _draw_active(
    layout: bpy.types.UILayout, context: bpy.types.Context, polygons: bpy.types.Object, decisions: Decisions,
    number: int,
) -> None:  # fmt: skip
    """What it saves, or why nobody takes it, and what to do with it."""
    from ...axes import to_blender  # here: Blender's start does not wait for NumPy
    from ...stored.link_rows import MOVED

    scene, shown = scene_of(context), decisions.shown
    stored = scene_properties(scene)
    column = layout.column(align=True)
    row = column.row(align=True)
    is_moved = shown.states[number] == MOVED
    row.operator("navmesh.frame_link", text="", icon="VIEWZOOM")
    row.operator("navmesh.move_link", text="Move Ends", icon="EMPTY_ARROWS", depress=stored.move_links)
    row.operator("navmesh.link_to_object", text="To Object", icon="CURVE_DATA")
    if is_moved:
        column.operator("navmesh.put_link_back", icon="LOOP_BACK")
    if why := why_blocked(polygons, shown, number):
        draw_text(column, why, room(context), "ERROR")
        return
    ends = to_blender([shown.starts[number], shown.ends[number]], metres_of(scene)).tolist()
    _draw_saved(column, context, *ends)


def _draw_saved(
    layout: bpy.types.UILayout, context: bpy.types.Context, start: list[float], end: list[float], reach: float = 0.0
) -> None:
    saved = saved_by_link(scene_of(context), start, end, reach)
    if saved:
        draw_text(layout, saved, room(context), "DRIVER_DISTANCE")


def _draw_rejected(layout: bpy.types.UILayout, context: bpy.types.Context, decisions: Decisions) -> None:
    """Those that builds do not find again, each with its way back."""
    rejected = decisions.rejected
    count = len(rejected.ids)
    if not count:
        return
    column = layout.column(align=True)
    row = column.row(align=True)
    row.label(text=f"{count:,} rejected")
    row.prop(scene_properties(scene_of(context)), "draw_rejected", text="", icon="HIDE_OFF")
    row.operator("navmesh.restore_links", text="All", icon="LOOP_BACK").rejected = -1
    for number in range(min(count, NAVMESH_OT_more_rejected_links.shown.value)):
        line = column.row(align=True)
        kind = int(rejected.kinds[number])
        line.label(text=rejected.in_words(number), icon=kind_icon(kind))
        line.operator("navmesh.restore_links", text="", icon="LOOP_BACK").rejected = number
    NAVMESH_OT_more_rejected_links.draw_rest(column, count)


class NAVMESH_PT_hand_made_link(SidebarPanel, bpy.types.Panel):
    """What the selected link object saves, and the number that a game knows it by"""

    bl_idname = "NAVMESH_PT_hand_made_link"
    bl_label = "Link"
    bl_order = 10  # below what is always there
    bl_options = {"DEFAULT_CLOSED"}
    tab = MARK

    @classmethod
    def has_something(cls, context: bpy.types.Context) -> bool:
        object_ = context.object
        return object_ is not None and context.mode == "OBJECT" and object_use(object_) == "LINK"

    def draw(self, context: bpy.types.Context) -> None:
        from ...views.drawn_marks import ends_of

        layout, object_ = layout_of(self), not_none(context.object)
        marks = marks_of(object_)
        # A length that is an agent's, whatever the level's scale.
        reach = marks.link_radius * scene_of(context).unit_settings.scale_length
        for start, end in ends_of(object_)[:1]:
            _draw_saved(layout, context, [*start], [*end], reach)
        draw_named(layout, marks, "link_id")


# --- The list: one line for each face of the links' mesh, sorted and filtered.

_SHOWN = 1 << 30  # what Blender takes for: this line is not filtered away
_read: KeptValue[Any] = KeptValue(None)  # rows and which are blocked, as the list that is drawn now has read them


class NAVMESH_UL_links(bpy.types.UIList):
    """Found links"""

    bl_idname = "NAVMESH_UL_links"

    def draw_filter(self, context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
        draw_link_filter(layout, scene_properties(scene_of(context)))

    def filter_items(  # type: ignore[override] # the stubs know no answer
        self, context: bpy.types.Context, _data: Any, _property: str
    ) -> tuple[list[int], list[int]]:  # fmt: skip
        """Which faces of the mesh are shown, and where in the list each stands."""
        scene = scene_of(context)
        polygons = navmesh_of_setup(scene, shown_setup(scene))
        object_ = links_object(polygons)
        _read.forget()
        if object_ is None or polygons is None:
            return [], []
        try:
            rows = read_links(object_).shown
        except NavmeshError:  # the panel says it
            return [], []
        _read.value = rows, blocked_rows(polygons, rows)
        flags, order = flags_and_order(rows, scene_properties(scene))
        return flags, order

    def draw_item(  # type: ignore[override] # they know parameters of newer versions
        self, _context: bpy.types.Context, layout: bpy.types.UILayout, _data: Any, item: Any, _icon: int,
        _active: Any, _property: str,
    ) -> None:  # fmt: skip
        if _read.value is None or item is None:
            return
        rows, blocked = _read.value
        if item.index < len(rows.ids):
            draw_link(layout, rows, item.index, bool(blocked[item.index]))


def draw_link(layout: bpy.types.UILayout, rows: LinkRows, row: int, is_blocked: bool) -> None:
    """Kind, length and width; its state; and what can be done about it."""
    line = layout.row(align=True)
    icon = kind_icon(int(rows.kinds[row]))
    line.label(text=rows.in_words(row), icon="ERROR" if is_blocked else icon)
    width = line.row(align=True)
    width.alignment = "RIGHT"
    width.label(text=f"{rows.widths[row]:.1f} m wide")
    pin = line.operator("navmesh.pin_link", text="", icon=state_icon(int(rows.states[row])), emboss=False)
    pin.link = row
    line.operator("navmesh.reject_link", text="", icon="X", emboss=False).link = row


def draw_link_filter(layout: bpy.types.UILayout, stored: NavmeshScene) -> None:
    """Kinds and states that the list shows, and its order."""
    layout.row(align=True).prop(stored, "link_kinds")
    layout.row(align=True).prop(stored, "link_states")
    layout.prop(stored, "link_sort")


def kind_icon(kind: int) -> Icon:
    """In the color that the viewport gives it."""
    return KIND_ITEMS[kind][3]  # type: ignore[return-value] # one of Blender's


def state_icon(state: int) -> Icon:
    """Of a link that is there."""
    return STATE_ITEMS[state][3]  # type: ignore[return-value] # likewise


def flags_and_order(rows: LinkRows, stored: NavmeshScene) -> tuple[list[int], list[int]]:
    """For each link whether the list shows it, and the line that it has."""
    import numpy as np

    kinds = [k for k, item in enumerate(KIND_ITEMS) if item[0] in stored.link_kinds]
    states = [k for k, item in enumerate(STATE_ITEMS) if item[0] in stored.link_states]
    shown = np.isin(rows.kinds, kinds) & np.isin(rows.states, states)
    by: dict[str, npt.NDArray[Any]] = {
        "LENGTH": -rows.lengths,
        "WIDTH": -rows.widths,
        "KIND": rows.kinds,
        "STATE": -rows.states.astype(np.int64),
    }
    if stored.link_sort not in by:
        return np.where(shown, _SHOWN, 0).tolist(), []
    line = np.empty(len(rows.ids), np.int64)
    line[np.argsort(by[stored.link_sort], kind="stable")] = np.arange(len(rows.ids))
    return np.where(shown, _SHOWN, 0).tolist(), line.tolist()
